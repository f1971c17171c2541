"""A study as it grows: rounds of tasks, each with its result, that several processes share.

::

    add_round ──▶ task ──claim──▶ one process works on it ──finish──▶ result

Tasks and results are bytes, and the store does not know their meaning. Each is written in a
transaction: what is finished stays, whatever happens to the process. A claim is a lock that the
kernel or the server releases with the process that holds it, so a task is never lost, nor is it
worked on twice at a time.

A study is as private as the original: from the seeds in it, masking can be repeated and undone.
"""

from __future__ import annotations

import abc
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, ClassVar, NamedTuple

import msgspec

from unveil.errors import UnveilError, UsageError
from unveil.wording import listing

GO_ON = "finished plans are kept; run the same command again to continue"


class StudyTask(NamedTuple):
    """One task of a study."""

    number: int  # from 1
    round: int  # from 1
    work: bytes
    result: bytes | None = None  # None: not finished
    under_way: bool = False  # whether a living process works on it


class StudyStore(AbstractContextManager["StudyStore"]):
    """A study in a database; :meth:`begin` comes first.

    Parameters of SQL are $1, $2, ... in every database.
    """

    task_table: str  # as SQL names it
    value_table: str
    bytes_type: ClassVar[str]

    def __init__(self, place: str) -> None:
        self.place = place
        self._claimed: set[int] = set()  # by this store

    def __exit__(self, *_error: object) -> None:
        self.close()

    def begin(self, inputs: Mapping[str, str]) -> None:
        """Create the study, or go on with it if it has the same inputs.

        The inputs are digests of all that the results depend on, by name.
        """
        with self._transaction():
            self.create_tables()
            stored = self._keep("study inputs", msgspec.json.encode(inputs))
            before = msgspec.json.decode(stored, type=dict[str, str])
            if others := [name for name in inputs if before.get(name) != inputs[name]]:
                raise UsageError(
                    f"this study has another {listing(others)}; name another place (--study)"
                ).at(self.place)

    def add_round(self, number: int, tasks: Sequence[bytes]) -> None:
        """Add a round, whole; if the round is there already, it stays as it is."""
        with self._transaction():
            ((rounds, n_tasks),) = self.run(
                f"SELECT coalesce(max(round), 0), count(*) FROM {self.task_table}"
            )
            if number <= rounds:
                return
            for place, work in enumerate(tasks, n_tasks + 1):
                self.run(
                    f"INSERT INTO {self.task_table} (number, round, work) VALUES ($1, $2, $3)",
                    place, number, work,
                )  # fmt: skip

    def tasks(self) -> list[StudyTask]:
        """All tasks in order of their numbers."""
        rows = self.run(
            f"SELECT number, round, work, result FROM {self.task_table} ORDER BY number"
        )
        locked = self.locked([number for number, _, _, result in rows if result is None])
        return [
            StudyTask(number, in_round, work, result, number in locked)
            for number, in_round, work, result in rows
        ]

    def claim(self, *, up_to: int | None = None) -> StudyTask | None:
        """Claim the first task that is not finished and that no living process works on."""
        unfinished = f"FROM {self.task_table} WHERE result IS NULL"
        for (number,) in self.run(f"SELECT number {unfinished} ORDER BY number"):
            if up_to is not None and number > up_to:
                break
            if number in self._claimed or not self.lock(number):
                continue
            self._claimed.add(number)
            # It may have been finished by the process that had just had the lock.
            rows = self.run(f"SELECT round, work {unfinished} AND number = $1", number)
            for in_round, work in rows:
                return StudyTask(number, in_round, work, under_way=True)
            self.release(number)
        return None

    def release(self, number: int) -> None:
        """Give up a claim."""
        if number in self._claimed:
            self.unlock(number)
            self._claimed.discard(number)

    def finish(self, number: int, result: bytes) -> None:
        """Store a result for good, then release the claim; the first result of a task stays."""
        with self._transaction():
            self.run(
                f"UPDATE {self.task_table} SET result = $2 WHERE number = $1 AND result IS NULL",
                number, result,
            )  # fmt: skip
        self.release(number)

    def keep_once(self, name: str, value: bytes) -> bytes:
        """Store a value unless there is one of this name; return what is stored."""
        with self._transaction():
            return self._keep(name, value)

    def _keep(self, name: str, value: bytes) -> bytes:
        self.run(
            f"INSERT INTO {self.value_table} (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            name, value,
        )  # fmt: skip
        ((stored,),) = self.run(f"SELECT value FROM {self.value_table} WHERE name = $1", name)
        return bytes(stored)

    def create_tables(self) -> None:
        """Create what is not there yet."""
        self.run(
            f"CREATE TABLE IF NOT EXISTS {self.task_table} (number integer PRIMARY KEY, "
            f"round integer NOT NULL, work {self.bytes_type} NOT NULL, result {self.bytes_type})"
        )
        self.run(
            f"CREATE TABLE IF NOT EXISTS {self.value_table} "
            f"(name text PRIMARY KEY, value {self.bytes_type} NOT NULL)"
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All statements of the block or none; no other process writes in the meantime."""
        try:
            self.begin_writing()
            yield
            self.run("COMMIT")
        except BaseException:
            with suppress(UnveilError):  # there may be no database any more
                self.run("ROLLBACK")
            raise

    @abc.abstractmethod
    def run(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        """The rows of a statement; an error of the driver is explained, not quoted."""

    @abc.abstractmethod
    def begin_writing(self) -> None:
        """Begin a transaction, as the only process that writes."""

    @abc.abstractmethod
    def lock(self, number: int) -> bool:
        """Lock a task until this process ends, unless another has locked it."""

    @abc.abstractmethod
    def unlock(self, number: int) -> None:
        """Unlock a task."""

    @abc.abstractmethod
    def locked(self, numbers: Collection[int]) -> set[int]:
        """Those of the tasks that are locked, by this process or another."""

    @abc.abstractmethod
    def close(self) -> None:
        """Release every claim and close the database."""
