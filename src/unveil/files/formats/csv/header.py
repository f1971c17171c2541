"""The text of a CSV file before it is a table: its delimiter, its header, its records."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from unveil.errors import DataError, FileError
from unveil.table.columns import not_numbers
from unveil.table.frames import check_names

if TYPE_CHECKING:
    from unveil.files.formats.csv.decoding import Text


DELIMITERS = ",;\t|"
SNIFFED = 20  # records that a delimiter is judged by
_LONE_RETURN = re.compile(r"\r(?=\r*[^\r\n])")


class Dialect(NamedTuple):
    """What stands between cells, and what encloses them (empty for nothing)."""

    delimiter: str
    quote: str


def delimiter_of(text: Text, quote: str, decimal: str) -> str | None:
    """The delimiter that cuts most of the first records like the header, into most cells."""
    found: list[tuple[bool, int, int, str]] = []
    for delimiter in DELIMITERS.replace(decimal, ""):
        lines = (countable(line) for line in text.lines())
        first = islice(records(lines, Dialect(delimiter, quote), strict=False), SNIFFED)
        widths = [len(record) for record in first if record]
        usual, times = Counter(widths).most_common(1)[0]
        if usual > 1 and 2 * times > len(widths):
            found.append((widths[0] == usual, times, usual, delimiter))
    if found:
        return max(found, key=lambda one: one[:3])[3]
    header = next(text.lines()).decode()
    if any(delimiter in header for delimiter in DELIMITERS) and quote not in header:
        raise FileError(
            "what stands between the cells cannot be told, as the first rows differ in their "
            "number of cells; name it (--delimiter)"
        )
    return None


def split_header(text: Text, dialect: Dialect, decimal: str) -> tuple[list[str], int]:
    """The column names, and how many bytes they take."""
    read = 0

    def lines() -> Iterator[str]:
        nonlocal read
        for line in text.lines():
            read += len(line)
            yield line.decode()

    try:
        names = next(records(lines(), dialect))
    except csv.Error:
        raise unreadable() from None
    if not names:
        raise DataError("the first line is blank: the file needs a header that names its columns")
    if not not_numbers(pl.Series(names), decimal).any():
        raise DataError(
            "the first line holds numbers, not names: the file needs a header "
            "that names its columns"
        )
    check_names(names)
    return names, read


def header_line(names: list[str], dialect: Dialect, *, quoted: bool = False) -> str:
    """The column names as the first line of a file."""
    line = io.StringIO()
    # The writer quotes what its line terminator holds, so both line breaks are named.
    options = _options(dialect) | ({"quoting": csv.QUOTE_ALL} if quoted else {})
    csv.writer(line, lineterminator="\r\n", **options).writerow(names)
    return line.getvalue().removesuffix("\r\n") + "\n"


def unreadable() -> FileError:
    """The parser gave up; its own message quotes cells, so it is not passed on."""
    return FileError(
        "this is not a CSV file, or its quotes do not match; if quotes are ordinary characters "
        "in it, read it without quoting (--quote '')"
    )


def countable(line: bytes) -> str:
    """A line whose cells can be counted: Python's parser gives up on a lone carriage return.

    Everybody else takes it for a part of the cell, as any letter.
    """
    text = line.decode()
    return _LONE_RETURN.sub("x", text) if "\r" in text else text


def _options(dialect: Dialect) -> dict[str, Any]:
    quoting = csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE
    return {
        "delimiter": dialect.delimiter,
        "quotechar": dialect.quote or None,
        "quoting": quoting,
    }


def records(lines: Iterator[str], dialect: Dialect, *, strict: bool = True) -> Iterator[list[str]]:
    """The records as Python's own parser sees them: slower than polars, but it counts rows."""
    csv.field_size_limit(max(csv.field_size_limit(), 2**31 - 1))  # texts may be long
    return csv.reader(lines, strict=strict, **_options(dialect))
