"""One-to-one matching on the table of all costs, each record and candidate by itself."""

import numpy as np
from scipy.optimize import linear_sum_assignment


def expand(costs, supply, capacity):
    """A row for each record and a column for each candidate."""
    return np.repeat(np.repeat(costs, supply, axis=0), capacity, axis=1)


def least(costs, supply, capacity):
    """How many can be matched at most, and the least cost of so many."""
    table = expand(costs, supply, capacity)
    possible = np.isfinite(table)
    if not possible.any():
        return 0, 0.0
    spread = np.ptp(table[possible]) or 1.0
    dear = table[possible].max() + spread * (min(table.shape) + 1)
    rows, columns = linear_sum_assignment(np.where(possible, table, dear))
    kept = possible[rows, columns]
    return int(kept.sum()), float(table[rows[kept], columns[kept]].sum())


def differing(costs, supply, capacity):
    """For each row whether the cheapest matchings have more than one way for its records.

    A way is a column or none; it is one if the rest, without a record and its place, can be
    matched so that nothing is lost.
    """
    best = least(costs, supply, capacity)
    scale = 1e-9 * np.abs(costs[np.isfinite(costs)]).max(initial=0.0)

    def is_way(i, j):
        one = supply - (np.arange(len(supply)) == i), capacity - (np.arange(len(capacity)) == j)
        matched, cost = least(costs, *one)
        return (matched, True) == (
            best[0] - (j >= 0),
            abs(cost + (costs[i, j] if j >= 0 else 0.0) - best[1]) <= scale,
        )

    ways = [
        [j for j in [-1, *np.flatnonzero(np.isfinite(row) & (capacity > 0))] if is_way(i, j)]
        if supply[i] > 0
        else []
        for i, row in enumerate(costs)
    ]
    return [len(each) > 1 for each in ways]
