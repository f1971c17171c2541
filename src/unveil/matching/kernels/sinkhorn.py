"""Sinkhorn's scaling: a matrix scaled until its rows and columns have the required sums.

Few pairs are listed line by line; all pairs are a matrix of 32 or 64 bits. Sums have 64 bits and
are added in blocks that do not depend on the number of threads.
"""

from math import exp, inf
from typing import Any

from numpy.typing import NDArray

from unveil.support.arrays import Floats, Ints
from unveil.support.compile import kernel

MIN_SCALING, MAX_SCALING = 1e-140, 1e140  # that products can still be formed of

Matrix = NDArray[Any]  # of 32 or 64 bits


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
    """Set out[i] to the factor that scales the sum of line i to 1.

    The entries of line i start at starts[i]: weights, each times the size and the scaling of the
    crossing line; spare[i] is added. Returns the largest distance of a sum from 1 with the old
    out[i].
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


@kernel()
def likelihoods(
    costs: Matrix, least: Floats, rate: float, least_log: float, out: Matrix, start: int, stop: int
) -> None:
    """exp(-rate * (cost - least cost of its column)), at least exp(least_log)."""
    for i in range(start, stop):
        for j in range(costs.shape[1]):
            cost = costs[i, j]
            out[i, j] = 0.0 if cost == inf else exp(max(-rate * (cost - least[j]), least_log))


@kernel()
def scale_rows(
    weights: Matrix,
    across: Floats,
    spare: Floats,
    supply: Floats,
    out: Floats,
    sums: Floats,
    start: int,
    stop: int,
) -> float:
    """Scale the rows of a matrix as `scale` does, and add the scaled rows to the columns' sums.

    `across` is the size times the scaling of each column.
    """
    worst = 0.0
    width = weights.shape[1]
    for i in range(start, stop):
        # Four sums: each addition waits for the one before it.
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        whole = width - width % 4
        for j in range(0, whole, 4):
            a += weights[i, j] * across[j]
            b += weights[i, j + 1] * across[j + 1]
            c += weights[i, j + 2] * across[j + 2]
            d += weights[i, j + 3] * across[j + 3]
        for j in range(whole, width):
            a += weights[i, j] * across[j]
        total = spare[i] + ((a + b) + (c + d))
        if total <= MIN_SCALING:
            out[i] = 0.0
            continue
        worst = max(worst, abs(total * out[i] - 1.0))
        out[i] = min(max(1.0 / total, MIN_SCALING), MAX_SCALING)
        amount = supply[i] * out[i]
        for j in range(width):
            sums[j] += weights[i, j] * amount
    return worst


@kernel()
def multiply(weights: Matrix, rows: Floats, columns: Floats, start: int, stop: int) -> None:
    """Multiply each entry by the scalings of its row and its column."""
    for i in range(start, stop):
        for j in range(weights.shape[1]):
            weights[i, j] = weights[i, j] * (rows[i] * columns[j])


@kernel()
def expected_costs(
    costs: Matrix,
    probability: Matrix,
    capacity: Floats,
    sums: Floats,
    matched: Floats,
    start: int,
    stop: int,
) -> None:
    """For each row, the sums over possible pairs of cost times probability, and of probability."""
    for i in range(start, stop):
        cost, total = 0.0, 0.0
        for j in range(costs.shape[1]):
            if costs[i, j] < inf:
                weight = capacity[j] * probability[i, j]
                cost += weight * costs[i, j]
                total += weight
        sums[i], matched[i] = cost, total
