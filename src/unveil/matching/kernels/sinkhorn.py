"""Sinkhorn's scaling: a matrix scaled until its rows and columns have the sums they should."""

from unveil.support.arrays import Floats, Ints
from unveil.support.compile import kernel

MIN_SCALING, MAX_SCALING = 1e-140, 1e140  # that products can still be formed of


@kernel()
def scale(
    starts: Ints,
    others: Ints,
    weights: Floats,
    sizes: Floats,
    scaling: Floats,
    spare: Floats,
    out: Floats,
    start: int,
    stop: int,
) -> float:
    """out[i] becomes what line i is to be multiplied with so that its sum is 1.

    Line i has the entries from starts[i] on: weights, each times the size and the scaling
    of the line that crosses it there, and spare[i] besides. Returns how far from 1 the sum
    was with the old out[i], at most.
    """
    worst = 0.0
    for i in range(start, stop):
        total = spare[i]
        for e in range(starts[i], starts[i + 1]):
            total += weights[e] * (sizes[others[e]] * scaling[others[e]])
        if total <= MIN_SCALING:  # nobody is possible
            out[i] = 0.0
            continue
        worst = max(worst, abs(total * out[i] - 1.0))
        out[i] = min(max(1.0 / total, MIN_SCALING), MAX_SCALING)
    return worst
