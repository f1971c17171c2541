"""Any frame in, the same kind out: the one room that knows narwhals, pandas and pyarrow."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import narwhals as nw
import polars as pl

from unveil.errors import DataError, UsageError, import_optional
from unveil.table.codebook import Codebook
from unveil.table.columns import labels_of
from unveil.table.dtypes import to_plain_type, unsupported_type
from unveil.wording import count, listing

Kind = Literal["polars", "pandas", "pyarrow"]
_KINDS: dict[Kind, Callable[[Any], bool]] = {
    "polars": nw.dependencies.is_polars_dataframe,
    "pandas": nw.dependencies.is_pandas_dataframe,
    "pyarrow": nw.dependencies.is_pyarrow_table,
}


def to_polars(frame: Any) -> tuple[pl.DataFrame, Origin]:
    """Take in a pandas, polars or pyarrow frame."""
    if isinstance(frame, pl.LazyFrame):
        frame = _collected(frame)
    kind = next((kind for kind, is_one in _KINDS.items() if is_one(frame)), None)
    if kind is None:
        raise UsageError(
            f"microdata is a pandas, polars or pyarrow frame, not {type(frame).__name__}"
        )
    check_names(frame.column_names if kind == "pyarrow" else list(frame.columns))
    native = nw.from_native(frame, eager_only=True)
    columns = pl.DataFrame([to_plain_type(_column(native[name], kind)) for name in native.columns])
    return columns, Origin(kind, _types(frame, kind), columns.schema, _orders(frame, kind))


def _collected(frame: pl.LazyFrame) -> pl.DataFrame:
    try:
        return frame.collect()
    except pl.exceptions.PolarsError:  # its message may quote cells
        raise DataError("the lazy frame cannot be collected; collect it and look") from None


def _types(frame: Any, kind: Kind) -> dict[str, Any]:
    if kind == "pandas":
        return dict(frame.dtypes)
    if kind == "pyarrow":
        return {field.name: field.type for field in frame.schema}
    return dict(frame.schema)


def _orders(frame: Any, kind: Kind) -> dict[str, tuple[str, ...]]:
    """The categories of ordered types, in their order."""
    found: dict[str, list[Any]] = {}
    for name, dtype in nw.from_native(frame, eager_only=True).schema.items():
        if isinstance(dtype, nw.Enum):
            found[name] = list(dtype.categories)
        elif kind == "pyarrow" and getattr(frame.schema.field(name).type, "ordered", False):
            found[name] = frame.column(name).unify_dictionaries().chunk(0).dictionary.to_pylist()
    return {name: tuple(labels_of(pl.Series(listed))) for name, listed in found.items()}


class Origin(NamedTuple):
    """The kind of frame that the data came in, and what its columns were."""

    kind: Kind = "polars"
    types: Mapping[str, Any] = {}  # in the frame's own words
    stored: Mapping[str, pl.DataType] = {}  # as they were taken in
    orders: Mapping[str, tuple[str, ...]] = {}
    codebook: Codebook | None = None  # of a statistics package's file

    def after(self, before: pl.DataFrame, changed: Sequence[pl.Series]) -> Origin:
        """What is left of the types of columns whose cells have changed.

        A category that is gone from the cells goes from the type that lists it; a number
        that was computed need not fit a decimal type.
        """
        types, orders = dict(self.types), dict(self.orders)
        for column in changed:
            own, order = types.get(column.name), orders.get(column.name)
            if type(own).__name__.startswith("Decimal"):  # polars' and pyarrow's
                del types[column.name]
            listed = getattr(own, "categories", None) is not None
            if not listed and order is None:
                continue
            gone = set(labels_of(before[column.name]).unique()) - set(labels_of(column).unique())
            if listed and gone:
                types[column.name] = _without(own, gone)
            if order is not None:
                orders[column.name] = tuple(c for c in order if c not in gone)
        return self._replace(types=types, orders=orders)

    def give_back(self, columns: pl.DataFrame, kind: Kind | None = None) -> Any:
        """Turn the columns into the kind of frame that they came in, or into another.

        A column that is still stored as it was taken in gets its own type again.
        """
        kind = kind or self.kind
        if kind not in _KINDS:
            raise UsageError(f"'{kind}' is not a kind of frame; kinds are: {listing(_KINDS)}")
        types = {
            column.name: self.types[column.name]
            for column in columns
            if kind == self.kind
            and column.name in self.types
            and column.dtype == self.stored.get(column.name)
        }
        if kind == "pandas":
            return _to_pandas(columns, types)
        if kind == "pyarrow":
            return _to_arrow(columns, types)
        for name, wanted in types.items():
            with contextlib.suppress(pl.exceptions.PolarsError):
                columns = columns.with_columns(pl.col(name).cast(wanted))
        return columns


def _without(own: Any, gone: set[str | None]) -> Any:
    """A type that lists categories, less some of them."""
    listed = [c for c in own.categories if labels_of(pl.Series([c])).item() not in gone]
    if isinstance(own, pl.Enum):
        return pl.Enum(listed)
    return type(own)(listed, ordered=own.ordered)


def check_names(names: Sequence[object]) -> None:
    """Column names are text, none blank, none twice.

    Positions are named, not names: in a file without a header the names are a record.
    """
    seen: dict[object, int] = {}
    for position, name in enumerate(names, start=1):
        if not isinstance(name, str):
            raise DataError(f"the name of column {position} is not text; name every column")
        if not name.strip():
            raise DataError(f"column {position} has a blank name; name every column")
        if name in seen:
            raise DataError(
                f"columns {seen[name]} and {position} have the same name; rename one of them"
            )
        seen[name] = position
    if not names:
        raise DataError("there are no columns")


def _column(series: nw.Series[Any], kind: Kind) -> pl.Series:
    name = series.name
    if kind == "polars":
        native: pl.Series = series.to_native()
        return native
    if kind == "pyarrow":
        try:
            converted = pl.from_arrow(series.to_native())
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError, TypeError):
            raise unsupported_type(name) from None
        return pl.Series(name, converted)
    # Copied, because pandas frames are changed in place and Microdata never is.
    missing = series.is_null()
    if not missing.any() and series.dtype.is_numeric():
        return pl.Series(name, series.to_numpy().copy())
    if series.dtype.is_float():
        return pl.Series(name, series.to_numpy().astype("float64"), nan_to_null=True)
    if isinstance(series.dtype, nw.Datetime):
        return _moments(series, series.dtype.time_zone)
    cells = series.to_list()
    if missing.any():
        cells = [
            None if absent else cell for cell, absent in zip(cells, missing.to_list(), strict=True)
        ]
    if len(kinds := {type(cell) for cell in cells} - {type(None)}) > 1:
        raise DataError(
            f"column '{name}' holds {count(len(kinds), 'type')} of cell at once "
            f"({listing(sorted(kind.__name__ for kind in kinds))}); make them one"
        )
    try:
        return pl.Series(name, cells, strict=True)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        raise unsupported_type(name) from None


def _moments(series: nw.Series[Any], zone: str | None) -> pl.Series:
    """Times of a pandas column, to the nanosecond."""
    if zone is None:
        return pl.Series(series.name, series.to_numpy().copy())
    utc = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    naive = pl.Series(series.name, utc.to_numpy().copy())
    return naive.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)


def _to_pandas(columns: pl.DataFrame, types: Mapping[str, Any]) -> Any:
    pandas = import_optional("pandas", "pandas", "a pandas frame")
    made = {c.name: _pandas_column(pandas, c, types.get(c.name)) for c in columns}
    return pandas.DataFrame(made)


def _pandas_column(pandas: Any, column: pl.Series, own: Any) -> Any:
    """A column of a pandas frame, in its own type if it has one that holds it."""
    gaps, kind = column.null_count() > 0, column.dtype
    if kind.is_integer() and gaps:
        nullable = "UInt64" if kind == pl.UInt64 else "Int64"
        series = pandas.Series(pandas.array(column.to_list(), dtype=nullable))
    elif kind.is_numeric() or (kind == pl.Boolean and not gaps):
        series = pandas.Series(column.to_numpy(writable=True))
    elif isinstance(kind, pl.Datetime):
        utc = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        series = pandas.Series(utc.to_numpy(writable=True))
        if kind.time_zone:
            series = series.dt.tz_localize("UTC").dt.tz_convert(kind.time_zone)
    else:  # an object column keeps None, a str one has NaN
        text = "str" if kind == pl.String and str(own) != "object" else "object"
        series = pandas.Series(column.to_list(), dtype=text)
    known = getattr(own, "categories", None)  # a category not among them would be lost
    if own is not None and (known is None or series.dropna().isin(known).all()):
        with contextlib.suppress(TypeError, ValueError):
            series = series.astype(own)
    return series


def _to_arrow(columns: pl.DataFrame, types: Mapping[str, Any]) -> Any:
    pyarrow = import_optional("pyarrow", "arrow", "a pyarrow frame")
    table = columns.to_arrow()
    for position, name in enumerate(table.column_names):
        with contextlib.suppress(pyarrow.ArrowException, KeyError):
            table = table.set_column(position, name, table.column(name).cast(types[name]))
    return table
