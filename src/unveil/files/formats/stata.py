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
from unveil.files.formats import epochs
from unveil.files.formats.labelled_writer import (
    Columns,
    CreationTime,
    OutgoingColumn,
    PackageRules,
    Writable,
    by_name,
    warn_lost_codes,
)
from unveil.table.microdata import Microdata
from unveil.wording import listing

_RULES = PackageRules(
    package="Stata",
    name=re.compile(r"(?!str\d+$)[^\W\d]\w{0,31}"),
    longest_name=128,
    longest_label=320,
    longest_value_label=32_000,
    longest_text=2_000_000,
    case_sensitive=True,
    largest=8.98e307,  # beyond it are codes for missing
    reserved={"_all", "_b", "byte", "_coef", "_cons", "double", "float", "if", "in", "int", "long"}
    | {"_n", "_N", "_pi", "_pred", "_rc", "_skip", "strL", "using", "with"},
)
_BEGIN, _END = b"<stata_dta>", b"</stata_dta>"
_LONG_RANGE = (-2_147_483_647, 2_147_483_620)  # beyond it are Stata's own codes for missing
_TAG, _TAG_OF_SAS = re.compile(r"\.[a-z]"), re.compile(r"\.[A-Z]")


class Stata(Writable, frozen=True, kw_only=True):
    """Stata: .dta files."""

    suffixes: ClassVar[tuple[str, ...]] = (".dta",)
    package = "Stata"
    clock = epochs.STATA
    reader, writer = "read_dta", "write_dta"
    creation_time = CreationTime(
        re.compile(rb"(?:<timestamp>\x11|^[^<].{90})(\d\d \w{3} \d{4} \d\d:\d\d)", re.DOTALL),
        b"01 Jan 1980 00:00",
    )

    version: Annotated[
        Literal[8, 9, 10, 11, 12, 13, 14, 15],
        Meta(description="The oldest version of Stata that can read the file."),
    ] = 14

    def check_complete(self, file: BinaryIO) -> None:
        """Since Stata 13 a file ends as it begins, with a tag."""
        if file.read(len(_BEGIN)) == _BEGIN:
            file.seek(-len(_END), os.SEEK_END)
            if file.read() != _END:
                raise ValueError

    def is_integer(self, name: str, metadata: Any) -> bool:
        return str(metadata.readstat_variable_types[name]).startswith("int")

    def keeps_labels(self, data: Microdata) -> bool:
        """Stata has no labels for text."""
        text = [name for name in data.columns if data.column(name).dtype == pl.String]
        return not any(data.schema[name].labels for name in text)

    @property
    def rules(self) -> PackageRules:
        return _RULES

    def writer_options(self, columns: Columns, data: Microdata, path: Path) -> dict[str, Any]:  # noqa: ARG002
        """Labels, and the letters of missing codes."""
        warn_lost_codes(data, [one for one in columns if one.column.dtype == pl.String])
        _warn_lost_labels(columns)
        return {
            "version": self.version,
            "variable_value_labels": by_name(columns, _labels),
            "missing_user_values": by_name(columns, lambda one: list(_tags(one).values())),
        }

    def cells(self, outgoing: OutgoingColumn, data: Microdata) -> pl.Series:
        """A column as Stata stores it, with letters for missing codes."""
        name, column, tags = outgoing.name, outgoing.column, _tags(outgoing)
        if column.dtype == pl.String:
            return column.fill_null("")
        whole = data.column(name).dtype.is_integer() or data.column(name).dtype == pl.Boolean
        if whole and column.is_between(*_LONG_RANGE).all():
            column = column.cast(pl.Int32)
        if not tags:
            return column
        letters = data.missing_code(name).replace_strict(tags, default=None)
        cells = [a if b is None else b for a, b in zip(column, letters, strict=True)]
        return pl.Series(name, cells, dtype=pl.Object)


def _tags(outgoing: OutgoingColumn) -> dict[str, str]:
    """The letter of each code for missing: its own, as in .a, else the next free one.

    Text has none.
    """
    if outgoing.column.dtype == pl.String:
        return {}
    codes = outgoing.attribute.missing
    tags = {code: code[1] for code in codes if _TAG.fullmatch(code)}
    tags |= {
        code: code[1].lower()
        for code in codes
        if _TAG_OF_SAS.fullmatch(code) and code[1].lower() not in tags.values()
    }
    free = (letter for letter in ascii_lowercase if letter not in tags.values())
    if len(codes) > len(ascii_lowercase):
        raise DataError(
            f"column '{outgoing.name}' has more codes for missing than Stata has letters: "
            "declare fewer"
        )
    return tags | {code: next(free) for code in codes if code not in tags}


def _labels(outgoing: OutgoingColumn) -> dict[Any, str]:
    """The labels of whole numbers and of letters; an unlabelled code is its letter's label."""
    if outgoing.column.dtype == pl.String:
        return {}
    tags, declared = _tags(outgoing), outgoing.attribute.labels
    labels: dict[Any, str] = {
        int(value): label for value, label in outgoing.labels.items() if _is_whole(value)
    }
    for code, letter in tags.items():
        if code in declared or code != f".{letter}":
            labels[letter] = declared.get(code, code)
    numbers = {int(code) for code in tags if re.fullmatch(r"-?\d+", code)}
    return {value: label for value, label in labels.items() if value not in numbers}


def _warn_lost_labels(columns: Columns) -> None:
    without = [
        one.name
        for one in columns
        if any(not _is_whole(v) for v in one.labels if str(v) not in one.attribute.missing)
    ]
    if without:
        logging.getLogger("unveil").warning(
            "%s: labels are left out, as Stata has them for whole numbers only", listing(without)
        )


def _is_whole(value: float | str) -> bool:
    return not isinstance(value, str) and value == int(value) and abs(value) <= _LONG_RANGE[1]
