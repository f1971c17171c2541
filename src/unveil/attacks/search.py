"""Links by exact search: the finder of every attack that compares records by a metric."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from unveil.data.links import Against, Candidates, Part
from unveil.engines.index import same_rows
from unveil.engines.local import nearest, rank_of_truth
from unveil.engines.threads import cores

if TYPE_CHECKING:
    from unveil.attacks.base import Files
    from unveil.data.encode import Ints
    from unveil.data.progress import Progress
    from unveil.engines.metrics import Metric
    from unveil.engines.records import Records


@dataclass(frozen=True, repr=False, eq=False)
class Search:
    """The intruder's records and the release as numbers, and what a pair costs.

    Inside each block the engine is asked anew: then what a missing cell costs is the
    block's affair, too.
    """

    files: Files
    mine: Records
    released: Records
    metric: Metric  # of the one that asks and the one that is asked
    columns: tuple[str, ...]
    supervised: bool = False
    threads: int | None = field(default=None, repr=False)

    def against(
        self, records: Ints, truth: Ints, stop_at: int | None, progress: Progress | None
    ) -> Against:
        """Each record against a row of the other file."""
        queries, base = self.files.asked(self.mine, self.released)
        found = Against(np.full(len(records), -1), np.full(len(records), -1))
        for part, told in self._parts(records, progress):
            at = np.searchsorted(part.candidates, truth[part.records])
            at[at == len(part.candidates)] = 0
            there = part.candidates[at] == truth[part.records]
            ranks = rank_of_truth(
                queries.take(records[part.records]),
                base.take(part.candidates),
                np.where(there, at, -1),
                self.metric,
                stop_at=stop_at,
                threads=self.threads,
                progress=told,
            )
            found.n_closer[part.records] = ranks.n_closer
            found.n_tied[part.records] = ranks.n_tied
        return found

    def nearest(self, records: Ints, k: int, progress: Progress | None) -> Candidates:
        """The best candidates of each record."""
        queries, base = self.files.asked(self.mine, self.released)
        found = Candidates(
            np.full((len(records), k), -1),
            np.full((len(records), k), np.inf),
            np.zeros(len(records), np.int64),
        )
        for part, told in self._parts(records, progress):
            best = nearest(
                queries.take(records[part.records]),
                base.take(part.candidates),
                self.metric,
                k=k,
                threads=self.threads,
                progress=told,
            )
            rows = np.where(best.rows < 0, -1, part.candidates[best.rows])
            found.rows[part.records] = rows
            found.scores[part.records] = best.scores
            found.n_best[part.records] = best.n_best
        return found

    def parts(self, records: Ints) -> list[Part]:
        """Which candidates each record is compared with."""
        blocks = self.files.blocks
        if not blocks.columns:
            _, candidates = self.files.asked(len(self.mine), len(self.released))
            return [Part(np.arange(len(records)), np.arange(candidates))]
        asking, asked = self.files.asked(blocks.mine, blocks.released)
        return blocks.parts(asking, asked, records)

    def _parts(
        self, records: Ints, progress: Progress | None
    ) -> list[tuple[Part, Progress | None]]:
        """The parts in which anybody can be found, each with its share of the progress."""
        parts = [part for part in self.parts(records) if len(part.candidates)]
        if progress is None:
            return [(part, None) for part in parts]
        ends = np.cumsum([0, *(len(part.records) for part in parts)]).tolist()
        return [
            (part, _share_of(progress, start, stop, len(records)))
            for part, start, stop in zip(parts, ends[:-1], ends[1:], strict=True)
        ]

    def classes(self) -> Ints:
        """For each released row its class of rows that the attack cannot tell apart."""
        cells = self.released.cells() + 0.0  # no negative zero
        blocks = self.files.blocks.released
        return same_rows(cells, blocks.astype(np.float64), cores(self.threads)).of_record()


def _share_of(progress: Progress, start: int, stop: int, records: int) -> Progress:
    """Progress in one part, told as progress in all of them."""

    def told(done: int, total: int) -> None:
        progress(start + (stop - start) * done // max(total, 1), records)

    return told
