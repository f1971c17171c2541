"""The posterior over one-to-one matchings: the probability of each pair.

Given the likelihood of every pair, the marginals of a random one-to-one matching are approximated.
Sinkhorn: the matrix of likelihoods is scaled until all rows and columns sum to 1. It is too modest:
for two people and two rows it has the square root of the odds. Fractional belief propagation
(`matching.messages`) starts there and comes closer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unveil.matching.kernels.sinkhorn import Matrix, expected_costs
from unveil.matching.messages import Messages, Unmatched
from unveil.matching.pair_weights import (
    LEAST_LOG,
    DenseWeights,
    ListedPairs,
    ListedWeights,
    PairWeights,
    Scalings,
)
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import prepare
from unveil.support.threads import run_lines

MAX_ROUNDS = 500
SUM_TOLERANCE = 1e-6  # how far from 1 a sum may be
# A sum of messages may change by so much in a round: then probabilities are within about 0.01 of
# their limits, 0.0002 on average (census and EIA files).
MESSAGE_TOLERANCE = 5e-3
SCALED_FIRST = 0.1  # how far from 1 a sum may be when messages start
MOST_CHANGE = 0.1  # of a sum of messages in the last round: beyond it, the scaling is returned
FRACTION = 0.8  # of belief propagation


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

    @cached_property
    def least(self) -> Floats:
        """The least cost of each row; infinite where no partner is possible."""
        least = np.full(len(self.supply), np.inf)
        np.minimum.at(least, self.rows, self.costs)
        return least

    @property
    def mean_cost(self) -> float:
        """The mean cost of all possible pairs."""
        return float(self.costs.mean()) if len(self.costs) else 1.0

    def expected_cost(self, probability: Floats) -> float:
        """The mean cost of matched pairs."""
        matched = self.supply[self.rows] * self.capacity[self.columns] * probability
        return float((matched * self.costs).sum()) / max(float(matched.sum()), 1e-9)

    def weights(self, rate: float) -> PairWeights:
        """The likelihoods exp(-rate * cost), relative to the best of each row."""
        likely = np.exp(np.maximum(-rate * (self.costs - self.least[self.rows]), LEAST_LOG))
        pairs = ListedPairs(self.starts, self.columns, likely)
        sizes = self.supply.astype(float), self.capacity.astype(float)
        return ListedWeights(pairs, *sizes, rate * self.least)


@dataclass(frozen=True, repr=False, eq=False)
class DenseGraph:
    """All pairs: a matrix of costs, of 32 or 64 bits, above the least of each row.

    A cost is infinite where a pair is impossible.
    """

    costs: Matrix
    least: Floats  # of each row; infinite where no partner is possible
    supply: Ints
    capacity: Ints
    used_up: bool = False  # the matrix may be overwritten

    @property
    def mean_cost(self) -> float:
        """The mean cost of all possible pairs."""
        ones = np.ones(1, self.costs.dtype)
        cost, pairs = self._weighted_sums(np.broadcast_to(ones, self.costs.shape))
        possible = self.least[pairs > 0] * pairs[pairs > 0]
        return float((cost.sum() + possible.sum()) / pairs.sum()) if pairs.any() else 1.0

    def expected_cost(self, probability: Matrix) -> float:
        """The mean cost of matched pairs."""
        cost, matched = self._weighted_sums(probability)
        least = np.where(matched > 0, self.least, 0.0)
        total = float((self.supply * (cost + least * matched)).sum())
        return total / max(float((self.supply * matched).sum()), 1e-9)

    def _weighted_sums(self, probability: Matrix) -> tuple[Floats, Floats]:
        """Of each row, the costs weighted with probabilities, and the sum of these."""
        cost, matched = np.zeros((2, len(self.costs)))
        args = self.costs, probability, self.capacity.astype(float), cost, matched
        run_lines(
            lambda start, stop: expected_costs(*args, start, stop), len(cost), self.costs.size
        )
        return cost, matched

    def weights(self, rate: float) -> PairWeights:
        """The likelihoods exp(-rate * cost), relative to the best of each row and column."""
        sizes = self.supply.astype(float), self.capacity.astype(float)
        out = self.costs if self.used_up else np.empty_like(self.costs)
        return DenseWeights.of(self.costs, rate, sizes, self.least, out)


@dataclass(frozen=True, repr=False, eq=False)
class Marginals:
    """For each pair the probability that a record of its row has a given candidate of its column.

    As the graph has its pairs: listed, or as a matrix.
    """

    probability: Matrix
    unmatched: Floats  # of each row: that a record has no partner
    left_out: Floats  # of each row: that a record has a partner who is not in the graph
    rounds: int
    error: float  # how far from 1 a sum still is, at most
    fraction: float = 0.0  # of belief propagation; 0 where its messages did not converge


def marginals(
    graph: MatchGraph | DenseGraph,
    *,
    rate: float = 1.0,
    fraction: float = 0.0,
    rounds: int = MAX_ROUNDS,
    alone: Floats | None = None,
    left_out: Callable[[Floats], Floats] | None = None,
) -> Marginals:
    """The posterior of a random matching whose pairs have likelihood exp(-rate * cost).

    Where one side has more records than the other, being unmatched costs all of them the same.
    With `alone`, the log-likelihood that a record of each row has no partner (0 for columns), any
    record may be unmatched. A `fraction` of 0 is Sinkhorn's scaling, 1 is belief propagation.
    `left_out` tells, given the columns' scaling, the weight of each row's candidates that are not
    in the graph, relative to those that are.

    >>> costs = np.array([[0.0, 1], [9, 9]])
    >>> pairs = DenseGraph(costs - [[0], [9]], np.array([0.0, 9]), *np.ones((2, 2), int))
    >>> marginals(pairs).probability.round(2).tolist()
    [[0.62, 0.38], [0.38, 0.62]]
    >>> marginals(pairs, fraction=0.7).probability.round(2).tolist()  # exactly 0.731
    [[0.73, 0.27], [0.27, 0.73]]
    """
    prepare("the posterior over matchings", _rehearse)
    weights = graph.weights(rate)
    spare = _Spare.surplus(weights) if alone is None else _Spare.anybody(weights, alone)
    if left_out is not None:
        spare.unlisted = _unlisted(weights, left_out)
    if fraction:
        by, done, _ = _scaled(weights, spare, rounds, SCALED_FIRST)
        lost = _lost(left_out, by)
        messages = Messages(weights, by, replace(spare.unmatched(by), left_out=lost), fraction)
        more, change = messages.exchange(rounds, MESSAGE_TOLERANCE)
        if change <= MOST_CHANGE:
            unlisted = lost / messages.row_sums
            return Marginals(*messages.beliefs(), unlisted, done + more, change, fraction)
    by, done, error = _scaled(weights, spare, rounds, SUM_TOLERANCE)
    lost = _lost(left_out, by)
    unmatched = by.rows * spare.alone_rows
    kept = by._replace(rows=by.rows / (1 + lost))
    found = weights.scaled(kept), unmatched / (1 + lost)
    return Marginals(*found, lost / (1 + lost), done, error)


def _lost(left_out: Callable[[Floats], Floats] | None, by: Scalings) -> Floats:
    return np.zeros(len(by.rows)) if left_out is None else left_out(by.columns)


def _unlisted(weights: PairWeights, left_out: Callable[[Floats], Floats]) -> Floats:
    """The weight of each row's candidates that are not in the graph, before any scaling."""
    of_row, ones = np.ones(len(weights.supply)), np.ones(len(weights.capacity))
    weights.scale_rows(ones, np.zeros(len(of_row)), of_row)
    return left_out(ones) / of_row


def _scaled(
    weights: PairWeights, spare: _Spare, rounds: int, tolerance: float
) -> tuple[Scalings, int, float]:
    """Sinkhorn's scaling; rows last, so that each record's probabilities sum to 1.

    Candidates that are not listed have the mean scaling: rows that share their only listed
    candidate have partners all the same.
    """
    supply, capacity = weights.supply, weights.capacity
    u, v = np.ones(len(supply)), np.ones(len(capacity))
    error, done = np.inf, 0
    while error > tolerance and done < rounds:
        error = weights.scale_rows(v, spare.beside_rows(v, capacity), u)
        if spare.counted and spare.columns:
            spare.ghost_column = 1.0 / max(float((supply * u * spare.of_row).sum()), 1e-140)
        wrong = weights.scale_columns(u, spare.beside_columns(u, supply, capacity), v)
        error = max(error, wrong)  # rows that are right at once may want the same column
        if spare.counted and spare.rows:
            spare.ghost_row = 1.0 / max(float((capacity * v * spare.of_column).sum()), 1e-140)
        done += 1
    weights.scale_rows(v, spare.alone_rows, u)
    return Scalings(u, v), done, float(error)


@dataclass(repr=False, eq=False)
class _Spare:
    """Rows, or columns, that stay unmatched, and the scaling of their partners, the ghosts."""

    rows: float
    columns: float
    of_row: Floats  # the likelihood of each row to be unmatched
    of_column: Floats
    counted: bool = True  # whether it is known how many are
    ghost_row: float = 1.0
    ghost_column: float = 1.0
    unlisted: Floats | None = None  # of each row: the weight of candidates that are not listed

    @classmethod
    def surplus(cls, weights: PairWeights) -> _Spare:
        """The surplus of each side; being unmatched costs all the same.

        Rows and columns are counted from their best pair: one whose best is expensive is more
        likely unmatched.
        """
        surplus = float(weights.supply.sum() - weights.capacity.sum())
        least = weights.least_rows
        known = np.isfinite(least)
        usual = np.median(least[known]) if known.any() else 0.0
        of_row = _likely(np.where(known, least, np.inf) - usual)
        return cls(max(-surplus, 0.0), max(surplus, 0.0), of_row, _likely(weights.least_columns))

    @classmethod
    def anybody(cls, weights: PairWeights, alone: Floats) -> _Spare:
        """Any record may be unmatched; the likelihood of rows is relative to their best pair."""
        of_row = _likely(weights.least_rows + alone)
        return cls(1.0, 1.0, of_row, _likely(weights.least_columns), counted=False)

    @property
    def alone_rows(self) -> Floats:
        """The weight of each row's being unmatched."""
        return self.of_row * (self.columns * self.ghost_column)

    def beside_rows(self, v: Floats, capacity: Floats) -> Floats:
        """What each row's sum has beside the listed pairs, given the columns' scaling."""
        if self.unlisted is None:
            return self.alone_rows
        return self.alone_rows + self.unlisted * float(np.average(v, weights=capacity))

    def beside_columns(self, u: Floats, supply: Floats, capacity: Floats) -> Floats:
        """The same for columns, all of which have an equal share of what is not listed."""
        alone = self.of_column * (self.rows * self.ghost_row)
        if self.unlisted is None:
            return alone
        return alone + float((supply * u * self.unlisted).sum()) / float(capacity.sum())

    def unmatched(self, by: Scalings) -> Unmatched:
        """The scaled weights of being unmatched, for messages."""
        rows, columns = by.rows * self.of_row, by.columns * self.of_column
        if not self.counted:
            return Unmatched(rows, columns)
        return Unmatched(
            rows * self.ghost_column, columns * self.ghost_row, self.columns, self.rows
        )


def _likely(logs: Floats) -> Floats:
    """Likelihoods that products can be formed of."""
    return np.asarray(np.exp(np.clip(logs, LEAST_LOG / 2, -LEAST_LOG / 2)))


def _rehearse() -> None:
    one = np.zeros(1, np.int64)
    for bits in (np.float32, np.float64):
        graph = DenseGraph(np.zeros((1, 1), bits), np.zeros(1), one + 1, one + 1)
        graph.expected_cost(marginals(graph, fraction=FRACTION).probability)
    pairs = MatchGraph(np.array([0, 1]), one, np.zeros(1), one + 1, one + 1)
    marginals(pairs, fraction=FRACTION)
