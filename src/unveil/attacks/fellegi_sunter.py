"""Fellegi and Sunter's model of comparison levels, and its parameters by EM.

A pair that is a match has level l in attribute j with probability m[j][l], one that is none with
u[j][l], independently of its other attributes. The weight of a level is log(m / u).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unveil.data.encode import Floats, Mask
    from unveil.engines.levels import Expected, Patterns

TINY = 1e-300  # a probability whose logarithm is still a number
MOST_WEIGHT = np.log(1e12)  # no level decides alone: an estimate of 0 excludes nobody
AGREEMENT = 0.9  # how many matches agree, at the start


@dataclass(frozen=True)
class Rules:
    """How the parameters are estimated."""

    constrained: bool = True  # m / u does not rise from agreement to disagreement
    estimate_prior: bool = False
    estimate_u: bool = False
    smoothing: float = 1.0  # matches that are added, with levels as all pairs have them
    iterations: int = 1000
    tolerance: float = 1e-6


@dataclass(frozen=True, repr=False, eq=False)
class Model:
    """The parameters, and how EM came to them."""

    m: list[Floats]
    u: list[Floats]
    prior: float
    path: list[float] = field(default_factory=list)  # of the log-likelihood, smoothing included
    converged: bool = False

    @property
    def logit(self) -> float:
        """The logarithm of the prior odds."""
        return float(np.log(max(self.prior, TINY)) - np.log(max(1 - self.prior, TINY)))

    def logs(self) -> list[Floats]:
        """log(m / u) of each level, as it is."""
        return [_log(m) - _log(u) for m, u in zip(self.m, self.u, strict=True)]

    def weights(self) -> list[Floats]:
        """The same as weights: bounded, and of a level that no pair has, its neighbour's."""
        return [
            np.clip(_filled(_log(m) - _log(u), (m > 0) | (u > 0)), -MOST_WEIGHT, MOST_WEIGHT)
            for m, u in zip(self.m, self.u, strict=True)
        ]


def estimate(patterns: Patterns, u: Sequence[Floats], prior: float, rules: Rules) -> Model:
    """Estimate m, and if wanted u and the prior, by EM in log space.

    Fellegi and Sunter (1969), Jaro (1989). Under the order constraint the M-step pools adjacent
    levels that violate it to one ratio, which is the constrained maximum, so that the
    likelihood never falls: of m / u where u is given (isotonic regression of a / u, with
    weights u), of both where it is not (of a / (a + b), with weights a + b; Dykstra, Kochar and
    Robertson, 1995).

    Parameters
    ----------
    patterns
        The pairs by their comparison levels.
    u
        How all pairs are spread over the levels of each attribute.
    prior
        The share of matches among the pairs; where it is estimated, the start.
    rules
        What is estimated, and how.
    """
    known = _Known(patterns.totals(), [np.asarray(own, np.float64) for own in u], patterns.pairs)
    model = Model([start_of(own) for own in known.spread], known.spread, prior)
    path: list[float] = []
    while True:
        found = patterns.expect(model.logs(), model.logit)
        path.append(known.likelihood(model, found, rules))
        if len(path) > rules.iterations:
            return replace(model, path=path)
        after = known.maximise(model, found, rules)
        if _change(model, after) <= rules.tolerance:
            return replace(model, path=path, converged=True)
        model = after


@dataclass(frozen=True, repr=False, eq=False)
class _Known:
    """What EM knows of the pairs, whatever the parameters."""

    totals: list[Floats]  # pairs by attribute and level
    spread: list[Floats]  # their shares; or of all pairs, where these are a sample
    pairs: float

    def likelihood(self, model: Model, found: Expected, rules: Rules) -> float:
        """The logarithm of the likelihood, and of what smoothing makes of it."""
        total = found.logs + self.pairs * float(_log(np.array(1 - model.prior)))
        for pairs, own, m, u in zip(self.totals, self.spread, model.m, model.u, strict=True):
            total += float(pairs @ _log(u))
            total += rules.smoothing * float(own @ _log(m))
            if rules.estimate_u:
                total += rules.smoothing * float(own @ _log(u))
        return total

    def maximise(self, model: Model, found: Expected, rules: Rules) -> Model:
        """The parameters that make the expected matches likeliest."""
        m, u = [], []
        for matches, pairs, own, before in zip(
            found.levels, self.totals, self.spread, model.m, strict=True
        ):
            a = matches + rules.smoothing * own
            b = np.maximum(pairs - matches, 0.0) + rules.smoothing * own
            against = a + b if rules.estimate_u else own
            ratio = (decreasing if rules.constrained else _ratio)(a, against)
            m.append(ratio * against / a.sum() if a.sum() > 0 else before)
            rest = (1 - ratio) * against if rules.estimate_u else own
            u.append(rest / rest.sum() if rest.sum() > 0 else own)
        prior = found.matches / self.pairs if rules.estimate_prior else model.prior
        return Model(m, u, prior)


def start_of(u: Floats) -> Floats:
    """Nine matches of ten agree; where there are degrees of agreement, the nearer the likelier."""
    nearer = u[:-1] * np.arange(len(u) - 1, 0, -1)
    if not nearer.sum() > 0:  # no pair agrees
        return u.copy()
    m: Floats = np.append(nearer / nearer.sum(), 0.0)
    return m if u[-1] == 0 else np.append(AGREEMENT * m[:-1], 1 - AGREEMENT)


def decreasing(above: Floats, below: Floats) -> Floats:
    """Above / below, adjacent violators pooled so that no ratio is more than the one before.

    >>> decreasing(np.array([2.0, 6.0, 1.0]), np.array([1.0, 1.0, 2.0]))
    array([4. , 4. , 0.5])
    """
    pools: list[list[float]] = []  # numerator, denominator, levels
    for a, b in zip(above.tolist(), below.tolist(), strict=True):
        pools.append([a, b, 1])
        # A level that nothing is known of has no ratio, and joins the one before.
        while len(pools) > 1 and pools[-2][0] * pools[-1][1] <= pools[-1][0] * pools[-2][1]:
            last = pools.pop()
            pools[-1] = [x + y for x, y in zip(pools[-1], last, strict=True)]
    ratios = _ratio(*np.array([pool[:2] for pool in pools]).T)
    return np.repeat(ratios, [int(pool[2]) for pool in pools])


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.zeros(len(above)), where=below > 0)


def _log(share: Floats) -> Floats:
    logs: Floats = np.log(np.maximum(share, TINY))
    return logs


def _filled(weights: Floats, known: Mask) -> Floats:
    """A level that no pair has weighs what the next one does; the last, what the one before."""
    places = np.flatnonzero(known)
    if not len(places):
        return np.zeros(len(weights))
    at = np.minimum(np.searchsorted(places, np.arange(len(weights))), len(places) - 1)
    return weights[places[at]]


def _change(before: Model, after: Model) -> float:
    """The largest change of a probability; of the prior, in proportion."""
    changes = [abs(after.prior / before.prior - 1) if before.prior else 0.0]
    for old, new in zip([*before.m, *before.u], [*after.m, *after.u], strict=True):
        changes.append(float(np.abs(new - old).max()))
    return max(changes)
