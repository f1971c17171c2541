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
from unveil.engines.base import Prepared
from unveil.engines.blocks import Blocks
from unveil.engines.metric import Metric
from unveil.engines.records import Records
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.equal_rows import EqualRows
from unveil.support.options import Progress
from unveil.values.links import ComparisonBlock, Margins
from unveil.values.pair_decisions import PairDecider
from unveil.values.search_results import Neighbours, RankOfTruth

DENSITY_ERROR = 1e-3  # relative, of the sum of likelihoods over all candidates


@dataclass(frozen=True, repr=False, eq=False)
class NearestSearch:
    """An exact search: both files as numbers, and the metric that compares them (a `Comparer`)."""

    files: LinkageFiles
    intruder_records: Records
    released: Records
    metric: Metric  # from queries to candidates
    columns: tuple[str, ...]  # those of written forms are named by the columns that they describe
    supervised: bool = False
    margins: Margins | None = "distance"
    details: dict[str, Any] = field(default_factory=dict)
    posterior_model: PosteriorModel | None = None  # if the attack brings its own
    guess: bool = False  # nothing supports the links, so no probability is claimed
    learnt: LearntSearch | None = None  # links strangers by the trained metric
    pair_decisions: PairDecider | None = None  # if pairs are classified by error rates

    def __post_init__(self) -> None:
        described = (self.files.form_columns.get(name, name) for name in self.columns)
        object.__setattr__(self, "columns", tuple(dict.fromkeys(described)))

    def rank_of_truth(
        self, records: Ints, truth: Ints, stop_at: int | None, progress: Progress | None
    ) -> RankOfTruth:
        return self._prepared.rank_of_truth(records, truth, stop_at=stop_at, progress=progress)

    def nearest(self, records: Ints, k: int, progress: Progress | None) -> Neighbours:
        return self._prepared.nearest(records, k=k, progress=progress)

    def costs(self, records: Ints, candidates: Ints) -> Floats:
        """The cost of each pair, as a sum without the root; infinite where not compared."""
        return self._prepared.costs(records, candidates)

    def log_sums(self, records: Ints, error: float) -> Floats:
        if self.metric.root:
            return replace(self, metric=replace(self.metric, root=False)).log_sums(records, error)
        return self._prepared.density(records, error=error).log_sum

    def log_totals(self, records: Ints) -> Floats | None:
        """The log of the sum of all likelihoods; None where scores are no likelihoods."""
        likelihoods = self.margins == "likelihood" and self.posterior_model is None
        return self.log_sums(records, DENSITY_ERROR) if likelihoods else None

    @property
    def sizes(self) -> tuple[int, int]:
        queries, base = self._sides
        return len(queries), len(base)

    @property
    def engine(self) -> str:
        return self._prepared.engine

    def equal_rows(self) -> tuple[EqualRows, EqualRows]:
        blocks = self._blocks.queries, self._blocks.base
        first, second = map(self._distinct_rows, self._sides, blocks)
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
        priced = self._replace_base(replace(base, offset=offset))
        vars(priced)["_prepared"] = self._prepared.with_offset(offset)
        return priced

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

    @cached_property
    def _prepared(self) -> Prepared:
        queries, base = self._sides
        blocks = self._blocks if self.files.blocks.columns else None
        return self.files.engine.prepare(queries, base, self.metric, blocks=blocks)

    @cached_property
    def _blocks(self) -> Blocks:
        between = self.files.blocks.between
        return between.reversed if self.files.reverse else between

    def comparison_blocks(self, records: Ints) -> list[ComparisonBlock]:
        return self._blocks.comparison_blocks(records)

    def n_candidates(self, records: Ints) -> Ints:
        return self._blocks.n_candidates(records)

    def compares(self, records: Ints, candidates: Ints) -> Bools:
        return self._blocks.compares(records, candidates)

    def classes(self) -> Ints:
        rows = replace(self.released, offset=None)
        return self._distinct_rows(rows, self.files.blocks.released).of_record()

    def _distinct_rows(self, records: Records, blocks: Ints) -> EqualRows:
        offset = [] if records.offset is None else [records.offset]
        return self.files.engine.distinct_rows(np.column_stack([records.cells(), *offset, blocks]))

    @property
    def degrees(self) -> float | None:
        if self.margins == "likelihood":
            return None
        squares = all(cost.is_squared for cost in self.metric.cost_tuple)
        return len(self.columns) / 2 if squares else float(max(len(self.columns), 1))


def as_records(values: NDArray[Any]) -> Records:
    """Numbers with NaN for missing as records; whole numbers are compared as integers."""
    present = ~np.isnan(values)
    return Records(values) if present.all() else Records(np.where(present, values, 0.0), present)
