"""Whom a release leaves out, and whose cells tell less: of all, and by subgroup."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from unveil.errors import UsageError
from unveil.measures.identity.subgroups import Subgrouping
from unveil.measures.information_loss.catalogue import NO_PAIRS, MeasuredLoss, measured
from unveil.measures.information_loss.generalisation import (
    opened_cells,
    suppressed_cells,
    told_before,
)
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.phrases import Phrase, as_given, counted, name, percent, phrase, several
from unveil.values.file_pair import FilePair
from unveil.values.results.loss import GroupLoss, Suppression

# A group is named where its discards are uneven, and chance does not explain them.
UNEVEN = 1.5  # times the share of all, at least
UNLIKELY = 0.001  # as a probability, with Bonferroni's correction for all groups looked at
ENOUGH = 10  # records of a group that is looked at
NAMED = 3  # groups; of the others only how many they are


class _Cells(NamedTuple):
    """What became of the cells of each released record whose original is known."""

    whose: Ints  # the row of the original
    told: Ints  # how many cells the original tells
    lost: Ints  # of these, how many are told no more
    opened: Floats  # how much its cells leave open on average


def suppression(both: FilePair, groupings: Sequence[Subgrouping] = ()) -> Suppression:
    """Discarded records, suppressed cells and what cells leave open, of all and by subgroup.

    A record is discarded when no released row stands for it. A cell is suppressed when it is
    missing or a star in the release and was neither; its share is of the cells that were told, of
    released records. What released cells leave open is their generalisation, as
    :func:`~unveil.measures.openness` has it. Each group has its ratio to what all lost, and for
    discarded records how likely so many or more would be in it, were they drawn from all
    (hypergeometric law): a small group may lose many by chance. A mask that drops minorities has a
    low loss overall and a group with a high ratio that chance does not explain.

    Pairs are needed; without them there is nothing to say. Best is 0, worst 1, of each share.

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> from unveil.measures.identity.subgroups import subgroups
    >>> sample = households(100)
    >>> ages = subgroups(sample, ["age"])
    >>> kept = np.flatnonzero(ages[0].codes < 4)  # a mask that drops the old
    >>> worst = suppression(FilePair(sample, sample.take(kept), kept), ages).most_discarded
    >>> worst.name, worst.discarded, worst.chance < 0.001
    ('highest fifth', 1.0, True)
    """
    n = len(both.original)
    _check(n, groupings)
    if both.rows is None:
        return Suppression(
            n=n, discarded=None, suppressed=None, groups=(), most_discarded=None,
            most_suppressed=None, note=NO_PAIRS,
        )  # fmt: skip
    note = "" if len(both.released) else "no released row stands for anybody"
    return _found(_gone(n, both.originals), _cells(both), groupings, note)


def discards(n: int, kept: Ints, groupings: Sequence[Subgrouping] = ()) -> Suppression:
    """The records that are discarded, where those that are kept are known and no cell is.

    >>> from unveil.table.sample import households
    >>> from unveil.measures.identity.subgroups import subgroups
    >>> found = discards(100, np.arange(80), subgroups(households(100), ["sex"]))
    >>> found.discarded, found.suppressed, len(found.groups)
    (0.2, None, 2)
    """
    _check(n, groupings)
    none = np.zeros(0, np.int64)
    cells = _Cells(none, none, none, np.zeros(0))
    return _found(_gone(n, kept), cells, groupings, "no cell was looked at")


def uneven_discards(found: Suppression) -> Phrase:
    """In a sentence, on which groups the discards fall; empty where chance may explain it.

    A group is named if it has at least 10 records, if the share of it that is discarded is at
    least 1.5 times that of all, and if as many or more by chance have a probability below 0.001,
    times the number of groups looked at; the three that chance explains least.

    >>> from unveil.support.phrases import plain
    >>> from unveil.table.sample import households
    >>> from unveil.measures.identity.subgroups import subgroups
    >>> ages = subgroups(households(100), ["age"])
    >>> print(plain(uneven_discards(discards(100, np.flatnonzero(ages[0].codes < 4), ages))))
    22.0 % of the records are not released, but 100 % of the 22 in age, highest fifth. Chance...
    >>> uneven_discards(discards(100, np.arange(50), ages))
    ()
    """
    looked_at = [one for one in found.groups if one.n >= ENOUGH]
    hit = [
        one
        for one in looked_at
        if (one.discarded_ratio or 0.0) >= UNEVEN and one.chance * len(looked_at) < UNLIKELY
    ]
    if not hit or found.discarded is None:
        return ()
    hit.sort(key=lambda one: (one.chance, -one.discarded))
    each: Phrase = ()
    for one in hit[:NAMED]:
        each += phrase(
            "; {} of the {} in {}, {}" if each else "{} of the {} in {}, {}",
            percent(one.discarded),
            counted(one.n),
            name(one.column),
            name(one.name),
        )
    if len(hit) > NAMED:
        each += phrase("; and {} like these", several(len(hit) - NAMED, "more group"))
    return phrase(
        "{} of the records are [not released](loss-discarded), but {}. Chance does not explain "
        "it: as many or more in a group have a probability below {}, corrected for the {} looked "
        "at.",
        percent(found.discarded),
        each,
        as_given(UNLIKELY),
        several(len(looked_at), "group"),
    )


def discarded(found: Suppression) -> MeasuredLoss:
    """The share of the records that are discarded, as a measure.

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> sample = households(100)
    >>> half = FilePair(sample, sample.take(np.arange(50)), np.arange(50))
    >>> discarded(suppression(half)).measures[0].value
    0.5
    """
    return MeasuredLoss((measured("discarded", found.discarded, n=found.n, note=found.note),), {})


def _check(n: int, groupings: Sequence[Subgrouping]) -> None:
    for grouping in groupings:
        if len(grouping.codes) != n:
            raise UsageError(f"a grouping has a code for each of the {n:,} original records")


def _gone(n: int, kept: Ints) -> Bools:
    gone = np.ones(n, np.bool_)
    gone[kept] = False
    return gone


def _cells(both: FilePair) -> _Cells:
    told, lost = np.zeros((2, len(both.released)), np.int64)
    opened = np.zeros(len(both.released))
    for column in both.columns:
        told += told_before(both, column)
        lost += suppressed_cells(both, column)
        opened += opened_cells(both, column)
    opened /= max(len(both.columns), 1)
    order = np.argsort(opened)  # sums are made in an order that the rows' has no part in
    return _Cells(both.originals[order], told[order], lost[order], opened[order])


def _found(gone: Bools, cells: _Cells, groupings: Sequence[Subgrouping], note: str) -> Suppression:
    groups = tuple(group for grouping in groupings for group in _groups(grouping, gone, cells))
    return Suppression(
        n=len(gone),
        discarded=int(gone.sum()) / len(gone),
        suppressed=_share(int(cells.lost.sum()), int(cells.told.sum())),
        generalisation=_share(float(cells.opened.sum()), len(cells.opened)),
        groups=groups,
        most_discarded=min(groups, key=lambda one: (one.chance, -one.discarded), default=None),
        most_suppressed=_most(groups, "suppressed"),
        most_generalised=_most(groups, "generalisation"),
        note=note,
    )


def _most(groups: Sequence[GroupLoss], what: str) -> GroupLoss | None:
    known = [group for group in groups if getattr(group, what) is not None]
    return max(known, key=lambda group: getattr(group, what), default=None)


def _groups(grouping: Subgrouping, gone: Bools, cells: _Cells) -> Iterator[GroupLoss]:
    from scipy.stats import hypergeom

    many, own = len(grouping.names), grouping.codes[cells.whose]
    out = np.bincount(grouping.codes[gone], minlength=many).tolist()
    released = np.bincount(own, minlength=many).tolist()
    told, lost, opened = (
        np.bincount(own, weights, many).tolist()
        for weights in (cells.told, cells.lost, cells.opened)
    )
    every = len(gone), int(gone.sum())
    all_suppressed = _share(int(cells.lost.sum()), int(cells.told.sum()))
    all_opened = _share(float(cells.opened.sum()), len(cells.opened))
    for place, (group, n) in enumerate(zip(grouping.names, grouping.sizes, strict=True)):
        suppressed = _share(lost[place], told[place])
        open_cells = _share(opened[place], released[place])
        yield GroupLoss(
            column=grouping.column,
            name=group,
            n=n,
            discarded=out[place] / n,
            discarded_ratio=_ratio(out[place] / n, every[1] / every[0]),
            chance=float(hypergeom.sf(out[place] - 1, *every, n)),
            suppressed=suppressed,
            suppressed_ratio=_ratio(suppressed, all_suppressed),
            generalisation=open_cells,
            generalisation_ratio=_ratio(open_cells, all_opened),
        )


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _ratio(share: float | None, of_all: float | None) -> float | None:
    return share / of_all if share is not None and of_all else None
