"""Interval disclosure: how close released values are to the originals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from unveil.errors import UsageError
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.options import part_of
from unveil.support.threads import on_all_cores
from unveil.table.encoding.to_arrays import ROUNDING_SLACK, spread, tied_blocks
from unveil.table.roles import Role
from unveil.values.file_pair import FilePair
from unveil.values.results.disclosure import Inside, IntervalCurve, IntervalDisclosure
from unveil.values.single_values import single_values
from unveil.wording import absent_column

WIDTHS = (10.0, 1.0, 2.0, 5.0, 15.0, 20.0)  # percent; the first is the one to report
MOST_CROSSED = 1000  # pairs that are paired at random in all attributes at once


def interval_disclosure(
    pair: FilePair,
    *,
    columns: Sequence[str] | None = None,
    widths: Sequence[float] = WIDTHS,
    seed: int = 0,
) -> IntervalDisclosure | None:
    """The share of the true values that lie in an interval around the released value.

    A released value reveals the true one roughly, even without a link. The
    share goes from 0 to 1 and is compared with the share if values and people were paired at
    random: only the excess is disclosed. Quasi-identifiers and confidential attributes count, and
    columns without a role that masking changed; weights, strata and other side columns do not.

    By ranks, as in Torra, Record linkage approaches for dynamic database integration (2013),
    Definition 1: the interval reaches w percent of all released values below and above the
    record's own, counted from the first and the last of equal values. By deviations: it reaches w
    percent of the original's standard deviation (with n - 1) to either side.

    The share of a random pairing is exact for one attribute, and from at most 1,000 sampled pairs
    for all attributes at once. A person whose original cell is missing does not count; a missing
    released cell has no interval, so that its original is not inside. None if no pair is known, or
    no attribute has numbers or ordered categories.

    Parameters
    ----------
    pair
        The original and the release, with the pairs known.
    columns
        Numeric attributes, a range counting as its middle, or ordinal ones that are not
        generalised; by default those that count, and all where no attribute has a role.
    widths
        In percent; the first is the one to report.
    seed
        Random seed of the sample.

    >>> import unveil
    >>> sample = unveil.households(300, seed=7)
    >>> swapped = unveil.mask(sample, [unveil.masks.RankSwapping(p=10, columns=["age"])], seed=7)
    >>> pair = FilePair.of(sample, swapped.data, swapped.row_map)
    >>> interval_disclosure(pair, columns=["age"], widths=[10]).average.by_rank[0].share
    1.0
    """
    widths = _checked(widths)
    if columns is None:
        used = [name for name in _counting(pair) if _is_ordered(pair, name)]
    else:
        used = _checked_columns(pair, columns)
    if not len(pair.released):
        return None
    joint, curves = _JointIntervals(pair, seed, len(widths)), []
    for column in used:
        values = _PairedValues.of(pair, column)
        if not len(values.ascending):
            continue
        joint.counted |= ~np.isnan(values.originals)
        intervals = _by_rank(values, widths) + on_all_cores(partial(_by_deviation, values), widths)
        shares = on_all_cores(partial(joint.add, values, intervals), range(len(intervals)))
        curves.append(_curve(column, len(values.ascending), widths, shares))
    if not curves:
        return None
    return IntervalDisclosure(
        n=len(pair.released),
        average=_average(curves, widths),
        together=_curve(None, int(joint.counted.sum()), widths, joint.shares()),
        looked_at=len(joint.places),
        attributes=tuple(curves),
    )


@dataclass(frozen=True, repr=False, eq=False)
class _PairedValues:
    """One attribute of the pairs as numbers, equal released values once."""

    originals: Floats
    ascending: Floats  # the originals that are not missing
    deviation: float  # of the whole original
    column: Floats  # the whole release, ascending
    distinct: Floats  # released values of the pairs, ascending
    counts: Ints  # pairs with each
    place: Ints  # of each pair's value among these; behind the last: missing

    @classmethod
    def of(cls, pair: FilePair, column: str) -> _PairedValues:
        original, released = single_values(pair, column)
        own, masked = original[pair.originals], released[pair.released]
        present = ~np.isnan(masked)
        distinct, places, counts = np.unique(
            masked[present], return_inverse=True, return_counts=True
        )
        place = np.full(len(masked), len(distinct))
        place[present] = places
        return cls(
            originals=own,
            ascending=np.sort(own[~np.isnan(own)]),
            deviation=spread(original)[1],
            column=np.sort(released[~np.isnan(released)]),
            distinct=distinct,
            counts=counts,
            place=place,
        )


class _Intervals(NamedTuple):
    """The interval around each distinct value, and how many originals lie in it."""

    low: Floats
    high: Floats
    n_inside: Ints


def _by_rank(values: _PairedValues, widths: Sequence[float]) -> list[_Intervals]:
    n = len(values.column)
    blocks = tied_blocks(values.column)
    at = np.searchsorted(values.column, values.distinct)
    first, last = blocks.first[at], blocks.last[at]
    below = np.searchsorted(values.ascending, values.column, "left")
    upto = np.searchsorted(values.ascending, values.column, "right")
    result = []
    for width in widths:
        reach = part_of(n, width, 100)
        low, high = np.maximum(first - reach, 0), np.minimum(last + reach, n - 1)
        result.append(_Intervals(values.column[low], values.column[high], upto[high] - below[low]))
    return result


def _by_deviation(values: _PairedValues, width: float) -> _Intervals:
    reach = values.deviation * width / 100 * (1 + ROUNDING_SLACK)
    low, high = values.distinct - reach, values.distinct + reach
    upto = np.searchsorted(values.ascending, high, "right")
    return _Intervals(low, high, upto - np.searchsorted(values.ascending, low, "left"))


class _JointIntervals:
    """Which pairs are inside in all attributes added so far, and which would be by chance.

    Everything is by method and width: first all widths by rank, then all by deviation.
    """

    def __init__(self, pair: FilePair, seed: int, widths: int) -> None:
        self.n = len(pair.released)
        self.places = pair.sample(MOST_CROSSED, seed, "intervals")
        sampled = len(self.places)
        self.counted: Bools = np.zeros(self.n, np.bool_)  # pairs with an original value
        self._inside = np.ones((2 * widths, self.n), np.bool_)
        self._crossed = np.ones((2 * widths, sampled, sampled), np.bool_)  # intervals x originals

    def add(
        self, values: _PairedValues, intervals: Sequence[_Intervals], at: int
    ) -> tuple[float, float]:
        """Add an attribute; the share of the pairs that are inside in it, and by chance."""
        low, high = (np.append(end, np.nan)[values.place] for end in intervals[at][:2])
        own, n = values.originals, len(values.ascending)
        inside = (low <= own) & (own <= high)
        self._inside[at] &= inside | np.isnan(own)
        sampled = own[self.places]
        crossed = (low[self.places, None] <= sampled) & (sampled <= high[self.places, None])
        self._crossed[at] &= crossed | np.isnan(sampled)
        by_chance = int((intervals[at].n_inside * values.counts).sum()) / (n * self.n)
        return int(inside.sum()) / n, by_chance

    def shares(self) -> list[tuple[float, float]]:
        """The share of the pairs that are inside in all attributes, and by chance."""
        n = int(self.counted.sum())
        return [
            (int((inside & self.counted).sum()) / n, self._chance(crossed))
            for inside, crossed in zip(self._inside, self._crossed, strict=True)
        ]

    def _chance(self, crossed: Bools) -> float:
        """The share of a random pairing, which leaves a pair as it is once in n times."""
        counted = self.counted[self.places]
        n, m = int(counted.sum()), len(crossed)
        if not n:
            return 0.0
        own = int((np.diag(crossed) & counted).sum())
        others = int(crossed[:, counted].sum()) - own
        return own / n / self.n + (others / n / (m - 1) * (1 - 1 / self.n) if m > 1 else 0.0)


def _curve(
    column: str | None, n: int, widths: Sequence[float], shares: Sequence[tuple[float, float]]
) -> IntervalCurve:
    points = [Inside(width, *pair) for width, pair in zip((*widths, *widths), shares, strict=True)]
    by_rank, by_deviation = points[: len(widths)], points[len(widths) :]
    return IntervalCurve(
        column=column, n=n, by_rank=tuple(by_rank), by_deviation=tuple(by_deviation)
    )


def _average(curves: Sequence[IntervalCurve], widths: Sequence[float]) -> IntervalCurve:
    """Every attribute counts the same."""
    shares = np.array(
        [
            [(point.share, point.chance) for point in (*curve.by_rank, *curve.by_deviation)]
            for curve in curves
        ]
    ).mean(axis=0)
    return _curve(None, max(curve.n for curve in curves), widths, shares.tolist())


def _checked(widths: Sequence[float]) -> tuple[float, ...]:
    try:
        numbers = tuple(float(width) for width in widths)
    except (TypeError, ValueError):
        numbers = ()
    if not numbers or not all(0 <= width <= 100 for width in numbers):
        raise UsageError("widths: numbers from 0 to 100, in percent, at least one")
    return numbers


def _is_ordered(pair: FilePair, column: str) -> bool:
    """Whether the cells have an order: sets of ordered categories have none."""
    level = pair.level(column)
    return level == "numeric" or (level == "ordinal" and not pair.generalised(column))


def _counting(pair: FilePair) -> list[str]:
    """The attributes that count by their roles; without any role, all but weights and the like."""
    people: set[Role] = {"quasi", "confidential"}
    roles = {name: pair.original.schema[name].role for name in pair.columns}
    if not any(role & people for role in roles.values()):
        return [name for name, role in roles.items() if not role]
    return [n for n, role in roles.items() if role & people or (not role and _changed(pair, n))]


def _changed(pair: FilePair, column: str) -> bool:
    original, released = pair.cells(column)
    return bool((original[pair.originals] != released[pair.released]).any())


def _checked_columns(pair: FilePair, columns: Sequence[str]) -> list[str]:
    for name in columns:
        if name not in pair.columns:
            raise UsageError(absent_column(name, pair.columns))
        if not _is_ordered(pair, name):
            raise UsageError(
                f"column '{name}' has no numbers or single ordered categories, so values have no "
                "interval; leave it out"
            )
    return list(columns)
