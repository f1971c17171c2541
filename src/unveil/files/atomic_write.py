"""Write a file whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from unveil.errors import FileError, UnveilError
from unveil.wording import reason, suggest


def write_whole(path: Path, save: Callable[[Path], None], *, force: bool = False) -> None:
    """Let ``save`` write a private temporary file, then move it to its place.

    The file is readable by its owner only, unless it replaces one that had other rights.
    Whatever fails, an existing file stays as it was and nothing else is left behind.
    """
    check_target(path, force=force)
    target = followed(path)
    try:
        # With the ending of the target: in some formats it decides.
        handle, name = tempfile.mkstemp(target.suffix, ".unveil-", target.parent)
    except OSError as error:
        raise _unwritable(path, error) from None
    part = Path(name)
    try:
        os.close(handle)
        save(part)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, part)
        part.replace(target)
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        part.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes, *, force: bool = False) -> None:
    """Write these bytes, whole or not at all."""

    def save(part: Path) -> None:
        part.write_bytes(content)

    write_whole(path, save, force=force)


def check_there(path: Path) -> None:
    """Refuse to read what is not there, or is a folder."""
    try:
        if not path.exists():
            raise FileError(f"there is no such file{_sibling(path)}")
        if path.is_dir():
            raise FileError("this is a folder; name a file in it")
    except OSError as error:  # a name too long, a folder shut
        raise FileError(f"cannot be read: {reason(error)}") from None


def _sibling(path: Path) -> str:
    try:
        return suggest(path.name, [other.name for other in path.parent.iterdir()])
    except OSError:
        return ""


def check_target(path: Path, *, force: bool) -> None:
    """Refuse, before any work, a file that could not be written in the end."""
    try:
        target = followed(path)
        exists, is_file, has_folder = target.exists(), target.is_file(), target.parent.is_dir()
    except OSError as error:  # a name too long, a folder shut
        raise FileError(f"cannot be written: {reason(error)}").at(str(path)) from None
    if target.is_symlink():
        raise FileError("cannot be written: a loop of links").at(str(path))
    if exists and not is_file:
        raise FileError("this is a folder or a device; name a file").at(str(path))
    if exists and not force:
        raise FileError(
            "the file exists already; choose another name, or overwrite it with "
            "force=True (--force)"
        ).at(str(path))
    if not has_folder:
        raise FileError("its folder does not exist; make it first").at(str(path))


def followed(path: Path) -> Path:
    """Where the links of a path lead; a loop of links stays a link."""
    return Path(os.path.realpath(path))  # Path.resolve raises on a loop, or not, by version


def _unwritable(path: Path, error: OSError) -> UnveilError:
    return FileError(f"cannot be written: {reason(error)}; it is as it was").at(str(path))
