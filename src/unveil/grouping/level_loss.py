"""Information loss where attributes are at some levels and some records are left out.

A loss has bounds, so that a search need not count every choice of levels: `floor` and `above` are
no more than the loss at these levels or any higher ones, whichever records are left out there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unveil.grouping.rollup import RolledRows
from unveil.support.arrays import Bools, Floats, Ints

Levels = Sequence[int]


@dataclass(frozen=True, repr=False, eq=False)
class CodedClasses:
    """The classes of some rows where every attribute is at a level."""

    rows: RolledRows
    levels: Levels
    labels: Ints  # the class of each row
    sizes: Ints  # the records of each class


class LevelLoss(ABC):
    """The information loss of a choice of levels, with bounds for the search."""

    def floor(self, shape: tuple[int, ...]) -> Floats:
        """A lower bound at all levels, before any class is counted."""
        return np.zeros(shape)

    @abstractmethod
    def total(self, cut: CodedClasses, broken: Bools) -> float:
        """The loss where the records of the broken classes are left out."""

    def above(self, cut: CodedClasses) -> float:  # noqa: ARG002
        """A lower bound at these levels and all higher ones."""
        return 0.0

    def more_below(self, cut: CodedClasses, broken: Bools) -> float:  # noqa: ARG002
        """The least loss beyond the floor at all lower levels, where `broken` are left out too."""
        return 0.0


@dataclass(frozen=True, repr=False, eq=False)
class CellLoss(LevelLoss):
    """A sum over cells: each costs what its value does at its level, and no less at a higher one.

    A cell of an omitted record costs `omitted`, and no cell costs more. So the sum over all
    cells, as if all were released, is a floor. A record that is omitted at some levels is omitted
    at lower ones, too, so that its additional cost arises there as well.
    """

    costs: tuple[Floats, ...]  # of each attribute, levels x values
    omitted: Floats  # cost of a cell of each attribute
    levels: tuple[Floats, ...]  # of each attribute, the cost of its cells at each level
    n: int

    @classmethod
    def from_rows(cls, rows: RolledRows, costs: Sequence[Floats], omitted: Floats) -> CellLoss:
        """The costs of these rows."""
        records, n = rows.counts[:, 0], int(rows.counts[:, 0].sum())
        levels = [
            np.array([(at_level[values] * records).sum() / n for at_level in cost])
            for cost, values in zip(costs, rows.values, strict=True)
        ]
        return cls(tuple(costs), omitted, tuple(levels), n)

    def floor(self, shape: tuple[int, ...]) -> Floats:
        total = np.zeros(shape)
        for place, costs in enumerate(self.levels):
            along = [1] * len(shape)
            along[place] = -1
            total += costs[: shape[place]].reshape(along)
        return total

    def total(self, cut: CodedClasses, broken: Bools) -> float:
        cells = 0.0
        for costs, level in zip(self.levels, cut.levels, strict=True):
            cells += float(costs[level])
        return cells + self.more_below(cut, broken)

    def more_below(self, cut: CodedClasses, broken: Bools) -> float:
        """The additional cost of the cells left out."""
        gone = np.flatnonzero(broken[cut.labels] & (cut.rows.counts[:, 0] > 0))
        if not len(gone):
            return 0.0
        more = np.full(len(gone), self.omitted.sum())
        for cost, level, own in zip(self.costs, cut.levels, cut.rows.values[:, gone], strict=True):
            more -= cost[level][own]
        return float((more * cut.rows.counts[gone, 0]).sum()) / self.n


class Discernibility(LevelLoss):
    """For each record the size of its class; for one that is left out, the number of records.

    Bayardo and Agrawal, Data privacy through optimal k-anonymization (2005), Section 4.1.
    """

    def total(self, cut: CodedClasses, broken: Bools) -> float:
        n, left_out = float(cut.sizes.sum()), int(cut.sizes[broken].sum())
        return float((cut.sizes[~broken].astype(np.float64) ** 2).sum() + n * left_out)

    def above(self, cut: CodedClasses) -> float:
        """Classes grow, and a record that is left out counts for more."""
        return float((cut.sizes.astype(np.float64) ** 2).sum())


@dataclass(frozen=True, repr=False, eq=False)
class ClassSize(LevelLoss):
    """All records over the released classes, those left out being in none; in multiples of k.

    LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity (2006), Section 2.2.
    """

    k: int

    def floor(self, shape: tuple[int, ...]) -> Floats:
        """Classes of k."""
        return np.ones(shape)

    def total(self, cut: CodedClasses, broken: Bools) -> float:
        classes = int(((cut.sizes > 0) & ~broken).sum())
        return float(cut.sizes.sum()) / (classes * self.k) if classes else np.inf

    def above(self, cut: CodedClasses) -> float:
        """The number of classes does not grow."""
        return float(cut.sizes.sum()) / (int((cut.sizes > 0).sum()) * self.k)
