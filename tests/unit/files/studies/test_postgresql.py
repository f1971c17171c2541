"""Studies on a server."""

import adbc_driver_postgresql.dbapi
import pytest

from fixtures.postgresql import started
from unveil.errors import FileError
from unveil.files.studies import open_study

pytestmark = pytest.mark.slow


@pytest.fixture
def sql(server):
    """Carry out statements by the driver alone."""
    connection = adbc_driver_postgresql.dbapi.connect(server.uri, autocommit=True)

    def run(statement):
        with connection.cursor() as cursor:
            cursor.execute(statement)

    yield run
    connection.close()


@pytest.mark.parametrize("name", ['it\'s; "Zoë"', "UPPER", "n" * 33])
def test_a_study_has_any_name(server, name):
    quoted = name.replace('"', '""').replace(" ", "%20").replace(";", "%3B")
    named = f'"{quoted}"' if '"' in name else quoted
    with open_study(f"{server.uri}&study={named}") as study:
        study.begin({"original": "key"})
        study.add_round(1, [b"a"])
        assert study.claim().number == 1
        assert study.tasks()[0].under_way


def test_studies_of_one_server_do_not_share_claims(server, sql):
    sql("create schema if not exists elsewhere")
    stores = [open_study(f"{server.uri}&study={name}") for name in ("a", "b", "elsewhere.a")]
    for store in stores:
        store.begin({"original": store.place})
        store.add_round(1, [b"work"])
        assert store.claim().number == 1
    for store in stores:
        store.close()


def test_a_connection_that_is_lost(server, sql):
    with open_study(f"{server.uri}&study=lost") as study:
        study.begin({"original": "key"})
        study.add_round(1, [b"Canarybird", b"b"])
        study.finish(study.claim().number, b"result")
        study.claim()
        sql(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where pid <> pg_backend_pid() and backend_type = 'client backend'"
        )
        with pytest.raises(FileError) as caught:
            study.finish(2, b"Canarybird")
    assert str(caught.value) == (
        f"{study.place}: the connection to the database is lost; finished plans are kept; run the "
        "same command again to continue"
    )
    with open_study(study.place) as again:
        again.begin({"original": "key"})
        assert [task.result for task in again.tasks()] == [b"result", None]
        assert again.claim().number == 2


def test_a_server_that_is_stopped_and_started_again():
    with started() as one:
        study = open_study(f"{one.uri}&study=stopped")
        study.begin({"original": "key"})
        study.add_round(1, [b"a", b"b"])
        study.finish(1, b"result")
        one.run("pg_ctl", "-m", "fast", "stop")
        try:
            with pytest.raises(FileError, match="is lost; finished plans are kept"):
                study.tasks()
            with pytest.raises(FileError, match="there is no server"):
                open_study(study.place)
        finally:
            study.close()
            one.start()
        with open_study(study.place) as again:
            assert [task.result for task in again.tasks()] == [b"result", None]


def test_tables_of_something_else_are_refused(server, sql):
    sql("create table mine_task (name text)")
    sql("create table mine_value (something int)")
    with open_study(f"{server.uri}&study=mine") as study, pytest.raises(FileError) as caught:
        study.begin({"original": "key"})
    assert "tables of this name are not a study" in str(caught.value)


def test_a_user_who_may_not_create_tables(server, sql):
    sql("drop role if exists visitor")
    sql("create role visitor login")
    (server.folder / "data" / "pg_hba.conf").write_text(
        "local all visitor trust\n" + (server.folder / "data" / "pg_hba.conf").read_text()
    )
    sql("select pg_reload_conf()")
    place = f"{server.uri.replace('user=postgres', 'user=visitor')}&study=visit"
    with open_study(place) as study, pytest.raises(FileError, match="may not make tables"):
        study.begin({"original": "key"})
    sql("drop role visitor")
