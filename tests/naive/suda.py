"""Minimal sample uniques by looking at every set of attributes of every record."""

from collections import Counter
from itertools import combinations


def minimal_uniques(rows):
    """For each record the sets of attributes in which it is alone, and in no part of them."""
    m = len(rows[0])
    found = [[] for _ in rows]
    for size in range(1, m + 1):
        for chosen in combinations(range(m), size):
            seen = Counter(tuple(row[i] for i in chosen) for row in rows)
            for record, row in enumerate(rows):
                alone = seen[tuple(row[i] for i in chosen)] == 1
                if alone and not any(set(one) < set(chosen) for one in found[record]):
                    found[record].append(chosen)
    return found


def score(sets, keys, most):
    """The sum over the sets of (A - k)(A - k - 1) ... (A - M); a set of all attributes scores 1."""
    total = 0
    for one in sets:
        if len(one) <= most:
            product = 1
            for i in range(len(one), min(most, keys - 1) + 1):
                product *= keys - i
            total += product
    return total
