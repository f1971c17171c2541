"""Fractional belief propagation: messages between rows and columns, from Sinkhorn's scaling on.

Belief propagation finds the marginals of a random matching on a tree; with loops it is too sure.
Each message leaves out a fraction g of what it answers: 0 is Sinkhorn's scaling, 1 is belief
propagation. Against exact permanents, a g near 0.8 comes closest on files of people.
Chertkov and Yedidia, Approximating the permanent with fractional belief propagation (2013).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unveil.matching.kernels.bethe import send
from unveil.matching.kernels.sinkhorn import Matrix
from unveil.matching.pair_weights import ListedPairs, PairWeights, Scalings
from unveil.support.arrays import Floats, Ints
from unveil.support.threads import run_lines

# The least weight of a pair whose messages are stored; others have them to second order. No
# share of a whole number of candidates is exactly there, where it could part ties.
HEAVY = 1 / 500.5
REFRESHED_AFTER = 50  # rounds: the sums of light pairs


@dataclass(frozen=True, repr=False, eq=False)
class Unmatched:
    """The scaled weight of each row and each column to be unmatched.

    Where it is known how many are, they compete for as many ghosts of the other side.
    """

    rows: Floats
    columns: Floats
    ghost_columns: float | None = None  # None: anybody may be unmatched
    ghost_rows: float | None = None
    left_out: Floats | float = 0.0  # of each row: the weight of candidates that are not listed


class Messages:
    """The messages between the rows and the columns of scaled weights."""

    def __init__(
        self, weights: PairWeights, by: Scalings, unmatched: Unmatched, fraction: float
    ) -> None:
        self._weights, self._by, self._fraction = weights, by, fraction
        self._heavy = weights.heavy(by, HEAVY)
        self._alone, alone_columns = np.zeros(len(by.rows)), np.zeros(len(by.columns))
        supply, capacity, pairs = weights.supply, weights.capacity, self._heavy
        if unmatched.ghost_columns is None:
            self._alone, alone_columns = unmatched.rows, unmatched.columns
        elif unmatched.ghost_columns:
            pairs = _with_column(pairs, unmatched.rows, len(capacity))
            capacity = np.append(capacity, unmatched.ghost_columns)
        elif unmatched.ghost_rows:
            pairs = _with_row(pairs, unmatched.columns)
            supply = np.append(supply, unmatched.ghost_rows)
        left_out = unmatched.left_out + np.zeros(len(by.rows))
        # As many records are left out of columns; of which, is not known.
        of_column = float((weights.supply * left_out).sum() / weights.capacity.sum())
        self._free = Scalings(self._alone + left_out, alone_columns + of_column)
        self._pairs, self._sizes = pairs, (supply, capacity)
        self._is_own = (pairs.columns < len(by.columns)) & (pairs.rows < len(by.rows))
        self._sums = Scalings(np.ones(len(supply)), np.ones(len(capacity)))
        self._to_row, self._to_column = np.ones((2, len(pairs.weights)))

    @cached_property
    def _lines(self) -> tuple[_Lines, _Lines]:
        rows, columns, (supply, capacity) = self._pairs.rows, self._pairs.columns, self._sizes
        by_column = np.argsort(columns, kind="stable")
        ends = np.searchsorted(columns[by_column], np.arange(len(capacity) + 1))
        return (
            _Lines(self._pairs.starts, np.arange(len(rows)), capacity[columns]),
            _Lines(ends, by_column, supply[rows[by_column]]),
        )

    def exchange(self, rounds: int, tolerance: float) -> tuple[int, float]:
        """Exchange messages until no row's sum changes; the rounds and the last change.

        The sums of light pairs are refreshed now and then, and once more at the end.
        """
        self._round(self._rest())
        done, error = 1, np.inf
        while done < rounds and error > tolerance:
            rest = self._rest()
            error = change = self._round(rest)
            for _ in range(min(rounds - done, REFRESHED_AFTER) - 1):
                if change <= tolerance:
                    break
                change = self._round(rest)
                done += 1
            done += 1
        self._to_columns(self._rest())
        return done, error

    def _round(self, rest: Scalings) -> float:
        change = self._to_columns(rest)
        messages = self._to_column, rest.columns, self._fraction, self._sums.columns, self._to_row
        self._lines[1].send(self._pairs.weights, *messages)
        return change

    def _to_columns(self, rest: Scalings) -> float:
        messages = self._to_row, rest.rows, self._fraction, self._sums.rows, self._to_column
        return self._lines[0].send(self._pairs.weights, *messages)

    def _rest(self) -> Scalings:
        """What the sums of rows and columns have besides heavy pairs."""
        rest = Scalings(*(np.zeros(len(sums)) for sums in self._sums))
        light = self._weights.light(self._by, HEAVY, self._fraction, self._own_sums)
        for total, part, free in zip(rest, light, self._free, strict=True):
            total[: len(part)] = part + free
        return rest

    @property
    def _own_sums(self) -> Scalings:
        """The sums without those of ghosts."""
        rows, columns = (sums[: len(own)] for sums, own in zip(self._sums, self._by, strict=True))
        return Scalings(rows, columns)

    @property
    def row_sums(self) -> Floats:
        """The sum of each row's messages, of which the beliefs are shares."""
        return self._own_sums.rows

    def beliefs(self) -> tuple[Matrix, Floats]:
        """The belief in each pair, and in each row's being unmatched."""
        rows, n_rows = self._pairs.rows, len(self._by.rows)
        belief = self._pairs.weights * self._to_row / self._sums.rows[rows]
        own = self._is_own
        unmatched = self._alone / self._sums.rows[:n_rows]
        ghost = ~own & (rows < n_rows)
        unmatched += self._sizes[1][-1] * np.bincount(rows[ghost], belief[ghost], n_rows)
        heavy = self._heavy._replace(weights=belief[own])
        sums = self._own_sums
        return self._weights.beliefs(self._by, self._fraction, sums, heavy), unmatched


@dataclass(frozen=True, repr=False, eq=False)
class _Lines:
    """The rows of listed pairs, or their columns."""

    starts: Ints
    pairs: Ints
    sizes: Floats  # of the line that crosses it at each pair

    def send(
        self,
        weights: Floats,
        received: Floats,
        rest: Floats,
        fraction: float,
        sums: Floats,
        sent: Floats,
    ) -> float:
        """Send messages along all lines; the largest relative change of a sum."""
        worst, lines = [0.0], (self.starts, self.pairs, self.sizes)

        def work(start: int, stop: int) -> None:
            messages = fraction, sums, sent
            worst.append(send(*lines, weights, received, rest, *messages, start, stop))

        run_lines(work, len(sums), len(self.pairs))
        return max(worst)


def _with_column(pairs: ListedPairs, weights: Floats, column: int) -> ListedPairs:
    """The pairs, and one more of each row with a further column."""
    ends = pairs.starts[1:]
    return ListedPairs(
        pairs.starts + np.arange(len(pairs.starts)),
        np.insert(pairs.columns, ends, column),
        np.insert(pairs.weights, ends, weights),
    )


def _with_row(pairs: ListedPairs, weights: Floats) -> ListedPairs:
    """The pairs, and those of a further row with all columns."""
    return ListedPairs(
        np.append(pairs.starts, pairs.starts[-1] + len(weights)),
        np.append(pairs.columns, np.arange(len(weights))),
        np.append(pairs.weights, weights),
    )
