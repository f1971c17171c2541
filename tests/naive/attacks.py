"""Attacks with every pair compared: the distance matrix that the engine never holds."""

import numpy as np
from scipy.stats import rankdata


def standardised(values, by):
    return (values - by.mean()) / by.std(ddof=1)


def attribute_distance(kind, mine, released, *, scale="own", inclusive=False):
    """The distance of every pair in one attribute; kind is "numeric", "nominal" or a count."""
    if kind == "numeric":
        of_mine, of_release = {
            "own": (mine, released), "original": (mine, mine), "release": (released, released)
        }[scale]  # fmt: skip
        a, b = standardised(mine, of_mine), standardised(released, of_release)
        return np.abs(a[:, None] - b)
    if kind == "nominal":
        return (mine[:, None] != released).astype(float)
    apart = np.abs(mine[:, None] - released)
    return (apart + 1) / kind if inclusive else apart / (kind - 1)


def combine(distances, metric, weights):
    """Euclid, Manhattan or Chebyshev of the attributes' distances, attributes first."""
    weights = np.asarray(weights)[:, None, None]
    if metric == "euclid":
        return np.sqrt((weights * distances**2).sum(axis=0))
    return (weights * distances).sum(axis=0) if metric == "manhattan" else (
        (weights * distances).max(axis=0)
    )  # fmt: skip


def mahalanobis(mine, released, covariance):
    """(a - b)' S^-1 (a - b) of every pair."""
    gaps = mine[:, None, :] - released
    return np.sqrt(np.einsum("ijk,kl,ijl->ij", gaps, np.linalg.inv(covariance), gaps))


def kernel_distance(mine, released, degree):
    """By the polynomial kernel itself: K(a, a) - 2 K(a, b) + K(b, b)."""

    def own(values):
        return (1 + (values**2).sum(axis=1)) ** degree

    squares = own(mine)[:, None] - 2 * (1 + mine @ released.T) ** degree + own(released)
    return np.sqrt(np.maximum(squares, 0))


def rank_distances(mine, released):
    """The absolute difference of average ranks of every pair."""
    return np.abs(rankdata(mine)[:, None] - rankdata(released))


def hits(distances, truth):
    """Expected hits of each row of the matrix, ties shared; truth -1 is never found."""
    found = np.zeros(len(distances))
    for i, row in enumerate(distances):
        if truth[i] < 0:
            continue
        size = np.maximum(np.abs(row), np.abs(row[truth[i]]))
        near = np.abs(row - row[truth[i]]) <= 1e-9 * size + 1e-12
        closer = (row < row[truth[i]]) & ~near
        found[i] = 0 if closer.any() else 1 / near.sum()
    return found


def compatible(cells, held, holds):
    """Which pairs fit: every released cell may be the value; both by column."""
    return np.all(
        [[[holds(cell, value) for cell in held[name]] for value in cells[name]] for name in cells],
        axis=0,
    )


def mixed_costs(places, numbers, costs):
    """The mean cost of each category against those in the place of each number.

    Both files, in ascending order, are stretched to one length: a number meets all the categories
    that lie where its ties lie. `places` and `numbers` have a NaN where missing, as has the result.
    """
    named, counted = np.sort(places[~np.isnan(places)]), np.sort(numbers[~np.isnan(numbers)])
    length = np.lcm(len(named), len(counted))
    stretched = np.repeat(named, length // len(named)).astype(int)
    found = np.full((len(places), len(numbers)), np.nan)
    for j, number in enumerate(numbers):
        met = stretched[np.repeat(counted == number, length // len(counted))]
        for i, place in enumerate(places):
            if not np.isnan(place) and len(met):
                found[i, j] = costs[int(place), met].mean()
    return found
