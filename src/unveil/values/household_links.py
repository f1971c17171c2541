"""Links of households: their members, and what a link counts where the release groups otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import ceil
from typing import NamedTuple

import numpy as np

from unveil.errors import UsageError
from unveil.support.arrays import Floats, Ints
from unveil.support.checked_calls import checked_class
from unveil.table.households import Homes
from unveil.values.links import Links, TrueLinks
from unveil.values.search_results import RankOfTruth

ROUNDING = 1e-6  # of a sum of shares


class CommonMembers(NamedTuple):
    """The pairs of a household and a released group that have members in common."""

    records: Ints  # those that are linked: households, or in the reverse direction groups
    candidates: Ints
    right: Floats  # the share of the group's rows that are the household's
    counts: Floats  # what a link counts: this, or in reverse the share of the household's rows


@checked_class
@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class HouseholdLinks(Links):
    """The links of households as units; `records`, `best` and the like are numbers of households.

    A released group may hold several households, and a household may be in several groups. A link
    of a household to a group is right with the share of the group's rows that are the household's:
    that a row of the group, taken at random, belongs to one of its members. Every household with a
    released member counts.

    >>> import unveil
    >>> people = unveil.households(100, seed=7)
    >>> links = unveil.attack(people, people, unveil.attacks.Households(), truth="person")
    >>> homes = links.households
    >>> linked = int(homes.best[3])
    >>> homes.original_rows(3).tolist(), homes.released_rows(linked).tolist()
    ([8, 9, 10, 11], [8, 9, 10, 11])
    """

    original: Homes  # of the intruder's records
    released: Homes  # those that the release shows, or groups of rows
    common: CommonMembers | None = field(repr=False)  # None: each household is one group
    rows: Ints  # of the intruder's records in their file

    def original_rows(self, household: int) -> Ints:
        """The rows of the original, or of the intruder's file, with the members of a household."""
        return self.rows[_members(self.original, household)]

    def released_rows(self, household: int) -> Ints:
        """The rows of the release with the members of a released household, as in `links.best`."""
        return _members(self.released, household)

    @property
    def population(self) -> int:
        if self.common is None or not self.intruder.reverse:
            return super().population
        return len(np.unique(self.common.candidates))

    @property
    def n_with_truth(self) -> int:
        if self.common is None or not self.intruder.reverse:
            return super().n_with_truth
        return ceil(float(self.true_links.counts.sum()) - ROUNDING)  # of a sample, parts of some

    @cached_property
    def _common(self) -> tuple[Ints, CommonMembers]:
        """The pairs of these records, and the place of each record among them."""
        assert self.common is not None  # noqa: S101 - for the type checker
        place = np.full(int(max(self.records.max(), self.common.records.max())) + 1, -1)
        place[self.records] = np.arange(len(self))
        kept = np.flatnonzero(place[self.common.records] >= 0)
        records, candidates, right, counts = self.common
        pairs = CommonMembers(records[kept], candidates[kept], right[kept], counts[kept])
        return place[pairs.records], pairs

    def _sum(self, place: Ints, values: Floats) -> Floats:
        return np.asarray(np.bincount(place, values, len(self)), np.float64)

    @cached_property
    def _pair_ranks(self) -> RankOfTruth:
        return self._ranks(1)

    def _ranks(self, stop_at: int | None) -> RankOfTruth:
        _, pairs = self._common
        return self.finder.rank_of_truth(pairs.records, pairs.candidates, stop_at, self.progress)

    @property
    def true_links(self) -> TrueLinks:
        if self.common is None:
            return super().true_links
        _, pairs = self._common
        return TrueLinks(pairs.records, pairs.candidates, pairs.counts)

    def rank_up_to(self, stop_at: int | None) -> RankOfTruth:
        """The rank of the best true candidate; the chance that a link to any of them is right."""
        if self.common is None or self.truth is None:
            return super().rank_up_to(stop_at)
        place, pairs = self._common
        ranks = self._pair_ranks if stop_at == 1 else self._ranks(stop_at)
        chance = self._sum(place, ranks.hits * pairs.right)
        worst = np.iinfo(np.int64).max
        order = np.lexsort((np.where(ranks.n_closer < 0, worst, ranks.n_closer), place))
        first = order[np.diff(place[order], prepend=-1) != 0]
        closer, tied = np.full(len(self), -1), np.full(len(self), -1)
        closer[place[first]], tied[place[first]] = ranks.n_closer[first], ranks.n_tied[first]
        return RankOfTruth(closer, tied, chance, ranks.work)

    @property
    def hits(self) -> Floats:
        """The expected count of each link; the sum is the number of linked households."""
        if self.common is None or not self.intruder.reverse:
            return super().hits
        place, pairs = self._common
        return self._sum(place, self._pair_ranks.hits * pairs.counts)

    def hits_of_households(self) -> Floats:
        """The expected hit of each household of the original; NaN where it was not attacked."""
        linked = np.full(len(self.original), np.nan)
        if self.common is None or not self.intruder.reverse:
            there = self.true_rows >= 0
            rows = self.true_rows if self.intruder.reverse else self.records
            linked[rows[there]] = self.hits[there]
            return linked
        _, pairs = self._common
        found = np.bincount(pairs.candidates, self._pair_ranks.hits * pairs.counts, len(linked))
        attacked = np.bincount(pairs.candidates, pairs.counts, len(linked))
        there = attacked > 0
        linked[there] = found[there] / attacked[there]
        return linked


def _members(homes: Homes, household: int) -> Ints:
    if not 0 <= household < len(homes):
        raise UsageError(f"household: a number from 0 to {len(homes) - 1:,}")
    return homes.members(household)
