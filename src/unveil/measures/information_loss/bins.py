"""Bins: numbers and dates in ranges with round ends, which reveal no cell."""

from collections.abc import Iterator, Sequence
from decimal import ROUND_FLOOR, Decimal
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from unveil.measures.category_names import SMALLEST_GROUP
from unveil.support.arrays import Floats, Ints
from unveil.table.columns import Stored

MOST_BINS = 12
END_DIGITS = 4  # of an end: with more digits it would be nearly a cell
STEPS = (Decimal(1), Decimal(2), Decimal("2.5"), Decimal(5))
MONTH_STEPS = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000)
OUTER_SHARES = (0.02, 0.005, 0.0)  # of the original below the first end, and above the last
MOST_SPLIT = 0.1  # share of a file's ranges that may overlap several bins
LARGEST_INCLUSIVE = 1000  # smaller whole numbers have labels such as "20 to 29"
DAY = {"dates": 1, "times": 86_400}  # the length of a day in the column's unit
EPOCH = 1970 * 12  # months before the first


class Spans(NamedTuple):
    """The range of each cell that is not missing; a single value has equal ends."""

    lower: Floats
    upper: Floats


class Bins(NamedTuple):
    """Bins, each from an end, which is included, to the next, which is not."""

    ends: Floats  # ascending
    labels: tuple[str, ...]  # one more than ends: the outer bins are open

    def places(self, spans: Spans) -> Ints:
        """The bin of each cell; the number of bins if it lies in several."""
        first = np.searchsorted(self.ends, spans.lower, side="right")
        if spans.upper is spans.lower:
            return first
        last = np.searchsorted(self.ends, spans.upper, side="right")
        return np.where(first == last, first, len(self.labels))


def shared_bins(before: Spans, after: Spans, *, stored: Stored = "numbers") -> Bins | None:
    """The finest bins, at most 12, for the cells of an original and of its release.

    Ends are multiples of 1, 2, 2.5 or 5 times a power of ten, with at most 4 digits; for dates and
    times they begin a month or a year. They lie between the 2nd and the 98th percentile of the
    original, so that extreme values have no effect, or further out if these are equal. The outer
    bins hold 10 records of either file, and no end is the smallest or the largest value of either.
    None if there is no such end. `stored`: the numbers may be dates (days) or times (seconds).

    >>> ages = np.arange(100) / 1.0
    >>> shared_bins(Spans(ages, ages), Spans(ages, ages)).labels[:2]
    ('under 20', '20 to 29')
    """
    best, whole = None, _are_whole(before) and _are_whole(after)
    for low, high in _regions(before):
        for candidates in _candidate_ends(before, low, high, stored):
            ends = _allowed_ends(candidates, (before, after))
            if not ends:
                continue
            bins = Bins(np.array([value for value, _ in ends]), _labels(ends, stored, whole))
            if max(_split_share(bins, before), _split_share(bins, after)) <= MOST_SPLIT:
                return bins
            best = best or bins
    return best


def _regions(before: Spans) -> Iterator[tuple[float, float]]:
    """Where ends may lie: always between values of some records."""
    finite = np.isfinite(before.lower) & np.isfinite(before.upper)
    middles = before.lower[finite] / 2 + before.upper[finite] / 2
    n = len(middles)
    outer = sorted({min(max(int(part * n), SMALLEST_GROUP), (n - 1) // 2) for part in OUTER_SHARES})
    if not n:
        return
    ascending = np.partition(middles, [*outer, *(n - 1 - k for k in outer)])
    for k in reversed(outer):
        low, high = float(ascending[k]), float(ascending[n - 1 - k])
        if low < high:
            yield low, high


def _candidate_ends(
    before: Spans, low: float, high: float, stored: Stored
) -> Iterator[list[tuple[float, str]]]:
    """Ends above low and up to high, the finest first, each with its name."""
    if stored in DAY:
        return _months(low, high, DAY[stored])
    if _are_whole(before):  # halves only if nothing else separates them
        return chain(_multiples(low, high, Decimal(1)), _multiples(low, high, Decimal("0.5")))
    return _multiples(low, high, None)


def _multiples(low: float, high: float, unit: Decimal | None) -> Iterator[list[tuple[float, str]]]:
    """Multiples of round steps; the steps are multiples of the unit, if there is one."""
    least, most = Decimal(low), Decimal(high)
    size = max(abs(least), abs(most)).adjusted()
    finest = max((most - least).adjusted() - 2, size - END_DIGITS + 1)
    if unit is not None:
        finest = max(finest, unit.adjusted())
    for power in range(finest, size + 2):
        for step in (digit.scaleb(power) for digit in STEPS):
            if unit is not None and _floor(step / unit) != step / unit:
                continue
            first = _floor(least / step) + 1
            n_ends = _floor(most / step) - first + 1
            if not 0 < n_ends < MOST_BINS:
                continue
            ends = [((first + place) * step).normalize() for place in range(int(n_ends))]
            if max(len(end.as_tuple().digits) for end in ends) <= END_DIGITS:
                yield [(float(end), _number(end)) for end in ends]


def _floor(ratio: Decimal) -> Decimal:
    return ratio.to_integral_value(ROUND_FLOOR)


def _number(end: Decimal) -> str:
    plain = not end or -5 <= end.adjusted() < 15
    return f"{end:,f}" if plain else f"{float(end):.{END_DIGITS}g}"


def _months(low: float, high: float, day: int) -> Iterator[list[tuple[float, str]]]:
    first, last = (
        int(np.datetime64(int(value // day), "D").astype("datetime64[M]").astype(np.int64)) + EPOCH
        for value in (low, high)
    )
    for step in MONTH_STEPS:
        n_ends = last // step - first // step
        if not 0 < n_ends < MOST_BINS:
            continue
        ends = [(first // step + place) * step for place in range(1, n_ends + 1)]
        days = np.array([end - EPOCH for end in ends], "datetime64[M]").astype("datetime64[D]")
        names = [f"{end // 12}" if step >= 12 else f"{end // 12}-{end % 12 + 1:02}" for end in ends]
        yield list(zip((days.astype(np.float64) * day).tolist(), names, strict=True))


def _allowed_ends(ends: list[tuple[float, str]], sides: Sequence[Spans]) -> list[tuple[float, str]]:
    """The ends with enough records of either file on both sides."""
    for side in sides:
        top = side.upper.max(initial=-np.inf)
        ends = [
            (end, name)
            for end, name in ends
            if end < top
            and np.count_nonzero(side.upper < end) >= SMALLEST_GROUP
            and np.count_nonzero(side.lower >= end) >= SMALLEST_GROUP
        ]
    return ends


def _split_share(bins: Bins, spans: Spans) -> float:
    """The share of the cells that lie in several bins, without stars."""
    if spans.upper is spans.lower:
        return 0.0
    known = int(np.count_nonzero(np.isfinite(spans.lower) | np.isfinite(spans.upper)))
    stars = len(spans.lower) - known
    split = int(np.count_nonzero(bins.places(spans) == len(bins.labels)))
    return (split - stars) / max(known, 1)


def _are_whole(spans: Spans) -> bool:
    ends = (side[np.isfinite(side)] for side in spans)
    return all(bool((end == np.rint(end)).all()) for end in ends)


def _labels(ends: list[tuple[float, str]], stored: Stored, whole: bool) -> tuple[str, ...]:
    names = [name for _, name in ends]
    below, above = ("before", "later") if stored in DAY else ("under", "over")
    between = [f"{a} to {b}" for a, b in pairwise(names)]
    small = all(abs(end) < LARGEST_INCLUSIVE and end == int(end) for end, _ in ends)
    if whole and stored not in DAY and small:
        last = [f"{int(end) - 1:,}" for end, _ in ends[1:]]  # the end itself is not included
        between = [a if a == b else f"{a} to {b}" for a, b in zip(names, last, strict=False)]
    return (f"{below} {names[0]}", *between, f"{names[-1]} and {above}")
