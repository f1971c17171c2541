"""Nearest-neighbour linkage: each record is linked to the candidate with the lowest score.

Records choose independently, so several may take the same row. Ties for the nearest are equally
likely.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.base import LearntSearch, LinkageFiles
from unveil.attacks.matched.comparer import PosteriorModel
from unveil.engines.local.blocking import BlockedBase, PartitionedBase
from unveil.engines.local.engine import PreparedSearch, costs_of
from unveil.engines.local.index import EqualRows, same_rows
from unveil.engines.metric import Metric
from unveil.engines.records import Records
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.options import Progress
from unveil.support.threads import cores
from unveil.values.links import ComparisonBlock, Margins, RankedCandidates, RankOfTruth

DENSITY_ERROR = 1e-3  # relative, of the sum of likelihoods over all candidates


@dataclass(frozen=True, repr=False, eq=False)
class NearestSearch:
    """An exact search: both files as numbers, and the metric that compares them (a `Comparer`)."""

    files: LinkageFiles
    intruder_records: Records
    released: Records
    metric: Metric  # from queries to candidates
    columns: tuple[str, ...]
    supervised: bool = False
    margins: Margins | None = "distance"
    details: dict[str, Any] = field(default_factory=dict)
    posterior_model: PosteriorModel | None = None  # if the attack brings its own
    guess: bool = False  # nothing supports the links, so no probability is claimed
    learnt: LearntSearch | None = None  # links strangers by the trained metric

    def rank_of_truth(
        self, records: Ints, truth: Ints, stop_at: int | None, progress: Progress | None
    ) -> RankOfTruth:
        prepared, rows = self._prepare(records)
        found = prepared.rank_of_truth(rows, truth, stop_at=stop_at, progress=progress)
        return RankOfTruth(found.n_closer, found.n_tied, work=found.work)

    def nearest(self, records: Ints, k: int, progress: Progress | None) -> RankedCandidates:
        prepared, rows = self._prepare(records)
        found = prepared.nearest(rows, k=k, progress=progress)
        return RankedCandidates(found.rows, found.scores, found.n_best, found.work)

    def costs(self, records: Ints, candidates: Ints) -> Floats:
        """The cost of each pair, as a sum without the root; infinite where not compared."""
        found = costs_of(*self._sides, self.metric, (records, candidates))
        return np.where(self.compares(records, candidates), found, np.inf)

    def log_sums(self, records: Ints, error: float) -> Floats:
        if self.metric.root:
            return replace(self, metric=replace(self.metric, root=False)).log_sums(records, error)
        prepared, rows = self._prepare(records)
        return prepared.density(rows, error=error).log_sum

    def log_totals(self, records: Ints) -> Floats | None:
        """The log of the sum of all likelihoods; None where scores are no likelihoods."""
        likelihoods = self.margins == "likelihood" and self.posterior_model is None
        return self.log_sums(records, DENSITY_ERROR) if likelihoods else None

    @property
    def sizes(self) -> tuple[int, int]:
        queries, base = self._sides
        return len(queries), len(base)

    def equal_rows(self) -> tuple[EqualRows, EqualRows]:
        first, second = (
            _equal_rows(records, blocks)
            for records, blocks in zip(self._sides, self._blocks, strict=True)
        )
        return first, second

    def restrict(self, records: Ints, candidates: Ints) -> NearestSearch:
        intruder, released = self.files.queries_first(records, candidates)
        return replace(
            self,
            files=replace(self.files, blocks=self.files.blocks.take(intruder, released)),
            intruder_records=self.intruder_records.take(intruder),
            released=self.released.take(released),
        )

    def with_prices(self, prices: Floats) -> NearestSearch:
        base = self._sides[1]
        offset = prices if base.offset is None else base.offset + prices
        return self._replace_base(replace(base, offset=offset))

    def scale_costs(self, rate: float) -> NearestSearch:
        if rate == 1:
            return self
        intruder, released = (
            one if one.offset is None else replace(one, offset=one.offset * rate)
            for one in (self.intruder_records, self.released)
        )
        metric = self.metric.scale(rate)
        return replace(self, intruder_records=intruder, released=released, metric=metric)

    def reverse(self) -> NearestSearch:
        # The offset of a query is the same for all its candidates.
        free = self._replace_base(replace(self._sides[1], offset=None))
        files = replace(self.files, reverse=not self.files.reverse)
        return replace(free, files=files, metric=self.metric.reversed)

    def _replace_base(self, base: Records) -> NearestSearch:
        if self.files.reverse:
            return replace(self, intruder_records=base)
        return replace(self, released=base)

    @property
    def _sides(self) -> tuple[Records, Records]:
        return self.files.queries_first(self.intruder_records, self.released)

    def _prepare(self, records: Ints) -> tuple[PreparedSearch, Ints | None]:
        """A prepared search and the rows that query it; with blocks, only these are prepared."""
        blocks = self.files.blocks
        if not blocks.columns or (blocks.has_missing and self.metric.measure is None):
            return self._prepared, records
        queries, base = self._sides
        parts = PartitionedBase(base, self.comparison_blocks(records))
        return PreparedSearch(queries.take(records), parts, self.metric), None

    @cached_property
    def _prepared(self) -> PreparedSearch:
        """All queries against the whole base; a block with missing cells is one more attribute."""
        queries, base = self._sides
        blocks = self.files.blocks
        if not blocks.columns:
            return PreparedSearch(queries, base, self.metric)
        of_query, of_base = (blocks.cells[own] for own in self._blocks)
        return PreparedSearch(queries, BlockedBase(base, of_query, of_base), self.metric)

    @property
    def _blocks(self) -> tuple[Ints, Ints]:
        return self.files.queries_first(self.files.blocks.intruder, self.files.blocks.released)

    def comparison_blocks(self, records: Ints) -> list[ComparisonBlock]:
        return self.files.blocks.comparison_blocks(*self._blocks, records)

    def n_candidates(self, records: Ints) -> Ints:
        queries, base = self._blocks
        return self.files.blocks.n_candidates(queries[records], base)

    def compares(self, records: Ints, candidates: Ints) -> Bools:
        queries, base = self._blocks
        return self.files.blocks.compatible(queries[records], base[candidates])

    def classes(self) -> Ints:
        blocks = self.files.blocks.released if self.files.blocks.columns else np.zeros(0, np.int64)
        return same_rows(self.released.cells(), blocks, cores(None)).of_record()

    @property
    def degrees(self) -> float | None:
        if self.margins == "likelihood":
            return None
        squares = all(cost.is_squared for cost in self.metric.cost_tuple)
        return len(self.columns) / 2 if squares else float(max(len(self.columns), 1))


def _equal_rows(records: Records, blocks: Ints) -> EqualRows:
    cells = records.cells()
    if records.offset is not None:  # one more number of each
        cells = np.column_stack([cells, records.offset])
    return same_rows(np.ascontiguousarray(cells), blocks, cores(None))


def as_records(values: NDArray[Any]) -> Records:
    """Numbers with NaN for missing as records; whole numbers are compared as integers."""
    present = ~np.isnan(values)
    return Records(values) if present.all() else Records(np.where(present, values, 0.0), present)
