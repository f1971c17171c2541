"""The log of the sum of exp(-score) over all candidates, and what was left out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unveil.kernels.filters import NONE, least_score, to_axes
from unveil.kernels.jit import kernel, step
from unveil.kernels.walk import (
    bound_children,
    copies_at,
    leaves_below,
    push_children,
    records_below,
    score_at,
)

if TYPE_CHECKING:
    from unveil.kernels.arrays import Floats, Ints
    from unveil.kernels.walk import Scratch, Search


@step()
def sum_over(search: Search, i: int, share: float, scratch: Scratch) -> tuple[float, float, float]:
    """The least score met, the sum of exp(least - score), and what was left out of it.

    A box is left out when each of its records adds less than `share` of the sum so far
    over the number of records: so all that is left out is less than `share` of the sum.
    """
    tree, root = search.tree, search.terms.root
    least, total, left_out = np.inf, 0.0, 0.0
    n = tree.before[len(tree.before) - 1]
    scratch.nodes[0], scratch.least[0] = 0, 0.0
    top = 1
    while top:
        top -= 1
        node, bound = scratch.nodes[top], scratch.least[top]
        if total > 0.0:
            if search.frame.filter != NONE:
                bound = least_score(search.frame, scratch.point, bound)
            most = np.exp(least - (np.sqrt(bound) if root else bound))
            if most * n <= share * total:
                first, last = leaves_below(tree, node)
                left_out += most * records_below(tree, first, last)
                continue
        if node < tree.first_leaf:
            bound_children(search, i, node, scratch)
            top = push_children(tree, node, np.inf, scratch, top)
            continue
        leaf = node - tree.first_leaf
        for position in range(tree.starts[leaf], tree.starts[leaf + 1]):
            score = score_at(search, i, position, scratch)
            if np.isinf(score):
                continue
            if root:
                score = np.sqrt(score)
            if score < least:
                rescale = np.exp(score - least)
                total, left_out, least = total * rescale, left_out * rescale, score
            total += copies_at(tree, position) * np.exp(least - score)
    return least, total, left_out


@kernel()
def density_block(
    search: Search, block: Ints, share: float, answers: Floats, scratch: Scratch
) -> None:
    """Answer the queries in `block`: answers[i] becomes what `sum_over` returns."""
    for i in block:
        to_axes(search.frame, search.queries.rows[i], scratch.point, scratch.sums)
        least, total, left_out = sum_over(search, i, share, scratch)
        answers[i, 0], answers[i, 1], answers[i, 2] = least, total, left_out
