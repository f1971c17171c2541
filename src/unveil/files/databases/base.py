"""Tables that are kept in a database, read and written over ADBC.

A driver's messages may quote cells, so none is passed on: each database explains errors by their
codes, or by a few words that it knows.
"""

import abc
import contextlib
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from unveil.errors import DataError, FileError, UnveilError, UsageError, errors_at, import_optional
from unveil.files.databases.uri import Uri
from unveil.files.formats.base import Format
from unveil.files.locations import TableLocation
from unveil.table.dtypes import to_plain_type
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.wording import count, suggest

LARGEST_INTEGER = 2**63 - 1
HASHED_ROWS = 100_000  # at a time


class DatabaseLocation(TableLocation):
    """A table or a query of a database: ``sqlite:///survey.db?table=people``."""

    replaces_file = False
    driver: ClassVar[str]  # the ADBC package
    extra: ClassVar[str]
    purpose: ClassVar[str]  # what the driver is needed for

    def __init__(self, uri: Uri) -> None:
        self.uri = uri

    def __str__(self) -> str:
        return self.uri.text

    def companion(self, suffix: str) -> Path:
        """A file in the working folder, called like the table: a server has no folder."""
        return Path(re.sub(r"[^\w.-]", "_", self.uri.table or "query") + suffix)

    def sibling(self, suffix: str) -> str:
        if self.uri.table is None:
            raise UsageError("a query is not a table to write beside: name the output (--output)")
        return self.uri.with_table(f"{self.uri.table}_{suffix}")

    def with_stem(self, stem: str) -> str:
        return self.uri.with_table(stem)

    def load(self, schema: Schema | None, format: Format | None = None) -> Microdata:  # noqa: A002
        """Read the table or the query's result in a read-only transaction."""
        _check_no_format(format)
        with errors_at(str(self)):
            return Microdata(self._frame(), schema)

    def save(
        self,
        data: Microdata,
        format: Format | None = None,  # noqa: A002
        *,
        force: bool = False,
        before: Callable[[], object] | None = None,
    ) -> None:
        """Write a new table in one transaction, whole or not at all."""
        _check_no_format(format)
        with errors_at(str(self)):
            self.check_writable()
            frame = data.to_frame("polars")
            self.check_names(frame.columns)
            stored = [self.stored(to_plain_type(column)) for column in frame]
            declared = ", ".join(f"{quote_name(column.name)} {kind}" for column, kind in stored)
            with self.connected(writing=True) as connection:
                if self._replaces_table(connection, force=force):
                    execute(connection, f"DROP TABLE {self.sql_name}")
                execute(connection, f"CREATE TABLE {self.sql_name} ({declared})")
                with connection.cursor() as cursor:
                    self.ingest(cursor, pl.DataFrame([column for column, _ in stored]))
                if before is not None:
                    before()

    def check_target(self, *, force: bool) -> None:
        """Refuse a view, and a table that exists unless forced."""
        with errors_at(str(self)):
            self.check_writable()
            if self.exists():
                with self.connected(writing=False) as connection:
                    self._replaces_table(connection, force=force)

    def check_columns(self, columns: Sequence[str]) -> None:
        with errors_at(str(self)):
            self.check_names(columns)

    def digest(self) -> str:
        """The SHA-256 of names and cells; the rows of a table have no order."""
        with errors_at(str(self)):
            cells = Microdata(self._frame()).to_text_frame().cast(pl.String)
        marked = cells.select((pl.col(c) + "+").fill_null("-") for c in cells.columns)
        sha256 = hashlib.sha256(repr(cells.columns).encode())
        for rows in marked.sort(pl.all()).iter_slices(HASHED_ROWS):
            sha256.update(rows.write_csv(include_header=False, quote_style="always").encode())
        return sha256.hexdigest()

    def _frame(self) -> pl.DataFrame:
        with self.connected(writing=False) as connection:
            if self.uri.table is not None:
                relations = self.relations(connection)
                if self.fold(self.uri.table) not in relations:
                    raise FileError(
                        "there is no such table in the database"
                        f"{suggest(self.uri.table, relations)}"
                    )
            return self.fetch(connection, self.uri.query or f"SELECT * FROM {self.sql_name}")

    def _replaces_table(self, connection: Any, *, force: bool) -> bool:
        """Whether there is a table to replace; refuse to without force."""
        self.check_rights(connection)
        is_table = self.relations(connection).get(self.fold(self.uri.table or ""))
        if is_table is None:
            return False
        if not is_table:
            raise FileError("this is a view, or another thing that is no table; name a table")
        if not force:
            raise FileError(
                "the table exists already; choose another name, or overwrite it with "
                "force=True (--force)"
            )
        return True

    @contextlib.contextmanager
    def connected(self, *, writing: bool) -> Iterator[Any]:
        """A connection with one transaction, committed if it writes and nothing fails."""
        driver = import_optional(f"{self.driver}.dbapi", self.extra, self.purpose)
        try:
            connection = self.connect(driver, writing=writing)
            try:
                yield connection
                if writing:
                    connection.commit()
            except BaseException:
                with contextlib.suppress(driver.Error):  # the connection may be gone
                    connection.rollback()
                raise
            finally:
                connection.close()
        except (driver.Error, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            message = driver_message(error)
            if is_interrupt(error, message):
                raise KeyboardInterrupt from None
            raise self.explain(error, message, writing=writing) from None

    @property
    @abc.abstractmethod
    def sql_name(self) -> str:
        """The table's name in SQL."""

    def exists(self) -> bool:
        """Whether there is a database to look into; a server is always asked."""
        return True

    def fold(self, table: str) -> str:
        """A table's name as :meth:`relations` spells it."""
        return table

    def check_writable(self) -> None:
        """Refuse, before any work, a query, and a name that no table can have."""
        if self.uri.query is not None:
            raise UsageError("a query cannot be written to: name a table, ?table=NAME")

    def check_rights(self, connection: Any) -> None:
        """Refuse a schema in which this user may not create tables."""

    @abc.abstractmethod
    def connect(self, driver: Any, *, writing: bool) -> Any:
        """Open a connection."""

    @abc.abstractmethod
    def relations(self, connection: Any) -> Mapping[str, bool]:
        """The names of tables and views in the schema, each with whether it is a plain table."""

    @abc.abstractmethod
    def fetch(self, connection: Any, query: str) -> pl.DataFrame:
        """The result of a query, in types that microdata can have."""

    @abc.abstractmethod
    def stored(self, column: pl.Series) -> tuple[pl.Series, str]:
        """A column as it is sent, and its SQL type; refuse what the database cannot hold."""

    @abc.abstractmethod
    def check_names(self, columns: Sequence[str]) -> None:
        """Refuse column names that the database cannot hold."""

    @abc.abstractmethod
    def ingest(self, cursor: Any, frame: pl.DataFrame) -> None:
        """Send the records into the table."""

    @abc.abstractmethod
    def explain(self, error: BaseException, message: str, *, writing: bool) -> UnveilError:
        """The error to raise for a driver's error; it quotes nothing of the driver's message."""


def execute(connection: Any, sql: str) -> None:
    """Execute a statement that returns no rows."""
    with connection.cursor() as cursor:
        cursor.execute(sql)


def query_frame(connection: Any, sql: str, **options: str) -> pl.DataFrame:
    """The result of a query; ``options`` of the driver set the size of its batches."""
    with connection.cursor() as cursor:
        cursor.adbc_statement.set_options(**options)
        cursor.execute(sql)
        return pl.DataFrame(cursor.fetch_arrow())


def driver_message(error: BaseException) -> str:
    """A driver's message up to where it repeats the query."""
    return re.split(r"\nquery", str(error), maxsplit=1, flags=re.IGNORECASE)[0]


def is_interrupt(error: BaseException, message: str) -> bool:
    """Whether a driver's error is Ctrl-C: the error of a cancelled query, or of its cancelling."""
    return isinstance(error.__cause__, KeyboardInterrupt) or "user request" in message


def quote_name(name: str) -> str:
    """A name in SQL.

    >>> quote_name('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """A text in SQL.

    >>> quote_text("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def as_signed(column: pl.Series) -> pl.Series:
    """Whole numbers as signed 64-bit integers; refuse larger ones."""
    if column.dtype == pl.UInt64 and (over := column > LARGEST_INTEGER).any():
        raise DataError(
            f"column '{column.name}' has {count(int(over.sum()), 'whole number')} beyond 2^63, "
            "which the database cannot hold; make it text"
        )
    return column.cast(pl.Int64)


def _check_no_format(format: Format | None) -> None:  # noqa: A002
    if format is not None:
        raise UsageError("a table of a database has no file format: leave out format=")
