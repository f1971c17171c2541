"""Writing a statistics package's file: columns with labels, codes for missing and formats."""

import abc
import logging
import re
from collections.abc import Callable, Sequence
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
_LAST_MICROSECOND = 253_402_300_799 * 1_000_000  # the last second of 9999
_HEAD_BYTES = 640  # in which all these files say when they were made
_BOOLEAN_CODES = {"true": "1", "false": "0"}
_DISK_FULL = "Unable to write data"  # pyreadstat's message


class OutgoingColumn(NamedTuple):
    """A column on its way into a file."""

    column: pl.Series  # text or numbers, codes for missing among them
    attribute: Attribute
    variable: Variable  # what is still true of how it was kept
    labels: dict[Any, str]  # by value

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name


Columns = Sequence[OutgoingColumn]


class PackageRules(NamedTuple):
    """The limits of a statistics package."""

    package: Package
    name: re.Pattern[str]  # of a column
    longest_name: int  # in bytes, as are all lengths
    longest_label: int  # of a column
    longest_value_label: int
    longest_text: int
    case_sensitive: bool  # whether Age and age are two columns
    reserved: set[str]
    largest: float  # number
    smallest: float = 0.0

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse names that the package does not take."""
        seen: dict[str, str] = {}
        for name in names:
            folded = name if self.case_sensitive else name.casefold()
            valid = self.name.fullmatch(name) and (name[0] == "_" or name[0].isalpha())
            if not valid or folded in self.reserved:
                raise DataError(f"column '{name}': {self.package} takes no such name; rename it")
            self._check_length(name, name, self.longest_name, "its name")
            if folded in seen:
                raise DataError(
                    f"columns '{seen[folded]}' and '{name}' differ in case only, and "
                    f"{self.package} treats them as one; rename one of them"
                )
            seen[folded] = name

    def check(self, columns: Columns) -> None:
        """Refuse, before anything is written, what the package cannot hold."""
        self.check_names([outgoing.name for outgoing in columns])
        for outgoing in columns:
            label = outgoing.attribute.label
            self._check_length(outgoing.name, label, self.longest_label, "its label")
            for label in outgoing.labels.values():
                longest = self.longest_value_label
                self._check_length(outgoing.name, label, longest, "a label of a value")
            if outgoing.column.dtype == pl.String:
                self._check_text(outgoing.column)
            else:
                self._check_numbers(outgoing.column)

    def _check_length(self, column: str, text: str, longest: int, subject: str) -> None:
        if len(text.encode()) > longest:
            raise DataError(
                f"column '{column}': {subject} has more than the {longest:,} bytes that "
                f"{self.package} takes"
            )

    def _check_text(self, column: pl.Series) -> None:
        long = (column.str.len_bytes() > self.longest_text).fill_null(False)
        if long.any():
            raise DataError(
                f"column '{column.name}' has {count(int(long.sum()), 'text')} of more than the "
                f"{self.longest_text:,} bytes that {self.package} takes; shorten them, or write "
                "another format"
            )
        zero = column.str.contains("\0", literal=True).fill_null(False)
        if zero.any():
            raise DataError(
                f"column '{column.name}' has {count(int(zero.sum()), 'text')} with a zero byte, "
                f"which {self.package} cannot hold; remove them"
            )

    def _check_numbers(self, column: pl.Series) -> None:
        size = column.abs()
        outside = (size > self.largest) | ((size < self.smallest) & (size > 0))
        if outside.any():
            raise DataError(
                f"column '{column.name}' has {count(int(outside.sum()), 'number')} larger or "
                f"smaller than {self.package} takes; rescale it"
            )


class CreationTime(NamedTuple):
    """Where a file says when it was made, the pattern's first group, and what is written there."""

    pattern: re.Pattern[bytes]
    constant: bytes

    def overwrite(self, path: Path) -> None:
        """Replace the time by a constant: same data, same bytes."""
        with path.open("r+b") as file:
            for match in self.pattern.finditer(file.read(_HEAD_BYTES)):
                file.seek(match.start(1))
                file.write(self.constant)


class Writable(Labelled, frozen=True, kw_only=True):
    """A file of a statistics package that can be written, too."""

    writer: ClassVar[str]
    creation_time: ClassVar[CreationTime]
    writes_codes: ClassVar[bool] = False  # whether codes for missing are cells, and declared

    @property
    @abc.abstractmethod
    def rules(self) -> PackageRules:
        """The limits of the package."""

    @abc.abstractmethod
    def writer_options(self, columns: Columns, data: Microdata, path: Path) -> dict[str, Any]:
        """The options of pyreadstat's writer, beside cells, labels of columns and formats."""

    def cells(self, outgoing: OutgoingColumn, data: Microdata) -> pl.Series:  # noqa: ARG002
        """A column as pyreadstat takes it."""
        return outgoing.column

    def display_format(self, outgoing: OutgoingColumn, data: Microdata) -> str:  # noqa: ARG002
        """The format in which the package shows a column."""
        return outgoing.variable.format

    def check_columns(self, columns: Sequence[str]) -> None:
        """Refuse names that the package does not take."""
        self.rules.check_names(columns)

    def save(self, data: Microdata, path: Path) -> None:
        """Write a table with all that the format has a place for."""
        package, codebook = pyreadstat(self.package), codebook_for(data, self.package)
        columns = [
            self._outgoing(data, to_plain_type(column), codebook.variable(column.name))
            for column in data.to_frame("polars")
        ]
        self.rules.check(columns)
        options = self.writer_options(columns, data, path)
        try:
            getattr(package, self.writer)(
                pl.DataFrame([self.cells(outgoing, data) for outgoing in columns]),
                path.absolute(),
                file_label=codebook.label,
                column_labels=by_name(columns, lambda outgoing: outgoing.attribute.label),
                variable_format=by_name(columns, lambda o: self.display_format(o, data)),
                **options,
            )
        except (package.ReadstatError, package.PyreadstatError) as error:
            if str(error) == _DISK_FULL:
                raise FileError(
                    "cannot be written: the disk is full or missing; the file is unchanged"
                ) from None
            # Its own message may quote cells, so it is not passed on.
            raise DataError(
                f"{self.package} cannot store this table; write another format"
            ) from None
        self.creation_time.overwrite(path)

    def _outgoing(self, data: Microdata, column: pl.Series, variable: Variable) -> OutgoingColumn:
        """A column as the package can hold it."""
        attribute = data.schema[column.name]
        is_moment = column.dtype in (pl.Date, pl.Datetime)
        if is_moment and not variable.format:
            display = self.clock.default_formats["date" if column.dtype == pl.Date else "time"]
            variable = variable._replace(format=display)
        stored = _stored(column, self.clock)
        if is_moment or not self.writes_codes:
            stored = stored.set(data.missing_code(column.name).is_not_null(), None)
        labels = {} if attribute.generalised else _value_labels(attribute.labels, column, stored)
        return OutgoingColumn(stored, attribute, variable, labels)


def codebook_for(data: Microdata, package: Package) -> Codebook:
    """The codebook of the file that the data came from, if it was one of this package."""
    codebook = data.codebook
    return codebook if codebook and codebook.package == package else Codebook(package)


def _stored(column: pl.Series, clock: Clock) -> pl.Series:
    if column.dtype in (pl.Date, pl.Datetime):
        if isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone is not None:
            logging.getLogger("unveil").warning(
                "column '%s': times are written in UTC, because this format has no time zones",
                column.name,
            )
        if column.dtype == pl.Datetime and (column.dt.epoch("us") > _LAST_MICROSECOND).any():
            raise DataError(f"column '{column.name}' has times after the last second of 9999")
        return clock.numbers(column)
    if not fits_a_float(column):
        raise DataError(
            f"column '{column.name}' has whole numbers beyond 2^53, which statistics packages "
            "round; make it text, and declare it nominal"
        )
    return column if column.dtype == pl.String else column.cast(pl.Float64)


def _value_labels(labels: dict[str, str], column: pl.Series, stored: pl.Series) -> dict[Any, str]:
    """Labels by the values that a column can hold; other labels are left out."""
    if column.dtype == pl.Boolean:
        labels = {_BOOLEAN_CODES.get(code, code): label for code, label in labels.items()}
    cells = {code: cell_of(code, stored.dtype) for code in labels}
    by_value = {cell.item(): labels[code] for code, cell in cells.items() if cell is not None}
    return {value: label for value, label in by_value.items() if value not in (inf, -inf)}


def warn_lost_codes(data: Microdata, columns: Columns) -> None:
    """Warn of missing cells that are written without their codes."""
    lost = [
        outgoing.name
        for outgoing in columns
        if (data.missing_code(outgoing.name).is_not_null() & outgoing.column.is_null()).any()
    ]
    if lost:
        logging.getLogger("unveil").warning(
            "%s: missing codes are written as missing, because this format cannot store them",
            listing(lost),
        )


def by_name(columns: Columns, value: Callable[[OutgoingColumn], T]) -> dict[str, T]:
    """The value of each column by its name; empty values are left out."""
    return {outgoing.name: found for outgoing in columns if (found := value(outgoing))}
