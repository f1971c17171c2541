"""All errors of unveil.

::

    UnveilError                 exit code
    ├── UsageError               2   the call itself is wrong
    ├── FileError                3   a file cannot be read or written as asked
    ├── DataError                3   what the file or the frame holds
    │   └── MalformedCellError   3   a generalised cell outside the grammar
    ├── SchemaError              3   the schema, or the schema against the data
    ├── SpecError                3   the parameters of a method
    ├── MissingPackageError      4   an optional package is not installed
    └── PlugInError              4   a command of another package cannot be loaded

A message states the rule and the remedy. It may contain names of files and columns, counts,
row numbers and what the user declared; never a cell of the data.
Rows are records counted from 1; a header is not a row.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = [
    "DataError",
    "FileError",
    "MalformedCellError",
    "MissingPackageError",
    "PlugInError",
    "SchemaError",
    "SpecError",
    "UnveilError",
    "UsageError",
]


LONGEST_PLACE = 300  # a path, a database
# What somebody wrote: quoted, or a word or number that no sentence of ours has.
_LONG = re.compile(r"(?<!\w)'([^']{61,})'(?!\w)|\S{121,}")


def shortened(message: str) -> str:
    """A message with long echoes of user input cut.

    >>> shortened(f"'{'a' * 10_000}' is not a mask")
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…' is not a mask"
    """
    return _LONG.sub(
        lambda found: f"'{found[1][:60]}…'" if found[1] else f"{found[0][:60]}…", message
    )


class UnveilError(Exception):
    """The base of all errors that unveil raises on purpose.

    >>> str(DataError("the file has no records").at("survey.csv"))
    'survey.csv: the file has no records'
    """

    exit_code = 3

    def __init__(self, message: str) -> None:
        super().__init__(shortened(message))
        self._places: list[str] = []

    def at(self, place: str) -> UnveilError:
        """Add where it happened, once, unless blank; an outer place precedes an inner one."""
        place = place if len(place) <= LONGEST_PLACE else f"{place[:60]}…"
        if place and place not in self._places:
            self._places.insert(0, place)
        return self

    def or_else(self, remedy: str) -> UnveilError:
        """Add another remedy, once."""
        if remedy not in str(self.args[0]):
            self.args = (f"{self.args[0]}; {remedy}",)
        return self

    def __str__(self) -> str:
        return ": ".join([*self._places, str(self.args[0])])


@contextmanager
def errors_at(place: str) -> Iterator[None]:
    """Add a place to every error of a block.

    >>> try:
    ...     with errors_at("survey.csv"):
    ...         raise DataError("the file has no records")
    ... except DataError as error:
    ...     print(error)
    survey.csv: the file has no records
    """
    try:
        yield
    except UnveilError as error:
        error.at(place)
        raise


class UsageError(UnveilError):
    """The call itself is wrong: a source of the wrong kind, options that contradict."""

    exit_code = 2


class FileError(UnveilError):
    """A file cannot be read or written as asked."""


class DataError(UnveilError):
    """The contents of a file or frame cannot be used."""


class MalformedCellError(DataError):
    """A generalised cell that is not a value, a range, a set, a prefix or a star."""

    def __init__(self) -> None:
        super().__init__(
            "a generalised cell is a value, a range, a set, a prefix or *; none is empty"
        )


class SchemaError(UnveilError):
    """The schema is inconsistent, or does not fit the data."""


class SpecError(UnveilError):
    """A parameter of a method is out of its range."""


class MissingPackageError(UnveilError):
    """An optional package is not installed."""

    exit_code = 4

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package}, which is not installed: "
            f"pip install 'unveil[{extra}]'"
        )


class PlugInError(UnveilError):
    """A command or a method of another package cannot be loaded, or fails."""

    exit_code = 4


def import_optional(module: str, extra: str, purpose: str) -> Any:
    """The module of an optional package, or an error that says how to install it.

    >>> import_optional("json", "extra", "a file").__name__
    'json'
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0].replace("_", "-")
        raise MissingPackageError(package, extra, purpose) from None
