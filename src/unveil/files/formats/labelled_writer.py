"""What is written to a statistics package's file: columns with labels, codes and formats."""

import abc
import logging
import re
from collections.abc import Callable, Iterable, Sequence
from math import inf
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

import polars as pl

from unveil.errors import DataError, FileError
from unveil.files.formats.epochs import Clock
from unveil.files.formats.labelled_reader import Labelled, pyreadstat
from unveil.table.attribute import Attribute
from unveil.table.codebook import Codebook, Package, Variable
from unveil.table.columns import cell_of, fits_a_float
from unveil.table.dtypes import to_plain_type
from unveil.table.microdata import Microdata
from unveil.wording import count, listing

T = TypeVar("T")
_LAST = 253_402_300_799 * 1_000_000  # the last second of 9999, in microseconds
_HEAD = 640  # bytes in which all these files say when they were made
_TRUTH = {"true": "1", "false": "0"}
UNWRITTEN = "Unable to write data"  # what pyreadstat says of a full disk


class PackageRules(NamedTuple):
    """What a package allows."""

    name: re.Pattern[str]  # of a column
    longest_name: int  # in bytes, as are all lengths
    longest_label: int  # of a column
    longest_value_label: int
    longest_text: int
    cases: bool  # whether Age and age are two columns
    reserved: set[str]
    largest: float  # number
    smallest: float = 0.0


class CreationTime(NamedTuple):
    """When a file was made: where it says so, the pattern's first group, and what it is to say."""

    pattern: re.Pattern[bytes]
    always: bytes

    def write(self, path: Path) -> None:
        """Let the file have been made at no time of its own: same data, same bytes."""
        with path.open("r+b") as file:
            for found in self.pattern.finditer(file.read(_HEAD)):
                file.seek(found.start(1))
                file.write(self.always)


class OutgoingColumn(NamedTuple):
    """One column on its way into a file."""

    column: pl.Series  # text or numbers, codes for missing among them
    attribute: Attribute
    variable: Variable  # what is still true of how it was kept
    label: str
    labels: dict[Any, str]  # by value


class Writable(Labelled, frozen=True, kw_only=True):
    """A file of a statistics package that can be written, too."""

    writer: ClassVar[str]
    made: ClassVar[CreationTime]
    with_codes: ClassVar[bool] = False  # whether codes for missing are cells, and declared

    @property
    @abc.abstractmethod
    def rules(self) -> PackageRules:
        """What the package allows."""

    @abc.abstractmethod
    def told(self, columns: list[OutgoingColumn], data: Microdata, path: Path) -> dict[str, Any]:
        """What pyreadstat is told beside cells, labels of columns and formats."""

    def cells(self, one: OutgoingColumn, data: Microdata) -> pl.Series:  # noqa: ARG002
        """A column as pyreadstat takes it."""
        return one.column

    def check_columns(self, columns: Sequence[str]) -> None:
        """Refuse names that the package does not take."""
        check_names(columns, self.rules, self.package)

    def shown_as(self, one: OutgoingColumn, data: Microdata) -> str:  # noqa: ARG002
        """The format of a column."""
        return one.variable.format

    def save(self, data: Microdata, path: Path) -> None:
        """Write a table with all that the format has a place for."""
        package, book = pyreadstat(self.package), codebook_for(data, self.package)
        columns = outgoing(data, self.package, self.clock, with_codes=self.with_codes)
        check(columns, self.rules, self.package)
        told = self.told(columns, data, path)
        try:
            getattr(package, self.writer)(
                pl.DataFrame([self.cells(one, data) for one in columns]),
                path.absolute(),
                file_label=book.label,
                column_labels=by_name(columns, lambda one: one.label),
                variable_format=by_name(columns, lambda one: self.shown_as(one, data)),
                **told,
            )
        except (package.ReadstatError, package.PyreadstatError) as error:
            if str(error) == UNWRITTEN:
                raise unwritten() from None
            # Its own message may quote cells, so it is not passed on.
            raise DataError(
                f"the table cannot be written as {self.package} has it; write another format"
            ) from None
        self.made.write(path)


def outgoing(
    data: Microdata, package: Package, clock: Clock, *, with_codes: bool = False
) -> list[OutgoingColumn]:
    """Every column as a package can hold it: text or numbers, codes for missing if it has them."""
    book, made = codebook_for(data, package), []
    for column in map(to_plain_type, data.to_frame("polars")):
        attribute, variable = data.schema[column.name], book.variable(column.name)
        moment = column.dtype in (pl.Date, pl.Datetime)
        if moment and not variable.format:
            kind = "date" if column.dtype == pl.Date else "time"
            variable = variable._replace(format=clock.shown[kind])  # type: ignore[index]
        stored = _stored(column, clock)
        if moment or not with_codes:
            stored = stored.set(data.missing_code(column.name).is_not_null(), None)
        labels = {} if attribute.generalised else _by_value(attribute.labels, column, stored)
        made.append(OutgoingColumn(stored, attribute, variable, attribute.label, labels))
    return made


def codebook_for(data: Microdata, package: Package) -> Codebook:
    """What is kept of the file that the data came from, if it was one of this package."""
    book = data.codebook
    return book if book is not None and book.package == package else Codebook(package)


def _stored(column: pl.Series, clock: Clock) -> pl.Series:
    if isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone is not None:
        logging.getLogger("unveil").warning(
            "column '%s': its times are written as in UTC; such a file knows no time zones",
            column.name,
        )
    if column.dtype in (pl.Date, pl.Datetime):
        if column.dtype == pl.Datetime and (column.dt.epoch("us") > _LAST).any():
            raise DataError(f"column '{column.name}' has times after the last second of 9999")
        return clock.numbers(column)
    if not fits_a_float(column):
        raise DataError(
            f"column '{column.name}' has whole numbers beyond 2^53, which statistics packages "
            "round; make it text, and declare it nominal"
        )
    return column if column.dtype == pl.String else column.cast(pl.Float64)


def _by_value(labels: dict[str, str], column: pl.Series, stored: pl.Series) -> dict[Any, str]:
    """Labels by the values that a column can hold; a label of anything else is left out."""
    if column.dtype == pl.Boolean:
        labels = {_TRUTH.get(code, code): label for code, label in labels.items()}
    cells = {code: cell_of(code, stored.dtype) for code in labels}
    found = {cell.item(): labels[code] for code, cell in cells.items() if cell is not None}
    return {value: label for value, label in found.items() if value not in (inf, -inf)}


def check_names(names: Sequence[str], rules: PackageRules, package: Package) -> None:
    """Refuse names that a package does not take."""
    seen: dict[str, str] = {}
    for name in names:
        folded = name if rules.cases else name.casefold()
        named = rules.name.fullmatch(name) and (name[0] == "_" or name[0].isalpha())
        if not named or folded in rules.reserved:
            raise DataError(f"column '{name}': {package} takes no such name; rename it")
        _check_length(name, rules.longest_name, "its name", f"column '{name}'", package)
        if folded in seen:
            raise DataError(
                f"columns '{seen[folded]}' and '{name}' differ in case only, and {package} takes "
                "them for one; rename one of them"
            )
        seen[folded] = name


def check(columns: Sequence[OutgoingColumn], rules: PackageRules, package: Package) -> None:
    """Refuse what a package cannot hold, before anything is written."""
    check_names([one.column.name for one in columns], rules, package)
    for one in columns:
        told = f"column '{one.column.name}'"
        _check_length(one.label, rules.longest_label, "its label", told, package)
        for label in one.labels.values():
            _check_length(label, rules.longest_value_label, "a label of a value", told, package)
        if one.column.dtype == pl.String:
            _check_text(one.column, rules.longest_text, package)
        else:
            _check_numbers(one.column, rules, package)


def _check_length(text: str, longest: int, what: str, told: str, package: Package) -> None:
    if len(text.encode()) > longest:
        raise DataError(f"{told}: {what} has more than the {longest:,} bytes that {package} takes")


def _check_text(column: pl.Series, longest: int, package: Package) -> None:
    long = (column.str.len_bytes() > longest).fill_null(False)
    zero = column.str.contains("\0", literal=True).fill_null(False)
    if long.any():
        raise DataError(
            f"column '{column.name}' has {count(int(long.sum()), 'text')} of more than the "
            f"{longest:,} bytes that {package} takes; shorten them, or write another format"
        )
    if zero.any():
        raise DataError(
            f"column '{column.name}' has {count(int(zero.sum()), 'text')} with a zero byte, which "
            f"{package} cannot hold; remove them"
        )


def _check_numbers(column: pl.Series, rules: PackageRules, package: Package) -> None:
    size = column.abs()
    outside = ((size > rules.largest) | ((size < rules.smallest) & (size > 0))).fill_null(False)
    if outside.any():
        raise DataError(
            f"column '{column.name}' has {count(int(outside.sum()), 'number')} larger or smaller "
            f"than {package} takes; rescale it"
        )


def tell_plainly_missing(data: Microdata, columns: Iterable[OutgoingColumn]) -> None:
    """Warn of missing cells whose codes cannot be written: that they are missing can."""
    lost = [
        one.column.name
        for one in columns
        if (data.missing_code(one.column.name).is_not_null() & one.column.is_null()).any()
    ]
    if lost:
        logging.getLogger("unveil").warning(
            "%s: cells are written as plainly missing, as this format has no place for their "
            "codes for missing",
            listing(lost),
        )


def unwritten() -> FileError:
    """Not all of a table has found its place."""
    return FileError("cannot be written: the disk is full, or gone; it is as it was")


def by_name(columns: Sequence[OutgoingColumn], said: Callable[[OutgoingColumn], T]) -> dict[str, T]:
    """What is said of each column, by its name; of some, nothing."""
    every = {one.column.name: said(one) for one in columns}
    return {name: told for name, told in every.items() if told}
