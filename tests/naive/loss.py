"""Slow twins of the measures of loss: one cell, one pair, one table cell at a time."""

import math
from collections import Counter

import numpy as np


def il1s(pairs):
    """Pairs of (original column, released column), row by row; NaN is missing."""
    gaps = []
    for x, y in pairs:
        s = np.std([v for v in x if not math.isnan(v)], ddof=1)
        gaps += [abs(a - b) / (math.sqrt(2) * s) for a, b in zip(x, y, strict=True)
                 if not math.isnan(a) and not math.isnan(b)]  # fmt: skip
    return sum(gaps) / len(gaps)


def pil(original, released, n=1000):
    """The five families of PIL of two tables without missing cells, columns as lists."""

    def likely(t, u, se):
        return math.erf(abs(u - t) / max(se, 1e-6 * unit) / math.sqrt(2))

    found = {name: [] for name in ("quantiles", "means", "variances", "covariances",
                                   "correlations")}  # fmt: skip
    for x, y in zip(original, released, strict=True):
        unit = s = np.std(x, ddof=1)
        found["means"].append(likely(np.mean(x), np.mean(y), s / math.sqrt(n)))
        unit = s * s
        fourth = np.mean([(v - np.mean(x)) ** 4 for v in x])
        se = math.sqrt(max(fourth - s**4, 0) / n)
        found["variances"].append(likely(s * s, np.var(y, ddof=1), se))
        unit = s
        for q in range(5, 100, 5):
            a, b = np.quantile(x, q / 100), np.quantile(y, q / 100)
            se = min(math.sqrt(q / 100 * (1 - q / 100) / n) / max(_density(x, a, n), 1e-300), s)
            found["quantiles"].append(likely(a, b, se))
    for j in range(len(original)):
        for k in range(j + 1, len(original)):
            (a, b), (c, d) = (original[j], original[k]), (released[j], released[k])
            before, after = np.cov(a, b), np.cov(c, d)
            unit = math.sqrt(before[0, 0] * before[1, 1])
            both = [(u - np.mean(a)) ** 2 * (v - np.mean(b)) ** 2
                    for u, v in zip(a, b, strict=True)]  # fmt: skip
            se = math.sqrt(max(np.mean(both) - before[0, 1] ** 2, 0) / n)
            found["covariances"].append(likely(before[0, 1], after[0, 1], se))
            unit = 1
            r, s = (m[0, 1] / math.sqrt(m[0, 0] * m[1, 1]) for m in (before, after))
            found["correlations"].append(likely(r, s, (1 - r * r) / math.sqrt(n)))
    return {name: np.mean(values) for name, values in found.items()}


def _density(x, at, n):
    ordered = sorted(x)
    grid = [ordered[max(math.ceil((i + 0.5) / n * len(x)) - 1, 0)] for i in range(n)]
    s, iqr = np.std(x, ddof=1), np.quantile(x, 0.75) - np.quantile(x, 0.25)
    h = 0.9 * (min(s, iqr / 1.34) if iqr > 0 else s) * n**-0.2
    return (
        np.mean([math.exp(-0.5 * ((at - v) / h) ** 2) for v in grid]) / h / math.sqrt(2 * math.pi)
    )


def total_variation(mine, released):
    """Of two lists of anything."""
    p, q = Counter(mine), Counter(released)
    return sum(abs(p[c] / len(mine) - q[c] / len(released)) for c in p | q) / 2


def tenth(value, base):
    """How many of the distinct deciles lie below a value."""
    ordered = sorted(v for v in base if not math.isnan(v))
    edges = {ordered[max(math.ceil(t * len(ordered) / 10) - 1, 0)] for t in range(1, 10)}
    return "missing" if math.isnan(value) else sum(edge < value for edge in edges)


def entropy_lost(mine, released):
    """H(X | X') / H(X), one released category after the other."""
    n = len(mine)

    def entropy(cells):
        shares = [m / len(cells) for m in Counter(cells).values()]
        return -sum(p * math.log(p) for p in shares)

    left = 0.0
    for category in set(released):
        here = [a for a, b in zip(mine, released, strict=True) if b == category]
        left += len(here) / n * entropy(here)
    return left / entropy(mine)


def discernibility(mine, released, gone):
    """Rows as tuples, and how many are discarded: each record against each other."""
    every = len(released) + gone
    before = sum(a == b for a in mine for b in mine) / len(mine) ** 2
    after = (sum(a == b for a in released for b in released) + gone * every) / every**2
    return max(after - before, 0) / (1 - before) if before < 1 else None


def class_size(mine, released):
    """How much larger classes are on average: rows as tuples."""
    before, after = (len(rows) / len(set(rows)) for rows in (mine, released))
    return max(1 - before / after, 0)


def stars(mine, released):
    """Of the pairs of cells that were told, the share that is a star now."""
    told = [new for old, new in zip(mine, released, strict=True) if old not in (None, "*")]
    return sum(new == "*" for new in told) / len(told)
