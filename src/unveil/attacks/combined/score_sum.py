"""The finder of several attacks whose scores are added.

Each attack lists its best candidates; one that no attack lists costs at least the sum of the last
listed ones. Records that this does not decide get longer lists.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from unveil.attacks.matched.comparer import PAIRS_AT_ONCE, Comparer, pair_keys
from unveil.engines.base import ties
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.equal_rows import EqualRows, same_rows
from unveil.support.options import Progress
from unveil.support.work import EXACT_CELLS
from unveil.values.links import ComparisonBlock, Margins
from unveil.values.search_results import Neighbours, RankOfTruth

LIST_LENGTHS = (16, 128, 1000)  # candidates that each attack lists, until all records are decided


@dataclass(frozen=True, repr=False, eq=False)
class ListedCandidates:
    """The candidates that any attack lists, by record, and the sums of their costs."""

    record: Ints  # places among the queried records
    candidate: Ints
    cost: Floats
    least_unlisted: Floats  # for each record a lower bound of all other candidates' costs
    work: int  # cells compared


@dataclass(frozen=True, repr=False, eq=False)
class ScoreSum:
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

    def _list(self, records: Ints, k: int | None, progress: Progress | None) -> ListedCandidates:
        """The candidates among the k best of any attack; all of them without k."""
        n_candidates = self.sizes[1]
        if k is None or k >= n_candidates:
            return self._list_all(records)
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

    def _list_all(self, records: Ints) -> ListedCandidates:
        n_candidates = self.sizes[1]
        record = np.repeat(np.arange(len(records)), n_candidates)
        candidate = np.tile(np.arange(n_candidates), len(records))
        cost = self.costs(records[record], candidate)
        least = np.full(len(records), np.inf)
        return ListedCandidates(record, candidate, cost, least, len(record) * self._cells)

    def rank_of_truth(
        self, records: Ints, truth: Ints, stop_at: int | None, progress: Progress | None
    ) -> RankOfTruth:
        closer, tied, work = np.full(len(records), -1), np.full(len(records), -1), 0
        there = np.flatnonzero(truth >= 0)
        own = self.costs(records[there], truth[there])
        there, own = there[np.isfinite(own)], own[np.isfinite(own)]
        for k in (*LIST_LENGTHS, None):
            open_still = np.zeros(len(there), np.bool_)
            for block in self._blocks_of(len(there), k):
                at = there[block]
                listed = self._list(records[at], k, progress)
                work += listed.work
                side = _compare(listed.cost, own[block][listed.record])
                closer[at] = np.bincount(listed.record[side < 0], minlength=len(at))
                tied[at] = np.bincount(listed.record[side == 0], minlength=len(at)) - 1
                enough = closer[at] >= (stop_at or self.sizes[1])
                open_still[block] = ~enough & (_compare(listed.least_unlisted, own[block]) <= 0)
            there, own = there[open_still], own[open_still]
            if not len(there):
                break
        if stop_at is not None:
            tied = np.where((closer >= 0) & (closer >= stop_at), -1, tied)
            closer = np.minimum(closer, stop_at)
        return RankOfTruth(closer, tied, work=work)

    def nearest(self, records: Ints, k: int, progress: Progress | None) -> Neighbours:
        rows, scores, n_best, _ = result = Neighbours.none_yet(len(records), k)
        there = np.arange(len(records))
        for length in (*(max(length, k) for length in LIST_LENGTHS), None):
            open_still = np.zeros(len(there), np.bool_)
            for block in self._blocks_of(len(there), length):
                at = there[block]
                listed = self._list(records[at], length, progress)
                rows[at], scores[at], n_best[at] = _best(listed, len(at), k)
                least = listed.least_unlisted
                open_still[block] = np.isfinite(least) & (_compare(least, scores[at, -1]) <= 0)
            there = there[open_still]
            if not len(there):
                break
        return result

    @property
    def _cells(self) -> int:
        return EXACT_CELLS * sum(len(part.columns) for part in self.summands)

    def _blocks_of(self, n_records: int, k: int | None) -> list[Ints]:
        """Places of records, as many at a time as their candidates fit in memory."""
        width = self.sizes[1] if k is None else k * len(self.summands)
        step = max(1, PAIRS_AT_ONCE // max(width, 1))
        starts = range(0, n_records, step)
        return [np.arange(start, min(start + step, n_records)) for start in starts]

    def log_totals(self, records: Ints) -> Floats | None:
        return self.log_sums(records, 0.0)

    def log_sums(self, records: Ints, error: float) -> Floats:
        del error
        sums = np.empty(len(records))
        for block in self._blocks_of(len(records), None):
            costs = self._list_all(records[block]).cost.reshape(-1, self.sizes[1])
            least = costs.min(axis=1)
            with np.errstate(invalid="ignore"):
                total = np.exp(least[:, None] - costs).sum(axis=1)
                sums[block] = np.where(np.isinf(least), -np.inf, np.log(total) - least)
        return sums

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


def _compare(cost: Floats, other: Floats) -> Ints:
    """-1 where a cost is less than the other, 0 where they tie, 1 where it is more."""
    side: Ints = np.where(ties(cost, other), 0, np.where(cost < other, -1, 1))
    return side


def _best(listed: ListedCandidates, records: int, k: int) -> tuple[Ints, Floats, Ints]:
    """The k best of each record, and how many tie with the best; ties by row."""
    least = np.full(records, np.inf)
    np.minimum.at(least, listed.record, listed.cost)
    tied = ties(listed.cost, least[listed.record]) & np.isfinite(listed.cost)
    cost = np.where(tied, least[listed.record], listed.cost)
    order = np.lexsort((listed.candidate, cost, listed.record))
    order = order[np.isfinite(listed.cost[order])]
    record = listed.record[order]
    place = np.arange(len(order)) - np.searchsorted(record, record)
    kept = place < k
    rows, scores = np.full((records, k), -1), np.full((records, k), np.inf)
    rows[record[kept], place[kept]] = listed.candidate[order[kept]]
    scores[record[kept], place[kept]] = cost[order[kept]]
    return rows, scores, np.bincount(listed.record[tied], minlength=records)
