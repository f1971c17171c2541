"""Read a CSV file at once: all its bytes, all its text, all its cells."""

import codecs
import csv
import io

import numpy as np
import polars as pl

from unveil.errors import DataError, FileError
from unveil.files.formats.csv.decoding import _check_kind
from unveil.files.formats.csv.header import (
    Dialect,
    detect_delimiter,
    malformed,
    parsable,
    read_header,
)
from unveil.table.microdata import Microdata


class Whole:
    """A text in one piece."""

    def __init__(self, text):
        self.text = text

    def lines(self):
        return iter(io.BytesIO(self.text))


def load(raw, schema, form):
    """What `Csv.load` makes of these bytes."""
    text = Whole(_decoded(raw, form.encoding, form.quote))
    found = form.delimiter or detect_delimiter(text.lines, form.quote, form.decimal)
    dialect = Dialect(found or (";" if form.decimal == "," else ","), form.quote)
    names, start = read_header(text.lines(), dialect, form.decimal)
    body = text.text[start:] if len(names) == 1 else text.text[start:].rstrip(b"\r\n")
    _check_widths(body, dialect, len(names))
    if not body:
        raise DataError("the file has a header and no record; add records")
    try:
        cells = pl.read_csv(
            codecs.BOM_UTF8 + body,
            has_header=False,
            schema=dict.fromkeys(names, pl.String),
            separator=dialect.delimiter,
            quote_char=dialect.quote or None,
        )
    except pl.exceptions.PolarsError:
        raise malformed() from None
    cells = cells.with_columns(
        column.set(column.is_in(list(form.missing)).fill_null(False), None) for column in cells
    )
    return Microdata.from_text(cells, schema, decimal=form.decimal)


def _decoded(raw, encoding, quote):
    _check_kind(io.BytesIO(raw), encoding)
    if encoding == "utf-8-sig":
        raw = raw.removeprefix(codecs.BOM_UTF8)  # from after which Python counts
    try:
        plain = raw.decode(encoding.removesuffix("-sig")).removeprefix("\ufeff").encode()
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


def _undecodable(before, encoding, quote):
    text = before.encode(errors="replace") + b"x"
    text = text if b"\n" in text else text.replace(b"\r", b"\n")
    row = len(list(_records(text, Dialect(",", quote), strict=False))) - 1
    where = f"row {row}" if row else "the header"
    hint = "latin-1" if encoding.lower().startswith("utf") else "utf-8"
    return FileError(
        f"{where} has bytes that are not {encoding} text; "
        f"name the right encoding (--encoding), perhaps {hint}"
    )


def _check_widths(body, dialect, width):
    try:
        widths = np.array([max(len(record), 1) for record in _records(body, dialect, strict=True)])
    except csv.Error:
        raise malformed() from None
    ragged = np.flatnonzero(widths != width)
    if len(ragged):
        cells = f"{widths[ragged[0]]} cell{'s' if widths[ragged[0]] > 1 else ''}"
        raise DataError(
            f"row {ragged[0] + 1} has {cells} and the header {width} column"
            f"{'s' if width > 1 else ''} (such rows: {len(ragged):,} of {len(widths):,}); correct "
            "the rows, or name the delimiter or the quote (--delimiter, --quote)"
        )


def _records(text, dialect, *, strict):
    quoting = csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE
    return csv.reader(
        map(parsable, io.BytesIO(text)),
        strict=strict,
        delimiter=dialect.delimiter,
        quotechar=dialect.quote or None,
        quoting=quoting,
    )
