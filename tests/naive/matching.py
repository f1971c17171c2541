"""Matchings with every pair in a matrix: Sinkhorn's scaling, the cheapest assignment."""

from itertools import permutations

import numpy as np
from scipy.optimize import linear_sum_assignment


def every_pair(finder):
    """What all pairs cost, records x candidates."""
    records, candidates = finder.sizes
    rows, columns = np.divmod(np.arange(records * candidates), candidates)
    return finder.costs(rows, columns).reshape(records, candidates)


def posterior(costs, rate=1.0, rounds=200, fraction=0.0):
    """The likelihoods scaled until rows and columns sum to 1; then messages, for so many rounds."""
    found = np.exp(-rate * (costs - costs.min(axis=1, keepdims=True)))
    found = found / found.max(axis=0)
    u, v, done = np.ones(len(costs)), np.ones(costs.shape[1]), 0
    while done < rounds:
        sums = (found * v).sum(axis=1)
        error = np.abs(sums * u - 1).max()
        u = 1 / sums
        sums = (found * u[:, None]).sum(axis=0)
        error = max(error, np.abs(sums * v - 1).max())
        v = 1 / sums
        done += 1
        if error <= (0.1 if fraction else 1e-6):  # messages take the rest of the way
            break
    u = 1 / (found * v).sum(axis=1)
    found = found * u[:, None] * v
    return messages(found, fraction, rounds - done) if fraction else found


def messages(weights, fraction, rounds, damped=False):
    """Fractional belief propagation, a message for each pair and direction in two matrices.

    Damped, a message is the mean, of logs, of itself and what it should be.
    """
    m, q = np.ones(weights.shape), np.ones(weights.shape)
    for _ in range(rounds):
        a = weights * q
        m = (m if damped else 1) / (a.sum(axis=1, keepdims=True) - fraction * a)
        m = np.sqrt(m) if damped else m
        a = weights * m
        q = (q if damped else 1) / (a.sum(axis=0) - fraction * a)
        q = np.sqrt(q) if damped else q
    a = weights * q
    return a / a.sum(axis=1, keepdims=True)


def exact_marginals(likelihoods):
    """The probability of each pair over all one-to-one matchings, every one of them."""
    n = len(likelihoods)
    matchings = np.array(list(permutations(range(n))))
    weights = likelihoods[np.arange(n), matchings].prod(axis=1)
    found = [np.bincount(matchings[:, i], weights, n) for i in range(n)]
    return np.array(found) / weights.sum()


def best_hits(chances, truth):
    """Expected hits of each record that takes the likeliest, ties shared."""
    found = np.zeros(len(chances))
    for i, row in enumerate(chances):
        if truth[i] >= 0:
            tied = row >= row[truth[i]] * (1 - 1e-9)
            closer = row > row[truth[i]] * (1 + 1e-9)
            found[i] = 0 if closer.any() else 1 / tied.sum()
    return found


def cheapest(costs):
    """The least total cost of a matching one to one; impossible pairs as a last resort."""
    far = 1e6 * (1 + np.abs(costs[np.isfinite(costs)]).max(initial=0.0))
    rows, columns = linear_sum_assignment(np.where(np.isfinite(costs), costs, far))
    matched = costs[rows, columns]
    return matched[np.isfinite(matched)].sum(), int(np.isfinite(matched).sum())
