"""Households of a release that shows no grouping: persons are linked one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unveil.attacks.households.distinct_records import members_of
from unveil.attacks.households.groupings import HouseholdFiles
from unveil.attacks.matched.finder import FinderOver
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.options import Progress
from unveil.table.households import Homes
from unveil.values.household_links import HouseholdLinks
from unveil.values.links import ComparisonBlock, Finder, Links
from unveil.values.search_results import Neighbours, RankOfTruth


@dataclass(frozen=True, repr=False, eq=False)
class LonePersons(FinderOver):
    """Persons linked one by one, as by the attack on single records (a `Finder`)."""

    base: Finder
    homes: HouseholdFiles
    written: Ints  # the class of each released row: written alike in all compared columns

    @property
    def details(self) -> dict[str, Any]:
        return self.base.details | self.homes.details

    def household_links(self, links: Links) -> HouseholdLinks:
        """The links of the households of these persons, each by one of its members."""
        files, homes = self.homes.files, self.homes
        queries, candidates = files.queries_first(homes.intruder, homes.released)
        asked = np.ones(len(queries.of_record), np.bool_)
        if files.truth is not None and not (files.links_strangers or files.reverse):
            asked = files.truth.row_of_record >= 0
        finder = AnyMember(self, queries, candidates, asked, self.written)
        return homes.links(links, finder, np.unique(queries.of_record[links.records]))


@dataclass(frozen=True, repr=False, eq=False)
class AnyMember(FinderOver):
    """Links a household by the link of one of its members, taken at random (a `Finder`).

    Members without a released row count only if no member has one. The link goes to the household
    of the linked row or person.
    """

    base: Finder  # of persons
    queries: Homes
    candidates: Homes
    asked: Bools  # the members that count
    released_classes: Ints
    margins: None = None  # members have scores of their own

    def rank_of_truth(
        self, records: Ints, truth: Ints, stop_at: int | None, progress: Progress | None
    ) -> RankOfTruth:
        """The probability that a member of each household is linked to a member of the other."""
        del stop_at
        known = np.flatnonzero(truth >= 0)
        place, member = self._members(records[known])
        pair, row = members_of(self.candidates, truth[known][place])
        ranks = self.base.rank_of_truth(member[pair], row, 1, progress)
        n_members = np.bincount(place, minlength=len(known))
        chance = np.zeros(len(records))
        chance[known] = np.bincount(place[pair], ranks.hits, len(known)) / n_members
        closer = np.where(truth >= 0, np.where(chance > 0, 0, 1), -1)
        tied = np.where(chance > 0, 0, -1)
        return RankOfTruth(closer, tied, chance, ranks.work)

    def _members(self, households: Ints) -> tuple[Ints, Ints]:
        """The counted members, and the place of each one's household."""
        place, member = members_of(self.queries, households)
        counts = np.asarray(np.bincount(place, self.asked[member], len(households)))
        kept = self.asked[member] | (counts == 0)[place]
        return place[kept], member[kept]

    def nearest(self, records: Ints, k: int, progress: Progress | None) -> Neighbours:
        """The households of the rows that are nearest to any member."""
        place, member = self._members(records)
        most = min(k * int(self.candidates.sizes.max()), len(self.candidates.of_record))
        near = self.base.nearest(member, most, progress)
        of, column = np.nonzero(near.rows >= 0)
        score, home = near.scores[of, column], self.candidates.of_record[near.rows[of, column]]
        order = np.lexsort((home, score, place[of]))
        keys = place[of][order] * len(self.candidates) + home[order]
        order = order[np.sort(np.unique(keys, return_index=True)[1])]
        record = place[of][order]
        rank = np.arange(len(order)) - np.searchsorted(record, record)
        order, record, rank = (part[rank < k] for part in (order, record, rank))
        rows, scores, n_best, _ = Neighbours.none_yet(len(records), k)
        rows[record, rank], scores[record, rank] = home[order], score[order]
        best = near.scores[:, 0] == scores[place, 0]
        np.maximum.at(n_best, place[best], near.n_best[best])
        return Neighbours(rows, scores, n_best, near.work)

    def log_totals(self, records: Ints) -> Floats | None:
        del records
        return None

    def comparison_blocks(self, records: Ints) -> list[ComparisonBlock]:
        return [ComparisonBlock(np.arange(len(records)), np.arange(len(self.candidates)))]

    def n_candidates(self, records: Ints) -> Ints:
        return np.full(len(records), len(self.candidates))

    def compares(self, records: Ints, candidates: Ints) -> Bools:
        del candidates
        return np.ones(len(records), np.bool_)

    def classes(self) -> Ints:
        return self.released_classes
