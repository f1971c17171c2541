"""Axes: numbers and dates in ranges with round ends, which tell no cell."""

from collections.abc import Iterator, Sequence
from decimal import ROUND_FLOOR, Decimal
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from unveil.measures.identity.subgroups import LEAST
from unveil.support.arrays import Floats, Ints
from unveil.table.columns import Stored

MOST = 12  # ranges
DIGITS = 4  # of an end: with more of them it would be as good as a cell
STEPS = (Decimal(1), Decimal(2), Decimal("2.5"), Decimal(5))
MONTHS = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000)
OUTER = (0.02, 0.005, 0.0)  # shares of the original that lie below the axis, and above it
SPLIT = 0.1  # share of the ranges in a file that may lie in several of ours
FINE = 1000  # of smaller whole numbers one more or less is told
DAY = {"dates": 1, "times": 86_400}  # what a day is in numbers
BEGIN = 1970 * 12  # months that are counted from


class Spans(NamedTuple):
    """What the cells that are not missing may be; of single values both ends are the same."""

    lower: Floats
    upper: Floats


class Bins(NamedTuple):
    """Ranges, each from an end, which is inside, up to the next, which is not."""

    ends: Floats  # ascending
    labels: tuple[str, ...]  # one more than there are ends: the outer ranges are open

    def places(self, spans: Spans) -> Ints:
        """The range that each cell lies in; the number of ranges where it lies in several."""
        first = np.searchsorted(self.ends, spans.lower, side="right")
        if spans.upper is spans.lower:
            return first
        last = np.searchsorted(self.ends, spans.upper, side="right")
        return np.where(first == last, first, len(self.labels))


def axis(before: Spans, after: Spans, *, stored: Stored = "numbers") -> Bins | None:
    """Ranges for the cells of an original and of its release, as fine as 12 of them are.

    Ends are multiples of 1, 2, 2.5 or 5 times a power of ten, of at most 4 digits; of dates
    and times they begin a month or a year. Where the ranges lie is taken from the 2nd and the
    98th percentile of the original, so that no extreme value spoils them, and from further out
    where these are the same. The outer ranges hold 10 records of either file, and no end is
    the least or the largest value of either. None where there is no such end.

    Parameters
    ----------
    before, after
        The original's cells and the release's.
    stored
        Whether these numbers are dates (days), times (seconds) or numbers.

    >>> ages = np.arange(100) / 1.0
    >>> axis(Spans(ages, ages), Spans(ages, ages)).labels[:2]
    ('under 20', '20 to 29')
    """
    best, whole = None, all(_are_whole(side) for side in (before, after))
    for low, high in _regions(before):
        for ends in _candidates(before, low, high, stored):
            kept = _kept(ends, (before, after))
            if not kept:
                continue
            found = Bins(np.array([value for value, _ in kept]), _labels(kept, stored, whole))
            if max(_split(found, side) for side in (before, after)) <= SPLIT:
                return found
            best = best or found
    return best


def _regions(before: Spans) -> Iterator[tuple[float, float]]:
    """From where to where ends are looked for: always between values of some records."""
    ends = np.isfinite(before.lower) & np.isfinite(before.upper)
    middles = before.lower[ends] / 2 + before.upper[ends] / 2
    n = len(middles)
    outer = sorted({min(max(int(part * n), LEAST), (n - 1) // 2) for part in OUTER})
    if not n:
        return
    ascending = np.partition(middles, [*outer, *(n - 1 - k for k in outer)])
    for k in reversed(outer):
        low, high = float(ascending[k]), float(ascending[n - 1 - k])
        if low < high:
            yield low, high


def _candidates(
    before: Spans, low: float, high: float, stored: Stored
) -> Iterator[list[tuple[float, str]]]:
    """Ends above a value and up to another, the finest first, each with its name."""
    if stored in DAY:
        return _months(low, high, DAY[stored])
    if _are_whole(before):  # half of one only if nothing else parts them
        return chain(_multiples(low, high, Decimal(1)), _multiples(low, high, Decimal("0.5")))
    return _multiples(low, high, None)


def _multiples(low: float, high: float, unit: Decimal | None) -> Iterator[list[tuple[float, str]]]:
    """Multiples of round numbers; of those that are multiples of a unit, if there is one."""
    least, most = Decimal(low), Decimal(high)
    size = max(abs(least), abs(most)).adjusted()
    finest = max((most - least).adjusted() - 2, size - DIGITS + 1)
    if unit is not None:
        finest = max(finest, unit.adjusted())
    for power in range(finest, size + 2):
        for step in (one.scaleb(power) for one in STEPS):
            if unit is not None and _floor(step / unit) != step / unit:
                continue
            first = _floor(least / step) + 1
            many = _floor(most / step) - first + 1
            if not 0 < many < MOST:
                continue
            ends = [((first + place) * step).normalize() for place in range(int(many))]
            if max(len(end.as_tuple().digits) for end in ends) <= DIGITS:
                yield [(float(end), _number(end)) for end in ends]


def _floor(ratio: Decimal) -> Decimal:
    return ratio.to_integral_value(ROUND_FLOOR)


def _number(end: Decimal) -> str:
    """In plain digits, but for what would be very long."""
    plain = not end or -5 <= end.adjusted() < 15
    return f"{end:,f}" if plain else f"{float(end):.{DIGITS}g}"


def _months(low: float, high: float, day: int) -> Iterator[list[tuple[float, str]]]:
    first, last = (
        int(np.datetime64(int(value // day), "D").astype("datetime64[M]").astype(np.int64)) + BEGIN
        for value in (low, high)
    )
    for step in MONTHS:
        many = last // step - first // step
        if not 0 < many < MOST:
            continue
        ends = [(first // step + place) * step for place in range(1, many + 1)]
        days = np.array([end - BEGIN for end in ends], "datetime64[M]").astype("datetime64[D]")
        names = [f"{end // 12}" if step >= 12 else f"{end // 12}-{end % 12 + 1:02}" for end in ends]
        yield list(zip((days.astype(np.float64) * day).tolist(), names, strict=True))


def _kept(ends: list[tuple[float, str]], sides: Sequence[Spans]) -> list[tuple[float, str]]:
    """Those with enough records of either file on both sides: so the outer ranges are merged."""
    for side in sides:
        top = side.upper.max(initial=-np.inf)
        ends = [
            (end, name)
            for end, name in ends
            if end < top
            and np.count_nonzero(side.upper < end) >= LEAST
            and np.count_nonzero(side.lower >= end) >= LEAST
        ]
    return ends


def _split(found: Bins, spans: Spans) -> float:
    """The share of the cells that lie in several ranges; stars, which always do, left out."""
    if spans.upper is spans.lower:
        return 0.0
    told = int(np.count_nonzero(np.isfinite(spans.lower) | np.isfinite(spans.upper)))
    stars = len(spans.lower) - told
    split = int(np.count_nonzero(found.places(spans) == len(found.labels)))
    return (split - stars) / max(told, 1)


def _are_whole(spans: Spans) -> bool:
    ends = (side[np.isfinite(side)] for side in spans)
    return all(bool((end == np.rint(end)).all()) for end in ends)


def _labels(ends: list[tuple[float, str]], stored: Stored, whole: bool) -> tuple[str, ...]:
    names = [name for _, name in ends]
    below, above = ("before", "later") if stored in DAY else ("under", "over")
    between = [f"{a} to {b}" for a, b in pairwise(names)]
    if whole and stored not in DAY and all(abs(end) < FINE and end == int(end) for end, _ in ends):
        last = [f"{int(end) - 1:,}" for end, _ in ends[1:]]  # the end itself is not inside
        between = [a if a == b else f"{a} to {b}" for a, b in zip(names, last, strict=False)]
    return (f"{below} {names[0]}", *between, f"{names[-1]} and {above}")
