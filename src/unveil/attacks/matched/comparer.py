"""The interface of an attack to a matching, and the classes of equal records that it matches.

Comparer ──▶ ClassPairs ──one_to_one | posterior──▶ Matches ──▶ MatchedFinder
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike

from unveil.matching.kernels.sinkhorn import Matrix
from unveil.support.arrays import Floats, Ints
from unveil.support.equal_rows import EqualRows
from unveil.values.file_pair import CanonicalOrder
from unveil.values.links import Finder

if TYPE_CHECKING:
    from unveil.attacks.matched.matches import Matches

DROPPED_BITS = 19  # of a cost: the other 34 are ten decimal digits
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

    def posterior(self, pairs: ClassPairs) -> Matches:
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
        costs = np.empty(self.shape)
        for start, block in self._blocks():
            costs[start : start + len(block)] = block
        return costs

    def above_least(self, bits: DTypeLike) -> tuple[Matrix, Floats]:
        """The costs of all pairs of classes above the least of their row, and that of each row."""
        costs, least = np.empty(self.shape, bits), np.empty(self.shape[0])
        for start, block in self._blocks():
            here = slice(start, start + len(block))
            least[here] = block.min(axis=1, initial=np.inf)
            offset = np.where(np.isfinite(least[here]), least[here], 0.0)
            costs[here] = block - offset[:, None]
        return costs, least

    def _blocks(self) -> Iterator[tuple[int, Floats]]:
        """The costs of some rows at a time, and the first of them."""
        rows, columns = self.shape
        step = max(1, PAIRS_AT_ONCE // columns)
        for start in range(0, rows, step):
            block = np.arange(start, min(start + step, rows))
            pairs = np.repeat(block, columns), np.tile(np.arange(columns), len(block))
            yield start, rounded_costs(self.comparer, *pairs).reshape(-1, columns)

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
    costs = np.array(finder.costs(records, candidates), np.float64)
    bits = costs.view(np.int64)
    bits += np.int64(1 << (DROPPED_BITS - 1))
    bits &= np.int64(-1 << DROPPED_BITS)
    return costs


def pair_keys(rows: Ints, columns: Ints, n_columns: int) -> Ints:
    """Each pair as one number, by which pairs are sorted and found."""
    keys: Ints = rows * n_columns + columns
    return keys
