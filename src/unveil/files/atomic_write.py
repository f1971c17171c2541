"""Write a file whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from unveil.errors import FileError, errors_at
from unveil.wording import reason, suggest

_PARTS: set[Path] = set()  # temporary files that are being written


def remove_parts() -> None:
    """Remove the temporary files of a program that is ended in the middle of writing."""
    for part in list(_PARTS):
        part.unlink(missing_ok=True)


def write_atomically(
    path: Path,
    save: Callable[[Path], object],
    *,
    force: bool = False,
    before: Callable[[], object] | None = None,
) -> None:
    """Let ``save`` write a private temporary file, then move it to its place.

    The file is readable by its owner only, unless it replaces one that had other permissions.
    Whatever fails, an existing file stays as it was and nothing else is left behind. ``before``
    moves other files to their places: it runs when the new file is complete, the old one is
    removed and the new one is not yet there.
    """
    with _complete_part(path, save, force=force) as (part, target):
        if before is not None:
            target.unlink(missing_ok=True)
            before()
        part.replace(target)


@contextmanager
def complete_files(contents: Mapping[Path, bytes], *, force: bool) -> Iterator[Callable[[], None]]:
    """Write files but for their names; the function that is handed out moves them to their places.

    So a failure comes before anything has changed.
    """
    with ExitStack() as stack:
        parts = [
            stack.enter_context(
                _complete_part(path, partial(Path.write_bytes, data=content), force=force)
            )
            for path, content in contents.items()
        ]

        def move() -> None:
            for part, target in parts:
                part.replace(target)

        yield move


@contextmanager
def _complete_part(
    path: Path, save: Callable[[Path], object], *, force: bool
) -> Iterator[tuple[Path, Path]]:
    """A private temporary file with all that ``save`` writes, and the place where it belongs."""
    check_target(path, force=force)
    target, part = follow_links(path), None
    try:
        # With the suffix of the target: in some formats it decides.
        handle, name = tempfile.mkstemp(target.suffix, ".unveil-", target.parent)
        part = Path(name)
        _PARTS.add(part)
        os.close(handle)
        save(part)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, part)
        yield part, target
    except OSError as error:
        message = f"cannot be written: {reason(error)}; the file is unchanged"
        raise FileError(message).at(str(path)) from None
    finally:
        if part is not None:
            part.unlink(missing_ok=True)
            _PARTS.discard(part)


def write_bytes(path: Path, content: bytes, *, force: bool = False) -> None:
    """Write these bytes, whole or not at all."""
    write_atomically(path, lambda part: part.write_bytes(content), force=force)


def check_exists(path: Path) -> None:
    """Refuse to read a file that does not exist, or a folder."""
    try:
        if not path.exists():
            raise FileError(f"there is no such file{_nearest_file(path)}")
        if path.is_dir():
            raise FileError("this is a folder; name a file in it")
    except OSError as error:  # a name too long, a folder shut
        raise FileError(f"cannot be read: {reason(error)}") from None


def _nearest_file(path: Path) -> str:
    try:
        near = suggest(path.name, [other.name for other in path.parent.iterdir()])
    except OSError:
        near = ""
    return near or "; check its name and its folder"


def check_target(path: Path, *, force: bool) -> None:
    """Refuse, before any work, a file that could not be written in the end."""
    with errors_at(str(path)):
        try:
            target = follow_links(path)
            exists, is_file, has_folder = target.exists(), target.is_file(), target.parent.is_dir()
        except OSError as error:  # a name too long, a folder shut
            raise FileError(f"cannot be written: {reason(error)}") from None
        if target.is_symlink():
            raise FileError("cannot be written: a loop of links")
        if exists and not is_file:
            raise FileError("this is a folder or a device; name a file")
        if exists and not force:
            raise FileError(
                "the file exists already; choose another name, or overwrite it with "
                "force=True (--force)"
            )
        if not has_folder:
            raise FileError("its folder does not exist; make it first")


def follow_links(path: Path) -> Path:
    """Return the path that the links lead to; a loop of links stays a link."""
    return Path(os.path.realpath(path))  # Path.resolve raises on a loop, or not, by version
