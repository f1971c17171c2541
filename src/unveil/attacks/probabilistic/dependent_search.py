"""Exact search for the heaviest pairs if the weight of a pattern is not a sum over attributes.

The marginal weights of the attributes form a metric, as without dependence. The best candidates
by this metric are listed, and the cost of each listed pair is corrected by the weight of its whole
pattern. A bound on the correction gives a lower bound on the cost of every unlisted candidate.
Lists are extended until this bound decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from unveil.attacks.listed_search import ListedCandidates, ListedSearch, Needed, all_pairs
from unveil.attacks.matched.comparer import PosteriorModel
from unveil.attacks.nearest import NearestSearch
from unveil.attacks.probabilistic.comparisons import AttributeComparison
from unveil.attacks.probabilistic.kernels import forests as kernel
from unveil.attacks.probabilistic.pair_classes import DependentClasses, Slots
from unveil.engines.code_pairs import CodePairs
from unveil.engines.metric import Cost, Metric
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.equal_rows import EqualRows
from unveil.support.options import Progress
from unveil.support.work import EXACT_CELLS
from unveil.values.links import ComparisonBlock, Margins
from unveil.values.pair_decisions import PairDecider

MOST_POSSIBLE = 1 << 20  # patterns that are all weighed beforehand


@dataclass(frozen=True, repr=False, eq=False)
class PatternWeights:
    """The correction of each pattern: its cost minus the sum over its attributes.

    `known` are the patterns that pairs can have: all possible ones if they are few, or the counted
    ones; None if others may occur.
    """

    model: DependentClasses
    tolerances: tuple[Floats, Ints]  # of all attributes, and where each one's begin
    nominal: tuple[Floats, ...]  # of each attribute: the cost of each slot in the metric
    range: tuple[tuple[Floats, Floats], ...]  # the least and the largest cost of each slot
    known: Slots | None
    listed: tuple[CodePairs | None, ...]  # of each attribute of text: codes that are alike, levels
    greatest: float = 0.0  # the weight of the heaviest pattern

    def correct(self, slots: Slots) -> Floats:
        """The cost of each pattern by its weight, less that by attributes."""
        return self.greatest - self.model.weigh(slots) - _total(self.nominal, slots)

    def slots(self, a: Floats, b: Floats, rows: tuple[Ints, Ints]) -> Slots:
        """The patterns of listed pairs: an intruder's record and a released row each."""
        slots = np.empty((len(rows[0]), a.shape[1]), np.uint16)
        kernel.fill_slots(a, b, rows, self.tolerances, slots)
        for j, pairs in enumerate(self.listed):
            if pairs is not None:
                last = int(self.model.classes[0].levels[j]) - 1
                own = pairs.values_of(a[rows[0], j], b[rows[1], j], last)
                slots[:, j] = np.nan_to_num(own + 1)  # 0 is missing
        return slots

    @cached_property
    def dense(self) -> Floats | None:
        """The corrections of all possible patterns, by their key, if these are few."""
        return None if self._possible > MOST_POSSIBLE else self.correct(_all_slots(self.model))

    @cached_property
    def strides(self) -> Ints:
        """The factor of each attribute's slot in a key."""
        sizes = self.model.classes[0].levels + 1
        return np.append(np.cumprod(sizes[:0:-1])[::-1], 1)

    @property
    def _possible(self) -> float:
        return float(np.prod(self.model.classes[0].levels + 1.0))

    def of_pairs(self, a: Floats, b: Floats, rows: tuple[Ints, Ints]) -> Floats:
        """The corrections of listed pairs."""
        slots = self.slots(a, b, rows)
        return self.correct(slots) if self.dense is None else self.dense[slots @ self.strides]

    @cached_property
    def _bounds(self) -> tuple[Floats, Floats, Floats, Floats] | None:
        """Patterns by least and by largest cost; the best correction from each place on."""
        known = _all_slots(self.model) if self.dense is not None else self.known
        if known is None:
            return None
        correction = self.correct(known) if self.dense is None else self.dense
        low, high = (_total([own[side] for own in self.range], known) for side in (0, 1))
        by_low, by_high = np.argsort(low), np.argsort(high)
        least = np.minimum.accumulate((low + correction)[by_low][::-1])[::-1]
        gain = np.minimum.accumulate(correction[by_high][::-1])[::-1]
        return low[by_low], np.append(least, np.inf), high[by_high], np.append(gain, np.inf)

    def least_from(self, costs: Floats) -> Floats:
        """A lower bound on the corrected cost of pairs with at least this cost."""
        if self._bounds is None:
            return np.full(len(costs), -np.inf)
        low, least, high, gain = self._bounds
        margin = 1e-7 * (1 + np.abs(costs))  # of rounding, in sums and in the search
        beyond = least[np.searchsorted(low, costs - margin)]
        within = costs - margin + gain[np.searchsorted(high, costs - margin)]
        return np.minimum(beyond, within)

    @property
    def largest_gain(self) -> float:
        """The largest reduction of a cost by a correction."""
        return -np.inf if self._bounds is None else float(self._bounds[3][0])


def pattern_weights(
    model: DependentClasses,
    comparisons: Sequence[AttributeComparison],
    metrics: tuple[Metric, Metric],
    counted: Slots | None,
) -> PatternWeights:
    """The corrections of a metric, given also the same metric without prorating.

    `counted`: the patterns of all pairs, None if only a sample was counted.
    """
    tolerances = [np.array(one.tolerances) for one in comparisons]
    first = np.cumsum([0, *(len(own) for own in tolerances)])
    plain, prorated = (metric.cost_tuple for metric in reversed(metrics))
    nominal = tuple(
        _nominal(cost) if one.pairs is None else _listed_levels(cost, one.pairs, one.tolerances)
        for cost, one in zip(plain, comparisons, strict=True)
    )
    listed = tuple(one.pairs for one in comparisons)
    ranges = tuple(
        (own, own) if cost.kind in ("table", "listed") else _range(cost, np.array(one.tolerances))
        for cost, own, one in zip(prorated, nominal, comparisons, strict=True)
    )
    ends = np.concatenate(tolerances), first
    found = PatternWeights(model, ends, nominal, ranges, counted, listed)
    every = counted if found._possible > MOST_POSSIBLE else _all_slots(model)
    if every is None or not len(every):
        every = np.ones((1, len(comparisons)), np.uint16)
    return replace(found, greatest=float(model.weigh(every).max()))


def _all_slots(model: DependentClasses) -> Slots:
    sizes = tuple((model.classes[0].levels + 1).tolist())
    return np.indices(sizes, np.uint16).reshape(len(sizes), -1).T.copy()


def _total(by_slot: Sequence[Floats], slots: Slots) -> Floats:
    """The sum of the slots' values over the attributes."""
    total = np.zeros(len(slots))
    for own, column in zip(by_slot, slots.T, strict=True):
        total += own[column]
    return total


def _nominal(cost: Cost) -> Floats:
    """The cost of each slot without prorating: missing, then level by level."""
    levels = cost.value
    if cost.kind == "table":  # a row of it: of equal codes, then of different ones
        levels = np.resize(cost.value, 2)
    return np.append(cost.missing or 0.0, levels)


def _listed_levels(cost: Cost, pairs: CodePairs, ends: Sequence[float]) -> Floats:
    """The cost of each slot, where pairs of codes are listed: missing, then level by level."""
    levels = np.full(len(ends) + 1, cost.value[0])  # also of a level that no pair has
    levels[pairs.values.astype(np.int64)] = cost.value[1:]
    return np.append(cost.missing or 0.0, levels)


def _range(cost: Cost, tolerances: Floats) -> tuple[Floats, Floats]:
    """The least and the largest cost of each slot."""
    missing = cost.missing or 0.0
    low = np.append(_at(cost, np.array([0.0])), _at(cost, np.nextafter(tolerances, np.inf)))
    high = np.append(_at(cost, tolerances), cost.value[-1])
    return np.append(missing, low), np.append(missing, high)


def _at(cost: Cost, gaps: Floats) -> Floats:
    """The cost of each gap."""
    piece = np.searchsorted(cost.end, gaps)
    starts = np.append(0.0, cost.end[:-1])
    found: Floats = cost.value[piece] + cost.slope[piece] * (gaps - starts[piece])
    return found


@dataclass(frozen=True, repr=False, eq=False)
class DependentSearch(ListedSearch):
    """A search by attributes whose costs are corrected by the whole pattern (a `Comparer`)."""

    base: NearestSearch
    weights: PatternWeights
    details: dict[str, Any]
    rate: float = 1.0
    priced: bool = False
    margins: Margins | None = "likelihood"
    degrees: None = None
    posterior_model: PosteriorModel | None = None
    guess: bool = False
    supervised: bool = False

    @property
    def pair_decisions(self) -> PairDecider | None:
        """The decisions on pairs, if error rates are given."""
        return self.base.pair_decisions

    @property
    def columns(self) -> tuple[str, ...]:
        return self.base.columns

    @property
    def engine(self) -> str:
        return self.base.engine

    @property
    def sizes(self) -> tuple[int, int]:
        return self.base.sizes

    @property
    def n_parts(self) -> int:
        return 1

    def costs(self, records: Ints, candidates: Ints) -> Floats:
        in_files = self.base.files.queries_first  # which turns queries and candidates back, too
        rows = in_files(records, candidates)
        correction = self.weights.of_pairs(*in_files(*self._cells), rows)
        return self.base.costs(records, candidates) + self.rate * correction

    @cached_property
    def _cells(self) -> tuple[Floats, Floats]:
        sides = self.base.files.queries_first(self.base.intruder_records, self.base.released)
        queries, base = (side.cells() for side in sides)
        return np.ascontiguousarray(queries), np.ascontiguousarray(base)

    def list_nearest(
        self, records: Ints, k: int, needed: Needed, progress: Progress | None
    ) -> ListedCandidates:
        del needed
        best = self.base.nearest(records, k, progress)
        record, place = np.nonzero(best.rows >= 0)
        candidate = best.rows[record, place]
        last = best.scores[:, -1]
        least = np.full(len(records), np.inf)  # all candidates are listed
        full = best.rows[:, -1] >= 0
        if self.priced:
            least[full] = last[full] + self.rate * self.weights.largest_gain
        else:
            least[full] = self.rate * self.weights.least_from(last[full] / self.rate)
        cost = self.costs(records[record], candidate)
        return ListedCandidates(record, candidate, cost, least, best.work + self._work(cost))

    def list_all(self, records: Ints, needed: Needed) -> ListedCandidates:
        del needed
        record, candidate = all_pairs(len(records), self.sizes[1])
        cost = self.costs(records[record], candidate)
        least = np.full(len(records), np.inf)
        return ListedCandidates(record, candidate, cost, least, self._work(cost))

    def _work(self, cost: Floats) -> int:
        return EXACT_CELLS * len(cost) * len(self.columns)

    def log_totals(self, records: Ints) -> Floats | None:
        return self.log_sums(records, 0.0)

    def equal_rows(self) -> tuple[EqualRows, EqualRows]:
        return self.base.equal_rows()

    def restrict(self, records: Ints, candidates: Ints) -> "DependentSearch":
        return self._over(self.base.restrict(records, candidates))

    def with_prices(self, prices: Floats) -> "DependentSearch":
        return replace(self._over(self.base.with_prices(prices)), priced=True)

    def scale_costs(self, rate: float) -> "DependentSearch":
        return replace(self._over(self.base.scale_costs(rate)), rate=self.rate * rate)

    def reverse(self) -> "DependentSearch":
        return replace(self._over(self.base.reverse()), priced=False)

    def _over(self, base: NearestSearch) -> "DependentSearch":
        return replace(self, base=base)

    def comparison_blocks(self, records: Ints) -> list[ComparisonBlock]:
        return self.base.comparison_blocks(records)

    def n_candidates(self, records: Ints) -> Ints:
        return self.base.n_candidates(records)

    def compares(self, records: Ints, candidates: Ints) -> Bools:
        return self.base.compares(records, candidates)

    def classes(self) -> Ints:
        return self.base.classes()
