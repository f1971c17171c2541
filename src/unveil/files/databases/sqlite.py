"""SQLite: a file of tables, where each cell has a type of its own."""

import contextlib
import os
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

from unveil.errors import DataError, FileError, UnveilError, UsageError
from unveil.files.atomic_write import check_target, check_there, followed
from unveil.files.databases.sql import Database, as_signed, frame_of, literal, quoted, said
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
_STRANGE = "SQLite does not understand the query, which is one statement"
_SAID: tuple[tuple[str, type[UnveilError], str], ...] = (
    ("no such table", UsageError, "a table that the query names is not in the database"),
    ("no such column", UsageError, "a column that the query names is not in the database"),
    ("is full", FileError, "the disk is full"),
    ("not a database", FileError, _DAMAGED),
    ("malformed", FileError, _DAMAGED),
    ("locked", FileError, "another program is writing to the file; try again when it is done"),
    ("already exists", FileError, "the table exists already; choose another name"),
    ("syntax error", UsageError, _STRANGE),
    ("incomplete input", UsageError, _STRANGE),
)


class Sqlite(Database):
    """A table of an SQLite file."""

    package, extra, purpose = "adbc_driver_sqlite", "sqlite", "an SQLite database"

    @property
    def key(self) -> Hashable:
        """Where the links of the path lead; case does not tell tables apart."""
        return "sqlite", self.file, _folded(self.uri.table or ""), self.uri.query

    @property
    def file(self) -> Path:
        """Where the links of the path lead."""
        return followed(self.uri.path)

    @property
    def is_there(self) -> bool:
        """Whether the file exists."""
        return self.uri.path.exists()

    @property
    def target(self) -> str:
        """The table's name as SQL has it."""
        return f"main.{quoted(self.uri.table or '')}"

    def connect(self, driver: Any, *, writing: bool) -> Any:
        """Open the file, which is there."""
        place = followed(self.uri.path).as_uri()
        return driver.connect(f"{place}?mode={'rw' if writing else 'ro'}")

    @contextlib.contextmanager
    def connected(self, *, writing: bool) -> Iterator[Any]:
        """A connection with one transaction; a file that was made for it goes if it fails."""
        path, made = followed(self.uri.path), False
        if writing:
            self.check_target()
            made = _made(path)
        else:
            _check_there(self.uri.path)
        try:
            with super().connected(writing=writing) as connection:
                yield connection
        except BaseException:
            if made:
                for one in (path, _journal(path)):
                    one.unlink(missing_ok=True)
            raise

    def relations(self, connection: Any) -> dict[str, bool]:
        """Tables and views, by names in small letters."""
        found = frame_of(
            connection,
            "SELECT name, type = 'table' FROM main.sqlite_schema WHERE type IN ('table', 'view')",
        )
        return {_folded(name): bool(plain) for name, plain in found.iter_rows()}

    @staticmethod
    def known_as(table: str) -> str:
        """A name in small letters, as SQLite compares names: ASCII only."""
        return _folded(table)

    def check_target(self) -> None:
        """Refuse a folder, a file in no folder, and one that cannot be written."""
        if (self.uri.table or "").lower().startswith("sqlite_"):
            raise UsageError("names that begin with sqlite_ belong to SQLite: choose another")
        check_target(self.uri.path, force=True)
        path = followed(self.uri.path)
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise FileError("cannot be written: permission denied")

    def check_rights(self, connection: Any) -> None:
        """Who may write to the file may make tables in it."""

    def read(self, connection: Any, query: str) -> pl.DataFrame:
        """Look first at what every column holds: the driver goes by the first cells alone."""
        self._check_whole(connection)
        names = _names(connection, query)
        cells = [f"c{position}" for position in range(len(names))]
        with connection.cursor() as cursor:
            # In brackets there is one statement; the line break ends a comment at its end.
            cursor.execute(
                f"CREATE TEMP VIEW {_VIEW} ({', '.join(cells)}) AS SELECT * FROM ({query}\n)"
            )
        about = frame_of(connection, f"SELECT type FROM pragma_table_info({literal(_VIEW)})")
        declared = about["type"].cast(pl.String).fill_null("").to_list()
        contents = frame_of(connection, f"SELECT {', '.join(map(_contents, cells))} FROM {_VIEW}")
        kinds = [_kind(*found) for found in zip(names, contents.row(0), strict=True)]
        # A first row of the right types, which the driver goes by.
        first = ", ".join(f"{_FIRST[k]} AS {c}" for c, k in zip(cells, kinds, strict=True))
        chosen = ", ".join(
            f"CAST({c} AS REAL)" if k == _REAL else c for c, k in zip(cells, kinds, strict=True)
        )
        sql = f"SELECT {first} UNION ALL SELECT {chosen} FROM {_VIEW}"
        frame = frame_of(connection, sql, **_BATCH).slice(1)
        columns = zip(names, frame, declared, strict=True)
        return pl.DataFrame([_typed(c.alias(name), kind) for name, c, kind in columns])

    def _check_whole(self, connection: Any) -> None:
        """Refuse a file that is shorter than it says; SQLite reads what is missing as nothing."""
        pages = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
        path = followed(self.uri.path)
        ahead = path.with_name(f"{path.name}-wal")  # where pages may be that are not yet in it
        if path.stat().st_size < frame_of(connection, pages).item() and not ahead.exists():
            raise FileError(_DAMAGED)

    def held(self, column: pl.Series) -> tuple[pl.Series, str]:
        """Dates and times are text in ISO 8601, as SQLite's own functions have them."""
        kind = column.dtype
        if kind.is_integer():
            return as_signed(column), "INTEGER"
        if kind.is_float():
            return column.cast(pl.Float64), "REAL"
        if not isinstance(kind, pl.Datetime) or kind.time_zone is None:
            return (column if kind == pl.Boolean else column.cast(pl.String)), _TYPES[
                kind.base_type()
            ]
        utc = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return utc.cast(pl.String) + _UTC, "TIMESTAMPTZ"

    def check_names(self, columns: list[str]) -> None:
        """Refuse names that differ in case only, and too many."""
        if len(columns) > _MOST_COLUMNS:
            raise DataError(f"an SQLite table has at most {_MOST_COLUMNS:,} columns")
        seen: dict[str, str] = {}
        for name in columns:
            if "\0" in name:
                raise DataError("a column's name has a null byte in it; rename it")
            if (twin := seen.setdefault(_folded(name), name)) != name:
                raise DataError(
                    f"columns '{twin}' and '{name}' differ in case only, and SQLite takes them for "
                    "one; rename one of them"
                )

    def ingest(self, cursor: Any, frame: pl.DataFrame) -> None:
        """Send the records into the table."""
        cursor.adbc_ingest(self.uri.table, frame, mode="append")

    def sentence(self, error: BaseException, *, writing: bool) -> UnveilError:
        """What went wrong, known by a few words of the driver that quote nothing."""
        words = said(error)
        for known, kind, sentence in _SAID:
            if known in words:
                return kind(sentence)
        if "readonly" in words and not writing and _journal(followed(self.uri.path)).exists():
            return FileError(
                "a program was stopped while it wrote to the file: open it once with one that may "
                "write, which puts it in order"
            )
        if "readonly" in words and not writing:
            return UsageError("a query reads and never writes: this one writes")
        if writing:
            return FileError("SQLite could not write the table; the file is as it was")
        return FileError("SQLite could not read this; try the query in its own program")


def _journal(path: Path) -> Path:
    """Where SQLite keeps what it would take back."""
    return path.with_name(f"{path.name}-journal")


def _folded(name: str) -> str:
    """A name in small letters, as SQLite compares names: ASCII only."""
    return "".join(c.lower() if c.isascii() else c for c in name)


def _check_there(path: Path) -> None:
    check_there(path)
    if not os.access(path, os.R_OK):  # to open and close it would undo the locks of others
        raise FileError("cannot be read: permission denied")


def _made(path: Path) -> bool:
    """Make an empty private file; false where there is one."""
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
                "two columns of the query have the same name; name them apart with AS"
            ) from None


def _contents(cell: str) -> str:
    """What a column holds, as one number."""
    return (
        f"sum(DISTINCT CASE typeof({cell}) WHEN 'integer' THEN "
        f"iif({cell} BETWEEN {-LARGEST_EXACT} AND {LARGEST_EXACT}, {_WHOLE}, {_LARGE}) "
        f"WHEN 'real' THEN {_REAL} WHEN 'text' THEN {_TEXT} WHEN 'blob' THEN {_BYTES} END) "
        f"AS {cell}"
    )


def _kind(name: str, contents: int | None) -> int:
    """The one type that holds a column's cells as they are."""
    contents = contents or _TEXT  # no cell at all, or nulls only
    if contents & _BYTES:
        raise DataError(
            f"column '{name}' holds bytes, which microdata cannot have; leave it out, or turn them "
            f"into text in a query: hex({quoted(name)})"
        )
    if contents & _TEXT and contents != _TEXT:
        raise DataError(
            f"column '{name}' holds text and numbers at once; make them one type in a query: "
            f"CAST({quoted(name)} AS TEXT)"
        )
    if contents & _REAL and contents & _LARGE:
        raise DataError(
            f"column '{name}' holds whole numbers beyond 2^53 beside others that are not whole, "
            f"which cannot be told apart in arithmetic; in a query: CAST({quoted(name)} AS TEXT)"
        )
    return next((kind for kind in (_REAL, _TEXT) if contents & kind), _WHOLE)


def _typed(column: pl.Series, declared: str) -> pl.Series:
    """Truth values, dates and times, where they are declared and every cell is one."""
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
            f"text in a query: hex({quoted(column.name)})"
        ) from None
    if declared.startswith(("DATE", "TIMESTAMP")):
        zoned = declared == "TIMESTAMPTZ" and column.str.ends_with(_UTC).all()
        typed = typed_from_text(column.str.strip_suffix(_UTC) if zoned else column)
        if typed.dtype in (pl.Date, pl.Datetime):
            return typed.dt.replace_time_zone("UTC") if zoned else typed
    return column
