"""A study in PostgreSQL, for the processes of several machines.

A study called NAME is the tables NAME_task and NAME_value, and one more for each later phase.
Claims are advisory locks of the session, which stays connected: the server releases them when the
process ends or its machine is gone. A pooler that shares sessions between transactions does not
keep them: connect to the server.
"""

from collections.abc import Collection
from contextlib import suppress
from typing import Any

import polars as pl

from unveil.errors import FileError, UnveilError, UsageError, import_optional
from unveil.files.databases.base import driver_message, is_interrupt, quote_name, quote_text
from unveil.files.databases.postgresql import LONGEST_NAME, PostgresqlLocation
from unveil.files.databases.uri import Uri
from unveil.files.studies.base import GO_ON, StudyStore

_SESSION = {
    "synchronous_commit": "on",  # a commit is on the disk
    "lock_timeout": "60s",  # for others to finish writing
    "idle_session_timeout": "0",  # an evaluation may take long
    # A machine that is gone without a word keeps its claims for two minutes.
    "tcp_keepalives_idle": "60",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "6",
}
LONGEST_STUDY = LONGEST_NAME - 30  # bytes, beside the kinds of its tables
_NO_RIGHT = "42501"  # of the states that begin with 42: tables are not as the statement has them
_OTHER_TABLES = "tables of this name are not a study; name another, ?study=NAME"


class PostgresqlStudy(StudyStore):
    """A study in two tables of a PostgreSQL server."""

    bytes_type = "bytea"

    def __init__(self, uri: Uri, phase: str = "") -> None:
        super().__init__(uri.text)
        self._location = location = PostgresqlLocation(uri)
        names = [f"{uri.table}_{kind}" for kind in (f"task {phase}".strip(), "value")]
        too_long = len((uri.table or "").encode()) > LONGEST_STUDY
        if too_long or len(location.schema.encode()) > LONGEST_NAME:
            raise UsageError(f"the name of a study has at most {LONGEST_STUDY} bytes")
        self.task_table, self.value_table = (
            f"{quote_name(location.schema)}.{quote_name(name)}" for name in names
        )
        self._driver = import_optional(
            f"{location.driver}.dbapi", location.extra, "a study in PostgreSQL"
        )
        try:
            self._connection = location.open(self._driver, autocommit=True)
        except self._driver.Error as error:
            raise location.explain(error, driver_message(error), writing=True) from None
        try:
            for name, value in _SESSION.items():  # an older server may lack one
                self.run(
                    f"SELECT set_config(name, '{value}', false) FROM pg_settings "
                    f"WHERE name = '{name}'"
                )
        except BaseException:
            self.close()
            raise

    def create_tables(self) -> None:
        ((exists,),) = self.run(f"SELECT to_regclass({quote_text(self.task_table)}) IS NOT NULL")
        if not exists:  # else no right to create tables is needed
            self._location.check_rights(self._connection)
            super().create_tables()

    def run(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        try:
            with self._connection.cursor() as cursor:
                bound = pl.DataFrame([parameters], orient="row") if parameters else None
                cursor.execute(sql, bound)
                return pl.DataFrame(cursor.fetch_arrow()).rows()
        except (self._driver.Error, pl.exceptions.PolarsError) as error:  # of the answer's arrival
            raise self._explained(error) from None

    def _explained(self, error: BaseException) -> BaseException:
        """The error to raise for a driver's error, whose message is not quoted."""
        message, state = driver_message(error), getattr(error, "sqlstate", None) or ""
        if is_interrupt(error, message):
            return KeyboardInterrupt()
        if self._is_lost():
            explained: UnveilError = FileError(f"the connection to the database is lost; {GO_ON}")
        elif state.startswith("42") and state != _NO_RIGHT:
            explained = FileError(_OTHER_TABLES)
        else:
            explained = self._location.explain(error, message, writing=True).or_else(GO_ON)
        return explained.at(self.place)

    def _is_lost(self) -> bool:
        """Whether no server answers any more, be it by a refusal."""
        try:
            with self._connection.cursor() as cursor:
                cursor.execute("SELECT 1")
        except self._driver.Error as error:
            return getattr(error, "sqlstate", None) is None
        return False

    def begin_writing(self) -> None:
        self.run("BEGIN")
        study = quote_text(self.task_table)
        self.run(f"SELECT pg_advisory_xact_lock(hashtextextended({study}, 0))")

    def lock(self, number: int) -> bool:
        return self._advisory("pg_try_advisory_lock", number)

    def unlock(self, number: int) -> None:
        self._advisory("pg_advisory_unlock", number)

    def _advisory(self, function: str, number: int) -> bool:
        """Locks are numbered by the table and the task, so that studies do not share any."""
        ((done,),) = self.run(f"SELECT {function}({self._table_oid}::int4, {number})")
        return bool(done)

    @property
    def _table_oid(self) -> str:
        return f"{quote_text(self.task_table)}::regclass::oid"

    def locked(self, numbers: Collection[int]) -> set[int]:
        rows = self.run(
            "SELECT objid::int8 FROM pg_locks WHERE locktype = 'advisory' AND granted AND "
            "database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND "
            f"classid = {self._table_oid} AND objsubid = 2"
        )
        return {number for (number,) in rows}.intersection(numbers)

    def close(self) -> None:
        with suppress(self._driver.Error):  # it may be lost
            self._connection.close()
        self._claimed.clear()
