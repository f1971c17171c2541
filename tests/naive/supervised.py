"""The worst case within a family of distances, by trying every set of records."""

from itertools import combinations

import numpy as np
from scipy.optimize import linprog

CLEAR = 1e-7  # a margin below this is rounding, on numbers as round as those of the tests


def costs(asking, asked):
    """Squared gaps of two files, each standardised by itself: pairs x attributes."""
    a, b = ((side - side.mean(0)) / side.std(0, ddof=1) for side in (asking, asked))
    return (a[:, None, :] - b[None, :, :]) ** 2


def choquet_features(c):
    """A Choquet integral as a product with the measure of each set, the empty one left out."""
    order = np.argsort(c, kind="stable")
    found = np.zeros((1 << len(c)) - 1)
    before, left = 0.0, (1 << len(c)) - 1
    for place in order:
        found[left - 1] += c[place] - before
        before = c[place]
        left &= ~(1 << int(place))
    return found


def can_be_linked(rows, monotone):
    """Whether some parameters make every row positive: the widest margin, by a linear program."""
    size = rows.shape[1]
    rows = np.where(np.abs(rows) < 1e-9, 0.0, rows)
    scaled = rows / np.abs(rows).max(axis=1, keepdims=True).clip(1e-300)
    at_most = np.hstack([-scaled, np.ones((len(rows), 1))])
    if len(monotone):
        at_most = np.vstack([at_most, np.hstack([-monotone, np.zeros((len(monotone), 1))])])
    found = linprog(
        np.append(np.zeros(size), -1.0),
        at_most,
        np.zeros(len(at_most)),
        np.append(np.ones(size), 0.0)[None],
        [1.0],
        [(0, None)] * size + [(None, 1)],
    )
    return found.x is not None and found.x[-1] > CLEAR


def monotone_rows(attributes):
    """A set never weighs less than a set inside it."""
    rows = []
    for inside in range(1, 1 << attributes):
        for more in range(attributes):
            if not inside >> more & 1:
                row = np.zeros((1 << attributes) - 1)
                row[(inside | 1 << more) - 1], row[inside - 1] = 1.0, -1.0
                rows.append(row)
    return np.array(rows).reshape(-1, (1 << attributes) - 1)


def most_linked(cost, model):
    """The most records that any parameters link, each strictly nearest to its own number."""
    n, _, attributes = cost.shape
    features = cost
    monotone = np.zeros((0, attributes))
    if model == "choquet":
        features = np.array([[choquet_features(c) for c in row] for row in cost])
        monotone = monotone_rows(attributes)
    rows = [np.delete(features[i], i, axis=0) - features[i, i] for i in range(n)]
    for size in range(n, 0, -1):
        for some in combinations(range(n), size):
            if can_be_linked(np.vstack([rows[i] for i in some]), monotone):
                return size
    return 0


def best_on_grid(asking, asked, steps):
    """The most that any bilinear form of two attributes links, among many of them."""
    a, b = ((side - side.mean(0)) / side.std(0, ddof=1) for side in (asking, asked))
    gaps = a[:, None, :] - b[None, :, :]
    best = 0
    for angle in np.linspace(0, np.pi, steps, endpoint=False):
        one = (gaps @ [np.cos(angle), np.sin(angle)]) ** 2
        other = (gaps @ [-np.sin(angle), np.cos(angle)]) ** 2
        for share in np.geomspace(1e-4, 1, steps):
            total = one + share * other
            own = np.diag(total)
            others = total + np.diag(np.full(len(total), np.inf))
            best = max(best, int((others.min(axis=1) > own * (1 + 1e-6) + 1e-9).sum()))
    return best


def undominated(cost, true):
    """The candidates that no other one dominates, the true one and what is farther left out."""
    kept = []
    for j in range(len(cost)):
        if j == true or (cost[j] > cost[true]).all():
            continue
        others = [k for k in range(len(cost)) if k not in (j, true)]
        if not any(
            (cost[k] <= cost[j]).all() and ((cost[k] < cost[j]).any() or k < j) for k in others
        ):
            kept.append(j)
    return kept


def cheapest_hitting(sets, costs):
    """The least cost of records that hit every set, by trying all of them."""
    best = np.inf
    for size in range(len(costs) + 1):
        for some in combinations(range(len(costs)), size):
            if all(set(some) & set(one) for one in sets):
                best = min(best, sum(costs[i] for i in some))
    return best
