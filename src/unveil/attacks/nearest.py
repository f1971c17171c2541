"""Links by exact search: each record is linked with the row that is nearest to it.

Each takes its own, whatever the others take, so that several may take the same row; where several
rows are equally near, each is as likely to be taken.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.structural.confidence import Confidence
from unveil.engines.local.blocking import BlockedBase, PartitionedBase
from unveil.engines.local.engine import PreparedSearch, costs_of
from unveil.engines.local.index import EqualRows, same_rows
from unveil.engines.metric import Metric
from unveil.engines.records import Records
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.options import Progress
from unveil.support.threads import cores
from unveil.values.links import ComparisonBlock, Margins, RankedCandidates, RankOfTruth

if TYPE_CHECKING:
    from unveil.attacks.base import LinkageFiles
    from unveil.attacks.supervised.training import FittedDistance


CERTAIN = 1e-3  # relative: how well the sum over everybody is known


@dataclass(frozen=True, repr=False, eq=False)
class NearestSearch:
    """The intruder's records and the release as numbers, and what a pair costs."""

    files: LinkageFiles
    mine: Records
    released: Records
    metric: Metric  # of the one that asks and the one that is asked
    columns: tuple[str, ...]
    supervised: bool = False
    margins: Margins | None = "distance"
    details: dict[str, Any] = field(default_factory=dict)
    credit: Confidence | None = None  # how far a posterior over matchings is to be believed
    guess: bool = False  # whether nothing speaks for it, so that nothing is claimed
    lesson: FittedDistance | None = None  # the parameters of the metric, where they were learnt

    def rank_of_truth(
        self, records: Ints, truth: Ints, stop_at: int | None, progress: Progress | None
    ) -> RankOfTruth:
        """Each record against a row of the other file."""
        ready, rows = self._asked(records)
        found = ready.rank_of_truth(rows, truth, stop_at=stop_at, progress=progress)
        return RankOfTruth(found.n_closer, found.n_tied, work=found.work)

    def nearest(self, records: Ints, k: int, progress: Progress | None) -> RankedCandidates:
        """The best candidates of each record."""
        ready, rows = self._asked(records)
        found = ready.nearest(rows, k=k, progress=progress)
        return RankedCandidates(found.rows, found.scores, found.n_best, found.work)

    def costs(self, records: Ints, candidates: Ints) -> Floats:
        """What pairs cost, as sums of which no root is taken; infinite where not compared."""
        asking, asked = self.files.asked(self.mine, self.released)
        found = costs_of(asking, asked, self.metric, (records, candidates))
        return np.where(self.compares(records, candidates), found, np.inf)

    def log_sums(self, records: Ints, error: float) -> Floats:
        """The log of the sum of exp(-cost) over the candidates of each record."""
        if self.metric.root:
            return replace(self, metric=replace(self.metric, root=False)).log_sums(records, error)
        ready, rows = self._asked(records)
        return ready.density(rows, error=error).log_sum

    def log_totals(self, records: Ints) -> Floats | None:
        """The log of the sum of all likelihoods, where scores are some, to be believed as such."""
        believed = self.margins == "likelihood" and self.credit is None
        return self.log_sums(records, CERTAIN) if believed else None

    @property
    def sizes(self) -> tuple[int, int]:
        """How many records there are, and how many candidates."""
        return self.files.asked(len(self.mine), len(self.released))

    def alike(self) -> tuple[EqualRows, EqualRows]:
        """Records, and candidates, that no pair of them can tell apart."""
        sides = self.files.asked(self.mine, self.released)
        first, second = (
            _same(records, blocks) for records, blocks in zip(sides, self._blocks(), strict=True)
        )
        return first, second

    def restrict(self, records: Ints, candidates: Ints) -> NearestSearch:
        """The same search among some records and some candidates."""
        mine, released = self.files.asked(records, candidates)
        blocks = self.files.blocks
        kept = replace(blocks, mine=blocks.mine[mine], released=blocks.released[released])
        return replace(
            self,
            files=replace(self.files, blocks=kept),
            mine=self.mine.take(mine),
            released=self.released.take(released),
        )

    def with_prices(self, prices: Floats) -> NearestSearch:
        """The same search where each candidate costs so much more; costs are sums, not roots."""
        _, asked = self.files.asked(self.mine, self.released)
        own = 0.0 if asked.offset is None else asked.offset
        dearer = replace(asked, offset=own + prices)
        return replace(self, mine=dearer) if self.files.reverse else replace(self, released=dearer)

    def scale_costs(self, rate: float) -> NearestSearch:
        """The same search where everything costs so many times as much."""
        if rate == 1:
            return self
        mine, released = (
            one if one.offset is None else replace(one, offset=one.offset * rate)
            for one in (self.mine, self.released)
        )
        return replace(self, mine=mine, released=released, metric=self.metric.scale(rate))

    def reverse(self) -> NearestSearch:
        """The same search where the candidates look for the records."""
        _, asked = self.files.asked(self.mine, self.released)
        free = replace(asked, offset=None)  # the same for all that it may be linked with
        mine, released = (free, self.released) if self.files.reverse else (self.mine, free)
        files = replace(self.files, reverse=not self.files.reverse)
        return replace(self, files=files, mine=mine, released=released, metric=self.metric.reversed)

    def _asked(self, records: Ints) -> tuple[PreparedSearch, Ints | None]:
        """All that is asked for many questions, and the rows that ask; in blocks, only these."""
        blocks = self.files.blocks
        if not blocks.columns or (blocks.gappy and self.metric.measure is None):
            return self._ready, records
        queries, base = self.files.asked(self.mine, self.released)
        parts = PartitionedBase(base, self.comparison_blocks(records))
        return PreparedSearch(queries.take(records), parts, self.metric), None

    @cached_property
    def _ready(self) -> PreparedSearch:
        """Everybody against everybody; where a block may be missing it is one more attribute."""
        queries, base = self.files.asked(self.mine, self.released)
        blocks = self.files.blocks
        if not blocks.columns:
            return PreparedSearch(queries, base, self.metric)
        asking, asked = (blocks.cells[own] for own in self._blocks())
        return PreparedSearch(queries, BlockedBase(base, asking, asked), self.metric)

    def _blocks(self) -> tuple[Ints, Ints]:
        """The blocks of those that ask and of those that are asked; one, if there are none."""
        return self.files.asked(self.files.blocks.mine, self.files.blocks.released)

    def comparison_blocks(self, records: Ints) -> list[ComparisonBlock]:
        """Which candidates each record is compared with."""
        return self.files.blocks.parts(*self._blocks(), records)

    def n_candidates(self, records: Ints) -> Ints:
        """How many candidates each record is compared with."""
        asking, asked = self._blocks()
        return self.files.blocks.sizes(asking[records], asked)

    def compares(self, records: Ints, candidates: Ints) -> Bools:
        """Whether each record is compared with a candidate."""
        asking, asked = self._blocks()
        return self.files.blocks.fit(asking[records], asked[candidates])

    def classes(self) -> Ints:
        """For each released row its class of rows that the attack cannot tell apart."""
        blocks = self.files.blocks.released if self.files.blocks.columns else np.zeros(0, np.int64)
        return same_rows(self.released.cells(), blocks, cores(None)).of_record()

    @property
    def degrees(self) -> float | None:
        """In how many directions a pair may differ; none where scores are log-likelihoods."""
        if self.margins == "likelihood":
            return None
        squares = all(cost.is_squared for cost in self.metric.cost_tuple)
        return len(self.columns) / 2 if squares else float(max(len(self.columns), 1))


def _same(records: Records, blocks: Ints) -> EqualRows:
    cells = records.cells()
    if records.offset is not None:  # one more number of each
        cells = np.column_stack([cells, records.offset])
    return same_rows(np.ascontiguousarray(cells), blocks, cores(None))


def as_records(values: NDArray[Any]) -> Records:
    """Numbers with a NaN where missing as records; whole ones are compared as such."""
    present = ~np.isnan(values)
    return Records(values) if present.all() else Records(np.where(present, values, 0.0), present)
