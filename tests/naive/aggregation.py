"""Slow twins of fuzzy measures and of the operators: their definitions, set by set."""

from __future__ import annotations

from itertools import combinations, permutations
from math import factorial
from statistics import NormalDist, mean, stdev


def subsets(items):
    items = tuple(items)
    return [frozenset(s) for size in range(len(items) + 1) for s in combinations(items, size)]


def number(attributes):
    """The place of a set in a measure's values."""
    return sum(1 << attribute for attribute in attributes)


def moebius(values, n):
    """The alternating sum over the sets inside each set."""
    masses = [0.0] * (1 << n)
    for outer in subsets(range(n)):
        masses[number(outer)] = sum(
            (-1) ** len(outer - inner) * values[number(inner)] for inner in subsets(outer)
        )
    return masses


def shapley(values, n):
    """What each adds to those before it, averaged over all orders."""
    added = [0.0] * n
    for order in permutations(range(n)):
        for place, one in enumerate(order):
            before = number(order[:place])
            added[one] += values[before | 1 << one] - values[before]
    return [total / factorial(n) for total in added]


def interaction(values, n, attributes):
    """Grabisch's sum over the sets of the others."""
    chosen = frozenset(attributes)
    total = 0.0
    for others in subsets(set(range(n)) - chosen):
        added = sum(
            (-1) ** (len(chosen) - len(inner)) * values[number(inner | others)]
            for inner in subsets(chosen)
        )
        left = n - len(others) - len(chosen)
        total += factorial(left) * factorial(len(others)) / factorial(n - len(chosen) + 1) * added
    return total


def banzhaf(values, n):
    return [
        sum(
            values[number(others | {one})] - values[number(others)]
            for others in subsets(set(range(n)) - {one})
        )
        / 2 ** (n - 1)
        for one in range(n)
    ]


def choquet(numbers, values):
    """By Möbius masses: each set counts with the least of its numbers."""
    n = len(numbers)
    masses = moebius(values, n)
    return sum(
        masses[number(chosen)] * min(numbers[i] for i in chosen)
        for chosen in subsets(range(n))
        if chosen
    )


def sugeno(numbers, values):
    """Over all sets: the lesser of what a set weighs and of the least of its numbers."""
    return max(
        min(values[number(chosen)], *(numbers[i] for i in chosen))
        for chosen in subsets(range(len(numbers)))
        if chosen
    )


def owa(numbers, quantifier):
    descending, n = sorted(numbers, reverse=True), len(numbers)
    return sum(
        (float(quantifier((i + 1) / n)) - float(quantifier(i / n))) * value
        for i, value in enumerate(descending)
    )


def symmetric_sugeno(numbers, quantifier):
    descending, n = sorted(numbers, reverse=True), len(numbers)
    return max(min(float(quantifier((i + 1) / n)), value) for i, value in enumerate(descending))


def representatives(rows, scale, aggregate, quantifiers, *, zero):
    """Attributes scaled by their known values, records aggregated; None is missing."""
    columns = []
    for column in zip(*rows, strict=True):
        known = [value for value in column if value is not None]
        scaled = dict(zip(known, scale(known), strict=True))
        columns.append([scaled.get(value, 0.0 if zero else None) for value in column])
    kept = [[v for v in row if v is not None] for row in zip(*columns, strict=True)]
    return [[aggregate(row, q) if row else float("nan") for q in quantifiers] for row in kept]


def ranged(values):
    least, most = min(values, default=0), max(values, default=0)
    return [(v - least) / (most - least) if most > least else 0.0 for v in values]


def standardised(values):
    if len(set(values)) < 2:
        return [0.0 for _ in values]
    return [(v - mean(values)) / stdev(values) for v in values]


def normal_scores(values):
    """The normal quantile of the middle of each value's ties."""
    return [
        NormalDist().inv_cdf((sum(k < v for k in values) + sum(k <= v for k in values)) / 2 / n)
        for n in [len(values)]
        for v in values
    ]
