"""URIs of tables: ``postgresql://host/db?table=t``, ``sqlite:///f.db?query=...``.

A URI holds no password, since others on the machine can see a command line. No message repeats
a part of a URI that could be one.
"""

import re
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import quote, unquote

from unveil.errors import UsageError
from unveil.wording import listing, suggest

Engine = Literal["sqlite", "postgresql"]
SCHEMES: dict[str, Engine] = {
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "sqlite": "sqlite",
}
_SECRET = ("password", "sslpassword", "oauth_client_secret")
_LIBPQ = (
    "host", "hostaddr", "port", "dbname", "user", "passfile", "service",
    "connect_timeout", "application_name", "options", "target_session_attrs",
    "sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl", "sslnegotiation", "channel_binding",
    "require_auth", "gssencmode", "krbsrvname", "keepalives", "tcp_user_timeout",
)  # fmt: skip
_TABLE_OR_QUERY = ("table", "query")
_READING_VERBS = ("select", "with", "values", "table")
_HOSTS = re.compile(r"(?:(?:\[[^\]]*\]|[^:,\[\]]*)(?::[0-9]*)?(?:,|$))*")


class Uri(NamedTuple):
    """A table or a query of a database; holds no password."""

    text: str
    engine: Engine
    hosts: str  # as written, with the user
    database: str  # the path of a file, or a database's name
    options: dict[str, str]  # for the connection
    schema: str | None
    table: str | None
    query: str | None

    @property
    def path(self) -> Path:
        """The file of an SQLite database."""
        return Path(self.database)

    def with_table(self, table: str) -> str:
        """The URI of another table in the same database and schema.

        >>> parse_uri("sqlite:///survey.db?table=people").with_table("masked")
        'sqlite:///survey.db?table=masked'
        """
        if self.engine == "postgresql":
            names = (table,) if self.schema is None else (self.schema, table)
            table = ".".join(
                '"' + name.replace('"', '""') + '"' if re.search('[".]', name) else name
                for name in names
            )
        start, _, rest = self.text.partition("?")
        parts = [
            f"table={quote(table, safe='')}" if part.partition("=")[0] in _TABLE_OR_QUERY else part
            for part in rest.split("&")
        ]
        return f"{start}?{'&'.join(parts)}"


def parse_uri(text: str) -> Uri:
    """Parse the URI of a table or a query.

    >>> parse_uri("postgresql://host/offices?table=survey.people").table
    'people'
    """
    scheme, _, rest = text.partition("://")
    engine = SCHEMES.get(scheme.lower())
    if engine is None:
        raise UsageError(
            f"{scheme}:// is not a database that can be read"
            f"{suggest(scheme, SCHEMES, 'schemes are')}"
        )
    if "\0" in unquote(text):
        raise UsageError("a URI has no null byte")
    address, _, parameters = rest.partition("?")
    hosts, _, database = address.partition("/")
    options = _options(parameters)
    table, query = options.pop("table", None), options.pop("query", None)
    if (table is None) == (query is None):
        raise UsageError("a URI names one table or one query: ?table=NAME or ?query=SELECT ...")
    schema = None
    if engine == "sqlite":
        _check_file(hosts, database, options)
    else:
        _check_server(hosts, database, options)
        if table is not None:
            schema, table = _qualified(table)
    if table is not None and not table.strip():
        raise UsageError("the name of the table is blank: ?table=NAME")
    query = None if query is None else _reading_query(query)
    return Uri(text, engine, hosts, unquote(database), options, schema, table, query)


def parse_study_uri(text: str) -> Uri:
    """Parse the URI of a study; the name of the study stands where a table has its own.

    >>> parse_study_uri("postgresql://host/offices?study=survey").table
    'survey'
    """
    address, _, parameters = text.partition("?")
    parts = parameters.split("&") if parameters else []
    names = [part for part in parts if part.startswith("study=")]
    others = [part for part in parts if not part.startswith(("study=", "table=", "query="))]
    table = f"table={names[0].removeprefix('study=')}" if names else "table=study"
    uri = parse_uri(f"{address}?{'&'.join([*others, table])}")
    if len(parts) != len(others) + len(names) or len(names) != (uri.engine == "postgresql"):
        raise UsageError("a study is named sqlite:///FILE or postgresql://HOST/DATABASE?study=NAME")
    return uri._replace(text=text)


def _options(parameters: str) -> dict[str, str]:
    """The parameters after the question mark; a plus sign stays a plus sign, as in SQL."""
    options: dict[str, str] = {}
    for part in parameters.split("&") if parameters else ():
        name, equals, value = part.partition("=")
        if name in _SECRET:
            raise _password_error()
        if not equals or not re.fullmatch("[a-z_]+", name):
            raise UsageError(
                "after ? a URI has NAME=VALUE, with & between them; in a value & is written %26"
            )
        if name in options:
            raise UsageError(f"the URI has {name}= twice")
        options[name] = unquote(value)
    return options


def _check_file(hosts: str, database: str, options: dict[str, str]) -> None:
    if hosts or not database:
        raise UsageError(
            "an SQLite file is named by its path after three slashes, sqlite:///survey.db, or "
            "after four where the path begins with one"
        )
    for name in options:
        raise UsageError(
            f"'{name}' is not an option of sqlite://{suggest(name, _TABLE_OR_QUERY, 'options are')}"
        )


def _check_server(hosts: str, database: str, options: dict[str, str]) -> None:
    user, at, host = hosts.rpartition("@")
    dbname = options.get("dbname", "")  # libpq takes a database that has = in it for options
    if (at and ":" in unquote(user)) or "=" in unquote(database) + dbname or "://" in dbname:
        raise _password_error()
    if not _HOSTS.fullmatch(host) or "@" in database or "/" in database:
        # What looks like a port or a database may be the end of a password.
        raise UsageError(
            "a server is named postgresql://[USER@]HOST[:PORT]/DATABASE; a slash or an @ in a name "
            "is written %2F or %40, and a password is never part of it"
        )
    known = (*_LIBPQ, *_TABLE_OR_QUERY)
    for name in options:
        if name not in known:
            raise UsageError(
                f"'{name}' is not an option of a connection{suggest(name, known, 'options are')}"
            )


def _password_error() -> UsageError:
    return UsageError(
        "a URI must not contain a password, because others on this machine can see it; put it "
        "into the environment (PGPASSWORD), a password file (~/.pgpass, PGPASSFILE) or a "
        "service file (~/.pg_service.conf, ?service=NAME)"
    )


def _qualified(table: str) -> tuple[str | None, str]:
    """Schema and table; text in double quotes is one name, dots and all."""
    name = r'"(?:[^"]|"")+"|[^".]+'
    match = re.fullmatch(rf"(?:({name})\.)?({name})", table)
    if match is None:
        raise UsageError(
            "a table is named TABLE or SCHEMA.TABLE; a name with a dot or a quote in it stands in "
            'double quotes: "a.b"'
        )
    schema, table = match.groups()
    return None if schema is None else _unquoted(schema), _unquoted(table)


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


def _reading_query(query: str) -> str:
    """A query that begins like one that reads, without the semicolon at its end."""
    query = query.strip().removesuffix(";")
    first = re.match(r"[\s(]*([A-Za-z]*)", query)
    if first is None or first[1].lower() not in _READING_VERBS:
        raise UsageError(
            "a query must only read: it begins with "
            f"{listing(word.upper() for word in _READING_VERBS)}"
        )
    return query
