"""Match weights: the metric that searches for the heaviest pairs, and the decision thresholds."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from unveil.attacks.probabilistic.comparisons import AttributeComparison
from unveil.attacks.probabilistic.fellegi_sunter import FellegiSunterModel
from unveil.attacks.probabilistic.level_patterns import LevelPatterns
from unveil.engines.metric import Cost, Metric, levels, listed, prorated, table
from unveil.errors import SpecError
from unveil.support.arrays import Floats

ROUNDING = 1e-9  # the largest difference of equal weights
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


def thresholds(
    patterns: LevelPatterns,
    model: FellegiSunterModel,
    *,
    p_link_unmatched: float,
    p_nonlink_matched: float,
    pairs_each: float = 1.0,
) -> dict[str, Any]:
    """The thresholds that bound both error rates, and the numbers of pairs in each class.

    Fellegi and Sunter (1969), Section 2: patterns in the order of their weight; from the top as
    many are linked as P(LP|U) allows, from the bottom as many are not linked as P(NP|M) allows.
    Both are estimated from the counted pairs, each a match with its posterior probability;
    `pairs_each` is the number of pairs that a counted one represents.
    """
    weight = patterns.weigh(model.weights())
    odds = np.clip(weight + model.logit, -700, 700)
    matched = patterns.counts / (1 + np.exp(-odds))
    unmatched = patterns.counts / (1 + np.exp(odds))
    order = np.argsort(-weight, kind="stable")
    heavy = weight[order]
    starts = np.flatnonzero(np.diff(heavy, prepend=np.inf) < -ROUNDING)
    pairs, m, u = (
        np.add.reduceat(values[order], starts) for values in (patterns.counts, matched, unmatched)
    )
    wrong = np.cumsum(u) / max(u.sum(), 1e-300)
    missed = np.cumsum(m[::-1])[::-1] / max(m.sum(), 1e-300)
    linked = int((wrong <= p_link_unmatched * (1 + ROUNDING)).sum())
    unlinked = int((missed <= p_nonlink_matched * (1 + ROUNDING)).sum())
    if linked + unlinked > len(starts):
        raise SpecError(
            "probabilistic: the thresholds cross: such large error rates leave pairs that are "
            "both linked and non-linked; lower p_link_unmatched or p_nonlink_matched"
        )
    bits, middle = heavy[starts] / np.log(2), len(starts) - unlinked

    def n_pairs(first: int, last: int) -> int:
        return round(float(pairs[first:last].sum()) * pairs_each)

    return {
        "link_threshold": float(bits[linked - 1]) if linked else None,
        "nonlink_threshold": float(bits[middle]) if unlinked else None,
        "linked_pairs": n_pairs(0, linked),
        "clerical_pairs": n_pairs(linked, middle),
        "nonlinked_pairs": n_pairs(middle, len(starts)),
    }
