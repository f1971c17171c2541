"""PostgreSQL: tables of a server; libpq takes user and password from the environment."""

import ctypes
import os
import re
from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, cast
from urllib.parse import quote

import polars as pl

from unveil.errors import DataError, FileError, UnveilError, UsageError
from unveil.files.databases.base import (
    DatabaseLocation,
    as_signed,
    execute,
    query_frame,
    quote_name,
    quote_text,
)
from unveil.table.dtypes import to_plain_type
from unveil.table.frames import check_names
from unveil.wording import count

_BATCH = {"adbc.postgresql.batch_size_hint_bytes": str(16 * 2**20)}
_AS_IS = ("int2", "int4", "int8", "float4", "float8", "bool", "date", "timestamp", "timestamptz")
_AS_TEXT = ("text", "varchar", "bpchar", "name", "uuid", "citext", "char")
_TIMEOUT = 30_000  # milliseconds for a server to answer, and for a lock on a table
LONGEST_NAME = 63  # bytes; what is longer is cut
_MOST_COLUMNS = 1600
SYSTEM_COLUMNS = ("tableoid", "xmin", "cmin", "xmax", "cmax", "ctid")
_TYPES: dict[Any, str] = {
    pl.Int16: "smallint",
    pl.Int32: "integer",
    pl.Float32: "real",
    pl.Float64: "double precision",
    pl.Boolean: "boolean",
    pl.Date: "date",
    pl.String: "text",
}
_NO_ACCESS = (
    "the server rejects this name and password; they come from the environment (PGUSER, "
    "PGPASSWORD), a password file (~/.pgpass, PGPASSFILE) or a service file "
    "(~/.pg_service.conf, ?service=NAME)"
)
_NO_SERVER = "there is no server at this host and port, or it does not answer"
# Without a connection there are no error codes: errors are known by a few words of libpq.
_CONNECTION_ERRORS: tuple[tuple[str, str], ...] = (
    ("password", _NO_ACCESS),
    ("authentication failed", _NO_ACCESS),
    ("pg_hba.conf", _NO_ACCESS),
    ("permission denied", "permission denied: this user may not connect to the database"),
    ('role "', "the server does not know this user; name another (USER@HOST, PGUSER)"),
    ("definition of service", "the service file has no such service"),
    ("service file", "the service file cannot be read"),
    ('database "', "there is no such database on the server"),
    ("host name", "there is no such host"),
    ("onnection refused", _NO_SERVER),
    ("No such file", _NO_SERVER),
    ("timeout", _NO_SERVER),
    ("SSL", "the server and this machine do not agree on encryption (sslmode, sslrootcert)"),
)
_TRY_ELSEWHERE = "try it in the database's own program"
_QUERY_WRITES = "a query must only read: this one writes, or cannot be part of another query"
_SQL_STATES: dict[str, tuple[type[UnveilError], str]] = {
    "42P01": (UsageError, "a table that the query names is not in the database"),
    "42703": (UsageError, "a column that the query names is not in the database"),
    "42P07": (FileError, "the table exists already; choose another name"),
    "42501": (FileError, "permission denied: this user may not do that with this table"),
    "3F000": (FileError, "there is no such schema in the database"),
    "53100": (FileError, "the server's disk is full"),
    "2BP01": (FileError, "other objects of the database depend on the table, so it is unchanged"),
    "55P03": (FileError, "another user is using the table; try again later"),
    "57P01": (FileError, "the server has closed the connection"),
    "42601": (UsageError, "PostgreSQL does not understand the query, which is one statement"),
}


class PostgresqlLocation(DatabaseLocation):
    """A table of a PostgreSQL server."""

    driver, extra, purpose = "adbc_driver_postgresql", "postgres", "a PostgreSQL database"

    @property
    def key(self) -> Hashable:
        """Server, database and table, as the environment completes them."""
        uri, options = self.uri, self.uri.options
        user, _, host = uri.hosts.rpartition("@")
        hosts, colon, port = host.rpartition(":")
        if not colon or not port.isdigit():
            hosts, port = host, ""
        user = user or options.get("user") or os.environ.get("PGUSER", "")
        server = (
            (hosts or options.get("host") or os.environ.get("PGHOST", "")).lower(),
            port or options.get("port") or os.environ.get("PGPORT") or "5432",
            uri.database or options.get("dbname") or os.environ.get("PGDATABASE") or user,
            options.get("service") or os.environ.get("PGSERVICE", ""),
        )
        return "postgresql", server, self.schema, uri.table, uri.query

    @property
    def sql_name(self) -> str:
        return f"{quote_name(self.schema)}.{quote_name(self.uri.table or '')}"

    @property
    def schema(self) -> str:
        """The schema of the table."""
        return self.uri.schema or "public"

    def open(self, driver: Any, *, autocommit: bool) -> Any:
        """Open a connection, with what libpq adds from the environment."""
        options = {**self.uri.options, "client_encoding": "UTF8"}  # the server checks it
        if "PGCONNECT_TIMEOUT" not in os.environ:
            options.setdefault("connect_timeout", str(_TIMEOUT // 1000))
        query = "&".join(f"{name}={quote(value, safe='')}" for name, value in options.items())
        database = f"postgresql://{self.uri.hosts}/{quote(self.uri.database, safe='')}"
        return driver.connect(f"{database}?{query}", autocommit=autocommit)

    def connect(self, driver: Any, *, writing: bool) -> Any:
        connection = self.open(driver, autocommit=False)
        reading = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
        try:
            execute(connection, f"SET LOCAL lock_timeout = {_TIMEOUT}" if writing else reading)
        except BaseException:
            connection.close()
            raise
        return connection

    def relations(self, connection: Any) -> dict[str, bool]:
        """Tables, views and all else with rows in the schema."""
        names = query_frame(
            connection,
            "SELECT c.relname::text, c.relkind::text FROM pg_catalog.pg_class c "
            "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
            f"WHERE n.nspname = {quote_text(self.schema)}",
        )
        return {name: kind == "r" for name, kind in names.iter_rows()}

    def check_writable(self) -> None:
        """Refuse names that would be cut."""
        super().check_writable()
        for name in (self.schema, self.uri.table or ""):
            if len(name.encode()) > LONGEST_NAME:
                raise UsageError(f"a name in PostgreSQL has at most {LONGEST_NAME} bytes")

    def check_rights(self, connection: Any) -> None:
        allowed = query_frame(
            connection,
            "SELECT pg_catalog.has_schema_privilege(oid, 'CREATE') FROM pg_catalog.pg_namespace "
            f"WHERE nspname = {quote_text(self.schema)}",
        )
        if allowed.is_empty():
            raise FileError("there is no such schema in the database")
        if not allowed.item():
            raise FileError(
                f"permission denied: this user may not make tables in schema {self.schema}; "
                "name another one, SCHEMA.NAME"
            )

    def fetch(self, connection: Any, query: str) -> pl.DataFrame:
        """Ask for the types first, so that each is sent as something that can be read."""
        names = _names(connection, query)
        check_names(names)
        cells = [f"c{position}" for position in range(len(names))]
        inner = f"({query}\n) AS q ({', '.join(cells)})"  # the line break ends a comment
        types = ", ".join(f"pg_catalog.pg_typeof({cell})::oid::int8 AS {cell}" for cell in cells)
        # No row is looked at.
        typed = query_frame(
            connection, f"SELECT {types} FROM (SELECT 1) o LEFT JOIN {inner} ON false"
        )
        kinds = _type_names(connection, typed.row(0))
        chosen = ", ".join(map(_cast_sql, names, cells, kinds))
        frame = query_frame(connection, f"SELECT {chosen} FROM {inner}", **_BATCH)
        columns = [column.rechunk().alias(name) for column, name in zip(frame, names, strict=True)]
        numeric = [kind == "numeric" for kind in kinds]
        return pl.DataFrame([_number(c) if n else c for c, n in zip(columns, numeric, strict=True)])

    def stored(self, column: pl.Series) -> tuple[pl.Series, str]:
        """Each type has its equal, except unsigned numbers and nanoseconds."""
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

    def check_names(self, columns: Sequence[str]) -> None:
        """Refuse names that would be cut or are taken, and too many."""
        if len(columns) > _MOST_COLUMNS:
            raise DataError(f"a PostgreSQL table has at most {_MOST_COLUMNS:,} columns")
        for name in columns:
            if len(name.encode()) > LONGEST_NAME or "\0" in name:
                raise DataError(
                    f"the name of column '{name}' is longer than {LONGEST_NAME} bytes or has a "
                    "null byte in it, which PostgreSQL cannot hold; rename it"
                )
            if name in SYSTEM_COLUMNS:
                raise DataError(f"every PostgreSQL table has its own column '{name}'; rename it")

    def ingest(self, cursor: Any, frame: pl.DataFrame) -> None:
        cursor.adbc_ingest(self.uri.table, frame, mode="append", db_schema_name=self.schema)

    def explain(self, error: BaseException, message: str, *, writing: bool) -> UnveilError:
        """The error, by its SQLSTATE."""
        state = getattr(error, "sqlstate", None)
        if state is None and "Failed to connect" in message:
            known = (sentence for words, sentence in _CONNECTION_ERRORS if words in message)
            return FileError(next(known, "the server cannot be connected to"))
        if state in ("25006", "0A000") or (state is None and "read-only transaction" in message):
            if writing:
                return FileError("the server is read-only: it may be a copy of another one")
            return UsageError(_QUERY_WRITES)
        kind, sentence = _SQL_STATES.get(state or "", (FileError, "PostgreSQL refused"))
        if re.fullmatch("[0-9A-Z]{5}", state or ""):
            sentence = f"{sentence} (SQLSTATE {state})"
        return kind(f"{sentence}; {'nothing was written' if writing else _TRY_ELSEWHERE}")


class _ArrowSchema(ctypes.Structure):
    """The head of Arrow's C structure; polars cannot import the schema of every type."""

    _fields_: ClassVar = [
        ("format", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("metadata", ctypes.c_char_p),
        ("flags", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("children", ctypes.POINTER(ctypes.c_void_p)),
    ]


def _names(connection: Any, query: str) -> list[str]:
    """The names of a query's columns; the query is not executed."""
    with connection.cursor() as cursor:
        cursor.adbc_statement.set_sql_query(query)
        handle = cursor.adbc_statement.execute_schema()  # it owns the structure
        schema = _ArrowSchema.from_address(handle.address)
        columns = map(_ArrowSchema.from_address, schema.children[: schema.n_children])
        names = [(column.name or b"").decode() for column in columns]
    if not names:  # it does not select, or it selects nothing
        raise UsageError(_QUERY_WRITES)
    return names


def _type_names(connection: Any, types: Sequence[int]) -> list[str]:
    """The names of types: of a domain its base type, of any enumeration "enum"."""
    listed = ", ".join(map(str, sorted(set(types))))
    found = query_frame(
        connection,
        "WITH RECURSIVE made (kind, of) AS (SELECT oid, oid FROM pg_catalog.pg_type "
        f"WHERE oid IN ({listed}) UNION ALL SELECT kind, typbasetype FROM made "
        "JOIN pg_catalog.pg_type ON oid = of WHERE typtype = 'd') "
        "SELECT kind::int8, CASE typtype WHEN 'e' THEN 'enum' ELSE typname::text END "
        "FROM made JOIN pg_catalog.pg_type ON oid = of WHERE typtype <> 'd'",
    )
    names = dict(found.iter_rows())
    return [names[kind] for kind in types]


def _cast_sql(name: str, cell: str, kind: str) -> str:
    """SQL that sends a column as a type that polars reads."""
    if kind in _AS_IS:
        return f"{cell}::{kind} AS {cell}"
    if kind in (*_AS_TEXT, "enum", "numeric"):
        return f"{cell}::text AS {cell}"
    raise DataError(
        f"column '{name}' has PostgreSQL's type {kind.removeprefix('_')}"
        f"{' []' if kind.startswith('_') else ''}, which microdata cannot have; "
        f"leave it out, or turn it into text in a query: {quote_name(name)}::text"
    )


def _number(column: pl.Series) -> pl.Series:
    """Decimal numbers as integers if all are whole, else as floats if no digit is lost."""
    cells = column.set(column == "NaN", None)
    whole = cells.cast(pl.Int64, strict=False)
    if whole.null_count() == cells.null_count() and not cells.str.contains(".", literal=True).any():
        return whole
    places = cells.str.split(".").list.get(1, null_on_oob=True).str.strip_chars_end("0")
    scale = cast("int | None", places.str.len_chars().max()) or 0
    refused = DataError(
        f"column '{column.name}' has numbers with too many digits to compute with; round them in "
        f"a query: {quote_name(column.name)}::float8"
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
