"""What a long job has finished, kept in a private folder until all is."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from unveil.errors import FileError, UsageError, reason
from unveil.files.toml import as_path
from unveil.files.whole import write_bytes, write_whole

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from unveil.data.encode import Floats

JOB = "job"


class Unfinished:
    """A folder with the finished steps of one job, each in a file of its own.

    As private as the data: steps may hold the risk of each record.
    """

    def __init__(self, folder: str | os.PathLike[str], job: str, *, resume: bool) -> None:
        self.folder = as_path(folder)
        mark = self.folder / JOB
        try:
            begun = mark.read_text() if mark.is_file() else None
            if self.folder.exists() and begun is None:
                raise FileError("this is not the folder of an unfinished audit; name another").at(
                    str(self.folder)
                )
            if begun is not None and resume and begun != job:
                raise UsageError(
                    "what is finished here is of other files, settings, seed or version: begin "
                    "anew without --resume (resume=False)"
                ).at(str(self.folder))
            if begun is not None and not resume:
                self.remove()
            self.folder.mkdir(mode=0o700, exist_ok=True)
            if not mark.is_file():
                write_bytes(mark, job.encode())
        except OSError as error:
            raise FileError(f"the folder cannot be made: {reason(error)}").at(
                str(self.folder)
            ) from None

    def find(self, step: str, kind: Any) -> tuple[Any, Floats | None] | None:
        """What a step came to, and its numbers for each record; None: it is not finished."""
        path = self._path(step, "json")
        if not path.is_file():
            return None
        array = self._path(step, "npy")
        try:
            value = msgspec.json.decode(path.read_bytes(), type=kind)
            return value, np.load(array, allow_pickle=False) if array.is_file() else None
        except (OSError, ValueError, msgspec.DecodeError):
            raise FileError(
                "what is finished here cannot be read: begin anew without --resume (resume=False)"
            ).at(str(self.folder)) from None

    def keep(self, step: str, value: Any, each: Floats | None) -> None:
        """Keep what a step came to; the numbers first, so that a step is whole or not there."""
        if each is not None:
            write_whole(self._path(step, "npy"), lambda file: np.save(file, each), force=True)
        write_bytes(self._path(step, "json"), msgspec.json.encode(value), force=True)

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, step: str, ending: str) -> Path:
        return self.folder / f"{step.replace(' ', '-')}.{ending}"
