"""Single columns as polars series: their type, their labels, their numbers, read from text."""

import re
from collections.abc import Sequence
from typing import Literal, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

Stored = Literal["whole numbers", "numbers", "dates", "times", "truth values", "text"]

NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
LARGEST_EXACT = 2**53  # beyond it a 64-bit float skips whole numbers
LAST_NANOSECOND = 9_223_372_036_854_774  # microseconds from 1970 to the last nanosecond, in 2262
# Written like a code, not like a number: 007, +49, more digits than arithmetic keeps (16 in
# a whole number, 18 in another: 17 are what a computer writes).
_CODE = r"^\s*(?:[+]|-?0[0-9]|-?[0-9]{16,}\s*$|-?0*[.,]?0*[1-9](?:[.,]?[0-9]){17,})"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_TIME_FORMAT = "%Y-%m-%dT%H:%M:%S%.f"
_NANOSECONDS = r"\.[0-9]{7,9}$"
_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?$"


def stored_as(column: pl.Series) -> Stored:
    """The kind of values of a column, in words."""
    kind = column.dtype
    if kind.is_integer():
        return "whole numbers"
    if kind.is_float():
        return "numbers"
    if kind == pl.Boolean:
        return "truth values"
    if kind == pl.Date:
        return "dates"
    if kind == pl.Datetime:
        return "times"
    return "text"


def is_whole(column: pl.Series) -> bool:
    """Whether every number of a column is whole, however it is stored."""
    if column.dtype.is_float():
        present = column.drop_nulls()
        return bool((present == present.round()).all())
    return column.dtype.is_integer()


def labels_of(column: pl.Series) -> pl.Series:
    """The category of each cell as text: 1, 1.0 and "1" are one category."""
    if column.dtype.is_float():
        whole = (column == column.round()) & (column.abs() < LARGEST_EXACT)
        as_whole = column.set(~whole.fill_null(False), None).cast(pl.Int64).cast(pl.String)
        return as_whole.zip_with(whole.fill_null(True), column.cast(pl.String))
    return column.cast(pl.String)


def whole_numbers(column: pl.Series) -> pl.Series:
    """A column of floats as whole numbers, if every cell is one."""
    whole = (column == column.round()) & (column.abs() <= LARGEST_EXACT)
    return column.cast(pl.Int64) if whole.all() else column


def cell_of(label: str, kind: pl.DataType) -> pl.Series | None:
    """A label as the one cell of a column of some type; None where the type cannot hold it."""
    text = pl.Series([label])
    if kind == pl.String:
        return text
    if kind.is_float() and label.lower() in ("inf", "-inf"):
        return pl.Series([float(label)], dtype=kind)
    if kind.is_integer():
        return _whole_cell(text, kind)
    typed = numbers_from_text(text) if not not_numbers(text).any() else typed_from_text(text)
    both_numbers = typed.dtype.is_numeric() and kind.is_numeric()
    if both_numbers or (typed.dtype == pl.Datetime and _is_zoneless(kind)):
        cell = typed.cast(kind, strict=False)
        return None if cell.has_nulls() else cell  # nanoseconds end in 2262
    return typed if typed.dtype == kind else None


def _is_zoneless(kind: pl.DataType) -> bool:
    return isinstance(kind, pl.Datetime) and kind.time_zone is None


def _whole_cell(text: pl.Series, kind: pl.DataType) -> pl.Series | None:
    """A whole number, even beyond the range of floats; 9.0 is one, 9.5 is not."""
    whole = text.str.strip_chars().cast(pl.Int128, strict=False)
    if whole.has_nulls() and not not_numbers(text).any():
        number = numbers_from_text(text)
        exact = (number == number.round()) & (number.abs() <= LARGEST_EXACT)
        whole = number.cast(pl.Int128, strict=False).set(~exact, None)
    cell = whole.cast(kind, strict=False)
    return None if cell.has_nulls() else cell


def values_of(column: pl.Series) -> pl.Series:
    """Each cell as a 64-bit float; a date counts days, a time seconds."""
    if column.dtype == pl.Date:
        return column.to_physical().cast(pl.Float64)
    if column.dtype == pl.Datetime:
        return column.dt.epoch("us").cast(pl.Float64) / 1e6
    return column.cast(pl.Float64)


def fits_a_float(column: pl.Series) -> bool:
    """Whether all whole numbers of a column are exact as 64-bit floats."""
    if not column.dtype.is_integer() or column.null_count() == len(column):
        return True
    low, high = cast("tuple[int, int]", (column.min(), column.max()))
    return low >= -LARGEST_EXACT and high <= LARGEST_EXACT


def not_numbers(column: pl.Series, decimal: str = ".") -> pl.Series:
    """Which cells of a text column are no number; a missing cell does not count."""
    pattern = NUMBER.replace(r"\.", re.escape(decimal))
    return ~column.str.contains(rf"^\s*{pattern}\s*$").fill_null(True)


def numbers_from_text(column: pl.Series, decimal: str = ".") -> pl.Series:
    """A text column of numbers as numbers, whole ones if possible."""
    whole = whole_from_text(column)
    if whole is not None:
        return whole
    return column.str.strip_chars().str.replace(decimal, ".", literal=True).cast(pl.Float64)


def typed_from_text(column: pl.Series, decimal: str = ".") -> pl.Series:
    """A text column as numbers, dates, times or truth values, if every cell is one.

    Cells written like codes (007, +49, very long numbers) stay text.
    """
    if column.dtype != pl.String:  # typed when the file was read
        return column
    cells = column.set(column == "", None)  # a quoted blank, as some exporters write it
    if cells.null_count() == len(cells):
        return column
    for typed in (whole_from_text(cells), _truth_from_text(cells), _moment_from_text(cells)):
        if typed is not None:
            return typed
    if not_numbers(cells, decimal).any() or cells.str.contains(_CODE).any():
        return column
    numbers = numbers_from_text(cells, decimal)
    return numbers if numbers.is_finite().all() else column


def whole_from_text(column: pl.Series) -> pl.Series | None:
    """Whole numbers, if every cell is written as a computer writes one."""
    whole = column.cast(pl.Int64, strict=False)
    return whole if whole.cast(pl.String).equals(column) else None


def _truth_from_text(column: pl.Series) -> pl.Series | None:
    return (column == "true") if column.is_in(["true", "false"]).all() else None


def _moment_from_text(column: pl.Series) -> pl.Series | None:
    """Dates and times, if every cell is one in ISO 8601."""
    if column.str.contains(_DATE).all():
        moments = column.str.to_date("%Y-%m-%d", strict=False)
    elif column.str.contains(_TIME).all():
        spelt = column.str.replace(" ", "T", literal=True)
        moments = spelt.str.to_datetime(_TIME_FORMAT, time_unit="us", strict=False)
        if column.str.contains(_NANOSECONDS).any():
            if not moments.cast(pl.Int64).is_between(-LAST_NANOSECOND, LAST_NANOSECOND).all():
                return None  # 64 bits of nanoseconds would wrap
            moments = spelt.str.to_datetime(_TIME_FORMAT, time_unit="ns", strict=False)
    else:
        return None
    in_calendar = (moments.dt.year() >= 1).all()
    return moments if in_calendar and moments.null_count() == column.null_count() else None


def codes_of(labels: pl.Series, categories: Sequence[str]) -> NDArray[np.int32]:
    """The code of each label among the categories, which must contain it; -1 where missing."""
    placed = labels.cast(pl.Enum(categories)).to_physical().cast(pl.Int32).fill_null(-1)
    return placed.to_numpy()


def text_ranks(texts: pl.Series) -> pl.Series:
    """The rank of each text among the different ones, from 1; 0 where missing."""
    listed = texts.drop_nulls().unique().sort()
    return pl.Series(texts.name, codes_of(texts, listed.to_list()) + 1)


def without_minus_zero(column: pl.Series) -> pl.Series:
    """A column in which zero has no sign: -0.0 and 0.0 are one number, and are written alike."""
    if not column.dtype.is_float() or not (zero := (column == 0).fill_null(False)).any():
        return column
    return column.set(zero, 0.0)


def equal_cells(a: pl.Series, b: pl.Series) -> bool:
    """Whether two columns have the same cells: numbers as numbers, categories as labels."""
    if a.dtype.is_numeric() and b.dtype.is_numeric():
        whole = a.dtype.is_integer() and b.dtype.is_integer()
        kind = pl.Int128 if whole else pl.Float64
        return a.cast(kind).equals(b.cast(kind))
    return labels_of(a).equals(labels_of(b))


def first_row(mask: pl.Series) -> int:
    """The row number, counted from 1, of the first true cell."""
    return cast("int", mask.arg_max()) + 1
