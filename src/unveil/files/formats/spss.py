"""SPSS files: .sav, and .zsav compressed."""

import re
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from unveil.errors import DataError
from unveil.files.formats import epochs as clocks
from unveil.files.formats.labelled_writer import (
    CreationTime,
    OutgoingColumn,
    PackageRules,
    Writable,
    by_name,
    codebook_for,
    tell_plainly_missing,
)
from unveil.table.codebook import Ends
from unveil.table.columns import cell_of
from unveil.table.microdata import Microdata

_RULES = PackageRules(
    name=re.compile(r"[^\W\d_][\w.$#@]*(?<!\.)"),
    longest_name=64,
    longest_label=256,
    longest_value_label=120,
    longest_text=32_767,
    cases=False,
    largest=1.7e308,  # the very largest are codes of its own
    reserved={"all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with"},
)
_MADE = CreationTime(
    re.compile(rb"^.{92}(\d\d \w{3} \d\d\d\d:\d\d:\d\d)", re.DOTALL), b"01 Jan 8000:00:00"
)
_LONGEST_CODE = 8
_MEASURES = {"numeric": "scale", "ordinal": "ordinal", "nominal": "nominal"}


class Spss(Writable, frozen=True, kw_only=True):
    """SPSS: .sav files, and .zsav files, which are smaller.

    Examples
    --------
    >>> Spss(encoding="latin-1").suffixes
    ('.sav', '.zsav')
    """

    suffixes: ClassVar[tuple[str, ...]] = (".sav", ".zsav")
    package = "SPSS"
    clock = clocks.SPSS
    reader, writer = "read_sav", "write_sav"
    made = _MADE
    with_codes = True

    def keeps_labels(self, data: Microdata) -> bool:  # noqa: ARG002
        """All are kept."""
        return True

    @property
    def rules(self) -> PackageRules:
        """What SPSS allows."""
        return _RULES

    def told(self, columns: list[OutgoingColumn], data: Microdata, path: Path) -> dict[str, Any]:
        """Labels, missing codes and how columns are shown."""
        missing = by_name(columns, lambda one: _missing(one, data))
        tell_plainly_missing(data, columns)
        smaller = path.suffix.lower() == ".zsav"
        return {
            "note": list(codebook_for(data, self.package).notes),
            "compress": smaller,
            "row_compress": not smaller,
            "variable_value_labels": by_name(columns, lambda one: one.labels),
            "missing_ranges": missing,
            "variable_measure": by_name(columns, _measure),
            "variable_display_width": by_name(columns, lambda one: one.variable.width),
        }

    def shown_as(self, one: OutgoingColumn, data: Microdata) -> str:
        """As before; whole numbers without decimals."""
        whole = data.column(one.column.name).dtype.is_integer()
        return one.variable.format or ("F8.0" if whole else "")

    def cells(self, one: OutgoingColumn, data: Microdata) -> pl.Series:  # noqa: ARG002
        """Text of the length that it had: pyreadstat gives a column that of its longest cell.

        Blanks at the end are no part of a text in SPSS, which fills every cell up with them.
        """
        column, length = one.column, one.variable.length
        if column.dtype != pl.String:
            return column
        column = column.fill_null("")
        if not length or (column.str.len_bytes() >= length).any():
            return column
        first = column[0]
        return column.scatter(0, first + " " * (length - len(first.encode())))


def _measure(one: OutgoingColumn) -> str:
    return one.variable.measure or _MEASURES.get(one.attribute.level or "", "unknown")


def _missing(one: OutgoingColumn, data: Microdata) -> list[dict[str, Any]]:
    """What SPSS is to take for missing: three values at most, or a range and a value."""
    if data.column(one.column.name).dtype in (pl.Date, pl.Datetime):
        return []
    cells = [cell_of(code, one.column.dtype) for code in one.attribute.missing]
    codes = [cell.item() for cell in cells if cell is not None]
    kept = list(one.variable.missing)
    ranges = kept + [(code, code) for code in codes if not _within(code, kept)]
    if not _fits(ranges) and one.column.dtype != pl.String:
        ranges = _as_range(sorted(codes), data.column(one.column.name).cast(pl.Float64))
    if not _fits(ranges):
        raise DataError(
            f"column '{one.column.name}' has more codes for missing than SPSS takes: three, or one "
            "range without any other value in it and one more; declare fewer"
        )
    if any(isinstance(code, str) and len(code.encode()) > _LONGEST_CODE for code in codes):
        raise DataError(
            f"column '{one.column.name}' has a code for missing of more than the {_LONGEST_CODE} "
            "bytes that SPSS takes; declare another"
        )
    return [{"lo": low, "hi": high} for low, high in ranges]


def _within(code: Any, ranges: list[Ends]) -> bool:
    return any(low <= code <= high for low, high in ranges)


def _fits(ranges: list[Ends]) -> bool:
    wide = sum(low != high for low, high in ranges)
    return len(ranges) <= 3 if not wide else wide == 1 and len(ranges) <= 2


def _as_range(codes: list[float], valid: pl.Series) -> list[Ends]:
    """The codes as one range that holds no other value, one of its ends by itself perhaps."""
    for ends, alone in (
        ((codes[0], codes[-1]), []),
        ((codes[0], codes[-2]), [codes[-1]]),
        ((codes[1], codes[-1]), [codes[0]]),
    ):
        if not valid.is_between(*ends).any():
            return [ends, *((code, code) for code in alone)]
    return [(code, code) for code in codes]
