"""The nearest candidates, and how many tie with the best."""

from typing import NamedTuple

import numpy as np

from unveil.engines.local.kernels import walk
from unveil.engines.local.kernels.costs import compare
from unveil.engines.local.kernels.filters import NONE, thresholds, to_axes
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import kernel, part, step
from unveil.values.search_results import Neighbours

LARGEST_SCORE = float(np.finfo(np.float64).max)


class Shortlist(NamedTuple):
    """Room for the k nearest distinct rows of one query, and for the keys of its answer."""

    first: Ints  # the first record of each
    scores: Floats
    places: Floats  # positions in the tree
    keys: Floats


@part()
def enter(
    rows: Ints, keys: Floats, carried: Floats, filled: int, row: int, key: float, carry: float
) -> int:
    """Keep the smallest by (key, row), ascending, and what they carry; returns how many."""
    at = filled
    if filled == len(rows):
        at -= 1
        if not (key < keys[at] or (key == keys[at] and row < rows[at])):
            return filled
    while at > 0 and (key < keys[at - 1] or (key == keys[at - 1] and row < rows[at - 1])):
        rows[at], keys[at], carried[at] = rows[at - 1], keys[at - 1], carried[at - 1]
        at -= 1
    rows[at], keys[at], carried[at] = row, key, carry
    return min(filled + 1, len(rows))


@part()
def enter_records(
    search: walk.SearchArrays, at: int, key: float, answer: tuple[Ints, Floats, Floats], filled: int
) -> int:
    """Enter the records that are the row at a position, as many as there is room for."""
    rows, keys, scores = answer
    start = search.tree.before[at]
    for record in range(start, min(search.tree.before[at + 1], start + len(rows))):
        filled = enter(rows, keys, scores, filled, search.candidates.records[record], key, at)
    return filled


@part()
def distance_at(search: walk.SearchArrays, i: int, at: int, scratch: walk.WalkScratch) -> float:
    """What candidates are ordered by: for Euclid the distance, but whole numbers squared."""
    score = walk.score_at(search, i, at, scratch)
    return np.sqrt(score) if search.terms.root and not search.terms.exact else score


@part()
def limit_of(search: walk.SearchArrays, distance: float, scratch: walk.WalkScratch) -> float:
    """The bound, or filtered distance, beyond which nothing ties with this distance."""
    rooted = search.terms.root and not search.terms.exact
    score = distance * distance if rooted else distance
    return thresholds(search.frame, search.terms, score, scratch.point)[1]


@step()
def shortlist_nearest(
    search: walk.SearchArrays, i: int, short: Shortlist, scratch: walk.WalkScratch
) -> int:
    """The distinct rows with the lowest finite scores; returns how many."""
    tree = search.tree
    # Impossible candidates are never listed, not even where a block has fewer than the list.
    filled, limit = 0, np.inf if search.frame.filter != NONE else LARGEST_SCORE
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
        if not walk.filter_leaf(search, leaf, limit, scratch):
            continue
        for at in range(tree.starts[leaf], tree.starts[leaf + 1]):
            if walk.beyond(search, at - tree.starts[leaf], limit, scratch):
                continue
            score, first = distance_at(search, i, at, scratch), search.candidates.first[at]
            if np.isinf(score):
                continue
            filled = enter(short.first, short.scores, short.places, filled, first, score, at)
            if filled == len(short.first):
                limit = limit_of(search, short.scores[filled - 1], scratch)
    return filled


@step()
def gather_ties(
    search: walk.SearchArrays,
    i: int,
    best: float,
    answer: tuple[Ints, Floats, Floats],
    scratch: walk.WalkScratch,
) -> tuple[int, int]:
    """Records that tie with the best score, lowest rows first.

    Returns how many were kept and how many there are.
    """
    tree = search.tree
    filled, tied = 0, 0
    limit = limit_of(search, best, scratch)
    scratch.nodes[0] = 0
    top = 1
    while top:
        top -= 1
        node = scratch.nodes[top]
        if node < tree.first_leaf:
            walk.bound_children(search, i, node, False, scratch)
            top = walk.push_children(tree, node, limit, scratch, top)
            continue
        leaf = node - tree.first_leaf
        if not walk.filter_leaf(search, leaf, limit, scratch):
            continue
        for at in range(tree.starts[leaf], tree.starts[leaf + 1]):
            if walk.beyond(search, at - tree.starts[leaf], limit, scratch):
                continue
            if compare(search.terms, distance_at(search, i, at, scratch), best) == 0:
                filled = enter_records(search, at, -np.inf, answer, filled)
                tied += walk.copies_at(tree, at)
    return filled, tied


@kernel()
def nearest_block(
    search: walk.SearchArrays,
    block: Ints,
    result: Neighbours,
    short: Shortlist,
    scratch: walk.WalkScratch,
) -> None:
    """Answer the queries in `block`: first what ties with the best by row, then by score."""
    for i in block:
        if scratch.stop[0]:
            return
        to_axes(search.frame, search.queries.rows[i], scratch.point, scratch.sums)
        near = shortlist_nearest(search, i, short, scratch)
        if near == 0:
            continue
        answer = result.rows[i], short.keys, result.scores[i]
        best = short.scores[0]
        filled, result.n_best[i] = gather_ties(search, i, best, answer, scratch)
        for each in range(near):
            if compare(search.terms, short.scores[each], best) != 0:
                at = int(short.places[each])
                filled = enter_records(search, at, short.scores[each], answer, filled)
        for each in range(filled):  # what was carried so far are positions
            at = int(result.scores[i, each])
            result.scores[i, each] = distance_at(search, i, at, scratch)
