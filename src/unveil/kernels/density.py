"""The log of the sum of exp(-score) over all candidates, and what was left out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unveil.kernels.filters import thresholds, to_axes
from unveil.kernels.jit import kernel, part, step
from unveil.kernels.walk import (
    beyond,
    bound_children,
    copies_at,
    filter_leaf,
    push_children,
    score_at,
)

if TYPE_CHECKING:
    from unveil.kernels.arrays import Floats, Ints
    from unveil.kernels.walk import Scratch, Search


@part()
def farthest_of_note(search: Search, least: float, negligible: float, scratch: Scratch) -> float:
    """The bound, or filtered distance, beyond which exp(least - score) is negligible."""
    if negligible <= 0.0:
        return np.inf
    score = least - np.log(negligible)
    if search.terms.root:
        score = max(score, 0.0) ** 2
    return thresholds(search.frame, search.terms, score, scratch.point)[1]


@step()
def sum_over(search: Search, i: int, share: float, scratch: Scratch) -> tuple[float, float, float]:
    """The least score met, the sum of exp(least - score), and what was left out of it.

    A record is left out when it adds less than `share` of the sum so far over the number
    of records: so all that is left out is less than `share` of the sum.
    """
    tree, root = search.tree, search.terms.root
    least, total = np.inf, 0.0
    negligible, limit = 0.0, np.inf
    n = tree.before[len(tree.before) - 1]
    met = 0  # records whose score was looked at
    scratch.nodes[0], scratch.least[0] = 0, -np.inf
    top = 1
    while top:
        top -= 1
        node = scratch.nodes[top]
        if scratch.least[top] > limit:
            continue
        if node < tree.first_leaf:
            bound_children(search, i, node, False, scratch)
            top = push_children(tree, node, limit, scratch, top)
            continue
        leaf = node - tree.first_leaf
        start = tree.starts[leaf]
        if not filter_leaf(search, leaf, limit, scratch):
            continue
        for position in range(start, tree.starts[leaf + 1]):
            if beyond(search, position - start, limit, scratch):
                continue
            score = score_at(search, i, position, scratch)
            copies = copies_at(tree, position)
            met += copies
            if np.isinf(score):
                continue
            if root:
                score = np.sqrt(score)
            if score < least:
                rescale = np.exp(score - least)
                total, least = total * rescale, score
            total += copies * np.exp(least - score)
        negligible = share * total / n
        limit = farthest_of_note(search, least, negligible, scratch)
    # What is negligible only grows: nobody left out before was more than it is in the end.
    return least, total, negligible * (n - met)


@kernel()
def density_block(
    search: Search, block: Ints, share: float, answers: Floats, scratch: Scratch
) -> None:
    """Answer the queries in `block`: answers[i] becomes what `sum_over` returns."""
    for i in block:
        if scratch.stop[0]:
            return
        to_axes(search.frame, search.queries.rows[i], scratch.point, scratch.sums)
        least, total, left_out = sum_over(search, i, share, scratch)
        answers[i, 0], answers[i, 1], answers[i, 2] = least, total, left_out
