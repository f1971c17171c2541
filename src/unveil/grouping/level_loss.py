"""What is lost where attributes are at some levels and some records are left out.

A loss has bounds, so that a search need not look at every choice of levels: `floor` and `above` are
no more than what is lost at these levels or any higher ones, whoever is left out there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

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
    sizes: Ints  # how many records each class has


class LevelLoss(Protocol):
    """What is lost, and how little it can be."""

    def floor(self, shape: tuple[int, ...]) -> Floats:
        """The least that can be lost at all levels, before anything is counted."""

    def of(self, cut: CodedClasses, broken: Bools) -> float:
        """What is lost where the records of some classes are left out."""

    def above(self, cut: CodedClasses) -> float:
        """The least that is lost at these levels or higher ones."""

    def more_below(self, cut: CodedClasses, broken: Bools) -> float:
        """How much more than the floor is lost below, where those classes are left out too."""


@dataclass(frozen=True, repr=False, eq=False)
class CellLoss(LevelLoss):
    """A sum over cells: each costs what its value does at its level, and no less at a higher one.

    A cell of a record that is left out costs what `lost` says, and no cell costs more. So all
    cells together, were they all released, are a floor. A record that is left out at some levels
    is left out at lower ones, too: what it costs more than its cells is lost there besides.

    >>> from unveil.grouping.rollup import RolledRows
    >>> rows = RolledRows.of([np.array([[0], [0], [1]])])
    >>> cost = np.array([[0.0, 0.0], [0.5, 0.0]])
    >>> CellLoss.of_values(rows, [cost], np.ones(1)).floor((2,)).round(3).tolist()
    [0.0, 0.333]
    """

    costs: tuple[Floats, ...]  # of each attribute, levels x values
    lost: Floats  # of each attribute
    levels: tuple[Floats, ...]  # of each attribute, what its cells cost at each level
    n: int

    @classmethod
    def of_values(cls, rows: RolledRows, costs: Sequence[Floats], lost: Floats) -> CellLoss:
        """The costs of these rows."""
        records, n = rows.counts[:, 0], int(rows.counts[:, 0].sum())
        each = [
            np.array([(one[own] * records).sum() / n for one in cost])
            for cost, own in zip(costs, rows.values, strict=True)
        ]
        return cls(tuple(costs), lost, tuple(each), n)

    def floor(self, shape: tuple[int, ...]) -> Floats:
        """All cells at their levels."""
        total = np.zeros(shape)
        for place, each in enumerate(self.levels):
            along = [1] * len(shape)
            along[place] = -1
            total += each[: shape[place]].reshape(along)
        return total

    def of(self, cut: CodedClasses, broken: Bools) -> float:
        """All cells, and what those left out cost more."""
        cells = 0.0
        for each, level in zip(self.levels, cut.levels, strict=True):
            cells += float(each[level])
        return cells + self.more_below(cut, broken)

    def above(self, cut: CodedClasses) -> float:  # noqa: ARG002
        """The floor says it already."""
        return 0.0

    def more_below(self, cut: CodedClasses, broken: Bools) -> float:
        """What the cells of those left out cost more than at these levels."""
        gone = np.flatnonzero(broken[cut.labels] & (cut.rows.counts[:, 0] > 0))
        if not len(gone):
            return 0.0
        more = np.full(len(gone), self.lost.sum())
        for cost, level, own in zip(self.costs, cut.levels, cut.rows.values[:, gone], strict=True):
            more -= cost[level][own]
        return float((more * cut.rows.counts[gone, 0]).sum()) / self.n


class Discernibility(LevelLoss):
    """For each record how many share its class; for one that is left out, how many there are.

    Bayardo and Agrawal, Data privacy through optimal k-anonymization (2005), Section 4.1.
    """

    def floor(self, shape: tuple[int, ...]) -> Floats:
        """Nothing is known before classes are counted."""
        return np.zeros(shape)

    def of(self, cut: CodedClasses, broken: Bools) -> float:
        """The sum over the records."""
        n = float(cut.sizes.sum())
        return float((cut.sizes[~broken].astype(np.float64) ** 2).sum() + n * _gone(cut, broken))

    def above(self, cut: CodedClasses) -> float:
        """Classes grow, and whoever is left out counts for more."""
        return float((cut.sizes.astype(np.float64) ** 2).sum())

    def more_below(self, cut: CodedClasses, broken: Bools) -> float:  # noqa: ARG002
        """No floor to add to."""
        return 0.0


@dataclass(frozen=True, repr=False, eq=False)
class ClassSize(LevelLoss):
    """All records over the released classes, those left out being in none; in multiples of k.

    LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity (2006), Section 2.2.
    """

    k: int

    def floor(self, shape: tuple[int, ...]) -> Floats:
        """Classes of k."""
        return np.ones(shape)

    def of(self, cut: CodedClasses, broken: Bools) -> float:
        """Records over classes."""
        classes = int(((cut.sizes > 0) & ~broken).sum())
        return float(cut.sizes.sum()) / (classes * self.k) if classes else np.inf

    def above(self, cut: CodedClasses) -> float:
        """Classes do not become more."""
        return float(cut.sizes.sum()) / (int((cut.sizes > 0).sum()) * self.k)

    def more_below(self, cut: CodedClasses, broken: Bools) -> float:  # noqa: ARG002
        """No floor to add to."""
        return 0.0


def _gone(cut: CodedClasses, broken: Bools) -> int:
    return int(cut.sizes[broken].sum())
