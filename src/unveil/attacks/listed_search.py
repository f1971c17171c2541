"""A search by lists: the best candidates of the parts of a score bound the whole score.

The parts (attacks whose scores are added, members of a household) list their best candidates. One
that no part lists costs at least what the last listed ones add up to. Records that this does not
decide get longer lists, and in the end all candidates.
"""

from __future__ import annotations

import abc
from typing import NamedTuple

import numpy as np

from unveil.engines.base import ties
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.options import Progress
from unveil.values.search_results import Neighbours, RankOfTruth

LIST_LENGTHS = (16, 128, 1000)  # candidates that each part lists, until all records are decided
PAIRS_AT_ONCE = 4_000_000  # whose costs are computed together


class ListedCandidates(NamedTuple):
    """The candidates that any part lists, by record, and their costs."""

    record: Ints  # places among the queried records
    candidate: Ints
    cost: Floats
    least_unlisted: Floats  # for each record a lower bound of all other candidates' costs
    work: int  # cells compared


class Needed(NamedTuple):
    """Which candidates a list can spare: those that cost more than a limit of their record."""

    up_to: Floats  # what a candidate may cost
    best: int = 0  # or it is among so many best


class ListedSearch(abc.ABC):
    """Ranks and nearest candidates by lists, which become longer where they do not decide."""

    @property
    @abc.abstractmethod
    def sizes(self) -> tuple[int, int]:
        """The numbers of records and of candidates."""

    @property
    @abc.abstractmethod
    def n_parts(self) -> int:
        """The most lists of a record."""

    @property
    def n_each(self) -> int:
        """The candidates that an entry of a list stands for, on average."""
        return 1

    @property
    def counts(self) -> Ints | None:
        """The equal rows that each candidate stands for; None: itself only."""
        return None

    @property
    def all_width(self) -> int:
        """The costs to compute for a record, if all candidates are listed."""
        return self.sizes[1]

    @abc.abstractmethod
    def costs(self, records: Ints, candidates: Ints) -> Floats:
        """The cost of each pair."""

    @abc.abstractmethod
    def list_nearest(
        self, records: Ints, k: int, needed: Needed, progress: Progress | None
    ) -> ListedCandidates:
        """The candidates among the k best of any part that are needed; others may be left out."""

    @abc.abstractmethod
    def list_all(self, records: Ints, needed: Needed) -> ListedCandidates:
        """Every candidate that is needed; others may be left out."""

    def rank_of_truth(
        self, records: Ints, truth: Ints, stop_at: int | None, progress: Progress | None
    ) -> RankOfTruth:
        """The rank of the true candidate of each record."""
        closer, tied, work = np.full(len(records), -1), np.full(len(records), -1), 0
        there = np.flatnonzero(truth >= 0)
        own = self.costs(records[there], truth[there])
        there, own = there[np.isfinite(own)], own[np.isfinite(own)]
        if stop_at == 1:
            beaten, work = self._are_beaten(records[there], own, progress)
            closer[there[beaten]] = 1
            there, own = there[~beaten], own[~beaten]
        for k in (*LIST_LENGTHS, None):
            open_still = np.zeros(len(there), np.bool_)
            for block in self._blocks_of(len(there), k):
                at = there[block]
                listed = self._list(records[at], k, Needed(own[block], stop_at or 0), progress)
                work += listed.work
                side = _compare(listed.cost, own[block][listed.record])
                closer[at] = self._count(listed, side < 0, len(at))
                tied[at] = self._count(listed, side == 0, len(at)) - 1
                enough = closer[at] >= (stop_at or np.inf)
                open_still[block] = ~enough & (_compare(listed.least_unlisted, own[block]) <= 0)
            there, own = there[open_still], own[open_still]
            if not len(there):
                break
        if stop_at is not None:
            tied = np.where((closer >= 0) & (closer >= stop_at), -1, tied)
            closer = np.minimum(closer, stop_at)
        return RankOfTruth(closer, tied, work=work)

    def _are_beaten(
        self, records: Ints, costs: Floats, progress: Progress | None
    ) -> tuple[Bools, int]:
        """Whether a candidate is closer than each cost, if records are asked for again and again.

        Then the best candidate of each is found once, which decides most of them.
        """
        distinct, at = np.unique(records, return_inverse=True)
        if len(records) < 2 * len(distinct):
            return np.zeros(len(records), np.bool_), 0
        near = self.nearest(distinct, 1, progress)
        return _compare(near.scores[at, 0], costs) < 0, near.work

    def nearest(self, records: Ints, k: int, progress: Progress | None) -> Neighbours:
        """The k best candidates of each record."""
        rows, scores, n_best, _ = result = Neighbours.none_yet(len(records), k)
        there = np.arange(len(records))
        for length in (*(max(length, k) for length in LIST_LENGTHS), None):
            open_still = np.zeros(len(there), np.bool_)
            for block in self._blocks_of(len(there), length):
                at = there[block]
                listed = self._list(records[at], length, Needed(scores[at, -1], k), progress)
                rows[at], scores[at], tied = _best(listed, len(at), k)
                n_best[at] = self._count(listed, tied, len(at))
                least = listed.least_unlisted
                open_still[block] = (least < np.inf) & (_compare(least, scores[at, -1]) <= 0)
            there = there[open_still]
            if not len(there):
                break
        return result

    def log_sums(self, records: Ints, error: float) -> Floats:
        """The log of the sum of exp(-cost) over all candidates of each record."""
        del error
        sums = np.empty(len(records))
        for block in self._blocks_of(len(records), None):
            listed = self.list_all(records[block], Needed(np.full(len(block), np.inf)))
            least = np.full(len(block), np.inf)
            np.minimum.at(least, listed.record, listed.cost)
            with np.errstate(invalid="ignore", divide="ignore"):
                share = np.exp(least[listed.record] - listed.cost)
                if self.counts is not None:
                    share = share * self.counts[listed.candidate]
                total = np.bincount(listed.record, np.nan_to_num(share), len(block))
                sums[block] = np.where(np.isinf(least), -np.inf, np.log(total) - least)
        return sums

    def _count(self, listed: ListedCandidates, chosen: Bools, n_records: int) -> Ints:
        """The rows that the chosen candidates of each record stand for."""
        record, each = listed.record[chosen], None
        if self.counts is not None:
            each = self.counts[listed.candidate[chosen]]
        return np.bincount(record, each, n_records).astype(np.int64)

    def _list(
        self, records: Ints, k: int | None, needed: Needed, progress: Progress | None
    ) -> ListedCandidates:
        if k is None or k * self.n_each >= self.sizes[1]:
            return self.list_all(records, needed)
        return self.list_nearest(records, k, needed, progress)

    def _blocks_of(self, n_records: int, k: int | None) -> list[Ints]:
        """Places of records, as many at a time as their candidates fit in memory."""
        width = self.all_width if k is None else k * self.n_each * self.n_parts
        step = max(1, PAIRS_AT_ONCE // max(width, 1))
        starts = range(0, n_records, step)
        return [np.arange(start, min(start + step, n_records)) for start in starts]


def all_pairs(records: int, candidates: int) -> tuple[Ints, Ints]:
    """The record and the candidate of every pair, record by record."""
    return np.repeat(np.arange(records), candidates), np.tile(np.arange(candidates), records)


def _compare(cost: Floats, other: Floats) -> Ints:
    """-1 where a cost is less than the other, 0 where they tie, 1 where it is more."""
    side: Ints = np.where(ties(cost, other), 0, np.where(cost < other, -1, 1))
    return side


def _best(listed: ListedCandidates, records: int, k: int) -> tuple[Ints, Floats, Bools]:
    """The k best of each record, ties by row, and which of the listed tie with the best."""
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
    return rows, scores, tied
