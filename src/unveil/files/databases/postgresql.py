"""PostgreSQL: tables of a server; who may read them libpq finds out from the environment."""

import ctypes
import os
import re
from collections.abc import Hashable, Sequence
from typing import Any, cast
from urllib.parse import quote

import polars as pl

from unveil.errors import DataError, FileError, UnveilError, UsageError
from unveil.files.databases.sql import Database, as_signed, frame_of, literal, quoted, said
from unveil.table.dtypes import to_plain_type
from unveil.table.frames import check_names
from unveil.wording import count

_BATCH = {"adbc.postgresql.batch_size_hint_bytes": str(16 * 2**20)}
_AS_IS = ("int2", "int4", "int8", "float4", "float8", "bool", "date", "timestamp", "timestamptz")
_AS_TEXT = ("text", "varchar", "bpchar", "name", "uuid", "citext", "char")
_PATIENCE = 30_000  # milliseconds for a server to answer, and others to be done with a table
_LONGEST_NAME = 63  # bytes; what is longer is cut
_MOST_COLUMNS = 1600
_OWN_COLUMNS = ("tableoid", "xmin", "cmin", "xmax", "cmax", "ctid")
_TYPES: dict[Any, str] = {
    pl.Int16: "smallint",
    pl.Int32: "integer",
    pl.Float32: "real",
    pl.Float64: "double precision",
    pl.Boolean: "boolean",
    pl.Date: "date",
    pl.String: "text",
}
_NOBODY = (
    "the server lets nobody in with this name and password; they come from the environment "
    "(PGUSER, PGPASSWORD), a password file (~/.pgpass, PGPASSFILE) or a service file "
    "(~/.pg_service.conf, ?service=NAME)"
)
_UNSEEN = "there is no server at this host and port, or it does not answer"
# Before a connection stands there are no error codes: it is known by a few words of libpq.
_CONNECTING: tuple[tuple[str, str], ...] = (
    ("password", _NOBODY),
    ("authentication failed", _NOBODY),
    ("pg_hba.conf", _NOBODY),
    ("permission denied", "permission denied: this user may not connect to the database"),
    ('role "', "the server does not know this user; name another (USER@HOST, PGUSER)"),
    ("definition of service", "the service file has no such service"),
    ("service file", "the service file cannot be read"),
    ('database "', "there is no such database on the server"),
    ("host name", "there is no such host"),
    ("onnection refused", _UNSEEN),
    ("No such file", _UNSEEN),
    ("timeout", _UNSEEN),
    ("SSL", "the server and this machine do not agree on encryption (sslmode, sslrootcert)"),
)
_ELSEWHERE = "try it in the database's own program"
_WRITES = "a query reads and never writes: this one writes, or it cannot be part of another query"
_STATES: dict[str, tuple[type[UnveilError], str]] = {
    "42P01": (UsageError, "a table that the query names is not in the database"),
    "42703": (UsageError, "a column that the query names is not in the database"),
    "42P07": (FileError, "the table exists already; choose another name"),
    "42501": (FileError, "permission denied: this user may not do that with this table"),
    "3F000": (FileError, "there is no such schema in the database"),
    "53100": (FileError, "the server's disk is full"),
    "2BP01": (FileError, "other things in the database depend on the table: it stays as it is"),
    "55P03": (FileError, "somebody else is using the table; try again later"),
    "57P01": (FileError, "the server has closed the connection"),
    "42601": (UsageError, "PostgreSQL does not understand the query, which is one statement"),
}


class Postgresql(Database):
    """A table of a PostgreSQL server."""

    package, extra, purpose = "adbc_driver_postgresql", "postgres", "a PostgreSQL database"

    @property
    def key(self) -> Hashable:
        """Server, database and table, as the environment completes them."""
        uri, options = self.uri, self.uri.options
        user, _, host = uri.hosts.rpartition("@")
        hosts, colon, port = host.rpartition(":")
        if not colon or not port.isdigit():
            hosts, port = host, ""
        user = user or options.get("user") or os.environ.get("PGUSER", "")
        place = (
            (hosts or options.get("host") or os.environ.get("PGHOST", "")).lower(),
            port or options.get("port") or os.environ.get("PGPORT") or "5432",
            uri.database or options.get("dbname") or os.environ.get("PGDATABASE") or user,
            options.get("service") or os.environ.get("PGSERVICE", ""),
        )
        return "postgresql", place, self._schema, uri.table, uri.query

    @property
    def target(self) -> str:
        """The table's name as SQL has it."""
        return f"{quoted(self._schema)}.{quoted(self.uri.table or '')}"

    @property
    def _schema(self) -> str:
        return self.uri.schema or "public"

    def connect(self, driver: Any, *, writing: bool) -> Any:
        """Open a connection and begin its transaction."""
        options = {**self.uri.options, "client_encoding": "UTF8"}  # the server checks it
        if "PGCONNECT_TIMEOUT" not in os.environ:
            options.setdefault("connect_timeout", str(_PATIENCE // 1000))
        given = "&".join(f"{name}={quote(value, safe='')}" for name, value in options.items())
        place = f"postgresql://{self.uri.hosts}/{quote(self.uri.database, safe='')}"
        connection = driver.connect(f"{place}?{given}")
        reading = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
        try:
            with connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = {_PATIENCE}" if writing else reading)
        except BaseException:
            connection.close()
            raise
        return connection

    def relations(self, connection: Any) -> dict[str, bool]:
        """Tables, views and what else has rows, in the schema."""
        found = frame_of(
            connection,
            "SELECT c.relname::text, c.relkind::text FROM pg_catalog.pg_class c "
            "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
            f"WHERE n.nspname = {literal(self._schema)}",
        )
        return {name: kind == "r" for name, kind in found.iter_rows()}

    def check_target(self) -> None:
        """Refuse names that would be cut."""
        for name in (self._schema, self.uri.table or ""):
            if len(name.encode()) > _LONGEST_NAME:
                raise UsageError(f"a name in PostgreSQL has at most {_LONGEST_NAME} bytes")

    def check_rights(self, connection: Any) -> None:
        """Refuse a schema in which this user can make nothing."""
        allowed = frame_of(
            connection,
            "SELECT pg_catalog.has_schema_privilege(oid, 'CREATE') FROM pg_catalog.pg_namespace "
            f"WHERE nspname = {literal(self._schema)}",
        )
        if allowed.is_empty():
            raise FileError("there is no such schema in the database")
        if not allowed.item():
            raise FileError(
                f"permission denied: this user may not make tables in schema {self._schema}; "
                "name another one, ?table=SCHEMA.TABLE"
            )

    def read(self, connection: Any, query: str) -> pl.DataFrame:
        """Ask for the types first, so that each is sent as something that can be read."""
        names = _names(connection, query)
        check_names(names)
        cells = [f"c{position}" for position in range(len(names))]
        inner = f"({query}\n) AS q ({', '.join(cells)})"  # the line break ends a comment
        asked = ", ".join(f"pg_catalog.pg_typeof({cell})::oid::int8 AS {cell}" for cell in cells)
        # No row is looked at.
        found = frame_of(connection, f"SELECT {asked} FROM (SELECT 1) o LEFT JOIN {inner} ON false")
        kinds = _kinds(connection, found.row(0))
        chosen = ", ".join(map(_chosen, names, cells, kinds))
        frame = frame_of(connection, f"SELECT {chosen} FROM {inner}", **_BATCH)
        columns = zip(names, frame, kinds, strict=True)
        return pl.DataFrame([_typed(c.alias(name), kind) for name, c, kind in columns])

    def held(self, column: pl.Series) -> tuple[pl.Series, str]:
        """Each type has its like there, but for unsigned numbers and nanoseconds."""
        kind = column.dtype
        if isinstance(kind, pl.Datetime):
            exact = column.dt.cast_time_unit("us")
            if not exact.dt.cast_time_unit(kind.time_unit).equals(column):
                raise DataError(
                    f"column '{column.name}' has times in nanoseconds, and PostgreSQL keeps "
                    "microseconds; round it"
                )
            return exact, "timestamp" if kind.time_zone is None else "timestamptz"
        if kind == pl.String and (zero := column.str.contains("\0", literal=True)).any():
            raise DataError(
                f"column '{column.name}' has text with zero bytes, which PostgreSQL cannot hold, "
                f"in {count(int(zero.sum()), 'cell')}; take them out"
            )
        if kind == pl.Int8:
            column = column.cast(pl.Int16)
        elif kind.is_float() and kind != pl.Float32:
            column = column.cast(pl.Float64)
        kind = column.dtype
        return (column, _TYPES[kind]) if kind in _TYPES else (as_signed(column), "bigint")

    def check_names(self, columns: list[str]) -> None:
        """Refuse names that would be cut or are taken, and too many."""
        if len(columns) > _MOST_COLUMNS:
            raise DataError(f"a PostgreSQL table has at most {_MOST_COLUMNS:,} columns")
        for name in columns:
            if len(name.encode()) > _LONGEST_NAME or "\0" in name:
                raise DataError(
                    f"the name of column '{name}' is longer than {_LONGEST_NAME} bytes or has a "
                    "null byte in it, which PostgreSQL cannot hold; rename it"
                )
            if name in _OWN_COLUMNS:
                raise DataError(f"every PostgreSQL table has its own column '{name}'; rename it")

    def ingest(self, cursor: Any, frame: pl.DataFrame) -> None:
        """Send the records into the table."""
        cursor.adbc_ingest(self.uri.table, frame, mode="append", db_schema_name=self._schema)

    def sentence(self, error: BaseException, *, writing: bool) -> UnveilError:
        """What went wrong, by its code; nothing that the server said is passed on."""
        state = getattr(error, "sqlstate", None)
        words = said(error)
        if state is None and "Failed to connect" in words:
            found = (sentence for known, sentence in _CONNECTING if known in words)
            return FileError(next(found, "the server cannot be connected to"))
        if state in ("25006", "0A000") or (state is None and "read-only transaction" in words):
            if writing:
                return FileError("the server is read-only: it may be a copy of another one")
            return UsageError(_WRITES)
        kind, sentence = _STATES.get(state or "", (FileError, "PostgreSQL refused"))
        if re.fullmatch("[0-9A-Z]{5}", state or ""):
            sentence = f"{sentence} (SQLSTATE {state})"
        return kind(f"{sentence}; {'nothing was written' if writing else _ELSEWHERE}")


class _ArrowSchema(ctypes.Structure):
    """The beginning of Arrow's C structure; polars cannot look at all types."""


_ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_ArrowSchema))),
]


def _names(connection: Any, query: str) -> list[str]:
    """The names of a query's columns, which is not carried out."""
    with connection.cursor() as cursor:
        statement = cursor.adbc_statement
        statement.set_sql_query(query)
        handle = statement.execute_schema()
        schema = _ArrowSchema.from_address(handle.address)
        columns = (schema.children[position].contents for position in range(schema.n_children))
        names = [(column.name or b"").decode() for column in columns]
    if not names:  # it does not select, or it selects nothing
        raise UsageError(_WRITES)
    return names


def _kinds(connection: Any, types: Sequence[int]) -> list[str]:
    """The names of types: a domain is what it is made of, any enumeration is "enum"."""
    listed = ", ".join(map(str, sorted(set(types))))
    found = frame_of(
        connection,
        "WITH RECURSIVE made (kind, of) AS (SELECT oid, oid FROM pg_catalog.pg_type "
        f"WHERE oid IN ({listed}) UNION ALL SELECT kind, typbasetype FROM made "
        "JOIN pg_catalog.pg_type ON oid = of WHERE typtype = 'd') "
        "SELECT kind::int8, CASE typtype WHEN 'e' THEN 'enum' ELSE typname::text END "
        "FROM made JOIN pg_catalog.pg_type ON oid = of WHERE typtype <> 'd'",
    )
    names = dict(found.iter_rows())
    return [names[kind] for kind in types]


def _chosen(name: str, cell: str, kind: str) -> str:
    """How a column is asked for."""
    if kind in _AS_IS:
        return f"{cell}::{kind} AS {cell}"
    if kind in (*_AS_TEXT, "enum", "numeric"):
        return f"{cell}::text AS {cell}"
    raise DataError(
        f"column '{name}' has PostgreSQL's type {kind.removeprefix('_')}"
        f"{' []' if kind.startswith('_') else ''}, which microdata cannot have; "
        f"leave it out, or turn it into text in a query: {quoted(name)}::text"
    )


def _typed(column: pl.Series, kind: str) -> pl.Series:
    return _number(column.rechunk()) if kind == "numeric" else column.rechunk()


def _number(column: pl.Series) -> pl.Series:
    """Decimal numbers as whole ones where all are, else as floats, if no digit is lost."""
    cells = column.set(column == "NaN", None)
    whole = cells.cast(pl.Int64, strict=False)
    if whole.null_count() == cells.null_count() and not cells.str.contains(".", literal=True).any():
        return whole
    places = cells.str.split(".").list.get(1, null_on_oob=True).str.strip_chars_end("0")
    scale = cast("int | None", places.str.len_chars().max()) or 0
    refused = DataError(
        f"column '{column.name}' has numbers of more digits than can be computed with; round them "
        f"in a query: {quoted(column.name)}::float8"
    )
    if scale > 37:
        raise refused
    exact = cells.cast(pl.Decimal(38, scale), strict=False)
    if exact.null_count() > cells.null_count():
        raise refused
    try:
        return to_plain_type(exact)
    except DataError:
        raise refused from None
