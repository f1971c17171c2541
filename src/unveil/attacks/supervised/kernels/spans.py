"""Where along a line each record is linked: on one open interval, or nowhere."""

from unveil.support.arrays import Floats, Ints, Ints32
from unveil.support.compile import kernel, part


@part()
def share_of(index: Ints32, value: Floats, point: Floats) -> float:
    """A row at a point, in units of what it is made of: from -1 to 1."""
    here, size = 0.0, 0.0
    for k in range(len(index)):
        one = value[k] * point[index[k]]
        here += one
        size += abs(one)
    return here / size if size > 0.0 else 0.0


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
    """spans[i] becomes where low < t < high and all of record i's rows are positive.

    Row r has value[r, k] at the parameter index[r, k], and record i the rows from starts[i] on.
    At point + t direction a row is a linear function of t. An interval without length is none.
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
def least_values(
    index: Ints32, value: Floats, starts: Ints, point: Floats, least: Floats, rows: Ints
) -> None:
    """least[i] becomes the least of record i's rows at a point, and rows[i] which that is.

    In units of what a row is made of there, so that what rounding leaves is next to nothing.
    """
    for i in range(len(starts) - 1):
        least[i], rows[i] = 1.0, -1
        for r in range(starts[i], starts[i + 1]):
            here = share_of(index[r], value[r], point)
            if here < least[i] or rows[i] < 0:
                least[i], rows[i] = here, r


@kernel()
def least_rows(
    index: Ints32, value: Floats, starts: Ints, point: Floats, rows: Ints, values: Floats
) -> None:
    """rows[i] become the least of record i's rows at a point, least first; -1: it has no more.

    `values` is scratch, as long as a record's share of `rows`.
    """
    many = rows.shape[1]
    for i in range(len(starts) - 1):
        rows[i, :] = -1
        held = 0
        for r in range(starts[i], starts[i + 1]):
            here = share_of(index[r], value[r], point)
            if held == many and here >= values[many - 1]:
                continue
            at = held if held < many else many - 1
            while at > 0 and values[at - 1] > here:
                values[at], rows[i, at] = values[at - 1], rows[i, at - 1]
                at -= 1
            values[at], rows[i, at] = here, r
            held = min(held + 1, many)
