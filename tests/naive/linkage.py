"""Probabilistic linkage with every pair listed, as the definitions say."""

import numpy as np
from scipy.optimize import isotonic_regression


def levels(a, b, tolerances):
    """The level of every pair in every attribute, pairs x attributes; -1 is none."""
    gaps = np.abs(a[:, None, :] - b[None, :, :]).reshape(-1, a.shape[1])
    found = [np.searchsorted(ends, column) for ends, column in zip(tolerances, gaps.T, strict=True)]
    return np.where(np.isnan(gaps), -1, np.column_stack(found))


def share_of_levels(pairs, weights, many):
    """Of each attribute, how the pairs are spread over its levels, every pair by its weight."""
    return [np.bincount(own[own >= 0], weights[own >= 0], minlength=n) for own, n in
            zip(pairs.T, many, strict=True)]  # fmt: skip


def posterior(pairs, m, u, prior):
    """The probability that each pair is a match; what is missing says nothing."""
    like = np.array([
        np.prod([p[j][level] for j, level in enumerate(pair) if level >= 0], initial=1.0)
        for pair in pairs for p in (m, u)
    ]).reshape(-1, 2) * [prior, 1 - prior]  # fmt: skip
    return like[:, 0] / like.sum(axis=1), np.log(like.sum(axis=1)).sum()


def maximise(a, b, spread, *, constrained, estimate_u):
    """m and u of one attribute that make the expected matches and others likeliest."""
    if not constrained:
        return a / a.sum(), b / b.sum() if estimate_u else spread
    if not estimate_u:
        m = isotonic_regression(a / spread, weights=spread, increasing=False).x * spread
        return m / m.sum(), spread
    share = isotonic_regression(a / (a + b), weights=a + b, increasing=False).x
    m, u = share * (a + b), (1 - share) * (a + b)
    return m / m.sum(), u / u.sum()


def em(pairs, m, spread, prior, steps, *, smoothing, estimate_prior, known=None, **how):
    """So many steps of EM from m; every level is that of some pair.

    `known` is 1 for each pair that is a match, 0 for one that is not, NaN where it is not known.
    """
    known = np.full(len(pairs), np.nan) if known is None else known
    u, many, path = list(spread), [len(own) for own in spread], []
    while True:
        match, like = posterior(pairs, m, u, prior)
        labelled = ~np.isnan(known)
        # Of a labelled pair, not the mixture is observed, but one part of it.
        like += np.log(np.where(known == 1, match, 1 - match)[labelled]).sum()
        match = np.where(labelled, known, match)
        for own, mine, other in zip(spread, m, u, strict=True):
            like += smoothing * (own @ np.log(mine))
            like += smoothing * (own @ np.log(other)) if how["estimate_u"] else 0.0
        path.append(like)
        if len(path) > steps:
            break
        a, b = (share_of_levels(pairs, weights, many) for weights in (match, 1 - match))
        both = [
            maximise(x + smoothing * own, y + smoothing * own, own, **how)
            for x, y, own in zip(a, b, spread, strict=True)
        ]
        m, u = ([pair[side] for pair in both] for side in (0, 1))
        prior = match.mean() if estimate_prior else prior
    return m, u, prior, path


def decide(weights, matches, others, p_link_unmatched, p_nonlink_matched):
    """The class of each pattern: 0 linked, 1 clerical, 2 non-linked; None where limits cross.

    Every weight is tried as the threshold of a link, and as that of a non-link.
    """
    tiny = 1 + 1e-9
    links, nonlinks = set(), set()
    for end in set(weights):
        above = [place for place, one in enumerate(weights) if one >= end]
        below = [place for place, one in enumerate(weights) if one <= end]
        if sum(others[p] for p in above) <= p_link_unmatched * sum(others) * tiny:
            links |= set(above)
        if sum(matches[p] for p in below) <= p_nonlink_matched * sum(matches) * tiny:
            nonlinks |= set(below)
    if links & nonlinks:
        return None
    return [0 if p in links else 2 if p in nonlinks else 1 for p in range(len(weights))]
