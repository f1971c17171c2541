"""What a long job has finished, kept in a private folder until all is."""

import hashlib
import io
import os
import shutil
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from unveil.errors import FileError, UsageError
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
        mark = self.folder / JOB
        try:
            begun, _, process = mark.read_text().partition(" ") if mark.is_file() else ("", "", "")
            if process and process != str(os.getpid()) and _is_running(int(process)):
                raise UsageError(
                    f"another audit (process {process}) is writing here: wait for it, or name "
                    "other evidence"
                ).at(str(self.folder))
            if self.folder.exists() and not begun:
                raise FileError("this is not the folder of an unfinished audit; name another").at(
                    str(self.folder)
                )
            if begun and resume and begun != job:
                raise UsageError(
                    "what is finished here is of other files, settings, seed or version: begin "
                    "anew without --resume (resume=False)"
                ).at(str(self.folder))
            if begun and not resume:
                self.remove()
            self.folder.mkdir(mode=0o700, exist_ok=True)
            write_bytes(mark, f"{job} {os.getpid()}".encode(), force=True)
        except OSError as error:
            raise FileError(f"the folder cannot be made: {reason(error)}").at(
                str(self.folder)
            ) from None

    def find(self, step: str, kind: Any) -> tuple[Any, Floats | None] | None:
        """What a step came to, and its numbers for each record; None: it is not finished."""
        path, array = self._path(step, "json"), self._path(step, "npy")
        if not path.is_file():
            return None
        try:
            mark, _, text = path.read_bytes().partition(b"\n")
            numbers = array.read_bytes() if array.is_file() else b""
        except OSError as error:
            raise FileError(f"cannot be read: {reason(error)}").at(str(self.folder)) from None
        if mark != self._mark(step, text, numbers):
            raise FileError(
                "what is finished here is not as it was left: begin anew without --resume "
                "(resume=False)"
            ).at(str(self.folder))
        each = np.load(io.BytesIO(numbers), allow_pickle=False) if numbers else None
        return msgspec.json.decode(text, type=kind), each

    def keep(self, step: str, value: Any, each: Floats | None) -> None:
        """Keep what a step came to; the numbers first, so that a step is whole or not there."""
        text, numbers = msgspec.json.encode(value), b""
        if each is not None:
            held = io.BytesIO()
            np.save(held, each)
            numbers = held.getvalue()
            write_bytes(self._path(step, "npy"), numbers, force=True)
        whole = self._mark(step, text, numbers) + b"\n" + text
        write_bytes(self._path(step, "json"), whole, force=True)

    def _mark(self, step: str, text: bytes, numbers: bytes) -> bytes:
        """What says that these are the very results of this step of this job."""
        parts = (self._job.encode(), step.encode(), text, numbers)
        digests = b"".join(hashlib.sha256(part).digest() for part in parts)
        return hashlib.sha256(digests).hexdigest().encode()

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, step: str, ending: str) -> Path:
        return self.folder / f"{step.replace(' ', '-')}.{ending}"


def _is_running(process: int) -> bool:
    """Whether a process of this number is there."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's
        return True
    return True
