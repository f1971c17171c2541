"""Costs of pairs by attribute, and the skyline: the competitors that no other one dominates."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from unveil.attacks.supervised.kernels import skyline as kernels
from unveil.engines.base import RELATIVE, Engine
from unveil.engines.metric import Metric
from unveil.engines.records import Records
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.compile import prepare
from unveil.support.threads import cores, run_blocks, thread_blocks

# A distance that ties is not less. Costs are squares of distances: a candidate is strictly nearer
# than another if it costs less than this times as much.
NEARER = (1 - RELATIVE) ** 2
ZERO_COST = 1e-30  # a squared difference below this is rounding
PAIRS_AT_ONCE = 1_000_000  # whose costs are computed together


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
    """Queries and the candidates that compete for them, attribute by attribute, prepared once.

    `attribute_of` has the attribute of each column: the two ends of a range count as one.
    """

    def __init__(
        self,
        engine: Engine,
        queries: Records,
        base: Records,
        metric: Metric,
        attribute_of: Sequence[int],
    ) -> None:
        costs = metric.costs_for(queries.width)
        columns = [
            [column for column, of in enumerate(attribute_of) if of == attribute]
            for attribute in range(max(attribute_of) + 1)
        ]
        self._attributes = [
            engine.prepare(
                queries.select(own),
                base.select(own),
                Metric(tuple(costs[column] for column in own)),
            )
            for own in columns
        ]

    def costs(self, queries: Ints, candidates: Ints) -> Floats:
        """The costs of some pairs, pairs x attributes."""
        costs = np.empty((len(queries), len(self._attributes)))
        for place, attribute in enumerate(self._attributes):
            own = attribute.costs(queries, candidates)
            np.multiply(own, own >= ZERO_COST, out=costs[:, place])
        return costs

    def skyline(
        self, queries: Ints, truth: Ints, candidates: Sequence[Ints], sizes: Ints
    ) -> Skyline:
        """The competitors of each query that are Pareto-minimal, given its true candidate.

        By whatever monotone metric, a true candidate that is nearer than these is the nearest. A
        candidate that costs more than the true one in every attribute is no competitor. A
        candidate stands for sizes[row] identical ones.
        """
        prepare("the competitors of records", _rehearse)
        kept: list[Ints] = [np.zeros(0, np.int64)] * len(queries)
        counts = np.zeros((len(queries), 3), np.int64)
        true_costs = self.costs(queries, truth)
        pairs = np.cumsum([0, *map(len, candidates)])
        for begin, end in pairwise(_batches(pairs)):
            own = np.repeat(queries[begin:end], np.diff(pairs)[begin:end])
            costs = self.costs(own, np.concatenate(candidates[begin:end]))

            def work(start: int, stop: int, first: int = begin, costs: Floats = costs) -> None:
                for place in range(first + start, first + stop):
                    rows = candidates[place]
                    of_query = costs[pairs[place] - pairs[first] : pairs[place + 1] - pairs[first]]
                    found, true = np.empty(len(rows), np.int64), truth[place]
                    kernels.undominated(
                        of_query, rows, sizes, true, true_costs[place], NEARER, found, counts[place]
                    )
                    kept[place] = rows[found[: counts[place, 0]]]

            blocks = thread_blocks(end - begin, cores(None), records_each=1000)
            run_blocks(work, blocks, threads=cores(None))
        starts = np.concatenate([[0], np.cumsum([len(rows) for rows in kept], dtype=np.int64)])
        rows = np.concatenate([np.zeros(0, np.int64), *kept])
        return Skyline(starts, rows, counts[:, 1], counts[:, 2] > 0)


def _batches(pairs: Ints) -> list[int]:
    """The bounds of batches of queries, given where the pairs of each begin."""
    bounds = [0]
    while bounds[-1] < len(pairs) - 1:
        last = int(np.searchsorted(pairs, pairs[bounds[-1]] + PAIRS_AT_ONCE, "right")) - 1
        bounds.append(max(last, bounds[-1] + 1))
    return bounds


def _rehearse() -> None:
    costs, one = np.zeros((2, 1)), np.zeros(3, np.int64)
    kernels.undominated(costs, np.arange(2), one + 1, 0, costs[0], NEARER, one[:2], one)
