"""Households compared as units: by the best assignment of their members.

A search between members lists the households that may be near, `attacks.listed_search` decides.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from unveil.attacks.households.assignment import best_assignments, forced_costs
from unveil.attacks.households.distinct_records import DistinctRecords, equal_households, members_of
from unveil.attacks.households.grouped_numbers import kth_least, rows_by_class, sum_by_key, sums
from unveil.attacks.households.kernels.assignment import MemberPairs
from unveil.attacks.listed_search import (
    PAIRS_AT_ONCE,
    ListedCandidates,
    ListedSearch,
    Needed,
    all_pairs,
)
from unveil.attacks.matched.comparer import Comparer, pair_keys
from unveil.engines.blocks import Blocks
from unveil.support.arrays import Bools, Floats, Ints, consecutive
from unveil.support.equal_rows import EqualRows
from unveil.support.options import Progress
from unveil.support.work import EXACT_CELLS
from unveil.table.households import Homes
from unveil.values.links import ComparisonBlock, Margins

SLACK = 1e-9  # relative, of a bound: rounding must exclude nobody
PROMISING = 4  # candidates beyond those wanted, by whose costs the others are limited


class Absence(NamedTuple):
    """The expected cost of unmatched members, on either side."""

    queries: Floats
    base: Floats


@dataclass(frozen=True, repr=False, eq=False)
class HouseholdSearch(ListedSearch):
    """Households, with the costs of their members' pairs and of shared columns (a `Comparer`).

    The cost of two households is that of the columns that all members share, once, and of the
    cheapest assignment of their members. Where some members may have no partner (`absent`), a
    pair of members costs at most as much as both being absent.
    """

    queries: Homes
    base: Homes
    members: DistinctRecords | None  # persons; None if all that is known is shared
    shared: DistinctRecords | None  # households, by what members share; None if that is nothing
    blocks: Blocks  # households of one size, if nobody is absent
    released_classes: Ints  # of released households that are written alike
    absent: Absence | None = None  # None: everybody has a partner
    prices: Floats | None = None  # of each candidate household
    counts: Ints | None = None  # the equal households that each candidate stands for
    details: dict[str, Any] = field(default_factory=dict)
    posterior_model: None = None
    guess: bool = False

    @property
    def _parts(self) -> list[Comparer]:
        return [part.comparer for part in (self.members, self.shared) if part is not None]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for part in self._parts for name in part.columns))

    @property
    def supervised(self) -> bool:
        return any(part.supervised for part in self._parts)

    @property
    def engine(self) -> str | None:
        return self._parts[0].engine

    @property
    def margins(self) -> Margins | None:
        return self._parts[0].margins

    @property
    def degrees(self) -> float | None:
        members, shared = (
            None if part is None else part.comparer.degrees for part in (self.members, self.shared)
        )
        if members is None and shared is None:
            return None
        return (members or 0.0) * float(self.queries.sizes.mean()) + (shared or 0.0)

    @property
    def sizes(self) -> tuple[int, int]:
        return len(self.queries), len(self.base)

    @property
    def n_parts(self) -> int:
        return int(self.queries.sizes.max())

    @property
    def n_each(self) -> int:
        """The mean number of households with a member, or the shared cells, of a listed class."""
        if self.members is None:
            return -(-len(self.base) // self._parts[0].sizes[1])
        starts, households = self._households_of_class
        return -(-len(households) // (len(starts) - 1))

    # Costs

    def costs(self, records: Ints, candidates: Ints) -> Floats:
        total = np.zeros(len(records)) if self.prices is None else self.prices[candidates]
        if self.shared is not None:
            total = total + self.shared.costs(records, candidates)
        possible = np.flatnonzero(np.isfinite(total) & self.compares(records, candidates))
        result = np.full(len(records), np.inf)
        result[possible] = total[possible]
        if self.members is None:
            return result
        pairs = self.queries.sizes[records[possible]] * self.base.sizes[candidates[possible]]
        ends = np.cumsum(pairs)
        bounds = np.searchsorted(ends, np.arange(0, ends[-1] if len(ends) else 0, PAIRS_AT_ONCE))
        for part in np.split(possible, bounds[1:]):
            member_pairs = self._member_pairs(records[part], candidates[part])
            result[part] += best_assignments(member_pairs)
            if self.absent is not None:
                result[part] += sums(self.absent.queries, self.queries)[records[part]]
                result[part] += sums(self.absent.base, self.base)[candidates[part]]
        return result

    def _member_pairs(self, records: Ints, candidates: Ints) -> MemberPairs:
        """The costs of all pairs of members, less that of their absence if some may be absent."""
        height, width = self.queries.sizes[records], self.base.sizes[candidates]
        counts = height * width
        starts = np.cumsum(counts) - counts
        place = np.arange(int(counts.sum())) - np.repeat(starts, counts)
        across = np.repeat(width, counts)
        query = self.queries.order[
            np.repeat(self.queries.starts[records], counts) + place // across
        ]
        row = self.base.order[np.repeat(self.base.starts[candidates], counts) + place % across]
        costs = np.zeros(len(query)) if self.members is None else self.members.costs(query, row)
        if self.absent is not None:
            costs = np.minimum(costs - self.absent.queries[query] - self.absent.base[row], 0.0)
        return MemberPairs(starts, height, width, costs)

    def forced_costs(self, records: Ints, candidates: Ints) -> MemberPairs:
        """The additional cost of each pair of households if one member must go with one other."""
        pairs = self._member_pairs(records, candidates)
        return pairs._replace(costs=forced_costs(pairs))

    # Lists

    def list_nearest(
        self, records: Ints, k: int, needed: Needed, progress: Progress | None
    ) -> ListedCandidates:
        least = np.zeros(len(records))
        if self.members is not None and self.shared is not None:
            classes, at = np.unique(self.shared.queries[records], return_inverse=True)
            least += self.shared.nearest(classes, 1, progress).costs[at, 0]
        if self.prices is not None:
            least += self.prices.min()
        near = self._near_by_shared if self.members is None else self._near_by_members
        listed, floor = near(records, k, progress)
        keys = pair_keys(listed.record, listed.candidate, self.sizes[1])
        keys, lower = sum_by_key(keys, listed.cost, len(records) * self.sizes[1])
        record, candidate = keys // self.sizes[1], keys % self.sizes[1]
        bound = (least + floor)[record] + lower
        kept, cost = self._evaluate(records, record, candidate, bound, needed)
        work = listed.work + len(kept) * EXACT_CELLS * len(self.columns)
        unlisted = least + listed.least_unlisted
        return ListedCandidates(record[kept], candidate[kept], cost, unlisted, work)

    def _evaluate(
        self, records: Ints, record: Ints, candidate: Ints, bound: Floats, needed: Needed
    ) -> tuple[Ints, Floats]:
        """The pairs that may be needed, given a lower bound of each, and their costs."""
        limit, cost = needed.up_to, np.full(len(record), np.nan)
        if needed.best:  # so many of each record, the most promising, limit the others
            order = np.flatnonzero(bound <= (limit + SLACK * np.abs(limit) + SLACK)[record])
            order = order[np.lexsort((bound[order], record[order]))]
            of = record[order]
            first = order[np.arange(len(of)) - np.searchsorted(of, of) < needed.best + PROMISING]
            cost[first] = self.costs(records[record[first]], candidate[first])
            limit = np.minimum(
                limit, kth_least(record[first], cost[first], needed.best, len(limit))
            )
        wanted = np.isnan(cost) & (bound <= (limit + SLACK * np.abs(limit) + SLACK)[record])
        cost[wanted] = self.costs(records[record[wanted]], candidate[wanted])
        kept = np.flatnonzero(~np.isnan(cost))
        return kept, cost[kept]

    def _near_by_members(
        self, records: Ints, k: int, progress: Progress | None
    ) -> tuple[ListedCandidates, Floats]:
        """Households with a member near one's own, and the sum of the members' highest costs.

        The cost of a listed household is the amount by which the member lowers that sum.
        """
        of_members = self._members
        starts, households = self._households_of_class
        homes, members = members_of(self.queries, records)
        classes, at = np.unique(of_members.queries[members], return_inverse=True)
        near, costs, last = of_members.nearest(classes, k, progress)
        last, costs, rows = last[at], costs[at], near.rows[at]
        if self.absent is not None:
            most = self.absent.queries[members]
            last, costs = np.minimum(last, most), np.minimum(costs, most[:, None])
        highest = np.where(rows >= 0, costs, -np.inf).max(axis=1)
        highest = np.where(np.isfinite(highest), highest, 0.0)
        member, column = np.nonzero(rows >= 0)
        listed = rows[member, column]
        n_each = np.diff(starts)[listed]
        candidates = ListedCandidates(
            np.repeat(homes[member], n_each),
            households[consecutive(starts[listed], n_each)],
            np.repeat(costs[member, column] - highest[member], n_each),
            sums(last, Homes(homes)),
            near.work,
        )
        return candidates, sums(highest, Homes(homes))

    def _near_by_shared(
        self, records: Ints, k: int, progress: Progress | None
    ) -> tuple[ListedCandidates, Floats]:
        assert self.shared is not None  # noqa: S101 - for the type checker
        classes, at = np.unique(self.shared.queries[records], return_inverse=True)
        near, costs, last = self.shared.nearest(classes, k, progress)
        record, column = np.nonzero(near.rows[at] >= 0)
        starts, households = rows_by_class(self.shared.base)
        listed, cost = near.rows[at][record, column], costs[at][record, column]
        n_each = np.diff(starts)[listed]
        candidates = ListedCandidates(
            np.repeat(record, n_each),
            households[consecutive(starts[listed], n_each)],
            np.repeat(cost, n_each),
            last[at],
            near.work,
        )
        return candidates, np.zeros(len(records))

    @property
    def _members(self) -> DistinctRecords:
        assert self.members is not None  # noqa: S101 - for the type checker
        return self.members

    @cached_property
    def _households_of_class(self) -> tuple[Ints, Ints]:
        """The start of the households of each class of candidate members, and these households."""
        keys = np.unique(pair_keys(self._members.base, self.base.of_record, len(self.base)))
        n_classes = self._members.comparer.sizes[1]
        starts = np.searchsorted(keys // len(self.base), np.arange(n_classes + 1))
        return starts, keys % len(self.base)

    def list_all(self, records: Ints, needed: Needed) -> ListedCandidates:
        place, candidate = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        work = 0
        for block in self.comparison_blocks(records):
            possible = self._bounds(records[block.records], block.candidates)
            work += possible.size * EXACT_CELLS * len(self.columns)
            limit = needed.up_to[block.records]
            limit = limit + SLACK * np.abs(limit) + SLACK
            row, column = np.nonzero(possible <= limit[:, None])
            place.append(block.records[row])
            candidate.append(block.candidates[column])
        of, to = np.concatenate(place), np.concatenate(candidate)
        costs = self.costs(records[of], to)
        return ListedCandidates(of, to, costs, np.full(len(records), np.inf), work)

    def _bounds(self, records: Ints, candidates: Ints) -> Floats:
        """A lower bound on the cost of each household and candidate."""
        pairs = all_pairs(len(records), len(candidates))
        of, to = records[pairs[0]], candidates[pairs[1]]
        total = np.zeros(len(of)) if self.prices is None else self.prices[to]
        if self.shared is not None:
            total = total + self.shared.costs(of, to)
        total = total.reshape(len(records), -1)
        if self.members is None:
            return total
        homes, members = members_of(self.queries, records)
        owners, rows = members_of(self.base, candidates)
        classes, at = np.unique(self.members.queries[members], return_inverse=True)
        others, to_row = np.unique(self.members.base[rows], return_inverse=True)
        first, second = all_pairs(len(classes), len(others))
        costs = self.members.comparer.costs(classes[first], others[second])
        costs = costs.reshape(len(classes), -1)
        begins = np.searchsorted(owners, np.arange(len(candidates)))
        nearest = np.minimum.reduceat(costs[:, to_row], begins, axis=1)[at]
        if self.absent is not None:
            nearest = np.minimum(nearest, self.absent.queries[members][:, None])
        return total + np.add.reduceat(nearest, np.searchsorted(homes, np.arange(len(records))))

    @property
    def all_width(self) -> int:
        """The pairs of members of an average household with all candidates."""
        return int(len(self.base.of_record) * max(float(self.queries.sizes.mean()), 1.0))

    def log_totals(self, records: Ints) -> Floats | None:
        return self.log_sums(records, 0.0) if self.margins == "likelihood" else None

    # What matchings ask

    def equal_rows(self) -> tuple[EqualRows, EqualRows]:
        members, shared = self.members, self.shared
        first = equal_households(
            self.queries,
            None if members is None else members.queries,
            None if shared is None else shared.queries,
        )
        second = equal_households(
            self.base,
            None if members is None else members.base,
            None if shared is None else shared.base,
        )
        return first, second

    def restrict(self, records: Ints, candidates: Ints) -> HouseholdSearch:
        homes, members = members_of(self.queries, records)
        owners, rows = members_of(self.base, candidates)
        absent, members_part, shared = self.absent, self.members, self.shared
        return replace(
            self,
            queries=Homes(homes),
            base=Homes(owners),
            members=None if members_part is None else members_part.take(members, rows),
            shared=None if shared is None else shared.take(records, candidates),
            blocks=replace(
                self.blocks, queries=self.blocks.queries[records], base=self.blocks.base[candidates]
            ),
            absent=None if absent is None else Absence(absent.queries[members], absent.base[rows]),
            prices=None if self.prices is None else self.prices[candidates],
        )

    def with_prices(self, prices: Floats) -> HouseholdSearch:
        return replace(self, prices=prices if self.prices is None else self.prices + prices)

    def scale_costs(self, rate: float) -> HouseholdSearch:
        members, shared, absent = self.members, self.shared, self.absent
        return replace(
            self,
            members=None if members is None else members.scale_costs(rate),
            shared=None if shared is None else shared.scale_costs(rate),
            absent=None if absent is None else Absence(*(rate * side for side in absent)),
            prices=None if self.prices is None else rate * self.prices,
        )

    def reverse(self) -> HouseholdSearch:
        members, shared, absent = self.members, self.shared, self.absent
        return replace(
            self,
            queries=self.base,
            base=self.queries,
            members=None if members is None else members.reverse(),
            shared=None if shared is None else shared.reverse(),
            blocks=self.blocks.reversed,
            absent=None if absent is None else Absence(absent.base, absent.queries),
            prices=None,
        )

    def comparison_blocks(self, records: Ints) -> list[ComparisonBlock]:
        return self.blocks.comparison_blocks(records)

    def n_candidates(self, records: Ints) -> Ints:
        return self.blocks.n_candidates(records)

    def compares(self, records: Ints, candidates: Ints) -> Bools:
        return self.blocks.compares(records, candidates)

    def classes(self) -> Ints:
        return self.released_classes
