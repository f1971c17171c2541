"""The cost of a missing cell: the average over the values that it may have.

Sums of gaps over a range of sorted values are put together from halves, quarters, ... of the
file, each with its own mean and squared deviations: nothing is subtracted, so nothing cancels.
"""

from typing import NamedTuple

import numpy as np

from unveil.engines.local.kernels.costs import (
    ABOVE,
    BELOW,
    LISTED,
    PIECES,
    SQUARE,
    TABLE,
    Terms,
    gap_between,
    listed_between,
)
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import kernel, part


class Marginal(NamedTuple):
    """The values of one attribute, ascending, and the moments of their dyadic ranges.

    Range 1 is all values, the halves of range r are 2 r and 2 r + 1, and the last half of the
    ranges are the values themselves.
    """

    values: Floats
    counts: Ints
    means: Floats
    squares: Floats  # sums of squared deviations from the mean
    codes: Floats  # for a table: how often each code occurs


@kernel()
def fill_moments(marginal: Marginal) -> None:
    """The moments of all ranges, from the values up."""
    counts, means, squares = marginal.counts, marginal.means, marginal.squares
    leaves = len(counts) // 2
    for i in range(leaves):
        counts[leaves + i] = 1 if i < len(marginal.values) else 0
        means[leaves + i] = marginal.values[i] if i < len(marginal.values) else 0.0
        squares[leaves + i] = 0.0
    for r in range(leaves - 1, 0, -1):
        a, b = 2 * r, 2 * r + 1
        counts[r] = counts[a] + counts[b]
        share = counts[b] / counts[r] if counts[r] else 0.0
        gap = means[b] - means[a] if counts[b] else 0.0
        means[r] = means[a] + gap * share
        squares[r] = squares[a] + squares[b] + gap * gap * share * counts[a]


@part()
def sums_of_gaps(marginal: Marginal, query: float, start: int, stop: int) -> tuple[float, float]:
    """The sum of the gaps of values start..stop-1, all on one side, and of their squares."""
    gaps, squares = 0.0, 0.0
    leaves = len(marginal.counts) // 2
    a, b = start + leaves, stop + leaves
    while a < b:
        for r in (a if a & 1 else 0, b - 1 if b & 1 else 0):
            if r:
                gap = abs(marginal.means[r] - query)
                gaps += marginal.counts[r] * gap
                squares += marginal.squares[r] + marginal.counts[r] * gap * gap
        a, b = (a + 1) // 2, b // 2
    return gaps, squares


@part()
def reaching(
    side: int, query: float, values: Floats, gap: float, start: int, stop: int, up: bool
) -> int:
    """Where, between start and stop, gaps begin (up) or cease (down) to exceed `gap`."""
    while start < stop:
        middle = (start + stop) // 2
        exceeds = gap_between(side, query, values[middle], values[middle]) > gap
        if exceeds == up:
            stop = middle
        else:
            start = middle + 1
    return start


@part()
def costs_on_side(
    terms: Terms, j: int, query: float, marginal: Marginal, start: int, stop: int, up: bool
) -> tuple[float, int]:
    """The cost of values start..stop-1, all on one side, and how many are possible."""
    if terms.kind[j] != PIECES:
        gaps, squares = sums_of_gaps(marginal, query, start, stop)
        return terms.weight[j] * (squares if terms.kind[j] == SQUARE else gaps), stop - start
    cost, possible, piece, near = 0.0, 0, terms.first[j], 0.0
    while start < stop and not np.isinf(terms.value[piece]):
        far = terms.end[piece]
        split = reaching(terms.side[j], query, marginal.values, far, start, stop, up)
        a, b = (start, split) if up else (split, stop)
        gaps, _ = sums_of_gaps(marginal, query, a, b)
        cost += (b - a) * terms.value[piece] + terms.slope[piece] * (gaps - (b - a) * near)
        possible += b - a
        if up:
            start = b
        else:
            stop = a
        piece, near = piece + 1, far
    return cost, possible


@kernel()
def expected_costs(terms: Terms, j: int, queries: Floats, marginal: Marginal, out: Floats) -> None:
    """out[i] becomes the sum of the costs of queries[i] against all values, and their number.

    Impossible pairs are left out of both.
    """
    values = marginal.values
    for i in range(len(queries)):
        query = queries[i]
        out[i, 0], out[i, 1] = 0.0, 0.0
        if np.isnan(query):
            continue
        if terms.kind[j] == LISTED:
            other, n = terms.value[terms.first[j]], float(len(values))
            at, stop = listed_between(terms, j, query, 0.0)
            out[i, 1] = n
            while at < stop:
                many = marginal.codes[np.int64(terms.end[at])]
                n -= many
                if np.isinf(terms.value[at]):
                    out[i, 1] -= many
                else:
                    out[i, 0] += many * terms.value[at]
                at += 1
            out[i, 0] += n * other
            continue
        if terms.kind[j] == TABLE:
            for code in range(terms.size[j]):
                cost = terms.value[terms.first[j] + np.int64(query) * terms.size[j] + code]
                if not np.isinf(cost):
                    out[i, 0] += marginal.codes[code] * cost
                    out[i, 1] += marginal.codes[code]
            continue
        middle = np.searchsorted(values, query)
        for up in (False, True):
            start, stop = (middle, len(values)) if up else (0, middle)
            if terms.side[j] == (BELOW if up else ABOVE):  # no gap on this side
                level = terms.value[terms.first[j]] if terms.kind[j] == PIECES else 0.0
                cost, possible = 0.0, 0
                if not np.isinf(level):
                    cost, possible = (stop - start) * level, stop - start
            else:
                cost, possible = costs_on_side(terms, j, query, marginal, start, stop, up)
            out[i, 0] += cost
            out[i, 1] += possible
