"""Scores added up: the finder of several attacks.

Each attack lists its best candidates; those not listed by any cost at least as much as the last
that each lists. What is still open then is asked for with longer lists.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from unveil.attacks.matched.comparer import Comparer, pair_keys
from unveil.engines.local.index import EqualRows, same_rows
from unveil.engines.metric import TIE_ABSOLUTE, TIE_RELATIVE
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.options import Progress
from unveil.support.work import EXACT_CELLS
from unveil.values.links import ComparisonBlock, Margins, RankedCandidates, RankOfTruth

LISTS = (16, 128, 1000)  # candidates that each attack lists, until nothing is open
AT_ONCE = 4_000_000  # pairs that are held
OPEN = -9  # not yet decided


@dataclass(frozen=True, repr=False, eq=False)
class ListedCandidates:
    """The candidates that some attack lists, by record, and what they cost together."""

    record: Ints  # places among those asked for
    candidate: Ints
    cost: Floats
    rest: Floats  # for each record, what a candidate that is not listed costs at least
    work: int  # cells compared


@dataclass(frozen=True, repr=False, eq=False)
class ScoreSum:
    """Several attacks whose costs are added up; they are log-likelihoods, or made alike."""

    summands: tuple[Comparer, ...]
    details: dict[str, Any] = field(default_factory=dict)
    margins: Margins | None = "likelihood"
    posterior_model: None = None
    guess: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that any of them compares."""
        return tuple(dict.fromkeys(name for part in self.summands for name in part.columns))

    @property
    def supervised(self) -> bool:
        """Whether any was made with the truth in hand."""
        return any(part.supervised for part in self.summands)

    @property
    def sizes(self) -> tuple[int, int]:
        """How many records there are, and how many candidates."""
        return self.summands[0].sizes

    @property
    def degrees(self) -> float | None:
        """The rates are fitted already."""
        return None

    def costs(self, records: Ints, candidates: Ints) -> Floats:
        """What pairs cost all of them together."""
        total = np.zeros(len(records))
        for part in self.summands:
            total += part.costs(records, candidates)
        return total

    def _listed(self, records: Ints, k: int | None, progress: Progress | None) -> ListedCandidates:
        """Who is among the k best of any attack; everybody, if that is not said."""
        many = self.sizes[1]
        if k is None or k >= many:
            return self._all(records)
        found = [part.nearest(records, k, progress) for part in self.summands]
        keys = [
            pair_keys(np.nonzero(one.rows >= 0)[0], one.rows[one.rows >= 0], many) for one in found
        ]
        every = np.unique(np.concatenate(keys))
        place, candidate = every // many, every % many
        rest = np.zeros(len(records))
        for part, one in zip(self.summands, found, strict=True):
            last = np.where(one.rows[:, -1] >= 0, one.rows[:, -1], 0)
            cost = part.costs(records, last)
            rest += np.where(one.rows[:, -1] >= 0, cost, np.inf)
        work = sum(one.work for one in found) + len(every) * self._cells
        return ListedCandidates(place, candidate, self.costs(records[place], candidate), rest, work)

    def rank_of_truth(
        self, records: Ints, truth: Ints, stop_at: int | None, progress: Progress | None
    ) -> RankOfTruth:
        """Each record against a row of the other file."""
        closer, tied, work = np.full(len(records), -1), np.full(len(records), -1), 0
        there = np.flatnonzero(truth >= 0)
        own = self.costs(records[there], truth[there])
        there, own = there[np.isfinite(own)], own[np.isfinite(own)]
        for k in (*LISTS, None):
            for some in _pieces(len(there), self._width(k)):
                at = there[some]
                listed = self._listed(records[at], k, progress)
                work += listed.work
                side = _compared(listed.cost, own[some][listed.record])
                closer[at] = np.bincount(listed.record[side < 0], minlength=len(at))
                tied[at] = np.bincount(listed.record[side == 0], minlength=len(at)) - 1
                enough = closer[at] >= (stop_at or self.sizes[1])
                open_still = ~enough & (_compared(listed.rest, own[some]) <= 0)
                tied[at] = np.where(open_still, OPEN, tied[at])
            undecided = tied[there] == OPEN
            there, own = there[undecided], own[undecided]
            if not len(there):
                break
        if stop_at is not None:
            tied = np.where((closer >= 0) & (closer >= stop_at), -1, tied)
            closer = np.minimum(closer, stop_at)
        return RankOfTruth(closer, tied, work=work)

    def nearest(self, records: Ints, k: int, progress: Progress | None) -> RankedCandidates:
        """The best candidates of each record."""
        rows, scores = np.full((len(records), k), -1), np.full((len(records), k), np.inf)
        n_best = np.zeros(len(records), np.int64)
        there = np.arange(len(records))
        for longer in (*(max(many, k) for many in LISTS), None):
            open_still = np.zeros(len(there), np.bool_)
            for some in _pieces(len(there), self._width(longer)):
                at = there[some]
                listed = self._listed(records[at], longer, progress)
                best = _best(listed, len(at), k)
                rows[at], scores[at], n_best[at] = best
                more = np.isfinite(listed.rest)
                open_still[some] = more & (_compared(listed.rest, scores[at, -1]) <= 0)
            there = there[open_still]
            if not len(there):
                break
        return RankedCandidates(rows, scores, n_best)

    @property
    def _cells(self) -> int:
        """What it takes to compare a pair, all attacks together."""
        return EXACT_CELLS * sum(len(part.columns) for part in self.summands)

    def _width(self, k: int | None) -> int:
        return self.sizes[1] if k is None else k * len(self.summands)

    def _all(self, records: Ints) -> ListedCandidates:
        """Every candidate of some records."""
        many = self.sizes[1]
        place = np.repeat(np.arange(len(records)), many)
        candidate = np.tile(np.arange(many), len(records))
        cost = self.costs(records[place], candidate)
        rest = np.full(len(records), np.inf)
        return ListedCandidates(place, candidate, cost, rest, len(place) * self._cells)

    def log_totals(self, records: Ints) -> Floats | None:
        """The log of the sum of all likelihoods."""
        return self.log_sums(records, 0.0)

    def log_sums(self, records: Ints, error: float) -> Floats:
        """The log of the sum of exp(-cost) over the candidates of each record."""
        del error  # there is none
        found = np.empty(len(records))
        for some in _pieces(len(records), self.sizes[1]):
            costs = self._all(records[some]).cost.reshape(-1, self.sizes[1])
            least = costs.min(axis=1)
            with np.errstate(invalid="ignore"):
                total = np.exp(least[:, None] - costs).sum(axis=1)
                found[some] = np.where(np.isinf(least), -np.inf, np.log(total) - least)
        return found

    def equal_rows(self) -> tuple[EqualRows, EqualRows]:
        """Records, and candidates, that none of them can tell apart."""
        each = [part.equal_rows() for part in self.summands]
        first, second = (
            same_rows(
                np.column_stack([one[side].of_record() for one in each]).astype(float),
                np.zeros(0),
                1,
            )
            for side in (0, 1)
        )
        return first, second

    def restrict(self, records: Ints, candidates: Ints) -> ScoreSum:
        """The same among some records and some candidates."""
        return self._of(part.restrict(records, candidates) for part in self.summands)

    def with_prices(self, prices: Floats) -> ScoreSum:
        """The same where each candidate costs so much more."""
        first, *others = self.summands
        return self._of([first.with_prices(prices), *others])

    def scale_costs(self, rate: float) -> ScoreSum:
        """The same where everything costs so many times as much."""
        return self._of(part.scale_costs(rate) for part in self.summands)

    def reverse(self) -> ScoreSum:
        """The same where the candidates look for the records."""
        return self._of(part.reverse() for part in self.summands)

    def _of(self, parts: Any) -> ScoreSum:
        return replace(self, summands=tuple(parts))

    def comparison_blocks(self, records: Ints) -> list[ComparisonBlock]:
        """Which candidates each record is compared with: the same for all of them."""
        return self.summands[0].comparison_blocks(records)

    def n_candidates(self, records: Ints) -> Ints:
        """How many they are."""
        return self.summands[0].n_candidates(records)

    def compares(self, records: Ints, candidates: Ints) -> Bools:
        """Whether each record is compared with a candidate."""
        return self.summands[0].compares(records, candidates)

    def classes(self) -> Ints:
        """For each released row its class of rows that none of them can tell apart."""
        each = np.column_stack([part.classes() for part in self.summands])
        return np.unique(each, axis=0, return_inverse=True)[1]


def _compared(cost: Floats, other: Floats) -> Ints:
    """-1 where a cost is less than another, 0 where they tie."""
    with np.errstate(invalid="ignore"):
        gap = np.where(cost == other, 0.0, cost - other)
        room = TIE_RELATIVE * np.maximum(np.abs(cost), np.abs(other)) + TIE_ABSOLUTE
        near = np.isfinite(gap) & (np.abs(gap) <= room)
    found: Ints = np.where(near, 0, np.sign(gap)).astype(np.int64)
    return found


def _pieces(many: int, width: int) -> list[Ints]:
    """Places, as many at a time as can be held."""
    size = max(1, AT_ONCE // max(width, 1))
    return [np.arange(start, min(start + size, many)) for start in range(0, many, size)]


def _best(listed: ListedCandidates, records: int, k: int) -> tuple[Ints, Floats, Ints]:
    """The k best of each record, and how many tie with the best; ties by row."""
    least = np.full(records, np.inf)
    np.minimum.at(least, listed.record, listed.cost)
    ties = (_compared(listed.cost, least[listed.record]) == 0) & np.isfinite(listed.cost)
    cost = np.where(ties, least[listed.record], listed.cost)
    order = np.lexsort((listed.candidate, cost, listed.record))
    order = order[np.isfinite(listed.cost[order])]
    record = listed.record[order]
    place = np.arange(len(order)) - np.searchsorted(record, record)
    kept = place < k
    rows, scores = np.full((records, k), -1), np.full((records, k), np.inf)
    rows[record[kept], place[kept]] = listed.candidate[order[kept]]
    scores[record[kept], place[kept]] = cost[order[kept]]
    return rows, scores, np.bincount(listed.record[ties], minlength=records)
