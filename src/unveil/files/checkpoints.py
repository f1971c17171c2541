"""The finished steps of a long job, kept in a private folder until the job is done."""

import hashlib
import io
import os
import shutil
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from unveil.errors import FileError, UsageError, errors_at
from unveil.files.atomic_write import write_bytes
from unveil.files.locations import as_path
from unveil.support.arrays import Floats
from unveil.wording import reason

JOB = "job"


class CheckpointFolder:
    """A folder with the finished steps of one job, each in a file of its own.

    As private as the data: steps may hold the risk of each record.
    """

    def __init__(self, folder: str | os.PathLike[str], job: str, *, resume: bool) -> None:
        self.folder, self._job = as_path(folder), job
        with errors_at(str(self.folder)):
            try:
                self._start(resume=resume)
            except OSError as error:
                raise FileError(f"the folder cannot be made: {reason(error)}") from None
        write_bytes(self.folder / JOB, f"{job} {os.getpid()}".encode(), force=True)

    def _start(self, *, resume: bool) -> None:
        path = self.folder / JOB
        begun, _, process = path.read_text().partition(" ") if path.is_file() else ("", "", "")
        if process and process != str(os.getpid()) and _is_running(int(process)):
            raise UsageError(
                f"another audit (process {process}) is writing here: wait for it, or name "
                "other evidence"
            )
        if self.folder.exists() and not begun:
            raise FileError("this is not the folder of an unfinished audit; name another")
        if begun and resume and begun != self._job:
            raise UsageError(
                "the unfinished audit has other files, settings, policy, seed or version; start "
                "again without --resume (resume=False)"
            )
        if begun and not resume:
            self.remove()
        self.folder.mkdir(mode=0o700, exist_ok=True)

    def find(self, step: str, kind: Any) -> tuple[Any, Floats | None] | None:
        """The value of a step and its numbers per record; None if the step is not finished."""
        path, array = self._path(step, "json"), self._path(step, "npy")
        if not path.is_file():
            return None
        with errors_at(str(self.folder)):
            try:
                checksum, _, text = path.read_bytes().partition(b"\n")
                numbers = array.read_bytes() if array.is_file() else b""
            except OSError as error:
                raise FileError(f"cannot be read: {reason(error)}") from None
            if checksum != self._checksum(step, text, numbers):
                raise FileError(
                    "the unfinished audit was changed; start again without --resume (resume=False)"
                )
        per_record = np.load(io.BytesIO(numbers), allow_pickle=False) if numbers else None
        return msgspec.json.decode(text, type=kind), per_record

    def keep(self, step: str, value: Any, per_record: Floats | None) -> None:
        """Keep a finished step; the numbers first, so that a step is whole or not there."""
        text, numbers = msgspec.json.encode(value), b""
        if per_record is not None:
            buffer = io.BytesIO()
            np.save(buffer, per_record)
            numbers = buffer.getvalue()
            write_bytes(self._path(step, "npy"), numbers, force=True)
        content = self._checksum(step, text, numbers) + b"\n" + text
        write_bytes(self._path(step, "json"), content, force=True)

    def _checksum(self, step: str, text: bytes, numbers: bytes) -> bytes:
        parts = (self._job.encode(), step.encode(), text, numbers)
        digests = b"".join(hashlib.sha256(part).digest() for part in parts)
        return hashlib.sha256(digests).hexdigest().encode()

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, step: str, suffix: str) -> Path:
        return self.folder / f"{step.replace(' ', '-')}.{suffix}"


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's
        return True
    return True
