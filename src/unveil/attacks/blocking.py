"""Blocking: records are compared only with records that are equal in unmasked attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unveil.support.arrays import Bools, Ints
from unveil.table.encoding.shared_attributes import common_categories, common_level, common_numbers
from unveil.table.encoding.to_arrays import codes
from unveil.table.microdata import Microdata
from unveil.values.links import ComparisonBlock


@dataclass(frozen=True, repr=False, eq=False)
class RecordBlocks:
    """The block of each record of both files: a number for its combination of cells.

    A missing cell is compatible with any: its record belongs to every block that its other cells
    allow.
    """

    intruder: Ints
    released: Ints
    cells: Ints  # blocks x attributes, as codes; -1 is missing
    columns: tuple[str, ...]

    @property
    def has_missing(self) -> bool:
        """Whether any cell is missing."""
        return bool((self.cells < 0).any())

    def take(self, intruder: Ints, released: Ints) -> RecordBlocks:
        """The blocks of some records of each file."""
        return replace(self, intruder=self.intruder[intruder], released=self.released[released])

    def n_candidates(self, queries: Ints, base: Ints) -> Ints:
        """The number of base rows that each query is compared with, given their blocks."""
        sizes = np.bincount(base, minlength=len(self.cells))
        if not self.has_missing:
            return sizes[queries]
        blocks, place = np.unique(queries, return_inverse=True)
        totals: Ints = np.array([sizes[self._compatible(block)].sum() for block in blocks.tolist()])
        return totals[place]

    def comparison_blocks(self, queries: Ints, base: Ints, records: Ints) -> list[ComparisonBlock]:
        """The records by block, each with the base rows that it is compared with."""
        order = np.argsort(base, kind="stable")
        starts = np.searchsorted(base[order], np.arange(len(self.cells) + 1))
        blocks = queries[records]
        by_block = np.argsort(blocks, kind="stable")
        found = []
        for members in np.split(by_block, np.flatnonzero(np.diff(blocks[by_block])) + 1):
            compatible = self._compatible(int(blocks[members[0]]))
            rows = np.concatenate([order[starts[b] : starts[b + 1]] for b in compatible])
            found.append(ComparisonBlock(members, np.sort(rows)))
        return found

    def compatible(self, first: Ints, second: Ints) -> Bools:
        """Whether the records of two blocks may be equal."""
        a, b = self.cells[first], self.cells[second]
        equal: Bools = ((a == b) | (a < 0) | (b < 0)).all(axis=1)
        return equal

    @cached_property
    def _incomplete(self) -> Ints:
        return np.flatnonzero((self.cells < 0).any(axis=1))

    def _compatible(self, block: int) -> Ints:
        """The blocks whose records may be equal to those of this one."""
        missing = (self.cells[block] < 0).any()
        if not (missing or len(self._incomplete)):
            return np.array([block])
        others = np.arange(len(self.cells)) if missing else np.append(self._incomplete, block)
        return others[self.compatible(np.full(len(others), block), others)]


def block_records(intruder: Microdata, released: Microdata, columns: Sequence[str]) -> RecordBlocks:
    """Number the combinations of cells of both files; without columns there is one block."""
    number = np.zeros(len(intruder) + len(released), np.int64)
    coded = [_coded(intruder, released, column) for column in columns]
    for cells in coded:
        width = int(cells.max(initial=-1)) + 2
        number = np.unique(number * width + cells + 1, return_inverse=True)[1]
    _, first = np.unique(number, return_index=True)
    shown = np.array([cells[first] for cells in coded], np.int64)
    return RecordBlocks(
        number[: len(intruder)],
        number[len(intruder) :],
        shown.reshape(len(columns), len(first)).T,
        tuple(columns),
    )


def _coded(intruder: Microdata, released: Microdata, column: str) -> Ints:
    """The cells of one column of both files, one after the other, as codes; -1 is missing."""
    if common_level(intruder, released, column) == "numeric":
        values = np.concatenate(common_numbers(intruder, released, column=column))
        coded = np.full(len(values), -1)
        present = ~np.isnan(values)
        coded[present] = np.unique(values[present], return_inverse=True)[1]
        return coded
    listed = common_categories(intruder, released, column)
    sides = [codes(data, column, listed).codes for data in (intruder, released)]
    return np.concatenate(sides).astype(np.int64)
