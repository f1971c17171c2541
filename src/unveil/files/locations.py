"""Locations of tables: a file, a sheet of a workbook, a database."""

from __future__ import annotations

import abc
import hashlib
import os
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import ClassVar

from unveil.errors import FileError, UsageError, errors_at
from unveil.files.atomic_write import check_exists, check_target, follow_links, write_atomically
from unveil.files.formats.base import Format, format_of, formats
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.wording import reason

_INCOMPLETE_URI = re.compile(r"(?:postgres(?:ql)?|sqlite):")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?=://)")


class TableLocation(abc.ABC):
    """The location of a table.

    Its text is the name that the user gave, which holds no secret. Every error names the location.
    """

    replaces_file: ClassVar[bool]  # whether writing it leaves nothing else in its file

    @property
    @abc.abstractmethod
    def key(self) -> Hashable:
        """The same for all names of one location."""

    @property
    def format(self) -> Format | None:
        """The file format; none in a database."""
        return None

    @property
    def file(self) -> Path | None:
        """The file that holds the table, if there is one."""
        return None

    def overlaps(self, other: TableLocation) -> bool:
        """Whether writing to one of them would replace the other."""
        same_file = self.file is not None and self.file == other.file
        return self.key == other.key or (same_file and (self.replaces_file or other.replaces_file))

    @abc.abstractmethod
    def load(self, schema: Schema | None, format: Format | None = None) -> Microdata:  # noqa: A002
        """Read the table."""

    @abc.abstractmethod
    def save(
        self,
        data: Microdata,
        format: Format | None = None,  # noqa: A002
        *,
        force: bool = False,
        before: Callable[[], object] | None = None,
    ) -> None:
        """Write a table, whole or not at all; ``before`` runs when all but its place is written."""

    @abc.abstractmethod
    def check_target(self, *, force: bool) -> None:
        """Refuse, before any work, a location that cannot be written."""

    @abc.abstractmethod
    def check_columns(self, columns: Sequence[str]) -> None:
        """Refuse, before any work, column names that cannot be written here."""

    def output_format(self, source: TableLocation, source_format: Format | None) -> Format | None:  # noqa: ARG002
        """The format of a table that was read from another location in the given format."""
        return self.format

    @abc.abstractmethod
    def digest(self) -> str:
        """The SHA-256 of the contents."""

    @abc.abstractmethod
    def companion(self, suffix: str) -> Path:
        """The path of a file that goes with the table."""

    @abc.abstractmethod
    def sibling(self, suffix: str) -> str:
        """The name of a location beside this one: its stem and a suffix, in its format."""

    @abc.abstractmethod
    def with_stem(self, stem: str) -> str:
        """The name of a location in the same format."""


class FileLocation(TableLocation):
    """A file; of a workbook one sheet: ``survey.xlsx#people``."""

    replaces_file = True  # writing a sheet writes the whole workbook

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._name = os.fspath(path)
        self.path, self.sheet = _split_sheet(Path(path))

    def __str__(self) -> str:
        return str(self._name)

    @property
    def file(self) -> Path:
        return follow_links(self.path)

    @property
    def key(self) -> Hashable:
        return self.file, self.sheet

    @property
    def format(self) -> Format:
        return self._format(None)

    def load(self, schema: Schema | None, format: Format | None = None) -> Microdata:  # noqa: A002
        with errors_at(str(self)), self._readable():
            return self._format(format).load(self.path, schema)

    def save(
        self,
        data: Microdata,
        format: Format | None = None,  # noqa: A002
        *,
        force: bool = False,
        before: Callable[[], object] | None = None,
    ) -> None:
        """Write a table into a private file, then move it to its place."""
        with errors_at(str(self)):
            chosen = self._format(format)
            chosen.check_writable(self.path)
            write_atomically(
                self.path, lambda part: chosen.save(data, part), force=force, before=before
            )

    def check_target(self, *, force: bool) -> None:
        """Refuse a folder, and a file that exists unless forced."""
        check_target(self.path, force=force)

    def check_columns(self, columns: Sequence[str]) -> None:
        """Refuse a format that is unknown or read-only, and names that it cannot hold."""
        with errors_at(str(self)):
            self.format.check_writable(self.path)
            self.format.check_columns(columns)

    def output_format(self, source: TableLocation, source_format: Format | None) -> Format:
        """The dialect of the source, if both files are of one format."""
        if not isinstance(source, FileLocation) or type(source.format) is not type(self.format):
            return self.format
        return self.format.adopt(format_of(source.path, source_format).detect(source.path))

    def digest(self) -> str:
        with errors_at(str(self)), self._readable(), self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def companion(self, suffix: str) -> Path:
        return self.path.parent / f"{self.path.stem}{suffix}"

    def sibling(self, suffix: str) -> str:
        return str(self.path.with_name(self.with_stem(f"{self.path.stem}-{suffix}")))

    def with_stem(self, stem: str) -> str:
        return f"{stem}{self.format.output_suffix or self.path.suffix}"

    def _format(self, format: Format | None) -> Format:  # noqa: A002
        chosen = format_of(self.path, format)
        return chosen if self.sheet is None else chosen.with_sheet(self.sheet)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        check_exists(self.path)
        try:
            yield
        except OSError as error:
            raise FileError(f"cannot be read: {reason(error)}") from None


def locate(path: str | os.PathLike[str]) -> TableLocation:
    """Return the location of a table: a URI names a table of a database, all else a file.

    >>> locate("survey.csv").format
    Csv(delimiter=None, encoding='utf-8', decimal='.', quote='"', missing=())
    """
    if is_uri(path):
        from unveil.files.databases.postgresql import PostgresqlLocation
        from unveil.files.databases.sqlite import SqliteLocation
        from unveil.files.databases.uri import parse_uri

        uri = parse_uri(str(path))
        return SqliteLocation(uri) if uri.engine == "sqlite" else PostgresqlLocation(uri)
    try:
        text = os.fspath(path)
    except TypeError:
        raise UsageError(f"a file is named by its path, not {type(path).__name__}") from None
    if "\0" in str(text):
        raise UsageError("the path of a file has no null byte")
    if _INCOMPLETE_URI.match(str(text)) and not os.path.lexists(text):  # it may hold a password
        raise UsageError("a URI has two slashes after the colon: sqlite:///survey.db?table=people")
    return FileLocation(text)


def as_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file that holds no table; refuse the URI of a database."""
    if is_uri(path):  # the message does not repeat it: it may hold a password
        raise UsageError("this must be a file, not a database; name a file")
    return Path(str(locate(path)))


@dataclass(frozen=True)
class TrustedPlaces:
    """The places named in a document that may be opened: files in its folder, and those given.

    A document may come from others, and what it names would be opened with this user's rights and
    passwords. So a database, and a file elsewhere, is opened only if the user gives it, too.

    >>> TrustedPlaces(Path("data")).find("/etc/passwd", "original", "ORIGINAL")
    Traceback (most recent call last):
    unveil.errors.UsageError: original: the document names /etc/passwd, which is ...
    """

    folder: Path | None  # of the document; None: no file of it is opened by itself
    given: Sequence[str] = ()
    document: str = "the document"  # its name

    def __post_init__(self) -> None:
        if isinstance(self.given, str):
            raise UsageError("allow: a list of places")
        object.__setattr__(self, "given", tuple(map(os.fspath, self.given)))

    def find(self, named: str, what: str, option: str = "--allow, allow=") -> str:
        """The place of a name: relative ones beside the document, then in the working folder."""
        if named in self.given:
            return named
        if is_uri(named):  # what follows the question mark may be a secret
            shown, kind = str(locate(named)).partition("?")[0], "which is a database"
        else:
            shown, kind = named, "which is not in its folder"
            places = [base / named for base in (self.folder, Path()) if base is not None]
            for one in self.given:
                if not is_uri(one) and _absolute(one) in map(_absolute, places):
                    return one
            for place in places:
                if self.folder is not None and _is_file_inside(place, self.folder):
                    return str(place)
        raise UsageError(
            f"{what}: {self.document} names {shown}, {kind}: if you trust {self.document}, give "
            f"the place yourself ({option})"
        )


def _is_file_inside(path: Path, folder: Path) -> bool:
    """Whether a file is in a folder: by its name, or it is not looked at, and after all links."""
    root = follow_links(folder)
    if not any(_absolute(path).is_relative_to(one) for one in (root, _absolute(folder))):
        return False
    file = FileLocation(path).file
    return file.is_relative_to(root) and file.is_file()


def _absolute(path: str | Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - by its name, without following links


def is_uri(path: object) -> bool:
    """Whether a text is a URI, such as ``sqlite:///survey.db?table=people``."""
    return isinstance(path, str) and _SCHEME.match(path) is not None


def is_table_path(text: str | os.PathLike[str]) -> bool:
    """Whether a text names an existing file or a table of a database."""
    return is_uri(text) or os.path.exists(FileLocation(text).path)  # noqa: PTH110 - of any text


def may_have_format(path: str | os.PathLike[str], format_class: type[Format]) -> bool:
    """Whether a table may be in a format: it is no database, and its suffix names no other format.

    >>> from unveil.files.formats.csv.format import Csv
    >>> may_have_format("survey.dat", Csv), may_have_format("survey.parquet", Csv)
    (True, False)
    """
    others = [
        suffix for other in formats() if other is not format_class for suffix in other.suffixes
    ]
    return not is_uri(path) and FileLocation(path).path.suffix.lower() not in others


def check_outputs(
    outputs: Sequence[str | os.PathLike[str] | None],
    inputs: Sequence[object],
    *,
    force: bool,
    tables: Sequence[str | os.PathLike[str] | None] = (),
) -> None:
    """Refuse, before any work, outputs that cannot be written, coincide, or replace an input.

    Inputs that are not paths are ignored. ``tables`` are outputs whose format is checked, too.
    """
    written_tables = [locate(path) for path in tables if path is not None]
    written = [*(locate(path) for path in outputs if path is not None), *written_tables]
    for first, second in combinations(written, 2):
        if first.overlaps(second):
            raise UsageError(f"{second} is named as two outputs; name another file")
    read = [locate(path) for path in inputs if isinstance(path, str | os.PathLike)]
    for target in written:
        if any(target.overlaps(source) for source in read):
            raise UsageError(f"{target} is an input and cannot be an output; name another file")
        target.check_target(force=force)
    for target in written_tables:
        target.check_columns(())


def _split_sheet(path: Path) -> tuple[Path, str | None]:
    """A path and the sheet named after its suffix; an existing file of the whole name is meant."""
    name, mark, sheet = path.name.partition("#")
    if not mark or not Path(name).suffix or os.path.lexists(path):
        return path, None
    return path.with_name(name), sheet
