"""Suppression: discarded records, suppressed and generalised cells, overall and by subgroup."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from unveil.errors import UsageError
from unveil.measures.identity.subgroups import Subgrouping
from unveil.measures.information_loss.catalogue import NO_PAIRS, MeasuredLoss, loss_measure
from unveil.measures.information_loss.generalisation import (
    added_penalties,
    known_cells,
    suppressed_cells,
)
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.phrases import Phrase, as_given, counted, name, percent, phrase, several
from unveil.values.file_pair import FilePair
from unveil.values.results.loss import GroupLoss, Suppression

# A group is named if its discards are uneven, and chance does not explain them.
LEAST_RATIO = 1.5  # to the share of all records
LARGEST_CHANCE = 0.001  # with Bonferroni's correction for all tested groups
FEWEST_RECORDS = 10  # of a group that is tested
MOST_NAMED = 3  # groups; the others are only counted


class _CellCounts(NamedTuple):
    """The cells of each released record whose original is known."""

    originals: Ints  # the row of the original
    known: Ints  # cells that the original has
    suppressed: Ints  # of these, cells that the release does not have
    penalty: Floats  # mean of what its cells leave open


def suppression(pair: FilePair, groupings: Sequence[Subgrouping] = ()) -> Suppression:
    """Discarded records, suppressed cells and generalisation, overall and by subgroup.

    A record is discarded if it has no released row. A cell is suppressed if it is missing or a star
    in the release and was neither; the share is of the known cells of released records.
    Generalisation is that of :func:`~unveil.measures.openness`. Each group has its ratio to the
    overall share, and for discarded records the probability of as many or more in it, had they been
    drawn from all records (hypergeometric law): a small group may lose many by chance. A mask that
    drops minorities has a low loss overall, and a group with a high ratio that chance does not
    explain.

    Pairs are needed. Each share is best at 0 and worst at 1.

    >>> from unveil.table.sample import households
    >>> from unveil.measures.identity.subgroups import subgroups
    >>> sample = households(100)
    >>> ages = subgroups(sample, ["age"])
    >>> kept = np.flatnonzero(ages[0].codes < 4)  # a mask that drops the old
    >>> worst = suppression(FilePair.of(sample, sample.take(kept), kept), ages).most_discarded
    >>> worst.name, worst.discarded, worst.chance < 0.001
    ('highest fifth', 1.0, True)
    """
    n = len(pair.original)
    if pair.truth is None:
        _check(n, pair.released, groupings)
        return Suppression(
            n=n, discarded=None, suppressed=None, groups=(), most_discarded=None,
            most_suppressed=None, note=NO_PAIRS,
        )  # fmt: skip
    note = "" if len(pair.released) else "no released row belongs to an original record"
    return _suppression(n, pair.originals, _cell_counts(pair), groupings, note)


def discards(n: int, kept: Ints, groupings: Sequence[Subgrouping] = ()) -> Suppression:
    """Discarded records, overall and by subgroup, from the rows that are kept and no cells.

    >>> from unveil.table.sample import households
    >>> from unveil.measures.identity.subgroups import subgroups
    >>> found = discards(100, np.arange(80), subgroups(households(100), ["sex"]))
    >>> found.discarded, found.suppressed, len(found.groups)
    (0.2, None, 2)
    """
    none = np.zeros(0, np.int64)
    cells = _CellCounts(none, none, none, np.zeros(0))
    return _suppression(n, kept, cells, groupings, "no cell was compared")


def uneven_discards(suppression: Suppression) -> Phrase:
    """A sentence on the groups that are discarded more often; empty if chance may explain it.

    A group is named if it has at least 10 records, if its discarded share is at least 1.5 times
    that of all, and if the probability of as many or more by chance, times the number of tested
    groups, is below 0.001; of these, the three least probable ones.

    >>> from unveil.support.phrases import plain
    >>> from unveil.table.sample import households
    >>> from unveil.measures.identity.subgroups import subgroups
    >>> ages = subgroups(households(100), ["age"])
    >>> print(plain(uneven_discards(discards(100, np.flatnonzero(ages[0].codes < 4), ages))))
    22.0 % of the records are not released, but 100 % of the 22 in age, highest fifth. Chance...
    >>> uneven_discards(discards(100, np.arange(50), ages))
    ()
    """
    tested = [group for group in suppression.groups if group.n >= FEWEST_RECORDS]
    uneven = [
        group
        for group in tested
        if (group.discarded_ratio or 0.0) >= LEAST_RATIO
        and group.chance * len(tested) < LARGEST_CHANCE
    ]
    if not uneven or suppression.discarded is None:
        return ()
    uneven.sort(key=lambda group: (group.chance, -group.discarded))
    named: Phrase = ()
    for group in uneven[:MOST_NAMED]:
        named += phrase(
            "; {} of the {} in {}, {}" if named else "{} of the {} in {}, {}",
            percent(group.discarded),
            counted(group.n),
            name(group.column),
            name(group.name),
        )
    if len(uneven) > MOST_NAMED:
        named += phrase("; and {} like these", several(len(uneven) - MOST_NAMED, "more group"))
    return phrase(
        "{} of the records are [not released](loss-discarded), but {}. Chance does not explain "
        "it: as many or more in a group have a probability below {}, corrected for the {} tested.",
        percent(suppression.discarded),
        named,
        as_given(LARGEST_CHANCE),
        several(len(tested), "group"),
    )


def discarded_records(suppression: Suppression) -> MeasuredLoss:
    """The share of the discarded records, as a measure."""
    value, n, note = suppression.discarded, suppression.n, suppression.note
    return MeasuredLoss((loss_measure("discarded", value, n=n, note=note),), {})


def _check(n: int, kept: Ints, groupings: Sequence[Subgrouping]) -> None:
    if n < 1 or (len(kept) and not 0 <= kept.min() <= kept.max() < n):
        raise UsageError("n: the number of original records; kept: rows of them, from 0")
    for grouping in groupings:
        if len(grouping.codes) != n:
            raise UsageError(f"a grouping has a code for each of the {n:,} original records")


def _cell_counts(pair: FilePair) -> _CellCounts:
    known, suppressed = np.zeros((2, len(pair.released)), np.int64)
    penalty = np.zeros(len(pair.released))
    for column in pair.columns:
        known += known_cells(pair, column)
        suppressed += suppressed_cells(pair, column)
        penalty += added_penalties(pair, column)
    penalty /= max(len(pair.columns), 1)
    order = np.argsort(penalty)  # so that sums do not depend on the order of the rows
    return _CellCounts(pair.originals[order], known[order], suppressed[order], penalty[order])


def _suppression(
    n: int, kept: Ints, cells: _CellCounts, groupings: Sequence[Subgrouping], note: str
) -> Suppression:
    _check(n, kept, groupings)
    discarded = np.ones(n, np.bool_)
    discarded[kept] = False
    overall = (
        int(discarded.sum()) / n,
        _ratio(int(cells.suppressed.sum()), int(cells.known.sum())),
        _ratio(float(cells.penalty.sum()), len(cells.penalty)),
    )
    groups = tuple(
        group
        for grouping in groupings
        for group in _group_losses(grouping, discarded, cells, overall)
    )
    return Suppression(
        n=n,
        discarded=overall[0],
        suppressed=overall[1],
        generalisation=overall[2],
        groups=groups,
        most_discarded=min(groups, key=lambda one: (one.chance, -one.discarded), default=None),
        most_suppressed=_worst_group(groups, "suppressed"),
        most_generalised=_worst_group(groups, "generalisation"),
        note=note,
    )


def _worst_group(groups: Sequence[GroupLoss], loss: str) -> GroupLoss | None:
    known = [group for group in groups if getattr(group, loss) is not None]
    return max(known, key=lambda group: getattr(group, loss), default=None)


def _group_losses(
    grouping: Subgrouping,
    discarded: Bools,
    cells: _CellCounts,
    overall: tuple[float | None, float | None, float | None],
) -> Iterator[GroupLoss]:
    from scipy.stats import hypergeom

    n_groups, codes = len(grouping.names), grouping.codes[cells.originals]
    out = np.bincount(grouping.codes[discarded], minlength=n_groups).tolist()
    released = np.bincount(codes, minlength=n_groups).tolist()
    known, suppressed_cells, penalty = (
        np.bincount(codes, weights, n_groups).tolist()
        for weights in (cells.known, cells.suppressed, cells.penalty)
    )
    total, total_out = len(discarded), int(discarded.sum())
    for place, (group, n) in enumerate(zip(grouping.names, grouping.sizes, strict=True)):
        suppressed = _ratio(suppressed_cells[place], known[place])
        generalisation = _ratio(penalty[place], released[place])
        yield GroupLoss(
            column=grouping.column,
            name=group,
            n=n,
            discarded=out[place] / n,
            discarded_ratio=_ratio(out[place] / n, overall[0]),
            chance=float(hypergeom.sf(out[place] - 1, total, total_out, n)),
            suppressed=suppressed,
            suppressed_ratio=_ratio(suppressed, overall[1]),
            generalisation=generalisation,
            generalisation_ratio=_ratio(generalisation, overall[2]),
        )


def _ratio(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None
