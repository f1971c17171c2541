"""Costs of pairs by attribute, and the skyline: the competitors that no other one dominates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unveil.attacks.supervised.kernels import skyline as kernels
from unveil.engines.metric import TIE_RELATIVE, Metric, euclid
from unveil.engines.problem import build_problem, check
from unveil.engines.records import Records
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.compile import prepare
from unveil.support.threads import cores, run_blocks, thread_blocks

# A distance that ties is not less. Costs are squares of distances: a candidate is strictly nearer
# than another if it costs less than this times as much.
NEARER = (1 - TIE_RELATIVE) ** 2


class Skyline(NamedTuple):
    """The undominated competitors of some queries, one query after another."""

    starts: Ints  # where those of each query begin, and the end
    rows: Ints  # of the base
    twins: Ints  # candidates that cost the same as the true one in every attribute
    dominated: Bools  # whether a candidate that is no twin costs nowhere more than the true one

    def subset(self, queries: Ints) -> Skyline:
        """The competitors of some of the queries."""
        sizes = np.diff(self.starts)[queries]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        rows = np.repeat(self.starts[queries] - starts[:-1], sizes) + np.arange(starts[-1])
        return Skyline(starts, self.rows[rows], self.twins[queries], self.dominated[queries])


class Competition:
    """Queries and the candidates that compete for them, prepared once.

    `attribute_of` has the attribute of each column: the two ends of a range count as one.
    """

    def __init__(
        self, queries: Records, base: Records, metric: Metric, attribute_of: Sequence[int]
    ) -> None:
        self._threads = cores(None)
        self._problem = build_problem(*check(queries, base, metric), metric, self._threads)
        self._attribute_of = np.array(attribute_of, np.int64)
        self._n_attributes = int(self._attribute_of.max()) + 1

    def costs(self, queries: Ints, candidates: Ints) -> Floats:
        """The costs of some pairs, pairs x attributes."""
        prepare("the costs of attributes", _rehearse)
        problem = self._problem
        costs = np.empty((len(queries), self._n_attributes))

        def work(start: int, stop: int) -> None:
            files = problem.terms, problem.queries, problem.missing, problem.base
            block = slice(start, stop)
            pairs = queries[block], candidates[block]
            kernels.cost_pairs_by_attribute(*files, *pairs, self._attribute_of, costs[block])

        run_blocks(work, thread_blocks(len(queries), self._threads), threads=self._threads)
        return costs

    def skyline(
        self, queries: Ints, truth: Ints, candidates: Sequence[Ints], sizes: Ints
    ) -> Skyline:
        """The competitors of each query that are Pareto-minimal, given its true candidate.

        By whatever monotone metric, a true candidate that is nearer than these is the nearest. A
        candidate that costs more than the true one in every attribute is no competitor. A
        candidate stands for sizes[row] identical ones.
        """
        problem = self._problem
        prepare("the competitors of records", _rehearse)
        kept: list[Ints] = [np.zeros(0, np.int64)] * len(queries)
        counts = np.zeros((len(queries), 3), np.int64)

        def work(start: int, stop: int) -> None:
            most = max(map(len, candidates[start:stop]), default=0)
            rows, costs = np.empty(most, np.int64), np.empty((most + 2, self._n_attributes))
            for place in range(start, stop):
                query = queries[place]
                missing = problem.missing[query if len(problem.missing) > 1 else 0]
                files = problem.terms, problem.queries[query], missing, problem.base
                competing = candidates[place], sizes, truth[place], self._attribute_of
                kernels.undominated(*files, *competing, NEARER, rows, costs, counts[place])
                kept[place] = rows[: counts[place, 0]].copy()

        blocks = thread_blocks(len(queries), self._threads, records_each=1000)
        run_blocks(work, blocks, threads=self._threads)
        starts = np.concatenate([[0], np.cumsum([len(rows) for rows in kept], dtype=np.int64)])
        rows = np.concatenate([np.zeros(0, np.int64), *kept])
        return Skyline(starts, rows, counts[:, 1], counts[:, 2] > 0)


def _rehearse() -> None:
    records, one = Records(np.zeros((2, 1))), np.zeros(1, np.int64)
    competition = Competition(records, records, euclid(), [0])
    competition.costs(one, one)
    competition.skyline(one, one, [np.arange(2)], np.ones(2, np.int64))
