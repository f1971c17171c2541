"""Frames in and out: the only module that knows narwhals, pandas and pyarrow."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import narwhals as nw
import polars as pl

from unveil.errors import DataError, UsageError, import_optional
from unveil.table.codebook import Codebook
from unveil.table.columns import labels_of
from unveil.table.dtypes import outside_calendar, to_plain_type, unsupported_type
from unveil.wording import count, listing

Kind = Literal["polars", "pandas", "pyarrow"]
_KINDS: dict[Kind, Callable[[Any], bool]] = {
    "polars": nw.dependencies.is_polars_dataframe,
    "pandas": nw.dependencies.is_pandas_dataframe,
    "pyarrow": nw.dependencies.is_pyarrow_table,
}

# What polars raises for cells that it cannot hold; the messages quote them.
_REFUSALS = (pl.exceptions.PolarsError, pl.exceptions.PanicException, ArithmeticError, RuntimeError,
             TypeError, ValueError, AttributeError)  # fmt: skip


def to_polars(frame: Any) -> tuple[pl.DataFrame, Origin]:
    """A pandas, polars or pyarrow frame as polars columns, and its origin."""
    if isinstance(frame, pl.LazyFrame):
        try:
            frame = frame.collect()
        except pl.exceptions.PolarsError:  # its message may quote cells
            raise DataError(
                "the lazy frame cannot be collected; call collect() to see the error"
            ) from None
    kind = next((kind for kind, matches in _KINDS.items() if matches(frame)), None)
    if kind is None:
        raise UsageError(
            f"microdata is a pandas, polars or pyarrow frame, not {type(frame).__name__}"
        )
    check_names(frame.column_names if kind == "pyarrow" else list(frame.columns))
    native = nw.from_native(frame, eager_only=True)
    columns = pl.DataFrame([to_plain_type(_column(native[name], kind)) for name in native.columns])
    return columns, Origin(kind, _types(frame, kind), columns.schema, _orders(frame, kind))


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
        elif kind == "pyarrow" and len(frame) and _is_ordered(frame.schema.field(name).type):
            found[name] = frame.column(name).unify_dictionaries().chunk(0).dictionary.to_pylist()
    return {name: tuple(labels_of(pl.Series(listed))) for name, listed in found.items()}


def _is_ordered(arrow_type: Any) -> bool:
    return bool(getattr(arrow_type, "ordered", False))


class Origin(NamedTuple):
    """The kind of frame that the data came in, and the types of its columns."""

    kind: Kind = "polars"
    types: Mapping[str, Any] = {}  # of the frame's library
    stored: Mapping[str, pl.DataType] = {}  # of the polars columns
    orders: Mapping[str, tuple[str, ...]] = {}
    codebook: Codebook | None = None  # of a statistics package's file

    def with_changed(self, columns: pl.DataFrame, changed: Sequence[pl.Series]) -> Origin:
        """The origin after the cells of some columns have changed.

        A type that lists categories loses those that are gone from the cells. A decimal type is
        dropped, since a computed number need not fit it.
        """
        types, orders = dict(self.types), dict(self.orders)
        for column in changed:
            dtype, order = types.get(column.name), orders.get(column.name)
            if type(dtype).__name__.startswith("Decimal"):  # polars' and pyarrow's
                del types[column.name]
            listed = hasattr(dtype, "categories") and not isinstance(dtype, pl.Categorical)
            if not listed and order is None:
                continue
            gone = set(labels_of(columns[column.name]).unique()) - set(labels_of(column).unique())
            if listed and gone:
                types[column.name] = _without_categories(dtype, gone)
            if order is not None:
                orders[column.name] = tuple(c for c in order if c not in gone)
        return self._replace(types=types, orders=orders)

    def codebook_of(self, columns: pl.DataFrame) -> Codebook | None:
        """The codebook, without columns whose type has changed."""
        if self.codebook is None:
            return None
        same = [column.name for column in columns if column.dtype == self.stored.get(column.name)]
        return self.codebook._replace(variables={n: self.codebook.variable(n) for n in same})

    def to_frame(self, columns: pl.DataFrame, kind: Kind | None = None) -> Any:
        """The columns as the kind of frame that they came in, or as another kind.

        A column whose polars type has not changed gets its original type again.
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
            pandas = import_optional("pandas", "pandas", "a pandas frame")
            cells = {c.name: _pandas_column(pandas, c, types.get(c.name)) for c in columns}
            return pandas.DataFrame(cells)
        if kind == "pyarrow":
            return _to_arrow(columns, types)
        for name, dtype in types.items():
            with contextlib.suppress(pl.exceptions.PolarsError):
                columns = columns.with_columns(pl.col(name).cast(dtype))
        return columns


def _without_categories(dtype: Any, gone: set[str | None]) -> Any:
    """A type that lists categories, less some of them."""
    listed = [c for c in dtype.categories if labels_of(pl.Series([c])).item() not in gone]
    if isinstance(dtype, pl.Enum):
        return pl.Enum(listed)
    return type(dtype)(listed, ordered=dtype.ordered)


def check_names(names: Sequence[object]) -> None:
    """Refuse column names that are no text, blank, repeated, or a pattern of names to polars.

    Messages give positions, not names: in a file without a header the names are a record.
    """
    seen: dict[object, int] = {}
    for position, name in enumerate(names, start=1):
        if not isinstance(name, str):
            raise DataError(f"the name of column {position} is not text; name every column")
        if not name.strip():
            raise DataError(f"column {position} has a blank name; name every column")
        if name == "*" or (name.startswith("^") and name.endswith("$")):
            raise DataError(
                f"column {position} is called * or ^...$, a pattern of several names; rename it"
            )
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
        except _REFUSALS:
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
            f"column '{name}' mixes {count(len(kinds), 'type')} of cell "
            f"({listing(sorted(kind.__name__ for kind in kinds))}); make them one"
        )
    try:
        return pl.Series(name, cells, strict=True)
    except _REFUSALS:
        raise unsupported_type(name) from None


def _moments(series: nw.Series[Any], zone: str | None) -> pl.Series:
    """Times of a pandas column, to the nanosecond; a zone that polars lacks becomes UTC."""
    if zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    times = series.to_numpy().copy()
    if times.dtype == "datetime64[s]":  # polars has no seconds
        seconds, times = times, times.astype("datetime64[ms]")
        if (times.astype(seconds.dtype) != seconds)[times == times].any():  # noqa: PLR0124 - NaT
            raise outside_calendar(series.name)
    naive = pl.Series(series.name, times)
    if zone is None:
        return naive
    utc = naive.dt.replace_time_zone("UTC")
    with contextlib.suppress(pl.exceptions.PolarsError):  # such as UTC+02:00
        utc = utc.dt.convert_time_zone(zone)
    return utc


def _pandas_column(pandas: Any, column: pl.Series, dtype: Any) -> Any:
    """A column of a pandas frame, in its original type if that can hold it."""
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
        text = "str" if kind == pl.String and str(dtype) != "object" else "object"
        series = pandas.Series(column.to_list(), dtype=text)
    known = getattr(dtype, "categories", None)  # a category not among them would be lost
    if dtype is not None and (known is None or series.dropna().isin(known).all()):
        with contextlib.suppress(TypeError, ValueError):
            series = series.astype(dtype)
    return series


def _to_arrow(columns: pl.DataFrame, types: Mapping[str, Any]) -> Any:
    pyarrow = import_optional("pyarrow", "arrow", "a pyarrow frame")
    table = columns.to_arrow()
    for position, name in enumerate(table.column_names):
        with contextlib.suppress(pyarrow.ArrowException, KeyError):
            table = table.set_column(position, name, table.column(name).cast(types[name]))
    return table
