"""The centre of each group of records: the mean, the median category or the commonest."""

import numpy as np
import polars as pl

from unveil.support.arrays import Floats, Ints, Ints32
from unveil.table.encoding.to_arrays import codes, numbers
from unveil.table.encoding.to_columns import as_column, donated
from unveil.table.microdata import Microdata


def centred(data: Microdata, column: str, groups: Ints, *, keep_type: bool) -> pl.Series:
    """A column with each cell replaced by the centre of its group; missing cells stay.

    Numbers become the mean, ordered categories the median (the lower of two), others the
    commonest (the first of several). The cells of a group are the same to the last bit.
    """
    cells = data.column(column)
    if data.level(column) == "numeric":
        values: Floats = numbers(data, [column]).values[:, 0]
        return as_column(cells, means(values, groups), keep_type=keep_type)
    coded = codes(data, column)
    typical = medians(coded.codes, groups) if coded.ordered else modes(coded.codes, groups)
    return donated(cells, first_rows(coded.codes)[typical])


def means(values: Floats, groups: Ints) -> Floats:
    """For each record the mean of its group's known values; NaN where its own is missing.

    >>> means(np.array([1.0, 2.0, np.nan, 7.0]), np.array([0, 0, 0, 1])).tolist()
    [1.5, 1.5, nan, 7.0]
    """
    rows, starts, sizes = _sorted_by(groups, ~np.isnan(values))
    kept, out = values[rows], np.full(len(values), np.nan)
    if len(rows):
        with np.errstate(over="ignore"):
            mean = np.add.reduceat(kept, starts) / sizes
        if not np.isfinite(mean).all():  # the sums overflow, the means cannot
            mean = np.add.reduceat(kept / np.repeat(sizes, sizes), starts)
        low, high = np.minimum.reduceat(kept, starts), np.maximum.reduceat(kept, starts)
        out[rows] = np.repeat(np.clip(mean, low, high), sizes)  # rounding must not lead outside
    return out


def medians(coded: Ints32, groups: Ints) -> Ints:
    """For each record the lower median of its group's codes; -1 where its own is missing.

    >>> medians(np.array([4, 0, 1, -1]), np.zeros(4, np.int64)).tolist()
    [1, 1, 1, -1]
    """
    rows, starts, sizes = _sorted_by(groups, coded >= 0, coded)
    out = np.full(len(coded), -1)
    out[rows] = np.repeat(coded[rows][starts + (sizes - 1) // 2], sizes)
    return out


def modes(coded: Ints32, groups: Ints) -> Ints:
    """For each record the commonest code of its group; -1 where its own is missing.

    >>> modes(np.array([2, 2, 0, -1]), np.zeros(4, np.int64)).tolist()
    [2, 2, 2, -1]
    """
    rows, _, sizes = _sorted_by(groups, coded >= 0, coded)
    out = np.full(len(coded), -1)
    if len(rows):
        kept, group = coded[rows], groups[rows]
        runs = np.flatnonzero(np.r_[True, (kept[1:] != kept[:-1]) | (group[1:] != group[:-1])])
        length = np.diff(np.r_[runs, len(rows)])
        # By group, the longest run first, then the lowest code.
        best = runs[np.lexsort((kept[runs], -length, group[runs]))]
        first = np.r_[True, group[best[1:]] != group[best[:-1]]]
        out[rows] = np.repeat(kept[best[first]], sizes)
    return out


def first_rows(coded: Ints32) -> Ints:
    """The first row of each code, -1 for a code that nobody has; and one more -1 at the end.

    >>> first_rows(np.array([2, 0, 2])).tolist()
    [1, -1, 0, -1]
    """
    found = np.full(int(coded.max(initial=-1)) + 2, -1)
    present = np.flatnonzero(coded >= 0)[::-1]
    found[coded[present]] = present
    return found


def _sorted_by(
    groups: Ints, known: np.ndarray[tuple[int], np.dtype[np.bool_]], keys: Ints32 | None = None
) -> tuple[Ints, Ints, Ints]:
    """The known rows group by group, each group by its keys; where groups begin; their sizes."""
    rows = np.flatnonzero(known)
    order = np.argsort(groups[rows], kind="stable")
    if keys is not None:
        order = np.lexsort((keys[rows], groups[rows]))
    rows = rows[order]
    starts = np.flatnonzero(np.r_[True, groups[rows][1:] != groups[rows][:-1]][: len(rows)])
    return rows, starts, np.diff(np.r_[starts, len(rows)])
