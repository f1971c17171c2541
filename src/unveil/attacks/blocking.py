"""Blocking: records are compared only with records that are equal in unmasked attributes.

A block is a column, or a key of its cells: their Soundex code, first characters, year.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from unveil.attacks.comparators.text_keys import DATE_FORMS, DATE_PARTS, date_parts, folded, soundex
from unveil.engines.blocks import Blocks
from unveil.errors import DataError
from unveil.support.arrays import Ints
from unveil.table.columns import first_row, labels_of
from unveil.table.encoding.shared_attributes import common_categories, common_level, common_numbers
from unveil.table.encoding.to_arrays import codes
from unveil.table.microdata import Microdata
from unveil.values.block_keys import split_block
from unveil.wording import count


@dataclass(frozen=True, repr=False, eq=False)
class RecordBlocks:
    """The block of each record of both files: a number for its combination of cells."""

    intruder: Ints
    released: Ints
    cells: Ints  # blocks x attributes, as codes; -1 is missing and equals any
    columns: tuple[str, ...]  # or a column and a key, as "surname:soundex"
    attributes: tuple[str, ...]  # the columns alone

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
    keyed = [split_block(block, released.columns) for block in columns]
    coded = [
        _keyed(intruder, released, column, key) if key else _coded(intruder, released, column)
        for column, key in keyed
    ]
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
        tuple(dict.fromkeys(column for column, _ in keyed)),
    )


def _keyed(intruder: Microdata, released: Microdata, column: str, key: str) -> Ints:
    """The keys of one column's cells in both files, one after the other, as codes."""
    labels = [labels_of(data.column(column)) for data in (intruder, released)]
    texts = {label: folded(label) for side in labels for label in side.drop_nulls().unique()}
    found = {label: _key(text, key) if text else "" for label, text in texts.items()}
    keys = {label: own for label, own in found.items() if own is not None}
    wrong = [label for label in found if label not in keys]
    for side, file in zip(labels, ("original", "release"), strict=True):
        unread = side.is_in(wrong).fill_null(False)
        if unread.any():
            raise DataError(
                f"blocks: column '{column}' of the {file} has "
                f"{count(int(unread.sum()), 'cell')}, the first in row {first_row(unread):,}: no "
                f"date; write dates {DATE_FORMS}, or block by another key"
            )
    code = {own: at for at, own in enumerate(sorted({*keys.values(), ""}), start=-1)}
    coded = pl.concat(labels).replace_strict(
        [*keys], [code[own] for own in keys.values()], return_dtype=pl.Int64
    )
    return coded.fill_null(-1).to_numpy().copy()


def _key(text: str, key: str) -> str | None:
    """The key of a text; None if it is no date and has no such part."""
    if key == "soundex":
        return soundex(text)
    if key not in DATE_PARTS:
        return text[: int(key)]
    parts = date_parts(text)
    return None if parts is None else parts[DATE_PARTS.index(key)]


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
