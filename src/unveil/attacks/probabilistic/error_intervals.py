"""Intervals of the error rates of decisions, by a bootstrap of the estimated model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from unveil.attacks.probabilistic.decision_rule import (
    LINKED,
    NONLINKED,
    DecisionRule,
    ErrorLimits,
    WeighedPatterns,
    decision_rule,
)
from unveil.attacks.probabilistic.level_patterns import LevelPatterns
from unveil.support.arrays import Floats

CONFIDENCE = 0.95
FEW_SIMULATIONS, SIMULATIONS = 49, 199
PATTERNS_REFITTED = 4 * 10**7  # over all simulations, which are fewer where patterns are many

Refit = Callable[[LevelPatterns], WeighedPatterns]  # the model of other counts


class Rate(NamedTuple):
    """The number of errors among the pairs at risk of one."""

    errors: float
    of: float

    @property
    def share(self) -> float:
        """The rate."""
        return self.errors / self.of if self.of else 0.0

    @property
    def log_odds(self) -> float:
        """The log odds of the rate; half a pair is added to either side, so they are finite."""
        return float(np.log(self.errors + 0.5) - np.log(max(self.of - self.errors, 0.0) + 0.5))

    def at(self, log_odds: float) -> float:
        """The rate with these log odds, of the same number of pairs."""
        share = 1 / (1 + np.exp(-log_odds))
        return float(np.clip((share * (self.of + 1) - 0.5) / max(self.of, 1), 0.0, 1.0))


def class_sums(rule: DecisionRule, patterns: WeighedPatterns) -> Floats:
    """The pairs of each class, and the matches expected among them."""
    classes = rule.classes(patterns.weights)
    parts = (patterns.pairs, patterns.matches)
    return np.array([np.bincount(classes, part, minlength=3) for part in parts])


def error_rates(pairs: Floats, matches: Floats) -> tuple[Rate, Rate]:
    """P(LP|U) and P(NP|M), given the pairs and the matches of each class."""
    others = np.maximum(pairs - matches, 0.0)
    rates = (others[LINKED], others.sum()), (matches[NONLINKED], matches.sum())
    linked, unlinked = (Rate(float(errors), float(of)) for errors, of in rates)
    return linked, unlinked


def n_simulations(patterns: int) -> int:
    """So many, fewer where patterns are many."""
    return int(np.clip(PATTERNS_REFITTED // max(patterns, 1), FEW_SIMULATIONS, SIMULATIONS))


def simulated_errors(
    patterns: LevelPatterns,
    weighed: WeighedPatterns,
    limits: ErrorLimits,
    refit: Refit,
    rng: np.random.Generator,
) -> Floats:
    """Log odds of the true error rates minus those of the estimates, one simulation per row.

    The matches and the other pairs of each pattern are drawn from Poisson laws with the expected
    counts. The model is estimated from their sum, as from files whose truth is not known, and the
    rule is chosen by it. The drawn matches then give its true error rates.
    """
    runs = n_simulations(len(patterns))
    differences = np.empty((runs, 2))
    for run in range(runs):
        matches = rng.poisson(weighed.matches).astype(np.float64)
        others = rng.poisson(np.maximum(weighed.pairs - weighed.matches, 0.0))
        counts = matches + others
        again = refit(replace(patterns, counts=counts))
        rule = decision_rule(again, limits, strict=False)
        drawn = again._replace(matches=matches)
        rates = (error_rates(*class_sums(rule, truth)) for truth in (drawn, again))
        differences[run] = [
            true.log_odds - guess.log_odds for true, guess in zip(*rates, strict=True)
        ]
    return differences


def interval(rate: Rate, differences: Floats) -> tuple[float, float]:
    """The interval of the true rate, from the distances of simulated rates to their estimates.

    It holds the estimate: where a fraction of an error is expected, nearly all simulations have
    none, and both quantiles are below the estimate.
    """
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(differences, [tail, 1 - tail], method="weibull")
    ends = rate.at(rate.log_odds + low), rate.at(rate.log_odds + high)
    return min(ends[0], rate.share), max(ends[1], rate.share)
