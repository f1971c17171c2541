"""The log of the sum of exp(-score) over all candidates, and what was left out of it."""

import numpy as np

from unveil.engines.local.kernels import walk
from unveil.engines.local.kernels.filters import SQUARES, TINY, UNIT, length_of, thresholds, to_axes
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import kernel, part, step

ROUGH_RECORDS = 50_000  # from which scores in 32 bits will do where the error allows it
ROUNDING_SHARE = 0.25  # of the error, that they may take
SCORE_ROUNDING = 2.0**-30  # of scores in 64 bits, generously


@part()
def filtered_score(search: walk.SearchArrays, distance: float, slack: float, sign: float) -> float:
    """The most, or with a sign of -1 the least, that a score at a filtered distance can be."""
    frame = search.frame
    rounding = (search.tree.tiles.shape[1] + 8) * UNIT
    length = np.sqrt(max(distance + sign * TINY, 0.0) / (1.0 - sign * rounding))
    length = max(length + sign * slack, 0.0) / frame.scale
    return frame.shift + length * length


@part()
def farthest_of_note(
    search: walk.SearchArrays, least: float, negligible: float, scratch: walk.WalkScratch
) -> float:
    """The bound, or filtered distance, beyond which exp(least - score) is negligible."""
    if negligible <= 0.0:
        return np.inf
    score = least - np.log(negligible)
    if search.terms.root:
        score = max(score, 0.0) ** 2
    return thresholds(search.frame, search.terms, score, scratch.point)[1]


@step()
def sum_over(
    search: walk.SearchArrays, i: int, share: float, scratch: walk.WalkScratch
) -> tuple[float, float, float]:
    """The least score met, the sum of exp(least - score), and what was left out of it.

    A record is left out when it adds less than `share` of the sum so far over the number
    of records: so all that is left out is less than `share` of the sum. Among many records
    scores are taken from the filter, at their most, where all that this can leave out is less
    than a quarter of that.
    """
    tree, root = search.tree, search.terms.root
    least, total, negligible, limit = np.inf, 0.0, 0.0, np.inf
    n = tree.before[len(tree.before) - 1]
    met = 0  # records whose score was looked at
    roughly = n >= ROUGH_RECORDS and search.frame.filter == SQUARES and not root
    filtered, rough = 0.0, False
    slack = UNIT * (length_of(SQUARES, scratch.point) + search.frame.reach) if roughly else 0.0
    sparing = share * (1.0 - ROUNDING_SHARE) if roughly else share
    scratch.nodes[0], scratch.least[0] = 0, -np.inf
    top = 1
    while top:
        top -= 1
        node = scratch.nodes[top]
        if scratch.least[top] > limit:
            continue
        if node < tree.first_leaf:
            walk.bound_children(search, i, node, False, scratch)
            top = walk.push_children(tree, node, limit, scratch, top)
            continue
        leaf = node - tree.first_leaf
        start = tree.starts[leaf]
        if not walk.filter_leaf(search, leaf, limit, scratch):
            continue
        for position in range(start, tree.starts[leaf + 1]):
            if walk.beyond(search, position - start, limit, scratch):
                continue
            if rough:
                distance = np.float64(scratch.tile[position - start])
                score = filtered_score(search, distance, slack, 1.0)
            else:
                score = walk.score_at(search, i, position, scratch)
            copies = walk.copies_at(tree, position)
            met += copies
            if np.isinf(score):
                continue
            if root:
                score = np.sqrt(score)
            if score < least:
                rescale = np.exp(score - least)
                total, filtered, least = total * rescale, filtered * rescale, score
            added = copies * np.exp(least - score)
            total += added
            if rough:
                filtered += added
        negligible = sparing * total / n
        limit = farthest_of_note(search, least, negligible, scratch)
        if roughly and limit < np.inf:
            most = filtered_score(search, limit, slack, 1.0)
            gap = most - filtered_score(search, limit, slack, -1.0)
            rough = np.expm1(gap + SCORE_ROUNDING * (1.0 + abs(most))) <= ROUNDING_SHARE * share
    # What is negligible only grows: nobody left out before was more than it is in the end.
    return least, total, negligible * (n - met) + ROUNDING_SHARE * share * filtered


@kernel()
def density_block(
    search: walk.SearchArrays, block: Ints, share: float, answers: Floats, scratch: walk.WalkScratch
) -> None:
    """Answer the queries in `block`: answers[i] becomes what `sum_over` returns."""
    for i in block:
        if scratch.stop[0]:
            return
        to_axes(search.frame, search.queries.rows[i], scratch.point, scratch.sums)
        least, total, left_out = sum_over(search, i, share, scratch)
        answers[i, 0], answers[i, 1], answers[i, 2] = least, total, left_out
