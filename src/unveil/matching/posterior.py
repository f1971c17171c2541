"""The posterior over matchings: how likely each pair is, when everybody is matched once.

Given the likelihood of every pair, a random matching one to one has marginals that are well
approximated by scaling the matrix of likelihoods until all rows and columns sum to 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unveil.matching.kernels.sinkhorn import scale
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import prepare
from unveil.support.threads import cores, run_blocks, thread_blocks

ROUNDS = 200
ENOUGH = 1e-6  # how far from 1 a sum may be
UNLIKELY = -270.0  # the log of the least likelihood that products can still be formed of


@dataclass(frozen=True, repr=False, eq=False)
class MatchGraph:
    """Pairs that may be matched: those of each row, row after row, and what they cost.

    A row stands for `supply` records that are the same, a column for `capacity` of them.
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
    """For each pair of a graph how likely a record of its row is matched into its column."""

    probability: Floats
    unmatched: Floats  # of each row: that a record has no partner
    scaling: Floats  # of each column, of which the likelihoods are multiples
    rounds: int
    error: float  # how far from 1 a sum still is, at most


def marginals(
    graph: MatchGraph, *, rate: float = 1.0, rounds: int = ROUNDS, alone: Floats | None = None
) -> Marginals:
    """The posterior of a random matching whose pairs have likelihood exp(-rate * cost).

    Where there are more records on one side than on the other, to be left over costs all
    of them the same. If it is given how likely it is that a record of each row is `alone`, as a
    log, and 0 for columns, anybody may be.

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
    likely = np.exp(np.maximum(-rate * (graph.costs - least[rows]), UNLIKELY))
    turned = np.argsort(graph.columns, kind="stable")
    back = np.searchsorted(graph.columns[turned], np.arange(len(capacity) + 1))
    lines = _Lines(graph.starts, graph.columns, likely), _Lines(back, rows[turned], likely[turned])
    if alone is None:
        spare = _Spare.of(graph, rate * least)
    else:
        spare = _Spare.anybody(graph, rate * least + alone)
    u, v = np.ones(len(supply)), np.ones(len(capacity))
    ghost_row = ghost_column = 1.0
    error, done = np.inf, 0
    while error > ENOUGH and done < rounds:
        error = lines[0].scaled(capacity, v, spare.of_row * (spare.columns * ghost_column), u)
        if spare.counted and spare.columns:
            ghost_column = 1.0 / max(float((supply * u * spare.of_row).sum()), 1e-140)
        wrong = lines[1].scaled(supply, u, spare.of_column * (spare.rows * ghost_row), v)
        error = max(error, wrong)  # rows that are right at once may want the same column
        if spare.counted and spare.rows:
            ghost_row = 1.0 / max(float((capacity * v * spare.of_column).sum()), 1e-140)
        done += 1
    # Rows last, so that each record's probabilities sum to 1.
    rest = spare.of_row * (spare.columns * ghost_column)
    lines[0].scaled(capacity, v, rest, u)
    found = likely * (u[rows] * (capacity * v)[graph.columns])
    return Marginals(found, u * rest, v, done, float(error))


@dataclass(frozen=True, repr=False, eq=False)
class _Lines:
    """The rows of a matrix, or its columns."""

    starts: Ints
    others: Ints
    weights: Floats

    def scaled(self, sizes: Floats, scaling: Floats, spare: Floats, out: Floats) -> float:
        """Scale every line; how far from 1 the sums were."""
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
    """What is left over: so many rows, or so many columns, that nobody has."""

    rows: float
    columns: float
    of_row: Floats  # the likelihood of each row to be left over
    of_column: Floats
    counted: bool = True  # whether it is known how many are

    @classmethod
    def of(cls, graph: MatchGraph, least: Floats) -> _Spare:
        """The surplus of each side; `least` is what each row's best pair costs, at the rate.

        To be left over costs all the same. Rows are counted from their best pair: one whose
        best is dear is likelier left over.
        """
        surplus = float(graph.supply.sum() - graph.capacity.sum())
        known = np.isfinite(least)
        usual = np.median(least[known]) if known.any() else 0.0
        of_row = _likely(np.where(known, least, np.inf) - usual)
        of_column = np.ones(len(graph.capacity))
        return cls(max(-surplus, 0.0), max(surplus, 0.0), of_row, of_column)

    @classmethod
    def anybody(cls, graph: MatchGraph, alone: Floats) -> _Spare:
        """Each may be left over: rows as likely as this, counted from their best pair."""
        return cls(1.0, 1.0, _likely(alone), np.ones(len(graph.capacity)), counted=False)


def _likely(logs: Floats) -> Floats:
    """Likelihoods that products can be formed of."""
    room = -UNLIKELY / 2
    found: Floats = np.exp(np.clip(logs, -room, room))
    return found


def _rehearse() -> None:
    one = np.zeros(1, np.int64)
    marginals(MatchGraph(np.array([0, 1]), one, np.zeros(1), one + 1, one + 1))
