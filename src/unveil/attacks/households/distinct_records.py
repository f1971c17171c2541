"""Records of two files as classes of indistinguishable records, and their households."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from unveil.attacks.matched.comparer import Comparer
from unveil.support.arrays import Floats, Ints, consecutive
from unveil.support.equal_rows import EqualRows
from unveil.support.options import Progress
from unveil.table.households import Homes
from unveil.values.search_results import Neighbours


class NearClasses(NamedTuple):
    """The nearest classes of some classes, with the least that all others cost."""

    near: Neighbours
    costs: Floats  # of these, infinite where there is none
    least: Floats  # of a class that is not listed


@dataclass(frozen=True, repr=False, eq=False)
class DistinctRecords:
    """Records of two files, each as the class of records that no comparison can distinguish.

    A missing cell has its average cost over the classes, whichever records are taken.
    """

    comparer: Comparer  # of classes
    queries: Ints  # the class of each record
    base: Ints

    @classmethod
    def of(cls, finder: Comparer) -> DistinctRecords:
        """The classes of the records that a finder compares."""
        first, second = finder.equal_rows()
        comparer = finder.restrict(first.firsts, second.firsts)
        return cls(comparer, first.of_record(), second.of_record())

    def costs(self, records: Ints, candidates: Ints) -> Floats:
        """The cost of each pair of records."""
        return self.comparer.costs(self.queries[records], self.base[candidates])

    def take(self, records: Ints, candidates: Ints) -> DistinctRecords:
        """Some records of each file, at the same costs."""
        return replace(self, queries=self.queries[records], base=self.base[candidates])

    def reverse(self) -> DistinctRecords:
        """The same with candidates as queries."""
        return DistinctRecords(self.comparer.reverse(), self.base, self.queries)

    def scale_costs(self, rate: float) -> DistinctRecords:
        """The same with all costs multiplied by a rate."""
        return replace(self, comparer=self.comparer.scale_costs(rate))

    def nearest(self, classes: Ints, k: int, progress: Progress | None) -> NearClasses:
        """The k nearest classes of candidates of some classes of queries."""
        n_candidates = self.comparer.sizes[1]
        near = self.comparer.nearest(classes, min(k, n_candidates), progress)
        record, column = np.nonzero(near.rows >= 0)
        costs = np.full(near.rows.shape, np.inf)
        costs[record, column] = self.comparer.costs(classes[record], near.rows[record, column])
        least: Floats = np.full(len(classes), np.inf) if k >= n_candidates else costs[:, -1]
        return NearClasses(near, costs, least)


def equal_households(
    homes: Homes, member_classes: Ints | None, shared_classes: Ints | None
) -> EqualRows:
    """Households with equal members and equal shared cells.

    >>> homes = Homes(np.array([0, 0, 1, 1, 2]))
    >>> equal_households(homes, np.array([5, 7, 7, 5, 5]), None).of_record().tolist()
    [1, 1, 0]
    """
    kinds, first_kind = np.empty(len(homes), np.int64), 0
    for size in np.unique(homes.sizes):
        same = np.flatnonzero(homes.sizes == size)
        cells = [np.zeros((len(same), 1), np.int64)]
        if member_classes is not None:
            rows = homes.order[homes.starts[same][:, None] + np.arange(size)]
            cells.append(np.sort(member_classes[rows], axis=1))
        if shared_classes is not None:
            cells.append(shared_classes[same][:, None])
        _, kind = np.unique(np.hstack(cells), axis=0, return_inverse=True)
        kinds[same] = first_kind + kind.reshape(-1)
        first_kind = int(kinds[same].max()) + 1
    order = np.argsort(kinds, kind="stable")
    return EqualRows(order, np.append(0, np.cumsum(np.bincount(kinds))))


def members_of(homes: Homes, which: Ints) -> tuple[Ints, Ints]:
    """The members of some households: the place of the household, and the row."""
    sizes = homes.sizes[which]
    rows = homes.order[consecutive(homes.starts[which], sizes)]
    return np.repeat(np.arange(len(which)), sizes), rows
