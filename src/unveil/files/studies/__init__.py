"""Studies: a long search that several processes share, kept in SQLite or PostgreSQL as it grows."""

import os

from unveil.errors import errors_at
from unveil.files.databases.uri import parse_study_uri
from unveil.files.locations import as_path, is_uri
from unveil.files.studies.base import StudyStore, StudyTask
from unveil.files.studies.postgresql import PostgresqlStudy
from unveil.files.studies.sqlite import SqliteStudy

__all__ = ["StudyStore", "StudyTask", "open_study"]


def open_study(place: str | os.PathLike[str], *, phase: str = "") -> StudyStore:
    """Open a study: a file serves one machine, ``postgresql://HOST/DATABASE?study=NAME`` several.

    A later phase of the study, of that name, has tasks of its own.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with folder, open_study(f"{folder.name}/study.db") as study:
    ...     study.begin({"original": "digest"})
    ...     study.add_round(1, [b"a", b"b"])
    ...     study.finish(study.claim().number, b"result of a")
    ...     [task.result for task in study.tasks()]
    [b'result of a', None]
    """
    if not is_uri(place):
        return SqliteStudy(as_path(place), str(place), phase)
    uri = parse_study_uri(str(place))
    with errors_at(uri.text):
        if uri.engine == "sqlite":
            return SqliteStudy(uri.path, uri.text, phase)
        return PostgresqlStudy(uri, phase)
