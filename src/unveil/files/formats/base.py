"""The formats that tables are kept in, found by a file's ending.

A format is a :class:`~unveil.support.specs.Spec` with ``suffixes``, ``load`` and ``save``; to
add one, write its file and list it in :func:`formats`. Modules load when first asked for.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from unveil.errors import FileError, UsageError
from unveil.support.specs import Spec
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.wording import listing, suggest


class Format(Spec, frozen=True, kw_only=True):
    """One way to keep a table in a file."""

    suffixes: ClassVar[tuple[str, ...]] = ()
    written_as: ClassVar[str] = ""  # the ending of what is written, where that is only one

    @classmethod
    def of_ending(cls, ending: str) -> Format:  # noqa: ARG003 - for formats with several
        """The format as a file's ending implies it."""
        return cls()

    def found_in(self, path: Path) -> Format:  # noqa: ARG002 - for formats with dialects
        """The format with all that a file of it shows by itself."""
        return self

    def as_in(self, source: Format) -> Format:  # noqa: ARG002 - for formats with dialects
        """The format as a file of the same format has it that a table came from."""
        return self

    def keeps_labels(self, data: Microdata) -> bool:  # noqa: ARG002 - by some formats, of some
        """Whether all labels of columns and values are kept in a file."""
        return False

    def check_writable(self, path: Path) -> None:
        """Refuse, before any work, a file of a kind that can be read only."""

    def check_columns(self, columns: Sequence[str]) -> None:
        """Refuse, before any work, names that columns cannot have."""

    def of_sheet(self, sheet: str) -> Format:  # noqa: ARG002 - for formats with several tables
        """The format of one sheet of a workbook."""
        raise FileError("only a workbook has sheets: name the file alone")

    @abc.abstractmethod
    def load(self, path: Path, schema: Schema | None) -> Microdata:
        """Read the table of a file."""

    @abc.abstractmethod
    def save(self, data: Microdata, path: Path) -> None:
        """Write a table to a file, which is private and not yet in its place."""


def formats() -> tuple[type[Format], ...]:
    """Every format that there is."""
    from unveil.files.formats.columnar import Arrow, Parquet
    from unveil.files.formats.csv.format import Csv
    from unveil.files.formats.excel import Excel
    from unveil.files.formats.sas import Sas, Xport
    from unveil.files.formats.spss import Spss
    from unveil.files.formats.stata import Stata

    return (Csv, Parquet, Arrow, Spss, Stata, Sas, Xport, Excel)


def format_of(path: Path, given: Format | None = None) -> Format:
    """Return the format given, else the one that the file's ending names.

    >>> from pathlib import Path
    >>> format_of(Path("survey.parquet"))
    Parquet(compression='zstd')
    """
    if given is not None:
        if not isinstance(given, Format):
            raise UsageError(f"a format is a Format such as Csv(), not {type(given).__name__}")
        return given
    endings = {suffix: kind for kind in formats() for suffix in kind.suffixes}
    ending = path.suffix.lower()
    if ending not in endings:
        raise FileError(
            f"the ending '{ending}' names no known format; endings are: {listing(endings)}"
            f"{suggest(ending, endings)}"
        ).at(str(path))
    return endings[ending].of_ending(ending)
