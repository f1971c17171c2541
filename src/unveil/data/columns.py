"""Single columns as polars series: what they store, as labels, as numbers, from text."""

from __future__ import annotations

import re
from typing import Literal

import polars as pl

Stored = Literal["whole numbers", "numbers", "dates", "times", "truth values", "text"]

NUMBER = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?"
_CODE = r"^\s*[+-]?(?:0\d|\d{16,}\s*$)"
_DATE = r"^\d{4}-\d{2}-\d{2}$"


def stored_as(column: pl.Series) -> Stored:
    """What a column stores, in words."""
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


def labels_of(column: pl.Series) -> pl.Series:
    """Each cell as the text of its category: 1, 1.0 and "1" are one category.

    >>> labels_of(pl.Series([1.0, 2.5, None])).to_list()
    ['1', '2.5', None]
    """
    if column.dtype.is_float():
        whole = (column == column.round()) & (column.abs() < 2**53)
        as_whole = column.set(~whole.fill_null(False), None).cast(pl.Int64).cast(pl.String)
        return as_whole.zip_with(whole.fill_null(True), column.cast(pl.String))
    return column.cast(pl.String)


def cell_of(label: str, kind: pl.DataType) -> pl.Series | None:
    """A label as the one cell of a column of some type; None where the type cannot hold it.

    >>> cell_of("-9.0", pl.Int64()).item(), cell_of("?", pl.Int64())
    (-9, None)
    """
    text = pl.Series([label])
    if kind == pl.String:
        return text
    if kind == pl.Boolean:
        return pl.Series([label == "true"]) if label in ("true", "false") else None
    if kind == pl.Date:
        cell = text.str.to_date("%Y-%m-%d", strict=False)
    elif kind.is_numeric() and not not_numbers(text).any():
        number = numbers_from_text(text)
        cell = number.cast(kind, strict=False)
        if (cell != number).any():  # 9.5 is no whole number
            return None
    else:
        return None
    return None if cell.null_count() else cell


def values_of(column: pl.Series) -> pl.Series:
    """Each cell as a 64-bit float; a date counts days, a time seconds.

    >>> import datetime
    >>> values_of(pl.Series([datetime.date(1970, 1, 2), None])).to_list()
    [1.0, None]
    """
    if column.dtype == pl.Date:
        return column.to_physical().cast(pl.Float64)
    if column.dtype == pl.Datetime:
        return column.dt.epoch("us").cast(pl.Float64) / 1e6
    return column.cast(pl.Float64)


def fits_a_float(column: pl.Series) -> bool:
    """Whether all whole numbers of a column are exact as 64-bit floats."""
    return not column.dtype.is_integer() or bool(column.is_between(-(2**53), 2**53).all())


def not_numbers(column: pl.Series, decimal: str = ".") -> pl.Series:
    """Which cells of a text column do not read as a number; a missing one does not count."""
    pattern = NUMBER.replace(r"\.", re.escape(decimal))
    return ~column.str.contains(rf"^\s*{pattern}\s*$").fill_null(True)


def numbers_from_text(column: pl.Series, decimal: str = ".") -> pl.Series:
    """A text column whose cells all read as numbers, as whole numbers if it can be."""
    whole = _whole_from_text(column)
    if whole is not None:
        return whole
    return column.str.strip_chars().str.replace(decimal, ".", literal=True).cast(pl.Float64)


def typed_from_text(column: pl.Series, decimal: str = ".") -> pl.Series:
    """A text column as numbers or dates where nothing is lost by it, else as it is.

    >>> typed_from_text(pl.Series(["1", None, "2"])).dtype
    Int64
    >>> typed_from_text(pl.Series(["01", "02"])).dtype
    String
    """
    if column.null_count() == len(column):
        return column
    whole = _whole_from_text(column)
    if whole is not None:
        return whole
    if column.str.contains(_DATE).all():
        dates = column.str.to_date("%Y-%m-%d", strict=False)
        return dates if dates.null_count() == column.null_count() else column
    # 007 is a code, and so is a whole number too long for exact arithmetic.
    if not_numbers(column, decimal).any() or column.str.contains(_CODE).any():
        return column
    numbers = numbers_from_text(column, decimal)
    return numbers if numbers.is_finite().all() else column


def _whole_from_text(column: pl.Series) -> pl.Series | None:
    """Whole numbers, if every cell is written as a computer writes one."""
    whole = column.cast(pl.Int64, strict=False)
    return whole if whole.cast(pl.String).equals(column) else None


def first_row(mask: pl.Series) -> int:
    """The row number, counted from 1, of the first true cell."""
    position = mask.arg_max()
    assert position is not None  # noqa: S101 - callers have seen a true cell
    return position + 1
