"""Fellegi and Sunter's model of comparison levels, and its parameters by EM.

A match has level l in attribute j with probability m[j, l], a non-match with u[j, l],
independently of other attributes. The weight of a level is log(m / u). The levels of all
attributes are in one array, each attribute's from agreement to disagreement.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from unveil.attacks.probabilistic.level_patterns import ExpectedMatches, LevelPatterns
from unveil.support.arrays import Bools, Floats, Ints

TINY = 1e-300  # a probability whose logarithm is still a number
MOST_WEIGHT = float(np.log(1e12))  # an estimate of 0 excludes nobody
NOTHING = ExpectedMatches(0.0, np.zeros(()), 0.0)
START_AGREEMENT = 0.9  # the share of matches that agree, at the start


@dataclass(frozen=True)
class EstimationRules:
    """How the parameters are estimated."""

    constrained: bool = True  # m / u does not rise from agreement to disagreement
    estimate_prior: bool = False
    estimate_u: bool = False
    smoothing: float = 1.0  # matches added, distributed over the levels as all pairs are
    iterations: int = 1000
    tolerance: float = 1e-5


@dataclass(frozen=True, repr=False, eq=False)
class FellegiSunterModel:
    """The parameters of the model, and the steps of EM."""

    m: Floats
    u: Floats
    first: Ints  # where the levels of each attribute begin, and their end
    prior: float
    path: list[float] = field(default_factory=list)  # log-likelihoods, smoothing included
    converged: bool = False

    @property
    def logit(self) -> float:
        """The logarithm of the prior odds."""
        return float(_log(self.prior) - _log(1 - self.prior))

    def weights(self) -> Floats:
        """log(m / u), bounded; a level without pairs has its neighbour's weight."""
        known = (self.m > 0) | (self.u > 0)
        weights = np.clip(_log(self.m) - _log(self.u), -MOST_WEIGHT, MOST_WEIGHT)
        parts = zip(self.by_attribute(weights), self.by_attribute(known), strict=True)
        return np.concatenate([_filled(own, there) for own, there in parts])

    def weigh(self, patterns: LevelPatterns) -> Floats:
        """The match weight of each pattern, in nats."""
        return patterns.weigh(self.weights())

    def by_attribute(self, values: Floats | Bools) -> list[Floats]:
        """The values of all levels, split by attribute."""
        return np.split(values, self.first[1:-1])


@dataclass(frozen=True, repr=False, eq=False)
class LabelledPairs:
    """Pairs that are known to be matches or non-matches."""

    matches: LevelPatterns
    others: LevelPatterns
    counted: bool = True  # whether they are among the pairs that the model is fitted to

    def known(self, expected: ExpectedMatches, weights: Floats, logit: float) -> ExpectedMatches:
        """The expectation with the labels of these pairs in place of their posterior."""
        matches, levels, logs = expected
        for patterns, known in ((self.matches, 1.0), (self.others, 0.0)):
            if not len(patterns):
                continue
            guess = patterns.expect(weights, logit) if self.counted else NOTHING
            matches += known * patterns.pairs - guess.matches
            levels = levels + known * patterns.totals() - guess.levels
            odds = patterns.weigh(weights) + logit
            logs += known * float(patterns.counts @ odds) - guess.logs
        return ExpectedMatches(matches, np.maximum(levels, 0.0), logs)


def initial_model(
    u: Floats, first: Ints, prior: float, *, constrained: bool = True
) -> FellegiSunterModel:
    """The start: nine of ten matches agree, and closer levels are more probable."""
    parts = []
    for own in np.split(u, first[1:-1]):
        nearer = own[:-1] * np.arange(len(own) - 1, 0, -1)
        m = own
        if nearer.sum() > 0:
            share = START_AGREEMENT if own[-1] > 0 else 1.0
            m = np.append(share * nearer / nearer.sum(), 1 - share)
        parts.append(decreasing_ratios(m, own) * own if constrained else m)
    return FellegiSunterModel(np.concatenate(parts), u, first, prior)


def estimate(
    patterns: LevelPatterns,
    u: Floats,
    prior: float,
    rules: EstimationRules,
    *,
    labelled: LabelledPairs | None = None,
    start: FellegiSunterModel | None = None,
) -> FellegiSunterModel:
    """Estimate m, and by the rules u and the prior, by EM in log space.

    Fellegi and Sunter (1969), Jaro (1989). `u` is the distribution of all pairs over the levels of
    each attribute, `prior` the share of matches among the pairs, or its start. Under the order
    constraint the M-step pools adjacent levels that violate it to one ratio. That is the
    constrained maximum, so the likelihood never falls: of m / u where u is given (isotonic
    regression of a / u, with weights u), of both where it is not (of a / (a + b), with weights
    a + b; Dykstra, Kochar and Robertson, 1995), where a and b are the expected matches and other
    pairs of each level.

    `labelled` pairs have posterior 1 or 0. The selection of labelled pairs may depend on their
    pattern, as in a review of the pairs between two thresholds. Given the pattern, it is then
    independent of the match status, and the likelihood needs no correction (Rubin, 1976).
    """
    known = _CountedLevels(patterns.totals(), u, patterns.first, patterns.pairs)
    model = start or initial_model(u, patterns.first, prior, constrained=rules.constrained)
    path: list[float] = []
    while True:
        weights = _log(model.m) - _log(model.u)
        expected = patterns.expect(weights, model.logit)
        if labelled is not None:
            expected = labelled.known(expected, weights, model.logit)
        path.append(known.likelihood(model, expected, rules))
        if len(path) > rules.iterations:
            return replace(model, path=path)
        after = known.maximise(model, expected, rules)
        changes = np.abs(np.concatenate([after.m - model.m, after.u - model.u]))
        prior_change = abs(after.prior / max(model.prior, TINY) - 1)
        if max(float(changes.max()), prior_change) <= rules.tolerance:
            return replace(model, path=path, converged=True)
        model = after


@dataclass(frozen=True, repr=False, eq=False)
class _CountedLevels:
    """The counts of pairs to which EM fits the parameters."""

    totals: Floats  # pairs of each level
    spread: Floats  # their shares, of all pairs where the counted ones are a sample
    first: Ints
    pairs: float

    def likelihood(
        self, model: FellegiSunterModel, expected: ExpectedMatches, rules: EstimationRules
    ) -> float:
        total = expected.logs + self.pairs * float(_log(1 - model.prior))
        total += float(self.totals @ _log(model.u))
        smoothed = _log(model.m) + (_log(model.u) if rules.estimate_u else 0.0)
        return total + rules.smoothing * float(self.spread @ smoothed)

    def maximise(
        self, model: FellegiSunterModel, expected: ExpectedMatches, rules: EstimationRules
    ) -> FellegiSunterModel:
        """The M-step."""
        a = expected.levels + rules.smoothing * self.spread
        against = self.spread
        if rules.estimate_u:
            others = np.maximum(self.totals - expected.levels, 0.0) + rules.smoothing * self.spread
            against = a + others
        ratio = _ratio(a, against)
        if rules.constrained:
            self._pool(ratio, a, against)
        m = self._shares(ratio * against, model.m)
        u = self._shares((1 - ratio) * against, model.u) if rules.estimate_u else model.u
        estimated = rules.estimate_prior and self.pairs > 0
        prior = expected.matches / self.pairs if estimated else model.prior
        return FellegiSunterModel(m, u, self.first, prior)

    def _pool(self, ratio: Floats, a: Floats, against: Floats) -> None:
        rises = np.flatnonzero((ratio[1:] > ratio[:-1]) | (against[1:] <= 0)) + 1
        inside = np.searchsorted(self.first, rises, side="right") - 1
        for attribute in np.unique(inside[rises > self.first[inside]]).tolist():
            own = slice(self.first[attribute], self.first[attribute + 1])
            ratio[own] = decreasing_ratios(a[own], against[own])

    def _shares(self, parts: Floats, before: Floats) -> Floats:
        """Parts as shares of their attribute's sum; unchanged if the sum is 0."""
        sums = np.repeat(np.add.reduceat(parts, self.first[:-1]), np.diff(self.first))
        return np.where(sums > 0, parts / np.where(sums > 0, sums, 1.0), before)


def decreasing_ratios(above: Floats, below: Floats) -> Floats:
    """Above / below, with adjacent violators pooled so that ratios do not rise."""
    pools: list[list[float]] = []  # numerator, denominator, levels
    for a, b in zip(above.tolist(), below.tolist(), strict=True):
        pools.append([a, b, 1])
        # A level without pairs has no ratio, and joins the one before.
        while len(pools) > 1 and pools[-2][0] * pools[-1][1] <= pools[-1][0] * pools[-2][1]:
            last = pools.pop()
            pools[-1] = [x + y for x, y in zip(pools[-1], last, strict=True)]
    ratios = _ratio(*np.array([pool[:2] for pool in pools]).T)
    return np.repeat(ratios, [int(pool[2]) for pool in pools])


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.zeros(len(above)), where=below > 0)


def _log(share: Floats | float) -> Floats:
    return np.log(np.maximum(share, TINY))


def _filled(weights: Floats, known: Floats) -> Floats:
    """Weights; a level without pairs takes the next level's, the last level the previous one's."""
    places = np.flatnonzero(known)
    if not len(places):
        return np.zeros(len(weights))
    at = np.minimum(np.searchsorted(places, np.arange(len(weights))), len(places) - 1)
    return weights[places[at]]
