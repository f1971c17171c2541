"""Synthetic records from a Gaussian copula: original marginals and rank correlations."""

import numpy as np
import polars as pl

from unveil.masks.base import Draw, ascending_rows, sort_keys
from unveil.masks.correlations import correlation_root, pairwise_correlations, stable_product
from unveil.support.arrays import Floats
from unveil.table.encoding.to_arrays import tied_blocks
from unveil.table.encoding.to_columns import as_column, donated
from unveil.table.microdata import Microdata


def draw_from_copula(
    data: Microdata, columns: tuple[str, ...], size: int, draw: Draw
) -> list[pl.Series]:
    """Draw ranks with the correlations of the original, and take the values at these ranks."""
    from scipy.special import ndtr, ndtri

    n = len(data)
    keys = np.column_stack([sort_keys(data, column) for column in columns])
    lowest = np.where(np.isnan(keys), -np.inf, keys)  # missing counts as the lowest category
    scores = np.column_stack([tied_blocks(column).twice_rank for column in lowest.T]) - 1
    correlations = pairwise_correlations(ndtri(scores / (2 * n)))
    drawn = np.column_stack([draw(column).standard_normal(size) for column in columns])
    probabilities = ndtr(stable_product(drawn, correlation_root(correlations)))
    return [_quantiles(data, *one) for one in zip(columns, keys.T, probabilities.T, strict=True)]


def _quantiles(data: Microdata, column: str, keys: Floats, probabilities: Floats) -> pl.Series:
    """The quantiles of a column; the lowest ones are the missing cells."""
    rows, cells = ascending_rows(keys), data.column(column)
    empty = 1 - len(rows) / len(keys)
    missing = (probabilities < empty) | (len(rows) == 0)
    place = np.clip((probabilities - empty) / max(1 - empty, 1e-300), 0.0, 1.0) * len(rows)
    if data.level(column) != "numeric" or not len(rows):
        last = max(len(rows) - 1, 0)
        donors = np.append(rows, -1)[np.minimum(place.astype(np.int64), last)]
        return donated(cells, np.where(missing, -1, donors))
    between = np.interp(place - 0.5, np.arange(len(rows)), keys[rows])
    template = donated(cells, np.where(missing, -1, rows[0]))  # of the right length and type
    return as_column(template, np.where(missing, np.nan, between))
