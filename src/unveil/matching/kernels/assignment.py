"""Minimum-cost assignment of rows to columns with capacities, on a sparse graph.

Every column has a price. A row pays the edge's cost plus that price; it uses only edges on which
this sum is minimal (the row's value), or stays unassigned at a price that is the same for all rows.
While this holds, no assignment of as many rows is cheaper. Auction bids assign most rows; shortest
paths (`shortest_paths`) assign the others.
"""

from typing import NamedTuple

import numpy as np

from unveil.support.arrays import Floats, Ints, Ints32
from unveil.support.compile import kernel, part

SUM_ROUNDING = 1e-14  # a share of two numbers by which their sum may be off
END, OUT = -1, -2  # the end of a list; not in a list


class AssignmentGraph(NamedTuple):
    """The possible pairs of rows and columns with their costs: edges, grouped by row."""

    starts: Ints
    rows: Ints32
    columns: Ints32
    costs: Floats


class Assignment(NamedTuple):
    """The assignment so far, and the prices that prove it optimal."""

    flow: Ints  # how many of the row have the column, for each edge
    left: Ints  # how many of each row have nothing
    room: Ints  # how many places of each column are free
    values: Floats  # the least that a column costs each row, or staying out
    prices: Floats
    first: Ints32  # a list for each column: the edges in use, and some that were
    after: Ints32


@part()
def use_edge(graph: AssignmentGraph, plan: Assignment, edge: int, amount: int) -> None:
    """Increase the flow of an edge, and list it with its column."""
    plan.flow[edge] += amount
    if plan.after[edge] == OUT:
        column = graph.columns[edge]
        plan.after[edge] = plan.first[column]
        plan.first[column] = edge


@part()
def next_used(plan: Assignment, column: int, edge: int) -> int:
    """The next edge with flow in the column's list, or its first; unlinks edges without flow."""
    found = plan.first[column] if edge == END else plan.after[edge]
    while found != END and plan.flow[found] == 0:
        follows = plan.after[found]
        plan.after[found] = OUT
        found = follows
    if edge == END:
        plan.first[column] = found
    else:
        plan.after[edge] = found
    return found


@kernel()
def settle(graph: AssignmentGraph, plan: Assignment, outside: float) -> None:
    """Compute each row's value from the prices; drop flow that costs more than its row's value.

    Updates `left`, `room` and the lists. Prices and flow are the input; all else may be new.
    """
    plan.first[:] = END
    plan.after[:] = OUT
    for row in range(len(plan.left)):
        value = outside
        for edge in range(graph.starts[row], graph.starts[row + 1]):
            value = min(value, graph.costs[edge] + plan.prices[graph.columns[edge]])
        plan.values[row] = value
        for edge in range(graph.starts[row], graph.starts[row + 1]):
            amount, column = plan.flow[edge], graph.columns[edge]
            if amount == 0:
                continue
            plan.flow[edge] = 0
            cost, price = graph.costs[edge], plan.prices[column]
            if cost + price <= value + SUM_ROUNDING * (abs(cost) + abs(price)):
                use_edge(graph, plan, edge, amount)
                plan.left[row] -= amount
                plan.room[column] -= amount


@kernel()
def bid(
    graph: AssignmentGraph,
    plan: Assignment,
    sides: tuple[Ints, Ints],
    outside: float,
    most: int,
    queue: Ints32,
) -> None:
    """Auction: each unassigned single row takes its best column, at the price of the second best.

    The previous row of that column becomes unassigned and bids in turn; there are at most `most`
    bids. A row that is indifferent between two columns of other rows stays unassigned, and so does
    a row that stands for several records. `sides` are supply and capacity; `queue` is scratch.
    """
    supply, capacity = sides
    head, size, bids, n = 0, 0, 0, len(queue)
    for row in range(n):
        if plan.left[row] > 0 and supply[row] == 1:
            queue[size] = row
            size += 1
    while size > 0 and bids < most:
        row = queue[head]
        head = head + 1 if head + 1 < n else 0
        size -= 1
        bids += 1
        best, value, second = -1, np.inf, outside
        for edge in range(graph.starts[row], graph.starts[row + 1]):
            cost = graph.costs[edge] + plan.prices[graph.columns[edge]]
            if cost < value:
                second = min(second, value)
                best, value = edge, cost
            elif cost < second:
                second = cost
        if value >= outside:
            continue
        column = graph.columns[best]
        if plan.room[column] > 0:
            plan.room[column] -= 1
            plan.values[row] = value
        elif capacity[column] == 1 and second > value:
            edge = next_used(plan, column, END)
            owner = graph.rows[edge]
            if supply[owner] > 1:
                continue
            plan.flow[edge] = 0
            plan.left[owner] = 1
            plan.prices[column] += second - value
            plan.values[row] = second
            queue[head + size if head + size < n else head + size - n] = owner
            size += 1
        else:
            continue
        use_edge(graph, plan, best, 1)
        plan.left[row] = 0
