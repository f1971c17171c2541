"""The likelihood of pairs in some attributes, and the likelihood of missing cells.

A missing released cell is equally probable for all records with a known value. For a record with a
missing cell, a known released cell has its probability in the whole file, so it is no evidence.
Masks leave missing cells missing, so both sides nearly always miss the same cells. The true row is
never excluded, because an intruder may know a value that the file lacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unveil.engines.base import Engine
from unveil.engines.metric import Cost, Metric, table
from unveil.engines.records import Records
from unveil.support.arrays import Bools, Floats, Ints

MOST_BINS = 32  # different probabilities of missing cells
DENSITY_ERROR = 1e-3  # relative
ONE_SIDED = 4.6  # log 100: masks leave missing cells missing, so one side alone is improbable


@dataclass(frozen=True, repr=False, eq=False)
class PairLikelihood:
    """Some attributes of both files as numbers, NaN where missing, and the cost of gaps.

    The cost of a pair is the negative log-likelihood of the released cells given the intruder's,
    up to a constant.
    """

    intruder: Floats  # records x numbers
    released: Floats
    costs: tuple[Cost, ...]  # from the intruder's records to released rows
    spread: Floats  # for each record the log of the number of values that it may become
    constant: float = 0.0  # depends on the channel's parameters only
    n_cells: tuple[int, ...] = ()  # cells of a record that make each number, if more than one

    @classmethod
    def join(cls, parts: Sequence[PairLikelihood]) -> PairLikelihood:
        """The likelihood of several channels, which are independent given the original."""
        return cls(
            np.column_stack([part.intruder for part in parts]),
            np.column_stack([part.released for part in parts]),
            tuple(cost for part in parts for cost in part.costs),
            np.sum([part.spread for part in parts], axis=0),
            sum(part.constant for part in parts),
        )

    @property
    def metric(self) -> Metric:
        """The cost of pairs, from the intruder's records to released rows."""
        return Metric(self.costs)

    def scale(self, rate: float) -> PairLikelihood:
        """The likelihood to the power of a rate."""
        costs = tuple(cost.scale(rate) for cost in self.costs)
        return replace(self, costs=costs, spread=self.spread * rate, constant=self.constant * rate)

    def without(self, dropped: Sequence[bool]) -> PairLikelihood:
        """The likelihood without some of its numbers."""
        kept = [j for j, gone in enumerate(dropped) if not gone]
        return replace(
            self,
            intruder=self.intruder[:, kept],
            released=self.released[:, kept],
            costs=tuple(self.costs[j] for j in kept),
        )

    def with_missing(self, whole: PairLikelihood, engine: Engine) -> PairLikelihood:
        """The likelihood with missing cells as no evidence; `whole` is the population's.

        Numbers that miss the same cells get one more number, a code, whose table has the costs of
        pairs that miss them on one side or both.
        """
        absent = np.vstack([np.isnan(self.intruder), np.isnan(self.released)])
        if not absent.any():
            return self
        coded = replace(self, costs=tuple(replace(cost, missing=0.0) for cost in self.costs))
        width = whole.intruder.shape[1]
        if self.intruder.shape[1] != width:  # one attribute, which is missing or not
            surprise = whole.surprise(np.arange(width), engine)
            return coded._add_code(np.arange(absent.shape[1]), surprise)
        patterns = np.vstack([absent, np.isnan(whole.intruder)])
        missing_together: dict[bytes, list[int]] = {}
        for column in np.flatnonzero(absent.any(axis=0)).tolist():
            missing_together.setdefault(patterns[:, column].tobytes(), []).append(column)
        for columns in map(np.array, missing_together.values()):
            coded = coded._add_code(columns, whole.surprise(columns, engine))
        return coded

    def _add_code(self, columns: Ints, surprise: Floats) -> PairLikelihood:
        """One more number, for some numbers that are missing together."""
        absent, unknown = (np.isnan(side[:, columns[0]]) for side in (self.intruder, self.released))
        usual = float(surprise[~unknown].mean()) if (~unknown).any() else 0.0
        rows, spreads = _bin(self.spread, ~absent)
        cells, surprises = _bin(surprise, ~unknown)
        last = max(len(spreads), len(surprises))
        costs = np.zeros((last + 1, last + 1))
        costs[: len(spreads), last] = usual - spreads + ONE_SIDED
        costs[last, : len(surprises)] = surprises + ONE_SIDED
        costs[last, last] = usual
        least = min(0.0, float(costs.min()))
        return replace(
            self,
            intruder=np.column_stack([self.intruder, np.where(absent, last, rows)]),
            released=np.column_stack([self.released, np.where(unknown, last, cells)]),
            costs=(*self.costs, table(costs - least)),
            constant=self.constant + least,
        )

    def surprise(self, columns: Ints, engine: Engine) -> Floats:
        """The negative log-probability of each released cell in the population; 0 if missing."""
        known, there = (~np.isnan(side[:, columns[0]]) for side in (self.intruder, self.released))
        surprise = np.zeros(len(there))
        if not (known.any() and there.any()):
            return surprise
        base = Records(self.intruder[known][:, columns], offset=self.spread[known])
        queries = Records(self.released[there][:, columns])
        metric = Metric(tuple(self.costs[j] for j in columns))
        search = engine.prepare(queries, base, metric.reversed)
        log_sum = search.density(None, error=DENSITY_ERROR).log_sum
        unlikely = np.log(known.sum()) - log_sum
        possible = np.isfinite(unlikely)
        most = float(unlikely[possible].max()) if possible.any() else 0.0
        surprise[there] = np.where(possible, unlikely, most)
        return surprise


def _bin(values: Floats, used: Bools) -> tuple[Ints, Floats]:
    """The nearest of a few distinct values for each value, by place, and these."""
    distinct = np.unique(values[used]) if used.any() else np.zeros(1)
    if len(distinct) > MOST_BINS:
        distinct = np.unique(np.quantile(values[used], (np.arange(MOST_BINS) + 0.5) / MOST_BINS))
    between = (distinct[1:] + distinct[:-1]) / 2
    return np.searchsorted(between, values), distinct
