"""The types that columns are stored in: numbers, truth values, text, dates, times."""

import polars as pl

from unveil.errors import DataError

FIRST_DAY, LAST_DAY = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31, from 1970-01-01


def to_plain_type(column: pl.Series) -> pl.Series:
    """A column as numbers, truth values, text, dates or times; not-a-number is missing."""
    kind = column.dtype
    if kind.is_float():
        return column.fill_nan(None) if column.is_nan().any() else column  # else not copied
    if isinstance(kind, pl.Decimal):
        return _converted(column, pl.Float64())
    if kind in (pl.Int128, pl.UInt128):
        return _converted(column, pl.Int64())
    if isinstance(kind, pl.Categorical | pl.Enum | pl.Null):
        return column.cast(pl.String)
    if kind in (pl.Date, pl.Datetime):
        return _in_calendar(column)
    if kind.is_integer() or kind in (pl.Boolean, pl.String):
        return column
    raise unsupported_type(column.name)


def _converted(column: pl.Series, kind: pl.DataType) -> pl.Series:
    """A column in a smaller type, if no cell changes."""
    made = column.cast(kind, strict=False)
    if not made.cast(column.dtype, strict=False).equals(column):
        raise DataError(
            f"column '{column.name}' has numbers with too many digits to compute with; make it "
            "text, or round it"
        )
    return made


def _in_calendar(column: pl.Series) -> pl.Series:
    """Refuse dates and times that cannot be written: outside the years 1 to 9999."""
    days = column.cast(pl.Date, strict=False).to_physical()
    far = days.null_count() > column.null_count()  # more days than a date can count
    if far or not days.is_between(FIRST_DAY, LAST_DAY).all():
        raise outside_calendar(column.name)
    return column


def outside_calendar(name: str) -> DataError:
    """The error for dates and times that cannot be written."""
    return DataError(
        f"column '{name}' has dates outside the years 1 to 9999; correct them, or make them missing"
    )


def unsupported_type(name: str) -> DataError:
    """The error for a column of a type that microdata cannot have."""
    return DataError(
        f"column '{name}' holds cells of an unsupported type; use numbers, text, truth values, "
        "dates or times"
    )
