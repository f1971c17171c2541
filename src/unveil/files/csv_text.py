"""The text of a CSV file before it is a table: its encoding, its header, its rows."""

from __future__ import annotations

import codecs
import csv
import io
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
_OTHER_FORMATS = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"PK\x03\x04": "zip", b"\x1f\x8b": "gzip"}
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Dialect(NamedTuple):
    """What stands between cells, and what encloses them (empty for nothing)."""

    delimiter: str
    quote: str


def decoded(raw: bytes, encoding: str) -> bytes:
    """The file's text as UTF-8, or an error that says what the file is instead."""
    for magic, name in _OTHER_FORMATS.items():
        if raw.startswith(magic):
            raise FileError(f"this is a {name} file, not CSV; give it the ending it needs")
    wide = encoding.lower().replace("_", "-").startswith(("utf-16", "utf-32"))
    if raw.startswith(_UTF16) and not wide:
        raise FileError("the text is stored as UTF-16: read it with encoding='utf-16'")
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        row = raw[: error.start].count(b"\n")
        where = f"row {row}" if row else "the header"
        hint = "latin-1" if encoding.lower().startswith("utf") else "utf-8"
        raise FileError(
            f"{where} has bytes that are not {encoding} text; "
            f"name the right encoding (--encoding), perhaps {hint}"
        ) from None
    if "\0" in text:
        raise FileError("this is not a text file: it holds zero bytes")
    text = text.removeprefix("\ufeff")
    if not text or text.isspace():
        raise FileError("the file is empty")
    return (text if "\n" in text else text.replace("\r", "\n")).encode()


def encoded(text: bytes, encoding: str) -> bytes:
    """UTF-8 text in another encoding."""
    if codecs.lookup(encoding).name == "utf-8":
        return text
    try:
        return text.decode().encode(encoding)
    except UnicodeEncodeError:
        raise DataError(f"the text does not fit the encoding {encoding}; write utf-8") from None


def delimiter_of(text: bytes, quote: str) -> str | None:
    """The delimiter that cuts the first lines into equally many cells, the most of them."""
    best, widest = None, 1
    for delimiter in DELIMITERS:
        records = _records(_lines(text), Dialect(delimiter, quote), strict=False)
        try:
            widths = {len(record) for record in islice(records, 20) if record}
        except csv.Error:
            continue
        if len(widths) == 1 and (width := widths.pop()) > widest:
            best, widest = delimiter, width
    return best


def split_header(text: bytes, dialect: Dialect) -> tuple[list[str], bytes]:
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
    if names and not not_numbers(pl.Series(names, dtype=pl.String)).any():
        raise DataError(
            "the first line holds numbers, not names: the file needs a header "
            "that names its columns"
        )
    check_names(names)
    body = text[read:]
    return names, body if len(names) == 1 else body.rstrip(b"\r\n")


def header_line(names: list[str], dialect: Dialect) -> bytes:
    """The column names as the first line of a file."""
    line = io.StringIO()
    # The writer quotes what its line terminator holds, so both line breaks are named.
    csv.writer(line, lineterminator="\r\n", **_options(dialect)).writerow(names)
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
    return FileError("this is not a CSV file, or its quotes do not match")


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
    return csv.reader(lines, strict=strict, **_options(dialect))
