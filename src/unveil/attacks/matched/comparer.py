"""What a matching needs of an attack, and the classes of equal records that it matches.

Comparer ──▶ ClassPairs ──one_to_one | posterior──▶ MatchProbabilities ──▶ MatchedFinder
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from unveil.support.arrays import Floats, Ints
from unveil.support.equal_rows import EqualRows
from unveil.values.file_pair import CanonicalOrder
from unveil.values.links import Finder

DIGITS = 2.0**34  # of a cost: ten decimal digits
PAIRS_AT_ONCE = 4_000_000  # whose costs are computed together


class Comparer(Finder, Protocol):
    """A finder that also answers what single pairs cost, and searches at given prices."""

    @property
    def sizes(self) -> tuple[int, int]:
        """The numbers of records and of candidates."""

    @property
    def degrees(self) -> float | None:
        """The degrees of freedom of a cost; None where costs are log-likelihoods."""

    @property
    def posterior_model(self) -> PosteriorModel | None:
        """How the attack computes the posterior over matchings; None for the usual way."""

    @property
    def guess(self) -> bool:
        """Whether nothing supports the links, so that no probability is claimed."""

    def equal_rows(self) -> tuple[EqualRows, EqualRows]:
        """Records, and candidates, that no comparison can distinguish."""

    def restrict(self, records: Ints, candidates: Ints) -> Comparer:
        """The same among some records and some candidates."""

    def with_prices(self, prices: Floats) -> Comparer:
        """The same with a price added to the cost of each candidate."""

    def reverse(self) -> Comparer:
        """The same with candidates as queries."""

    def scale_costs(self, rate: float) -> Comparer:
        """The same with all costs multiplied by a rate."""

    def costs(self, records: Ints, candidates: Ints) -> Floats:
        """The cost of each pair."""

    def log_sums(self, records: Ints, error: float) -> Floats:
        """The log of the sum of exp(-cost) over the candidates of each record."""


class PosteriorModel(Protocol):
    """A posterior over matchings that an attack computes in its own way."""

    def posterior(self, pairs: ClassPairs) -> MatchProbabilities:
        """The probability of each pair of classes."""


class RecordClasses(NamedTuple):
    """The classes of equal records, or of equal candidates."""

    of: Ints  # the class of each record
    first: Ints  # one record of each class
    size: Ints
    members: Ints  # class after class, ascending in each
    starts: Ints  # where each class begins among the members

    @classmethod
    def from_groups(cls, groups: EqualRows, places: Ints) -> RecordClasses:
        """Classes in the order of their contents, given the place of each record in it."""
        first = np.minimum.reduceat(places[groups.order], groups.starts[:-1])
        of = np.argsort(np.argsort(first))[groups.of_record()]
        size = np.bincount(of, minlength=len(first))
        starts = np.append(0, np.cumsum(size))
        members = np.argsort(of, kind="stable")
        return cls(of, members[starts[:-1]], size, members, starts)


class ClassPairs:
    """The costs of matching classes of records with classes of candidates: a cost provider."""

    def __init__(self, finder: Comparer, order: CanonicalOrder) -> None:
        records, candidates = finder.equal_rows()
        order = replace(order, pair=order.pair.in_content_order)  # it decides among ties
        self.records = RecordClasses.from_groups(records, order.records)
        self.candidates = RecordClasses.from_groups(candidates, order.candidates)
        self.comparer = finder.restrict(self.records.first, self.candidates.first)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of classes of records and of candidates."""
        return len(self.records.first), len(self.candidates.first)

    @property
    def supply(self) -> Ints:
        """The number of records of each class."""
        return self.records.size

    @property
    def capacity(self) -> Ints:
        """The number of candidates of each class."""
        return self.candidates.size

    def dense(self) -> Floats:
        """The costs of all pairs of classes."""
        rows, columns = self.shape
        costs = np.empty((rows, columns))
        step = max(1, PAIRS_AT_ONCE // columns)
        for start in range(0, rows, step):
            block = np.arange(start, min(start + step, rows))
            pairs = np.repeat(block, columns), np.tile(np.arange(columns), len(block))
            costs[block] = rounded_costs(self.comparer, *pairs).reshape(-1, columns)
        return costs

    def cheapest(self, prices: Floats, k: int) -> tuple[Ints, Floats]:
        """The best candidates of each class of records at these prices, and their bare costs."""
        return _cheapest(self.comparer, prices, k)

    def cheapest_rows(self, prices: Floats, k: int) -> tuple[Ints, Floats]:
        """The same for each class of candidates."""
        rows, _ = _cheapest(self.comparer.reverse(), prices, k)
        there = rows >= 0
        columns = np.broadcast_to(np.arange(len(rows))[:, None], rows.shape)
        costs = np.full(rows.shape, np.inf)
        costs[there] = rounded_costs(self.comparer, rows[there], columns[there])
        return rows, costs


@dataclass(frozen=True, repr=False, eq=False)
class MatchProbabilities:
    """The probability that a record of one class is matched with a given row of another."""

    rows: Ints  # classes of records
    columns: Ints  # classes of candidates
    chance: Floats  # for each single candidate of the column
    details: dict[str, Any]


def _cheapest(finder: Comparer, prices: Floats, k: int) -> tuple[Ints, Floats]:
    """The best candidates of every record; those at an infinite price are excluded."""
    n_records, n_candidates = finder.sizes
    best, costs = np.full((n_records, k), -1), np.full((n_records, k), np.inf)
    offered = np.flatnonzero(np.isfinite(prices))
    if not len(offered):
        return best, costs
    every = np.arange(n_records)
    part = finder if len(offered) == n_candidates else finder.restrict(every, offered)
    rows = part.with_prices(prices[offered]).nearest(every, min(k, len(offered)), None).rows
    there = rows >= 0
    best[:, : rows.shape[1]] = np.where(there, offered[rows], -1)
    records = np.broadcast_to(every[:, None], rows.shape)
    costs[:, : rows.shape[1]][there] = rounded_costs(part, records[there], rows[there])
    return best, costs


def rounded_costs(finder: Comparer, records: Ints, candidates: Ints) -> Floats:
    """Costs to ten digits: rounding errors beyond these must not choose among ties."""
    size, exponent = np.frexp(finder.costs(records, candidates))
    rounded: Floats = np.ldexp(np.rint(size * DIGITS) / DIGITS, exponent)
    return rounded


def pair_keys(rows: Ints, columns: Ints, n_columns: int) -> Ints:
    """Each pair as one number, by which pairs are sorted and found."""
    keys: Ints = rows * n_columns + columns
    return keys
