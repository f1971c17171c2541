"""The cheapest assignment of the members of two households, for many pairs of households.

Shortest augmenting paths (the Hungarian method): the smaller side is the rows, each of which gets a
column. Potentials u and v keep every reduced cost, cost - u - v, at 0 or more; it is 0 for assigned
pairs, and v is 0 for columns that no row has.
"""

from typing import NamedTuple

import numpy as np

from unveil.support.arrays import Floats, Ints
from unveil.support.compile import kernel, part


class MemberPairs(NamedTuple):
    """The costs between the members of pairs of households, one pair after another."""

    starts: Ints  # where the costs of a pair begin
    queries: Ints  # members of its first household
    candidates: Ints  # members of its second household
    costs: Floats  # all candidates of the first query, then of the second


class Workspace(NamedTuple):
    """Arrays of one thread, with room for the largest household; entry 0 is no row or column."""

    u: Floats  # potentials of the rows
    v: Floats  # potentials of the columns
    least: Floats  # the least reduced cost of each column so far
    row: Ints  # the row that has each column, 0 for none
    column: Ints  # the column of each row
    before: Ints  # the column before each on the shortest path
    seen: Ints
    paths: Floats  # rows x rows: the cheapest way to the column of another row
    leave: Floats  # the cheapest way of each row to a free column
    enter: Floats  # the cheapest way to free the column of each row


@part()
def cost_of(pairs: MemberPairs, pair: int, row: int, column: int) -> float:
    """The cost of a row and a column, both from 1; the smaller side is the rows."""
    start, width = pairs.starts[pair], pairs.candidates[pair]
    if pairs.queries[pair] <= width:
        return pairs.costs[start + (row - 1) * width + column - 1]
    return pairs.costs[start + (column - 1) * width + row - 1]


@part()
def solve(pairs: MemberPairs, pair: int, w: Workspace) -> float:
    """The least total cost of an assignment; the workspace has the assignment and potentials."""
    n_rows = min(pairs.queries[pair], pairs.candidates[pair])
    n_columns = max(pairs.queries[pair], pairs.candidates[pair])
    for i in range(n_rows + 1):
        w.u[i] = 0.0
    for j in range(n_columns + 1):
        w.v[j] = 0.0
        w.row[j] = 0
    for i in range(1, n_rows + 1):
        w.row[0] = i
        end = 0
        for j in range(n_columns + 1):
            w.least[j] = np.inf
            w.seen[j] = 0
        while True:
            w.seen[end] = 1
            at, nearest, step = w.row[end], 0, np.inf
            for j in range(1, n_columns + 1):
                if w.seen[j] == 0:
                    reduced = cost_of(pairs, pair, at, j) - w.u[at] - w.v[j]
                    if reduced < w.least[j]:
                        w.least[j] = reduced
                        w.before[j] = end
                    if w.least[j] < step:
                        step = w.least[j]
                        nearest = j
            for j in range(n_columns + 1):
                if w.seen[j] == 1:
                    w.u[w.row[j]] += step
                    w.v[j] -= step
                else:
                    w.least[j] -= step
            end = nearest
            if w.row[end] == 0:
                break
        while end != 0:
            w.row[end] = w.row[w.before[end]]
            end = w.before[end]
    total = 0.0
    for j in range(1, n_columns + 1):
        if w.row[j] > 0:
            w.column[w.row[j]] = j
            total += cost_of(pairs, pair, w.row[j], j)
    return total


@kernel()
def assign(pairs: MemberPairs, totals: Floats, w: Workspace, start: int, stop: int) -> None:
    """The least total cost of each pair of households."""
    for pair in range(start, stop):
        first, n = pairs.starts[pair], pairs.queries[pair]
        if n == 1 and pairs.candidates[pair] == 1:
            totals[pair] = pairs.costs[first]
        elif n == 2 and pairs.candidates[pair] == 2:
            straight = pairs.costs[first] + pairs.costs[first + 3]
            crossed = pairs.costs[first + 1] + pairs.costs[first + 2]
            totals[pair] = min(straight, crossed)
        else:
            totals[pair] = solve(pairs, pair, w)


@part()
def reroute(pairs: MemberPairs, pair: int, w: Workspace) -> None:
    """The cheapest ways by which rows exchange columns, once an assignment is solved."""
    n_rows = min(pairs.queries[pair], pairs.candidates[pair])
    n_columns = max(pairs.queries[pair], pairs.candidates[pair])
    for a in range(1, n_rows + 1):
        w.leave[a] = np.inf
        for j in range(1, n_columns + 1):
            reduced = max(cost_of(pairs, pair, a, j) - w.u[a] - w.v[j], 0.0)
            if w.row[j] == 0:
                w.leave[a] = min(w.leave[a], reduced)
            else:
                w.paths[a, w.row[j]] = reduced
        w.paths[a, a] = 0.0
    for by in range(1, n_rows + 1):
        for a in range(1, n_rows + 1):
            for b in range(1, n_rows + 1):
                w.paths[a, b] = min(w.paths[a, b], w.paths[a, by] + w.paths[by, b])
    for a in range(1, n_rows + 1):
        out, into = np.inf, np.inf
        for b in range(1, n_rows + 1):
            out = min(out, w.paths[a, b] + w.leave[b])
            into = min(into, w.paths[b, a] - w.v[w.column[b]])
        w.least[a] = out
        w.enter[a] = into
    for a in range(1, n_rows + 1):
        w.leave[a] = w.least[a]


@kernel()
def forced_costs(pairs: MemberPairs, extra: Floats, w: Workspace, start: int, stop: int) -> None:
    """The additional cost of the best assignment for each forced query and candidate."""
    for pair in range(start, stop):
        solve(pairs, pair, w)
        reroute(pairs, pair, w)
        first, width = pairs.starts[pair], pairs.candidates[pair]
        turned = pairs.queries[pair] > width
        for query in range(pairs.queries[pair]):
            for candidate in range(width):
                i, j = (candidate + 1, query + 1) if turned else (query + 1, candidate + 1)
                other = w.row[j]
                if other == i:
                    more = 0.0
                else:
                    more = max(cost_of(pairs, pair, i, j) - w.u[i] - w.v[j], 0.0)
                    if other == 0:
                        more += w.enter[i]
                    else:
                        more += min(w.paths[other, i], w.leave[other] + w.enter[i])
                extra[first + query * width + candidate] = more
