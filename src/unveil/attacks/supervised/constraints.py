"""Linkage as linear constraints: a record is linked where all of its rows are positive.

Torra, Record linkage approaches for dynamic database integration (2013), Equations 4 and 5: a row
is the cost of a competitor less the cost of the true candidate, linear in the parameters of the
distance. A competitor that ties is no farther, so its cost is lowered by the tie tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unveil.attacks.supervised.families import PairFeatures
from unveil.attacks.supervised.kernels.spans import linked_spans, tightest_rows
from unveil.support.arrays import Bools, Floats, Ints, Ints32
from unveil.support.threads import run_lines

ROW_ROUNDING = 1e-13  # a relative value of a row below this may be rounding
FEW_RECORDS = 4  # a part of the records this small is copied before its rows are looked at
LINE_ROUNDING = 1e-9  # a shorter piece of a line (relative), or fewer hits, may be rounding


@dataclass(frozen=True, repr=False, eq=False)
class LinkageConstraints:
    """The rows of all records, one record after another."""

    index: Ints32  # rows x coefficients: the parameters of a row
    value: Floats  # and their coefficients
    starts: Ints  # where each record's rows begin, and the end
    competitors: Ints  # the candidate of each row
    hit_value: Floats  # the expected hit of each record, if it is linked
    linkable: Bools  # whether any parameters may link it

    def __len__(self) -> int:
        return len(self.hit_value)

    @cached_property
    def owners(self) -> Ints:
        """The record of each row."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @property
    def total(self) -> float:
        """The hits if all linkable records were linked."""
        return float(self.hit_value[self.linkable].sum())

    def tightest(self, point: Floats, k: int = 1) -> tuple[Ints, Floats]:
        """The k tightest rows of each record, -1 for none, and their relative values."""
        rows, slack = np.empty((len(self), k), np.int64), np.empty((len(self), k))

        def work(first: int, end: int) -> None:
            of = self.starts[first : end + 1], point, rows[first:end], slack[first:end]
            tightest_rows(self.index, self.value, *of)

        run_lines(work, len(self), self.value.size)
        return rows, slack

    def tightest_of(self, records: Ints, point: Floats) -> tuple[Ints, Floats]:
        """The tightest row of some of the records, and its relative value."""
        if len(records) * FEW_RECORDS > len(self):
            rows, slack = self.tightest(point)
            return rows[records, 0], slack[records, 0]
        sizes = np.diff(self.starts)[records]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        own = np.repeat(self.starts[records] - starts[:-1], sizes) + np.arange(starts[-1])
        rows, slack = np.empty((len(records), 1), np.int64), np.empty((len(records), 1))
        tightest_rows(self.index[own], self.value[own], starts, point, rows, slack)
        return np.where(rows >= 0, np.append(own, -1)[rows], -1)[:, 0], slack[:, 0]

    def linked(self, point: Floats) -> Bools:
        """Which records these parameters link."""
        return (self.tightest(point)[1][:, 0] > ROW_ROUNDING) & self.linkable

    def hits(self, point: Floats) -> float:
        """The expected hits of these parameters."""
        return float(self.hit_value[self.linked(point)].sum())

    def best_on_line(
        self, point: Floats, direction: Floats, limits: tuple[float, float]
    ) -> tuple[float, float]:
        """The most hits along a line, and where: in the middle of the widest such piece.

        Each record is linked on one open interval; their sorted ends give the hits of each piece.
        """
        spans = np.empty((len(self), 2))
        linked_spans(self.index, self.value, self.starts, point, direction, *limits, spans)
        linked = (spans[:, 1] > spans[:, 0]) & self.linkable
        # Intervals are open: one that ends where another begins comes first.
        ends = np.concatenate([spans[linked, 1], spans[linked, 0]])
        change = np.concatenate([-self.hit_value[linked], self.hit_value[linked]])
        order = np.argsort(ends, kind="stable")
        ends, hits = ends[order], np.cumsum(change[order])
        width = np.diff(ends)
        wide = width > LINE_ROUNDING * np.maximum(np.abs(ends[:-1]), np.abs(ends[1:]))
        if not wide.any():
            return 0.0, 0.0
        most = float(hits[:-1][wide].max())
        best = np.flatnonzero(wide & (hits[:-1] > most - LINE_ROUNDING))
        piece = best[np.argmax(width[best])]
        return most, float((ends[piece] + ends[piece + 1]) / 2)

    def restrict(self, rows: Ints) -> LinkageConstraints:
        """The same records with some of their rows."""
        kept = PairFeatures(self.index[rows], self.value[rows])
        return self._with_rows(self.owners[rows], self.competitors[rows], kept)

    def extend(self, owners: Ints, competitors: Ints, rows: PairFeatures) -> LinkageConstraints:
        """The same records with more rows."""
        index = np.concatenate([self.index, rows.index])
        both = PairFeatures(index, np.concatenate([self.value, rows.value]))
        competitors = np.concatenate([self.competitors, competitors])
        return self._with_rows(np.concatenate([self.owners, owners]), competitors, both)

    def _with_rows(self, owners: Ints, competitors: Ints, rows: PairFeatures) -> LinkageConstraints:
        order = np.argsort(owners, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=len(self)))])
        index, value, competitors = rows.index[order], rows.value[order], competitors[order]
        return replace(self, index=index, value=value, starts=starts, competitors=competitors)

    def dense(self, rows: Ints | list[int], n_parameters: int) -> Floats:
        """Some rows as a matrix of rows x parameters."""
        matrix = np.zeros((len(rows), n_parameters))
        np.add.at(matrix, (np.arange(len(rows))[:, None], self.index[rows]), self.value[rows])
        return matrix
