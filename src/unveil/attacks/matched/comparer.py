"""Matching: whom a record is linked with, when the others have a say in it.

Every attack can be asked three ways: each record takes the nearest; all are matched one to one
at the least total cost; or each takes whom it has most often in a random matching.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from unveil.engines.local.index import EqualRows
from unveil.support.arrays import Floats, Ints
from unveil.table.row_identity import CanonicalOrder
from unveil.values.links import Finder

DIGITS = 2.0**34
AT_ONCE = 4_000_000  # pairs whose costs are found at a time


class Comparer(Finder, Protocol):
    """A finder that can be asked what single pairs cost, and with candidates at a price."""

    @property
    def sizes(self) -> tuple[int, int]:
        """How many records there are, and how many candidates."""

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
        """Records, and candidates, that no pair of them can tell apart."""

    def restrict(self, records: Ints, candidates: Ints) -> Comparer:
        """The same among some records and some candidates."""

    def with_prices(self, prices: Floats) -> Comparer:
        """The same where each candidate costs so much more."""

    def reverse(self) -> Comparer:
        """The same where the candidates look for the records."""

    def scale_costs(self, rate: float) -> Comparer:
        """The same where everything costs so many times as much."""

    def costs(self, records: Ints, candidates: Ints) -> Floats:
        """What pairs cost."""

    def log_sums(self, records: Ints, error: float) -> Floats:
        """The log of the sum of exp(-cost) over the candidates of each record."""


class PosteriorModel(Protocol):
    """A posterior over matchings that an attack computes in its own way."""

    def posterior(self, pairs: ClassPairs) -> MatchProbabilities:
        """The probability of each pair of classes."""


class RecordClasses(NamedTuple):
    """Records, or candidates, that are the same, together."""

    of: Ints  # the class of each
    first: Ints  # one of each class
    size: Ints
    members: Ints  # class after class, ascending in each
    starts: Ints  # where each class begins among the members

    @classmethod
    def from_groups(cls, groups: EqualRows, places: Ints) -> RecordClasses:
        """In the order of what their members hold, by whose places it goes."""
        first = np.minimum.reduceat(places[groups.order], groups.starts[:-1])
        of = np.argsort(np.argsort(first))[groups.of_record()]
        size = np.bincount(of, minlength=len(first))
        starts = np.append(0, np.cumsum(size))
        members = np.argsort(of, kind="stable")
        return cls(of, members[starts[:-1]], size, members, starts)


class ClassPairs:
    """The classes of an attack's records and candidates, compared with each other."""

    def __init__(self, finder: Comparer, order: CanonicalOrder) -> None:
        records, candidates = finder.equal_rows()
        self.records = RecordClasses.from_groups(records, order.records)
        self.candidates = RecordClasses.from_groups(candidates, order.candidates)
        self.between = finder.restrict(self.records.first, self.candidates.first)

    @property
    def shape(self) -> tuple[int, int]:
        """How many classes there are on each side."""
        return len(self.records.first), len(self.candidates.first)

    @property
    def supply(self) -> Ints:
        """How many identical records each class has."""
        return self.records.size

    @property
    def capacity(self) -> Ints:
        """How many identical candidates each class has."""
        return self.candidates.size

    def dense(self) -> Floats:
        """What every pair of classes costs."""
        rows, columns = self.shape
        found = np.empty((rows, columns))
        step = max(1, AT_ONCE // columns)
        for start in range(0, rows, step):
            some = np.arange(start, min(start + step, rows))
            every = np.repeat(some, columns), np.tile(np.arange(columns), len(some))
            found[some] = settled_costs(self.between, *every).reshape(-1, columns)
        return found

    def cheapest(self, prices: Floats, k: int) -> tuple[Ints, Floats]:
        """The best candidates of each class of records at these prices, and their bare costs."""
        return _best(self.between, prices, k)

    def cheapest_rows(self, prices: Floats, k: int) -> tuple[Ints, Floats]:
        """The same for each class of candidates."""
        found, _ = _best(self.between.reverse(), prices, k)
        there = found >= 0
        columns = np.broadcast_to(np.arange(len(found))[:, None], found.shape)
        costs = np.full(found.shape, np.inf)
        costs[there] = settled_costs(self.between, found[there], columns[there])
        return found, costs


@dataclass(frozen=True, repr=False, eq=False)
class MatchProbabilities:
    """How likely records of one class are matched with each row of another, pair by pair."""

    rows: Ints  # classes of records
    columns: Ints  # classes of candidates
    chance: Floats  # of each row of the column
    details: dict[str, Any]


def _best(finder: Comparer, prices: Floats, k: int) -> tuple[Ints, Floats]:
    """The best candidates of everybody; one at an infinite price is not for sale."""
    asking, asked = finder.sizes
    sold = np.flatnonzero(np.isfinite(prices))
    found, costs = np.full((asking, k), -1), np.full((asking, k), np.inf)
    if not len(sold):
        return found, costs
    some = finder if len(sold) == asked else finder.restrict(np.arange(asking), sold)
    rows = some.with_prices(prices[sold]).nearest(np.arange(asking), min(k, len(sold)), None).rows
    there = rows >= 0
    found[:, : rows.shape[1]] = np.where(there, sold[rows], -1)
    records = np.broadcast_to(np.arange(asking)[:, None], rows.shape)
    costs[:, : rows.shape[1]][there] = settled_costs(some, records[there], rows[there])
    return found, costs


def settled_costs(finder: Comparer, records: Ints, candidates: Ints) -> Floats:
    """What pairs cost, to ten digits: the rest is rounding, and must not choose among ties."""
    size, exponent = np.frexp(finder.costs(records, candidates))
    rounded: Floats = np.ldexp(np.rint(size * DIGITS) / DIGITS, exponent)
    return rounded


def pair_keys(rows: Ints, others: Ints, many: int) -> Ints:
    """Each pair as one number, by which pairs are sorted and found."""
    keys: Ints = rows * many + others
    return keys
