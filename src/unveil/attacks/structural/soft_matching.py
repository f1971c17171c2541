"""Random one-to-one matchings of all records: the probability of each pair, the likelihood of all.

The weight of a pair is its log-likelihood ratio against a pair of strangers. The log-likelihood of
a matching is the sum of its weights; sums over all matchings are approximated.
"""

import numpy as np

from unveil.support.arrays import Floats

SCALINGS, SCALING_TOLERANCE = 20, 1e-3  # of rows and columns; relative
PARTIAL_SCALINGS = 100  # where some records have no partner
LARGE = 250_000  # pairs
LARGE_SCALINGS = 8  # since each step of a search changes the weights
PROBABILITY_TOLERANCE = 0.01  # the change at which iterations end
LEAST_LOG = -80.0  # of a likelihood that 32 bits hold
MESSAGE_ROUNDS = 30  # of belief propagation
ROUNDING = 1e-12  # relative to a sum
TINY = 1e-300  # a probability that has a log


def is_large(pairs: int) -> bool:
    """Whether there are so many pairs that 32 bits and fewer scalings suffice."""
    return pairs > LARGE


def match_probabilities(weights: Floats) -> Floats:
    """The probability of each pair in a random matching that includes the whole smaller file.

    Sinkhorn's scaling, as in `unveil.matching.posterior`, of a whole matrix.
    """
    if len(weights) > weights.shape[1]:
        return match_probabilities(weights.T).T
    rows, columns = weights.shape
    below = weights - weights.max(1, keepdims=True)
    likely = np.exp(np.maximum(below, LEAST_LOG, out=below), out=below)
    left, right = np.ones(rows, likely.dtype), np.ones(columns, likely.dtype)
    unmatched = 0.0  # the common scaling of unmatched columns
    for _ in range(LARGE_SCALINGS if is_large(weights.size) else SCALINGS):
        before, left = left, 1 / (likely @ right)
        if np.abs(left / before - 1).max() < SCALING_TOLERANCE:
            break
        right = 1 / (left @ likely + left.dtype.type(unmatched))
        unmatched = (columns - rows) / float(right.sum())
    likely *= (1 / (likely @ right))[:, None]
    likely *= right
    found: Floats = likely
    return found


def prior_log_odds(pairs: float, rows: int, columns: int) -> float:
    """The prior log-odds that two records are a pair rather than both unmatched."""
    return float(np.log(pairs) - np.log(rows - pairs) - np.log(columns - pairs))


def partial_match_probabilities(weights: Floats, pairs: float) -> Floats:
    """The probability of each pair in a random matching of about `pairs` pairs."""
    rows, columns = weights.shape
    likely = np.clip(weights + prior_log_odds(pairs, rows, columns), LEAST_LOG, -LEAST_LOG)
    np.exp(likely, out=likely)
    right = np.full(columns, 1 - pairs / columns, likely.dtype)
    for _ in range(PARTIAL_SCALINGS):
        left = 1 / (1 + likely @ right)
        before, right = right, 1 / (1 + left @ likely)
        if np.abs(right / before - 1).max() < SCALING_TOLERANCE:
            break
    likely *= (1 / (1 + likely @ right))[:, None]
    likely *= right
    return likely


def propagate_beliefs(weights: Floats) -> Floats:
    """The probability of each pair in a random matching, by belief propagation.

    More accurate and slower than scaling, from which it starts.
    """
    if len(weights) > weights.shape[1]:
        return propagate_beliefs(weights.T).T
    rows, columns = weights.shape
    likely = np.exp(np.maximum(weights - weights.max(1, keepdims=True), LEAST_LOG))
    scaled = match_probabilities(weights)
    free = np.maximum(1 - scaled.sum(0), ROUNDING) if columns > rows else 1.0
    back = free / np.maximum(1 - scaled, ROUNDING)
    chance = np.zeros_like(likely)
    for _ in range(MESSAGE_ROUNDS):
        message = likely * back
        total = message.sum(1, keepdims=True)
        forth = 1 / np.maximum(total - message, ROUNDING * total)
        message = likely * forth
        total = message.sum(0) + (1.0 if columns > rows else 0.0)
        back = 1 / np.maximum(total - message, ROUNDING * total)
        odds = message * back
        before, chance = chance, odds / (1 + odds)
        if np.abs(chance - before).max() < PROBABILITY_TOLERANCE:
            break
    found: Floats = chance / chance.sum(1, keepdims=True)
    return found


def log_likelihood_ratio(weights: Floats, probabilities: Floats) -> float:
    """The log-likelihood ratio of the files if some matching is true against none.

    All matchings are equally probable a priori (Bethe's approximation of the permanent).
    """
    few, many = sorted(weights.shape)
    shares = np.array([(many - 1) / many, (many - few) / many])
    other, alone = shares * np.log(np.maximum(shares, TINY))
    uniform = float(few * np.log(many) + few * many * other - many * alone)
    chance = probabilities.astype(np.float64)
    unmatched = [np.maximum(1 - chance.sum(axis), 0.0) for axis in (0, 1)]
    energy = float((chance * weights).sum()) + _entropy(chance)
    energy = energy - _entropy(np.maximum(1 - chance, 0.0)) + sum(map(_entropy, unmatched))
    return energy - uniform


def _entropy(shares: Floats) -> float:
    return -float((shares * np.log(np.maximum(shares, TINY))).sum())
