"""Stata files: .dta."""

from __future__ import annotations

import logging
import os
import re
from string import ascii_lowercase
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import polars as pl
from msgspec import Meta

from unveil.errors import DataError, listing
from unveil.files import clocks
from unveil.files.labelled import Labelled, pyreadstat
from unveil.files.labelling import Outgoing, Rules, check, codebook_for, outgoing, written

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from unveil.data.microdata import Microdata

_RULES = Rules(
    name=re.compile(r"[^\W\d]\w*"),
    longest_name=128,
    longest_label=320,
    longest_value_label=32_000,
    longest_text=2_000_000,
    cases=True,
    reserved={"_all", "_b", "byte", "_coef", "_cons", "double", "float", "if", "in", "int", "long"}
    | {"_n", "_N", "_pi", "_pred", "_rc", "_skip", "strL", "using", "with"},
)
_BEGIN, _END = b"<stata_dta>", b"</stata_dta>"
_LONGEST_NAME = 32  # characters
_LONG = (-2_147_483_647, 2_147_483_620)  # beyond it are Stata's own codes for missing
_TAG = re.compile(r"\.[A-Za-z]")  # in capitals SAS has them


class Stata(Labelled, frozen=True, kw_only=True):
    """Stata: .dta files.

    Examples
    --------
    >>> Stata(version=13).suffixes
    ('.dta',)
    """

    suffixes: ClassVar[tuple[str, ...]] = (".dta",)
    package = "Stata"
    clock = clocks.STATA
    reader = "read_dta"

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

    def save(self, data: Microdata, path: Path) -> None:
        """Write a table with its labels, missing codes and formats."""
        package = pyreadstat(self.package)
        book, columns = codebook_for(data, self.package), outgoing(data, self.package, self.clock)
        check(columns, _RULES, self.package)
        _check_names(columns)
        tags = {one.column.name: _tags(one) for one in columns if one.column.dtype != pl.String}
        labels = {one.column.name: _labels(one, tags.get(one.column.name, {})) for one in columns}
        _tell_unlabelled(columns)
        written(
            lambda: package.write_dta(
                pl.DataFrame(
                    [_tagged(one, tags.get(one.column.name, {}), data) for one in columns]
                ),
                path.absolute(),
                file_label=book.label,
                version=self.version,
                column_labels={one.column.name: one.label or None for one in columns},
                variable_value_labels={name: named for name, named in labels.items() if named},
                missing_user_values={
                    name: list(letters.values()) for name, letters in tags.items() if letters
                },
                variable_format={
                    one.column.name: one.variable.format for one in columns if one.variable.format
                },
            ),
            package,
            self.package,
            path,
        )


def _check_names(columns: list[Outgoing]) -> None:
    for one in columns:
        name = one.column.name
        if len(name) > _LONGEST_NAME or re.fullmatch(r"str\d+", name):
            raise DataError(
                f"column '{name}': Stata takes names of up to {_LONGEST_NAME} characters, and none "
                "that it calls a type by; rename it"
            )


def _tags(one: Outgoing) -> dict[str, str]:
    """The letter of each code for missing: its own, as in .a, else the next one that is free."""
    codes = one.attribute.missing
    own = {code: code[1].lower() for code in codes if _TAG.fullmatch(code)}
    free = (letter for letter in ascii_lowercase if letter not in own.values())
    if len(codes) > len(ascii_lowercase):
        raise DataError(
            f"column '{one.column.name}' has more codes for missing than Stata has letters: "
            "declare fewer"
        )
    return own | {code: next(free) for code in codes if code not in own}


def _labels(one: Outgoing, tags: dict[str, str]) -> dict[Any, str]:
    """Labels of whole numbers, and of letters: of a code that became one, at least the code."""
    if one.column.dtype == pl.String:
        return {}
    named = {int(value): label for value, label in one.labels.items() if value == int(value)}
    known = one.attribute.labels
    for code, letter in tags.items():
        if code in known or not _TAG.fullmatch(code):
            named[letter] = known.get(code, code)  # type: ignore[index]
    numbers = {int(code) for code in tags if re.fullmatch(r"-?\d+", code)}
    return {value: label for value, label in named.items() if value not in numbers}


def _tell_unlabelled(columns: list[Outgoing]) -> None:
    without = [
        one.column.name
        for one in columns
        if any(isinstance(value, str) or value != int(value) for value in one.labels)
    ]
    if without:
        logging.getLogger("unveil").warning(
            "%s: labels are left out, as Stata has them for whole numbers only", listing(without)
        )


def _tagged(one: Outgoing, tags: dict[str, str], data: Microdata) -> pl.Series:
    """A column as Stata stores it, letters in the place of codes for missing."""
    name, column = one.column.name, one.column
    if column.dtype == pl.String:
        return column.fill_null("")
    whole = data.column(name).dtype.is_integer() or data.column(name).dtype == pl.Boolean
    codes = data.missing_code(name)
    column = column.set(codes.is_not_null(), None)
    if whole and column.is_between(*_LONG).all():
        column = column.cast(pl.Int32)
    if not tags:
        return column
    letters = codes.replace_strict(tags, default=None)
    cells = [a if b is None else b for a, b in zip(column, letters, strict=True)]
    return pl.Series(name, cells, dtype=pl.Object)
