"""The steps of a long job: each reports its progress and survives a kill of the job."""

import hashlib
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from unveil.errors import FileError
from unveil.files.checkpoints import CheckpointFolder
from unveil.files.documents.evidence import read_evidence, read_records
from unveil.files.locations import is_table_path
from unveil.support.arrays import Floats
from unveil.support.options import Progress, TaskProgress
from unveil.values.file_pair import FilePair
from unveil.values.results.evidence import Audit, statement_digest
from unveil.workflows.auditing.settings import AuditSettings

T = TypeVar("T")


class Checkpoints:
    """Runs steps in order; a step that is finished in the folder is read, not run."""

    def __init__(
        self,
        expected: Mapping[str, float],  # seconds of each step; of one that is not listed, none
        *,
        progress: TaskProgress | None = None,
        folder: CheckpointFolder | None = None,
    ) -> None:
        self._expected, self._done = expected, 0.0
        self._total = max(sum(expected.values()), 1e-9)
        self._progress, self._folder = progress, folder

    def run(self, name: str, kind: Any, work: Callable[[Progress], T]) -> T:
        """Run a step, or read its result; `kind` is the type of the result."""
        return self.run_per_record(name, kind, lambda progress: (work(progress), None))[0]

    def run_per_record(
        self, name: str, kind: Any, work: Callable[[Progress], tuple[T, Floats | None]]
    ) -> tuple[T, Floats | None]:
        """The same for a step that also has a number for each record."""
        share = 0.0

        def progress(done: int, total: int) -> None:
            nonlocal share
            if self._progress is not None:  # the parts of a step count anew: it never goes back
                share = max(share, min(done / max(total, 1), 0.99))
                self._progress(name, self._done + share * seconds, self._total)

        seconds = self._expected.get(name, 0.0)
        progress(0, 1)
        result = None if self._folder is None else self._folder.find(name, kind)
        if result is not None:  # no work, by which the speed would be too high
            self._total = max(self._total - seconds, 1e-9)
            return result
        result = work(progress)
        if self._folder is not None:
            self._folder.keep(name, *result)
        self._done += seconds
        return result

    def finish(self) -> None:
        """Report the end and remove the folder."""
        if self._progress is not None:
            self._progress("done", self._total, self._total)
        if self._folder is not None:
            self._folder.remove()


def unfinished(evidence: str | os.PathLike[str]) -> Path:
    """The folder that holds the finished steps of an audit until it writes its evidence."""
    return Path(f"{os.fspath(evidence)}.unfinished")


def checkpoint_folder(
    settings: AuditSettings, pair: FilePair, job: Mapping[str, Any]
) -> CheckpointFolder:
    """The folder of finished steps, under a key of this very audit."""
    truth = pair.truth
    rows = None if truth is None else hashlib.sha256(truth.record_of_row.tobytes()).hexdigest()
    schemas = [data.schema.to_dict() for data in (pair.original, pair.release)]
    plain = {**job, "rows": rows, "schemas": schemas}
    key = hashlib.sha256(msgspec.json.encode(plain, order="deterministic")).hexdigest()
    return CheckpointFolder(unfinished(settings.evidence), key, resume=settings.resume)


def finished_audit(settings: AuditSettings, statement: Mapping[str, Any]) -> Audit | None:
    """The finished audit of this statement if nothing is left to resume, else None.

    The evidence of another audit is refused as a file that exists.
    """
    if settings.force or not settings.overwrites:
        return None
    evidence = read_evidence(settings.evidence)
    if evidence.digest != statement_digest(statement):
        raise FileError(
            "the file exists already; it is the evidence of another audit (other inputs, settings "
            "or version): choose another name, or overwrite it with force=True (--force)"
        ).at(str(settings.evidence))
    table = settings.per_record
    if unfinished(settings.evidence).exists() or not (table is None or is_table_path(table)):
        return None
    return Audit(evidence, {} if table is None else read_records(table), was_finished=True)


@contextmanager
def _only_warnings(shown: Callable[[logging.LogRecord], bool]) -> Iterator[None]:
    logger = logging.getLogger("unveil")
    logger.addFilter(shown)
    try:
        yield
    finally:
        logger.removeFilter(shown)


@contextmanager
def each_warning_once() -> Iterator[None]:
    """Show a warning that every step repeats only once."""
    texts = set[str]()

    def is_new(record: logging.LogRecord) -> bool:
        new = record.getMessage() not in texts
        texts.add(record.getMessage())
        return new

    with _only_warnings(is_new):
        yield


@contextmanager
def quietly() -> Iterator[None]:
    """Show no warning about what is only tried; the notice that kernels are compiled still shows.

    >>> with quietly():
    ...     logging.getLogger("unveil").warning("a column does not vary")
    """
    with _only_warnings(lambda _: False):
        yield
