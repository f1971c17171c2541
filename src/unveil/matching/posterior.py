"""The posterior over one-to-one matchings: the probability of each pair.

Given the likelihood of every pair, the marginals of a random one-to-one matching are approximated
by scaling the matrix of likelihoods until all rows and columns sum to 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unveil.matching.kernels.sinkhorn import scale
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import prepare
from unveil.support.threads import cores, run_blocks, thread_blocks

MAX_ROUNDS = 200
SUM_TOLERANCE = 1e-6  # how far from 1 a sum may be
LEAST_LOG = -270.0  # the log of the least likelihood that products can still be formed of


@dataclass(frozen=True, repr=False, eq=False)
class MatchGraph:
    """The pairs that may be matched, row by row, and their costs.

    A row stands for `supply` identical records, a column for `capacity` identical candidates.
    """

    starts: Ints
    columns: Ints
    costs: Floats
    supply: Ints
    capacity: Ints

    @property
    def rows(self) -> Ints:
        """The row of each pair."""
        return np.repeat(np.arange(len(self.supply)), np.diff(self.starts))


@dataclass(frozen=True, repr=False, eq=False)
class Marginals:
    """For each pair the probability that a record of its row is matched into its column."""

    probability: Floats
    unmatched: Floats  # of each row: that a record has no partner
    scaling: Floats  # of each column, of which the likelihoods are multiples
    rounds: int
    error: float  # how far from 1 a sum still is, at most


def marginals(
    graph: MatchGraph, *, rate: float = 1.0, rounds: int = MAX_ROUNDS, alone: Floats | None = None
) -> Marginals:
    """The posterior of a random matching whose pairs have likelihood exp(-rate * cost).

    Where one side has more records than the other, being unmatched costs all of them the same.
    With `alone`, the log-likelihood that a record of each row has no partner (0 for columns), any
    record may be unmatched.

    >>> two = np.array([0, 1, 0, 1])
    >>> costs = np.array([0.0, 1, 9, 9])
    >>> pairs = MatchGraph(np.array([0, 2, 4]), two, costs, *np.ones((2, 2), int))
    >>> marginals(pairs).probability.reshape(2, 2).round(2).tolist()
    [[0.62, 0.38], [0.38, 0.62]]
    """
    prepare("the posterior over matchings", _rehearse)
    rows, supply, capacity = graph.rows, graph.supply.astype(float), graph.capacity.astype(float)
    least = np.full(len(supply), np.inf)
    np.minimum.at(least, rows, graph.costs)
    likely = np.exp(np.maximum(-rate * (graph.costs - least[rows]), LEAST_LOG))
    turned = np.argsort(graph.columns, kind="stable")
    back = np.searchsorted(graph.columns[turned], np.arange(len(capacity) + 1))
    lines = _Lines(graph.starts, graph.columns, likely), _Lines(back, rows[turned], likely[turned])
    if alone is None:
        spare = _Spare.surplus(graph, rate * least)
    else:
        spare = _Spare.anybody(graph, rate * least + alone)
    u, v = np.ones(len(supply)), np.ones(len(capacity))
    ghost_row = ghost_column = 1.0
    error, done = np.inf, 0
    while error > SUM_TOLERANCE and done < rounds:
        error = lines[0].rescale(capacity, v, spare.of_row * (spare.columns * ghost_column), u)
        if spare.counted and spare.columns:
            ghost_column = 1.0 / max(float((supply * u * spare.of_row).sum()), 1e-140)
        wrong = lines[1].rescale(supply, u, spare.of_column * (spare.rows * ghost_row), v)
        error = max(error, wrong)  # rows that are right at once may want the same column
        if spare.counted and spare.rows:
            ghost_row = 1.0 / max(float((capacity * v * spare.of_column).sum()), 1e-140)
        done += 1
    # Rows last, so that each record's probabilities sum to 1.
    rest = spare.of_row * (spare.columns * ghost_column)
    lines[0].rescale(capacity, v, rest, u)
    found = likely * (u[rows] * (capacity * v)[graph.columns])
    return Marginals(found, u * rest, v, done, float(error))


@dataclass(frozen=True, repr=False, eq=False)
class _Lines:
    """The rows of a matrix, or its columns."""

    starts: Ints
    others: Ints
    weights: Floats

    def rescale(self, sizes: Floats, scaling: Floats, spare: Floats, out: Floats) -> float:
        """Scale every line; returns how far from 1 the sums were."""
        worst: list[float] = [0.0]
        # A product is a hundredth of the work that a record is elsewhere.
        each = max(1, len(self.weights) // (100 * max(len(out), 1)))

        def work(start: int, stop: int) -> None:
            line = self.starts, self.others, self.weights
            worst.append(scale(*line, sizes, scaling, spare, out, start, stop))

        threads = cores(None)
        run_blocks(work, thread_blocks(len(out), threads, records_each=each), threads=threads)
        return max(worst)


@dataclass(frozen=True, repr=False, eq=False)
class _Spare:
    """Rows, or columns, that stay unmatched."""

    rows: float
    columns: float
    of_row: Floats  # the likelihood of each row to be unmatched
    of_column: Floats
    counted: bool = True  # whether it is known how many are

    @classmethod
    def surplus(cls, graph: MatchGraph, least: Floats) -> _Spare:
        """The surplus of each side; `least` is the scaled cost of each row's best pair.

        Being unmatched costs all the same. Rows are counted from their best pair: one whose
        best is expensive is more likely unmatched.
        """
        surplus = float(graph.supply.sum() - graph.capacity.sum())
        known = np.isfinite(least)
        usual = np.median(least[known]) if known.any() else 0.0
        of_row = _likely(np.where(known, least, np.inf) - usual)
        of_column = np.ones(len(graph.capacity))
        return cls(max(-surplus, 0.0), max(surplus, 0.0), of_row, of_column)

    @classmethod
    def anybody(cls, graph: MatchGraph, alone: Floats) -> _Spare:
        """Any record may be unmatched; the likelihood of rows is relative to their best pair."""
        return cls(1.0, 1.0, _likely(alone), np.ones(len(graph.capacity)), counted=False)


def _likely(logs: Floats) -> Floats:
    """Likelihoods that products can be formed of."""
    return np.asarray(np.exp(np.clip(logs, LEAST_LOG / 2, -LEAST_LOG / 2)))


def _rehearse() -> None:
    one = np.zeros(1, np.int64)
    marginals(MatchGraph(np.array([0, 1]), one, np.zeros(1), one + 1, one + 1))
