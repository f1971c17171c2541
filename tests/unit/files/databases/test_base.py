"""Tables in SQLite files, and the names of tables in any database."""

import datetime
import os
import sqlite3
import stat
import subprocess
import sys

import adbc_driver_manager.dbapi
import polars as pl
import pyarrow
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import unveil
from strategies.tables import tables, wild_names
from unveil import Microdata, Schema
from unveil.errors import DataError, FileError, MissingPackageError, UnveilError, UsageError
from unveil.files.databases.uri import parse_uri
from unveil.files.locations import check_outputs, locate

FRAME = pl.DataFrame(
    {
        "age": [31, 54, None],
        "pay": [1.5, None, 3.0],
        "name": ["Ann", None, 'it\'s; "Zoë"'],
        "born": [datetime.date(1, 2, 3), None, datetime.date(9999, 12, 31)],
        "seen": [datetime.datetime(1600, 1, 2, 3, 4, 5, 67), None, datetime.datetime(2020, 1, 1)],
        "works": [True, None, False],
        "unsigned": pl.Series([1, 2, 3], dtype=pl.UInt32),
        "single": pl.Series([0.5, 1.5, None], dtype=pl.Float32),
        "none": pl.Series([None, None, None], dtype=pl.String),
        "kind": pl.Series(["a", "b", None], dtype=pl.Enum(["b", "a"])),
    }
)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "a b%3F#.db"  # as bad as names get


@pytest.fixture
def uri(file):
    return f"sqlite:////{str(file)[1:].replace('%', '%25')}"


@pytest.fixture
def sql(file):
    """Carry out statements by another program than ours."""

    def run(*statements):
        with sqlite3.connect(file) as connection:
            found = [connection.execute(statement).fetchall() for statement in statements]
        connection.close()
        return found[-1]

    return run


def failing(frame):
    """The frame's records in batches, and then a failure."""

    def batches():
        yield from frame.to_arrow().to_batches(max_chunksize=1)[:2]
        raise OSError("no more")

    return pyarrow.RecordBatchReader.from_batches(frame.to_arrow().schema, batches())


@pytest.fixture
def broken_ingest(monkeypatch):
    """The second batch is the last that arrives."""
    whole = adbc_driver_manager.dbapi.Cursor.adbc_ingest

    def ingest(cursor, table, data, **options):
        return whole(cursor, table, failing(data), **options)

    monkeypatch.setattr(adbc_driver_manager.dbapi.Cursor, "adbc_ingest", ingest)


def message(act, kind=UnveilError):
    with pytest.raises(kind) as caught:
        act()
    return str(caught.value)


# Names of tables


@pytest.mark.parametrize(
    ("given", "table", "schema"),
    [
        ("postgresql://host/db?table=t", "t", None),
        ("postgres://me@host:5433/db?table=s.t", "t", "s"),
        ('postgresql:///?service=offices&table="a.b"', "a.b", None),
        ("postgresql://h/db?table=%22s%22.%22a%22%22b%22", 'a"b', "s"),
        ("sqlite:///f.db?table=a.b%20c", "a.b c", None),
    ],
)
def test_a_table_has_a_name(given, table, schema):
    assert parse_uri(given)[5:] == (schema, table, None)
    assert str(locate(given)) == given
    beside = parse_uri(locate(given).sibling(".x"))
    assert (beside.schema, beside.table) == (schema, f"{table}_.x")


def test_paths_have_three_slashes_or_four():
    assert parse_uri("sqlite:///a/b.db?table=t").database == "a/b.db"
    assert parse_uri("sqlite:////a/b%3F.db?table=t").database == "/a/b?.db"
    assert parse_uri("sqlite:///a?query=select 1%2B1+1 a;").query == "select 1+1+1 a"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("mysql://h/db?table=t", "mysql:// is not a database that can be read"),
        ("sqlit:///f?table=t", "did you mean 'sqlite'?"),
        ("sqlite:///f", "one table or one query"),
        ("sqlite:///f?table=t&query=select 1", "one table or one query"),
        ("sqlite:///f?table=", "is blank"),
        ("sqlite:///f?table=a&table=b", "table= twice"),
        ("sqlite:///f?tabel=a&table=b", "did you mean 'table'?"),
        ("sqlite:///f?table=a&b", "%26"),
        ("sqlite:///f?table=a%00", "null byte"),
        ("sqlite://f.db?table=t", "three slashes"),
        ("sqlite:///?table=t", "three slashes"),
        ("postgresql://h/db?table=a.b.c", "SCHEMA.TABLE"),
        ("postgresql://h/db?sslmod=x&table=t", "did you mean 'sslmode'?"),
        ("postgresql://h/a/b?table=t", "%2F"),
        ("sqlite:///f?query=delete from t", "must only read"),
        ("sqlite:///f?query=", "must only read"),
        ("sqlite:///f?query=explain select 1", "must only read"),
    ],
)
def test_a_name_that_says_nothing_is_refused(given, said):
    assert said in message(lambda: locate(given), UsageError)


@pytest.mark.parametrize(
    "given",
    [
        "postgresql://me:hush@host/db?table=t",
        "postgresql://me:hush@host:1/db?table=t",
        "postgresql://me:hu/sh@host/db?table=t",
        "postgresql://me:1/hush@host/db?table=t",
        "postgresql://me:1?hush@host/db?table=t",
        "postgresql://me:hush?x@host/db?table=t",
        "postgresql://host/db?table=t&password=hush",
        "postgresql://me%3Ahush@host/db?table=t",
        "postgresql://host/dbname=x password=hush?table=t",
        "postgresql://host/dbname=x%20password%3Dhush?table=t",
        "postgresql://host/db?dbname=postgresql://me:hush@host/x&table=t",
        "postgresql://host/db?dbname=password=hush&table=t",
        "postgresql://me:hush@host?table=t",
        "postgresql://host/db?sslpassword=hush&table=t",
        "postgresql://host/db?table=t&passwordhush",
        "sqlite://me:hush@host/db?table=t",
        "mysql://me:hush@host/db?table=t",
    ],
)
def test_a_password_is_refused_and_never_repeated(given):
    said = message(lambda: unveil.read(given), UsageError)
    assert "hush" not in said
    if "password=" in given:
        assert "must not contain a password" in said


def test_what_is_no_table_is_kept_in_a_file():
    uri = "postgresql://me:hush@host/db?table=t"
    for act in (lambda: unveil.write(unveil.Schema(), uri), lambda: unveil.files.read_schema(uri)):
        said = message(act, UsageError)
        assert "this must be a file" in said
        assert "hush" not in said


def test_a_table_may_be_called_what_no_file_can():
    assert str(locate("sqlite:///m.db?table=a/../../b").companion(".toml")) == "a_.._.._b.toml"


@given(
    st.text("abc123:/?#@%&[]. ", min_size=1).map("hush{}".format) | st.text("1:/?#@%", min_size=6)
)
def test_no_password_of_any_kind_is_repeated(password):
    said = message(lambda: locate(f"postgresql://me:{password}@host/db?table=t"), UsageError)
    assert "hush" not in said
    assert password not in said


def test_one_table_has_one_key(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PGSERVICE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "link.db").symlink_to(tmp_path / "f.db")
    same = [
        [f"sqlite:///{tmp_path}/f.db?table=T", "sqlite:///f.db?table=t", "SQLITE:///link.db?table=t"],
        [
            "postgresql://host/db?table=t",
            "postgres://host:5432/db?table=public.t",
            "postgresql://me@HOST/?dbname=db&table=t",
        ],
    ]  # fmt: skip
    same.append(["postgresql://host/db?table=T"])
    same.append(["postgresql://host/db?table=s.t"])
    same.append(["postgresql://host:5433/db?table=t"])
    keys = [{locate(one).key for one in names} for names in same]
    assert [len(found) for found in keys] == [1] * len(same)
    assert len(set.union(*keys)) == len(same)
    assert message(lambda: check_outputs([same[0][0]], [same[0][1]], force=True), UsageError)


def test_a_driver_that_is_not_there_is_asked_for(uri, file, monkeypatch):
    file.touch()
    monkeypatch.setitem(sys.modules, "adbc_driver_sqlite.dbapi", None)
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql.dbapi", None)
    said = message(lambda: unveil.read(f"{uri}?table=t"), MissingPackageError)
    assert said.endswith("pip install 'unveil[sqlite]'")
    said = message(lambda: unveil.read("postgresql:///?table=t"), MissingPackageError)
    assert "needs the package adbc-driver-postgresql, " in said
    assert "unveil[postgres]" in said


# Writing


def test_what_is_written_is_read_again(uri, file, sql):
    data = Microdata(FRAME)
    unveil.write(data, f"{uri}?table=T 1")
    assert unveil.read(f"{uri}?table=t 1") == data
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    some = unveil.read(f'{uri}?query=select * from "T 1" where age > 40')
    assert some.column("works").to_list() == [None]
    assert sql('select date(born), typeof(seen), works from "T 1"')[0] == ("0001-02-03", "text", 1)
    read = unveil.read(f"{uri}?table=T 1").to_frame().schema
    assert [read[name] for name in ("born", "works", "age")] == [pl.Date, pl.Boolean, pl.Int64]
    assert isinstance(read["seen"], pl.Datetime)


def test_times_with_a_zone_come_back_in_utc(uri):
    moment = pl.Series([datetime.datetime(2020, 7, 1, 12)]).dt.replace_time_zone("Europe/Vienna")
    unveil.write(Microdata(pl.DataFrame({"t": moment})), f"{uri}?table=t")
    back = unveil.read(f"{uri}?table=t").to_frame()["t"]
    assert back.dtype == pl.Datetime("us", "UTC")
    assert back.item() == moment.item()


def test_missing_codes_are_written_and_found(uri):
    data = Microdata(pl.DataFrame({"age": [31, 99]}), Schema(missing={"age": [99]}))
    unveil.write(data, f"{uri}?table=t")
    assert unveil.read(f"{uri}?table=t").to_frame()["age"].to_list() == [31, 99]
    assert unveil.read(f"{uri}?table=t", data.schema) == data


@given(tables(names=wild_names))
def test_any_table_comes_back(tmp_path, table):
    data = Microdata(*table)
    assume(len({name.lower() for name in data.columns}) == len(data.columns))
    uri = f"sqlite:////{str(tmp_path)[1:]}/f.db?table=t"
    unveil.write(data, uri, force=True)
    assert unveil.read(uri, data.schema) == data


def test_an_existing_table_is_replaced_only_by_force(uri, sql):
    old, new = Microdata(FRAME), Microdata(pl.DataFrame({"x": [1]}))
    unveil.write(old, f"{uri}?table=t")
    for act in (
        lambda: unveil.write(new, f"{uri}?table=T"),
        lambda: locate(f"{uri}?table=t").check_target(force=False),
    ):
        said = message(act, FileError)
        assert "the table exists already; choose another name, or overwrite" in said
    assert unveil.read(f"{uri}?table=t") == old
    unveil.write(new, f"{uri}?table=other")
    locate(f"{uri}?table=t").check_target(force=True)
    unveil.write(new, f"{uri}?table=t", force=True)
    assert unveil.read(f"{uri}?table=t") == new
    sql("create view v as select 1 a")
    assert "a view" in message(lambda: unveil.write(new, f"{uri}?table=v", force=True), FileError)
    assert sql("select name from sqlite_schema order by name") == [("other",), ("t",), ("v",)]


@pytest.mark.usefixtures("broken_ingest")
def test_a_write_that_fails_leaves_nothing(uri, tmp_path):
    said = message(lambda: unveil.write(Microdata(FRAME), f"{uri}?table=t"), FileError)
    assert "could not write the table" in said
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_leaves_what_was_there(uri, file, sql, tmp_path, request):
    old = Microdata(FRAME)
    unveil.write(old, f"{uri}?table=t")
    request.getfixturevalue("broken_ingest")
    for table in ("t", "u"):
        with pytest.raises(FileError):
            unveil.write(Microdata(FRAME.head(3)), f"{uri}?table={table}", force=True)
    assert unveil.read(f"{uri}?table=t") == old
    assert sql("select name from sqlite_schema") == [("t",)]
    assert list(tmp_path.iterdir()) == [file]


def test_an_interrupted_write_leaves_nothing(uri, tmp_path, monkeypatch):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(adbc_driver_manager.dbapi.Cursor, "adbc_ingest", interrupted)
    with pytest.raises(KeyboardInterrupt):
        unveil.write(Microdata(FRAME), f"{uri}?table=t")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (pl.DataFrame({"Age": [1], "aGE": [2]}), "'Age' and 'aGE' differ in case only"),
        (pl.DataFrame({"a": pl.Series([2**63], dtype=pl.UInt64)}), "1 whole number beyond 2^63"),
        (pl.DataFrame({"a\0": [1]}), "null byte"),
        (pl.DataFrame({f"c{i}": [1] for i in range(2001)}), "at most 2,000 columns"),
    ],
)
def test_what_sqlite_cannot_hold_is_refused(uri, file, frame, said):
    assert said in message(lambda: unveil.write(Microdata(frame), f"{uri}?table=t"), DataError)
    assert not file.exists()


def test_letters_beyond_ascii_differ(uri):
    data = Microdata(pl.DataFrame({"é": [1], "É": [2]}))
    unveil.write(data, f"{uri}?table=t")
    assert unveil.read(f"{uri}?table=t") == data


def test_places_that_cannot_be_written_are_refused(uri, file, tmp_path):
    data = Microdata(FRAME)
    for name, said in [
        (f"{uri}?query=select 1 a", "a query cannot be written to"),
        (f"{uri}?table=sqlite_x", "belong to SQLite"),
        (f"sqlite:///{tmp_path}/no/x.db?table=t", "its folder does not exist"),
        (f"sqlite:///{tmp_path}?table=t", "this is a folder"),
    ]:
        assert said in message(lambda name=name: unveil.write(data, name))
        assert said in message(lambda name=name: locate(name).check_target(force=True))
    locate(f"{uri}?table=t").check_target(force=False)
    said = message(
        lambda: unveil.write(data, f"{uri}?table=t", format=unveil.files.Csv()), UsageError
    )
    assert "no file format" in said
    assert "--output" in message(lambda: locate(f"{uri}?query=select 1 a").sibling("x"))
    assert not file.exists()


# Reading


def test_nothing_is_made_by_reading(uri, file, tmp_path):
    assert "no such file" in message(lambda: unveil.read(f"{uri}?table=t"), FileError)
    assert list(tmp_path.iterdir()) == []
    file.mkdir()
    assert "folder" in message(lambda: unveil.read(f"{uri}?table=t"), FileError)


@pytest.mark.parametrize("content", [b"hello world" * 300, b"SQLite format 3\0" + b"x" * 2000])
def test_another_file_is_no_database(uri, file, content):
    file.write_bytes(content)
    assert "damaged" in message(lambda: unveil.read(f"{uri}?table=t"), FileError)
    assert "damaged" in message(lambda: unveil.write(Microdata(FRAME), f"{uri}?table=t"), FileError)
    assert file.read_bytes() == content


def test_a_file_cut_short_is_damaged(uri, file):
    unveil.write(unveil.households(2000), f"{uri}?table=t")
    file.write_bytes(file.read_bytes()[:-40000])
    assert "damaged" in message(lambda: unveil.read(f"{uri}?table=t"), FileError)


def test_tables_are_suggested(uri, sql):
    sql("create table people (a)", "create table t (a)")
    assert "did you mean 'people'?" in message(lambda: unveil.read(f"{uri}?table=poeple"))
    assert "no records" in message(lambda: unveil.read(f"{uri}?table=t"), DataError)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9, 0.99])
def test_a_file_that_is_cut_short_is_not_read(uri, file, share):
    unveil.write(unveil.households(300), f"{uri}?table=people")
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * share)])
    assert "damaged" in message(lambda: unveil.read(f"{uri}?table=people"), FileError)


def test_a_write_that_is_interrupted_is_stopped(tmp_path):
    """Ctrl-C while records are sent: not an error of the database, and nothing is left."""
    code = """
import os, signal, sys, threading, unveil
table = unveil.households(200_000)
import adbc_driver_manager.dbapi as driver
send = driver.Cursor.adbc_ingest
def ingest(*args, **options):
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    return send(*args, **options)
driver.Cursor.adbc_ingest = ingest
try:
    unveil.write(table, sys.argv[1])
except KeyboardInterrupt:
    print("stopped")
"""
    run = [sys.executable, "-c", code, f"sqlite:///{tmp_path}/t.db?table=t"]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert done.stdout == "stopped\n"
    assert list(tmp_path.iterdir()) == []


STOPPED = """
import os, sqlite3, sys
made = sqlite3.connect(sys.argv[1], isolation_level=None)
made.execute("pragma cache_size = 1")
made.execute("begin")
made.execute("update t set a = zeroblob(5000)")
os._exit(0)
"""


def test_what_a_stopped_program_left_is_told(uri, file, sql):
    sql("create table t (a)", "insert into t values (1), (2), (3), (4)")
    subprocess.run([sys.executable, "-c", STOPPED, file], check=True)
    assert "stopped while it wrote" in message(lambda: unveil.read(f"{uri}?table=t"), FileError)
    assert sql("select a from t") == [(1,), (2,), (3,), (4,)]  # which puts it in order
    assert len(unveil.read(f"{uri}?table=t")) == 4


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("with x as (select 1) delete from t", "this one writes"),
        ("with x as (select 1) insert into t select 3", "this one writes"),
        ("select a from t; delete from t", "one statement"),
        ("select a from t) ; delete from t --", "does not understand"),
        ("select readonly from t", "a column that the query names"),
        ("select a from locked", "a table that the query names"),
        ("select a frm t where", "does not understand"),
        ("table t", "does not understand"),
        ("select a, a from t", "the same name"),
        ("select abs(-9223372036854775807 - a) as 'locked' from t", "could not read"),
        ("select nosuch(1) as locked", "could not read"),
    ],
)
def test_a_query_that_writes_or_fails_is_refused(uri, sql, query, said):
    sql("create table t (a)", "insert into t values (1), (2)")
    assert said in message(lambda: unveil.read(f"{uri}?query={query}"))
    assert sql("select a from t") == [(1,), (2,)]


@pytest.mark.parametrize(
    "query",
    [
        "select a from t where b = 'y' -- only one",
        "with u as (select * from t) select max(a) as a from u;",
        "VALUES (2)",
        "select a from t order by b desc limit 1",
        "select 1 %2B 1 as a /* %26 */ ;",
    ],
)
def test_a_query_is_read(uri, sql, query):
    sql("create table t (a, b)", "insert into t values (1, 'x'), (2, 'y')")
    assert unveil.read(f"{uri}?query={query}").to_frame().to_series().to_list() == [2]


def test_the_order_of_a_query_is_kept(uri, sql):
    sql("create table t (a, b)", "insert into t values (1, 7), (2, 9), (3, 8)")
    read = unveil.read(f"{uri}?query=select a from t order by b desc")
    assert read.column("a").to_list() == [2, 3, 1]


@pytest.mark.parametrize("nulls", [0, 70_000])
@pytest.mark.parametrize(
    ("early", "late", "found"),
    [
        ("1", "2.5", [1.0, 2.5]),
        ("1", "9007199254740993", [1, 2**53 + 1]),
        ("1", "'a'", "mixes text and numbers"),
        ("'a'", "2.5", "mixes text and numbers"),
        ("'a'", "'b'", ["a", "b"]),
        ("1.5", "x'00'", "holds bytes"),
        ("1.5", "9007199254740993", "beyond 2^53"),
        ("1.5", "9e999", "infinite"),
        ("'a'", "cast(x'ff' as text)", "not UTF-8"),
        ("'a'", "cast(x'610062' as text)", ["a", "a\0b"]),
    ],
)
def test_no_cell_is_lost_to_the_type_of_the_first(uri, sql, nulls, early, late, found):
    sql(
        "create table t (a)",
        f"insert into t with recursive n(i) as (values (1) union all select i + 1 from n where "
        f"i < {nulls}) select null from n",
        f"insert into t values ({early}), ({late})",
    )
    if isinstance(found, str):
        said = message(lambda: unveil.read(f"{uri}?table=t"), DataError)
        assert found in said
        return
    assert unveil.read(f"{uri}?table=t").to_frame()["a"].drop_nulls().to_list() == found


def test_declared_types_count_where_every_cell_agrees(uri, sql):
    sql(
        "create table t (d DATE, e DATE, b BOOLEAN, c bool, s TIMESTAMP, n DATETIME)",
        "insert into t values ('2020-01-02', 'soon', 1, 2, '2020-01-02 03:04:05', 17)",
    )
    row = unveil.read(f"{uri}?table=t").to_frame().row(0)
    expected = (
        datetime.date(2020, 1, 2),
        "soon",
        True,
        2,
        datetime.datetime(2020, 1, 2, 3, 4, 5),
        17,
    )
    assert row == expected
    by_query = unveil.read(f"{uri}?query=select b, d from t").to_frame().row(0)
    assert by_query == (True, datetime.date(2020, 1, 2))


def test_a_locked_file_is_said_to_be(uri, file, sql):
    sql("create table t (a)", "insert into t values (1)")
    hold = (
        f"import sqlite3; c = sqlite3.connect({str(file)!r}, isolation_level=None);"
        "c.execute('begin exclusive'); print(flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        other.stdout.readline()
        for act in (
            lambda: unveil.write(Microdata(FRAME), f"{uri}?table=u"),
            lambda: unveil.read(f"{uri}?table=t"),
        ):
            assert "another program is writing" in message(act, FileError)
        other.communicate(b"\n")
    assert unveil.read(f"{uri}?table=t").columns == ("a",)


# Digests


def test_a_digest_knows_cells_and_not_their_order(uri):
    places = [locate(f"{uri}?table={name}") for name in "abcd"]
    frames = [
        FRAME,
        FRAME.reverse(),
        FRAME.rename({"age": "agE"}),
        FRAME.with_columns(age=pl.lit(1)),
    ]
    for place, frame in zip(places, frames, strict=True):
        place.save(Microdata(frame))
    digests = [place.digest() for place in places]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3
    assert locate(f"{uri}?query=select * from a").digest() == digests[0]
