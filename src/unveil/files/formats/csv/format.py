"""CSV files: delimited text, in the dialects that people really send."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import msgspec
import polars as pl
from msgspec import Meta

from unveil.errors import DataError, SpecError, UnveilError, errors_at
from unveil.files.formats.base import Format, text_encoding
from unveil.files.formats.csv.blocks import record_blocks
from unveil.files.formats.csv.decoding import DecodedText, encode_pieces, open_seekable
from unveil.files.formats.csv.header import (
    Dialect,
    detect_delimiter,
    format_header,
    malformed,
    read_header,
)
from unveil.table.chunked_text import ChunkedText
from unveil.table.columns import first_row, not_numbers
from unveil.table.microdata import Microdata
from unveil.table.reordered import Slices
from unveil.table.schema import Schema
from unveil.wording import count

WRITTEN_CELLS = 2**20  # at once


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
        Meta(description="Delimiter between cells: one character; detected if none is given."),
    ] = None
    encoding: Annotated[str, Meta(description="Text encoding.")] = "utf-8"
    decimal: Annotated[Literal[".", ","], Meta(description="The decimal sign of numbers.")] = "."
    quote: Annotated[
        str, Meta(max_length=1, description="Quote around text cells; empty for none.")
    ] = '"'
    missing: Annotated[
        tuple[str, ...], Meta(description="Missing codes of every column; the first is written.")
    ] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        single = [self.quote or '"', "," if self.delimiter is None else self.delimiter]
        if any(len(mark) != 1 or not mark.isascii() or mark in "\r\n" for mark in single):
            raise SpecError("csv: delimiter and quote are single ASCII characters")
        if any(mark.isalnum() or mark in "+-." for mark in single):
            raise SpecError("csv: delimiter and quote cannot be part of a number or a word")
        if self.delimiter is not None and self.delimiter in (self.decimal, self.quote):
            # A comma between cells and in numbers cannot be told apart.
            raise SpecError("csv: the delimiter is also the decimal sign or the quote")
        with errors_at("csv"):
            text_encoding(self.encoding)

    @classmethod
    def from_suffix(cls, ending: str) -> Csv:
        """The delimiter of a .tsv file is a tab."""
        return cls(delimiter="\t") if ending == ".tsv" else cls()

    def detect(self, path: Path) -> Csv:
        """The dialect with the delimiter that the file has."""
        with open_seekable(path) as file:
            text = DecodedText(file, self.encoding, self.quote)
            return msgspec.structs.replace(self, delimiter=self._dialect(text).delimiter)

    def adopt(self, source: Format) -> Format:
        """The dialect of the source, except for a delimiter that the suffix implies."""
        implied = self.delimiter
        return source if implied is None else msgspec.structs.replace(source, delimiter=implied)

    def load(self, path: Path, schema: Schema | None) -> Microdata:
        """Read the table of a CSV file, block by block."""
        with open_seekable(path) as file:
            cells = self._chunked_text(DecodedText(file, self.encoding, self.quote))
        return Microdata.from_text(cells, schema, decimal=self.decimal, missing=self.missing)

    def _chunked_text(self, text: DecodedText) -> ChunkedText:
        blocks: Iterator[bytes] = iter(())
        try:
            dialect = self._dialect(text)
            names, start = read_header(text.lines(), dialect, self.decimal)
            cells = ChunkedText(names)
            blocks = record_blocks(text.pieces_after(start), dialect, len(names))
            for block in blocks:
                cells.add(self._cells(block, dialect, names))
        except UnveilError:
            for _ in blocks:  # an error of all rows comes before an error of one
                pass
            text.check_to_end()
            raise
        if cells.is_empty():
            raise DataError("the file has a header and no record; add records")
        return cells

    def _cells(self, block: bytes, dialect: Dialect, names: list[str]) -> pl.DataFrame:
        try:
            return pl.read_csv(
                BOM_UTF8 + block,  # polars drops one mark, which may be part of the first cell
                has_header=False,
                schema=dict.fromkeys(names, pl.String),
                separator=dialect.delimiter,
                quote_char=dialect.quote or None,
            )
        except pl.exceptions.PolarsError:
            raise malformed() from None

    def save(self, data: Microdata, path: Path) -> None:
        dialect = self._dialect()
        slices = Slices(data, lambda table: table.to_text_frame(self.decimal))
        cells = slices.frame
        for column in cells:
            _check_codes(slices.source.column(column.name), self.missing)
            _check_text(column.cast(pl.String), dialect)
        if self.missing and re.search(_unsafe(dialect), self.missing[0]):
            raise DataError("the code for missing has a delimiter, a quote or a line break in it")
        if not not_numbers(pl.Series(cells.columns), self.decimal).any():
            raise DataError("a header of numbers only would be read as a record: name a column")
        # A lone column is quoted, so that no delimiter is detected inside its cells.
        alone = self.delimiter is None and cells.width == 1 and bool(dialect.quote)
        with path.open("wb") as file:
            texts = self._texts(slices, dialect, quoted=alone)
            file.writelines(encode_pieces(texts, self.encoding))

    def _texts(self, slices: Slices, dialect: Dialect, *, quoted: bool) -> Iterator[str]:
        """The text of a table: its header, then its rows in slices."""
        style: Literal["non_numeric", "necessary", "never"] = "necessary"
        if quoted or not dialect.quote:
            style = "non_numeric" if quoted else "never"
        yield format_header(slices.frame.columns, dialect, quoted=quoted)
        for rows in slices.blocks(max(1, WRITTEN_CELLS // slices.frame.width)):
            yield rows.write_csv(
                include_header=False,
                separator=dialect.delimiter,
                quote_char=dialect.quote or '"',
                quote_style=style,
                decimal_comma=self.decimal == ",",
                null_value=self.missing[0] if self.missing else None,
            )

    def _dialect(self, text: DecodedText | None = None) -> Dialect:
        """The given delimiter, else the one detected in the text, else the usual one."""
        delimiter = self.delimiter
        if delimiter is None and text is not None:
            delimiter = detect_delimiter(text.lines, self.quote, self.decimal)
        return Dialect(delimiter or (";" if self.decimal == "," else ","), self.quote)


def _check_codes(column: pl.Series, missing: tuple[str, ...]) -> None:
    """Refuse cells that would be read back as missing."""
    clash = column.cast(pl.String).is_in(list(missing)).fill_null(False)
    if clash.any():
        raise DataError(
            f"column '{column.name}' has {count(int(clash.sum()), 'cell')} equal to a code for "
            f"missing (first in row {first_row(clash)}); choose another code"
        )


def _check_text(text: pl.Series, dialect: Dialect) -> None:
    """Refuse text that would not be one cell: zero bytes, or what needs quotes without them."""
    pattern = "\\x00" if dialect.quote else f"{_unsafe(dialect)}|^$"
    if re.search(pattern, text.name):
        raise DataError(f"the name of column '{text.name}' cannot be written like this")
    unsafe = text.str.contains(pattern).fill_null(False)
    if unsafe.any():
        raise DataError(
            f"column '{text.name}' has text that cannot be written like this: "
            f"{count(int(unsafe.sum()), 'cell')}, the first in row {first_row(unsafe)}; "
            "blanks, delimiters and line breaks need quotes, zero bytes another format"
        )


def _unsafe(dialect: Dialect) -> str:
    """A pattern for what cannot stand in a cell without quotes."""
    return f"[{re.escape(dialect.delimiter + dialect.quote)}\\r\\n\\x00]"
