"""The centre of each group of records: mean, median category or most frequent category."""

import numpy as np
import polars as pl

from unveil.support.arrays import Bools, Floats, Ints, Ints32
from unveil.table.encoding.to_arrays import codes, numbers
from unveil.table.encoding.to_columns import as_column, donated
from unveil.table.microdata import Microdata


def group_centres(data: Microdata, column: str, groups: Ints, *, keep_type: bool) -> pl.Series:
    """A column with each cell replaced by the centre of its group; missing cells stay.

    Numbers become the mean, ordered categories the lower median, others the most frequent
    category (the first of several). The cells of a group are equal to the last bit.
    """
    cells = data.column(column)
    if data.level(column) == "numeric":
        values: Floats = numbers(data, [column]).values[:, 0]
        return as_column(cells, group_means(values, groups), keep_type=keep_type)
    coded = codes(data, column)
    centre = group_medians if coded.ordered else group_modes
    return donated(cells, first_rows(coded.codes)[centre(coded.codes, groups)])


def group_means(values: Floats, groups: Ints) -> Floats:
    """For each record the mean of its group's known values; NaN where its own is missing."""
    rows, starts, sizes = _rows_by_group(groups, ~np.isnan(values))
    known, out = values[rows], np.full(len(values), np.nan)
    if len(rows):
        with np.errstate(over="ignore"):
            mean = np.add.reduceat(known, starts) / sizes
        if not np.isfinite(mean).all():  # the sums overflow, the means cannot
            mean = np.add.reduceat(known / np.repeat(sizes, sizes), starts)
        low, high = np.minimum.reduceat(known, starts), np.maximum.reduceat(known, starts)
        out[rows] = np.repeat(np.clip(mean, low, high), sizes)  # against rounding errors
    return out


def group_medians(coded: Ints32, groups: Ints) -> Ints:
    """For each record the lower median of its group's codes; -1 where its own is missing."""
    rows, starts, sizes = _rows_by_group(groups, coded >= 0, coded)
    out = np.full(len(coded), -1)
    out[rows] = np.repeat(coded[rows][starts + (sizes - 1) // 2], sizes)
    return out


def group_modes(coded: Ints32, groups: Ints) -> Ints:
    """For each record the most frequent code of its group; -1 where its own is missing."""
    rows, _, sizes = _rows_by_group(groups, coded >= 0, coded)
    out = np.full(len(coded), -1)
    if len(rows):
        known, group = coded[rows], groups[rows]
        runs = np.flatnonzero(np.r_[True, (known[1:] != known[:-1]) | (group[1:] != group[:-1])])
        length = np.diff(np.r_[runs, len(rows)])
        # By group, the longest run first, then the lowest code.
        best = runs[np.lexsort((known[runs], -length, group[runs]))]
        first = np.r_[True, group[best[1:]] != group[best[:-1]]]
        out[rows] = np.repeat(known[best[first]], sizes)
    return out


def first_rows(coded: Ints32) -> Ints:
    """The first row of each code, -1 for a code that does not occur; and one more -1 at the end."""
    first = np.full(int(coded.max(initial=-1)) + 2, -1)
    present = np.flatnonzero(coded >= 0)[::-1]
    first[coded[present]] = present
    return first


def _rows_by_group(
    groups: Ints, known: Bools, keys: Ints32 | None = None
) -> tuple[Ints, Ints, Ints]:
    """The known rows sorted by group, then by key; where groups start; their sizes."""
    rows = np.flatnonzero(known)
    rows = rows[np.lexsort((groups[rows] if keys is None else keys[rows], groups[rows]))]
    starts = np.flatnonzero(np.r_[True, groups[rows][1:] != groups[rows][:-1]][: len(rows)])
    return rows, starts, np.diff(np.r_[starts, len(rows)])
