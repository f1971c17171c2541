"""Intervals of error rates: their ends, and where the model is right their coverage."""

import numpy as np
import pytest

from unveil.attacks.probabilistic.decision_rule import ErrorLimits, WeighedPatterns, decision_rule
from unveil.attacks.probabilistic.error_intervals import (
    Rate,
    class_sums,
    error_rates,
    interval,
    simulated_errors,
)
from unveil.attacks.probabilistic.level_counts import count_levels
from unveil.values.links import ComparisonBlock


def test_log_odds_lead_back_to_the_rate():
    for rate in (Rate(0, 10), Rate(3, 10), Rate(10, 10), Rate(1e-3, 1e6)):
        assert rate.at(rate.log_odds) == pytest.approx(rate.share, abs=1e-12)
    assert Rate(0.0, 0.0).share == 0
    assert 0 <= Rate(0, 10).at(-50) <= Rate(0, 10).at(50) <= 1


def test_an_interval_holds_its_estimate_where_simulations_are_fair():
    differences = np.linspace(-1, 1, 199)
    rate = Rate(20, 400)
    low, high = interval(rate, differences)
    assert low < rate.share < high
    assert rate.log_odds - Rate(low * 400, 400).log_odds == pytest.approx(0.95, abs=0.01)


def test_an_interval_holds_its_estimate_where_hardly_any_error_is_expected():
    rate = Rate(2e-3, 160_000)
    low, high = interval(rate, np.full(199, -1e-4))  # no simulation has an error
    assert low <= rate.share == high


def test_a_known_model_errs_by_chance_only():
    """Nothing is estimated: the true rates differ from the expected ones as drawn counts do."""
    n = 50
    a, b = np.zeros((1, 1)), np.repeat([0.0, 1.0, 2.0], n)[:, None]
    everybody = [ComparisonBlock(np.arange(1), np.arange(3 * n))]
    patterns = count_levels(a, b, [(0.0, 1.0)], everybody)
    weights, limits = np.array([3.0, 0.0, -3.0]), ErrorLimits(0.05, 0.05)

    def known(other):
        return WeighedPatterns.of(weights, other.counts, 0.0)

    rng = np.random.default_rng(1)
    differences = simulated_errors(patterns, known(patterns), limits, known, rng)
    assert len(differences) == 199
    rule = decision_rule(known(patterns), limits)
    rates = error_rates(*class_sums(rule, known(patterns)))
    spread = 1 / np.sqrt(rates[1].errors)  # of the log of a Poisson count
    assert differences[:, 1].std() == pytest.approx(spread, rel=0.35)
    assert abs(differences[:, 1].mean()) < 0.3
