"""Synthetic records by a Gaussian copula: the original's marginals, and correlations of ranks."""

import numpy as np
import polars as pl

from unveil.masks.base import Draw, ascending, sort_keys
from unveil.masks.correlations import correlations, mixed, root_of
from unveil.support.arrays import Floats
from unveil.table.encoding.to_arrays import tied_blocks
from unveil.table.encoding.to_columns import as_column, donated
from unveil.table.microdata import Microdata


def from_copula(
    data: Microdata, columns: tuple[str, ...], size: int, draw: Draw
) -> list[pl.Series]:
    """Draw ranks with the original's correlations; hand out the values at these ranks."""
    from scipy.special import ndtr, ndtri

    n = len(data)
    keys = np.column_stack([sort_keys(data, column) for column in columns])
    lowest = np.where(np.isnan(keys), -np.inf, keys)  # missing is the lowest category
    scores = np.column_stack([tied_blocks(column).twice_rank for column in lowest.T]) - 1
    related = correlations(ndtri(scores / (2 * n)))
    drawn = np.column_stack([draw(column).standard_normal(size) for column in columns])
    shares = ndtr(mixed(drawn, root_of(related)))
    return [
        _quantiles(data, column, own, share)
        for column, own, share in zip(columns, keys.T, shares.T, strict=True)
    ]


def _quantiles(data: Microdata, column: str, keys: Floats, shares: Floats) -> pl.Series:
    """The column's quantiles at these shares, the lowest share being missing cells."""
    rows, cells = ascending(keys), data.column(column)
    empty = 1 - len(rows) / len(keys)
    missing = (shares < empty) | (len(rows) == 0)
    place = np.clip((shares - empty) / max(1 - empty, 1e-300), 0.0, 1.0) * len(rows)
    if data.level(column) != "numeric" or not len(rows):
        last = max(len(rows) - 1, 0)
        donors = np.append(rows, -1)[np.minimum(place.astype(np.int64), last)]
        return donated(cells, np.where(missing, -1, donors))
    between = np.interp(place - 0.5, np.arange(len(rows)), keys[rows])
    # As many cells as records are made, missing where they are to be.
    frame = donated(cells, np.where(missing, -1, rows[0]))
    return as_column(frame, np.where(missing, np.nan, between))
