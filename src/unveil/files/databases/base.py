"""Tables that are kept in a database."""

import hashlib
import re
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from unveil.errors import FileError, UsageError
from unveil.files.databases.postgresql import Postgresql
from unveil.files.databases.sqlite import Sqlite
from unveil.files.databases.uri import parsed
from unveil.files.formats.base import Format
from unveil.files.locations import TableLocation
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.wording import suggest

_HASHED = 100_000  # records at a time


class DatabaseLocation(TableLocation):
    """A table or a query of a database: ``sqlite:///survey.db?table=people``.

    Examples
    --------
    >>> import tempfile, unveil
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = DatabaseLocation(f"sqlite:///{folder}/survey.db?table=people")
    ...     place.save(unveil.households(100))
    ...     place.load(None)
    Microdata(100 records, 15 columns)
    """

    def __init__(self, uri: str) -> None:
        self._uri = parsed(uri)
        self._database = (Sqlite if self._uri.engine == "sqlite" else Postgresql)(self._uri)

    def __str__(self) -> str:
        return self._uri.given

    @property
    def key(self) -> Hashable:
        """The same for all names of one table."""
        return self._database.key

    @property
    def file(self) -> Path | None:
        """The file that the database is, if it is one."""
        return self._database.file

    @property
    def alone(self) -> bool:
        """A table leaves the others of its database as they are."""
        return False

    @property
    def format(self) -> None:
        """None: a database has no file format."""
        return

    @property
    def stem(self) -> str:
        """The name of the table, as a file may be called."""
        return re.sub(r"[^\w.-]", "_", self._uri.table or "query")

    def sibling(self, word: str) -> str:
        """The URI of a table in the same database."""
        if self._uri.table is None:
            raise UsageError("a query is not a table to write beside: name the output (--output)")
        return self._uri.sibling(f"{self._uri.table}_{word}")

    def namesake(self, name: str) -> str:
        """The URI of a table of this name in the same database."""
        return self._uri.sibling(name)

    def load(self, schema: Schema | None, format: Format | None = None) -> Microdata:  # noqa: A002
        """Read the table, or what the query finds, in a transaction that cannot write."""
        _check_no_format(format)
        with self.told():
            return Microdata(self._frame(), schema)

    def save(self, data: Microdata, format: Format | None = None, *, force: bool = False) -> None:  # noqa: A002
        """Write a new table in one transaction, whole or not at all."""
        _check_no_format(format)
        with self.told():
            self._check_writable()
            frame, types = self._database.prepared(data.to_frame("polars"))
            with self._database.connected(writing=True) as connection:
                if self._is_there(connection, force=force):
                    with connection.cursor() as cursor:
                        cursor.execute(f"DROP TABLE {self._database.target}")
                self._database.write(connection, frame, types)

    def check_target(self, *, force: bool) -> None:
        """Refuse a table that exists, unless forced to, and what is no table."""
        with self.told():
            self._check_writable()
            if self._database.is_there:
                with self._database.connected(writing=False) as connection:
                    self._is_there(connection, force=force)

    def check_columns(self, columns: Sequence[str]) -> None:
        """Refuse names that the database cannot hold."""
        with self.told():
            self._database.check_names(list(columns))

    def digest(self) -> str:
        """The SHA-256 of names and cells; a table has no order of its rows."""
        with self.told():
            cells = Microdata(self._frame()).to_text_frame().cast(pl.String)
        spelt = cells.select((pl.col(c) + "+").fill_null("-") for c in cells.columns)
        found = hashlib.sha256(repr(cells.columns).encode())
        for part in spelt.sort(pl.all()).iter_slices(_HASHED):
            lines = part.write_csv(include_header=False, quote_style="always")
            found.update(lines.encode())
        return found.hexdigest()

    def _frame(self) -> pl.DataFrame:
        database = self._database
        with database.connected(writing=False) as connection:
            if self._uri.table is not None:
                there = database.relations(connection)
                if database.known_as(self._uri.table) not in there:
                    raise FileError(
                        f"there is no such table in the database{suggest(self._uri.table, there)}"
                    )
            return database.read(connection, database.source)

    def _check_writable(self) -> None:
        if self._uri.query is not None:
            raise UsageError("a query cannot be written to: name a table, ?table=NAME")
        self._database.check_target()

    def _is_there(self, connection: Any, *, force: bool) -> bool:
        """Whether there is a table to replace; refuse one that is not to be."""
        self._database.check_rights(connection)
        is_table = self._database.relations(connection).get(
            self._database.known_as(self._uri.table or "")
        )
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


def _check_no_format(format: Format | None) -> None:  # noqa: A002
    if format is not None:
        raise UsageError("a table of a database has no file format: leave out format=")
