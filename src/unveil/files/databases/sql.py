"""What all databases have in common: connections that are closed, messages that are held back."""

import abc
import contextlib
import re
from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from unveil.errors import DataError, UnveilError, import_optional
from unveil.files.databases.uri import Uri
from unveil.table.dtypes import to_plain_type
from unveil.wording import count

LARGEST = 2**63 - 1


class Database(abc.ABC):
    """A database as one URI names it, spoken to over ADBC."""

    package: str  # the driver
    extra: str
    purpose: str  # what the driver is needed for

    def __init__(self, uri: Uri) -> None:
        self.uri = uri

    @property
    @abc.abstractmethod
    def key(self) -> Hashable:
        """The same for all names of one table."""

    @property
    def source(self) -> str:
        """The query that reads all of what is named."""
        return self.uri.query or f"SELECT * FROM {self.target}"

    @property
    @abc.abstractmethod
    def target(self) -> str:
        """The table's name as SQL has it."""

    @property
    def file(self) -> Path | None:
        """The file that the database is, if it is one."""
        return None

    @property
    def is_there(self) -> bool:
        """Whether there is a database to look into; a server is always asked."""
        return True

    @abc.abstractmethod
    def connect(self, driver: Any, *, writing: bool) -> Any:
        """Open a connection, for reading only unless told otherwise."""

    @abc.abstractmethod
    def relations(self, connection: Any) -> Mapping[str, bool]:
        """What stands beside the table and is read alike; whether it is a plain table."""

    @staticmethod
    def known_as(table: str) -> str:
        """A table's name as :meth:`relations` has it."""
        return table

    @abc.abstractmethod
    def read(self, connection: Any, query: str) -> pl.DataFrame:
        """All that a query finds, in types that microdata can have."""

    @abc.abstractmethod
    def check_target(self) -> None:
        """Refuse, before any work, a name that no table could have."""

    @abc.abstractmethod
    def check_rights(self, connection: Any) -> None:
        """Refuse a place where this user can make no table."""

    @abc.abstractmethod
    def held(self, column: pl.Series) -> tuple[pl.Series, str]:
        """A column as it is sent and its type there; refuse what the database cannot hold."""

    @abc.abstractmethod
    def check_names(self, columns: list[str]) -> None:
        """Refuse names that the database cannot hold."""

    @abc.abstractmethod
    def ingest(self, cursor: Any, frame: pl.DataFrame) -> None:
        """Send the records into the table."""

    @abc.abstractmethod
    def sentence(self, error: BaseException, *, writing: bool) -> UnveilError:
        """What went wrong, without the driver's message: it may quote cells."""

    @contextlib.contextmanager
    def connected(self, *, writing: bool) -> Iterator[Any]:
        """A connection with one transaction: kept if it wrote and nothing failed."""
        driver = import_optional(f"{self.package}.dbapi", self.extra, self.purpose)
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
            # Ctrl-C becomes an error of the driver: of the cancelled query, or of the cancelling.
            if isinstance(error.__cause__, KeyboardInterrupt) or "user request" in said(error):
                raise KeyboardInterrupt from None
            raise self.sentence(error, writing=writing) from None

    def write(self, connection: Any, frame: pl.DataFrame, types: list[str]) -> None:
        """Make the table and send the records, in the connection's transaction."""
        columns = zip(frame.columns, types, strict=True)
        declared = ", ".join(f"{quoted(name)} {kind}" for name, kind in columns)
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE TABLE {self.target} ({declared})")
        with connection.cursor() as cursor:
            self.ingest(cursor, frame)

    def prepared(self, frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
        """What is sent, and the types of its columns there."""
        self.check_names(frame.columns)
        sent = [self.held(to_plain_type(column)) for column in frame]
        return pl.DataFrame([column for column, _ in sent]), [kind for _, kind in sent]


def frame_of(connection: Any, sql: str, **options: str) -> pl.DataFrame:
    """What a query finds, batch by batch; ``options`` of the driver say how large they are."""
    with connection.cursor() as cursor:
        cursor.adbc_statement.set_options(**options)
        cursor.execute(sql)
        return pl.DataFrame(cursor.fetch_arrow())


def said(error: BaseException) -> str:
    """What a driver said before it repeated the query; to look for words in, never to pass on."""
    return re.split(r"\nquery", str(error), maxsplit=1, flags=re.IGNORECASE)[0]


def quoted(name: str) -> str:
    """A name as SQL has it.

    >>> quoted('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as SQL has it.

    >>> literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def as_signed(column: pl.Series) -> pl.Series:
    """Whole numbers in 64 bits with a sign."""
    if column.dtype == pl.UInt64 and (over := column > LARGEST).any():
        raise DataError(
            f"column '{column.name}' has {count(int(over.sum()), 'whole number')} beyond 2^63, "
            "which the database cannot hold; make it text"
        )
    return column.cast(pl.Int64)
