"""Households that no comparison can distinguish, searched once for all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unveil.attacks.households.household_search import HouseholdSearch
from unveil.attacks.matched.comparer import RecordClasses, pair_keys
from unveil.attacks.matched.finder import FinderOver
from unveil.support.arrays import Floats, Ints, consecutive
from unveil.support.options import Progress
from unveil.values.links import Finder
from unveil.values.search_results import Neighbours, RankOfTruth


@dataclass(frozen=True, repr=False, eq=False)
class DistinctHouseholds(FinderOver):
    """A search between classes of equal households, each with its count (a `Finder`)."""

    base: HouseholdSearch
    distinct: HouseholdSearch  # one household of each class
    records: RecordClasses
    candidates: RecordClasses

    @classmethod
    def of(cls, search: HouseholdSearch) -> Finder:
        """The search by classes; the search itself if no two households are equal."""
        equal = search.equal_rows()
        if all(groups.all_single for groups in equal):
            return search
        records, candidates = (
            RecordClasses.from_groups(groups, np.arange(len(groups.order))) for groups in equal
        )
        distinct = search.restrict(records.first, candidates.first)
        return cls(search, replace(distinct, counts=candidates.size), records, candidates)

    def rank_of_truth(
        self, records: Ints, truth: Ints, stop_at: int | None, progress: Progress | None
    ) -> RankOfTruth:
        """The rank of the true household, which all households of its class share."""
        n = len(self.candidates.first)
        own = np.where(truth >= 0, self.candidates.of[truth], n)
        keys, place = np.unique(
            pair_keys(self.records.of[records], own, n + 1), return_inverse=True
        )
        first, second = keys // (n + 1), keys % (n + 1)
        second[second == n] = -1
        ranks = self.distinct.rank_of_truth(first, second, stop_at, progress)
        return ranks.take(place)._replace(work=ranks.work)

    def nearest(self, records: Ints, k: int, progress: Progress | None) -> Neighbours:
        """The k best households; classes are in the order of their first rows, so ties are, too."""
        classes, at = np.unique(self.records.of[records], return_inverse=True)
        near = self.distinct.nearest(classes, k, progress)
        record, column = np.nonzero(near.rows >= 0)
        listed, score = near.rows[record, column], near.scores[record, column]
        n_each = np.minimum(self.candidates.size[listed], k)
        row = self.candidates.members[consecutive(self.candidates.starts[listed], n_each)]
        record, score = np.repeat(record, n_each), np.repeat(score, n_each)
        order = np.lexsort((row, score, record))
        record, score, row = record[order], score[order], row[order]
        place = np.arange(len(order)) - np.searchsorted(record, record)
        kept = place < k
        rows, scores, *_ = Neighbours.none_yet(len(classes), k)
        rows[record[kept], place[kept]] = row[kept]
        scores[record[kept], place[kept]] = score[kept]
        return Neighbours(rows[at], scores[at], near.n_best[at], near.work)

    def log_totals(self, records: Ints) -> Floats | None:
        classes, at = np.unique(self.records.of[records], return_inverse=True)
        totals = self.distinct.log_totals(classes)
        return None if totals is None else totals[at]
