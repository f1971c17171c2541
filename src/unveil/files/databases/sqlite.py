"""SQLite: a file of tables in which each cell has a type of its own."""

import contextlib
import os
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from unveil.errors import DataError, FileError, UnveilError, UsageError
from unveil.files.atomic_write import check_exists, check_target, follow_links
from unveil.files.databases.base import (
    DatabaseLocation,
    as_signed,
    execute,
    query_frame,
    quote_name,
)
from unveil.table.columns import LARGEST_EXACT, typed_from_text
from unveil.wording import reason

_VIEW = "unveil_is_reading_this"
_BATCH = {"adbc.sqlite.query.batch_rows": "65536"}
_WHOLE, _REAL, _TEXT, _BYTES, _LARGE = 1, 2, 4, 8, 16  # what a column holds, added up
_FIRST = {_WHOLE: "0", _REAL: "0.0", _TEXT: "''"}
_TYPES: dict[Any, str] = {
    pl.Boolean: "BOOLEAN",
    pl.String: "TEXT",
    pl.Date: "DATE",
    pl.Datetime: "TIMESTAMP",
}
_MOST_COLUMNS = 2000
_UTC = "+00:00"
_DAMAGED = "this is not an SQLite file, or it is damaged"
_SYNTAX = "SQLite does not understand the query, which is one statement"
_EXPLAINED: tuple[tuple[str, type[UnveilError], str], ...] = (
    ("no such table", UsageError, "a table that the query names is not in the database"),
    ("no such column", UsageError, "a column that the query names is not in the database"),
    ("is full", FileError, "the disk is full"),
    ("not a database", FileError, _DAMAGED),
    ("malformed", FileError, _DAMAGED),
    ("locked", FileError, "another program is writing to the file; try again when it is done"),
    ("already exists", FileError, "the table exists already; choose another name"),
    ("syntax error", UsageError, _SYNTAX),
    ("incomplete input", UsageError, _SYNTAX),
)


class SqliteLocation(DatabaseLocation):
    """A table of an SQLite file."""

    driver, extra, purpose = "adbc_driver_sqlite", "sqlite", "an SQLite database"

    @property
    def key(self) -> Hashable:
        return "sqlite", self.file, self.fold(self.uri.table or ""), self.uri.query

    @property
    def file(self) -> Path:
        """The file that the links of the path lead to."""
        return follow_links(self.uri.path)

    def companion(self, suffix: str) -> Path:
        """A file beside the database, called like the table."""
        return self.uri.path.parent / super().companion(suffix)

    @property
    def sql_name(self) -> str:
        return f"main.{quote_name(self.uri.table or '')}"

    def exists(self) -> bool:
        return self.uri.path.exists()

    def fold(self, table: str) -> str:
        """A name in small letters, as SQLite compares names: ASCII only."""
        return "".join(c.lower() if c.isascii() else c for c in table)

    def connect(self, driver: Any, *, writing: bool) -> Any:
        return driver.connect(f"{self.file.as_uri()}?mode={'rw' if writing else 'ro'}")

    @contextlib.contextmanager
    def connected(self, *, writing: bool) -> Iterator[Any]:
        """A connection with one transaction; a file that was created for it goes if it fails."""
        created = writing and _create(self.file)
        if not writing:
            check_exists(self.uri.path)
            # To open and close the file would undo the locks of others.
            if not os.access(self.uri.path, os.R_OK):
                raise FileError("cannot be read: permission denied")
        try:
            with super().connected(writing=writing) as connection:
                yield connection
        except BaseException:
            if created:
                self.file.unlink(missing_ok=True)
                self._journal.unlink(missing_ok=True)
            raise

    @property
    def _journal(self) -> Path:
        """The journal of SQLite, for a rollback."""
        return self.file.with_name(f"{self.file.name}-journal")

    def relations(self, connection: Any) -> dict[str, bool]:
        """Tables and views, their names in small letters."""
        names = query_frame(
            connection,
            "SELECT name, type = 'table' FROM main.sqlite_schema WHERE type IN ('table', 'view')",
        )
        return {self.fold(name): bool(is_table) for name, is_table in names.iter_rows()}

    def check_writable(self) -> None:
        """Refuse a folder, a file in no folder, and one without permission to write."""
        super().check_writable()
        if (self.uri.table or "").lower().startswith("sqlite_"):
            raise UsageError("names that begin with sqlite_ belong to SQLite: choose another")
        check_target(self.uri.path, force=True)
        if not os.access(self.file if self.file.exists() else self.file.parent, os.W_OK):
            raise FileError("cannot be written: permission denied")

    def fetch(self, connection: Any, query: str) -> pl.DataFrame:
        """Look first at what every column holds: the driver goes by the first cells alone."""
        self._check_whole(connection)
        names = _names(connection, query)
        cells = [f"c{position}" for position in range(len(names))]
        # In brackets there is one statement; the line break ends a comment at its end.
        view = f"CREATE TEMP VIEW {_VIEW} ({', '.join(cells)}) AS SELECT * FROM ({query}\n)"
        execute(connection, view)
        about = query_frame(connection, f"SELECT type FROM pragma_table_info('{_VIEW}')")
        declared = about["type"].cast(pl.String).fill_null("").to_list()
        counted = f"SELECT {', '.join(map(_contents_sql, cells))} FROM {_VIEW}"
        contents = query_frame(connection, counted).row(0)
        kinds = [_storage_class(*column) for column in zip(names, contents, strict=True)]
        # A first row of the right types, which the driver goes by.
        first = ", ".join(f"{_FIRST[k]} AS {c}" for c, k in zip(cells, kinds, strict=True))
        chosen = ", ".join(
            f"CAST({c} AS REAL)" if k == _REAL else c for c, k in zip(cells, kinds, strict=True)
        )
        sql = f"SELECT {first} UNION ALL SELECT {chosen} FROM {_VIEW}"
        frame = query_frame(connection, sql, **_BATCH).slice(1)
        columns = zip(names, frame, declared, strict=True)
        return pl.DataFrame([_typed(c.alias(name), kind) for name, c, kind in columns])

    def _check_whole(self, connection: Any) -> None:
        """Refuse a file that was cut short; SQLite would read what is missing as nothing."""
        pages = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
        log = self.file.with_name(f"{self.file.name}-wal")  # it may hold pages of the file
        if self.file.stat().st_size < query_frame(connection, pages).item() and not log.exists():
            raise FileError(_DAMAGED)

    def stored(self, column: pl.Series) -> tuple[pl.Series, str]:
        """Dates and times are text in ISO 8601, as SQLite's own functions have them."""
        kind = column.dtype
        if kind.is_integer():
            return as_signed(column), "INTEGER"
        if kind.is_float():
            return column.cast(pl.Float64), "REAL"
        if not isinstance(kind, pl.Datetime) or kind.time_zone is None:
            sent = column if kind == pl.Boolean else column.cast(pl.String)
            return sent, _TYPES[kind.base_type()]
        utc = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return utc.cast(pl.String) + _UTC, "TIMESTAMPTZ"

    def check_names(self, columns: Sequence[str]) -> None:
        """Refuse names that differ in case only, and too many."""
        if len(columns) > _MOST_COLUMNS:
            raise DataError(f"an SQLite table has at most {_MOST_COLUMNS:,} columns")
        seen: dict[str, str] = {}
        for name in columns:
            if "\0" in name:
                raise DataError("a column's name has a null byte in it; rename it")
            if (twin := seen.setdefault(self.fold(name), name)) != name:
                raise DataError(
                    f"columns '{twin}' and '{name}' differ in case only, and SQLite treats them "
                    "as one; rename one of them"
                )

    def ingest(self, cursor: Any, frame: pl.DataFrame) -> None:
        cursor.adbc_ingest(self.uri.table, frame, mode="append")

    def explain(self, error: BaseException, message: str, *, writing: bool) -> UnveilError:  # noqa: ARG002
        """The error, known by a few words of the driver that quote nothing."""
        for words, kind, sentence in _EXPLAINED:
            if words in message:
                return kind(sentence)
        if writing:
            return FileError("SQLite could not write the table; the file is unchanged")
        if "readonly" not in message:
            return FileError("SQLite could not read this; try the query in its own program")
        if self._journal.exists():
            return FileError(
                "a program was stopped while it wrote to the file; open it once with a program "
                "that may write, to repair it"
            )
        return UsageError("a query must only read: this one writes")


def _create(path: Path) -> bool:
    """Create an empty private file; false if the file exists."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    except OSError as error:
        raise FileError(f"cannot be written: {reason(error)}") from None
    return True


def _names(connection: Any, query: str) -> list[str]:
    """The names of a query's columns; SQLite would rename twins."""
    with connection.cursor() as cursor:
        cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": "1"})
        cursor.execute(query)
        try:
            return list(pl.Schema(cursor.fetch_arrow()))
        except pl.exceptions.DuplicateError:
            raise DataError(
                "two columns of the query have the same name; rename one with AS"
            ) from None


def _contents_sql(cell: str) -> str:
    """SQL for the sum of the storage classes in a column."""
    return (
        f"sum(DISTINCT CASE typeof({cell}) WHEN 'integer' THEN "
        f"iif({cell} BETWEEN {-LARGEST_EXACT} AND {LARGEST_EXACT}, {_WHOLE}, {_LARGE}) "
        f"WHEN 'real' THEN {_REAL} WHEN 'text' THEN {_TEXT} WHEN 'blob' THEN {_BYTES} END) "
        f"AS {cell}"
    )


def _storage_class(name: str, contents: int | None) -> int:
    """The storage class that holds all cells of a column unchanged."""
    contents = contents or _TEXT  # no cell at all, or nulls only
    if contents & _BYTES:
        raise DataError(
            f"column '{name}' holds bytes, which microdata cannot have; leave it out, or turn them "
            f"into text in a query: hex({quote_name(name)})"
        )
    if contents & _TEXT and contents != _TEXT:
        raise DataError(
            f"column '{name}' mixes text and numbers; convert them to one type in a query: "
            f"CAST({quote_name(name)} AS TEXT)"
        )
    if contents & _REAL and contents & _LARGE:
        raise DataError(
            f"column '{name}' mixes whole numbers beyond 2^53 with fractions, which arithmetic "
            f"cannot distinguish; convert them in a query: CAST({quote_name(name)} AS TEXT)"
        )
    return next((kind for kind in (_REAL, _TEXT) if contents & kind), _WHOLE)


def _typed(column: pl.Series, declared: str) -> pl.Series:
    """Truth values, dates and times, if so declared and every cell is one."""
    column, declared = column.rechunk(), declared.upper()
    if column.dtype == pl.Int64:
        truth = declared in ("BOOLEAN", "BOOL") and column.is_in([0, 1]).all()
        return column.cast(pl.Boolean) if truth else column
    if column.dtype != pl.String:
        return column
    try:  # SQLite keeps any bytes, and polars trusts who hands it text
        column.cast(pl.Binary).cast(pl.String)
    except pl.exceptions.ComputeError:
        raise DataError(
            f"column '{column.name}' has text that is not UTF-8; correct it, or turn it into other "
            f"text in a query: hex({quote_name(column.name)})"
        ) from None
    if declared.startswith(("DATE", "TIMESTAMP")):
        zoned = declared == "TIMESTAMPTZ" and column.str.ends_with(_UTC).all()
        typed = typed_from_text(column.str.strip_suffix(_UTC) if zoned else column)
        one_spelling = typed.n_unique() == column.n_unique()
        if typed.dtype in (pl.Date, pl.Datetime) and one_spelling:
            return typed.dt.replace_time_zone("UTC") if zoned else typed
    return column
