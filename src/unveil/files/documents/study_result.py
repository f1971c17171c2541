"""The result of a search as a JSON file: every tried plan, and the chosen one."""

import os
from math import isfinite
from typing import Any

import msgspec

from unveil.errors import FileError
from unveil.files.atomic_write import write_bytes
from unveil.files.locations import as_path
from unveil.values.results.choice import StudyResult
from unveil.wording import reason

NO_STUDY = "this is not the complete result of a search; give the choice.json of `unveil choose`"


class _Marks(msgspec.Struct):
    """Fields that no other document has."""

    tried: tuple[Any, ...]
    frontier: tuple[int, ...]


def study_json(study: StudyResult) -> bytes:
    """Return the bytes of the file: the same study, the same bytes."""
    text = msgspec.json.encode(study_values(study), order="deterministic")
    return msgspec.json.format(text, indent=2) + b"\n"


def study_values(study: StudyResult) -> dict[str, Any]:
    """A study in plain values, as in its file."""
    values: dict[str, Any] = _finite(msgspec.to_builtins(study))
    return values


def _finite(value: Any) -> Any:
    """Plain values in which a number without end is a word, as JSON has no such number."""
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def write_study(study: StudyResult, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a study to a JSON file, whole or not at all, readable by its owner only."""
    write_bytes(as_path(path), study_json(study), force=force)


def read_study(path: str | os.PathLike[str]) -> StudyResult:
    """Read what a search found (choice.json)."""
    path = as_path(path)
    try:
        return msgspec.json.decode(path.read_bytes(), type=StudyResult, strict=False)
    except OSError as error:
        raise FileError(f"the study cannot be read: {reason(error)}").at(str(path)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # whose message may quote it
        raise FileError(NO_STUDY).at(str(path)) from None


def is_study(path: str | os.PathLike[str]) -> bool:
    """Whether a file is what a search found, as far as its fields tell."""
    try:
        msgspec.json.decode(as_path(path).read_bytes(), type=_Marks)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True
