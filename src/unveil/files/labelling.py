"""What is written to a statistics package's file: columns with labels, codes and formats."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from unveil.data.codebook import Codebook, Variable
from unveil.data.columns import cell_of
from unveil.errors import DataError, FileError, count, listing

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from unveil.data.attribute import Attribute
    from unveil.data.codebook import Package
    from unveil.data.microdata import Microdata
    from unveil.files.clocks import Clock

UNWRITTEN = "Unable to write data"  # what pyreadstat says of a full disk


class Rules(NamedTuple):
    """What a package allows."""

    name: re.Pattern[str]  # of a column
    longest_name: int  # in bytes, as are all lengths
    longest_label: int  # of a column
    longest_value_label: int
    longest_text: int
    cases: bool  # whether Age and age are two columns
    reserved: set[str]


class Outgoing(NamedTuple):
    """One column on its way into a file."""

    column: pl.Series  # text or numbers, codes for missing among them
    attribute: Attribute
    variable: Variable  # what is still true of how it was kept
    label: str
    labels: dict[Any, str]  # by value


def outgoing(data: Microdata, package: Package, clock: Clock) -> list[Outgoing]:
    """Every column as a package can hold it: text or numbers."""
    book = codebook_for(data, package)
    made = []
    for column in data.to_frame("polars"):
        attribute, variable = data.schema[column.name], book.of(column.name)
        if column.dtype in (pl.Date, pl.Datetime) and not variable.format:
            kind = "date" if column.dtype == pl.Date else "time"
            variable = variable._replace(format=clock.shown[kind])  # type: ignore[index]
        stored = _stored(column, clock)
        labels = {} if attribute.generalised else _by_value(attribute.labels, stored)
        made.append(Outgoing(stored, attribute, variable, attribute.label, labels))
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
        return clock.numbers(column)
    return column if column.dtype == pl.String else column.cast(pl.Float64)


def _by_value(labels: dict[str, str], column: pl.Series) -> dict[Any, str]:
    """Labels by the values that a column can hold; a label of anything else is left out."""
    cells = {code: cell_of(code, column.dtype) for code in labels}
    return {cell.item(): labels[code] for code, cell in cells.items() if cell is not None}


def check(columns: Sequence[Outgoing], rules: Rules, package: Package) -> None:
    """Refuse what a package cannot hold, before anything is written."""
    seen: dict[str, str] = {}
    for one in columns:
        name = one.column.name
        told = f"column '{name}'"
        folded = name if rules.cases else name.casefold()
        if not rules.name.fullmatch(name) or folded in rules.reserved:
            raise DataError(f"{told}: {package} takes no such name; rename it")
        _check_length(name, rules.longest_name, "its name", told, package)
        if folded in seen:
            raise DataError(
                f"columns '{seen[folded]}' and '{name}' differ in case only, and {package} takes "
                "them for one; rename one of them"
            )
        seen[folded] = name
        _check_length(one.label, rules.longest_label, "its label", told, package)
        for label in one.labels.values():
            _check_length(label, rules.longest_value_label, "a label of a value", told, package)
        if one.column.dtype == pl.String:
            _check_text(one.column, rules.longest_text, package)


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


def tell_plainly_missing(data: Microdata, codes_of: Iterable[tuple[str, set[str]]]) -> None:
    """Warn of missing cells whose codes cannot be written: that they are missing can."""
    lost = []
    for name, codes in codes_of:
        if data.missing_code(name).is_in(list(codes)).any():
            lost.append(name)
    if lost:
        logging.getLogger("unveil").warning(
            "%s: cells are written as plainly missing, as this format has no place for their "
            "codes for missing",
            listing(lost),
        )


def written(write: Callable[[], None], package: Any, kind: Package, path: Path) -> None:
    """Let pyreadstat write; its own messages may quote cells, so they are not passed on."""
    try:
        write()
    except package.ReadstatError as error:
        if str(error) == UNWRITTEN:
            raise FileError(
                "cannot be written: the disk is full, or gone; it is as it was"
            ) from None
        raise _refused(kind) from None
    except (package.PyreadstatError, OverflowError):
        raise _refused(kind) from None
    if not path.stat().st_size:
        raise _refused(kind)


def _refused(kind: Package) -> DataError:
    return DataError(f"the table cannot be written as a {kind} file; write another format")
