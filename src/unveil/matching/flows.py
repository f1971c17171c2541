"""The cheapest assignment on a sparse graph, from whatever is there."""

from collections.abc import Callable

import numpy as np

from unveil.matching.kernels import assignment
from unveil.matching.kernels import shortest_paths as paths
from unveil.support.arrays import Floats, Ints

BIDS = 50  # for each row, on average; then paths are faster
EFFORT = 2 * 10**8  # edges looked at, about a second, between two looks at progress and Ctrl-C


def graph_of(rows: Ints, columns: Ints, costs: Floats, n: int) -> assignment.AssignmentGraph:
    """Edges, those of each of n rows together, as kernels see them."""
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=n), out=starts[1:])
    return assignment.AssignmentGraph(
        starts, rows.astype(np.int32), columns.astype(np.int32), costs
    )


def solve(
    graph: assignment.AssignmentGraph,
    flow: Ints,
    sides: tuple[Ints, Ints],
    prices: Floats,
    outside: float,
    tell: Callable[[], None],
) -> assignment.Assignment:
    """The cheapest plan, from prices and a flow of which only what is cheapest is kept."""
    supply, capacity = sides
    n, m, whole = len(supply), len(capacity), np.int32
    plan = assignment.Assignment(
        flow=flow.copy(),
        left=supply.copy(),
        room=capacity.copy(),
        values=np.zeros(n),
        prices=prices,
        first=np.empty(m, whole),
        after=np.empty(len(flow), whole),
    )
    scratch = paths.PathScratch(
        reach=np.full(m, np.inf),
        by=np.empty(m, whole),
        back=np.full(n, paths.UNSEEN, whole),
        heap=np.empty(m, whole),
        place=np.empty(m, whole),
        seen=np.empty(m, whole),
        passed=np.empty(m, whole),
        rows=np.empty(n, whole),
    )
    assignment.settle(graph, plan, outside)
    assignment.bid(graph, plan, sides, outside, BIDS * n, np.empty(n, whole))
    row = 0
    while row < n:
        tell()
        row = paths.bring_in(graph, plan, outside, row, EFFORT, scratch)
    return plan
