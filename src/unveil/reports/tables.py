"""Tables of a page: their columns, and the cells that each column makes of an item."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec

from unveil.support.phrases import (
    Figure,
    Phrase,
    Piece,
    counted,
    decimal,
    expected,
    name,
    percent,
    phrase,
    plain,
)
from unveil.values.results.risk import Interval

Item = TypeVar("Item")
Value = Callable[[Item], float | None]

# Vega keeps names in JavaScript objects, which define these names themselves.
RESERVED_NAMES = {
    "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString",
    "toString", "valueOf", "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__",
    "__lookupSetter__",
}  # fmt: skip

Cell = Piece | Phrase | None
Row = tuple[Cell, ...]


class Column(msgspec.Struct, frozen=True):
    """A column of a table: what charts call it, and its head."""

    key: str
    head: Phrase
    number: bool = False


class Table(msgspec.Struct, frozen=True):
    """Figures in rows: what is printed, what is drawn, and what a screen reader reads."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    def records(self) -> list[dict[str, Any]]:
        """The rows for a chart: exact values, and text."""
        keys = [column.key for column in self.columns]
        return [dict(zip(keys, map(_bare, row), strict=True)) for row in self.rows]

    def filled(self) -> Table:
        """The table without the columns that are blank throughout."""
        cells = zip(*self.rows, strict=True)
        pairs = zip(self.columns, cells, strict=True) if self.rows else ()
        blank = [column.key for column, each in pairs if all(cell in (None, "") for cell in each)]
        return self.without(*blank)

    def without(self, *keys: str) -> Table:
        """The table with some columns left out."""
        kept = [place for place, column in enumerate(self.columns) if column.key not in keys]
        rows = tuple(tuple(row[place] for place in kept) for row in self.rows)
        return Table(tuple(self.columns[place] for place in kept), rows)


def _bare(cell: Cell) -> Any:
    if cell is None or isinstance(cell, Figure):
        return None if cell is None else cell.value
    label = plain(cell)
    return f"{label}\N{NO-BREAK SPACE}" if label in RESERVED_NAMES else label


Cells = tuple[Column, Callable[[Item], Cell]]  # a column, and its cell for an item


def tabulate(items: Iterable[Item], *columns: Cells[Item]) -> Table:
    """A table with one row per item.

    >>> tabulate([1, 2], counts("half", "half", lambda n: n / 2)).records()
    [{'half': 0.5}, {'half': 1.0}]
    """
    rows = tuple(tuple(cell(item) for _, cell in columns) for item in items)
    return Table(tuple(column for column, _ in columns), rows)


def text(key: str, head: str) -> Column:
    """A column of words; its head may have [terms](key)."""
    return Column(key, phrase(head))


def figures(key: str, head: str) -> Column:
    """A column of numbers."""
    return Column(key, phrase(head), number=True)


def labels(key: str, head: str, label: Callable[[Item], str]) -> Cells[Item]:
    """A column of names that the data or its steward gave."""
    return text(key, head), lambda item: name(label(item))


def numbers(
    key: str, head: str, value: Value[Item], form: Callable[[float], Figure]
) -> Cells[Item]:
    """A column of numbers in this form; the cell is empty where there is none."""

    def cell(item: Item) -> Cell:
        number = value(item)
        return None if number is None else form(number)

    return figures(key, head), cell


def counts(key: str, head: str, value: Value[Item]) -> Cells[Item]:
    """A column of counts."""
    return numbers(key, head, value, counted)


def expected_counts(key: str, head: str, value: Value[Item]) -> Cells[Item]:
    """A column of expected numbers of records."""
    return numbers(key, head, value, expected)


def shares(key: str, head: str, value: Value[Item]) -> Cells[Item]:
    """A column of shares, in percent."""
    return numbers(key, head, value, percent)


def decimals(key: str, head: str, value: Value[Item]) -> Cells[Item]:
    """A column of numbers with three digits."""
    return numbers(key, head, value, decimal)


def low(
    interval: Callable[[Item], Interval | None], head: str = "[at least](interval)"
) -> Cells[Item]:
    """The column of the lower ends of intervals; empty where nothing was sampled."""
    return shares("low", head, lambda item: None if (i := interval(item)) is None else i.low)


def high(interval: Callable[[Item], Interval | None]) -> Cells[Item]:
    """The column of the upper ends of intervals; empty where nothing was sampled."""
    return shares("high", "at most", lambda item: None if (i := interval(item)) is None else i.high)
