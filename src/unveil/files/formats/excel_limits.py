"""Limits of a workbook, checked before anything is written."""

import datetime
import re
from collections.abc import Iterator

import polars as pl

from unveil.errors import DataError, FileError
from unveil.table.columns import first_row, fits_a_float
from unveil.table.dtypes import to_plain_type
from unveil.wording import count

ROWS, COLUMNS = 1_048_576, 16_384  # of a sheet, its header among them
LONGEST_TEXT = 32_767  # in a cell, counted as Excel counts: in UTF-16
LONGEST_NAME = 31  # of a sheet
# Excel counts a 29 February 1900 that never was: which day an earlier number means depends
# on the program that reads it.
FIRST_DAY = datetime.date(1900, 3, 1)
_REMEDY = "write it as CSV or Parquet"
_TWO_UNITS = r"[\x{10000}-\x{10FFFF}]"  # two units in UTF-16
# What readers take for an escape, a character that XML lacks, and what xlsxwriter takes
# for markup of its own.
_MARKUP = r"(?s)(?:_x[0-9A-Fa-f]{4}){2}_|[\x{FFFE}\x{FFFF}]|^<r>.*</r>$"


def check_sheet_name(name: str) -> None:
    """Refuse a name that Excel refuses for a sheet."""
    if len(name.encode("utf-16-le")) > 2 * LONGEST_NAME:
        raise FileError(f"the name of a sheet has at most {LONGEST_NAME} characters")
    if not name.strip():
        raise FileError("the name of a sheet is not blank")
    if re.search(r"[\[\]:*?/\\\x00-\x1f]", name):
        raise FileError("the name of a sheet has none of [ ] : * ? / \\ in it; name it without")
    if name.startswith("'") or name.endswith("'"):
        raise FileError("the name of a sheet neither begins nor ends with '; name it without")
    if name.lower() == "history":
        raise FileError("Excel keeps the sheet name History for itself; choose another")


def check_fits(frame: pl.DataFrame) -> list[pl.Series]:
    """The columns as a workbook can hold them; refuse what it cannot hold."""
    if frame.height >= ROWS or frame.width > COLUMNS:
        raise DataError(
            f"a sheet holds {ROWS - 1:,} records and {COLUMNS:,} columns; there are "
            f"{frame.height:,} and {frame.width:,}: {_REMEDY}"
        )
    columns = [to_plain_type(column) for column in frame]
    if frame.select(pl.all_horizontal(pl.all().is_null())).to_series()[-1]:
        raise DataError(
            "the last record has no cell that is not missing, and blank rows at the end of a "
            f"sheet are no records: leave it out, or {_REMEDY}"
        )
    _check_text(pl.Series("", frame.columns), "the names of the columns have")
    for column in columns:
        for problem in _problems(column):
            raise DataError(f"column '{column.name}' has {problem}")
        if column.dtype == pl.String:
            _check_text(column, f"column '{column.name}' has")
    return columns


def _problems(column: pl.Series) -> Iterator[str]:
    """The numbers and dates that Excel cannot hold."""
    kind = column.dtype
    if not fits_a_float(column):
        yield (
            "whole numbers beyond 2^53, which Excel cannot distinguish; make it text (and "
            f"declare it nominal), or {_REMEDY}"
        )
    if kind.is_float() and column.is_infinite().any():
        yield "a code for missing that is infinite; choose another code"
    if kind not in (pl.Date, pl.Datetime):
        return
    if isinstance(kind, pl.Datetime) and kind.time_zone is not None:
        yield "times with a time zone, which Excel does not know; convert them to one clock"
    early = (column.dt.date() < FIRST_DAY).fill_null(False)
    if early.any():
        yield (
            f"{count(int(early.sum()), 'date')} before March 1900 (first in row "
            f"{first_row(early)}), which Excel does not know; make it text, or {_REMEDY}"
        )
    if kind == pl.Datetime and not (column.dt.cast_time_unit("ms").cast(kind) == column).all():
        yield f"times finer than a millisecond, which Excel loses; round them, or {_REMEDY}"


def _check_text(column: pl.Series, where: str) -> None:
    """Refuse text that would not come back as it is."""
    length = column.str.len_chars() + column.str.count_matches(_TWO_UNITS)
    long = (length > LONGEST_TEXT).fill_null(False)
    if long.any():
        raise DataError(
            f"{where} text of over {LONGEST_TEXT:,} characters, which Excel cuts: "
            f"{count(int(long.sum()), 'cell')}, the first in row {first_row(long)}; shorten it, "
            f"or {_REMEDY}"
        )
    unsafe = column.str.contains(_MARKUP).fill_null(False)
    if unsafe.any():
        raise DataError(
            f"{where} text that a workbook treats as markup: {count(int(unsafe.sum()), 'cell')}, "
            f"the first in row {first_row(unsafe)}; {_REMEDY}"
        )
