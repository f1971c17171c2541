"""Slow twins of the exact search: every pair, one by one, as the definitions say."""

import math

import numpy as np


def gap(a, b, side="both"):
    return {"both": abs(a - b), "above": max(b - a, 0.0), "below": max(a - b, 0.0)}[side]


def squared(weight=1.0, side="both"):
    return lambda a, b: weight * (gap(a, b, side) * gap(a, b, side))


def absolute(weight=1.0, side="both"):
    return lambda a, b: weight * gap(a, b, side)


def levels(tolerances, costs, side="both"):
    def cost(a, b):
        for tolerance, level in zip(tolerances, costs, strict=False):
            if gap(a, b, side) <= tolerance:
                return level
        return costs[-1]

    cost.dearest = max((c for c in costs if not math.isinf(c)), default=0.0)
    return cost


def prorated(knots, costs, side="both", equal=None):
    def cost(a, b):
        if equal is not None and gap(a, b, side) <= knots[0]:
            return equal
        return float(np.interp(gap(a, b, side), knots, costs))

    return cost


def table(cells):
    def cost(a, b):
        return cells[int(a)][int(b)]

    cost.dearest = max((c for row in cells for c in row if not math.isinf(c)), default=0.0)
    return cost


def total(costs):
    score = 0.0
    for cost in costs:  # in attribute order, as the tie rule says
        score += cost
    return score


def choquet(values):
    def combine(costs):
        below, score = 0.0, 0.0
        for level in sorted(set(costs)):
            at_least = sum(1 << j for j, cost in enumerate(costs) if cost >= level)
            if values[at_least] > 0 and level > below:
                score += values[at_least] * (level - below)
            below = level
        return score

    return combine


def expected_costs(query, base, cost):
    """What a missing cell costs this query: the mean over the base's possible values.

    Where there is none, the dearest cost short of impossible; a fixed cost is that.
    """
    if getattr(cost, "missing", None) is not None:
        return cost.missing
    known = [b for b in base if b is not None]
    if not known:
        return 0.0
    sources = known if query is None else [query]
    pairs = [cost(a, b) for a in sources for b in known]
    possible = [c for c in pairs if not math.isinf(c)]
    return sum(possible) / len(possible) if possible else cost.dearest


def scores(queries, base, costs, combine=total, offset=None):
    """The matrix that the engine never makes; None is a missing cell."""
    columns = list(zip(*base, strict=True))
    out = np.empty((len(queries), len(base)))
    for i, query in enumerate(queries):
        missing = [expected_costs(query[j], columns[j], cost) for j, cost in enumerate(costs)]
        for row, candidate in enumerate(base):
            each = [
                missing[j]
                if query[j] is None or candidate[j] is None
                else cost(query[j], candidate[j])
                for j, cost in enumerate(costs)
            ]
            out[i, row] = combine(each) + (0.0 if offset is None else offset[row])
    return out


def ties(d, e, exact=False):
    if d == e or exact or math.isinf(d) or math.isinf(e):
        return d == e
    return abs(d - e) <= 1e-9 * max(abs(d), abs(e)) + 1e-12


def rank_of_truth(distances, truth, stop_at=None, exact=False):
    closer, tied = [], []
    for row, true in zip(distances, truth, strict=True):
        if true < 0 or row[true] == math.inf:
            closer.append(-1), tied.append(-1)
            continue
        same = [ties(d, row[true], exact) for d in row]
        nearer = sum(d < row[true] and not tie for d, tie in zip(row, same, strict=True))
        stopped = stop_at is not None and nearer >= stop_at
        closer.append(stop_at if stopped else nearer)
        tied.append(-1 if stopped else sum(same) - 1)
    return closer, tied


def nearest(distances, k, exact=False):
    rows, n_best = [], []
    for row in distances:
        possible = [i for i, d in enumerate(row) if not math.isinf(d)]
        best = min((row[i] for i in possible), default=None)
        best_rows = [i for i in possible if ties(row[i], best, exact)]
        rest = sorted(set(possible) - set(best_rows), key=lambda i: (row[i], i))
        rows.append(([*best_rows, *rest] + [-1] * k)[:k])
        n_best.append(len(best_rows))
    return rows, n_best


def density(distances):
    return [
        math.log(s) if (s := sum(math.exp(-d) for d in row)) else -math.inf for row in distances
    ]
