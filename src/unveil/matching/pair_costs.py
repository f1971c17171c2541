"""Markets: what it costs to take each record of one file for each record of the other."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from unveil.errors import DataError
from unveil.support.arrays import Floats, Ints

BLOCK = 2**22  # costs looked at together


class CostProvider(Protocol):
    """Rows and columns that are to be matched, and answers about what that costs.

    Identical records are one row with a supply, identical candidates one column with a
    capacity. Costs may be negative; an infinite one is impossible.
    """

    @property
    def supply(self) -> Ints:
        """How many identical records each row stands for."""

    @property
    def capacity(self) -> Ints:
        """How many identical candidates each column stands for."""

    def dense(self) -> Floats:
        """All costs, rows x columns; asked for only where that is small."""

    def cheapest(self, prices: Floats, k: int) -> tuple[Ints, Floats]:
        """For each row the k columns of least cost + price, and their costs without it.

        -1 and infinity where there are no more that are possible. A column at an infinite
        price is not for sale.
        """

    def cheapest_rows(self, prices: Floats, k: int) -> tuple[Ints, Floats]:
        """The same for each column, with a price for each row."""


@dataclass(frozen=True, repr=False, eq=False)
class CostTable:
    """A market of which all costs are known.

    >>> CostTable(np.array([[3.0, 1.0]]), np.array([1]), np.array([1, 1])).cheapest(np.zeros(2), 1)
    (array([[1]]), array([[1.]]))
    """

    costs: Floats
    supply: Ints
    capacity: Ints

    def __post_init__(self) -> None:
        if self.costs.shape != (len(self.supply), len(self.capacity)):
            raise DataError("costs are rows x columns, a row for each supply")
        if not (self.costs > -np.inf).all():
            raise DataError("a cost is a number, or infinite where impossible")

    def dense(self) -> Floats:
        """All costs."""
        return self.costs

    def cheapest(self, prices: Floats, k: int) -> tuple[Ints, Floats]:
        """For each row the k columns of least cost + price, in any order."""
        return _cheapest(self.costs, prices, k)

    def cheapest_rows(self, prices: Floats, k: int) -> tuple[Ints, Floats]:
        """For each column the k rows of least cost + price, in any order."""
        return _cheapest(self.costs.T, prices, k)


@dataclass(frozen=True, repr=False, eq=False)
class ReversedCosts:
    """A market whose columns look for rows."""

    market: CostProvider

    @property
    def supply(self) -> Ints:
        """How many each row stands for: a column before."""
        return self.market.capacity

    @property
    def capacity(self) -> Ints:
        """How many each column stands for: a row before."""
        return self.market.supply

    def dense(self) -> Floats:
        """All costs."""
        return self.market.dense().T

    def cheapest(self, prices: Floats, k: int) -> tuple[Ints, Floats]:
        """For each row the k cheapest columns."""
        return self.market.cheapest_rows(prices, k)

    def cheapest_rows(self, prices: Floats, k: int) -> tuple[Ints, Floats]:
        """For each column the k cheapest rows."""
        return self.market.cheapest(prices, k)


def _cheapest(costs: Floats, prices: Floats, k: int) -> tuple[Ints, Floats]:
    n, m = costs.shape
    k = min(k, m)
    columns, least = np.empty((n, k), np.int64), np.empty((n, k))
    step = max(1, BLOCK // max(m, 1))
    for start in range(0, n, step):
        some = costs[start : start + step]
        best = np.argpartition(some + prices, k - 1, axis=1)[:, :k] if k < m else np.arange(m)
        columns[start : start + step] = best
        least[start : start + step] = np.take_along_axis(some, columns[start : start + step], 1)
    none = np.isinf(least + prices[columns])
    columns[none], least[none] = -1, np.inf
    return columns, least
