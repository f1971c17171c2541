"""Expectation maximisation over matchings and canonical correlations at once.

Given the matching, canonical correlations show what the files have in common; given these, the
posterior over matchings follows. Both are estimated in turn. The matchings must be soft: a decided
one confirms itself, since among a hundred records some matching always has high correlations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import Protocol

import numpy as np

from unveil.attacks.structural import soft_matching
from unveil.attacks.structural.file_features import LEAST_VARIANCE, correlation_matrix
from unveil.support.arrays import Floats, Ints

VARIANCE_SHARES = (0.9, 0.99, 0.999)  # of each file, to which directions are added one by one
FIRST_ROUNDS, MORE_ROUNDS = 10, 30  # of expectation and maximisation
LIKELY = 0.2  # a probability that is not small
MOST_CORRELATION, LEAST_CORRELATION = 0.995, 0.02  # nothing is certain; less is ignored
LEAST_CONTINUED, CONTINUED = 10, 4  # starts continued after a first look: at least, one in
CONTINUED_IF_LARGE = 3
# Shares of the smaller file that have a partner: at the start, at least, at most.
START_OVERLAP, LEAST_OVERLAP, MOST_OVERLAP = 0.9, 0.3, 0.99


class PairEvidence(Protocol):
    """Evidence for pairs, with parameters that are fitted to a posterior over matchings."""

    def fit(self, posterior: Floats) -> None:
        """Fit the parameters, given the probability of each pair."""

    def weights(self) -> Floats:
        """The log-likelihood ratio of each pair against a pair of strangers."""


def total_weights(parts: Sequence[PairEvidence]) -> Floats:
    """The sum of the weights of all parts."""
    total: Floats = reduce(np.add, (part.weights() for part in parts))
    return total


def whitening(correlations: Floats, share: float) -> Floats:
    """The map to uncorrelated directions of unit variance that have a share of all variance."""
    values, vectors = np.linalg.eigh(correlations)
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = int(np.searchsorted(np.cumsum(values) / values.sum(), share - 1e-12)) + 1
    kept = min(kept, int((values > 1e-6 * values[0]).sum()))
    whitened: Floats = vectors[:, :kept] / np.sqrt(values[:kept])
    return whitened


def _inverse_root(moments: Floats, least: float) -> Floats:
    """The symmetric inverse square root of a matrix of moments."""
    spectrum, vectors = np.linalg.eigh(moments)
    floor = least if least else 1e-6 * spectrum[-1] + 1e-12
    root: Floats = vectors / np.sqrt(np.maximum(spectrum, floor)) @ vectors.T
    return root


def _whiten_weighted(values: Floats, weights: Floats) -> Floats:
    moments = values.T @ (weights[:, None] * values) / max(float(weights.sum()), 1e-9)
    return _inverse_root(moments, 0.0)


@dataclass(frozen=True, repr=False, eq=False)
class FeaturePair:
    """The feature scores of two files, and the correlations of features within each."""

    intruder: Floats  # records x features
    released: Floats
    correlations: tuple[Floats, Floats]  # in the whole files

    @classmethod
    def of(cls, intruder: Floats, released: Floats) -> FeaturePair:
        """Two whole files."""
        return cls(intruder, released, (correlation_matrix(intruder), correlation_matrix(released)))

    @property
    def size(self) -> int:
        """The number of pairs of records."""
        return len(self.intruder) * len(self.released)

    def take(self, rows: Ints, columns: Ints) -> FeaturePair:
        """Some records of each file."""
        return FeaturePair(self.intruder[rows], self.released[columns], self.correlations)


@dataclass(repr=False, eq=False)
class CanonicalCorrelations:
    """The canonical correlations of two files under a soft matching, as evidence for pairs."""

    pair: FeaturePair
    share: float  # of each file's variance that is used
    sizes: Floats = field(init=False)  # the correlations
    directions: tuple[Floats, Floats] = field(init=False)  # features x canonical directions

    def fit(self, posterior: Floats) -> None:
        """The canonical correlations of the pairs, weighted by the posterior."""
        left, right = self._whitenings
        x, y = self.pair.intruder @ left, (self.pair.released @ right).astype(posterior.dtype)
        # Records with a partner may vary unlike the others: correlations, not covariances.
        first = _whiten_weighted(x, posterior.sum(1))
        second = _whiten_weighted(y, posterior.sum(0))
        across = first @ (x.T @ (posterior @ y)) @ second / max(float(posterior.sum()), 1e-9)
        self._decompose(across, left @ first, right @ second)

    def assume(self, across: Floats) -> None:
        """Assume cross-correlations of the features, each made independent of its file's others."""
        left, right = (_inverse_root(own, LEAST_VARIANCE) for own in self.pair.correlations)
        self._decompose(across, left, right)

    def _decompose(self, across: Floats, left: Floats, right: Floats) -> None:
        """The canonical directions of cross-correlations, given the maps that whiten features."""
        u, sizes, v = np.linalg.svd(across, full_matrices=False)
        kept = sizes > LEAST_CORRELATION
        self.sizes = np.minimum(sizes[kept], MOST_CORRELATION)
        self.directions = left @ u[:, kept], right @ v.T[:, kept]

    def weights(self) -> Floats:
        """The log-likelihood ratio of every pair, under normal scores."""
        sizes, (first, second) = self.sizes, self.directions
        u, v = self.pair.intruder @ first, self.pair.released @ second
        width = np.float32 if soft_matching.is_large(self.pair.size) else np.float64
        steep = sizes / (1 - sizes**2)
        own = (u**2) @ (sizes * steep), (v**2) @ (sizes * steep)
        weights: Floats = (u * steep).astype(width) @ v.T.astype(width)
        weights -= (0.5 * own[0] - self.weight_at_mean)[:, None].astype(width)
        weights -= (0.5 * own[1]).astype(width)
        return weights

    @property
    def weight_at_mean(self) -> float:
        """The log-likelihood ratio of a pair at the mean of both files."""
        return -0.5 * float(np.log1p(-(self.sizes**2)).sum())

    def of_pair(self, pair: FeaturePair) -> CanonicalCorrelations:
        """The same correlations as evidence for other records."""
        other = CanonicalCorrelations(pair, self.share)
        other.sizes, other.directions = self.sizes, self.directions
        return other

    @cached_property
    def _whitenings(self) -> tuple[Floats, Floats]:
        first, second = (whitening(own, self.share) for own in self.pair.correlations)
        return first, second


def run_em(
    parts: Sequence[PairEvidence], posterior: Floats, rounds: int = FIRST_ROUNDS
) -> tuple[Floats, float]:
    """Fit the parts to the posterior and compute the posterior from the parts, in turn.

    Returns the posterior and its log-likelihood.
    """
    weights = np.zeros_like(posterior)
    for _ in range(rounds):
        for part in parts:
            part.fit(posterior)
        weights = total_weights(parts)
        before, posterior = posterior, soft_matching.match_probabilities(weights)
        # Among many candidates each is improbable, and changes are small.
        tolerance = soft_matching.PROBABILITY_TOLERANCE * min(1.0, posterior.max() / LIKELY)
        if np.abs(posterior - before).max() < tolerance:
            break
    return posterior, soft_matching.log_likelihood_ratio(weights, posterior)


def fit_overlap(parts: Sequence[PairEvidence]) -> float:
    """Fit converged parts again, now with unmatched records; returns the number of pairs.

    Records without a partner were given one, which blurred the parameters.
    """
    weights = total_weights(parts)
    smaller: int = min(weights.shape)
    pairs: float = START_OVERLAP * smaller
    for _ in range(MORE_ROUNDS):
        chance = soft_matching.partial_match_probabilities(weights, pairs)
        least, most = LEAST_OVERLAP * smaller, MOST_OVERLAP * smaller
        before, pairs = pairs, float(np.clip(chance.sum(), least, most))
        for part in parts:
            part.fit(chance)
        weights = total_weights(parts)
        if abs(pairs - before) < soft_matching.SCALING_TOLERANCE * smaller:
            break
    return pairs


def fit_correlations(
    first: FeaturePair, pair: FeaturePair, starts: Iterable[Floats]
) -> CanonicalCorrelations:
    """The correlations of the highest likelihood, from the best of many starting posteriors.

    All starts are tried on the first pairs and the most variable directions; the best continue
    with all pairs.
    """
    tried = []
    for start in starts:
        part = CanonicalCorrelations(first, VARIANCE_SHARES[0])
        tried.append((run_em([part], start)[1], part))
    tried.sort(key=lambda one: -one[0])
    large = soft_matching.is_large(pair.size)
    kept = CONTINUED_IF_LARGE if large else max(LEAST_CONTINUED, len(tried) // CONTINUED)
    posteriors = (
        soft_matching.match_probabilities(part.of_pair(pair).weights()) for _, part in tried[:kept]
    )
    refined = (refine(pair, start, VARIANCE_SHARES[1:], MORE_ROUNDS) for start in posteriors)
    return max(refined, key=lambda one: one[0])[1]


def refine(
    pair: FeaturePair,
    posterior: Floats,
    shares: Sequence[float],
    rounds: int,
    others: Sequence[PairEvidence] = (),
) -> tuple[float, CanonicalCorrelations]:
    """The log-likelihood and the correlations after EM with ever more directions."""
    for share in shares:
        part = CanonicalCorrelations(pair, share)
        posterior, log_likelihood = run_em([part, *others], posterior, rounds)
    return log_likelihood, part
