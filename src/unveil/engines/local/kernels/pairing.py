"""What listed pairs of records cost."""

from unveil.engines.local.kernels.costs import Terms, score_of
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import kernel


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
