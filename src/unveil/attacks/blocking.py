"""Blocking: records are compared only with records that are equal in unmasked attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unveil.engines.blocks import Blocks
from unveil.support.arrays import Ints
from unveil.table.encoding.shared_attributes import common_categories, common_level, common_numbers
from unveil.table.encoding.to_arrays import codes
from unveil.table.microdata import Microdata


@dataclass(frozen=True, repr=False, eq=False)
class RecordBlocks:
    """The block of each record of both files: a number for its combination of cells."""

    intruder: Ints
    released: Ints
    cells: Ints  # blocks x attributes, as codes; -1 is missing and equals any
    columns: tuple[str, ...]

    def take(self, intruder: Ints, released: Ints) -> RecordBlocks:
        """The blocks of some records of each file."""
        return replace(self, intruder=self.intruder[intruder], released=self.released[released])

    @cached_property
    def between(self) -> Blocks:
        """Which released rows each of the intruder's records is compared with."""
        return Blocks(self.intruder, self.released, self.cells)


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
