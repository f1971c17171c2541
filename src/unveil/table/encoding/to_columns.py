"""Arrays into columns: the results of a mask in the type that the column had."""

from typing import NamedTuple

import numpy as np
import polars as pl

from unveil.errors import DataError
from unveil.support.arrays import Floats, Ints
from unveil.table.columns import LARGEST_EXACT, LAST_NANOSECOND, cell_of, codes_of, labels_of
from unveil.table.dtypes import FIRST_DAY, LAST_DAY
from unveil.wording import count

_PER_SECOND = {"ms": 1e3, "us": 1e6, "ns": 1e6}  # microseconds are the finest unit
_SINGLE = 2.0**-24  # half the gap between 32-bit numbers, relative
_LEAST_SINGLE = 2.0**-150  # the same near 0


class Slack(NamedTuple):
    """How far rounding to a column's type can have moved a value."""

    absolute: float = 0.0
    relative: float = 0.0

    def around(self, values: Floats) -> Floats:
        """The slack of each value."""
        return self.absolute + self.relative * np.abs(values)


def as_column(column: pl.Series, values: Floats, *, keep_type: bool = True) -> pl.Series:
    """Numbers as a column like the given one; NaN is missing.

    Values of an integer column are rounded to integers, unless `keep_type` is false: then they
    become 64-bit floats. Dates are rounded to days, times to their unit. A value that the type
    cannot hold is an error.
    """
    kind = column.dtype if keep_type or not column.dtype.is_integer() else pl.Float64()
    rounded = values
    if isinstance(kind, pl.Datetime):
        rounded = np.rint(values * _PER_SECOND[kind.time_unit])
    elif not kind.is_float():
        rounded = np.rint(values)
    low, high = _range_of(kind)
    absent = column.is_null().to_numpy()
    outside = ~absent & ~((rounded >= low) & (rounded <= high))
    if outside.any():
        remedy = "or set keep_type to false" if kind.is_integer() else "or rescale it"
        raise DataError(
            f"column '{column.name}' has {count(int(outside.sum()), 'masked value')} that its "
            f"type ({kind}) cannot hold; give the column a wider type, {remedy}"
        )
    # Plus 0: the sign of a zero would reveal what it was.
    cells = pl.Series(column.name, np.where(absent, 0.0, rounded) + 0.0)
    return _typed(cells, kind).set(column.is_null(), None)


def _range_of(kind: pl.DataType) -> tuple[float, float]:
    """The least and the greatest number that a type holds, in its unit."""
    if kind == pl.Boolean:
        return 0.0, 1.0
    if kind == pl.Date:
        return FIRST_DAY, LAST_DAY
    if isinstance(kind, pl.Datetime):
        day = 86_400 * _PER_SECOND[kind.time_unit]
        if kind.time_unit == "ns":
            return -LAST_NANOSECOND, LAST_NANOSECOND
        return FIRST_DAY * day, (LAST_DAY + 1) * day - 1
    if kind.is_float():
        most = float(np.finfo(np.float32 if kind == pl.Float32 else np.float64).max)
        return -most, most
    low, high = pl.select(low=kind.min(), high=kind.max()).row(0)  # type: ignore[attr-defined]
    return float(max(low, -LARGEST_EXACT)), float(min(high, LARGEST_EXACT))


def _typed(numbers: pl.Series, kind: pl.DataType) -> pl.Series:
    if isinstance(kind, pl.Datetime):
        moments = numbers.cast(pl.Int64).cast(pl.Datetime("ms" if kind.time_unit == "ms" else "us"))
        if kind.time_zone is not None:
            moments = moments.dt.replace_time_zone("UTC").dt.convert_time_zone(kind.time_zone)
        return moments.cast(kind)
    if kind == pl.Date:
        return numbers.cast(pl.Int32).cast(pl.Date)
    if kind == pl.Boolean:
        return numbers == 1.0
    return numbers.cast(kind)


def slack_of(column: pl.Series, *, keep_type: bool = True) -> Slack:
    """How far rounding to the column's type can move a value."""
    kind = column.dtype
    if (kind.is_integer() and keep_type) or kind in (pl.Date, pl.Boolean):
        return Slack(0.5, 0.0)
    if isinstance(kind, pl.Datetime):
        # 64-bit seconds are themselves rounded: about 1e-6 in this century
        return Slack(0.5 / _PER_SECOND[kind.time_unit], 2.0**-51)
    return Slack(_LEAST_SINGLE, _SINGLE) if kind == pl.Float32 else Slack()


def donated(column: pl.Series, donors: Ints) -> pl.Series:
    """The cell of each record's donor, by row from 0; -1 is missing."""
    rows = pl.Series(donors, dtype=pl.Int64)
    return column.gather(rows.set(rows < 0, None)).alias(column.name)


def labelled(column: pl.Series, labels: pl.Series) -> pl.Series | None:
    """Categories as a column like the given one; None if its type cannot hold one of them.

    A category of the column is written as in the column, another one by its label.
    """
    if column.dtype == pl.String:
        return labels.alias(column.name)
    own = (
        pl.DataFrame({"label": labels_of(column)})
        .with_row_index("row")
        .unique("label", keep="first")
    )
    first = dict(zip(own["label"], own["row"], strict=True))
    listed = labels.drop_nulls().unique(maintain_order=True).to_list()
    cells = [
        column.gather([first[label]]) if label in first else cell_of(label, column.dtype)
        for label in listed
    ]
    held = [cell.alias(column.name) for cell in cells if cell is not None]
    if len(held) < len(cells):
        return None
    return donated(pl.concat([column.clear(), *held]), codes_of(labels, listed).astype(np.int64))
