"""Rows known by what they hold: by an identifier, by their content, never by where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from unveil.data.columns import labels_of
from unveil.errors import DataError, count

if TYPE_CHECKING:
    from unveil.data.encode import Ints
    from unveil.data.microdata import Microdata


def rows_of_ids(ids: pl.Series, file: Microdata, column: str) -> Ints:
    """The row of a file that has each identifier, from 0; -1: none, or the identifier is missing.

    >>> from unveil.data.samples import households
    >>> rows_of_ids(pl.Series(["3", "99"]), households(10), "person").tolist()
    [2, -1]
    """
    known = pl.DataFrame({"id": labels_of(file.column(column))}).with_row_index("row")
    known = known.drop_nulls()
    twice = len(known) - known["id"].n_unique()
    if twice:
        raise DataError(
            f"column '{column}' names {count(twice, 'row')} more than once: an identifier is "
            "of one record only"
        )
    asked = pl.DataFrame({"id": labels_of(ids)})
    found = asked.join(known, on="id", how="left", maintain_order="left")["row"]
    return found.cast(pl.Int64).fill_null(-1).to_numpy()


def content_places(
    file: Microdata, other: Microdata | None = None, rows: Ints | None = None
) -> Ints:
    """The place of each row in the order of what rows hold, wherever it stands.

    Rows that are equal stand in the order of their partners: the row of another file for
    each, -1 for none.

    >>> from unveil.data.samples import households
    >>> sample = households(3)
    >>> content_places(sample).tolist(), content_places(sample.take([2, 1, 0])).tolist()
    ([0, 1, 2], [2, 1, 0])
    """
    columns = _plain(file)
    if other is not None and rows is not None:
        partners = pl.Series(np.where(rows < 0, len(other), rows))
        for column in _plain(other):
            padded = column.extend_constant(None, 1) if (rows < 0).any() else column
            columns.append(padded.gather(partners))
    table = pl.DataFrame([column.alias(str(i)) for i, column in enumerate(columns)])
    order = table.select(pl.arg_sort_by(table.columns, maintain_order=True)).to_series()
    places = np.empty(len(order), np.int64)
    places[order.to_numpy()] = np.arange(len(order))
    return places


def content_classes(file: Microdata) -> Ints:
    """For each row the number of its class of rows that are equal in every column.

    >>> from unveil.data.samples import households
    >>> content_classes(households(5).take([0, 1, 0])).tolist()
    [0, 1, 0]
    """
    table = pl.DataFrame([column.alias(str(i)) for i, column in enumerate(_plain(file))])
    classes = table.select(pl.struct(pl.all()).rank("dense") - 1).to_series()
    return classes.cast(pl.Int64).to_numpy()


def _plain(file: Microdata) -> list[pl.Series]:
    """Columns that sort by their cells, not by how these are stored."""
    columns = [file.column(name) for name in file.columns]
    return [
        labels_of(column) if isinstance(column.dtype, pl.Categorical | pl.Enum) else column
        for column in columns
    ]
