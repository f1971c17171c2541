"""Matchings with every pair in a matrix: Sinkhorn's scaling, the cheapest assignment."""

import numpy as np
from scipy.optimize import linear_sum_assignment


def every_pair(finder):
    """What all pairs cost, records x candidates."""
    records, candidates = finder.sizes
    rows, columns = np.divmod(np.arange(records * candidates), candidates)
    return finder.costs(rows, columns).reshape(records, candidates)


def posterior(costs, rate=1.0, rounds=200):
    """The likelihoods scaled until rows and columns sum to 1, as far as so many rounds come."""
    found = np.exp(-rate * (costs - costs.min(axis=1, keepdims=True)))
    u, v = np.ones(len(costs)), np.ones(costs.shape[1])
    for _ in range(rounds):
        before = u
        u = 1 / (found * v).sum(axis=1)
        v = 1 / (found * u[:, None]).sum(axis=0)
        if np.abs(u / before - 1).max() < 1e-6:
            break
    u = 1 / (found * v).sum(axis=1)
    return found * u[:, None] * v


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
