"""What the levels of a comparison cost in the search for the likeliest candidate."""

from collections.abc import Sequence

import numpy as np

from unveil.attacks.probabilistic.comparisons import AttributeComparison
from unveil.engines.metric import Cost, Metric, levels, prorated, table
from unveil.support.arrays import Floats

ROUNDING = 1e-9  # levels that were pooled may differ by less
STEP = 1e-6  # what a level costs more than the one before, at the least
BEYOND = 2.0  # at so many times the last tolerance a gap is as far as any


def metric_of(
    comparisons: Sequence[AttributeComparison], weights: Sequence[Floats], *, prorate: bool
) -> Metric:
    """The sum over attributes of their largest weight less the weight of the level.

    What is missing weighs 0.
    """
    pairs = zip(comparisons, weights, strict=True)
    return Metric(tuple(_cost(one, own, prorate=prorate) for one, own in pairs))


def _cost(one: AttributeComparison, weights: Floats, *, prorate: bool) -> Cost:
    missing = max(float(weights.max()), 0.0)
    costs = weights.max() - weights
    if one.equality and costs[0] > ROUNDING:  # to differ speaks for a match: no gap says so
        codes = int(np.fmax.reduce(np.concatenate([one.intruder, one.released]), initial=0)) + 1
        equal = np.eye(codes, dtype=bool)
        return table(np.where(equal, costs[0], costs[1]), missing=missing)
    # Levels that weigh the same still go by closeness: of equals, the nearer is first.
    steps = STEP * np.arange(len(costs))
    costs = np.maximum.accumulate(costs - steps) + steps
    if prorate and one.kind == "numbers" and not one.equality:
        return _prorated(one.tolerances, one.far, costs.tolist(), missing)
    return levels(one.tolerances, costs.tolist(), missing=missing)


def _prorated(
    ends: tuple[float, ...], far: float | None, costs: list[float], missing: float
) -> Cost:
    """The cost of a level where it ends, and in between by closeness.

    The first level's at no gap, and the last one's at twice the last tolerance, or where it is
    said that none is farther. To be equal, where that is a level of its own, is better than any
    gap, however small.
    """
    equal = None
    if ends[0] == 0:
        equal, ends, costs = costs[0], ends[1:], costs[1:]
    last = BEYOND * ends[-1] if far is None else far
    return prorated([0.0, *ends[1:], last], costs, equal=equal, missing=missing)
