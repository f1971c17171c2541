"""How cells are written: missing codes, and values that a file spells in several ways."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl


class WrittenForms(NamedTuple):
    """The written forms of missing and of equal cells of a table.

    Methods meet nulls and values; claims count what can be read.
    """

    codes: pl.DataFrame  # the number of the missing code, 0 for none; columns with declared codes
    spellings: (
        pl.DataFrame
    )  # the cell's text, an Enum in order; columns that spell a value in two ways

    def select(self, columns: Sequence[str]) -> WrittenForms:
        """The forms of some columns."""
        return WrittenForms(
            *(frame.select([name for name in columns if name in frame.columns]) for frame in self)
        )

    def take(self, rows: pl.Series) -> WrittenForms:
        """The forms of some rows."""
        return WrittenForms(*(frame[rows] if frame.width else frame for frame in self))

    def with_changed(self, columns: Sequence[pl.Series]) -> WrittenForms:
        """The forms after new cells: a value has no missing code, and one spelling."""
        codes = [
            self.codes[column.name].set(column.is_not_null(), 0)
            for column in columns
            if column.name in self.codes.columns
        ]
        changed = [column.name for column in columns]
        return WrittenForms(
            self.codes.with_columns(codes), self.spellings.drop(changed, strict=False)
        )

    def with_one_code(self, columns: Sequence[pl.Series]) -> WrittenForms:
        """The forms after each column has one missing code: the first declared one that it has."""
        marked = [column for column in columns if column.name in self.codes.columns]
        codes = []
        for column in marked:
            numbers = self.codes[column.name]
            used = numbers.filter(numbers > 0)
            if len(used):
                codes.append(numbers.set(column.is_null(), used.min()))
        return self._replace(codes=self.codes.with_columns(codes))


def spellings(raw: pl.Series, column: pl.Series, codes: pl.Series | None) -> pl.Series | None:
    """The text of each cell; None where every value, and every code, has one spelling.

    It is an Enum in order. ``column`` and ``codes`` are what was made of the text.

    >>> raw = pl.Series(["1.50", "1.5", "2"])
    >>> spellings(raw, raw.cast(pl.Float64), None).to_list()
    ['1.50', '1.5', '2']
    """
    if raw.dtype != pl.String or (codes is None and raw.equals(column)):
        return None
    read = pl.DataFrame([column] if codes is None else [column, codes.alias("")])
    if read.n_unique() == raw.n_unique():
        return None
    return raw.cast(pl.Enum(raw.drop_nulls().unique().sort()))
