"""The finder of several attacks whose scores are added."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from unveil.attacks.listed_search import ListedCandidates, ListedSearch, Needed, all_pairs
from unveil.attacks.matched.comparer import Comparer, pair_keys
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.equal_rows import EqualRows, same_rows
from unveil.support.options import Progress
from unveil.support.work import EXACT_CELLS
from unveil.values.links import ComparisonBlock, Margins


@dataclass(frozen=True, repr=False, eq=False)
class ScoreSum(ListedSearch):
    """Several attacks whose costs, log-likelihoods or like them, are added (a `Comparer`)."""

    summands: tuple[Comparer, ...]
    details: dict[str, Any] = field(default_factory=dict)
    margins: Margins | None = "likelihood"
    degrees: None = None
    posterior_model: None = None
    guess: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for part in self.summands for name in part.columns))

    @property
    def supervised(self) -> bool:
        return any(part.supervised for part in self.summands)

    @property
    def engine(self) -> str | None:
        names = dict.fromkeys(part.engine for part in self.summands if part.engine is not None)
        return ", ".join(names) or None

    @property
    def sizes(self) -> tuple[int, int]:
        return self.summands[0].sizes

    def costs(self, records: Ints, candidates: Ints) -> Floats:
        total = np.zeros(len(records))
        for part in self.summands:
            total += part.costs(records, candidates)
        return total

    @property
    def n_parts(self) -> int:
        return len(self.summands)

    def list_nearest(
        self, records: Ints, k: int, needed: Needed, progress: Progress | None
    ) -> ListedCandidates:
        del needed
        n_candidates = self.sizes[1]
        best = [part.nearest(records, k, progress) for part in self.summands]
        keys = [
            pair_keys(np.nonzero(one.rows >= 0)[0], one.rows[one.rows >= 0], n_candidates)
            for one in best
        ]
        every = np.unique(np.concatenate(keys))
        record, candidate = every // n_candidates, every % n_candidates
        least = np.zeros(len(records))
        for part, one in zip(self.summands, best, strict=True):
            last = one.rows[:, -1]
            cost = part.costs(records, np.maximum(last, 0))
            least += np.where(last >= 0, cost, np.inf)
        work = sum(one.work for one in best) + len(every) * self._cells
        cost = self.costs(records[record], candidate)
        return ListedCandidates(record, candidate, cost, least, work)

    def list_all(self, records: Ints, needed: Needed) -> ListedCandidates:
        del needed
        record, candidate = all_pairs(len(records), self.sizes[1])
        cost = self.costs(records[record], candidate)
        least = np.full(len(records), np.inf)
        return ListedCandidates(record, candidate, cost, least, len(record) * self._cells)

    @property
    def _cells(self) -> int:
        return EXACT_CELLS * sum(len(part.columns) for part in self.summands)

    def log_totals(self, records: Ints) -> Floats | None:
        return self.log_sums(records, 0.0)

    def equal_rows(self) -> tuple[EqualRows, EqualRows]:
        groups = zip(*(part.equal_rows() for part in self.summands), strict=True)
        first, second = (
            same_rows(np.column_stack([one.of_record() for one in side]) * 1.0, np.zeros(0), 1)
            for side in groups
        )
        return first, second

    def restrict(self, records: Ints, candidates: Ints) -> ScoreSum:
        return self._of(part.restrict(records, candidates) for part in self.summands)

    def with_prices(self, prices: Floats) -> ScoreSum:
        first, *others = self.summands
        return self._of([first.with_prices(prices), *others])

    def scale_costs(self, rate: float) -> ScoreSum:
        return self._of(part.scale_costs(rate) for part in self.summands)

    def reverse(self) -> ScoreSum:
        return self._of(part.reverse() for part in self.summands)

    def _of(self, summands: Iterable[Comparer]) -> ScoreSum:
        return replace(self, summands=tuple(summands))

    def comparison_blocks(self, records: Ints) -> list[ComparisonBlock]:
        return self.summands[0].comparison_blocks(records)

    def n_candidates(self, records: Ints) -> Ints:
        return self.summands[0].n_candidates(records)

    def compares(self, records: Ints, candidates: Ints) -> Bools:
        return self.summands[0].compares(records, candidates)

    def classes(self) -> Ints:
        classes = np.column_stack([part.classes() for part in self.summands])
        return np.unique(classes, axis=0, return_inverse=True)[1]
