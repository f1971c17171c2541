"""The content of a page as plain values: sections of phrases, tables and charts.

Tables and their columns are in `unveil.reports.tables`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from unveil.reports.tables import Table
from unveil.support.phrases import Phrase


class TextTable(NamedTuple):
    """A table on a terminal; the columns in ``numbers`` are right-aligned."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[str] = ()


Line = str | TextTable  # of a result on a terminal


class LimitLine(msgspec.Struct, frozen=True, kw_only=True):
    """A limit of the policy, as a line across a chart."""

    axis: Literal["x", "y"]  # on which the limit is measured
    limit: str
    value: float
    of: str = ""  # whom a limit on others than the chart's is of, in words


class Exhibit(msgspec.Struct, frozen=True, kw_only=True):
    """A table, and the chart that is drawn of it."""

    name: str  # of its figure
    title: str | Phrase  # what it shows; of a chart, its finding
    table: Table
    chart: str | None = None  # how it is drawn; None: the table is shown itself
    lead: tuple[Phrase, ...] = ()  # what to see in it
    says: Phrase = ()  # what the chart shows, for those who do not see it
    notes: tuple[Phrase, ...] = ()
    about: str | None = None  # the one column that a chart among many like it is of
    limits: tuple[LimitLine, ...] = ()  # of the policy, drawn into the chart
    sortable: bool = False  # whether a reader can sort the table by a column


class View(msgspec.Struct, frozen=True, kw_only=True):
    """One of several views of a section, of which a reader opens one."""

    title: str
    paragraphs: tuple[Phrase, ...] = ()
    exhibits: tuple[Exhibit, ...] = ()


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """One question, answered."""

    key: str
    title: str
    paragraphs: tuple[Phrase, ...] = ()
    exhibits: tuple[Exhibit, ...] = ()
    points: tuple[Phrase, ...] = ()  # of a list, below
    choices: tuple[View, ...] = ()  # below all else; the first is open


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
    cautions: tuple[Phrase, ...] = ()  # above the verdict
    answers: tuple[Fact, ...] = ()  # tested, found, meaning, next: in place of the verdict
    points: tuple[Phrase, ...] = ()  # a list below the verdict: the limits that are missed
    first: Exhibit | None = None  # the table below the verdict
    date: str = ""  # of the page

    def to_dict(self) -> dict[str, Any]:
        """The summary in plain values."""
        builtins: dict[str, Any] = msgspec.to_builtins(self)
        return builtins

    def exhibits(self) -> list[Exhibit]:
        """Every table and chart, as they follow each other."""
        first = [] if self.first is None else [self.first]
        return [*first, *(one for section in self.sections for one in _exhibits(section))]

    def __getitem__(self, key: str) -> Section:
        """One section by its key."""
        return next(section for section in self.sections if section.key == key)


def _exhibits(section: Section) -> list[Exhibit]:
    return [*section.exhibits, *(one for choice in section.choices for one in choice.exhibits)]
