"""The delimiter, the header and the records of a CSV file, before its cells are a table."""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import polars as pl

from unveil.errors import DataError, FileError
from unveil.table.columns import not_numbers
from unveil.table.frames import check_names

DELIMITERS = ",;\t|"
SNIFFED_RECORDS = 20
_LONE_RETURN = re.compile(r"\r(?=\r*[^\r\n])")


class Dialect(NamedTuple):
    """The delimiter between cells, and the quote that encloses them (empty for none)."""

    delimiter: str
    quote: str

    @property
    def options(self) -> dict[str, Any]:
        """The options of Python's parser and writer."""
        quoting = csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE
        return {"delimiter": self.delimiter, "quotechar": self.quote or None, "quoting": quoting}


def detect_delimiter(lines: Callable[[], Iterator[bytes]], quote: str, decimal: str) -> str | None:
    """The delimiter that cuts most of the first records like the header, into most cells."""
    candidates: list[tuple[bool, int, int, str]] = []
    for delimiter in DELIMITERS.replace(decimal, ""):
        records = parse_records(map(parsable, lines()), Dialect(delimiter, quote), strict=False)
        widths = [len(record) for record in islice(records, SNIFFED_RECORDS) if record]
        usual, times = Counter(widths).most_common(1)[0]
        if usual > 1 and 2 * times > len(widths):
            candidates.append((widths[0] == usual, times, usual, delimiter))
    if candidates:
        return max(candidates, key=lambda candidate: candidate[:3])[3]
    header = next(lines()).decode()
    if any(delimiter in header for delimiter in DELIMITERS) and quote not in header:
        raise FileError(
            "the delimiter cannot be detected, as the first rows differ in their number of cells; "
            "name it (--delimiter)"
        )
    return None


def read_header(lines: Iterator[bytes], dialect: Dialect, decimal: str) -> tuple[list[str], int]:
    """The column names, and how many bytes they take."""
    read = 0

    def counted() -> Iterator[str]:
        nonlocal read
        for line in lines:
            read += len(line)
            yield line.decode()

    try:
        names = next(parse_records(counted(), dialect))
    except csv.Error:
        raise malformed() from None
    if not names:
        raise DataError("the first line is blank: the file needs a header that names its columns")
    if not not_numbers(pl.Series(names), decimal).any():
        raise DataError(
            "the first line holds numbers, not names: the file needs a header "
            "that names its columns"
        )
    check_names(names)
    return names, read


def format_header(names: list[str], dialect: Dialect, *, quoted: bool = False) -> str:
    """The column names as the first line of a file."""
    line = io.StringIO()
    options = dialect.options | ({"quoting": csv.QUOTE_ALL} if quoted else {})
    # The writer quotes what its line terminator holds, so both line breaks are named.
    csv.writer(line, lineterminator="\r\n", **options).writerow(names)
    return line.getvalue().removesuffix("\r\n") + "\n"


def parse_records(
    lines: Iterator[str], dialect: Dialect, *, strict: bool = True
) -> Iterator[list[str]]:
    """The records by Python's own parser: slower than polars, but it counts rows."""
    csv.field_size_limit(max(csv.field_size_limit(), 2**31 - 1))  # texts may be long
    return csv.reader(lines, strict=strict, **dialect.options)


def parsable(line: bytes) -> str:
    """A line whose cells can be counted: Python's parser gives up on a lone carriage return.

    Other parsers take it for a character of the cell.
    """
    text = line.decode()
    return _LONE_RETURN.sub("x", text) if "\r" in text else text


def malformed() -> FileError:
    """The error for a file that the parser refuses; the parser's own message quotes cells."""
    return FileError(
        "this is not a CSV file, or its quotes do not match; if quotes are ordinary characters "
        "in it, read it without quoting (--quote '')"
    )
