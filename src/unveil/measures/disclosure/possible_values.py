"""Possible values: from the least to the greatest number, or category, that a cell may hold."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from unveil.support.arrays import Bools, Floats, Ints
from unveil.table.cells import write_range, write_set
from unveil.table.columns import labels_of, stored_as
from unveil.table.encoding.generalised import bounds, code_sets
from unveil.table.encoding.shared_attributes import common_categories, recode_like_release
from unveil.table.encoding.to_columns import labelled
from unveil.table.households import Homes
from unveil.table.microdata import Microdata
from unveil.values.file_pair import FilePair
from unveil.values.single_values import hidden_cells

MOST_DECIMALS = 6  # of numbers that come back to the last digit from a sum


@dataclass(frozen=True, repr=False, eq=False)
class PossibleValues:
    """The range of possible values of each cell of a column: numbers, or codes of categories."""

    lower: Floats  # minus infinity if the cell is missing
    upper: Floats
    decimals: int | None  # the most that numbers of the original have; None: more than 6
    categories: tuple[str, ...] | None = None  # None: numbers

    @property
    def exact(self) -> Bools:
        """Whether one value is left."""
        one: Bools = self.lower == self.upper
        return one

    @property
    def single(self) -> Floats:
        """The value of each exact cell; NaN elsewhere."""
        return np.where(self.exact, self.lower, np.nan)

    @property
    def keys(self) -> Ints:
        """Whole numbers, equal where exact cells are; -1 elsewhere."""
        return np.where(self.exact, np.unique(self.lower, return_inverse=True)[1], -1)

    @property
    def empty(self) -> Bools:
        """Whether no value is left."""
        none: Bools = self.lower > self.upper
        return none

    def within(self, lower: Floats, upper: Floats) -> PossibleValues:
        """The values that are within other ends, too."""
        return replace(
            self, lower=np.maximum(self.lower, lower), upper=np.minimum(self.upper, upper)
        )

    def shared(self, groups: Homes) -> PossibleValues:
        """The values that all cells of a group may hold."""
        starts, group = groups.starts[:-1], groups.of_record
        lower = np.maximum.reduceat(self.lower[groups.order], starts)[group]
        return replace(
            self, lower=lower, upper=np.minimum.reduceat(self.upper[groups.order], starts)[group]
        )

    def differs(self, other: PossibleValues) -> Bools:
        """Whether these ranges differ from those of another."""
        differs: Bools = (self.lower != other.lower) | (self.upper != other.upper)
        return differs

    def where(self, rows: Bools, other: PossibleValues) -> PossibleValues:
        """These values in some rows, others elsewhere."""
        lower = np.where(rows, self.lower, other.lower)
        return replace(self, lower=lower, upper=np.where(rows, self.upper, other.upper))

    def fill(self, data: Microdata, column: str, rows: Bools) -> pl.Series:
        """A column with these cells in some rows; in one of single values, exact cells only."""
        before, chosen = data.column(column), np.flatnonzero(rows)
        if data.schema[column].generalised:
            return labels_of(before).clone().scatter(chosen, self._texts(data, column, chosen))
        chosen = np.flatnonzero(rows & self.exact)
        values = self.lower[chosen]
        if self.categories is None:
            cells = pl.Series(values).cast(before.dtype, strict=False)
            held = cells.cast(pl.Float64).to_numpy() == values  # NaN where it is null
            return before.clone().scatter(chosen[held], cells.filter(held))
        names = pl.Series(self.categories).gather(values.astype(np.int64))
        filled = labelled(before, labels_of(before).clone().scatter(chosen, names))
        return before if filled is None else filled

    def _texts(self, data: Microdata, column: str, rows: Ints) -> list[str]:
        """Cells of a generalised column; of a set, the categories that are left."""
        ends = self.lower[rows], self.upper[rows]
        if self.categories is None:
            labels = [
                labels_of(pl.Series(side).set(pl.Series(np.isinf(side)), None)) for side in ends
            ]
            return [
                low if low == high else write_range(low, high)
                for low, high in zip(*labels, strict=True)
            ]
        sets, texts = code_sets(data, column, self.categories), []
        for cell, low, high in zip(sets.cell[rows].tolist(), *ends, strict=True):
            members = sets.members[sets.starts[cell] : sets.starts[cell + 1]]
            codes = members if cell >= 0 else np.arange(len(self.categories))
            left = codes[(codes >= low) & (codes <= high)]
            texts.append(write_set([self.categories[code] for code in left]))
        return texts


def possible_values(pair: FilePair, column: str) -> list[PossibleValues]:
    """The possible values of the cells of a column, in the original and in the release.

    The original's categories are merged as the release merges them. A set of categories is from
    its first to its last.
    """
    files = recode_like_release(pair.release, pair.original, [column]), pair.release
    plain = {stored_as(one.column(column)) for one in files if not one.schema[column].generalised}
    if pair.level(column) == "numeric" and plain <= {"numbers", "whole numbers"}:
        ends = [bounds(data, column) for data in files]
        numbers = ends[0].lower[ends[0].lower == ends[0].upper]
        tried = (n for n in range(MOST_DECIMALS + 1) if (np.round(numbers, n) == numbers).all())
        decimals = next(tried, None)
        return [
            PossibleValues(
                np.where(side.present, side.lower, -np.inf),
                np.where(side.present, side.upper, np.inf),
                decimals,
            )
            for side in ends
        ]
    categories, cells = common_categories(*files, column), []
    for data in files:
        sets = code_sets(data, column, categories)
        spans = np.full((len(sets.starts), 2), np.inf) * (-1, 1)
        for at in np.flatnonzero(np.diff(sets.starts)).tolist():  # the last is of missing cells
            spans[at] = sets.members[[sets.starts[at], sets.starts[at + 1] - 1]]
        spans_of = np.where(hidden_cells(data, column)[:, None], spans[-1], spans[sets.cell])
        cells.append(PossibleValues(spans_of[:, 0], spans_of[:, 1], 0, categories))
    return cells
