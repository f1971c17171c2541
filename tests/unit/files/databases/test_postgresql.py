"""Tables of a PostgreSQL server."""

import datetime
import traceback

import adbc_driver_manager.dbapi
import adbc_driver_postgresql.dbapi
import polars as pl
import pyarrow
import pytest
from hypothesis import assume, given

import unveil
from fixtures.postgresql import PASSWORD
from strategies.tables import tables, wild_names
from unveil import Microdata
from unveil.errors import DataError, FileError, UnveilError, UsageError
from unveil.files.databases.postgresql import SYSTEM_COLUMNS
from unveil.files.locations import locate

pytestmark = pytest.mark.slow

FRAME = pl.DataFrame(
    {
        "age": [31, 54, None],
        "Age": [1.5, None, 3.0],  # another column, in PostgreSQL
        "name": ["Ann", None, 'it\'s; "Zoë"'],
        "born": [datetime.date(1, 2, 3), None, datetime.date(9999, 12, 31)],
        "seen": [datetime.datetime(1600, 1, 2, 3, 4, 5, 67), None, datetime.datetime(2020, 1, 1)],
        "works": [True, None, False],
        "byte": pl.Series([-1, 2, 3], dtype=pl.Int8),
        "unsigned": pl.Series([1, 2, 3], dtype=pl.UInt64),
        "single": pl.Series([0.5, 1.5, None], dtype=pl.Float32),
        "none": pl.Series([None, None, None], dtype=pl.String),
        "kind": pl.Series(["a", "b", None], dtype=pl.Enum(["b", "a"])),
        'q"x': ["", " ", "\n"],
    }
)


@pytest.fixture(scope="module")
def sql(server):
    """Carry out statements by the driver alone."""

    def run(*statements):
        for statement in statements:
            with connection.cursor() as cursor:
                cursor.execute(statement)
                found = pl.DataFrame(cursor.fetch_arrow())
        return found.rows()

    connection = adbc_driver_postgresql.dbapi.connect(server.uri, autocommit=True)
    run(
        f"create role guest login password '{PASSWORD}'",
        "create schema other",
        "create table secret (a int)",
        "create table open_to_all (a int)",
        "insert into open_to_all values (5)",
        "grant select on open_to_all to guest",
    )
    yield run
    connection.close()


@pytest.fixture(autouse=True)
def _clean(sql, monkeypatch):
    for name in ("PGUSER", "PGPASSWORD", "PGPASSFILE", "PGSERVICEFILE", "PGSERVICE", "PGHOST"):
        monkeypatch.delenv(name, raising=False)
    sql("drop table if exists t, other.t cascade")


@pytest.fixture
def table(server):
    return f"{server.uri}&table=t"


def message(act, kind=UnveilError):
    with pytest.raises(kind) as caught:
        act()
    assert PASSWORD not in str(caught.value)
    return str(caught.value)


def test_what_is_written_is_read_again(server, table, sql):
    data = Microdata(FRAME)
    locate(table).check_target(force=False)
    unveil.write(data, table)
    assert unveil.read(table) == data
    assert unveil.read(f"{server.uri}&table=public.t") == data
    by_query = unveil.read(f"{server.uri}&query=select * from t where age > 40 -- old")
    assert by_query.column("unsigned").to_list() == [2]
    assert sql("select count(*) from t where works and seen < '1700-01-01'") == [(1,)]
    read = unveil.read(table).to_frame().schema
    assert [read[n] for n in ("age", "byte", "works", "born", "seen", "single")] == [
        pl.Int64, pl.Int16, pl.Boolean, pl.Date, pl.Datetime("us"), pl.Float32,
    ]  # fmt: skip
    unveil.write(data, f"{server.uri}&table=other.t")
    assert locate(table).digest() == locate(f"{server.uri}&table=other.t").digest()


@given(tables(names=wild_names))
def test_any_table_comes_back(server, table):
    data = Microdata(*table)
    assume(not set(SYSTEM_COLUMNS) & set(data.columns))  # refused, whatever the table
    uri = f"{server.uri}&table=any"
    unveil.write(data, uri, force=True)
    assert unveil.read(uri, data.schema) == data


def test_many_batches_are_read_and_written(table, monkeypatch):
    monkeypatch.setattr(
        "unveil.files.databases.postgresql._BATCH",
        {"adbc.postgresql.batch_size_hint_bytes": "10000"},
    )
    data = unveil.households(5000)
    unveil.write(data, table)
    assert unveil.read(table, data.schema) == data


def test_times_with_a_zone_come_back_in_utc(table):
    moment = pl.Series([datetime.datetime(2020, 7, 1, 12)]).dt.replace_time_zone("Europe/Vienna")
    unveil.write(Microdata(pl.DataFrame({"t": moment})), table)
    back = unveil.read(table).to_frame()["t"]
    assert back.dtype == pl.Datetime("us", "UTC")
    assert back.item() == moment.item()


def test_an_existing_table_is_replaced_only_by_force(server, table, sql):
    old, new = Microdata(FRAME), Microdata(pl.DataFrame({"x": [1]}))
    unveil.write(old, table)
    for act in (lambda: unveil.write(new, table), lambda: locate(table).check_target(force=False)):
        assert "the table exists already; choose another name" in message(act, FileError)
    assert unveil.read(table) == old
    unveil.write(new, table, force=True)
    assert unveil.read(table) == new
    sql("create or replace view v as select x from t")
    said = message(lambda: unveil.write(new, f"{server.uri}&table=v", force=True), FileError)
    assert "a view" in said
    assert "depend on the table" in message(lambda: unveil.write(old, table, force=True), FileError)
    assert unveil.read(f"{server.uri}&table=v") == new


@pytest.fixture(params=["the file fails", "the server ends it"])
def broken_ingest(request, monkeypatch, sql):
    """The first records arrive, then no more."""
    whole = adbc_driver_manager.dbapi.Cursor.adbc_ingest

    def batches(frame):
        yield from frame.to_batches(max_chunksize=1)[:2]
        if request.param == "the file fails":
            raise OSError("no more")
        sql("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() "
            "and backend_type = 'client backend'")  # fmt: skip
        yield from frame.to_batches(max_chunksize=1)[2:]

    def ingest(cursor, name, data, **options):
        arrow = data.to_arrow()
        reader = pyarrow.RecordBatchReader.from_batches(arrow.schema, batches(arrow))
        return whole(cursor, name, reader, **options)

    def begin():
        monkeypatch.setattr(adbc_driver_manager.dbapi.Cursor, "adbc_ingest", ingest)

    return begin


def test_a_write_that_fails_leaves_what_was_there(server, table, sql, broken_ingest):
    old, new = Microdata(FRAME), unveil.households(300)
    unveil.write(old, table)
    broken_ingest()
    for name in (table, f"{server.uri}&table=other.t"):
        assert "nothing was written" in message(
            lambda name=name: unveil.write(new, name, force=True), FileError
        )
    assert unveil.read(table) == old
    assert sql("select count(*) from pg_tables where tablename = 't'") == [(1,)]
    assert sql("select count(*) from pg_stat_activity where state like 'idle in%'") == [(0,)]


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (pl.DataFrame({"a": ["x\0y"]}), "zero bytes, which PostgreSQL cannot hold, in 1 cell"),
        (pl.DataFrame({"a": pl.Series([2**63], dtype=pl.UInt64)}), "1 whole number beyond 2^63"),
        (pl.DataFrame({"é" * 32: [1]}), "longer than 63 bytes"),
        (pl.DataFrame({"xmin": [1]}), "its own column 'xmin'"),
        (pl.DataFrame({"a": pl.Series([1]).cast(pl.Datetime("ns"))}), "nanoseconds"),
        (pl.DataFrame({f"c{i}": [1] for i in range(1601)}), "at most 1,600 columns"),
    ],
)
def test_what_postgresql_cannot_hold_is_refused(table, sql, frame, said):
    assert said in message(lambda: unveil.write(Microdata(frame), table), DataError)
    assert sql("select count(*) from pg_tables where tablename = 't'") == [(0,)]


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("7::smallint", 7),
        ("12::numeric", 12),
        ("12.50::numeric(9,2)", 12.5),
        ("0.1::numeric", 0.1),
        ("23.4000000000000000::numeric", 23.4),
        ("'NaN'::numeric", None),
        ("'Infinity'::numeric", "digits"),
        ("99999999999999.99::numeric", "digits"),
        ("1e50::numeric", "digits"),
        ("1e-60::numeric", "digits"),
        ("'x'::char(4)", "x"),
        ("'x'::\"char\"", "x"),
        ("'x'::name", "x"),
        ("'low'::grade", "low"),
        ("7::positive", 7),
        ("'6b7ee1c0-0000-4000-8000-000000000000'::uuid", "6b7ee1c0-0000-4000-8000-000000000000"),
        ("null", None),
        ("true", True),
        ("'{}'::json", "type json"),
        ("'{}'::jsonb", "type jsonb"),
        ("interval '1 day'", "type interval"),
        ("array[1, 2]", "type int4 []"),
        ("'x'::bytea", "type bytea"),
        ("time '10:00'", "type time"),
        ("row(1, 2)", "type record"),
        ("'1.1.1.1'::inet", "type inet"),
        ("1::money", "type money"),
        ("'infinity'::timestamp", "outside the years"),
        ("'-infinity'::date", "outside the years"),
        ("'infinity'::timestamptz", "outside the years"),
        ("'infinity'::float8", "infinite"),
        ("1/0", "22012"),
    ],
)
def test_types_are_read_or_refused(server, sql, cell, found):
    if "grade" in cell or "positive" in cell:
        sql("drop type if exists grade", "drop domain if exists positive",
            "create type grade as enum ('low', 'high')",
            "create domain positive as int check (value > 0)")  # fmt: skip
    uri = f"{server.uri}&query=select 1 as n, {cell} as a union all select 2, null order by n"
    if (isinstance(found, str) and " " in found) or found in ("digits", "infinite", "22012"):
        assert found in message(lambda: unveil.read(uri))
        return
    cells = unveil.read(uri).to_frame()["a"].to_list()
    assert cells == [found, None]
    assert type(cells[0]) is type(found)


def test_a_column_that_cannot_be_read_is_named_with_the_remedy(server):
    uri = f"{server.uri}&query=select 1 as a, array[1] as b"
    said = message(lambda: unveil.read(uri), DataError)
    assert "column 'b'" in said
    assert '"b"::text' in said
    cast = unveil.read(f"{server.uri}&query=select 1 as a, array[1]::text as b")
    assert cast.to_frame().row(0) == (1, "{1}")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("with x as (delete from kept returning *) select * from x", "must only read"),
        ("with x as (insert into kept values (2) returning *) table x", "must only read"),
        ("select * from kept for update", "must only read"),
        ("select nextval('counter') as a", "must only read"),
        ("select 1; delete from kept", "one statement"),
        ("select 1 as a; commit; delete from kept; select 1", "one statement"),
        ("select 1 as a) q (c0); delete from kept; select (1", "does not understand"),
        ("select a into copied from kept", "must only read"),
        ("select set_config('transaction_read_only', 'off', false) as a", "own program"),
        ("select writes() as a", "must only read"),
        ("select b from kept", "a column that the query names"),
        ("select * from nowhere", "a table that the query names"),
        ("select 1 as a, 2 as a", "columns 1 and 2 have the same name"),
        ("select frm", "SQLSTATE 42703"),
        ("select where a", "SQLSTATE"),
        ("select $1 as a", "SQLSTATE"),
    ],
)
def test_a_query_that_writes_or_fails_is_refused(server, sql, query, said):
    sql(
        "create table if not exists kept (a int)",
        "truncate kept",
        "insert into kept values (1)",
        "create sequence if not exists counter",
        "create or replace function writes() returns int language sql as "
        "$$ insert into kept values (3) returning a $$",
    )
    assert said in message(lambda: unveil.read(f"{server.uri}&query={query}"))
    assert sql("select * from kept") == [(1,)]


def test_what_is_not_there_is_said_so(server, table, sql):
    sql("create table t (a int)")
    assert "did you mean 'secret'?" in message(
        lambda: unveil.read(f"{server.uri}&table=secrets"), FileError
    )
    assert "no records" in message(lambda: unveil.read(table), DataError)
    data = Microdata(FRAME)
    for name, said in [
        (f"{server.uri}&table=nowhere.t", "no such schema"),
        (f"{server.uri}&table={'x' * 64}", "at most 63 bytes"),
        (f"{server.uri}&query=select 1", "a query cannot be written to"),
        (server.uri.replace("/postgres?", "/nobase?") + "&table=t", "no such database"),
        ("postgresql://nohost.invalid/x?table=t", "no such host"),
        ("postgresql://127.0.0.1:1/x?table=t", "there is no server at this host"),
        ("postgresql:///x?host=/nowhere&table=t", "there is no server at this host"),
        ("postgresql:///?service=nobody&table=t", "the service file"),
        (f"{server.uri}&sslmode=bad&table=t", "cannot be connected to"),
    ]:
        assert said in message(lambda name=name: unveil.write(data, name))
        if "schema" not in said and "query" not in name:
            assert message(lambda name=name: unveil.read(name))


def test_who_has_no_right_is_told(server, sql, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert unveil.read(f"{server.guarded}&table=open_to_all").column("a").to_list() == [5]
    assert "permission denied" in message(
        lambda: unveil.read(f"{server.guarded}&table=secret"), FileError
    )
    sql("revoke create on schema public from public")
    said = message(lambda: unveil.write(Microdata(FRAME), f"{server.guarded}&table=t"), FileError)
    assert "may not make tables in schema public" in said


def test_passwords_come_from_the_environment_or_files(server, tmp_path, monkeypatch):
    uri = f"{server.guarded}&table=open_to_all"
    asked = "the server rejects this name and password"
    assert asked in message(lambda: unveil.read(uri), FileError)
    monkeypatch.setenv("PGPASSWORD", "Canarybird-wrong")
    said = message(lambda: unveil.read(uri), FileError)
    assert asked in said
    assert "Canarybird" not in said
    monkeypatch.delenv("PGPASSWORD")

    passwords = tmp_path / "pgpass"
    passwords.write_text(f"127.0.0.1:{server.port}:*:guest:{PASSWORD}\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    assert len(unveil.read(uri)) == 1
    monkeypatch.delenv("PGPASSFILE")
    assert len(unveil.read(f"{uri}&passfile={passwords}")) == 1

    services = tmp_path / "services.conf"
    services.write_text(
        f"[offices]\nhost=127.0.0.1\nport={server.port}\nuser=guest\ndbname=postgres\n"
        f"password={PASSWORD}\n"
    )
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    assert len(unveil.read("postgresql:///?service=offices&table=open_to_all")) == 1
    said = message(lambda: unveil.read("postgresql:///?service=office&table=t"), FileError)
    assert "no such service" in said

    for name, value in [("PGHOST", "127.0.0.1"), ("PGPORT", str(server.port)), ("PGUSER", "guest"),
                        ("PGDATABASE", "postgres"), ("PGPASSWORD", PASSWORD)]:  # fmt: skip
        monkeypatch.setenv(name, value)
    assert len(unveil.read("postgresql:///?table=open_to_all")) == 1


def test_an_interrupted_write_leaves_nothing(table, sql, monkeypatch):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(adbc_driver_manager.dbapi.Cursor, "adbc_ingest", interrupted)
    with pytest.raises(KeyboardInterrupt):
        unveil.write(Microdata(FRAME), table)
    assert sql("select count(*) from pg_tables where tablename = 't'") == [(0,)]


def test_a_table_in_use_is_not_waited_for_forever(server, table, monkeypatch):
    old = Microdata(FRAME)
    unveil.write(old, table)
    monkeypatch.setattr("unveil.files.databases.postgresql._TIMEOUT", 50)
    with adbc_driver_postgresql.dbapi.connect(server.uri) as other, other.cursor() as cursor:
        cursor.execute("lock table t in share mode")
        said = message(lambda: unveil.write(old, table, force=True), FileError)
    assert "another user is using the table" in said
    assert unveil.read(table) == old


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_text_is_utf8_whatever_the_server_keeps(server, sql, monkeypatch, encoding):
    base = encoding.lower()
    sql(f"create database {base} encoding '{encoding}' locale 'C' template template0")
    uri = server.uri.replace("/postgres?", f"/{base}?")
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    unveil.write(Microdata(pl.DataFrame({"é": ["Zoë"]})), f"{uri}&table=t")
    read = unveil.read(f"{uri}&table=t")
    assert read.columns == ("é",)
    assert read.column("é").to_list() == ["Zoë"]
    if encoding == "SQL_ASCII":
        query = "select convert_from('%5Cxff', 'SQL_ASCII') as a"
        assert "PostgreSQL refused" in message(lambda: unveil.read(f"{uri}&query={query}"))


def test_a_format_is_refused(table):
    assert "no file format" in message(
        lambda: unveil.read(table, format=unveil.files.Csv()), UsageError
    )


@pytest.mark.parametrize(
    "query",
    [
        "select name::int as a from birds",  # the server's message quotes the cell
        "select name, 1 / (length(name) - 10) as a from birds",
        "select to_date(name, 'YYYY') as a from birds",
        "select array[name] as a from birds",
        "select name::json as a from birds",
    ],
)
def test_no_cell_sings(server, sql, capfd, query):
    sql("create table if not exists birds (name text)", "insert into birds values ('Canarybird')")
    with pytest.raises(UnveilError) as caught:
        unveil.read(f"{server.uri}&query={query}")
    told = [*traceback.format_exception(caught.value), *capfd.readouterr()]
    assert "anarybird" not in "".join(told)
