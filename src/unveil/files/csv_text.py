"""The text of a CSV file before it is a table: its encoding, its header, its rows."""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from unveil.data.columns import not_numbers
from unveil.data.frame import check_names
from unveil.errors import DataError, FileError, count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

DELIMITERS = ",;\t|"
_OTHER_FORMATS = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"\xd0\xcf\x11\xe0": "an Excel workbook",
    b"PK\x03\x04": "a zip file",
    b"\x1f\x8b": "a gzip file",
}
_IN_WORKBOOKS = (b"xl/workbook", b"opendocument.spreadsheet")  # which are zip files
_WIDE = {
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
SNIFFED = 20  # records that a delimiter is judged by


class Dialect(NamedTuple):
    """What stands between cells, and what encloses them (empty for nothing)."""

    delimiter: str
    quote: str


def decoded(raw: bytes, encoding: str, quote: str) -> bytes:
    """The file's text as UTF-8, or an error that says what the file is instead."""
    for magic, name in _OTHER_FORMATS.items():
        if raw.startswith(magic):
            workbook = name == "a zip file" and any(part in raw for part in _IN_WORKBOOKS)
            found = "an Excel workbook" if workbook else name
            raise FileError(f"this is {found}, not CSV; give it the ending it needs")
    wide = next((name for mark, name in _WIDE.items() if raw.startswith(mark)), "")
    if not encoding.lower().replace("_", "-").startswith(wide):
        raise FileError(f"the text is stored as {wide}: read it with encoding='{wide}'")
    try:
        text = raw.decode(encoding)
        plain = text.removeprefix("\ufeff").encode()
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode(encoding, errors="replace")
        raise _undecodable(before, encoding, quote) from None
    except UnicodeError:
        raise FileError(f"this is not {encoding} text; name the right --encoding") from None
    if b"\0" in plain:
        raise FileError("this is not a text file: it holds zero bytes")
    if not plain or plain.isspace():
        raise FileError("the file is empty")
    return plain if b"\n" in plain else plain.replace(b"\r", b"\n")


def _undecodable(before: str, encoding: str, quote: str) -> FileError:
    """Say in which row the text ends to be of its encoding."""
    text = before.encode(errors="replace") + b"x"
    text = text if b"\n" in text else text.replace(b"\r", b"\n")
    row = sum(1 for _ in _records(_lines(text), Dialect(",", quote), strict=False)) - 1
    where = f"row {row}" if row else "the header"
    hint = "latin-1" if encoding.lower().startswith("utf") else "utf-8"
    return FileError(
        f"{where} has bytes that are not {encoding} text; "
        f"name the right encoding (--encoding), perhaps {hint}"
    )


def encoded(text: bytes, encoding: str) -> bytes:
    """UTF-8 text in another encoding."""
    if codecs.lookup(encoding).name == "utf-8":
        return text
    try:
        return text.decode().encode(encoding)
    except UnicodeEncodeError:
        raise DataError(f"the text does not fit the encoding {encoding}; write utf-8") from None


def delimiter_of(text: bytes, quote: str, decimal: str) -> str | None:
    """The delimiter that cuts most of the first records like the header, into most cells."""
    found: list[tuple[bool, int, int, str]] = []
    for delimiter in DELIMITERS.replace(decimal, ""):
        records = _records(_lines(text), Dialect(delimiter, quote), strict=False)
        widths = [len(record) for record in islice(records, SNIFFED) if record]
        usual, times = Counter(widths).most_common(1)[0]
        if usual > 1 and 2 * times > len(widths):
            found.append((widths[0] == usual, times, usual, delimiter))
    if found:
        return max(found, key=lambda one: one[:3])[3]
    header = text.split(b"\n", 1)[0].decode()
    if any(delimiter in header for delimiter in DELIMITERS) and quote not in header:
        raise FileError(
            "what stands between the cells cannot be told, as the first rows differ in their "
            "number of cells; name it (--delimiter)"
        )
    return None


def split_header(text: bytes, dialect: Dialect, decimal: str) -> tuple[list[str], bytes]:
    """The column names, and the text after them; blank last lines are left out."""
    read = 0

    def lines() -> Iterator[str]:
        nonlocal read
        for line in io.BytesIO(text):
            read += len(line)
            yield line.decode()

    try:
        names = next(_records(lines(), dialect))
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
    body = text[read:]
    return names, body if len(names) == 1 else body.rstrip(b"\r\n")


def header_line(names: list[str], dialect: Dialect, *, quoted: bool = False) -> bytes:
    """The column names as the first line of a file."""
    line = io.StringIO()
    # The writer quotes what its line terminator holds, so both line breaks are named.
    options = _options(dialect) | ({"quoting": csv.QUOTE_ALL} if quoted else {})
    csv.writer(line, lineterminator="\r\n", **options).writerow(names)
    return line.getvalue().removesuffix("\r\n").encode() + b"\n"


def check_widths(body: bytes, dialect: Dialect, width: int) -> None:
    """Refuse rows that are not as wide as the header."""
    if dialect.quote and dialect.quote.encode() in body:
        try:
            records = _records(_lines(body), dialect)
            widths = np.array([max(len(record), 1) for record in records])
        except csv.Error:
            raise unreadable() from None
    else:
        widths = _unquoted_widths(body, dialect.delimiter)
    ragged = np.flatnonzero(widths != width)
    if len(ragged):
        cells = count(int(widths[ragged[0]]), "cell")
        raise DataError(
            f"the header names {count(width, 'column')} and row {ragged[0] + 1} has {cells}; "
            f"such rows: {len(ragged):,} of {len(widths):,}"
        )


def unreadable() -> FileError:
    """The parser gave up; its own message quotes cells, so it is not passed on."""
    return FileError(
        "this is not a CSV file, or its quotes do not match; if quotes are ordinary characters "
        "in it, read it without quoting (--quote '')"
    )


def _unquoted_widths(body: bytes, delimiter: str) -> NDArray[np.int64]:
    """The number of cells in each line of a text without quotes."""
    characters = np.frombuffer(body, np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    if body and not body.endswith(b"\n"):
        ends = np.append(ends, len(characters))
    marks = np.searchsorted(np.flatnonzero(characters == ord(delimiter)), ends)
    return np.diff(marks, prepend=0) + 1


def _lines(text: bytes) -> Iterator[str]:
    return (line.decode() for line in io.BytesIO(text))


def _options(dialect: Dialect) -> dict[str, Any]:
    quoting = csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE
    return {
        "delimiter": dialect.delimiter,
        "quotechar": dialect.quote or None,
        "quoting": quoting,
    }


def _records(lines: Iterator[str], dialect: Dialect, *, strict: bool = True) -> Iterator[list[str]]:
    """The records as Python's own parser sees them: slower than polars, but it counts rows."""
    csv.field_size_limit(max(csv.field_size_limit(), 2**31 - 1))  # texts may be long
    return csv.reader(lines, strict=strict, **_options(dialect))
