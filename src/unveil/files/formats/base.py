"""The formats that tables are kept in, named by a file's suffix.

A format is a :class:`~unveil.support.specs.Spec` with ``suffixes``, ``load`` and ``save``; to
add one, write its module and list it in :func:`formats`. Modules are imported on first use.
"""

from __future__ import annotations

import abc
import codecs
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from unveil.errors import FileError, SpecError, UsageError
from unveil.support.specs import Spec
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.wording import suggest

# Encodings of single words, which cannot be decoded in pieces, and of Python's source.
_NOT_OF_FILES = ("idna", "punycode", "unicode-escape", "raw-unicode-escape")


class Format(Spec, frozen=True, kw_only=True):
    """A way to keep a table in a file."""

    suffixes: ClassVar[tuple[str, ...]] = ()
    output_suffix: ClassVar[str] = ""  # of the files that are written, if they have only one

    @classmethod
    def from_suffix(cls, suffix: str) -> Format:  # noqa: ARG003 - for formats with several
        """The format that a file's suffix implies."""
        return cls()

    def detect(self, path: Path) -> Format:  # noqa: ARG002 - for formats with dialects
        """The format with the options that a file shows."""
        return self

    def adopt(self, source: Format) -> Format:  # noqa: ARG002 - for formats with dialects
        """The format with the options of a table's source, which has the same format."""
        return self

    def keeps_labels(self, data: Microdata) -> bool:  # noqa: ARG002 - for some formats and tables
        """Whether a file keeps all labels of columns and values."""
        return False

    def check_writable(self, path: Path) -> None:
        """Refuse, before any work, a kind of file that can only be read."""

    def check_columns(self, columns: Sequence[str]) -> None:
        """Refuse, before any work, names that columns cannot have."""

    def with_sheet(self, sheet: str) -> Format:  # noqa: ARG002 - for formats with several tables
        """The format of one sheet of a workbook."""
        raise FileError("only a workbook has sheets: name the file alone")

    @abc.abstractmethod
    def load(self, path: Path, schema: Schema | None) -> Microdata:
        """Read the table of a file."""

    @abc.abstractmethod
    def save(self, data: Microdata, path: Path) -> None:
        """Write a table to a private file, which is then moved to its place."""


def text_encoding(name: str) -> str:
    """Python's name of an encoding that text files can have."""
    try:
        "a,b\n".encode(name).decode(name)
        codec = codecs.lookup(name).name
    except (LookupError, ValueError):
        codec = _NOT_OF_FILES[0]
    if codec in _NOT_OF_FILES:
        raise SpecError(f"'{name}' is not an encoding of text files; try utf-8 or latin-1")
    return codec


def formats() -> tuple[type[Format], ...]:
    """Every format."""
    from unveil.files.formats.columnar import Arrow, Parquet
    from unveil.files.formats.csv.format import Csv
    from unveil.files.formats.excel import Excel
    from unveil.files.formats.sas import Sas, Xport
    from unveil.files.formats.spss import Spss
    from unveil.files.formats.stata import Stata

    return (Csv, Parquet, Arrow, Spss, Stata, Sas, Xport, Excel)


def format_of(path: Path, format: Format | None = None) -> Format:  # noqa: A002
    """Return the given format, else the one that the file's suffix names.

    >>> from pathlib import Path
    >>> format_of(Path("survey.parquet"))
    Parquet(compression='zstd')
    """
    if format is not None:
        if not isinstance(format, Format):
            raise UsageError(f"a format is a Format such as Csv(), not {type(format).__name__}")
        return format
    by_suffix = {suffix: kind for kind in formats() for suffix in kind.suffixes}
    suffix = path.suffix.lower()
    if suffix not in by_suffix:
        raise FileError(
            f"the ending '{suffix}' names no known format"
            f"{suggest(suffix, by_suffix, 'endings are')}"
        ).at(str(path))
    return by_suffix[suffix].from_suffix(suffix)
