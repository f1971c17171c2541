"""Microdata: a table of records about people, with its schema."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import polars as pl

from unveil.errors import DataError, SchemaError, UsageError
from unveil.support import display
from unveil.support.checked_calls import checked_class
from unveil.table.attribute import Attribute
from unveil.table.chunked_text import ChunkedText
from unveil.table.codebook import Codebook
from unveil.table.columns import equal_cells, labels_of
from unveil.table.conform import (
    check_columns,
    conform_column,
    conform_undeclared,
    conforming_cells,
    mark_tags,
    restore_codes,
    without_cells,
)
from unveil.table.dtypes import to_plain_type
from unveil.table.frames import Kind, Origin, check_names, to_polars
from unveil.table.infer import guess_level
from unveil.table.roles import ROLES, Level, role_meaning
from unveil.table.schema import Schema
from unveil.table.written_forms import WrittenForms
from unveil.wording import absent_column, count, fitted, listing

T = TypeVar("T")
REMEMBERED = 100_000  # records up to which results of single columns are kept


@checked_class
class Microdata:
    """A table of records with its schema; immutable.

    A cell that is null, not-a-number or one of its attribute's missing codes is missing; the codes
    come back when the table is exported or written.

    Parameters
    ----------
    frame
        A pandas, polars or pyarrow frame.
    schema
        The roles and levels of the columns. A column that it does not name has no role.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [31, 54, 99], "sex": ["f", "m", "f"]})
    >>> data = Microdata(frame, Schema(quasi=["age", "sex"], missing={"age": [99]}))
    >>> data
    Microdata(3 records, 2 columns: 2 quasi)
    >>> data.column("age").null_count()
    1
    >>> data.to_frame().equals(frame)
    True
    """

    __slots__ = ("_columns", "_forms", "_origin", "_remembered", "schema")

    _remembered: dict[str, dict[Hashable, Any]]  # by column
    _columns: pl.DataFrame
    _forms: WrittenForms
    _origin: Origin
    schema: Schema

    def __init__(self, frame: Any, schema: Schema | None = None) -> None:
        self._conform(*to_polars(frame), schema, decimal=None)

    @classmethod
    def from_text(
        cls,
        columns: pl.DataFrame | ChunkedText,
        schema: Schema | None = None,
        *,
        decimal: str = ".",
        missing: Sequence[str] = (),
    ) -> Microdata:
        """Make Microdata of the text cells of a file; numbers and dates are detected.

        A nominal column stays text. A column without a level becomes numbers, dates, times or
        truth values if every cell is one and none is written like a code (``007``). Cells with one
        of the texts in ``missing`` are missing.

        >>> import polars as pl
        >>> Microdata.from_text(pl.DataFrame({"age": ["31"], "zip": ["01067"]})).to_frame().rows()
        [(31, '01067')]
        """
        new = object.__new__(cls)
        new._conform(columns, Origin(), schema, decimal=decimal, empty=missing)
        return new

    @classmethod
    def from_columns(
        cls, columns: pl.DataFrame, schema: Schema, codes: Mapping[str, pl.Series]
    ) -> Microdata:
        """Make Microdata of columns of other tables, with the missing codes of their cells."""
        new = object.__new__(cls)
        new._conform(*to_polars(columns), schema, None, codes)
        return new

    @classmethod
    def from_labelled(
        cls,
        columns: pl.DataFrame,
        schema: Schema,
        codebook: Codebook,
        tags: Mapping[str, pl.Series],
    ) -> Microdata:
        """Make Microdata of a statistics package's file.

        ``tags``: the kind of missing value (.a, .b) of each cell, for some columns; the tags are
        missing codes of the schema.
        """
        check_names(columns.columns)
        columns = pl.DataFrame([to_plain_type(column) for column in columns])
        new = object.__new__(cls)
        origin = Origin(stored=columns.schema, codebook=codebook)
        new._conform(columns, origin, schema, None, tags)
        return new

    def _conform(
        self,
        columns: pl.DataFrame | ChunkedText,
        origin: Origin,
        schema: Schema | None,
        decimal: str | None,
        tags: Mapping[str, pl.Series] | None = None,
        empty: Sequence[str] = (),
    ) -> None:
        if columns.is_empty():
            raise DataError("there are no records")
        schema = Schema() if schema is None else schema
        if not isinstance(schema, Schema):
            raise UsageError(f"a schema is a Schema, not {type(schema).__name__}")
        check_columns(schema, columns.columns)
        kept, codes, spellings, attributes = [], [], [], {}
        for text in columns:
            raw = without_cells(text, empty)
            if raw.name in schema:
                ordered = raw.name in origin.orders
                conformed = conform_column(raw, schema[raw.name], decimal, ordered=ordered)
                attributes[raw.name] = conformed.attribute
            else:
                conformed = conform_undeclared(raw, decimal)
            if tags and raw.name in tags:
                conformed = mark_tags(conformed, tags[raw.name])
            if raw is not text:  # NA, and an empty cell, are written differently
                conformed = conformed.spelt_as(text)
            kept.append(conformed.column)
            codes += [] if conformed.codes is None else [conformed.codes]
            spellings += [] if conformed.spellings is None else [conformed.spellings]
        forms = WrittenForms(pl.DataFrame(codes), pl.DataFrame(spellings))
        self._set(pl.DataFrame(kept), forms, origin, Schema(attributes))

    def _set(
        self, columns: pl.DataFrame, forms: WrittenForms, origin: Origin, schema: Schema
    ) -> None:
        for name, value in zip(self.__slots__, (columns, forms, origin, {}, schema), strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Microdata is immutable; make a new one to set {name}")

    def __reduce__(self) -> tuple[Any, ...]:  # for a worker process
        return _restored, (self._columns, self._forms, self._origin, self.schema)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in the file's order."""
        return tuple(self._columns.columns)

    def __len__(self) -> int:
        return self._columns.height

    def column(self, name: str) -> pl.Series:
        """One column, with missing cells null."""
        if not isinstance(name, str):  # a number would be a row
            raise DataError(f"a column is named by a text, not by {type(name).__name__}")
        if name not in self._columns.columns:
            raise DataError(absent_column(name, self.columns))
        return self._columns[name]

    def missing_code(self, name: str) -> pl.Series:
        """The missing code of each cell of a column, null where there is none."""
        self.check(name)
        if not self.has_missing_codes(name):
            return pl.Series(name, [None], dtype=pl.String).new_from_index(0, len(self))
        codes = pl.Series(name, [None, *self.schema[name].missing], dtype=pl.String)
        return codes.gather(self._forms.codes[name])

    def has_missing_codes(self, name: str) -> bool:
        """Whether any cell of a column has a missing code."""
        return name in self._forms.codes.columns and bool((self._forms.codes[name] > 0).any())

    def spellings(self, name: str) -> pl.Series | None:
        """The text of each cell in its file, an ordered Enum; None: each value has one spelling."""
        return self._forms.spellings[name] if name in self._forms.spellings.columns else None

    def with_one_spelling(self) -> Microdata:
        """The table as it is written here: each value in one spelling."""
        return self._copy(self._columns, self._forms._replace(spellings=pl.DataFrame()))

    def with_one_missing_code(self, columns: Sequence[str]) -> Microdata:
        """A copy in which all missing cells of a column are written alike, in these columns.

        They get the first declared code that the column has, and stay empty where it has none.
        """
        chosen = [self.column(name) for name in dict.fromkeys(columns)]
        return self._copy(self._columns, self._forms.with_one_code(chosen))

    @property
    def codebook(self) -> Codebook | None:
        """The codebook of the statistics package's file that the table came from.

        Columns whose type has changed since are left out.
        """
        return self._origin.codebook_of(self._columns)

    def check(self, *names: str) -> None:
        """Refuse a column that is not there, and list those that are."""
        for name in names:
            self.column(name)

    def require(self, role: str) -> tuple[str, ...]:
        """The columns with a role, or an error that lists the columns without one."""
        found = self.schema.with_role(role)
        if not found:
            words = " and ".join(r for r in ROLES if r in role_meaning(role).roles)
            free = [name for name in self.columns if not self.schema[name].role]
            raise SchemaError(
                f"no attribute has the role {words}; declare one in the schema; columns without "
                f"a role: {listing(free) or 'none'}"
            )
        return found

    def order(self, name: str) -> tuple[str, ...]:
        """The order of a column's categories: as declared, else as in its type."""
        declared = self.schema[name]
        if declared.order or declared.level == "nominal":
            return declared.order
        of_type = self._origin.orders.get(name, ())
        return tuple(category for category in of_type if category not in declared.missing)

    def level(self, name: str) -> Level:
        """The level of a column: as declared, else guessed from its type."""
        declared = self.schema[name].level
        if declared is None:
            declared = guess_level(self.column(name), ordered=bool(self.order(name)))
        return declared

    def remember(self, column: str, what: Hashable, compute: Callable[[], T]) -> T:
        """A result that depends on one column alone: computed once, except in large tables."""
        if len(self) > REMEMBERED:
            return compute()
        known = self._remembered.setdefault(column, {})
        if what not in known:
            known[what] = compute()
        found: T = known[what]
        return found

    def replace(
        self, columns: Sequence[pl.Series], attributes: Mapping[str, Attribute] | None = None
    ) -> Microdata:
        """A copy with new cells in some columns, and with their new attributes.

        A mask leaves a missing cell missing or makes it a star. New cells must conform to the
        attribute: none is a missing code, every category is in the order and in the hierarchy. A
        star or a value in place of a missing cell removes its code.
        """
        self.check(*(column.name for column in columns))
        schema = self.schema.updated(attributes or {})
        columns = conforming_cells(columns, schema)
        origin = self._origin.with_changed(self._columns, columns)
        forms = self._forms.with_changed(columns)
        new = self._copy(self._columns.with_columns(columns), forms, schema, origin)
        return new._remembering(self, {*(one.name for one in columns), *(attributes or ())})

    def new_records(self, columns: Sequence[pl.Series]) -> Microdata:
        """A table of new records, such as synthetic ones, with some of these columns."""
        names = [column.name for column in columns]
        self.check(*names)
        columns = conforming_cells(columns, self.schema)
        origin = self._origin.with_changed(self._columns, columns)
        forms = WrittenForms(pl.DataFrame(), pl.DataFrame())
        return self._copy(pl.DataFrame(columns), forms, self.schema.only(names), origin)

    def with_column(self, column: pl.Series, attribute: Attribute) -> Microdata:
        """A copy with one more column."""
        schema = self.schema.updated({column.name: attribute})
        new = self._copy(self._columns.with_columns(column), self._forms, schema)
        return new._remembering(self, {column.name})

    def select(self, columns: Sequence[str]) -> Microdata:
        """A copy with these columns only, in this order; a text is the name of one."""
        columns = [columns] if isinstance(columns, str) else columns
        self.check(*columns)
        if not columns or len(set(columns)) < len(columns):
            raise UsageError("select at least one column, and none twice")
        forms = self._forms.select(columns)
        new = self._copy(self._columns.select(columns), forms, self.schema.only(columns))
        return new._remembering(self, set())

    def take(self, rows: np.ndarray[Any, Any] | Sequence[int]) -> Microdata:
        """A copy with these rows, counted from 0, in this order."""
        chosen = np.asarray(rows)
        if chosen.size == 0:
            raise DataError("no rows are left")
        if chosen.dtype.kind not in "iu" or chosen.min() < 0 or chosen.max() >= len(self):
            raise UsageError(f"rows are whole numbers from 0 to {len(self) - 1}")
        index = pl.Series(chosen, dtype=pl.Int64)
        return self._copy(self._columns[index], self._forms.take(index))

    def _copy(
        self,
        columns: pl.DataFrame,
        forms: WrittenForms,
        schema: Schema | None = None,
        origin: Origin | None = None,
    ) -> Microdata:
        declared = self.schema if schema is None else schema
        return _restored(columns, forms, origin or self._origin, declared)

    def _remembering(self, source: Microdata, changed: set[str]) -> Microdata:
        """Share the results of the columns that this table has unchanged from the source."""
        for name in set(self.columns) - changed:
            self._remembered[name] = source._remembered.setdefault(name, {})
        return self

    @property
    def frame_kind(self) -> Kind:
        """The kind of frame that the table came in; polars for a file."""
        return self._origin.kind

    def to_frame(self, kind: Kind | None = None) -> Any:
        """Export the table as the kind of frame it came in, or as another kind.

        A missing code comes back where the column's type can hold it; other missing cells are
        null. A pandas index is not kept.
        """
        return self._origin.to_frame(self._restored(None), kind)

    def to_text_frame(self, decimal: str = ".") -> pl.DataFrame:
        """Export the table for a text file, which can hold every missing code.

        Categories are written as their labels, numbers with the decimal sign.
        """
        restored = self._restored(decimal)
        return restored.with_columns(
            labels_of(restored[name])
            for name in self.schema
            if self.schema[name].level != "numeric" or self.schema[name].generalised
        )

    def _restored(self, decimal: str | None) -> pl.DataFrame:
        return self._columns.with_columns(
            restore_codes(self._columns[code.name], code, self.schema[code.name].missing, decimal)
            for code in self._forms.codes
        )

    def __copy__(self) -> Microdata:
        return self

    def __deepcopy__(self, memo: object) -> Microdata:
        return self

    def __eq__(self, other: object) -> bool:
        """Equal schemas and cells: numbers as numbers, categories as labels, missing as missing."""
        if not isinstance(other, Microdata):
            return NotImplemented
        return (
            self.columns == other.columns
            and len(self) == len(other)
            and self.schema == other.schema
            and all(equal_cells(a, b) for a, b in zip(self._columns, other._columns, strict=True))
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        roles = self.schema.role_counts()
        summary = f"{count(len(self), 'record')}, {count(len(self.columns), 'column')}"
        return fitted(f"Microdata({summary}{': ' if roles else ''}{', '.join(roles)})")

    _repr_html_ = display.html


def _restored(*state: Any) -> Microdata:
    new = object.__new__(Microdata)
    new._set(*state)
    return new
