"""One-to-one matching of two files at the least total cost, with a proof of optimality.

The matching is solved on a sparse graph of pairs that are cheap at the columns' prices. What a
row pays for its best column, price included, and the prices bound the cost of every matching
from below; so when no pair outside the graph is cheaper for its row at those prices, the matching
is the cheapest of all. Until then such pairs are added.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from unveil.errors import DataError
from unveil.matching.kernels import assignment, shortest_paths
from unveil.matching.pair_costs import CostProvider, CostTable, ReversedCosts
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import prepare
from unveil.support.options import Progress

DENSE_BYTES = 2**24  # of all costs; where they take more, the cheapest pairs are requested
DENSE_PAIRS = 2**18  # a graph of at most so many pairs has all of them from the start
FIRST_COLUMNS, MORE_COLUMNS = 24, 24  # requested per row at first, and in later rounds
OUTSIDE, OUTSIDE_STEP = 4.0, 64.0  # the price to stay unmatched, in largest costs; its increase
COST_ROUNDING, PRICE_ROUNDING, UNIT = 1e-9, 1e-11, 2.0**-52  # what rounding can add up to
SUM_ROUNDING = 1e-12  # a share of sums by which they differ without meaning it
LEAST_PRICE = 1e-290  # a price that is one, where nothing costs anything
BIDS_PER_ROW = 50  # on average; then paths are faster
EDGES_AT_ONCE = 2 * 10**8  # about a second between two looks at progress and Ctrl-C


@dataclass(frozen=True, repr=False, eq=False)
class Matching:
    """A matching of the most records possible at the least total cost.

    Rows pay their column's price besides the cost, or `outside` for having none; no price is
    below `floor`. A matching is proven optimal when the lower bound over all pairs is its cost.
    """

    rows: Ints
    columns: Ints
    amount: Ints  # how many of the row have the column
    cost: float
    bound: float  # the least cost of any matching of as many
    rounds: int
    prices: Floats  # of columns
    outside: float
    floor: float
    rounding: float  # what cost and bound can differ by without meaning it

    @property
    def gap(self) -> float:
        """The most that another matching could save."""
        return max(self.cost - self.bound, 0.0)

    @property
    def proven(self) -> bool:
        """Whether no matching is cheaper, up to rounding."""
        return self.gap <= self.rounding


def one_to_one(
    provider: CostProvider, *, progress: Progress | None = None, memory: int = DENSE_BYTES
) -> Matching:
    """Match as many records as possible, each with one candidate, at the least total cost.

    Parameters
    ----------
    provider
        The costs of pairs. The side with fewer records is matched in full, unless impossible
        pairs forbid it; then as many as possible are.
    memory
        The bytes that the matrix of all costs may take. Where it takes more, the cheapest pairs
        are requested instead: a few times, of all rows at once.

    >>> from unveil.matching.pair_costs import CostTable
    >>> costs = np.array([[1.0, 2.0, 9.0], [1.0, 5.0, 9.0]])
    >>> found = one_to_one(CostTable(costs, np.ones(2, int), np.ones(3, int)))
    >>> found.rows.tolist(), found.columns.tolist(), found.cost, found.proven
    ([0, 1], [1, 0], 3.0, True)
    """
    prepare("matching", lambda: one_to_one(CostTable(np.eye(2), np.ones(2, int), np.ones(2, int))))
    for numbers in (provider.supply, provider.capacity):
        if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or (numbers < 0).any():
            raise DataError("supplies and capacities are whole numbers, none below 0")
    small = provider.supply.size * provider.capacity.size * 8 <= memory
    if small and not isinstance(provider, CostTable):
        provider = CostTable(provider.dense(), provider.supply, provider.capacity)
    swapped = bool(provider.supply.sum() > provider.capacity.sum())
    work = _PricedMatching(ReversedCosts(provider) if swapped else provider)
    work.run(progress)
    return work.matching(swapped)


class _PricedMatching:
    """The cheapest matching on the pairs known so far, and the prices that prove it.

    There are at least as many places as records.
    """

    def __init__(self, provider: CostProvider) -> None:
        self.provider = provider
        self.supply = np.require(provider.supply, np.int64, ["C", "W"])
        self.capacity = np.require(provider.capacity, np.int64, ["C", "W"])
        self.shape = n, m = len(self.supply), len(self.capacity)
        self.keys = np.empty(0, np.int64)  # row * m + column, ascending
        self.costs, self.flow = np.empty(0), np.empty(0, np.int64)
        self.values, self.least, self.prices = np.zeros(n), np.zeros(n), np.zeros(m)
        self.rounds, self.settled, self.bound, self.outside = 0, 0, -np.inf, LEAST_PRICE
        k = m if n * m <= DENSE_PAIRS else FIRST_COLUMNS
        columns, costs = provider.cheapest(self.prices, min(k, m))
        self.add(np.arange(n)[:, None], columns, costs)
        if k < m:
            rows, costs = provider.cheapest_rows(self.values, min(k, n))
            self.add(rows, np.where(rows < 0, -1, np.arange(m)[:, None]), costs)

    def add(self, rows: Ints, columns: Ints, costs: Floats) -> int:
        """Add pairs to the graph; returns how many are new."""
        wanted = (columns >= 0) & (rows >= 0)
        if not np.isfinite(costs[wanted]).all():
            raise DataError("a cost is a number, or infinite where impossible")
        keys = (rows * self.shape[1] + columns)[wanted]
        before = len(self.keys)
        self.keys, first = np.unique(np.concatenate([self.keys, keys]), return_index=True)
        self.costs = np.concatenate([self.costs, costs[wanted]])[first]
        self.flow = np.concatenate([self.flow, np.zeros(len(keys), np.int64)])[first]
        self.outside = max(self.outside, OUTSIDE * float(np.abs(self.costs).max(initial=0.0)))
        return len(self.keys) - before

    def run(self, progress: Progress | None) -> None:
        """Solve and add cheaper pairs until there are none."""

        def report() -> None:
            if progress is not None:
                progress(self.settled, self.shape[0])

        going = True
        while going:
            self.rounds += 1
            self.solve(report)
            going = self.add_cheaper() > 0 or (self.flow.sum() < self.supply.sum() and self.widen())
        self.settled = self.shape[0]
        report()

    def solve(self, report: Callable[[], None]) -> None:
        """Find the cheapest matching on the pairs known so far, starting from the last one."""
        rows, columns = np.divmod(self.keys, self.shape[1])
        sides, prices = (self.supply, self.capacity), self.prices.copy()
        graph = _graph(rows, columns, self.costs, self.shape[0])
        plan = _solve(graph, self.flow, sides, prices, self.outside, report)
        self.flow, self.values, self.prices = plan.flow, plan.values, plan.prices
        if (plan.prices[plan.room > 0] > 0).any():
            # Prices of before, at which nobody wants the column: the column looks for a row.
            order = np.argsort(columns, kind="stable")
            graph = _graph(columns[order], rows[order], self.costs[order], self.shape[1])
            plan = _solve(graph, self.flow[order], sides[::-1], -plan.values, 0.0, report)
            self.flow[order] = plan.flow
            self.values, self.prices = -plan.prices, np.maximum(-plan.values, 0.0)

    def add_cheaper(self) -> int:
        """Add the pairs that are cheaper at the prices; returns how many: none, if proven."""
        columns, costs = self.provider.cheapest(self.prices, min(MORE_COLUMNS, self.shape[1]))
        prices = self.prices[columns]
        paid = np.where(columns < 0, np.inf, costs + prices)
        values = np.minimum(paid.min(axis=1, initial=np.inf), self.outside)
        self.least, out = values, self.supply - self.sent(0)
        # Whoever stays out pays that price whatever the matching, so it is no part of the cost.
        terms = (self.supply - out) * values + out * (values - self.outside)
        self.bound = float(terms.sum() - (self.capacity * self.prices).sum())
        sums = np.abs(costs) + prices + np.abs(self.values)[:, None]
        cheaper = paid < self.values[:, None] - SUM_ROUNDING * sums
        self.settled = max(self.settled, self.shape[0] - int(cheaper.any(axis=1).sum()))
        if self.cost - self.bound <= self.rounding or not cheaper.any():
            return 0
        # Prices will change about as much as rows were wrong; what may then be cheaper is added
        # now, since a request takes far longer than a larger graph.
        reach = (self.values + (self.values - values).max())[:, None]
        return self.add(
            np.arange(self.shape[0])[:, None], np.where(paid < reach, columns, -1), costs
        )

    def widen(self) -> bool:
        """Look for places for unmatched rows; returns whether there may be one.

        No place is free if neither they nor the rows whose columns they could have know another.
        """
        rows, columns = np.divmod(self.keys, self.shape[1])
        inside, size = self.sent(0) < self.supply, -1
        while size != (size := int(inside.sum())):
            known = np.bincount(columns[inside[rows]], minlength=self.shape[1]) > 0
            inside[rows[(self.flow > 0) & known[columns]]] = True
        if (known & (self.sent(1) < self.capacity)).any():
            self.outside *= OUTSIDE_STEP
            return True
        others = np.where(known, np.inf, 0.0)
        found, costs = self.provider.cheapest(others, min(MORE_COLUMNS, self.shape[1]))
        found = np.where(inside[:, None], found, -1)
        return self.add(np.arange(self.shape[0])[:, None], found, costs) > 0

    def sent(self, side: int) -> Ints:
        """The matched records of each row, or on side 1 of each column."""
        which = np.divmod(self.keys, self.shape[1])[side]
        sums = np.zeros(self.shape[side], np.int64)
        np.add.at(sums, which, self.flow)
        return sums

    @property
    def cost(self) -> float:
        return float((self.flow * self.costs).sum())

    @property
    def rounding(self) -> float:
        costs = (self.flow * np.abs(self.costs)).sum()
        prices = (self.capacity * self.prices).sum()
        steps = self.supply.sum() * self.outside  # prices are differences of what is as large
        return float(COST_ROUNDING * costs + PRICE_ROUNDING * prices + UNIT * steps)

    def matching(self, swapped: bool) -> Matching:
        """The result, with rows and columns in their original roles."""
        used = np.flatnonzero(self.flow)
        ends = np.divmod(self.keys[used], self.shape[1])
        order = np.lexsort(ends if swapped else ends[::-1])
        return Matching(
            rows=ends[int(swapped)][order],
            columns=ends[1 - int(swapped)][order],
            amount=self.flow[used][order],
            cost=self.cost,
            bound=self.bound,
            rounds=self.rounds,
            prices=-self.least if swapped else self.prices,
            outside=0.0 if swapped else self.outside,
            floor=-self.outside if swapped else 0.0,
            rounding=self.rounding,
        )


def _graph(rows: Ints, columns: Ints, costs: Floats, n: int) -> assignment.AssignmentGraph:
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=n), out=starts[1:])
    ends = rows.astype(np.int32), columns.astype(np.int32)
    return assignment.AssignmentGraph(starts, *ends, costs)


def _solve(
    graph: assignment.AssignmentGraph,
    flow: Ints,
    sides: tuple[Ints, Ints],
    prices: Floats,
    outside: float,
    report: Callable[[], None],
) -> assignment.Assignment:
    """The cheapest plan, from prices and a flow of which only the cheapest edges are kept."""
    supply, capacity = sides
    n, m = len(supply), len(capacity)
    plan = assignment.Assignment(
        flow=flow.copy(),
        left=supply.copy(),
        room=capacity.copy(),
        values=np.zeros(n),
        prices=prices,
        first=np.empty(m, np.int32),
        after=np.empty(len(flow), np.int32),
    )
    scratch = shortest_paths.PathScratch(
        reach=np.full(m, np.inf),
        incoming=np.empty(m, np.int32),
        back=np.full(n, shortest_paths.UNSEEN, np.int32),
        heap=np.empty(m, np.int32),
        place=np.empty(m, np.int32),
        seen=np.empty(m, np.int32),
        passed=np.empty(m, np.int32),
        rows=np.empty(n, np.int32),
    )
    assignment.settle(graph, plan, outside)
    assignment.bid(graph, plan, sides, outside, BIDS_PER_ROW * n, np.empty(n, np.int32))
    row = 0
    while row < n:
        report()
        row = shortest_paths.bring_in(graph, plan, outside, row, EDGES_AT_ONCE, scratch)
    return plan
