"""Households as units: alike by their members, masked as one record each."""

from __future__ import annotations

from collections import Counter
from itertools import product

from naive.mondrian import mondrian


def households(homes):
    """The rows of each household; None is a household by itself."""
    found = {}
    for row, home in enumerate(homes):
        found.setdefault(("alone", row) if home is None else home, []).append(row)
    return list(found.values())


def equal_households(rows, homes):
    """For each household, by its rows, how many have as many members with the same cells."""
    members = households(homes)
    contents = [tuple(sorted(tuple(map(repr, rows[i])) for i in own)) for own in members]
    counts = Counter(contents)
    return {tuple(own): counts[one] for own, one in zip(members, contents, strict=True)}


def tables(rows, homes, shared, k):
    """For each size that k households have: its columns (key, member), members, wide rows."""
    values = [len(set(column)) for column in zip(*rows, strict=True)]
    keys = sorted(range(len(values)), key=lambda j: -values[j])
    own = [j for j in keys if not shared[j]]
    members = [sorted(h, key=lambda i: [rows[i][j] for j in own[::-1]]) for h in households(homes)]
    for size in sorted({len(household) for household in members}):
        some = [household for household in members if len(household) == size]
        if len(some) < k:
            continue
        columns = [(j, m) for j in own for m in range(size)]
        columns += [(j, 0) for j in keys if shared[j]]
        yield columns, some, [[rows[h[m]][j] for j, m in columns] for h in some]


def mondrian_of_households(rows, homes, shared, k):
    """For each released row its lowest and highest value in each key."""
    ranges = [max(column) - min(column) or 1 for column in zip(*rows, strict=True)]
    released = {}
    for columns, members, wide in tables(rows, homes, shared, k):
        for group in mondrian(wide, k, [ranges[j] for j, _ in columns]):
            of_columns = zip(*(wide[i] for i in group), strict=True)
            for (j, m), values in zip(columns, of_columns, strict=True):
                for i in group:
                    for row in members[i] if shared[j] else [members[i][m]]:
                        released.setdefault(row, {})[j] = (min(values), max(values))
    return released


def fewest_stars(rows, homes, shared, k):
    """The least cells that have to be stars, by trying every choice of shown columns."""
    total = 0
    for columns, members, wide in tables(rows, homes, shared, k):
        size = len(members[0])
        costs = [size if shared[j] else 1 for j, _ in columns]
        best = None
        for choice in product(product((True, False), repeat=len(columns)), repeat=len(wide)):
            cells = [
                tuple(c if shown else "*" for c, shown in zip(row, own, strict=True))
                for row, own in zip(wide, choice, strict=True)
            ]
            if min(Counter(cells).values()) >= k:
                cost = sum(
                    c for own in choice for c, shown in zip(costs, own, strict=True) if not shown
                )
                best = cost if best is None else min(best, cost)
        total += best
    return total
