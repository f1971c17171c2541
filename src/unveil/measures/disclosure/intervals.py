"""Interval disclosure: how near released values are to the originals."""

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
from unveil.values.file_pair import FilePair
from unveil.values.results.disclosure import Inside, IntervalCurve, IntervalDisclosure
from unveil.values.single_values import single_values
from unveil.wording import absent_column

WIDTHS = (10.0, 1.0, 2.0, 5.0, 15.0, 20.0)  # percent; the first is the one to report
LOOKED_AT = 1000  # records whose intervals in all attributes are set against each other's values


def interval_disclosure(
    both: FilePair,
    *,
    columns: Sequence[str] | None = None,
    widths: Sequence[float] = WIDTHS,
    seed: int = 0,
) -> IntervalDisclosure | None:
    """How many true values lie in an interval around the released one.

    Who sees a released value knows roughly what the true one is, whether or not anybody is
    linked. The share goes from 0 to 1, and is held against what it would be if values and people
    were paired at random: only what is beyond that is disclosed.

    By ranks, as in Torra, Record linkage approaches for dynamic database integration (2013),
    Definition 1: the interval goes from the released value that stands so many percent of all
    released values before the record's own to the one that stands so many behind it. Equal
    values stand together: it reaches so far beyond the first and the last of them. By
    deviations: it reaches so many percent of the original's standard deviation (with n - 1) to
    either side.

    Beside each share stands what is expected where originals and released rows are paired at
    random: counted exactly for one attribute, and for all of them at once on a sample of at most
    1,000 pairs. A person whose original cell is missing has nothing to disclose and does not
    count; a released cell that is missing has no interval, so that its original is not inside.

    Parameters
    ----------
    both
        The original and the release, with the pairs known.
    columns
        Numeric attributes, a range being its middle, or ordinal ones that are not generalised;
        all of them, if not given.
    widths
        In percent; the first is the one to report.
    seed
        Of the sample.

    Returns
    -------
    None where no pair is known, or no attribute has numbers or ordered categories.

    >>> import unveil
    >>> from unveil.values.file_pair import FilePair
    >>> sample = unveil.households(300, seed=7)
    >>> swapped = unveil.mask(sample, [unveil.masks.RankSwapping(p=10, columns=["age"])], seed=7)
    >>> both = FilePair(sample, swapped.data, swapped.row_map)
    >>> interval_disclosure(both, columns=["age"], widths=[10]).average.by_rank[0].share
    1.0
    """
    widths = _checked(widths)
    used = _ordered(both) if columns is None else _named(both, columns)
    if not len(both.released):
        return None
    every, curves = _Together(both, seed, len(widths)), []
    for column in used:
        values = _Values.of(both, column)
        if not len(values.ascending):
            continue
        every.see(values)
        ends = [*_by_rank(values, widths), *on_all_cores(partial(_by_deviation, values), widths)]
        found = on_all_cores(partial(every.inside, values, ends), range(len(ends)))
        pairs = found[: len(widths)], found[len(widths) :]
        curves.append(_curve(column, len(values.ascending), widths, pairs))
    if not curves:
        return None
    return IntervalDisclosure(
        n=len(both.released),
        average=_average(curves, widths),
        together=_curve(None, int(every.counted.sum()), widths, every.shares()),
        looked_at=len(every.places),
        attributes=tuple(curves),
    )


@dataclass(frozen=True, repr=False, eq=False)
class _Values:
    """One attribute of the pairs as numbers, equal released values taken together."""

    originals: Floats
    ascending: Floats  # the originals that are there
    deviation: float  # of the whole original
    column: Floats  # the whole release, ascending
    distinct: Floats  # released values of the pairs, ascending
    many: Ints  # pairs with each
    place: Ints  # of each pair's value among these; behind the last: missing

    @classmethod
    def of(cls, both: FilePair, column: str) -> _Values:
        original, released = single_values(both, column)
        own, masked = original[both.originals], released[both.released]
        here = ~np.isnan(masked)
        distinct, places, many = np.unique(masked[here], return_inverse=True, return_counts=True)
        place = np.full(len(masked), len(distinct))
        place[here] = places
        return cls(
            own,
            np.sort(own[~np.isnan(own)]),
            spread(original)[1],
            np.sort(released[~np.isnan(released)]),
            distinct,
            many,
            place,
        )


class _Ends(NamedTuple):
    """The interval around each distinct value, and how many originals lie in it."""

    low: Floats
    high: Floats
    held: Ints


def _by_rank(values: _Values, widths: Sequence[float]) -> list[_Ends]:
    n = len(values.column)
    blocks = tied_blocks(values.column)
    at = np.searchsorted(values.column, values.distinct)
    first, last = blocks.first[at], blocks.last[at]
    below = np.searchsorted(values.ascending, values.column, "left")
    upto = np.searchsorted(values.ascending, values.column, "right")
    found = []
    for width in widths:
        reach = part_of(n, width, 100)
        low, high = np.maximum(first - reach, 0), np.minimum(last + reach, n - 1)
        found.append(_Ends(values.column[low], values.column[high], upto[high] - below[low]))
    return found


def _by_deviation(values: _Values, width: float) -> _Ends:
    reach = values.deviation * width / 100 * (1 + ROUNDING_SLACK)
    low, high = values.distinct - reach, values.distinct + reach
    held = np.searchsorted(values.ascending, high, "right")
    return _Ends(low, high, held - np.searchsorted(values.ascending, low, "left"))


class _Together:
    """Which pairs are inside in every attribute seen so far; and which would be, by chance."""

    def __init__(self, both: FilePair, seed: int, widths: int) -> None:
        self.n = len(both.released)
        self.places = both.sample(LOOKED_AT, seed, "intervals")
        some = len(self.places)
        self.counted: Bools = np.zeros(self.n, np.bool_)  # something was there to disclose
        self._inside = np.ones((2 * widths, self.n), np.bool_)  # by rank, then by deviation
        self._crossed = np.ones((2 * widths, some, some), np.bool_)  # intervals by originals

    def see(self, values: _Values) -> None:
        """Let the pairs count that have a value."""
        self.counted |= ~np.isnan(values.originals)

    def inside(self, values: _Values, every: Sequence[_Ends], at: int) -> tuple[float, float]:
        """The share inside in one attribute and by chance; remembered for all of them."""
        ends = every[at]
        low, high = (np.append(end, np.nan)[values.place] for end in ends[:2])
        own, n = values.originals, len(values.ascending)
        within = (low <= own) & (own <= high)
        self._inside[at] &= within | np.isnan(own)
        drawn = own[self.places]
        crossed = (low[self.places, None] <= drawn) & (drawn <= high[self.places, None])
        self._crossed[at] &= crossed | np.isnan(drawn)
        return int(within.sum()) / n, int((ends.held * values.many).sum()) / (n * self.n)

    def shares(self) -> list[list[tuple[float, float]]]:
        """The share inside in every attribute and by chance, by method and width."""
        n = int(self.counted.sum())
        found = [
            (int((inside & self.counted).sum()) / n, self._chance(crossed))
            for inside, crossed in zip(self._inside, self._crossed, strict=True)
        ]
        half = len(found) // 2
        return [found[:half], found[half:]]

    def _chance(self, crossed: Bools) -> float:
        """Of a random pairing, which leaves a pair as it is once in n times."""
        counted = self.counted[self.places]
        n, m = int(counted.sum()), len(crossed)
        if not n:
            return 0.0
        own = int((np.diag(crossed) & counted).sum())
        others = int(crossed[:, counted].sum()) - own
        return own / n / self.n + (others / n / (m - 1) * (1 - 1 / self.n) if m > 1 else 0.0)


def _curve(
    column: str | None,
    n: int,
    widths: Sequence[float],
    found: Sequence[Sequence[tuple[float, float]]],
) -> IntervalCurve:
    by_rank, by_deviation = (
        tuple(Inside(width, *pair) for width, pair in zip(widths, pairs, strict=True))
        for pairs in found
    )
    return IntervalCurve(column=column, n=n, by_rank=by_rank, by_deviation=by_deviation)


def _average(curves: Sequence[IntervalCurve], widths: Sequence[float]) -> IntervalCurve:
    """Every attribute counts the same."""
    found = np.array(
        [
            [[(one.share, one.chance) for one in by] for by in (curve.by_rank, curve.by_deviation)]
            for curve in curves
        ]
    ).mean(axis=0)
    return _curve(None, max(curve.n for curve in curves), widths, found.tolist())


def _checked(widths: Sequence[float]) -> tuple[float, ...]:
    try:
        found = tuple(float(width) for width in widths)
    except (TypeError, ValueError):
        found = ()
    if not found or not all(0 <= width <= 100 for width in found):
        raise UsageError("widths: numbers from 0 to 100, in percent, at least one")
    return found


def _ordered(both: FilePair) -> tuple[str, ...]:
    return tuple(name for name in both.attributes if _is_ordered(both, name))


def _is_ordered(both: FilePair, column: str) -> bool:
    """Whether its cells stand in an order: sets of ordered categories do not."""
    level = both.level(column)
    return level == "numeric" or (level == "ordinal" and not both.generalised(column))


def _named(both: FilePair, columns: Sequence[str]) -> tuple[str, ...]:
    for name in columns:
        if name not in both.columns:
            raise UsageError(absent_column(name, both.columns))
        if not _is_ordered(both, name):
            raise UsageError(
                f"column '{name}' has no numbers or single ordered categories, so there is no "
                "interval around a value: leave it out"
            )
    return tuple(columns)
