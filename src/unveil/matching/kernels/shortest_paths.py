"""Rows assigned one after the other, each by the shortest augmenting path to a free place.

A row takes a column, the column's previous row takes another, and so on. The length of an edge is
its cost above the row's value (Dijkstra). Prices along the path rise by the least amount that keeps
every row at its cheapest column.
"""

from typing import NamedTuple

import numpy as np

from unveil.matching.kernels.assignment import END, Assignment, AssignmentGraph, next_used, use_edge
from unveil.support.arrays import Floats, Ints32
from unveil.support.compile import kernel, part

SOURCE, UNSEEN = -1, -2


class PathScratch(NamedTuple):
    """The scratch memory of a search."""

    reach: Floats  # how far each column is; infinite where not seen
    incoming: Ints32  # the edge that leads to each column
    back: Ints32  # the used edge that leads back to each row
    heap: Ints32  # columns, the nearest first
    place: Ints32  # of each column in the heap
    seen: Ints32  # columns
    passed: Ints32  # columns whose distance is certain
    rows: Ints32  # those entered, the source first


@part()
def rise(scratch: PathScratch, at: int) -> None:
    """Move a column up the heap to its place."""
    heap, place, reach = scratch.heap, scratch.place, scratch.reach
    column = heap[at]
    key = reach[column]
    while at > 0:
        above = (at - 1) >> 1
        if reach[heap[above]] <= key:
            break
        heap[at] = heap[above]
        place[heap[at]] = at
        at = above
    heap[at] = column
    place[column] = at


@part()
def pop(scratch: PathScratch, size: int) -> int:
    """Remove the nearest column from a heap of this size, and return it."""
    heap, place, reach = scratch.heap, scratch.place, scratch.reach
    nearest, column = heap[0], heap[size - 1]
    key, at, below = reach[column], 0, 1
    while below < size - 1:
        if below + 1 < size - 1 and reach[heap[below + 1]] < reach[heap[below]]:
            below += 1
        if reach[heap[below]] >= key:
            break
        heap[at] = heap[below]
        place[heap[at]] = at
        at, below = below, 2 * below + 1
    heap[at] = column
    place[column] = at
    return nearest


@part()
def scan(
    graph: AssignmentGraph,
    plan: Assignment,
    row: int,
    path: tuple[float, int, int],
    at: tuple[float, int, int],
    scratch: PathScratch,
) -> tuple[tuple[float, int, int], int, int]:
    """Relax the edges of a row; returns the shortest path so far, and the sizes of the lists.

    `path` is a length, the last edge and the row that it leaves; `at` is the distance of this row,
    the number of columns in the heap, and the number of columns seen.
    """
    length, last, turn = path
    distance, size, seen = at
    value = plan.values[row]
    for edge in range(graph.starts[row], graph.starts[row + 1]):
        column = graph.columns[edge]
        far = distance + max(graph.costs[edge] + plan.prices[column] - value, 0.0)
        if far >= length or far >= scratch.reach[column]:
            continue
        if plan.room[column] > 0:
            length, last, turn = far, edge, row
            continue
        if scratch.reach[column] == np.inf:
            scratch.seen[seen] = column
            scratch.heap[size] = column
            scratch.place[column] = size
            seen += 1
            size += 1
        scratch.reach[column] = far
        scratch.incoming[column] = edge
        rise(scratch, scratch.place[column])
    return (length, last, turn), size, seen


@part()
def go_back(
    graph: AssignmentGraph, plan: Assignment, column: int, rows: int, scratch: PathScratch
) -> int:
    """Enter the rows assigned to a column, each once; returns the number of rows entered so far."""
    edge = next_used(plan, column, END)
    while edge != END:
        row = graph.rows[edge]
        if scratch.back[row] == UNSEEN:
            scratch.back[row] = edge
            scratch.rows[rows] = row
            rows += 1
        edge = next_used(plan, column, edge)
    return rows


@part()
def search(
    graph: AssignmentGraph, plan: Assignment, outside: float, source: int, scratch: PathScratch
) -> tuple[int, int, int, int, int]:
    """The shortest path from a row to a free place, or to a row that becomes unassigned instead.

    Returns its last edge (END: the row becomes unassigned), its last row, the numbers of rows
    entered, columns seen and edges examined. Prices of columns nearer than the path's end rise by
    the difference.
    """
    path, distance = (outside - plan.values[source], END, source), 0.0
    scratch.back[source], scratch.rows[0] = SOURCE, source
    scanned, rows, size, seen, passed, looked = 0, 1, 0, 0, 0, 1
    while True:
        while scanned < rows:
            row = scratch.rows[scanned]
            scanned += 1
            looked += graph.starts[row + 1] - graph.starts[row]
            if distance + (outside - plan.values[row]) < path[0]:
                path = (distance + (outside - plan.values[row]), END, row)
            path, size, seen = scan(graph, plan, row, path, (distance, size, seen), scratch)
        if size == 0 or scratch.reach[scratch.heap[0]] >= path[0]:
            break
        column = pop(scratch, size)
        size -= 1
        distance = scratch.reach[column]
        scratch.passed[passed] = column
        passed += 1
        rows = go_back(graph, plan, column, rows, scratch)
    for at in range(rows):
        edge = scratch.back[scratch.rows[at]]
        near = scratch.reach[graph.columns[edge]] if edge != SOURCE else 0.0
        plan.values[scratch.rows[at]] += path[0] - near
    for at in range(passed):
        plan.prices[scratch.passed[at]] += path[0] - scratch.reach[scratch.passed[at]]
    return path[1], path[2], rows, seen, looked


@part()
def augment(
    graph: AssignmentGraph, plan: Assignment, last: int, turn: int, scratch: PathScratch
) -> None:
    """Send the maximum flow along the path: each row takes the next row's column."""
    amount, row = 2**62, turn
    if last != END:
        amount = plan.room[graph.columns[last]]
    while scratch.back[row] != SOURCE:
        edge = scratch.back[row]
        amount = min(amount, plan.flow[edge])
        row = graph.rows[scratch.incoming[graph.columns[edge]]]
    amount = min(amount, plan.left[row])
    plan.left[row] -= amount
    if last == END:
        plan.left[turn] += amount
    else:
        plan.room[graph.columns[last]] -= amount
        use_edge(graph, plan, last, amount)
    row = turn
    while scratch.back[row] != SOURCE:
        edge = scratch.back[row]
        plan.flow[edge] -= amount
        into = scratch.incoming[graph.columns[edge]]
        use_edge(graph, plan, into, amount)
        row = graph.rows[into]


@kernel()
def bring_in(
    graph: AssignmentGraph,
    plan: Assignment,
    outside: float,
    start: int,
    effort: int,
    scratch: PathScratch,
) -> int:
    """Assign the remaining rows from `start` until the edge limit is reached.

    Returns the next row; all rows are done if it is beyond the last. A row that cannot be assigned
    stays unassigned, at the price `outside`.
    """
    row, work = start, 0
    while row < len(plan.left) and work < effort:
        if plan.left[row] == 0:
            row += 1
            continue
        last, turn, rows, seen, looked = search(graph, plan, outside, row, scratch)
        work += looked
        stays_out = last == END and turn == row
        if not stays_out:
            augment(graph, plan, last, turn, scratch)
        for at in range(rows):
            scratch.back[scratch.rows[at]] = UNSEEN
        for at in range(seen):
            scratch.reach[scratch.seen[at]] = np.inf
        if stays_out:
            row += 1
    return row
