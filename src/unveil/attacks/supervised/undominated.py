"""Who competes with a true record for a link: what pairs cost, attribute by attribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from unveil.attacks.supervised.kernels.skyline import (
    DOMINATED,
    cost_pairs_by_attribute,
    undominated,
)
from unveil.engines.metric import TIE_RELATIVE, Metric, euclid
from unveil.engines.problem import build_problem, check
from unveil.engines.records import Records
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.compile import prepare
from unveil.support.threads import cores, run_blocks, thread_blocks

# A distance that ties is no less: who is strictly nearer than another costs less than this times
# as much, where costs are squares of distances.
NEARER = (1 - TIE_RELATIVE) ** 2


class Skyline(NamedTuple):
    """The competitors that matter, one after another, for each of some queries."""

    starts: Ints  # where those of each query begin, and the end
    rows: Ints  # of the base
    twins: Ints  # candidates that cost the same as the true one in every attribute
    dominated: Bools  # whether one costs nowhere more than the true one, and it is no twin

    def of(self, some: Ints) -> Skyline:
        """Those of some of the queries."""
        sizes = np.diff(self.starts)[some]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        rows = np.repeat(self.starts[some] - starts[:-1], sizes) + np.arange(starts[-1])
        return Skyline(starts, self.rows[rows], self.twins[some], self.dominated[some])


class Competition:
    """Queries and the candidates that compete for them, made ready once.

    Columns that are of one attribute, the two ends of a range, count as one: `places` has the
    attribute of each column.

    >>> people = np.array([[1.0, 1.0], [2.0, 4.0], [3.0, 9.0]])
    >>> contest = Competition(people + 0.1, people, euclid(), [0, 1])
    >>> contest.costs(np.array([0]), np.array([1])).round(2).tolist()
    [[0.81, 8.41]]
    >>> contest.skyline(np.array([0]), np.array([0]), [np.arange(3)]).rows.tolist()
    []
    """

    def __init__(
        self,
        queries: Records | ArrayLike,
        base: Records | ArrayLike,
        metric: Metric,
        places: Sequence[int],
        *,
        threads: int | None = None,
    ) -> None:
        self._threads = cores(threads)
        self._problem = build_problem(*check(queries, base, metric), metric, self._threads)
        self._places = np.array(places, np.int64)
        self.attributes = int(self._places.max()) + 1

    def costs(self, queries: Ints, candidates: Ints) -> Floats:
        """What each of some pairs costs, pairs x attributes."""
        prepare("the costs of attributes", _rehearse)
        problem = self._problem
        found = np.empty((len(queries), self.attributes))

        def work(start: int, stop: int) -> None:
            here = slice(start, stop)
            cost_pairs_by_attribute(
                problem.terms,
                problem.queries,
                problem.missing,
                problem.base,
                queries[here],
                candidates[here],
                self._places,
                found[here],
            )

        run_blocks(work, thread_blocks(len(queries), self._threads), threads=self._threads)
        return found

    def skyline(
        self,
        queries: Ints,
        truth: Ints,
        candidates: Sequence[Ints],
        sizes: Ints | None = None,
    ) -> Skyline:
        """The competitors of each query that are Pareto-minimal, given its true record.

        Whatever monotone way costs are combined in, who is nearer than these is nearest. One that
        is farther from the query in every attribute than the true record is no competitor. A
        candidate stands for so many that are the same, or for itself.
        """
        many = np.ones(len(self._problem.base), np.int64) if sizes is None else sizes
        prepare("the competitors of records", _rehearse)
        kept: list[Ints] = [np.zeros(0, np.int64)] * len(queries)
        counts = np.zeros((len(queries), 3), np.int64)

        def work(start: int, stop: int) -> None:
            most = max(map(len, candidates[start:stop]), default=0)
            rows, costs = np.empty(most, np.int64), np.empty((most + 2, self.attributes))
            for place in range(start, stop):
                pair = queries[place], truth[place]
                self._one(*pair, candidates[place], many, rows, costs, counts[place])
                kept[place] = rows[: counts[place, 0]].copy()

        run_blocks(
            work,
            thread_blocks(len(queries), self._threads, records_each=1000),
            threads=self._threads,
        )
        dominated = counts[:, 2] == DOMINATED
        kept = [rows[:0] if lost else rows for rows, lost in zip(kept, dominated, strict=True)]
        starts = np.concatenate([[0], np.cumsum([len(rows) for rows in kept], dtype=np.int64)])
        return Skyline(
            starts, np.concatenate([np.zeros(0, np.int64), *kept]), counts[:, 1], dominated
        )

    def _one(
        self,
        query: int,
        true: int,
        candidates: Ints,
        sizes: Ints,
        rows: Ints,
        costs: Floats,
        counts: Ints,
    ) -> None:
        problem = self._problem
        undominated(
            problem.terms,
            problem.queries[query],
            problem.missing[query if len(problem.missing) > 1 else 0],
            problem.base,
            candidates,
            sizes,
            true,
            self._places,
            NEARER,
            rows,
            costs,
            counts,
        )


def _rehearse() -> None:
    rows, one = np.zeros((2, 1)), np.zeros(1, np.int64)
    contest = Competition(rows, rows, euclid(), [0], threads=1)
    contest.costs(one, one)
    contest.skyline(one, one, [np.arange(2)])
