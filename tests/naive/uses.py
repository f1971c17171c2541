"""Slow twins of the loss by use: one value, one pair of classes, one household at a time."""

import math
from itertools import combinations

import numpy as np

MISSING = None


def ratio(distances, destroyed):
    """Root mean squares of the parts, one over the other."""
    most = math.sqrt(sum(d * d for d in destroyed))
    return min(math.sqrt(sum(d * d for d in distances)) / most, 1.0)


def weighted_shares(values, weights):
    """The share of each value."""
    total, shares = sum(weights), {}
    for value, weight in zip(values, weights, strict=True):
        shares[value] = shares.get(value, 0.0) + weight / total
    return shares


def number_distance(one, other, points):
    """The largest gap of two distributions (value: share) up to a point or below it."""
    gaps = []
    for p in points:
        for below in (lambda v, p=p: v < p, lambda v, p=p: v <= p):
            sums = [sum(s for v, s in side.items() if v is MISSING or below(v))
                    for side in (one, other)]  # fmt: skip
            gaps.append(abs(sums[0] - sums[1]))
    gaps.append(abs(one.get(MISSING, 0) - other.get(MISSING, 0)))
    return max(gaps)


def category_distance(one, other):
    """Half the sum of the gaps."""
    return sum(abs(one.get(k, 0) - other.get(k, 0)) for k in {*one, *other}) / 2


def evenly(shares):
    """Values drawn evenly: whole numbers from the least to the largest, or the categories."""
    known = [v for v in shares if v is not MISSING]
    drawn = known if isinstance(known[0], str) else range(int(min(known)), int(max(known)) + 1)
    missing = shares.get(MISSING, 0.0)
    return {MISSING: missing, **{v: (1 - missing) / len(drawn) for v in drawn}}


def distributions(before, after, weights, released_weights):
    """The loss in distributions; columns of whole numbers or categories, by name."""
    distances, destroyed = [], []
    for name, column in before.items():
        one, other = (
            weighted_shares(column, weights),
            weighted_shares(after[name], released_weights),
        )
        numeric = not any(isinstance(v, str) for v in column)
        points = sorted({v for v in column if v is not MISSING})
        for to, file in ((distances, other), (destroyed, evenly(one))):
            to.append(number_distance(one, file, points) if numeric
                      else category_distance(one, file))  # fmt: skip
    return ratio(distances, destroyed)


def dependence(a, b, weights):
    """The share of each pair of classes less the product of theirs."""
    joint = weighted_shares(list(zip(a, b, strict=True)), weights)
    one, other = weighted_shares(a, weights), weighted_shares(b, weights)
    return {(x, y): joint.get((x, y), 0.0) - one[x] * other[y] for x in one for y in other}


def relations(before, after, weights, released_weights):
    """The loss in relations; columns of classes, by name."""
    distances, destroyed = [], []
    for a, b in combinations(before, 2):
        one = dependence(before[a], before[b], weights)
        other = dependence(after[a], after[b], released_weights)
        cells = {*one, *other}
        distances.append(sum(abs(one.get(c, 0) - other.get(c, 0)) for c in cells) / 2)
        destroyed.append(sum(map(abs, one.values())) / 2)
    return ratio(distances, destroyed)


def explained(x, at, ranks, folds, weights):
    """The variance of ranks that weighted ridge regressions without each fold explain."""
    wrong = around = 0.0
    x, at = np.array(x, float), np.array(at, float)
    mean = np.average(ranks, weights=weights)
    for fold in range(5):
        learn = folds != fold
        share = weights[learn] / weights[learn].sum()
        centre, level = share @ x[learn], share @ ranks[learn]
        gap = x[learn] - centre
        square = (gap.T * share) @ gap + 3 / learn.sum() * np.eye(x.shape[1])
        effects = np.linalg.solve(square, (gap.T * share) @ (ranks[learn] - level))
        guess = level + (at[~learn] - centre) @ effects
        wrong += (weights[~learn] * (ranks[~learn] - guess) ** 2).sum()
        around += (weights[~learn] * (ranks[~learn] - mean) ** 2).sum()
    return 1 - wrong / around


def interval(values, weights, units, strata):
    """The 95 % interval of a weighted mean, households drawn within strata."""
    total = sum(weights)
    mean = sum(w * v for v, w in zip(values, weights, strict=True)) / total
    variance = 0.0
    for stratum in sorted(set(strata)):
        sums = {}
        for v, w, unit, s in zip(values, weights, units, strata, strict=True):
            if s == stratum:
                sums[unit] = sums.get(unit, 0.0) + w * (v - mean) / total
        z, n = list(sums.values()), len(sums)
        middle = sum(z) / n if n > 1 else 0.0
        variance += (n / (n - 1) if n > 1 else 1) * sum((one - middle) ** 2 for one in z)
    half = 1.959963984540054 * math.sqrt(variance)
    return mean - half, mean + half


def overlap(one, other):
    """What two intervals have in common, relative to each and averaged."""
    common = max(min(one[1], other[1]) - max(one[0], other[0]), 0.0)
    return (common / (one[1] - one[0]) + common / (other[1] - other[0])) / 2
