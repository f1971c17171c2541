"""Persons linked through their households: first the household, then the member in it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from unveil.attacks.households.groupings import HouseholdFiles
from unveil.attacks.households.household_search import HouseholdSearch
from unveil.attacks.matched.comparer import pair_keys
from unveil.engines.base import ties
from unveil.engines.blocks import Blocks
from unveil.support.arrays import Bools, Floats, Ints, consecutive
from unveil.support.options import Progress
from unveil.values.household_links import HouseholdLinks
from unveil.values.links import ComparisonBlock, Finder, Links, Margins
from unveil.values.search_results import Neighbours, RankOfTruth


@dataclass(frozen=True, repr=False, eq=False)
class MemberFinder:
    """Links each person to the member of the linked household that fits best (a `Finder`).

    A link is correct if both steps are. Within a household a member fits worse than another if the
    best assignment of all members that includes it costs more.
    """

    households: Finder  # links households, by a search or by a matching of all of them
    search: HouseholdSearch
    homes: HouseholdFiles
    written: Ints  # the class of each released row: written alike in all compared columns
    _ranked: list[tuple[Ints, RankOfTruth]] = field(default_factory=list)  # true households

    @property
    def columns(self) -> tuple[str, ...]:
        return self.search.columns

    @property
    def uses_grouping(self) -> bool:
        """Whether the household numbers that a release shows are used."""
        return bool(self.search.details["grouping"] == "shown")

    @property
    def supervised(self) -> bool:
        return self.search.supervised

    @property
    def margins(self) -> Margins | None:
        return self.households.margins

    @property
    def details(self) -> dict[str, Any]:
        return self.households.details

    @property
    def engine(self) -> str | None:
        return self.search.engine

    def rank_of_truth(
        self, records: Ints, truth: Ints, stop_at: int | None, progress: Progress | None
    ) -> RankOfTruth:
        """Households that are closer than the true one, and closer members of the true one."""
        closer, tied = np.full(len(records), -1), np.full(len(records), -1)
        at = np.flatnonzero(truth >= 0)
        homes = self.search.queries.of_record[records[at]]
        own = self.search.base.of_record[truth[at]]
        first, second, place = self._distinct_pairs(homes, own)
        ranks = self.households.rank_of_truth(first, second, stop_at, progress)
        if stop_at == 1 and len(records) <= len(self.search.queries.of_record):  # no drawn truths
            self._ranked[:] = [(pair_keys(first, second, len(self.search.base)), ranks)]
        n_closer, n_tied = ranks.n_closer[place], ranks.n_tied[place]
        closer[at], open_still = n_closer, n_closer >= 0
        if stop_at is not None and ranks.chance is None:  # no member can change it
            open_still &= n_closer < stop_at
        there = np.flatnonzero(open_still)
        within = self._rank_within(records[at[there]], truth[at[there]])
        closer[at[there]] = n_closer[there] + within.n_closer
        tied[at[there]] = (n_tied[there] + 1) * (within.n_tied + 1) - 1
        chance = None
        if ranks.chance is not None:
            chance = np.zeros(len(records))
            chance[at[there]] = ranks.chance[place[there]] * within.hits
        if stop_at is not None:
            stopped = closer >= stop_at
            tied, closer = np.where(stopped, -1, tied), np.minimum(closer, stop_at)
        return RankOfTruth(closer, tied, chance, ranks.work)

    def _rank_within(self, records: Ints, rows: Ints) -> RankOfTruth:
        """The rank of each row among the members of its household, as the partner of the record."""
        entries, sizes = self._members_of(records, self.search.base.of_record[rows])
        own = np.flatnonzero(entries.row == np.repeat(rows, sizes))
        extra = np.repeat(entries.extra[own], sizes)
        tied = ties(entries.extra, extra)
        of = np.repeat(np.arange(len(records)), sizes)
        n_closer = np.bincount(of[~tied & (entries.extra < extra)], minlength=len(records))
        n_tied = np.bincount(of[tied], minlength=len(records)) - 1
        return RankOfTruth(n_closer, n_tied)

    def _members_of(self, records: Ints, households: Ints) -> tuple[_Members, Ints]:
        """The members of a household for each record, and the additional cost to assign each."""
        queries, base = self.search.queries, self.search.base
        first, second, place = self._distinct_pairs(queries.of_record[records], households)
        forced = self.search.forced_costs(first, second)
        width = forced.candidates[place]
        number = self._number_in_household[records]
        entries = consecutive(forced.starts[place] + number * width, width)
        rows = base.order[consecutive(base.starts[households], width)]
        return _Members(rows, forced.costs[entries]), width

    def _distinct_pairs(self, homes: Ints, candidates: Ints) -> tuple[Ints, Ints, Ints]:
        """The different pairs of households, and the place of each pair among them."""
        n = len(self.search.base)
        keys, place = np.unique(pair_keys(homes, candidates, n), return_inverse=True)
        return keys // n, keys % n, place

    @cached_property
    def _number_in_household(self) -> Ints:
        """The place of each query among the members of its household."""
        queries = self.search.queries
        number = np.empty(len(queries.of_record), np.int64)
        number[queries.order] = np.arange(len(number)) - np.repeat(
            queries.starts[:-1], queries.sizes
        )
        return number

    def nearest(self, records: Ints, k: int, progress: Progress | None) -> Neighbours:
        """The best member of each of the best households, and those that tie with it."""
        homes, at = np.unique(self.search.queries.of_record[records], return_inverse=True)
        near = self.households.nearest(homes, k, progress)
        listed = near.rows[at]
        of, column = np.nonzero(listed >= 0)
        members, sizes = self._members_of(records[of], listed[of, column])
        pair = np.repeat(np.arange(len(of)), sizes)
        least = np.full(len(of), np.inf)
        np.minimum.at(least, pair, members.extra)
        best = ties(members.extra, least[pair])
        n_best_in = np.bincount(pair[best], minlength=len(of))
        tied_homes = near.n_best[at]
        first = column == 0
        n_best = np.zeros(len(records), np.int64)
        n_best[of[first]] = n_best_in[first] * tied_homes[of[first]]
        entry = np.flatnonzero(best)
        record, rank = of[pair[entry]], column[pair[entry]]
        order = np.lexsort((members.row[entry], np.maximum(rank - tied_homes[record], -1), record))
        record, rank, row = record[order], rank[order], members.row[entry][order]
        place = np.arange(len(order)) - np.searchsorted(record, record)
        kept = place < k
        result = Neighbours.none_yet(len(records), k)
        result.rows[record[kept], place[kept]] = row[kept]
        scores = near.scores[at][record[kept], rank[kept]]
        if self.households.log_totals(homes[:1]) is not None:  # the score is a log-probability
            scores += self._doubt(members.extra, least, pair)[pair[entry][order][kept]]
        result.scores[record[kept], place[kept]] = scores
        return result._replace(n_best=n_best, work=near.work)

    def _doubt(self, extra: Floats, least: Floats, pair: Ints) -> Floats:
        """The reduction of the log-probability because other members of the household fit, too."""
        rate = self.households.details.get("rate", 1.0)
        with np.errstate(invalid="ignore"):  # nobody fits
            likely = np.nan_to_num(np.exp(-rate * (extra - least[pair])))
        return np.log(np.maximum(np.bincount(pair, likely, minlength=len(least)), 1.0))

    def log_totals(self, records: Ints) -> Floats | None:
        homes, at = np.unique(self.search.queries.of_record[records], return_inverse=True)
        totals = self.households.log_totals(homes)
        return None if totals is None else totals[at]

    @property
    def _blocks(self) -> Blocks:
        """The blocks of households, of persons."""
        blocks = self.search.blocks
        return replace(
            blocks,
            queries=blocks.queries[self.search.queries.of_record],
            base=blocks.base[self.search.base.of_record],
        )

    def comparison_blocks(self, records: Ints) -> list[ComparisonBlock]:
        return self._blocks.comparison_blocks(records)

    def n_candidates(self, records: Ints) -> Ints:
        return self._blocks.n_candidates(records)

    def compares(self, records: Ints, candidates: Ints) -> Bools:
        return self._blocks.compares(records, candidates)

    def classes(self) -> Ints:
        """Rows that are equal members of equal households."""
        homes = self.search.classes()[self.homes.released.of_record]
        rows: Ints = homes * (int(self.written.max()) + 1) + self.written
        return np.unique(rows, return_inverse=True)[1]

    def household_links(self, links: Links) -> HouseholdLinks:
        """The links of the households of these persons."""
        households = np.unique(self.search.queries.of_record[links.records])
        linked = self.homes.links(links, self.households, households)
        if linked.truth is not None and self._ranked:  # with their members
            pairs, ranks = self._ranked[0]
            true, n = linked.true_links, len(self.search.base)
            place = np.searchsorted(pairs, wanted := pair_keys(true.records, true.rows, n))
            if (linked.true_rows >= 0).all() and np.isin(wanted, pairs).all():
                known = "rank_of_truth" if linked.common is None else "_pair_ranks"
                object.__setattr__(linked, known, ranks.take(place))
        return linked


@dataclass(frozen=True, repr=False, eq=False)
class _Members:
    row: Ints
    extra: Floats
