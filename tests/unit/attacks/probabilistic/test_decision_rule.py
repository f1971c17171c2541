"""The decision rule by hand."""

import math

import numpy as np
import pytest

from unveil.attacks.probabilistic.decision_rule import ErrorLimits, WeighedPatterns, decision_rule
from unveil.attacks.probabilistic.fellegi_sunter import FellegiSunterModel
from unveil.attacks.probabilistic.level_counts import count_levels
from unveil.errors import SpecError
from unveil.values.links import ComparisonBlock


def three_levels():
    """One attribute, three levels: m = .7 .2 .1, u = .1 .2 .7, one match in two.

    Posterior probabilities are 7/8, 1/2, 1/8; of the others 1/12, 4/12, 7/12 have each level.
    """
    a, b = np.zeros((1, 1)), np.array([[0.0], [1.0], [2.0]])
    patterns = count_levels(a, b, [(0.0, 1.0)], [ComparisonBlock(np.arange(1), np.arange(3))])
    model = FellegiSunterModel(
        np.array([0.7, 0.2, 0.1]), np.array([0.1, 0.2, 0.7]), patterns.first, 0.5
    )
    return WeighedPatterns.of(model.weigh(patterns), patterns.counts, model.logit)


def test_thresholds_by_hand():
    patterns = three_levels()
    rule = decision_rule(patterns, ErrorLimits(0.1, 0.1))
    assert rule.details(patterns, 1) == {
        "link_threshold": pytest.approx(math.log2(7)),
        "nonlink_threshold": pytest.approx(-math.log2(7)),
        "linked_pairs": 1,
        "clerical_pairs": 1,
        "nonlinked_pairs": 1,
    }
    strict = decision_rule(patterns, ErrorLimits(0.05, 0.05)).details(patterns, 1)
    assert strict["link_threshold"] is strict["nonlink_threshold"] is None
    assert strict["clerical_pairs"] == 3
    decided = decision_rule(patterns, ErrorLimits(0.45, 0.1)).details(patterns, 10)
    assert (decided["linked_pairs"], decided["clerical_pairs"]) == (20, 0)


def test_limits_that_cross_are_told_what_can_be_met():
    patterns = three_levels()
    with pytest.raises(SpecError) as error:
        decision_rule(patterns, ErrorLimits(0.45, 0.45))
    said = str(error.value)
    assert "with P(LP|U) 0.45 and no review, P(NP|M) is 0.0833" in said
    assert "with P(NP|M) 0.45 and no review, P(LP|U) is 0.0833: give p_link_unmatched" in said
    decision_rule(patterns, ErrorLimits(0.45, 0.0833))
    decision_rule(patterns, ErrorLimits(0.0833, 0.45))
    rule = decision_rule(patterns, ErrorLimits(0.45, 0.45), strict=False)
    assert rule.classes(patterns.weights).tolist() in ([0, 0, 2], [2, 0, 0])
