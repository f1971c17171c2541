"""Privacy models by their definitions, class by class and row by row."""

from __future__ import annotations

from collections import Counter
from math import exp, inf, log

import numpy as np


def classes(rows):
    """Records with equal rows."""
    found = {}
    for place, row in enumerate(rows):
        found.setdefault(tuple(row), []).append(place)
    return list(found.values())


def size(values):
    return float(len(values))


def distinct(values):
    return float(len(set(values)))


def entropy(values):
    shares = [many / len(values) for many in Counter(values).values()]
    return exp(-sum(p * log(p) for p in shares))


def recursive(values, least):
    counts = sorted(Counter(values).values(), reverse=True)
    rest = sum(counts[least - 1 :])
    return counts[0] / rest if rest else inf


def share(values):
    return max(Counter(values).values()) / len(values)


def equal_distance(values, everybody):
    mine, all_ = Counter(values), Counter(everybody)
    return sum(abs(mine[v] / len(values) - all_[v] / len(everybody)) for v in all_) / 2


def ordered_distance(values, everybody):
    """Earth mover's, neighbours in the list of all values being one step apart; -1 is nowhere."""
    values, everybody = ([v for v in some if v >= 0] for some in (values, everybody))
    listed = sorted(set(everybody))
    if not values or len(listed) < 2:
        return 0.0
    mine, all_ = Counter(values), Counter(everybody)
    apart = np.cumsum([mine[v] / len(values) - all_[v] / len(everybody) for v in listed])
    return float(np.abs(apart).sum() / (len(listed) - 1))


def fitting(rows, star):
    """For each row how many fit it, a star on either side fitting anything."""
    return [
        sum(
            all(a == b or star in (a, b) for a, b in zip(row, other, strict=True)) for other in rows
        )
        for row in rows
    ]


def assignable(fits):
    """The pairs of a row and a record that some assignment of every row to a record contains.

    Each pair is taken out with both its ends; the other rows must still find a record each.
    """
    many, records = len(fits), len(fits[0])
    return [
        [
            bool(fits[i][j])
            and _all_find_one(
                [
                    [k for k in range(records) if fits[h][k] and k != j]
                    for h in range(many)
                    if h != i
                ]
            )
            for j in range(records)
        ]
        for i in range(many)
    ]


def _all_find_one(choices):
    owner = {}

    def find(row, seen):
        for record in choices[row]:
            if record not in seen:
                seen.add(record)
                if record not in owner or find(owner[record], seen):
                    owner[record] = row
                    return True
        return False

    return all(find(row, set()) for row in range(len(choices)))
