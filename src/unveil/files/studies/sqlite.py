"""A study in an SQLite file, for the processes of one machine.

It is written with Python's own sqlite3, not ADBC: a study then needs no extra package, errors have
codes, and transactions are begun when it is said. The claims are locks on the bytes of a second
file, FILE-lock, one byte for each task. They are locks of the open file description (Linux): the
usual ones belong to the process, so that two stores in one process would share them, and closing
any descriptor of the file would release them.
"""

import os
import sqlite3
import struct
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from unveil.errors import FileError, errors_at
from unveil.files.atomic_write import check_target, follow_links
from unveil.files.databases.base import quote_name
from unveil.files.studies.base import GO_ON, StudyStore
from unveil.wording import reason

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

APPLICATION = 0x756E766C  # marks the file as a study
_TASKS = 2**30  # bytes of the lock file that a phase has
_TIMEOUT = 60  # seconds for others to finish writing
_FLOCK = "hhqqi4x"  # struct flock: type, whence, start, length, process
_DAMAGED = "this is not a study, or it is damaged: name another place (--study)"
_EXPLAINED = {
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_ERROR: _DAMAGED,  # a table or a column is missing
    sqlite3.SQLITE_FULL: f"the disk is full; {GO_ON}",
    sqlite3.SQLITE_BUSY: f"another program has locked the study; {GO_ON}",
    sqlite3.SQLITE_READONLY: f"the study cannot be written, or it was moved away; {GO_ON}",
}


class SqliteStudy(StudyStore):
    """A study in a file that only its owner can read."""

    value_table, bytes_type = "value", "BLOB"

    def __init__(self, path: Path, place: str, phase: str = "") -> None:
        super().__init__(place)
        self.task_table = quote_name(f"task {phase}".strip())
        self._first_byte = zlib.crc32(phase.encode()) * _TASKS if phase else 0
        if not hasattr(fcntl, "F_OFD_SETLK"):
            raise FileError("a study in a file needs Linux: keep it in PostgreSQL").at(place)
        with _errors_at(place):
            check_target(path, force=True)
            self.file, self._locks = follow_links(path), -1
            _create(self.file)
            uri = f"{self.file.as_uri()}?mode=rw"
            self._connection = sqlite3.connect(
                uri, uri=True, timeout=_TIMEOUT, isolation_level=None
            )
        try:
            self._check_is_study()
            self.run("PRAGMA synchronous = EXTRA")  # a commit survives a power cut, too
            with _errors_at(place):
                lock_file = self.file.with_name(f"{self.file.name}-lock")
                self._locks = os.open(lock_file, os.O_RDWR | os.O_CREAT, 0o600)
        except BaseException:
            self.close()
            raise

    def _check_is_study(self) -> None:
        ((application,),) = self.run("PRAGMA application_id")
        ((n_tables,),) = self.run("SELECT count(*) FROM sqlite_schema")
        empty = application == 0 and n_tables == 0
        if application != APPLICATION and not empty:
            message = "this SQLite file is not a study; name another (--study)"
            raise FileError(message).at(self.place)
        if self.run("PRAGMA quick_check(1)") != [("ok",)]:
            raise FileError(_DAMAGED).at(self.place)

    def create_tables(self) -> None:
        if self.run("PRAGMA application_id") != [(APPLICATION,)]:
            with _errors_at(self.place):
                self.file.chmod(0o600)  # somebody may have made it; the journal follows it
            self.run(f"PRAGMA application_id = {APPLICATION}")
        super().create_tables()

    def run(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        with _errors_at(self.place):
            named = {str(place): value for place, value in enumerate(parameters, 1)}
            return self._connection.execute(sql, named).fetchall()

    def begin_writing(self) -> None:
        self.run("BEGIN IMMEDIATE")

    def lock(self, number: int) -> bool:
        try:
            self._lock_byte(fcntl.F_OFD_SETLK, fcntl.F_WRLCK, number)
        except (BlockingIOError, PermissionError):  # EAGAIN or EACCES: another has it
            return False
        return True

    def unlock(self, number: int) -> None:
        self._lock_byte(fcntl.F_OFD_SETLK, fcntl.F_UNLCK, number)

    def locked(self, numbers: Collection[int]) -> set[int]:
        """Own locks are no obstacle to oneself, so the kernel does not report them."""
        return {
            number
            for number in numbers
            if number in self._claimed
            or self._lock_byte(fcntl.F_OFD_GETLK, fcntl.F_WRLCK, number) != fcntl.F_UNLCK
        }

    def _lock_byte(self, command: int, kind: int, number: int) -> int:
        """Carry out a command on the lock of one byte; return the kind of lock that is there."""
        asked = struct.pack(_FLOCK, kind, os.SEEK_SET, self._first_byte + number, 1, 0)
        return int(struct.unpack(_FLOCK, fcntl.fcntl(self._locks, command, asked))[0])

    def close(self) -> None:
        self._connection.close()
        if self._locks >= 0:
            os.close(self._locks)
        self._locks = -1
        self._claimed.clear()


def _create(file: Path) -> None:
    """Create an empty private file, unless it exists: SQLite would make one that others can read.

    A file that exists is not opened: to close it again would undo the locks of SQLite.
    """
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


@contextmanager
def _errors_at(place: str) -> Iterator[None]:
    """Explain the errors of the system and of SQLite, and say where they happened."""
    with errors_at(place):
        try:
            yield
        except OSError as error:
            raise FileError(f"cannot be written: {reason(error)}") from None
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_IOERR) & 0xFF
            otherwise = f"the study cannot be read or written; {GO_ON}"
            raise FileError(_EXPLAINED.get(code, otherwise)) from None
