"""CSV files: text with delimiters, in the dialects that people really send."""

from __future__ import annotations

import codecs
import csv
import io
import re
from itertools import islice
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
import polars as pl
from msgspec import Meta, structs

from unveil.data.columns import first_row, not_numbers
from unveil.data.frame import check_names
from unveil.data.microdata import Microdata
from unveil.errors import DataError, FileError, SpecError, count
from unveil.files.formats import Format

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    from unveil.data.schema import Schema

DELIMITERS = ",;\t|"
_OTHER_FORMATS = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"PK\x03\x04": "zip", b"\x1f\x8b": "gzip"}
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Csv(Format, frozen=True, kw_only=True):
    """CSV: text, one record a line, a header first. A blank cell is missing.

    Examples
    --------
    >>> Csv(delimiter=";", decimal=",", missing=["NA"])
    Csv(delimiter=';', encoding='utf-8', decimal=',', quote='"', missing=('NA',))
    """

    suffixes: ClassVar[tuple[str, ...]] = (".csv", ".tsv", ".txt")

    delimiter: Annotated[
        str | None,
        Meta(description="What stands between cells: one character; found by itself if none."),
    ] = None
    encoding: Annotated[str, Meta(description="How the text is stored.")] = "utf-8"
    decimal: Annotated[Literal[".", ","], Meta(description="The decimal sign of numbers.")] = "."
    quote: Annotated[
        str, Meta(max_length=1, description="What encloses text cells; empty for nothing.")
    ] = '"'
    missing: Annotated[
        tuple[str, ...],
        Meta(description="Codes that mean missing in every column; the first is written."),
    ] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        single = (self.delimiter or ",", self.quote or '"')
        if any(len(mark) != 1 or not mark.isascii() or mark in "\r\n" for mark in single):
            raise SpecError("csv: delimiter and quote are single ASCII characters")
        if self.delimiter is not None and self.delimiter in (self.decimal, self.quote):
            # A comma between cells and in numbers cannot be told apart.
            raise SpecError("csv: the delimiter is also the decimal sign or the quote")
        try:
            codecs.lookup(self.encoding)
        except LookupError:
            raise SpecError(f"csv: '{self.encoding}' is not an encoding; try latin-1") from None

    def load(self, path: Path, schema: Schema | None) -> Microdata:
        """Read the table of a CSV file."""
        text = self._text(path.read_bytes())
        dialect = self.settled(text)
        header = _header(text, dialect)
        text = _checked_rows(text, dialect, len(header))
        try:
            cells = pl.read_csv(
                text,
                infer_schema=False,
                separator=dialect.delimiter or ",",
                quote_char=dialect.quote or None,
            )
        except pl.exceptions.PolarsError:  # its message quotes cells, so it is not passed on
            raise _UNREADABLE from None
        cells.columns = header
        if dialect.missing:
            cells = cells.with_columns(_without(column, dialect.missing) for column in cells)
        return Microdata.from_text(cells, schema, decimal=dialect.decimal)

    def save(self, data: Microdata, file: BinaryIO) -> None:
        """Write a table as CSV."""
        dialect = self.settled(b"")
        cells = data.to_text_frame(dialect.decimal)
        for column in cells:
            if column.dtype == pl.String:
                _check_text(column, dialect)
        out = io.BytesIO()
        cells.write_csv(
            out,
            separator=dialect.delimiter or ",",
            quote_char=dialect.quote or '"',
            quote_style="necessary" if dialect.quote else "never",
            decimal_comma=dialect.decimal == ",",
            null_value=dialect.missing[0] if dialect.missing else None,
        )
        written = out.getbuffer()
        plain = codecs.lookup(dialect.encoding).name == "utf-8"
        file.write(written if plain else _encoded(bytes(written), dialect.encoding))

    def settled(self, text: bytes) -> Csv:
        """The same dialect with its delimiter found from the first lines of a file."""
        if self.delimiter is not None:
            return self
        found = _sniffed(text, self.quote) or (";" if self.decimal == "," else ",")
        return structs.replace(self, delimiter=found)

    def _text(self, raw: bytes) -> bytes:
        """The file's bytes as UTF-8."""
        for magic, name in _OTHER_FORMATS.items():
            if raw.startswith(magic):
                raise FileError(f"this is a {name} file, not CSV; give it the ending it needs")
        if raw.startswith(_UTF16) and not self.encoding.lower().startswith("utf-16"):
            raise FileError("the text is stored as UTF-16: read it with encoding='utf-16'")
        if b"\0" in raw and not self.encoding.lower().startswith("utf-"):
            raise FileError("this is not a text file: it holds zero bytes")
        try:
            text = raw.decode(self.encoding)
        except UnicodeDecodeError as error:
            row = raw[: error.start].count(b"\n")
            where = f"row {row}" if row else "the header"
            hint = "latin-1" if self.encoding.lower().startswith("utf") else "utf-8"
            raise FileError(
                f"{where} has bytes that are not {self.encoding} text; "
                f"name the right encoding (--encoding), perhaps {hint}"
            ) from None
        text = text.removeprefix("\ufeff")
        if "\0" in text:
            raise FileError("this is not a text file: it holds zero bytes")
        if not text.strip():
            raise FileError("the file is empty")
        return (text if "\n" in text else text.replace("\r", "\n")).encode()


_UNREADABLE = FileError("this is not a CSV file, or its quotes do not match")


def _records(text: bytes, dialect: Csv, *, strict: bool = True) -> Iterator[list[str]]:
    """The records as Python's own parser sees them: slower than polars, and it counts rows."""
    lines = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")
    return csv.reader(
        lines,
        delimiter=dialect.delimiter or ",",
        quotechar=dialect.quote or None,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        strict=strict,
    )


def _header(text: bytes, dialect: Csv) -> list[str]:
    try:
        names = next(_records(text, dialect))
    except csv.Error:
        raise _UNREADABLE from None
    if names and not not_numbers(pl.Series(names, dtype=pl.String)).any():
        raise DataError(
            "the first line holds numbers, not names: the file needs a header "
            "that names its columns"
        )
    check_names(names)
    return names


def _checked_rows(text: bytes, dialect: Csv, width: int) -> bytes:
    """Refuse a file whose rows are not as wide as its header; blank last lines go."""
    if width > 1:
        text = text.rstrip(b"\r\n")
    if dialect.quote and dialect.quote.encode() in text:
        try:
            widths = np.array([max(len(record), 1) for record in _records(text, dialect)])
        except csv.Error:
            raise _UNREADABLE from None
    else:
        widths = _widths(text, dialect.delimiter or ",")
    ragged = np.flatnonzero(widths != width)
    if len(ragged):
        raise DataError(
            f"{count(len(ragged), 'row')} of {len(widths) - 1:,} do not have one cell for each "
            f"of the {count(width, 'column')}: row {ragged[0]} has {widths[ragged[0]]}"
        )
    return text


def _widths(text: bytes, delimiter: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The number of cells in each line of a text without quotes."""
    characters = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    if not text.endswith(b"\n"):
        ends = np.append(ends, len(characters))
    marks = np.searchsorted(np.flatnonzero(characters == ord(delimiter)), ends)
    return np.diff(marks, prepend=0) + 1


def _sniffed(text: bytes, quote: str) -> str | None:
    """The delimiter that cuts the first lines into equally many cells, the most of them."""
    best, widest = None, 1
    for delimiter in DELIMITERS:
        dialect = Csv(delimiter=delimiter, quote=quote, decimal="," if delimiter == "." else ".")
        try:
            widths = {len(r) for r in islice(_records(text, dialect, strict=False), 20) if r}
        except csv.Error:
            continue
        if len(widths) == 1 and (width := widths.pop()) > widest:
            best, widest = delimiter, width
    return best


def _without(column: pl.Series, codes: tuple[str, ...]) -> pl.Series:
    stripped = column.str.strip_chars()
    return column.set(stripped.is_in([code.strip() for code in codes]).fill_null(False), None)


def _check_text(column: pl.Series, dialect: Csv) -> None:
    """Refuse text that would not be read back as it was."""
    clash = column.str.strip_chars().is_in(list(dialect.missing)).fill_null(False)
    if clash.any():
        raise DataError(
            f"column '{column.name}' has {count(int(clash.sum()), 'cell')} equal to a code for "
            f"missing (first in row {first_row(clash)}); choose another code"
        )
    if not dialect.quote:
        unsafe = column.str.contains(f"[{re.escape(dialect.delimiter or ',')}\r\n]")
        if unsafe.fill_null(False).any():
            raise DataError(
                f"column '{column.name}' needs quotes: it has "
                f"{count(int(unsafe.sum()), 'cell')} with a delimiter or a line break "
                f"(first in row {first_row(unsafe)})"
            )


def _encoded(text: bytes, encoding: str) -> bytes:
    try:
        return text.decode().encode(encoding)
    except UnicodeEncodeError:
        raise DataError(f"the text does not fit the encoding {encoding}; write utf-8") from None
