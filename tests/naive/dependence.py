"""EM with dependence where each pair is listed, with every way to fill in what it lacks."""

from itertools import product

import numpy as np
from scipy.optimize import isotonic_regression

LEAST = 1e-12


def cells(pair, many):
    """All complete patterns that a pair may have."""
    return list(product(*[[x] if x >= 0 else range(n) for x, n in zip(pair, many, strict=True)]))


def chance(cell, parents, tables):
    """The probability of a complete pattern, attribute by attribute."""
    return np.prod([
        tables[j][0 if parents[j] < 0 else cell[parents[j]]][cell[j]] for j in range(len(cell))
    ])  # fmt: skip


def likelihood(pair, many, parents, tables):
    return sum(chance(cell, parents, tables) for cell in cells(pair, many))


def weight(pair, many, classes, shares):
    """log P(pattern | match) - log P(pattern | other pair)."""
    m, *others = (likelihood(pair, many, *one) for one in classes)
    return np.log(m) - np.log(np.dot(shares[1:], others) / sum(shares[1:]))


def em(pairs, many, classes, shares, spread, steps, *, smoothing, constrained, estimate_prior):
    """So many steps; a class is the parent of each attribute and its tables."""
    path = []
    while True:
        like = np.array([[likelihood(pair, many, *one) for one in classes] for pair in pairs])
        like = like * shares
        added = [
            [
                smoothing * np.outer([1.0] if p < 0 else spread[p], spread[j])
                for j, p in enumerate(parents)
            ]
            for parents, _ in classes
        ]
        inside = sum(
            (extra * np.log(table)).sum()
            for more, (_, tables) in zip(added, classes, strict=True)
            for extra, table in zip(more, tables, strict=True)
        )
        path.append(np.log(like.sum(axis=1)).sum() + inside)
        if len(path) > steps:
            return classes, shares, path
        posterior = like / like.sum(axis=1, keepdims=True)
        after = []
        for which, (parents, tables) in enumerate(classes):
            sums = [extra.copy() for extra in added[which]]
            for pair, weights in zip(pairs, posterior, strict=True):
                own = cells(pair, many)
                share = np.array([chance(cell, parents, tables) for cell in own])
                for cell, part in zip(own, weights[which] * share / share.sum(), strict=True):
                    for j, p in enumerate(parents):
                        sums[j][0 if p < 0 else cell[p], cell[j]] += part
            after.append((parents, [table / table.sum(axis=1, keepdims=True) for table in sums]))
            if constrained and which == 0:
                after[0] = (
                    parents,
                    [
                        np.array([ordered(row, own) for row in table])
                        for table, own in zip(after[0][1], spread, strict=True)
                    ],
                )
        classes = [(parents, [np.maximum(t, LEAST) for t in tables]) for parents, tables in after]
        amounts = posterior.mean(axis=0)
        if not estimate_prior:
            amounts = np.append(shares[0], amounts[1:] * (1 - shares[0]) / amounts[1:].sum())
        shares = amounts


def ordered(row, spread):
    ratio = isotonic_regression(row / spread, weights=spread, increasing=False).x
    return ratio * spread / (ratio * spread).sum()
