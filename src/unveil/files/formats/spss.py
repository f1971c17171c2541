"""SPSS files: .sav, and .zsav compressed."""

import re
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from unveil.errors import DataError
from unveil.files.formats import epochs
from unveil.files.formats.labelled_writer import (
    Columns,
    CreationTime,
    OutgoingColumn,
    PackageRules,
    Writable,
    by_name,
    codebook_for,
    warn_lost_codes,
)
from unveil.table.codebook import Ends
from unveil.table.columns import cell_of
from unveil.table.microdata import Microdata

_RULES = PackageRules(
    package="SPSS",
    name=re.compile(r"[^\W\d_][\w.$#@]*(?<!\.)"),
    longest_name=64,
    longest_label=256,
    longest_value_label=120,
    longest_text=32_767,
    case_sensitive=False,
    largest=1.7e308,  # the very largest are codes of its own
    reserved={"all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with"},
)
_LONGEST_CODE = 8
_MEASURES = {"numeric": "scale", "ordinal": "ordinal", "nominal": "nominal"}


class Spss(Writable, frozen=True, kw_only=True):
    """SPSS: .sav files, and .zsav files, which are smaller."""

    suffixes: ClassVar[tuple[str, ...]] = (".sav", ".zsav")
    package = "SPSS"
    clock = epochs.SPSS
    reader, writer = "read_sav", "write_sav"
    creation_time = CreationTime(
        re.compile(rb"^.{92}(\d\d \w{3} \d\d\d\d:\d\d:\d\d)", re.DOTALL), b"01 Jan 8000:00:00"
    )
    writes_codes = True

    def keeps_labels(self, data: Microdata) -> bool:  # noqa: ARG002
        return True

    @property
    def rules(self) -> PackageRules:
        return _RULES

    def writer_options(self, columns: Columns, data: Microdata, path: Path) -> dict[str, Any]:
        """Labels, missing codes and how columns are shown."""
        missing = by_name(columns, lambda outgoing: _missing_ranges(outgoing, data))
        warn_lost_codes(data, columns)
        compressed = path.suffix.lower() == ".zsav"
        return {
            "note": list(codebook_for(data, self.package).notes),
            "compress": compressed,
            "row_compress": not compressed,
            "variable_value_labels": by_name(columns, lambda outgoing: outgoing.labels),
            "missing_ranges": missing,
            "variable_measure": by_name(columns, _measure),
            "variable_display_width": by_name(columns, lambda outgoing: outgoing.variable.width),
        }

    def display_format(self, outgoing: OutgoingColumn, data: Microdata) -> str:
        """The format in the source, else whole numbers without decimals."""
        whole = data.column(outgoing.name).dtype.is_integer()
        return outgoing.variable.format or ("F8.0" if whole else "")

    def cells(self, outgoing: OutgoingColumn, data: Microdata) -> pl.Series:  # noqa: ARG002
        """Text columns of the width in the source: pyreadstat goes by the longest cell.

        Blanks at the end are no part of a text in SPSS, which fills every cell up with them.
        """
        column, length = outgoing.column, outgoing.variable.length
        if column.dtype != pl.String:
            return column
        column = column.fill_null("")
        if not length or (column.str.len_bytes() >= length).any():
            return column
        first = column[0]
        return column.scatter(0, first + " " * (length - len(first.encode())))


def _measure(outgoing: OutgoingColumn) -> str:
    return outgoing.variable.measure or _MEASURES.get(outgoing.attribute.level or "", "unknown")


def _missing_ranges(outgoing: OutgoingColumn, data: Microdata) -> list[dict[str, Any]]:
    """The missing values that SPSS declares: at most three, or a range and one value."""
    name, column = outgoing.name, outgoing.column
    if data.column(name).dtype in (pl.Date, pl.Datetime):
        return []
    cells = [cell_of(code, column.dtype) for code in outgoing.attribute.missing]
    codes = [cell.item() for cell in cells if cell is not None]
    ranges = list[Any](outgoing.variable.missing)
    ranges += [(c, c) for c in codes if not any(low <= c <= high for low, high in ranges)]
    if not _fits(ranges) and column.dtype != pl.String:
        ranges = _as_range(sorted(codes), data.column(name).cast(pl.Float64))
    if not _fits(ranges):
        raise DataError(
            f"column '{name}' has more codes for missing than SPSS takes: three, or one "
            "range without any other value in it and one more; declare fewer"
        )
    if any(isinstance(code, str) and len(code.encode()) > _LONGEST_CODE for code in codes):
        raise DataError(
            f"column '{name}' has a code for missing of more than the {_LONGEST_CODE} "
            "bytes that SPSS takes; declare another"
        )
    return [{"lo": low, "hi": high} for low, high in ranges]


def _fits(ranges: list[Ends]) -> bool:
    wide = sum(low != high for low, high in ranges)
    return len(ranges) <= 3 if not wide else wide == 1 and len(ranges) <= 2


def _as_range(codes: list[float], valid: pl.Series) -> list[Ends]:
    """The codes as one range without any valid value, and perhaps one of its ends alone."""
    for ends, alone in (
        ((codes[0], codes[-1]), []),
        ((codes[0], codes[-2]), [codes[-1]]),
        ((codes[1], codes[-1]), [codes[0]]),
    ):
        if not valid.is_between(*ends).any():
            return [ends, *((code, code) for code in alone)]
    return [(code, code) for code in codes]
