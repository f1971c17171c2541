"""What a missing cell costs: the average over the values that it may have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unveil.kernels.costs import ABOVE, BELOW, PIECES, SQUARE, TABLE, gap_between
from unveil.kernels.jit import kernel, part

if TYPE_CHECKING:
    from unveil.kernels.arrays import Floats
    from unveil.kernels.costs import Terms


@part()
def reaching(
    side: int, query: float, values: Floats, gap: float, start: int, stop: int, up: bool
) -> int:
    """Where, going away from the query between start and stop, gaps begin to exceed `gap`.

    Up: the first position whose gap is larger. Down: the first after those larger.
    """
    while start < stop:
        middle = (start + stop) // 2
        beyond = gap_between(side, query, values[middle], values[middle]) > gap
        if beyond == up:
            stop = middle
        else:
            start = middle + 1
    return start


@part()
def sums_of_gaps(
    query: float, sums: Floats, squares: Floats, start: int, stop: int, up: bool
) -> tuple[float, float]:
    """The sum of the gaps of the sorted values start..stop-1, and of their squares."""
    n = stop - start
    total = (sums[stop] - sums[start]) - n * query
    square = (squares[stop] - squares[start]) - 2.0 * query * (sums[stop] - sums[start])
    return total if up else -total, max(square + n * query * query, 0.0)


@part()
def side_costs(
    terms: Terms,
    j: int,
    query: float,
    centre: float,
    values: Floats,
    sums: Floats,
    squares: Floats,
    start: int,
    stop: int,
    up: bool,
) -> tuple[float, int]:
    """The cost of the sorted values start..stop-1, all on one side, and how many are possible."""
    cost, possible = 0.0, 0
    piece, near = terms.first[j], 0.0
    while start < stop:
        a, b = start, stop
        if terms.kind[j] == PIECES:
            far = terms.end[piece]
            if up:
                b = reaching(terms.side[j], query, values, far, start, stop, True)
            else:
                a = reaching(terms.side[j], query, values, far, start, stop, False)
        gaps, squared = sums_of_gaps(query - centre, sums, squares, a, b, up)
        if terms.kind[j] == SQUARE:
            cost, possible = cost + terms.weight[j] * squared, possible + b - a
        elif terms.kind[j] != PIECES:
            cost, possible = cost + terms.weight[j] * gaps, possible + b - a
        elif not np.isinf(terms.value[piece]):
            cost += (b - a) * terms.value[piece] + terms.slope[piece] * (gaps - (b - a) * near)
            possible += b - a
            near = far
        if up:
            start = b
        else:
            stop = a
        piece += 1
    return cost, possible


@kernel()
def expected_costs(
    terms: Terms,
    j: int,
    queries: Floats,
    counts: Floats,
    centre: float,
    values: Floats,
    sums: Floats,
    squares: Floats,
    out: Floats,
) -> None:
    """out[i] becomes the sum of the costs of queries[i] against all values, and their number.

    `values` ascend, `sums` and `squares` are running sums of them less the centre; for a
    table counts[c] says how often code c occurs. Impossible pairs are left out of both.
    """
    for i in range(len(queries)):
        query = queries[i]
        out[i, 0], out[i, 1] = 0.0, 0.0
        if np.isnan(query):
            continue
        if terms.kind[j] == TABLE:
            for code in range(terms.size[j]):
                cost = terms.value[terms.first[j] + np.int64(query) * terms.size[j] + code]
                if not np.isinf(cost):
                    out[i, 0] += counts[code] * cost
                    out[i, 1] += counts[code]
            continue
        middle = np.searchsorted(values, query)
        for up in (False, True):
            start, stop = (middle, len(values)) if up else (0, middle)
            if terms.side[j] == (BELOW if up else ABOVE):  # no gap on this side
                level = terms.value[terms.first[j]] if terms.kind[j] == PIECES else 0.0
                cost, possible = (stop - start) * level, stop - start
            else:
                cost, possible = side_costs(
                    terms, j, query, centre, values, sums, squares, start, stop, up
                )
            out[i, 0] += cost
            out[i, 1] += possible
