"""Excel workbooks: a sheet of typed cells, read by fastexcel and written by xlsxwriter."""

from __future__ import annotations

import datetime
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec
import polars as pl
from msgspec import Meta

from unveil.errors import DataError, FileError, import_optional
from unveil.files.formats.base import Format
from unveil.files.formats.excel_limits import check_fits, check_sheet_name
from unveil.table.columns import labels_of, whole_numbers
from unveil.table.frames import check_names
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.wording import listing, suggest

_EXTRA = ("excel", "an Excel workbook")
_ENDINGS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_FIRST_DATE = datetime.date(1900, 1, 1)  # a workbook's time of day is on the day before
_CREATED = datetime.datetime(1980, 1, 1)  # always: same data, same bytes
_DISPLAY_FORMATS = {pl.Date: "yyyy-mm-dd", pl.Datetime: "yyyy-mm-dd hh:mm:ss.000"}
for _name in ("fastexcel", "calamine"):  # they log blank columns, charts
    logging.getLogger(_name).addHandler(logging.NullHandler())


class Excel(Format, frozen=True, kw_only=True):
    """Excel workbooks: one sheet with a header and typed cells. A blank cell is missing.

    Examples
    --------
    >>> Excel(sheet="people")
    Excel(sheet='people')
    """

    suffixes: ClassVar[tuple[str, ...]] = _ENDINGS
    output_suffix: ClassVar[str] = ".xlsx"

    sheet: Annotated[
        str | None,
        Meta(description="Sheet name; default: the only sheet, and 'data' when written."),
    ] = None

    def with_sheet(self, sheet: str) -> Excel:
        return msgspec.structs.replace(self, sheet=sheet)

    def detect(self, path: Path) -> Excel:
        return self.with_sheet(_choose_sheet(_workbook(path), self.sheet, path.name))

    def adopt(self, source: Format) -> Format:
        """The sheet name of the source, unless one is given."""
        return msgspec.structs.replace(self, sheet=self.sheet or getattr(source, "sheet", None))

    def check_writable(self, path: Path) -> None:
        """Refuse all workbooks but .xlsx."""
        ending = path.suffix.lower()
        if ending in _ENDINGS and ending != self.output_suffix:
            raise FileError(f"workbooks are written as .xlsx, not as {ending}: name it so")

    def load(self, path: Path, schema: Schema | None) -> Microdata:
        workbook = _workbook(path)
        sheet = _choose_sheet(workbook, self.sheet, path.name)
        return Microdata(_read_table(workbook, sheet), schema)

    def save(self, data: Microdata, path: Path) -> None:
        """Write a table as the only sheet of a workbook."""
        sheet = "data" if self.sheet is None else self.sheet
        check_sheet_name(sheet)
        columns = check_fits(data.to_frame("polars"))
        writer = import_optional("xlsxwriter", *_EXTRA)
        # In memory: no part of the table lies in a public folder, not even for a moment.
        try:
            with writer.Workbook(str(path), {"in_memory": True}) as workbook:
                workbook.set_properties({"created": _CREATED})
                worksheet = workbook.add_worksheet(sheet)
                for position, column in enumerate(columns):
                    worksheet.write_string(0, position, column.name)
                    _write_cells(workbook, worksheet, position, column)
        except writer.exceptions.FileCreateError as error:  # it wraps the system's error
            raise error.args[0] from None


class _Exact(float):
    """A number that is written with all its digits; xlsxwriter would write 16."""

    def __format__(self, spec: str) -> str:
        return float.__repr__(self)


def _write_cells(workbook: Any, sheet: Any, position: int, column: pl.Series) -> None:
    """Write the cells of a column by type, so that no text becomes a formula or a link."""
    cells, style = column.to_list(), None
    if column.dtype.is_numeric():
        cells = [None if cell is None else _Exact(cell) for cell in cells]
        write = sheet.write_number
    elif (display := _DISPLAY_FORMATS.get(column.dtype.base_type())) is not None:
        style = workbook.add_format({"num_format": display})
        write = sheet.write_datetime
    else:
        write = sheet.write_boolean if column.dtype == pl.Boolean else sheet.write_string
    for row, cell in enumerate(cells, start=1):
        if cell is not None:
            write(row, position, cell, style)


def _workbook(path: Path) -> Any:
    reader = import_optional("fastexcel", *_EXTRA)
    return _read(lambda: reader.read_excel(path.read_bytes()))


def _read(read: Callable[[], Any]) -> Any:
    """Call the reader; its own message may quote cells, so it is not passed on."""
    try:
        return read()
    except (OSError, MemoryError):
        raise
    except BaseException as error:
        # The reader panics on some damaged files, and a panic is not an Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise FileError(
            "this is not a whole Excel workbook: it is damaged, cut short, locked by a password "
            "or of another format"
        ) from None


def _choose_sheet(workbook: Any, sheet: str | None, file: str) -> str:
    """The given sheet, else the only visible one with cells: a chart has none."""
    names: list[str] = workbook.sheet_names
    if sheet is not None:
        if sheet not in names:
            raise FileError(
                f"there is no such sheet in {file}{suggest(sheet, names, 'its sheets are')}"
            )
        return sheet
    tables = []
    for name in names:
        head = _read(partial(workbook.load_sheet, name, n_rows=0))
        if head.visible == "visible" and head.width:
            tables.append(name)
    if not tables:
        raise FileError("the workbook has no sheet with cells that is not hidden; name one")
    if len(tables) > 1:
        raise FileError(
            f"there are several sheets: {listing(tables)}; name one: {file}#{tables[0]}"
        )
    return tables[0]


def _read_table(workbook: Any, sheet: str) -> pl.DataFrame:
    """The records below the header, as typed columns; blank rows at the end are left out."""

    def load(**options: Any) -> pl.DataFrame:
        frame: pl.DataFrame = _read(
            # All rows count for a column's type, not the first thousand.
            lambda: workbook.load_sheet(sheet, schema_sample_rows=None, **options).to_polars()
        )
        return frame

    header = load(header_row=None, n_rows=1)
    if header.is_empty():
        raise FileError("the sheet is empty")
    cells = _body(load)
    cells.columns = [str(position) for position in range(cells.width)]
    names = [labels_of(cell).item() or "" for cell in header]
    if not any(cell.dtype == pl.String for cell in header):
        raise DataError(
            "the first line holds numbers, not names: the sheet needs a header "
            "that names its columns"
        )
    check_names(names)
    used = cells.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
    if not used.any():
        raise DataError("the sheet has a header and no record; add records")
    cells = cells.head(len(used) - (used.reverse().arg_max() or 0))
    return pl.DataFrame([_typed(cell.alias(n)) for cell, n in zip(cells, names, strict=True)])


def _body(load: Callable[..., pl.DataFrame]) -> pl.DataFrame:
    """The cells below the header; a column of several types is text.

    The reader makes truth values among numbers 1 and 0.
    """
    cells = load()
    texts = load(dtypes="string")
    for position, column in enumerate(cells.get_columns()):
        text = texts[:, position]
        if column.dtype.is_numeric() and text.is_in(["true", "false"]).any():
            cells.replace_column(position, text)
    return cells


def _typed(column: pl.Series) -> pl.Series:
    """Whole numbers, dates and times of day, which a workbook stores in a wider type."""
    if column.dtype == pl.Null:
        return column.cast(pl.String)
    if column.dtype.is_float():
        return whole_numbers(column)
    if column.dtype != pl.Datetime:
        return column
    time_of_day = column.dt.date() < _FIRST_DATE
    if time_of_day.any():
        if not time_of_day.all():
            raise DataError(
                f"column '{column.name}' holds dates and times of day at once; make them one"
            )
        return column.dt.strftime("%H:%M:%S")
    midnight = column.dt.date().cast(column.dtype) == column
    return column.dt.date() if midnight.all() else column
