"""Row maps: tables that state which original row each released row came from."""

import os

import numpy as np
import polars as pl

from unveil.errors import DataError, errors_at
from unveil.support.arrays import Ints
from unveil.table.encoding.to_arrays import numbers
from unveil.table.microdata import Microdata
from unveil.wording import count, listing


def row_map_table(rows: Ints) -> Microdata:
    """Return the original row of each released row as a table; rows are counted from 1."""
    table = {"released": np.arange(len(rows)) + 1, "original": rows + 1}
    return Microdata(pl.DataFrame(table))


def read_row_map(path: str | os.PathLike[str], originals: int, released: int) -> Ints:
    """Read the original row of each released row; -1 where it has none.

    A row map is a table with the columns `released` and `original`; rows are counted from 1.
    """
    from unveil.files.tables import read

    table = read(path)
    with errors_at(str(path)):
        released_rows = _row_numbers(table, "released", released)
        original_rows = _row_numbers(table, "original", originals, blank=True)
        listed = len(np.unique(released_rows))
        if listed < len(released_rows):
            raise DataError("the row map lists a released row twice")
        if listed < released:
            raise DataError(
                f"the row map lists {listed:,} of {released:,} released rows: list them all, with "
                "no original where they have none"
            )
    row_map = np.full(released, -1)
    row_map[released_rows] = original_rows
    return row_map


def _row_numbers(table: Microdata, column: str, n_rows: int, *, blank: bool = False) -> Ints:
    """A column of row numbers, counted from 0; -1 where the cell is blank."""
    if column not in table.columns:
        raise DataError(
            f"a row map has the columns released and original; this has: {listing(table.columns)}"
        )
    values = numbers(table, [column]).values[:, 0]
    inside = (values >= 1) & (values <= n_rows) & (values == np.rint(values))
    inside |= np.isnan(values) & blank
    if not inside.all():
        raise DataError(
            f"the row map's column '{column}' is no row of its file, from 1 to {n_rows:,}, in "
            f"{count(int((~inside).sum()), 'record')}: is it the map of another release?"
        )
    return np.where(np.isnan(values), 0, values).astype(np.int64) - 1
