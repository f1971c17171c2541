"""Any frame in, the same kind out: the one room that knows narwhals, pandas and pyarrow."""

from __future__ import annotations

import contextlib
import importlib
from typing import TYPE_CHECKING, Any, Literal

import narwhals as nw
import polars as pl

from unveil.errors import DataError, MissingPackageError, UsageError, count, listing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Kind = Literal["polars", "pandas", "pyarrow"]
_TEXT_TYPES = {"string", "large_string", "string_view", "str", "object"}
_EXTRA = {"pandas": "pandas", "pyarrow": "arrow"}


_KINDS: dict[Kind, Callable[[Any], bool]] = {
    "polars": nw.dependencies.is_polars_dataframe,
    "pandas": nw.dependencies.is_pandas_dataframe,
    "pyarrow": nw.dependencies.is_pyarrow_table,
}


def to_polars(frame: Any) -> tuple[pl.DataFrame, Origin]:
    """Take in a pandas, polars or pyarrow frame."""
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    kind = next((kind for kind, is_one in _KINDS.items() if is_one(frame)), None)
    if kind is None:
        raise UsageError(
            f"microdata is a pandas, polars or pyarrow frame, not {type(frame).__name__}"
        )
    check_names(frame.column_names if kind == "pyarrow" else list(frame.columns))
    native = nw.from_native(frame, eager_only=True)
    columns = [_plain(_column(native[name], kind)) for name in native.columns]
    return pl.DataFrame(columns), Origin(kind, frame)


class Origin:
    """What kind of frame the data came in, and the types that its columns had."""

    def __init__(self, kind: Kind, frame: Any = None) -> None:
        self.kind: Kind = kind
        self.types: dict[str, Any] = {}
        self.orders: dict[str, tuple[str, ...]] = {}
        if frame is None:
            return
        if kind == "pandas":
            self.types = dict(frame.dtypes)
        elif kind == "pyarrow":
            self.types = {field.name: field.type for field in frame.schema}
        else:
            self.types = dict(frame.schema)
        for name, dtype in nw.from_native(frame, eager_only=True).schema.items():
            if isinstance(dtype, nw.Enum):
                self.orders[name] = tuple(str(category) for category in dtype.categories)

    def was_text(self, column: str) -> bool:
        """Whether a column came in as text."""
        kind = self.types.get(column)
        return kind is not None and str(kind).lower() in _TEXT_TYPES

    def give_back(self, columns: pl.DataFrame, kind: Kind | None = None) -> Any:
        """Turn the columns into the kind of frame that they came in, or into another."""
        kind = kind or self.kind
        if kind not in _KINDS:
            raise UsageError(f"'{kind}' is not a kind of frame; kinds are: {listing(_KINDS)}")
        types = self.types if kind == self.kind else {}
        if kind == "pandas":
            return _to_pandas(columns, types)
        if kind == "pyarrow":
            return _to_arrow(columns, types)
        for name in types.keys() & set(columns.columns):
            with contextlib.suppress(pl.exceptions.PolarsError):
                columns = columns.with_columns(pl.col(name).cast(types[name]))
        return columns


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
        except (pl.exceptions.PolarsError, ValueError, TypeError):
            raise _unreadable(name) from None
        return pl.Series(name, converted)
    missing = series.is_null()
    if not missing.any() and series.dtype.is_numeric():
        return pl.Series(name, series.to_numpy())
    if series.dtype.is_float():
        return pl.Series(name, series.to_numpy().astype("float64"), nan_to_null=True)
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
        raise _unreadable(name) from None


def _plain(column: pl.Series) -> pl.Series:
    """Only numbers, truth values, text, dates and times; not-a-number is missing."""
    kind = column.dtype
    if kind.is_float():
        return column.fill_nan(None)
    if isinstance(kind, pl.Decimal):
        return column.cast(pl.Float64)
    if isinstance(kind, pl.Categorical | pl.Enum | pl.Null):
        return column.cast(pl.String)
    if kind.is_integer() or kind in (pl.Boolean, pl.String, pl.Date, pl.Datetime):
        return column
    raise _unreadable(column.name)


def _unreadable(name: str) -> DataError:
    return DataError(
        f"column '{name}' holds cells of a type that microdata cannot have; "
        "use numbers, text, truth values, dates or times"
    )


def _need(package: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError:
        raise MissingPackageError(package, _EXTRA[package], f"a {package} frame") from None


def _to_pandas(columns: pl.DataFrame, types: Mapping[str, Any]) -> Any:
    pandas = _need("pandas")
    made = {}
    for column in columns:
        gaps, kind = column.null_count() > 0, column.dtype
        if kind.is_integer() and gaps:
            series = pandas.Series(pandas.array(column.to_list(), dtype="Int64"))
        elif kind.is_numeric() or (kind == pl.Boolean and not gaps):
            series = pandas.Series(column.to_numpy())
        elif kind == pl.Datetime:
            series = pandas.Series(pandas.to_datetime(column.to_list()))
        else:
            wanted = types.get(column.name)  # an object column keeps None, a str one has NaN
            text = "str" if kind == pl.String and str(wanted) != "object" else "object"
            series = pandas.Series(column.to_list(), dtype=text)
        with contextlib.suppress(TypeError, ValueError):
            series = series.astype(types.get(column.name, series.dtype))
        made[column.name] = series
    return pandas.DataFrame(made)


def _to_arrow(columns: pl.DataFrame, types: Mapping[str, Any]) -> Any:
    pyarrow = _need("pyarrow")
    table = columns.to_arrow()
    for position, name in enumerate(table.column_names):
        with contextlib.suppress(pyarrow.ArrowException):
            column = table.column(name).cast(types.get(name, table.schema.field(name).type))
            table = table.set_column(position, name, column)
    return table
