"""What people write by hand: schemas, plans and policies are TOML files."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from unveil.errors import FileError, UnveilError
from unveil.files.locations import as_path
from unveil.wording import reason

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
