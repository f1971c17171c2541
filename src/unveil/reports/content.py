"""What a page is made of: sections of phrases, tables and charts, as plain values."""

from __future__ import annotations

from typing import Any

import msgspec

from unveil.support.phrases import Figure, Phrase, Piece, Term, phrase, plain

# Vega keeps names in JavaScript objects, which have these from birth.
TAKEN = {
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
    "__proto__",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
}

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
    """A cell as a chart takes it."""
    if cell is None or isinstance(cell, Figure):
        return None if cell is None else cell.value
    said = plain(cell)
    return f"{said}\N{NO-BREAK SPACE}" if said in TAKEN else said


class Exhibit(msgspec.Struct, frozen=True, kw_only=True):
    """A table, and the chart that is drawn of it."""

    name: str  # of its figure
    title: str
    table: Table
    chart: str | None = None  # how it is drawn; None: the table is shown itself
    lead: tuple[Phrase, ...] = ()  # what to see in it
    says: Phrase = ()  # what the chart shows, for those who do not see it
    notes: tuple[Phrase, ...] = ()
    about: str | None = None  # the one column that a chart among many like it is of


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """One question, answered."""

    key: str
    title: str
    paragraphs: tuple[Phrase, ...] = ()
    exhibits: tuple[Exhibit, ...] = ()
    points: tuple[Phrase, ...] = ()  # of a list, below


class Fact(msgspec.Struct, frozen=True):
    """One figure that stands for itself, at the top."""

    label: Phrase
    value: Phrase


INTERNAL = "Internal report: as private as the original data"
EXTERNAL = "External report"


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """All that a page says: it feeds the tables of the terminal, the charts and the page."""

    kind: str  # of report, and who may see it
    title: str
    subject: Phrase  # what it is of
    verdict: Phrase
    passed: bool | None  # whether the policy is kept; None: there is none, or several
    facts: tuple[Fact, ...]
    sections: tuple[Section, ...]
    limits: tuple[Phrase, ...]  # of validity
    version: str
    external: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The summary in plain values."""
        said: dict[str, Any] = msgspec.to_builtins(self)
        return said

    def exhibits(self) -> list[Exhibit]:
        """Every table and chart, as they follow each other."""
        return [exhibit for section in self.sections for exhibit in section.exhibits]

    def __getitem__(self, key: str) -> Section:
        """One section by its key."""
        return next(section for section in self.sections if section.key == key)


def text(key: str, head: str) -> Column:
    """A column of words; its head may have [terms](key)."""
    return Column(key, phrase(head))


def figures(key: str, head: str) -> Column:
    """A column of numbers."""
    return Column(key, phrase(head), number=True)


def direction(given: str) -> Term:
    """Who looks for whom."""
    return Term(given.replace("-", " "), given)
