"""Log-linear models of small tables as they are defined, cell by cell."""

from itertools import product
from math import exp, factorial

import numpy as np


def design(shape, terms):
    """One column for each value of each term; one row for each cell."""
    places = [
        (term, values)
        for term in terms
        for values in product(*(range(shape[axis]) for axis in term))
    ]
    rows = [
        [float(all(cell[a] == v for a, v in zip(*place, strict=True))) for place in places]
        for cell in product(*map(range, shape))
    ]
    return np.array(rows)


def poisson_means(shape, terms, counts, steps=60):
    """The means of maximum likelihood, by Newton's method."""
    x, mean = design(shape, terms), np.asarray(counts, float) + 0.5
    for _ in range(steps):
        working = np.log(mean) + (counts - mean) / mean
        root = np.sqrt(mean)[:, None]
        mean = np.exp(x @ np.linalg.lstsq(x * root, working * root[:, 0], rcond=1e-12)[0])
    return mean


def estimation_variance(shape, terms, mean, gradient):
    """The variance of a sum by the inverse of the information."""
    x = design(shape, terms)
    inverse = np.linalg.pinv(x.T @ (mean[:, None] * x))
    return float((gradient @ x) @ inverse @ (x.T @ gradient))


def inverse_moment(records, unseen, power):
    """The mean of F^-power, summed over the Poisson law."""
    return sum(exp(-unseen) * unseen**n / factorial(n) / (records + n) ** power for n in range(120))


def minimum_errors(counts, mean, pi):
    """B1 and B2 and their variances, by numeric derivatives of the risks of a sample unique."""

    def unique(people):
        return exp(-people * (1 - pi))

    def inverse(people):
        a = people * (1 - pi)
        return (1 - exp(-a)) / a

    found = []
    for risk in (unique, inverse):
        bias = variance = 0.0
        for f, mu in zip(counts, mean, strict=True):
            people, step = mu / pi, 1e-3 * mu / pi
            low, here, high = (risk(people + move) for move in (-step, 0, step))
            first, second = (high - low) / (2 * step), (high - 2 * here + low) / step**2
            likely = people * exp(-mu)
            a, b = -likely * first, likely * second / (2 * pi)
            bias += a * (f - mu) + b * ((f - mu) ** 2 - f)
            variance += a**2 * mu + 2 * b**2 * mu**2
        found.append((bias, variance))
    return found


def match_probability(people, changes, fraction):
    """The probability of a match by the odds of each person to be the record in the sample."""
    odds = [
        [fraction * one / (1 - fraction * one) if fraction * one < 1 else np.inf for one in row]
        for row in changes
    ]
    found = []
    for key in range(len(people)):
        total = sum(n * row[key] for n, row in zip(people, odds, strict=True))
        found.append(odds[key][key] / total if people[key] and odds[key][key] else 0.0)
    return found


def fellegi_sunter(people, changes):
    """The posterior of a match of all pairs that agree on a key, by expected counts of pairs."""
    matches = [n * changes[key][key] for key, n in enumerate(people)]
    released = [
        sum(n * row[key] for n, row in zip(people, changes, strict=True))
        for key in range(len(people))
    ]
    pairs = [n * there for n, there in zip(people, released, strict=True)]
    return [a / b if a else 0.0 for a, b in zip(matches, pairs, strict=True)]


def moved(values, law, size):
    """The probability of each value to be replaced by each other: every position, every step."""
    ascending, found = sorted(values), np.zeros((size, size))
    for place, value in enumerate(ascending):
        for step, chance in enumerate(law, 1):
            for to in (place - step, place + step):
                if 0 <= to < len(ascending):
                    found[value, ascending[to]] += chance
    return found / found.sum(axis=1, keepdims=True)
