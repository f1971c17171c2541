"""Who is who, and which attributes go together: found at once, from neither.

If it were known who is who, canonical correlations would tell what the files have in common; if
that were known, it would tell who is who. Expectation and maximisation in turn find both: the
posterior over all matchings, given the correlations, and the correlations, given the posterior.
Soft matchings matter. One that is decided confirms itself: among a hundred records there is always
a matching with high correlations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import Protocol

import numpy as np

from unveil.attacks.structural.file_features import LEAST, correlations_of
from unveil.attacks.structural.soft_matching import (
    SETTLED,
    STILL,
    likelihood_of,
    many,
    partly_matched,
    posterior_of,
)
from unveil.support.arrays import Floats, Ints

LEVELS = (0.9, 0.99, 0.999)  # shares of a file's variance that are looked at, one after another
ROUNDS, MORE = 10, 30  # of expectation and maximisation, at most: at first, and then
LIKELY = 0.2  # a probability that is not small
CERTAIN = 0.995  # no correlation is larger: nothing is known for sure
FAINT = 0.02  # a correlation that says nothing
FEWEST, GOING_ON = 10, 4  # starts that go on after a first look: so many, or one in so many
FEW = 3  # those that do where there are many pairs
AT_FIRST, SOME, ALMOST_ALL = 0.9, 0.3, 0.99  # shares of the smaller file that are in both


class PairEvidence(Protocol):
    """What speaks for a pair, and learns from a posterior."""

    def learn(self, posterior: Floats) -> None:
        """Fit the parameters, given how likely each pair is."""

    def weights(self) -> Floats:
        """For each pair the log of how much likelier it is than one of strangers."""


def weights_of(parts: Sequence[PairEvidence]) -> Floats:
    """What all parts say of each pair together."""
    return reduce(np.add, (part.weights() for part in parts))


def whitening(related: Floats, share: float) -> Floats:
    """The map to uncorrelated directions of unit deviation that hold this share of the variance."""
    values, vectors = np.linalg.eigh(related)
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = int(np.searchsorted(np.cumsum(values) / values.sum(), share - 1e-12)) + 1
    kept = min(kept, int((values > 1e-6 * values[0]).sum()))
    found: Floats = vectors[:, :kept] / np.sqrt(values[:kept])
    return found


def _root(values: Floats, weights: Floats) -> Floats:
    """The map that makes values uncorrelated and of unit deviation, where weighed like this."""
    moments = values.T @ (weights[:, None] * values) / max(float(weights.sum()), 1e-9)
    spectrum, vectors = np.linalg.eigh(moments)
    found: Floats = vectors / np.sqrt(np.maximum(spectrum, 1e-6 * spectrum[-1] + 1e-12)) @ vectors.T
    return found


def _freeing(related: Floats) -> Floats:
    """The map that makes features uncorrelated, each changed as little as can be."""
    spectrum, vectors = np.linalg.eigh(related)
    found: Floats = vectors / np.sqrt(np.maximum(spectrum, LEAST)) @ vectors.T
    return found


@dataclass(frozen=True, repr=False, eq=False)
class FeaturePair:
    """The scores of two files that are compared, and how those of each are correlated."""

    intruder: Floats  # records x features
    released: Floats
    related: tuple[Floats, Floats]  # correlations of the features, in the whole files

    @classmethod
    def of(cls, intruder: Floats, released: Floats) -> FeaturePair:
        """Two whole files."""
        return cls(intruder, released, (correlations_of(intruder), correlations_of(released)))

    @property
    def size(self) -> int:
        """How many pairs of records there are."""
        return len(self.intruder) * len(self.released)

    def some(self, rows: Ints, columns: Ints) -> FeaturePair:
        """Some records of each."""
        return FeaturePair(self.intruder[rows], self.released[columns], self.related)


@dataclass(repr=False, eq=False)
class CanonicalCorrelations:
    """What the scores of two files have in common: canonical correlations of a soft matching."""

    pair: FeaturePair
    share: float  # of each file's variance that is looked at
    sizes: Floats = field(init=False)  # the correlations
    turns: tuple[Floats, Floats] = field(init=False)  # features x canonical directions

    def learn(self, posterior: Floats) -> None:
        """The canonical correlations of the pairs, each as likely as the posterior says."""
        left, right = self._maps
        x, y = self.pair.intruder @ left, (self.pair.released @ right).astype(posterior.dtype)
        # Who has a partner need not vary as all do: correlations, not covariances.
        first, second = _root(x, posterior.sum(1)), _root(y, posterior.sum(0))
        across = first @ (x.T @ (posterior @ y)) @ second / max(float(posterior.sum()), 1e-9)
        self._take(across, left @ first, right @ second)

    def suppose(self, across: Floats) -> None:
        """Take features, each freed from what the others of its file say, to correlate so."""
        self._take(across, *(_freeing(related) for related in self.pair.related))

    def _take(self, across: Floats, left: Floats, right: Floats) -> None:
        """The canonical directions of a cross-correlation, given what makes features white."""
        turn, sizes, back = np.linalg.svd(across, full_matrices=False)
        kept = sizes > FAINT
        self.sizes = np.minimum(sizes[kept], CERTAIN)
        self.turns = left @ turn[:, kept], right @ back.T[:, kept]

    def weights(self) -> Floats:
        """The log-likelihood ratio of every pair, under normal scores."""
        size, first, second = self.found
        u, v = self.pair.intruder @ first, self.pair.released @ second
        # Of many pairs, half the memory to go through, and digits enough.
        width = np.float32 if many(self.pair.size) else np.float64
        steep = size / (1 - size**2)
        own = (u**2) @ (size * steep), (v**2) @ (size * steep)
        found: Floats = (u * steep).astype(width) @ v.T.astype(width)
        found -= (0.5 * own[0] - self.level)[:, None].astype(width)
        found -= (0.5 * own[1]).astype(width)
        return found

    @property
    def level(self) -> float:
        """The log-likelihood ratio of a pair that is where the mean is."""
        return -0.5 * float(np.log1p(-(self.sizes**2)).sum())

    @property
    def found(self) -> tuple[Floats, Floats, Floats]:
        """The correlations, and the directions of both files that are correlated."""
        return self.sizes, *self.turns

    def among(self, pair: FeaturePair) -> CanonicalCorrelations:
        """The same of other records."""
        other = CanonicalCorrelations(pair, self.share)
        other.sizes, other.turns = self.sizes, self.turns
        return other

    @cached_property
    def _maps(self) -> tuple[Floats, Floats]:
        first, second = (whitening(related, self.share) for related in self.pair.related)
        return first, second


@dataclass(frozen=True, repr=False, eq=False)
class StructureFit:
    """The posterior and the likelihood that parts come to when they have settled."""

    posterior: Floats
    likelihood: float


def settle(parts: Sequence[PairEvidence], posterior: Floats, rounds: int = ROUNDS) -> StructureFit:
    """Let the parts learn from the posterior, and the posterior from the parts, in turn."""
    weights = np.zeros_like(posterior)
    for _ in range(rounds):
        for part in parts:
            part.learn(posterior)
        weights = weights_of(parts)
        before, posterior = posterior, posterior_of(weights)
        # Of many candidates each is unlikely, and so is a change.
        if np.abs(posterior - before).max() < SETTLED * min(1.0, posterior.max() / LIKELY):
            break
    return StructureFit(posterior, likelihood_of(weights, posterior))


def loosen(parts: Sequence[PairEvidence]) -> float:
    """Let parts that have settled learn that some records have no partner; how many pairs remain.

    Whoever has none was given one, and blurred what was learnt.
    """
    weights = weights_of(parts)
    few: int = min(weights.shape)
    pairs: float = AT_FIRST * few
    for _ in range(MORE):
        chance = partly_matched(weights, pairs)
        before, pairs = pairs, float(np.clip(chance.sum(), SOME * few, ALMOST_ALL * few))
        for part in parts:
            part.learn(chance)
        weights = weights_of(parts)
        if abs(pairs - before) < STILL * few:
            break
    return pairs


def correlated(
    first: FeaturePair, pair: FeaturePair, starts: Iterable[Floats]
) -> CanonicalCorrelations:
    """The correlations that make the files likeliest, from the best of many starts.

    Starts are posteriors of the first pairs. After a look at these, and at the most variable
    directions only, a part goes on with all pairs.
    """
    found = []
    for start in starts:
        part = CanonicalCorrelations(first, LEVELS[0])
        found.append((settle([part], start).likelihood, part))
    found.sort(key=lambda one: -one[0])
    kept = FEW if many(pair.size) else max(FEWEST, len(found) // GOING_ON)
    begun = (posterior_of(part.among(pair).weights()) for _, part in found[:kept])
    on = (progressed(pair, posterior, LEVELS[1:], MORE) for posterior in begun)
    return max(on, key=lambda one: one[0])[1]


def progressed(
    pair: FeaturePair,
    posterior: Floats,
    shares: Sequence[float],
    rounds: int,
    also: Sequence[PairEvidence] = (),
) -> tuple[float, CanonicalCorrelations]:
    """The likelihood that ever smaller directions of variance come to, and the correlations."""
    for share in shares:
        part = CanonicalCorrelations(pair, share)
        fit = settle([part, *also], posterior, rounds)
        posterior = fit.posterior
    return fit.likelihood, part
