"""Where along a line each record is linked, and which of its rows are the tightest at a point."""

from unveil.support.arrays import Floats, Ints, Ints32
from unveil.support.compile import kernel, part


@part()
def relative_value(index: Ints32, value: Floats, point: Floats) -> float:
    """A row at a point, relative to the sum of its absolute terms: from -1 to 1."""
    total, magnitude = 0.0, 0.0
    for k in range(len(index)):
        term = value[k] * point[index[k]]
        total += term
        magnitude += abs(term)
    return total / magnitude if magnitude > 0.0 else 0.0


@kernel()
def linked_spans(
    index: Ints32,
    value: Floats,
    starts: Ints,
    point: Floats,
    direction: Floats,
    low: float,
    high: float,
    spans: Floats,
) -> None:
    """spans[i] becomes the open interval of t in (low, high) on which record i is linked.

    Row r has coefficient value[r, k] at parameter index[r, k]; record i has the rows from
    starts[i] on, all of which are positive where it is linked. At point + t direction a row is
    linear in t. An interval without length is empty.
    """
    for i in range(len(starts) - 1):
        left, right = low, high
        for r in range(starts[i], starts[i + 1]):
            here, slope = 0.0, 0.0
            for k in range(index.shape[1]):
                here += value[r, k] * point[index[r, k]]
                slope += value[r, k] * direction[index[r, k]]
            if slope > 0.0:
                left = max(left, -here / slope)
            elif slope < 0.0:
                right = min(right, -here / slope)
            elif here <= 0.0:
                right = low
            if right <= left:
                break
        spans[i, 0], spans[i, 1] = left, right


@kernel()
def tightest_rows(
    index: Ints32, value: Floats, starts: Ints, point: Floats, rows: Ints, slack: Floats
) -> None:
    """rows[i] become the tightest rows of record i at a point, tightest first, -1 for none.

    slack[i] become their relative values, 1 where there is no row.
    """
    k = rows.shape[1]
    for i in range(len(starts) - 1):
        rows[i, :], slack[i, :] = -1, 1.0
        held = 0
        for r in range(starts[i], starts[i + 1]):
            here = relative_value(index[r], value[r], point)
            if held == k and here >= slack[i, k - 1]:
                continue
            at = held if held < k else k - 1
            while at > 0 and slack[i, at - 1] > here:
                slack[i, at], rows[i, at] = slack[i, at - 1], rows[i, at - 1]
                at -= 1
            slack[i, at], rows[i, at] = here, r
            held = min(held + 1, k)
