"""The likelihoods of pairs, as lists or as a matrix, and what a scaling asks of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from unveil.matching.kernels import bethe, sinkhorn
from unveil.matching.kernels.sinkhorn import Matrix
from unveil.support.arrays import Floats, Ints
from unveil.support.threads import SHARED_CELLS, block_bounds, cores, run_blocks, run_lines

LEAST_LOG = -270.0  # the log of the least likelihood that products can still be formed of
LEAST_LOG_32 = -80.0  # the same in 32 bits
ROW_BLOCKS = 32  # of a matrix: the sums of columns are added in this order


class Scalings(NamedTuple):
    """The factors of rows and columns."""

    rows: Floats
    columns: Floats


class ListedPairs(NamedTuple):
    """Pairs, row by row, and their weights."""

    starts: Ints
    columns: Ints
    weights: Floats

    @property
    def rows(self) -> Ints:
        """The row of each pair."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


class PairWeights(Protocol):
    """The likelihood of each pair, relative to the best of its row and of its column."""

    @property
    def supply(self) -> Floats:
        """The number of records of each row."""

    @property
    def capacity(self) -> Floats:
        """The number of candidates of each column."""

    @property
    def least_rows(self) -> Floats:
        """What the best pair of each row costs, times the rate."""

    @property
    def least_columns(self) -> Floats:
        """By how much the best pair of each column exceeds that of its row, times the rate."""

    def scale_rows(self, columns: Floats, spare: Floats, out: Floats) -> float:
        """Scale the rows to sum 1, given the columns' scaling; how far from 1 they were."""

    def scale_columns(self, rows: Floats, spare: Floats, out: Floats) -> float:
        """The same for columns, given the scaling that the rows have just got."""

    def scaled(self, by: Scalings) -> Matrix:
        """The scaled weights, in place of the weights."""

    def heavy(self, by: Scalings, threshold: float) -> ListedPairs:
        """The pairs whose scaled weight reaches a threshold; of few pairs, all."""

    def light(self, by: Scalings, threshold: float, fraction: float, sums: Scalings) -> Scalings:
        """The sums of all other pairs' messages, over rows and over columns."""

    def beliefs(self, by: Scalings, fraction: float, sums: Scalings, heavy: ListedPairs) -> Matrix:
        """The belief in each pair, in place of the weights; `heavy` has those of heavy pairs."""


@dataclass(frozen=True, repr=False, eq=False)
class ListedWeights:
    """The weights of few pairs, row by row."""

    pairs: ListedPairs
    supply: Floats
    capacity: Floats
    least_rows: Floats

    @property
    def least_columns(self) -> Floats:
        return np.zeros(len(self.capacity))

    @cached_property
    def _by_column(self) -> ListedPairs:
        order = np.argsort(self.pairs.columns, kind="stable")
        starts = np.searchsorted(self.pairs.columns[order], np.arange(len(self.capacity) + 1))
        return ListedPairs(starts, self.pairs.rows[order], self.pairs.weights[order])

    def scale_rows(self, columns: Floats, spare: Floats, out: Floats) -> float:
        return _scale(self.pairs, self.capacity, columns, spare, out)

    def scale_columns(self, rows: Floats, spare: Floats, out: Floats) -> float:
        return _scale(self._by_column, self.supply, rows, spare, out)

    def scaled(self, by: Scalings) -> Matrix:
        _, columns, weights = self.pairs
        return weights * (by.rows[self.pairs.rows] * by.columns[columns])

    def heavy(self, by: Scalings, threshold: float) -> ListedPairs:
        del threshold
        return self.pairs._replace(weights=self.scaled(by))

    def light(self, by: Scalings, threshold: float, fraction: float, sums: Scalings) -> Scalings:
        del by, threshold, fraction
        return Scalings(np.zeros(len(sums.rows)), np.zeros(len(sums.columns)))

    def beliefs(self, by: Scalings, fraction: float, sums: Scalings, heavy: ListedPairs) -> Matrix:
        del by, fraction, sums
        return heavy.weights


def _scale(lines: ListedPairs, sizes: Floats, scaling: Floats, spare: Floats, out: Floats) -> float:
    worst = [0.0]

    def work(start: int, stop: int) -> None:
        worst.append(sinkhorn.scale(*lines, sizes, scaling, spare, out, start, stop))

    run_lines(work, len(out), len(lines.weights))
    return max(worst)


@dataclass(frozen=True, repr=False, eq=False)
class DenseWeights:
    """The weights of all pairs, as a matrix of 32 or 64 bits."""

    matrix: Matrix
    supply: Floats
    capacity: Floats
    least_rows: Floats
    least_columns: Floats

    @classmethod
    def of(
        cls, costs: Matrix, rate: float, sizes: tuple[Floats, Floats], least: Floats, out: Matrix
    ) -> DenseWeights:
        """The likelihoods exp(-rate * cost); costs are above the least of their row."""
        columns = costs.min(axis=0, initial=np.inf).astype(float)
        columns = np.where(np.isfinite(columns), columns, 0.0)
        floor = LEAST_LOG if costs.dtype == np.float64 else LEAST_LOG_32

        def work(start: int, stop: int) -> None:
            sinkhorn.likelihoods(costs, columns, rate, floor, out, start, stop)

        run_lines(work, len(out), out.size)
        return cls(out, *sizes, rate * least, rate * columns)

    @cached_property
    def _column_sums(self) -> Floats:
        """The sums of columns in each block of rows."""
        size = max(1, -(-len(self.matrix) // ROW_BLOCKS))
        return np.zeros((-(-len(self.matrix) // size), self.matrix.shape[1]))

    def _by_blocks(self, work: Callable[[int, int, Floats], None]) -> Floats:
        """The columns' sums over all rows; `work` adds those of a block of rows."""
        sums = self._column_sums
        sums[:] = 0.0
        size = -(-len(self.matrix) // max(len(sums), 1))
        bounds = block_bounds(len(self.matrix), max(size, 1))
        many = self.matrix.size > SHARED_CELLS
        run_blocks(
            lambda start, stop: work(start, stop, sums[start // size]),
            bounds,
            threads=cores(None) if many else 1,
        )
        total: Floats = sums.sum(axis=0)
        return total

    def scale_rows(self, columns: Floats, spare: Floats, out: Floats) -> float:
        worst, across = [0.0], self.capacity * columns

        def work(start: int, stop: int, sums: Floats) -> None:
            rows = self.matrix, across, spare, self.supply, out, sums
            worst.append(sinkhorn.scale_rows(*rows, start, stop))

        vars(self)["_sums"] = self._by_blocks(work)
        return max(worst)

    def scale_columns(self, rows: Floats, spare: Floats, out: Floats) -> float:
        del rows  # whose sums have been computed with them
        total = vars(self)["_sums"] + spare
        possible = total > sinkhorn.MIN_SCALING
        with np.errstate(divide="ignore"):
            new = np.clip(1.0 / total, sinkhorn.MIN_SCALING, sinkhorn.MAX_SCALING)
        worst = float(np.abs(total * out - 1.0)[possible].max(initial=0.0))
        out[:] = np.where(possible, new, 0.0)
        return worst

    def scaled(self, by: Scalings) -> Matrix:
        run_lines(
            lambda start, stop: sinkhorn.multiply(self.matrix, *by, start, stop),
            len(self.matrix),
            self.matrix.size,
        )
        return self.matrix

    def heavy(self, by: Scalings, threshold: float) -> ListedPairs:
        matrix, counts = self.matrix, np.zeros(len(self.matrix), np.int64)
        args = matrix, *by, threshold
        run_lines(
            lambda start, stop: bethe.count_heavy(*args, counts, start, stop),
            len(matrix),
            matrix.size,
        )
        starts = np.append(0, np.cumsum(counts))
        columns = np.empty(int(starts[-1]), np.int64)
        run_lines(
            lambda start, stop: bethe.list_heavy(*args, starts, columns, start, stop),
            len(matrix),
            matrix.size,
        )
        rows = np.repeat(np.arange(len(matrix)), counts)
        weights = matrix[rows, columns] * (by.rows[rows] * by.columns[columns])
        return ListedPairs(starts, columns, weights)

    def light(self, by: Scalings, threshold: float, fraction: float, sums: Scalings) -> Scalings:
        rows = np.zeros(len(self.matrix))
        sizes, sides = (self.supply, self.capacity), (sums.rows, 1.0 / sums.columns)

        def work(start: int, stop: int, columns: Floats) -> None:
            args = self.matrix, *by, threshold, fraction, *sizes, *sides
            bethe.sum_light(*args, rows, columns, start, stop)

        return Scalings(rows, self._by_blocks(work))

    def beliefs(self, by: Scalings, fraction: float, sums: Scalings, heavy: ListedPairs) -> Matrix:
        args = self.matrix, *by, fraction, sums.rows, 1.0 / sums.columns
        run_lines(
            lambda start, stop: bethe.believe(*args, start, stop),
            len(self.matrix),
            self.matrix.size,
        )
        self.matrix[heavy.rows, heavy.columns] = heavy.weights
        return self.matrix
