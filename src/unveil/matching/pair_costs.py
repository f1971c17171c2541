"""Cost providers: the costs of matching each record of one file with each of the other."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from unveil.errors import DataError
from unveil.support.arrays import Floats, Ints

COSTS_AT_ONCE = 2**22


class CostProvider(Protocol):
    """The costs of all pairs of rows and columns, answered without listing them.

    Identical records are one row with a supply, identical candidates one column with a
    capacity. Costs may be negative; a pair at an infinite cost is impossible.
    """

    @property
    def supply(self) -> Ints:
        """How many identical records each row stands for."""

    @property
    def capacity(self) -> Ints:
        """How many identical candidates each column stands for."""

    def dense(self) -> Floats:
        """All costs, rows x columns; requested only where that is small."""

    def cheapest(self, prices: Floats, k: int) -> tuple[Ints, Floats]:
        """For each row the k columns of least cost + price, and their costs without it.

        -1 and infinity where no more are possible. A column at an infinite price is excluded.
        """

    def cheapest_rows(self, prices: Floats, k: int) -> tuple[Ints, Floats]:
        """The same for each column, with a price for each row."""


@dataclass(frozen=True, repr=False, eq=False)
class CostTable:
    """Costs in a matrix, rows x columns."""

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
    """The costs of another provider with rows and columns exchanged."""

    original: CostProvider

    @property
    def supply(self) -> Ints:
        return self.original.capacity

    @property
    def capacity(self) -> Ints:
        return self.original.supply

    def dense(self) -> Floats:
        return self.original.dense().T

    def cheapest(self, prices: Floats, k: int) -> tuple[Ints, Floats]:
        return self.original.cheapest_rows(prices, k)

    def cheapest_rows(self, prices: Floats, k: int) -> tuple[Ints, Floats]:
        return self.original.cheapest(prices, k)


def _cheapest(costs: Floats, prices: Floats, k: int) -> tuple[Ints, Floats]:
    n, m = costs.shape
    k = min(k, m)
    columns, least = np.empty((n, k), np.int64), np.empty((n, k))
    step = max(1, COSTS_AT_ONCE // max(m, 1))
    for start in range(0, n, step):
        block = costs[start : start + step]
        best = np.argpartition(block + prices, k - 1, axis=1)[:, :k] if k < m else np.arange(m)
        columns[start : start + step] = best
        least[start : start + step] = np.take_along_axis(block, columns[start : start + step], 1)
    none = np.isinf(least + prices[columns])
    columns[none], least[none] = -1, np.inf
    return columns, least
