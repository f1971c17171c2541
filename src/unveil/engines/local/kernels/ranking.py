"""How many candidates are nearer than the true one, and how many tie with it.

The true distance is known and bounds the search: a record that is not re-identified is
refuted by the first nearer candidate, one that is needs only the ball around it.
"""

import numpy as np

from unveil.engines.local.kernels import walk
from unveil.engines.local.kernels.costs import against
from unveil.engines.local.kernels.filters import NONE, thresholds, to_axes
from unveil.engines.local.kernels.tree import FAN, leaf_at
from unveil.support.arrays import Ints
from unveil.support.compile import kernel, step


@step()
def count_leaf(
    search: walk.SearchArrays,
    i: int,
    judge: tuple[float, float, float],
    leaf: int,
    scratch: walk.WalkScratch,
) -> tuple[int, int]:
    """Records of a leaf nearer to query i than the truth, and those tied with it.

    `judge` is the true score and the two thresholds of the filter.
    """
    tree, (truth, sure, maybe) = search.tree, judge
    start, end = tree.starts[leaf], tree.starts[leaf + 1]
    nearer, tied = 0, 0
    if not walk.filter_leaf(search, leaf, maybe, scratch):
        end = start
    for position in range(start, end):
        if walk.beyond(search, position - start, maybe, scratch):
            continue
        if search.frame.filter != NONE and scratch.tile[position - start] < sure:
            nearer += walk.copies_at(tree, position)
            continue
        verdict = against(search.terms, walk.score_at(search, i, position, scratch), truth)
        if verdict < 0:
            nearer += walk.copies_at(tree, position)
        elif verdict == 0:
            tied += walk.copies_at(tree, position)
    return nearer, tied


@step()
def count_whole(
    search: walk.SearchArrays,
    i: int,
    node: int,
    home: int,
    judge: tuple[float, float, float],
    scratch: walk.WalkScratch,
) -> tuple[int, int]:
    """Records in children that are wholly nearer, or wholly tied: counted, not entered.

    The child with the leaf `home`, counted before, is left to be entered.
    """
    tree, terms, (truth, sure, _) = search.tree, search.terms, judge
    nearer, tied = 0, 0
    walk.bound_children(search, i, node, True, scratch)
    for c in range(walk.children(tree, node)):
        all_nearer = scratch.corners[c] < sure
        all_tied = (
            search.frame.filter == NONE
            and against(terms, scratch.bounds[c], truth) == 0
            and against(terms, scratch.corners[c], truth) == 0
        )
        if all_nearer or all_tied:
            first, last = walk.leaves_below(tree, FAN * node + 1 + c)
            if not first <= home < last:
                nearer += walk.records_below(tree, first, last) if all_nearer else 0
                tied += walk.records_below(tree, first, last) if all_tied else 0
                scratch.bounds[c] = np.nan  # no limit lets it in
    return nearer, tied


@step()
def count_nearer(
    search: walk.SearchArrays, i: int, truth: int, stop_at: int, scratch: walk.WalkScratch
) -> tuple[int, int]:
    """Candidates nearer than the one at position `truth`, up to stop_at (0: all), and ties.

    -1 and 0 where that one is impossible.
    """
    tree = search.tree
    to_axes(search.frame, search.queries.rows[i], scratch.point, scratch.sums)
    score = walk.score_at(search, i, truth, scratch)
    if score == np.inf:  # an impossible truth is never found
        return -1, 0
    sure, maybe = thresholds(search.frame, search.terms, score, scratch.point)
    judge = score, sure, maybe
    # First the leaf of the truth: most records that are not re-identified are refuted there.
    home = leaf_at(tree.starts, truth)
    nearer, tied = count_leaf(search, i, judge, home, scratch)
    scratch.nodes[0] = 0
    top = 1
    while top and not (stop_at and nearer >= stop_at):
        top -= 1
        node = scratch.nodes[top]
        if node < tree.first_leaf:
            walk.bound_children(search, i, node, False, scratch)
            if stop_at == 0 or search.frame.filter == NONE:
                more = count_whole(search, i, node, home, judge, scratch)
                nearer, tied = nearer + more[0], tied + more[1]
            top = walk.push_children(tree, node, maybe, scratch, top)
        elif node - tree.first_leaf != home:
            more = count_leaf(search, i, judge, node - tree.first_leaf, scratch)
            nearer, tied = nearer + more[0], tied + more[1]
    return nearer, tied


@kernel()
def rank_block(
    search: walk.SearchArrays,
    truth: Ints,
    block: Ints,
    stop_at: int,
    answers: Ints,
    scratch: walk.WalkScratch,
) -> None:
    """Answer the queries in `block`: answers[i] becomes (nearer, tied).

    truth[i] is the position of the true candidate, whose own record is no tie. A count that
    was stopped is (stop_at, -1).
    """
    for i in block:
        if scratch.stop[0]:
            return
        nearer, tied = count_nearer(search, i, truth[i], stop_at, scratch)
        stopped = stop_at > 0 and nearer >= stop_at
        answers[i, 0] = stop_at if stopped else nearer
        answers[i, 1] = -1 if stopped else tied - 1
