"""Files that share no attribute: every matching listed, every pair compared by itself."""

import itertools
import math
from collections import Counter
from itertools import permutations

import numpy as np
from scipy.stats import multivariate_normal, norm


def matchings(weights):
    """The log-weight of each way to give every record of the smaller file a partner."""
    weights = np.asarray(weights, float)
    if len(weights) > weights.shape[1]:
        weights = weights.T
    rows, columns = weights.shape
    for taken in permutations(range(columns), rows):
        yield taken, sum(weights[i, j] for i, j in enumerate(taken))


def free_energy(chance, weights):
    """Bethe's, of the probabilities of the pairs: rows, columns and pairs taken one by one."""

    def entropy(share):
        return -share * np.log(share) if share > 0 else 0.0

    alone = [*(1 - chance.sum(0)), *(1 - chance.sum(1))]
    pairs = sum(
        entropy(p) - entropy(1 - p) + p * w for p, w in zip(chance.flat, weights.flat, strict=True)
    )
    return pairs + sum(map(entropy, alone))


def log_sum(weights):
    """The log of the sum, over all matchings, of the products of exp(weights)."""
    every = [weight for _, weight in matchings(weights)]
    most = max(every)
    return most + math.log(math.fsum(math.exp(weight - most) for weight in every))


def log_mean(weights):
    """The log of the mean."""
    small, large = sorted(np.shape(weights))
    return log_sum(weights) - math.log(math.perm(large, small))


def chances(weights):
    """How often each pair is in a random matching."""
    weights = np.asarray(weights, float)
    if len(weights) > weights.shape[1]:
        return chances(weights.T).T
    found, total = np.zeros(weights.shape), log_sum(weights)
    for taken, weight in matchings(weights):
        found[np.arange(len(weights)), taken] += math.exp(weight - total)
    return found


def normal_ratio(mine, released, sizes, turns):
    """For each pair the log of how much likelier it is than one of strangers, by densities."""
    found = np.zeros((len(mine), len(released)))
    for size, left, right in zip(sizes, turns[0].T, turns[1].T, strict=True):
        u, v = np.meshgrid(mine @ left, released @ right, indexing="ij")
        joint = multivariate_normal([0, 0], [[1, size], [size, 1]])
        found += joint.logpdf(np.dstack([u, v])).reshape(found.shape)
        found -= norm.logpdf(u) + norm.logpdf(v)
    return found


def canonical_correlations(x, y):
    """The cosines of the angles between what the columns of x and those of y span."""
    left, right = (np.linalg.qr(own - own.mean(axis=0))[0] for own in (x, y))
    return np.linalg.svd(left.T @ right, compute_uv=False)


def known(values):
    return [value for value in values if not absent(value)]


def absent(value):
    return value is None or (isinstance(value, float) and math.isnan(value))


def copied(mine, released):
    """How likely a stranger has a value that is rare, how often values are copied, the surprise."""
    first, second = Counter(known(mine)), Counter(known(released))
    counted = max(counted_up(known(mine)), counted_up(known(released)))
    found = [found_again(*both, counted) for both in ((first, second), (second, first))]
    once, twice = (sum(1 for many in second.values() if many == n) for n in (1, 2))
    size = sum(second.values())
    rare = min((2 * twice + 0.5) / (max(once, 1) * size), 1 / size)
    chance = min(max(min(one[0] for one in found), 0.02), 0.98)
    return rare, chance, min(one[1] for one in found)


def found_again(here, there, counted):
    """The share of the values there that are here beyond chance, and by how many deviations."""
    seldom = [value for value in here | there if here[value] <= 4 and there[value] <= 4]
    n, m = (sum(counts[value] for value in seldom) for counts in (here, there))
    if not n or not m:
        return 0.0, 0.0
    once, twice = (sum(1 for value in seldom if here[value] == times) for times in (1, 2))
    covered = max((n - once + 1) / (n + 1), counted)
    shared = sum(there[value] for value in seldom if here[value])
    open_ = max(once + 2 * twice - once**2 / n, 3)
    variance = m * covered * (1 - covered) + (m / n) ** 2 * open_
    beyond = (shared / m - covered) / max(1 - covered, 1e-9)
    return beyond, (shared - m * covered) / math.sqrt(variance)


def counted_up(values):
    """The share of gaps between values, or digits of texts, that are the smallest."""
    if values and isinstance(values[0], str):
        digits = ["".join(sign for sign in value if sign.isdecimal())[-15:] for value in values]
        values = [float(each) for each in digits if each]
    ascending = sorted(set(values))
    gaps = [high - low for low, high in itertools.pairwise(ascending)]
    if len(gaps) < 2:
        return 0.0
    return sum(1 for gap in gaps if gap <= min(gaps) * (1 + 1e-9)) / len(gaps)


def copy_ratio(mine, released, chance, rare):
    """For each pair of values the log of how much likelier they are of one person.

    A released value is a copy with this chance, and else anybody's. How likely it is anybody's
    is told by how often it is released, as a power of 2; of one released once, by `rare`.
    """
    counts, size = Counter(known(released)), len(known(released))
    found = np.zeros((len(mine), len(released)))
    for i, own in enumerate(mine):
        for j, other in enumerate(released):
            if absent(own) or absent(other):
                continue
            power = round(math.log2(counts[other]))
            usual = 2.0**power / size if power else rare
            found[i, j] = math.log((chance / usual if own == other else 0.0) + 1 - chance)
    return found


def shape_gap(mine, released, *, turned=False):
    """The mean square by which standardised quantiles differ."""
    sides = []
    for own in (mine, -np.asarray(released) if turned else released):
        cells = np.array(known(np.asarray(own, float).tolist()))
        spread = cells.std(ddof=1)
        cells = (cells - cells.mean()) / (spread if spread else 1.0)
        sides.append(np.quantile(cells, np.arange(2, 99, 2) / 100))
    return float(np.mean((sides[0] - sides[1]) ** 2))
