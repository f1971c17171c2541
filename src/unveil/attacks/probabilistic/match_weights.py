"""Match weights: the metric that searches for the heaviest pairs."""

from collections.abc import Sequence

import numpy as np

from unveil.attacks.probabilistic.comparisons import AttributeComparison
from unveil.attacks.probabilistic.decision_rule import ROUNDING
from unveil.engines.metric import Cost, Metric, levels, listed, prorated, table
from unveil.support.arrays import Floats

STEP = 1e-6  # the least by which a level costs more than the one before
PRORATED_UP_TO = 2.0  # times the last tolerance, where the largest gap is not given


def weight_metric(
    comparisons: Sequence[AttributeComparison], weights: Sequence[Floats], *, prorate: bool
) -> Metric:
    """The sum over attributes of their largest weight less the level's; a missing cell weighs 0."""
    pairs = zip(comparisons, weights, strict=True)
    return Metric(tuple(_cost(one, own, prorate=prorate) for one, own in pairs))


def _cost(one: AttributeComparison, weights: Floats, *, prorate: bool) -> Cost:
    missing = max(float(weights.max()), 0.0)
    costs = weights.max() - weights
    if one.equality and costs[0] > ROUNDING:  # to differ is evidence for a match: no gap says so
        codes = int(np.fmax.reduce(np.concatenate([one.intruder, one.released]), initial=0)) + 1
        same = np.eye(codes, dtype=bool)
        return table(np.where(same, costs[0], costs[1]), missing=missing)
    # Levels of equal weight still go by closeness: the nearer is first.
    steps = STEP * np.arange(len(costs))
    ascending = (np.maximum.accumulate(costs - steps) + steps).tolist()
    ends = one.tolerances
    if one.pairs is not None:
        own = np.array(ascending)[one.pairs.values.astype(np.int64)]
        return listed(one.pairs.with_values(own), ascending[-1], missing=missing)
    if not prorate or one.kind != "numbers" or one.equality:
        return levels(ends, ascending, missing=missing)
    # A level has its cost where it ends, the last one at the largest gap. In between, costs go by
    # closeness. Equality, if it is a level, is better than any gap, however small.
    equal = None
    if ends[0] == 0:
        equal, ends, ascending = ascending[0], ends[1:], ascending[1:]
    last = PRORATED_UP_TO * ends[-1] if one.farthest is None else one.farthest
    return prorated([0.0, *ends[1:], last], ascending, equal=equal, missing=missing)
