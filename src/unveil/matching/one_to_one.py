"""One-to-one matching of two files at the least total cost, with a proof.

Only some pairs are ever looked at: those that are cheap by the columns' prices. What a row
would pay for its best column, price included, and the prices themselves bound the cost of
every matching from below; so when no pair left out is cheaper for its row, by those prices,
than what the row pays, the matching is the cheapest of all. Until then such pairs are added.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from unveil.errors import DataError
from unveil.matching.flows import graph_of, solve
from unveil.matching.pair_costs import CostProvider, CostTable, ReversedCosts
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import prepare
from unveil.support.options import Progress

__all__ = ["CostProvider", "Matching", "one_to_one"]

MEMORY = 2**24  # bytes that all costs may take; where they take more, they are asked for
FEW = 2**18  # pairs that are all looked at from the start
FIRST, MORE = 24, 24  # columns asked for each row, to begin with and in later rounds
DEAR, HIGHER = 4.0, 64.0  # to stay out, in largest costs; and dearer when one did who need not
OF_COSTS, OF_PRICES, UNIT = 1e-9, 1e-11, 2.0**-52  # what rounding can add up to
ROUNDED = 1e-12  # a share of sums by which they differ without meaning it
LEAST = 1e-290  # a price that is one, where nothing costs anything


@dataclass(frozen=True, repr=False, eq=False)
class Matching:
    """Who is matched with whom: as many as can be and, among all such, at the least cost.

    Rows pay their column's price besides the cost, or `outside` for having none; no price is
    below `floor`. A matching is proven when the bound, over all pairs, is its cost.
    """

    rows: Ints
    columns: Ints
    amount: Ints  # how many of the row have the column
    cost: float
    bound: float  # no matching of as many is cheaper
    rounds: int
    prices: Floats  # of columns
    outside: float
    floor: float
    rounding: float  # what cost and bound can differ by without meaning it

    @property
    def gap(self) -> float:
        """How much a cheaper matching could save at most."""
        return max(self.cost - self.bound, 0.0)

    @property
    def proven(self) -> bool:
        """Whether no matching is cheaper, up to rounding."""
        return self.gap <= self.rounding


def one_to_one(
    market: CostProvider, *, progress: Progress | None = None, memory: int = MEMORY
) -> Matching:
    """Match as many records as possible, each with one candidate, at the least total cost.

    Parameters
    ----------
    market
        What pairs cost. The side with fewer records is matched in full, unless impossible
        pairs forbid it; then as many as can be are.
    progress
        Called with the rows whose column is settled so far, and all of them.
    memory
        The bytes that the matrix of all costs may take. Where it takes more, the market is
        asked for the cheapest pairs instead: a few times, all rows at once.

    >>> from unveil.matching.pair_costs import CostTable
    >>> costs = np.array([[1.0, 2.0, 9.0], [1.0, 5.0, 9.0]])
    >>> found = one_to_one(CostTable(costs, np.ones(2, int), np.ones(3, int)))
    >>> found.rows.tolist(), found.columns.tolist(), found.cost, found.proven
    ([0, 1], [1, 0], 3.0, True)
    """
    prepare("matching", lambda: one_to_one(CostTable(np.eye(2), np.ones(2, int), np.ones(2, int))))
    for numbers in (market.supply, market.capacity):
        if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or (numbers < 0).any():
            raise DataError("supplies and capacities are whole numbers, none below 0")
    if (
        not isinstance(market, CostTable)
        and market.supply.size * market.capacity.size * 8 <= memory
    ):
        market = CostTable(market.dense(), market.supply, market.capacity)
    turned = bool(market.supply.sum() > market.capacity.sum())
    work = _Work(ReversedCosts(market) if turned else market)
    work.run(progress)
    return work.matching(turned)


class _Work:
    """A matching on the pairs known so far, cheapest among them, and the prices that prove it.

    There are at least as many places as records.
    """

    def __init__(self, market: CostProvider) -> None:
        self.market = market
        self.supply = np.require(market.supply, np.int64, ["C", "W"])
        self.capacity = np.require(market.capacity, np.int64, ["C", "W"])
        self.shape = n, m = len(self.supply), len(self.capacity)
        self.keys = np.empty(0, np.int64)  # row * m + column, ascending
        self.costs, self.flow = np.empty(0), np.empty(0, np.int64)
        self.values, self.least, self.prices = np.zeros(n), np.zeros(n), np.zeros(m)
        self.rounds, self.settled, self.bound, self.outside = 0, 0, -np.inf, LEAST
        k = m if n * m <= FEW else FIRST
        columns, costs = market.cheapest(self.prices, min(k, m))
        self.add(np.arange(n)[:, None], columns, costs)
        if k < m:
            rows, costs = market.cheapest_rows(self.values, min(k, n))
            self.add(rows, np.where(rows < 0, -1, np.arange(m)[:, None]), costs)

    def add(self, rows: Ints, columns: Ints, costs: Floats) -> int:
        """Pairs that are looked at from now on; returns how many are new."""
        wanted = (columns >= 0) & (rows >= 0)
        if not np.isfinite(costs[wanted]).all():
            raise DataError("a cost is a number, or infinite where impossible")
        keys = (rows * self.shape[1] + columns)[wanted]
        before = len(self.keys)
        both, first = np.unique(np.concatenate([self.keys, keys]), return_index=True)
        self.keys, self.costs = both, np.concatenate([self.costs, costs[wanted]])[first]
        self.flow = np.concatenate([self.flow, np.zeros(len(keys), np.int64)])[first]
        self.outside = max(self.outside, DEAR * float(np.abs(self.costs).max(initial=0.0)))
        return len(both) - before

    def run(self, progress: Progress | None) -> None:
        """Solve, ask for what was left out, and go on until nothing was."""

        def tell() -> None:
            if progress is not None:
                progress(self.settled, self.shape[0])

        going = True
        while going:
            self.rounds += 1
            self.solve(tell)
            going = self.ask() > 0 or (self.flow.sum() < self.supply.sum() and self.widen())
        self.settled = self.shape[0]
        tell()

    def solve(self, tell: Callable[[], None]) -> None:
        """The cheapest matching on the pairs known so far, beginning with what there is."""
        rows, columns = np.divmod(self.keys, self.shape[1])
        sides, prices = (self.supply, self.capacity), self.prices.copy()
        graph = graph_of(rows, columns, self.costs, self.shape[0])
        plan = solve(graph, self.flow, sides, prices, self.outside, tell)
        self.flow, self.values, self.prices = plan.flow, plan.values, plan.prices
        if (plan.prices[plan.room > 0] > 0).any():
            # Prices of before, at which nobody wants the column: the column looks for a row.
            order = np.argsort(columns, kind="stable")
            graph = graph_of(columns[order], rows[order], self.costs[order], self.shape[1])
            plan = solve(graph, self.flow[order], sides[::-1], -plan.values, 0.0, tell)
            self.flow[order] = plan.flow
            self.values, self.prices = -plan.prices, np.maximum(-plan.values, 0.0)

    def ask(self) -> int:
        """Add the pairs that are cheaper by the prices; returns how many: none, if proven."""
        columns, costs = self.market.cheapest(self.prices, min(MORE, self.shape[1]))
        prices = self.prices[columns]
        paid = np.where(columns < 0, np.inf, costs + prices)
        values = np.minimum(paid.min(axis=1, initial=np.inf), self.outside)
        self.least, out = values, self.supply - self.sent(0)
        # Whoever stays out pays that price whatever the matching, so it is no part of the cost.
        terms = (self.supply - out) * values + out * (values - self.outside)
        self.bound = float(terms.sum() - (self.capacity * self.prices).sum())
        sums = np.abs(costs) + prices + np.abs(self.values)[:, None]
        cheaper = paid < self.values[:, None] - ROUNDED * sums
        self.settled = max(self.settled, self.shape[0] - int(cheaper.any(axis=1).sum()))
        if self.cost - self.bound <= self.rounding or not cheaper.any():
            return 0
        # Prices will change about as much as rows were wrong; what may then be cheaper is added
        # now, since asking takes far longer than looking at more pairs.
        reach = (self.values + (self.values - values).max())[:, None]
        return self.add(
            np.arange(self.shape[0])[:, None], np.where(paid < reach, columns, -1), costs
        )

    def widen(self) -> bool:
        """Look for a place for those who stay out; returns whether there may be one.

        They, and all whose columns they could have, know of no others: then none is free.
        """
        rows, columns = np.divmod(self.keys, self.shape[1])
        inside, size = self.sent(0) < self.supply, -1
        while size != (size := int(inside.sum())):
            known = np.bincount(columns[inside[rows]], minlength=self.shape[1]) > 0
            inside[rows[(self.flow > 0) & known[columns]]] = True
        if (known & (self.sent(1) < self.capacity)).any():
            self.outside *= HIGHER
            return True
        others = np.where(known, np.inf, 0.0)
        found, costs = self.market.cheapest(others, min(MORE, self.shape[1]))
        found = np.where(inside[:, None], found, -1)
        return self.add(np.arange(self.shape[0])[:, None], found, costs) > 0

    def sent(self, side: int) -> Ints:
        """How many of each row, or on side 1 of each column, are matched."""
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
        return float(OF_COSTS * costs + OF_PRICES * prices + UNIT * steps)

    def matching(self, turned: bool) -> Matching:
        """What was found; for a turned market with rows and columns as they were."""
        used = np.flatnonzero(self.flow)
        ends = np.divmod(self.keys[used], self.shape[1])
        order = np.lexsort(ends if turned else ends[::-1])
        return Matching(
            rows=ends[int(turned)][order],
            columns=ends[1 - int(turned)][order],
            amount=self.flow[used][order],
            cost=self.cost,
            bound=self.bound,
            rounds=self.rounds,
            prices=-self.least if turned else self.prices,
            outside=0.0 if turned else self.outside,
            floor=-self.outside if turned else 0.0,
            rounding=self.rounding,
        )
