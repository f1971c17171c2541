"""Where a table is kept: in a file, on a sheet of a workbook, in a database."""

from __future__ import annotations

import abc
import hashlib
import os
import re
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path

from unveil.errors import FileError, UnveilError, UsageError
from unveil.files.atomic_write import check_target, check_there, followed, write_whole
from unveil.files.formats.base import Format, format_of, formats
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.wording import reason

_ALMOST = re.compile(r"(?:postgres(?:ql)?|sqlite):")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?=://)")


class TableLocation(abc.ABC):
    """Somewhere a table is, or is to be; its text is what the user called it, without secrets."""

    @property
    @abc.abstractmethod
    def key(self) -> Hashable:
        """The same for all names of one place."""

    @property
    @abc.abstractmethod
    def format(self) -> Format | None:
        """The format in which tables are kept here; none in a database."""

    @property
    @abc.abstractmethod
    def file(self) -> Path | None:
        """The file that it is, or is in."""

    @property
    @abc.abstractmethod
    def alone(self) -> bool:
        """Whether nothing else is left of its file when it is written."""

    def overlaps(self, other: TableLocation) -> bool:
        """Whether what is written to the one would replace the other."""
        in_one_file = self.file is not None and self.file == other.file
        return self.key == other.key or (in_one_file and (self.alone or other.alone))

    @contextmanager
    def told(self) -> Iterator[None]:
        """Say of an error where it happened."""
        try:
            yield
        except UnveilError as error:
            error.at(str(self))
            raise

    @abc.abstractmethod
    def load(self, schema: Schema | None, format: Format | None = None) -> Microdata:  # noqa: A002
        """Read the table."""

    @abc.abstractmethod
    def save(self, data: Microdata, format: Format | None = None, *, force: bool = False) -> None:  # noqa: A002
        """Write a table, whole or not at all."""

    @abc.abstractmethod
    def check_target(self, *, force: bool) -> None:
        """Refuse, before any work, a place where nothing could be written in the end."""

    @abc.abstractmethod
    def check_columns(self, columns: Sequence[str]) -> None:
        """Refuse, before any work, a table that could not be written here by these names."""

    def format_after(self, source: TableLocation, given: Format | None) -> Format | None:  # noqa: ARG002
        """The format for a table that came from another place, read in the format given."""
        return self.format

    @abc.abstractmethod
    def digest(self) -> str:
        """The SHA-256 of what is there."""

    @property
    @abc.abstractmethod
    def stem(self) -> str:
        """What it is called, without where and in which format it is."""

    @property
    def folder(self) -> Path:
        """Where files that go with it are put: the working folder."""
        return Path()

    @abc.abstractmethod
    def sibling(self, word: str) -> str:
        """The name of a place beside it, in its format, called as it is and a word more."""

    @abc.abstractmethod
    def namesake(self, name: str) -> str:
        """What a name without a format is: one of its own format."""


class FileLocation(TableLocation):
    """A file; of a workbook one sheet: ``survey.xlsx#people``."""

    def __init__(self, given: str | os.PathLike[str]) -> None:
        self._given = os.fspath(given)
        self.path, self.sheet = _split(Path(given))

    def __str__(self) -> str:
        return str(self._given)

    @property
    def file(self) -> Path:
        """Where the links of the path lead."""
        return followed(self.path)

    @property
    def key(self) -> Hashable:
        """The file, and the sheet."""
        return self.file, self.sheet

    @property
    def alone(self) -> bool:
        """Who writes a sheet writes the whole workbook."""
        return True

    @property
    def format(self) -> Format:
        """The format that the ending names."""
        return self._format(None)

    def load(self, schema: Schema | None, format: Format | None = None) -> Microdata:  # noqa: A002
        """Read the file's table."""
        with self.told(), self._readable():
            return self._format(format).load(self.path, schema)

    def save(self, data: Microdata, format: Format | None = None, *, force: bool = False) -> None:  # noqa: A002
        """Write a table into a private file, then move it to its place."""
        with self.told():
            kind = self._format(format)
            kind.check_writable(self.path)
            write_whole(self.path, lambda part: kind.save(data, part), force=force)

    def check_target(self, *, force: bool) -> None:
        """Refuse what exists, unless forced to, and folders."""
        check_target(self.path, force=force)

    def check_columns(self, columns: Sequence[str]) -> None:
        """Refuse a format that is not known or not written, or takes no such names."""
        with self.told():
            self.format.check_writable(self.path)
            self.format.check_columns(columns)

    def format_after(self, source: TableLocation, given: Format | None) -> Format:
        """The source's own format, delimiter and all, where the ending is of its kind."""
        if not isinstance(source, FileLocation) or type(source.format) is not type(self.format):
            return self.format
        return self.format.as_in(format_of(source.path, given).found_in(source.path))

    def digest(self) -> str:
        """The SHA-256 of the file's bytes."""
        with self.told(), self._readable(), self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @property
    def stem(self) -> str:
        """The name of the file without its ending."""
        return self.path.stem

    @property
    def folder(self) -> Path:
        """The folder that the file is in."""
        return self.path.parent

    def sibling(self, word: str) -> str:
        """A file in the same folder, with the same ending."""
        return str(self.path.with_name(self.namesake(f"{self.path.stem}-{word}")))

    def namesake(self, name: str) -> str:
        """A file with the same ending, or the one that its format is written with."""
        return f"{name}{self.format.written_as or self.path.suffix}"

    def _format(self, given: Format | None) -> Format:
        found = format_of(self.path, given)
        return found if self.sheet is None else found.of_sheet(self.sheet)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        check_there(self.path)
        try:
            yield
        except OSError as error:
            raise FileError(f"cannot be read: {reason(error)}") from None


def place_of(given: str | os.PathLike[str]) -> TableLocation:
    """Where a table is: what is written like a URI is in a database, all else in a file.

    >>> place_of("survey.csv").format
    Csv(delimiter=None, encoding='utf-8', decimal='.', quote='"', missing=())
    """
    if is_uri(given):
        from unveil.files.databases.base import DatabaseLocation

        return DatabaseLocation(str(given))
    try:
        text = os.fspath(given)
    except TypeError:
        raise UsageError(f"a file is named by its path, not {type(given).__name__}") from None
    if "\0" in str(text):
        raise UsageError("the path of a file has no null byte")
    if _ALMOST.match(str(text)) and not os.path.lexists(text):  # which may hold a password
        raise UsageError("a URI has two slashes after the colon: sqlite:///survey.db?table=people")
    return FileLocation(text)


def as_path(given: str | os.PathLike[str]) -> Path:
    """The path of a file that holds no table, or an error that says that it is none.

    >>> as_path("survey.toml").suffix
    '.toml'
    """
    if is_uri(given):  # which is not repeated: it may hold a password
        raise UsageError("this is kept in a file, not in a database: name a file")
    return Path(str(place_of(given)))


def is_uri(given: object) -> bool:
    """Whether a text is a URI, such as ``sqlite:///survey.db?table=people``.

    >>> is_uri("postgresql://host/db?table=people"), is_uri("survey.csv")
    (True, False)
    """
    return isinstance(given, str) and _SCHEME.match(given) is not None


def names_a_table(given: str | os.PathLike[str]) -> bool:
    """Whether a word is the name of a file that is there, or of a database.

    >>> names_a_table("sqlite:///survey.db?table=map"), names_a_table("no such file")
    (True, False)
    """
    return is_uri(given) or os.path.exists(FileLocation(given).path)  # noqa: PTH110 - of any text


def may_have(given: str | os.PathLike[str], kind: type[Format]) -> bool:
    """Whether a table may be in a format: its ending is not that of another, nor a database.

    >>> from unveil.files.formats.csv.format import Csv
    >>> may_have("survey.dat", Csv), may_have("survey.parquet", Csv)
    (True, False)
    """
    others = [suffix for other in formats() if other is not kind for suffix in other.suffixes]
    return not is_uri(given) and FileLocation(given).path.suffix.lower() not in others


def check_outputs(
    outputs: Sequence[str | os.PathLike[str] | None],
    inputs: Sequence[object],
    *,
    force: bool,
    tables: Sequence[str | os.PathLike[str] | None] = (),
) -> None:
    """What is to be written can be, each in a place of its own and over nothing it is made of.

    Of the inputs only names of places count. Tables are outputs whose format is looked at, too.
    """
    made = [place_of(one) for one in tables if one is not None]
    written = [*(place_of(one) for one in outputs if one is not None), *made]
    for one, other in combinations(written, 2):
        if one.overlaps(other):
            raise UsageError(f"{other} is to be written twice: name another file")
    read = [place_of(one) for one in inputs if isinstance(one, str | os.PathLike)]
    for place in written:
        if any(place.overlaps(one) for one in read):
            raise UsageError(f"{place} would be overwritten by what is made of it")
        place.check_target(force=force)
    for place in made:
        place.check_columns(())


def _split(path: Path) -> tuple[Path, str | None]:
    """A path, and the sheet that is named after its ending; a file's own name comes first."""
    name, mark, sheet = path.name.partition("#")
    if not mark or not Path(name).suffix or os.path.lexists(path):
        return path, None
    return path.with_name(name), sheet
