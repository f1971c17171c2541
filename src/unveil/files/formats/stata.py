"""Stata files: .dta."""

import logging
import os
import re
from pathlib import Path
from string import ascii_lowercase
from typing import Annotated, Any, BinaryIO, ClassVar, Literal

import polars as pl
from msgspec import Meta

from unveil.errors import DataError
from unveil.files.formats import epochs as clocks
from unveil.files.formats.labelled_writer import (
    CreationTime,
    OutgoingColumn,
    PackageRules,
    Writable,
    by_name,
    tell_plainly_missing,
)
from unveil.table.microdata import Microdata
from unveil.wording import listing

_RULES = PackageRules(
    name=re.compile(r"(?!str\d+$)[^\W\d]\w{0,31}"),
    longest_name=128,
    longest_label=320,
    longest_value_label=32_000,
    longest_text=2_000_000,
    cases=True,
    largest=8.98e307,  # beyond it are codes for missing
    reserved={"_all", "_b", "byte", "_coef", "_cons", "double", "float", "if", "in", "int", "long"}
    | {"_n", "_N", "_pi", "_pred", "_rc", "_skip", "strL", "using", "with"},
)
_MADE = CreationTime(
    re.compile(rb"(?:<timestamp>\x11|^[^<].{90})(\d\d \w{3} \d{4} \d\d:\d\d)", re.DOTALL),
    b"01 Jan 1980 00:00",
)
_BEGIN, _END = b"<stata_dta>", b"</stata_dta>"
_LONG = (-2_147_483_647, 2_147_483_620)  # beyond it are Stata's own codes for missing
_TAG, _TAG_OF_SAS = re.compile(r"\.[a-z]"), re.compile(r"\.[A-Z]")


class Stata(Writable, frozen=True, kw_only=True):
    """Stata: .dta files.

    Examples
    --------
    >>> Stata(version=13).suffixes
    ('.dta',)
    """

    suffixes: ClassVar[tuple[str, ...]] = (".dta",)
    package = "Stata"
    clock = clocks.STATA
    reader, writer = "read_dta", "write_dta"
    made = _MADE

    version: Annotated[
        Literal[8, 9, 10, 11, 12, 13, 14, 15],
        Meta(description="The oldest Stata that is to read what is written."),
    ] = 14

    def check_whole(self, file: BinaryIO) -> None:
        """Since Stata 13 a file ends as it begins, with a tag."""
        if file.read(len(_BEGIN)) == _BEGIN:
            file.seek(-len(_END), os.SEEK_END)
            if file.read() != _END:
                raise ValueError

    def is_whole(self, name: str, said: Any) -> bool:
        """Numbers that are stored as whole ones."""
        return str(said.readstat_variable_types[name]).startswith("int")

    def keeps_labels(self, data: Microdata) -> bool:
        """Those of text have no place."""
        text = [name for name in data.columns if data.column(name).dtype == pl.String]
        return not any(data.schema[name].labels for name in text)

    @property
    def rules(self) -> PackageRules:
        """What Stata allows."""
        return _RULES

    def told(self, columns: list[OutgoingColumn], data: Microdata, path: Path) -> dict[str, Any]:  # noqa: ARG002
        """Labels, and the letters of missing codes."""
        tell_plainly_missing(data, [one for one in columns if one.column.dtype == pl.String])
        _tell_unlabelled(columns)
        return {
            "version": self.version,
            "variable_value_labels": by_name(columns, _labels),
            "missing_user_values": by_name(columns, lambda one: list(_tags(one).values())),
        }

    def cells(self, one: OutgoingColumn, data: Microdata) -> pl.Series:
        """A column as Stata stores it, letters in the place of codes for missing."""
        name, column, tags = one.column.name, one.column, _tags(one)
        if column.dtype == pl.String:
            return column.fill_null("")
        whole = data.column(name).dtype.is_integer() or data.column(name).dtype == pl.Boolean
        if whole and column.is_between(*_LONG).all():
            column = column.cast(pl.Int32)
        if not tags:
            return column
        letters = data.missing_code(name).replace_strict(tags, default=None)
        cells = [a if b is None else b for a, b in zip(column, letters, strict=True)]
        return pl.Series(name, cells, dtype=pl.Object)


def _tags(one: OutgoingColumn) -> dict[str, str]:
    """The letter of each code for missing: its own, as in .a, else the next one that is free.

    Text has none.
    """
    if one.column.dtype == pl.String:
        return {}
    codes = one.attribute.missing
    own = {code: code[1] for code in codes if _TAG.fullmatch(code)}
    own |= {
        code: code[1].lower()
        for code in codes
        if _TAG_OF_SAS.fullmatch(code) and code[1].lower() not in own.values()
    }
    free = (letter for letter in ascii_lowercase if letter not in own.values())
    if len(codes) > len(ascii_lowercase):
        raise DataError(
            f"column '{one.column.name}' has more codes for missing than Stata has letters: "
            "declare fewer"
        )
    return own | {code: next(free) for code in codes if code not in own}


def _labels(one: OutgoingColumn) -> dict[Any, str]:
    """Labels of whole numbers, and of letters: of a code that became one, at least the code."""
    if one.column.dtype == pl.String:
        return {}
    tags = _tags(one)
    named = {int(value): label for value, label in one.labels.items() if _is_whole(value)}
    known = one.attribute.labels
    for code, letter in tags.items():
        if code in known or code != f".{letter}":
            named[letter] = known.get(code, code)  # type: ignore[index]
    numbers = {int(code) for code in tags if re.fullmatch(r"-?\d+", code)}
    return {value: label for value, label in named.items() if value not in numbers}


def _tell_unlabelled(columns: list[OutgoingColumn]) -> None:
    without = [
        one.column.name
        for one in columns
        if any(not _is_whole(v) for v in one.labels if str(v) not in one.attribute.missing)
    ]
    if without:
        logging.getLogger("unveil").warning(
            "%s: labels are left out, as Stata has them for whole numbers only", listing(without)
        )


def _is_whole(value: float | str) -> bool:
    return not isinstance(value, str) and value == int(value) and abs(value) <= _LONG[1]
