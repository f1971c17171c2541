"""Linking as inequalities: a record is linked where all of its rows are positive.

Torra, Record linkage approaches for dynamic database integration (2013), Equations 4 and 5: a row
is what a competitor costs less what the true record costs, a linear function of the parameters of
the distance. A competitor that is as near, but for what rounding may have done, is no farther: so
rows are of a little less than what it costs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unveil.attacks.supervised.kernels.spans import least_rows, least_values, linked_spans
from unveil.support.arrays import Bools, Floats, Ints, Ints32

CLEAR = 1e-13  # of what a row is made of: less than this may be rounding
ENOUGH = 1e-9  # of a line: what is linked on a shorter piece may be so by rounding only


@dataclass(frozen=True, repr=False, eq=False)
class LinkageConstraints:
    """The rows of all records, one record after another."""

    index: Ints32  # rows x few: the parameters that a row depends on
    value: Floats  # and by how much
    starts: Ints  # where each record's rows begin, and the end
    rivals: Ints  # the candidate that each row is about
    worth: Floats  # what it counts to link a record
    possible: Bools  # whether anything can link it

    def __len__(self) -> int:
        return len(self.worth)

    @cached_property
    def owners(self) -> Ints:
        """The record of each row."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @property
    def total(self) -> float:
        """What it would count to link everybody who can be linked."""
        return float(self.worth[self.possible].sum())

    def least(self, point: Floats) -> tuple[Floats, Ints]:
        """The least of each record's rows, and which that is; -1 where it has none."""
        least, rows = np.empty(len(self)), np.empty(len(self), np.int64)
        least_values(self.index, self.value, self.starts, point, least, rows)
        return least, rows

    def linked(self, point: Floats) -> Bools:
        """Who is linked by these parameters."""
        return (self.least(point)[0] > CLEAR) & self.possible

    def count(self, point: Floats) -> float:
        """What these parameters link."""
        return float(self.worth[self.linked(point)].sum())

    def along(
        self, point: Floats, direction: Floats, limits: tuple[float, float]
    ) -> tuple[float, float]:
        """The most that is linked along a line, and where: in the middle of the widest such piece.

        Each record is linked on one interval. Their ends, in order, say how many are where.
        """
        spans = np.empty((len(self), 2))
        linked_spans(self.index, self.value, self.starts, point, direction, *limits, spans)
        there = (spans[:, 1] > spans[:, 0]) & self.possible
        # One that ends where another begins comes first: intervals are open.
        ends = np.concatenate([spans[there, 1], spans[there, 0]])
        change = np.concatenate([-self.worth[there], self.worth[there]])
        order = np.argsort(ends, kind="stable")
        ends, count = ends[order], np.cumsum(change[order])
        width = np.diff(ends)
        wide = width > ENOUGH * np.maximum(np.abs(ends[:-1]), np.abs(ends[1:]))
        if not wide.any():
            return 0.0, 0.0
        most = float(count[:-1][wide].max())
        best = np.flatnonzero(wide & (count[:-1] > most - ENOUGH))
        place = best[np.argmax(width[best])]
        return most, float((ends[place] + ends[place + 1]) / 2)

    def tightest(self, point: Floats, many: int) -> Ints:
        """The rows of each record that are least at a point, so many at most, least first."""
        rows = np.empty((len(self), many), np.int64)
        least_rows(self.index, self.value, self.starts, point, rows, np.empty(many))
        return rows[rows >= 0]

    def only(self, rows: Ints) -> LinkageConstraints:
        """The same records with some of their rows."""
        rows = rows[np.argsort(self.owners[rows], kind="stable")]
        counts = np.bincount(self.owners[rows], minlength=len(self))
        return replace(
            self,
            index=self.index[rows],
            value=self.value[rows],
            starts=np.concatenate([[0], np.cumsum(counts)]),
            rivals=self.rivals[rows],
        )

    def dense(self, which: Ints | list[int], size: int) -> Floats:
        """Some rows, with a number for each of so many parameters."""
        found = np.zeros((len(which), size))
        np.add.at(found, (np.arange(len(which))[:, None], self.index[which]), self.value[which])
        return found

    def joined(
        self, owners: Ints, rivals: Ints, index: Ints32, value: Floats
    ) -> LinkageConstraints:
        """These and more rows, of such records."""
        order = np.argsort(np.concatenate([self.owners, owners]), kind="stable")
        counts = np.bincount(owners, minlength=len(self))
        return replace(
            self,
            index=np.concatenate([self.index, index])[order],
            value=np.concatenate([self.value, value])[order],
            starts=self.starts + np.concatenate([[0], np.cumsum(counts)]),
            rivals=np.concatenate([self.rivals, rivals])[order],
        )
