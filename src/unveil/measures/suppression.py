"""Whom a release leaves out, and whose cells: of all, and by subgroup."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unveil.data.loss import GroupLoss, Suppression
from unveil.errors import UsageError
from unveil.measures.glossary import NO_PAIRS, Found, measured
from unveil.measures.openness import suppressed_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unveil.data.aligned import Aligned
    from unveil.data.encode import Ints, Mask
    from unveil.measures.groups import Grouping


def suppression(both: Aligned, groupings: Sequence[Grouping] = ()) -> Suppression:
    """The records that are discarded and the cells that are suppressed, of all and by subgroup.

    A record is discarded when no released row stands for it. A cell is suppressed when it is
    missing or a star in the release and was neither; its share is of the cells that were told, of
    released records. Each group has its ratio to the share of all, and for discarded records how
    likely so many or more would be in it, were they drawn from all (hypergeometric law): a small
    group may lose many by chance. A mask that drops minorities has a low loss overall and a group
    with a high ratio that chance does not explain.

    Pairs are needed; without them there is nothing to say. Best is 0, worst 1, of each share.

    >>> from unveil.data.aligned import Aligned
    >>> from unveil.data.samples import households
    >>> from unveil.measures.groups import subgroups
    >>> sample = households(100)
    >>> ages = subgroups(sample, ["age"])
    >>> kept = np.flatnonzero(ages[0].codes < 4)  # a mask that drops the old
    >>> worst = suppression(Aligned(sample, sample.take(kept), kept), ages).most_discarded
    >>> worst.name, worst.discarded, worst.chance < 0.001
    ('highest fifth', 1.0, True)
    """
    n = len(both.original)
    for grouping in groupings:
        if len(grouping.codes) != n:
            raise UsageError(f"a grouping has a code for each of the {n:,} original records")
    if both.rows is None:
        return Suppression(
            n=n, discarded=None, suppressed=None, groups=(), most_discarded=None,
            most_suppressed=None, note=NO_PAIRS,
        )  # fmt: skip
    gone = np.ones(n, np.bool_)
    gone[both.originals] = False
    lost, told = _cells(both)
    groups = tuple(group for grouping in groupings for group in _groups(grouping, gone, lost, told))
    return Suppression(
        n=n,
        discarded=int(gone.sum()) / n,
        suppressed=_share(int(lost.sum()), int(told.sum())),
        groups=groups,
        most_discarded=min(groups, key=lambda one: (one.chance, -one.discarded), default=None),
        most_suppressed=max(
            (group for group in groups if group.suppressed is not None),
            key=lambda group: group.suppressed or 0.0,
            default=None,
        ),
        note="" if len(both.released) else "no released row stands for anybody",
    )


def discarded(found: Suppression) -> Found:
    """The share of the records that are discarded, as a measure.

    >>> from unveil.data.aligned import Aligned
    >>> from unveil.data.samples import households
    >>> sample = households(100)
    >>> half = Aligned(sample, sample.take(np.arange(50)), np.arange(50))
    >>> discarded(suppression(half)).measures[0].value
    0.5
    """
    return Found((measured("discarded", found.discarded, n=found.n, note=found.note),), {})


def _cells(both: Aligned) -> tuple[Ints, Ints]:
    """For each original how many cells are told no more, and how many were told, if released."""
    lost, told = np.zeros((2, len(both.original)), np.int64)
    for name in both.columns:
        gone, before = suppressed_cells(both, name)
        lost += np.bincount(both.originals[gone], minlength=len(lost))
        told += np.bincount(both.originals[before], minlength=len(told))
    return lost, told


def _groups(grouping: Grouping, gone: Mask, lost: Ints, told: Ints) -> Iterator[GroupLoss]:
    from scipy.stats import hypergeom

    out, cells, known = (
        np.bincount(grouping.codes, weights, len(grouping.names)).astype(np.int64)
        for weights in (gone, lost, told)
    )
    everybody = int(gone.sum()), len(gone)
    all_cells = _share(int(lost.sum()), int(told.sum()))
    for place, (name, n) in enumerate(zip(grouping.names, grouping.sizes, strict=True)):
        dropped = int(out[place])
        suppressed = _share(int(cells[place]), int(known[place]))
        yield GroupLoss(
            column=grouping.column,
            name=name,
            n=n,
            discarded=dropped / n,
            discarded_ratio=_ratio(dropped / n, everybody[0] / everybody[1]),
            chance=float(hypergeom.sf(dropped - 1, everybody[1], everybody[0], n)),
            suppressed=suppressed,
            suppressed_ratio=_ratio(suppressed, all_cells),
        )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _ratio(share: float | None, of_all: float | None) -> float | None:
    return share / of_all if share is not None and of_all else None
