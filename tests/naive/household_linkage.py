"""Households compared by every assignment of their members, one after another."""

from itertools import permutations

import numpy as np

TIE = 1e-9


def assignments(n, m):
    """Every way to give each of the fewer another one of the more, as pairs (first, second)."""
    if n <= m:
        return [list(enumerate(chosen)) for chosen in permutations(range(m), n)]
    return [[(b, a) for a, b in way] for way in assignments(m, n)]


def best_assignment(costs):
    """The least total, and for each pair how much more it costs to include it."""
    n, m = costs.shape
    least, forced = np.inf, np.full((n, m), np.inf)
    for way in assignments(n, m):
        total = sum(costs[pair] for pair in way)
        least = min(least, total)
        for pair in way:
            forced[pair] = min(forced[pair], total)
    with np.errstate(invalid="ignore"):
        return least, forced - least


def household_costs(search):
    """What all pairs of households cost, by brute force, and the forced costs of their members."""
    queries, base = search.queries, search.base
    costs, forced = np.full(search.sizes, np.inf), {}
    for i in range(len(queries)):
        for j in range(len(base)):
            mine, theirs = queries.members(i), base.members(j)
            if search.absent is None and len(mine) != len(theirs):
                continue
            pairs = np.array([[member_cost(search, a, b) for b in theirs] for a in mine])
            total, forced[i, j] = best_assignment(pairs)
            if search.absent is not None:
                total += search.absent.queries[mine].sum() + search.absent.base[theirs].sum()
            if search.shared is not None:
                total += search.shared.costs(np.array([i]), np.array([j]))[0]
            costs[i, j] = total
    return costs, forced


def member_cost(search, query, row):
    """The cost of two persons; beyond their absence, where somebody may be absent."""
    if search.members is None:
        cost = 0.0
    else:
        cost = search.members.costs(np.array([query]), np.array([row]))[0]
    if search.absent is None:
        return cost
    return min(cost - search.absent.queries[query] - search.absent.base[row], 0.0)


def rank(scores, own):
    """How many scores are lower than one of them, and how many others tie with it."""
    near = TIE * np.maximum(np.abs(scores), abs(scores[own])) + 1e-12
    tied = np.isfinite(scores) & (np.abs(scores - scores[own]) <= near)
    return int(((scores < scores[own]) & ~tied).sum()), int(tied.sum()) - 1


def chance(scores, own):
    """How often the lowest of some scores is a given one, where ties are broken by lot."""
    if np.isinf(scores[own]):
        return 0.0
    closer, tied = rank(scores, own)
    return 1 / (1 + tied) if closer == 0 else 0.0


def household_hits(costs, households, groups, record_of_row, *, reverse):
    """The expected hit of each household of the original by what its links cost.

    A link between a household and a group counts the share of the candidate's rows that are the
    other's. Households without a released row are left out.
    """
    owner = np.where(record_of_row >= 0, households[np.maximum(record_of_row, 0)], -1)
    hits = {}
    for home in sorted(set(owner[owner >= 0].tolist())):
        hits[home] = 0.0
        for group in sorted(set(groups[owner == home].tolist())):
            common = ((owner == home) & (groups == group)).sum()
            if reverse:
                share = common / (owner == home).sum()
                hits[home] += share * chance(costs[group], home)
            else:
                share = common / ((owner >= 0) & (groups == group)).sum()
                hits[home] += share * chance(costs[home], group)
    return hits


def lone_hits(costs, households, record_of_row, *, reverse):
    """The same where rows stand alone: one member is linked, and any member's row is right."""
    owner = np.where(record_of_row >= 0, households[np.maximum(record_of_row, 0)], -1)
    hits = {}
    for home in sorted(set(owner[owner >= 0].tolist())):
        rows, persons = np.flatnonzero(owner == home), np.flatnonzero(households == home)
        if reverse:
            asked, right = rows, persons
        else:
            asked, right = np.unique(record_of_row[rows]), rows
        found = [sum(chance(costs[one], other) for other in right) for one in asked]
        hits[home] = float(np.mean(found))
    return hits


def person_hits(search, truth):
    """The expected hit of each person: the household is right, and the member in it."""
    costs, forced = household_costs(search)
    hits = np.zeros(len(truth))
    for person, row in enumerate(truth):
        if row < 0:
            continue
        i, j = search.queries.of_record[person], search.base.of_record[row]
        if np.isinf(costs[i, j]):
            continue
        closer, tied = rank(costs[i], j)
        mine, theirs = search.queries.members(i), search.base.members(j)
        extra = forced[i, j][list(mine).index(person)]
        within, alike = rank(extra, list(theirs).index(row))
        if closer == within == 0:
            hits[person] = 1 / (1 + tied) / (1 + alike)
    return hits
