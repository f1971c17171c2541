"""Matching: whom a record is linked with, when the others have a say in it.

Every attack can be asked three ways: each record takes the nearest; all are matched one to one
at the least total cost; or each takes whom it has most often in a random matching.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from unveil.data.links import Finder

if TYPE_CHECKING:
    from unveil.data.encode import Floats, Ints
    from unveil.data.progress import Progress
    from unveil.engines.index import Groups


class Comparer(Finder, Protocol):
    """A finder that can be asked what single pairs cost, and with candidates at a price."""

    @property
    def sizes(self) -> tuple[int, int]:
        """How many records there are, and how many candidates."""

    @property
    def degrees(self) -> float | None:
        """In how many directions a pair may differ; none where costs are log-likelihoods."""

    def alike(self) -> tuple[Groups, Groups]:
        """Records, and candidates, that no pair of them can tell apart."""

    def some(self, records: Ints, candidates: Ints) -> Comparer:
        """The same among some records and some candidates."""

    def priced(self, prices: Floats) -> Comparer:
        """The same where each candidate costs so much more."""

    def turned(self) -> Comparer:
        """The same where the candidates look for the records."""

    def scaled(self, rate: float) -> Comparer:
        """The same where everything costs so many times as much."""

    def costs(self, records: Ints, candidates: Ints) -> Floats:
        """What pairs cost."""

    def log_sums(self, records: Ints, error: float) -> Floats:
        """The log of the sum of exp(-cost) over the candidates of each record."""


class Classes(NamedTuple):
    """Records, or candidates, that are the same, together."""

    of: Ints  # the class of each
    first: Ints  # one of each class
    size: Ints
    members: Ints  # class after class, ascending in each
    starts: Ints  # where each class begins among the members

    @classmethod
    def from_groups(cls, groups: Groups) -> Classes:
        """In the order of the groups, which is that of their contents."""
        of = groups.of_record()
        size = np.diff(groups.starts)
        members = np.argsort(of, kind="stable")
        return cls(of, members[groups.starts[:-1]], size, members, groups.starts)


class Pairing:
    """The classes of an attack's records and candidates, compared with each other."""

    def __init__(self, finder: Comparer) -> None:
        records, candidates = finder.alike()
        self.records = Classes.from_groups(records)
        self.candidates = Classes.from_groups(candidates)
        self.between = finder.some(self.records.first, self.candidates.first)

    @property
    def shape(self) -> tuple[int, int]:
        """How many classes there are on each side."""
        return len(self.records.first), len(self.candidates.first)

    def all_costs(self) -> Floats:
        """What every pair of classes costs."""
        rows, columns = self.shape
        every = np.repeat(np.arange(rows), columns), np.tile(np.arange(columns), rows)
        return self.between.costs(*every).reshape(rows, columns)

    def cheapest(
        self, prices: Floats, k: int, progress: Progress | None = None
    ) -> tuple[Ints, Floats]:
        """The best candidates of each class of records at these prices, and their bare costs."""
        return _best(self.between, prices, min(k, self.shape[1]), progress)

    def cheapest_rows(
        self, prices: Floats, k: int, progress: Progress | None = None
    ) -> tuple[Ints, Floats]:
        """The same for each class of candidates."""
        return _best(self.between.turned(), prices, min(k, self.shape[0]), progress)


@dataclass(frozen=True, repr=False, eq=False)
class Outcome:
    """How likely records of one class are matched with each row of another, pair by pair."""

    rows: Ints  # classes of records
    columns: Ints  # classes of candidates
    chance: Floats  # of each row of the column
    details: dict[str, Any]


def _best(
    finder: Comparer, prices: Floats, k: int, progress: Progress | None
) -> tuple[Ints, Floats]:
    asking, _ = finder.sizes
    found = finder.priced(prices).nearest(np.arange(asking), k, progress)
    there = found.rows >= 0
    costs = np.where(there, found.scores - prices[np.maximum(found.rows, 0)], np.inf)
    return found.rows, costs


def pair_keys(rows: Ints, others: Ints, many: int) -> Ints:
    """Each pair as one number, by which pairs are sorted and found."""
    keys: Ints = rows * many + others
    return keys
