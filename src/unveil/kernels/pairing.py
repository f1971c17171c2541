"""What listed pairs of records cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unveil.kernels.costs import score_of
from unveil.kernels.jit import kernel

if TYPE_CHECKING:
    from unveil.kernels.arrays import Floats, Ints
    from unveil.kernels.costs import Terms


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
