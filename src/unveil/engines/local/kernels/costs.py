"""The cost of a pair of records, attribute by attribute, and the least that a box can cost.

An attribute's cost is a nondecreasing function of the gap between query and candidate, a table of
codes, or a list of pairs of codes. Attributes are combined by sum, by maximum or by a Choquet
integral, all monotone, so the costs of the gaps to a box, combined, are a bound for every record
in it.
"""

from typing import NamedTuple

import numpy as np

from unveil.engines.base import ABSOLUTE, RELATIVE
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import kernel, part

SQUARE, LINEAR, PIECES, TABLE, LISTED = range(5)  # an attribute's cost
BOTH, ABOVE, BELOW = range(3)  # which candidates have a gap: any, larger or smaller ones
SUM, LARGEST, CHOQUET = range(3)  # how attributes are combined


class Terms(NamedTuple):
    """A metric as arrays. Attribute j has the pieces, or the table, from first[j] on.

    Of listed pairs, value[first[j]] is the cost of all others. The pairs of a query's code q are
    those from slope[first[j] + q] to before slope[first[j] + q + 1]; of each, `end` is the
    candidate's code, ascending, and `value` the cost.
    """

    kind: Ints
    side: Ints
    weight: Floats
    first: Ints
    size: Ints  # pieces, or categories of a table
    end: Floats  # a piece holds for gaps up to its end
    value: Floats  # the cost at the start of a piece; the cells of a table
    slope: Floats
    least: Floats  # the least cost of the attribute
    measure: Floats  # a fuzzy measure by bit mask, for Choquet
    combine: int
    plain: int  # SQUARE or LINEAR: the sum of such costs, no cell missing; else -1
    root: bool  # compare square roots: Euclid's distance, not its square
    exact: bool  # whole numbers: only equals tie


@part()
def gap_between(side: int, query: float, low: float, high: float) -> float:
    """How far the interval low..high is from the query, on the side that counts."""
    gap = 0.0
    if side != BELOW and low > query:
        gap = low - query
    elif side != ABOVE and query > high:
        gap = query - high
    return gap


@part()
def cost_of_gap(terms: Terms, j: int, gap: float) -> float:
    """The cost of a gap in attribute j."""
    if terms.kind[j] == SQUARE:
        return terms.weight[j] * (gap * gap)
    if terms.kind[j] == LINEAR:
        return terms.weight[j] * gap
    piece, start = terms.first[j], 0.0
    while gap > terms.end[piece]:
        start = terms.end[piece]
        piece += 1
    if terms.slope[piece] == 0.0:  # the value may be infinite
        return terms.value[piece]
    return terms.value[piece] + terms.slope[piece] * (gap - start)


@part()
def listed_between(terms: Terms, j: int, query: float, low: float) -> tuple[int, int]:
    """The pairs of the query's code in attribute j: the first with a code from low on, the end."""
    row = terms.first[j] + np.int64(query)
    begin = terms.first[j] + np.int64(terms.slope[row])
    stop = terms.first[j] + np.int64(terms.slope[row + 1])
    return begin + np.searchsorted(terms.end[begin:stop], low), stop


@part()
def least_listed(terms: Terms, j: int, query: float, low: float, high: float) -> float:
    """The least cost of codes between low and high by listed pairs."""
    at, stop = listed_between(terms, j, query, low)
    least, unlisted = np.inf, np.floor(high) - np.ceil(low) + 1
    while at < stop and terms.end[at] <= high and least > terms.least[j]:
        least = min(least, terms.value[at])
        unlisted -= 1
        at += 1
    return least if unlisted <= 0 else min(least, terms.value[terms.first[j]])


@part()
def least_cost(terms: Terms, j: int, query: float, low: float, high: float) -> float:
    """The least cost in attribute j over candidates between low and high, ends included."""
    if terms.kind[j] == LISTED:
        return least_listed(terms, j, query, low, high)
    if terms.kind[j] != TABLE:
        return cost_of_gap(terms, j, gap_between(terms.side[j], query, low, high))
    row = terms.first[j] + np.int64(query) * terms.size[j]
    least = np.inf
    for code in range(np.int64(low), np.int64(high) + 1):
        least = min(least, terms.value[row + code])
        if least <= terms.least[j]:
            break
    return least


@part()
def greatest_cost(terms: Terms, j: int, query: float, low: float, high: float) -> float:
    """The greatest cost in attribute j over candidates between low and high, or more."""
    if terms.kind[j] == LISTED:
        at, stop = listed_between(terms, j, query, low)
        greatest = terms.value[terms.first[j]]
        while at < stop and terms.end[at] <= high:
            greatest = max(greatest, terms.value[at])
            at += 1
        return greatest
    if terms.kind[j] != TABLE:
        far = gap_between(terms.side[j], query, low, low)
        return cost_of_gap(terms, j, max(far, gap_between(terms.side[j], query, high, high)))
    row = terms.first[j] + np.int64(query) * terms.size[j]
    greatest = 0.0
    for code in range(np.int64(low), np.int64(high) + 1):
        greatest = max(greatest, terms.value[row + code])
    return greatest


@part()
def choquet(costs: Floats, measure: Floats, width: int, order: Ints) -> float:
    """The Choquet integral of costs[:width]; `order` is scratch.

    Sum of the increments of the sorted costs, each weighted by the measure of the
    attributes that cost at least as much.
    """
    for j in range(width):
        at = j
        while at > 0 and costs[order[at - 1]] > costs[j]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = j
    total, below, left = 0.0, 0.0, (1 << width) - 1
    for j in order[:width]:
        if costs[j] > below:
            # A set of measure nothing adds nothing, be its cost infinite.
            if measure[left] > 0.0:
                total += measure[left] * (costs[j] - below)
            below = costs[j]
        left &= ~(1 << j)
    return total


@part()
def combined(terms: Terms, costs: Floats, offset: float, order: Ints) -> float:
    """The costs of all attributes as one score."""
    if terms.combine == CHOQUET:
        return offset + choquet(costs, terms.measure, len(terms.kind), order)
    total = 0.0
    if terms.combine == SUM:
        for j in range(len(terms.kind)):
            total += costs[j]
    else:
        for j in range(len(terms.kind)):
            total = max(total, costs[j])
    return total + offset


@part()
def score_of(
    terms: Terms,
    query: Floats,
    missing: Floats,
    candidate: Floats,
    offset: float,
    costs: Floats,
    order: Ints,
) -> float:
    """The score of one pair; a NaN is a missing cell and costs missing[j].

    `costs` and `order` are scratch, as long as the record.
    """
    if terms.plain >= 0:  # what the general way below comes to, faster
        total = 0.0
        for j in range(len(query)):
            gap = abs(query[j] - candidate[j])
            total += terms.weight[j] * (gap * gap if terms.plain == SQUARE else gap)
        return total + offset
    for j in range(len(terms.kind)):
        if np.isnan(query[j]) or np.isnan(candidate[j]):
            costs[j] = missing[j]
        else:
            costs[j] = least_cost(terms, j, query[j], candidate[j], candidate[j])
    return combined(terms, costs, offset, order)


@kernel()
def cost_pairs(
    terms: Terms,
    queries: Floats,
    missing: Floats,
    base: Floats,
    offset: Floats,
    left: Ints,
    right: Ints,
    out: Floats,
    costs: Floats,
    order: Ints,
) -> None:
    """out[p] becomes the score of query left[p] and record right[p]; the last two are scratch."""
    for p in range(len(left)):
        i, j = left[p], right[p]
        own = i if len(missing) > 1 else 0
        more = offset[j] if len(offset) else 0.0
        out[p] = score_of(terms, queries[i], missing[own], base[j], more, costs, order)


@part()
def against(terms: Terms, score: float, other: float) -> int:
    """-1 when `score` is nearer than `other`, 1 when farther, 0 when they tie."""
    if terms.exact or not terms.root:
        return compare(terms, score, other)
    return compare(terms, np.sqrt(score), np.sqrt(other))


@part()
def compare(terms: Terms, distance: float, other: float) -> int:
    """The same for distances: scores after the root."""
    if distance == other:  # infinities too
        return 0
    nearer = -1 if distance < other else 1
    if terms.exact or np.isinf(distance) or np.isinf(other):
        return nearer
    tolerance = RELATIVE * max(abs(distance), abs(other)) + ABSOLUTE
    return 0 if abs(distance - other) <= tolerance else nearer
