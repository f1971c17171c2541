"""What people write by hand: schemas, plans and policies are TOML files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from unveil.errors import FileError, UnveilError, UsageError, reason

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

T = TypeVar("T")


def read_toml(
    given: str | os.PathLike[str],
    what: str,
    make: Callable[[dict[str, Any]], T],
    error: type[UnveilError],
) -> T:
    """Make something of the tables of a TOML file; what is wrong in it is said with its name."""
    path = as_path(given)
    try:
        return make(msgspec.toml.decode(path.read_text(encoding="utf-8-sig")))
    except OSError as refused:
        raise FileError(f"the {what} cannot be read: {reason(refused)}").at(str(path)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as wrong:
        raise error(f"this is not TOML: {wrong}").at(str(path)) from None
    except UnveilError as wrong:
        wrong.at(str(path))
        raise


def as_path(given: str | os.PathLike[str]) -> Path:
    """A path, or an error that says that it is none."""
    try:
        path = Path(given)
    except TypeError:
        raise UsageError(f"a file is named by its path, not {type(given).__name__}") from None
    if "\0" in str(path):
        raise UsageError("the path of a file has no null byte")
    if isinstance(given, str) and "://" in given:
        raise UsageError("this is kept in a file, not in a database: name a file").at(given)
    return path
