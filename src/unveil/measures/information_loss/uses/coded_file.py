"""Coded files: the columns of a file over the cells of the original, with its design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unveil.measures.information_loss.uses.cells import CodedColumn, ColumnCells
from unveil.measures.information_loss.uses.design import Design
from unveil.support.arrays import Floats, Ints


@dataclass(frozen=True, repr=False, eq=False)
class CodedFile:
    """A file as shares of cells; what several uses need is computed once."""

    cells: Mapping[str, ColumnCells]
    coded: Mapping[str, CodedColumn]
    design: Design

    def take(self, rows: Ints) -> CodedFile:
        """Some of the records, in this order."""
        coded = {name: column.take(rows) for name, column in self.coded.items()}
        return CodedFile(self.cells, coded, self.design.take(rows))

    @cached_property
    def weight_left(self) -> Floats:
        """The weight of all records, and of those that remain without each group."""
        return self.design.left_out(self.design.group_sums(self.design.weight))

    def distribution(self, name: str) -> Floats:
        """The share of each fine cell, of all records and without each group."""
        column, design = self.coded[name], self.design
        n = len(column.shares)
        counts = np.bincount(
            design.group * n + column.cell, design.weight, minlength=design.groups * n
        )
        totals = counts.reshape(design.groups, n) @ column.shares
        return design.left_out(totals) / self.weight_left[:, None]

    def fine_means(self, name: str, values: Floats) -> Floats:
        """The expected value of each record, of a value for each fine cell."""
        column = self.coded[name]
        return (column.shares @ values)[column.cell]

    def classes(self, columns: Sequence[str]) -> Floats:
        """The shares of the classes of some columns, side by side: records x classes."""
        return np.concatenate([self._classes[name] for name in columns], axis=1)

    @cached_property
    def _classes(self) -> dict[str, Floats]:
        found = {}
        for name, column in self.coded.items():
            classes = self.cells[name].class_of
            found[name] = (column.shares @ np.eye(classes.max() + 1)[classes])[column.cell]
        return found


def class_starts(cells: Mapping[str, ColumnCells], columns: Sequence[str]) -> Ints:
    """Where the classes of each column begin among those of all, and the end."""
    return np.cumsum([0, *(int(cells[name].class_of.max()) + 1 for name in columns)])
