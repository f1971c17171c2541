"""Columns into arrays: what kernels, attacks and measures work on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from unveil.errors import DataError, SchemaError
from unveil.support.arrays import Bools, Floats, Ints, Ints32
from unveil.table.columns import codes_of, labels_of, stored_as, values_of
from unveil.table.conform import report_unlisted
from unveil.table.microdata import Microdata
from unveil.wording import listing

LARGEST_SQUARABLE = 1e150  # the largest number whose square is finite, with room to add
ROUNDING_SLACK = 1e-9  # relative, by which an allowed gap may be exceeded


@dataclass(frozen=True, repr=False, eq=False)
class Numbers:
    """Numeric attributes side by side; where a cell is not present its value is NaN."""

    columns: tuple[str, ...]
    values: Floats  # records x attributes
    present: Bools


@dataclass(frozen=True, repr=False, eq=False)
class Codes:
    """One attribute's categories as whole numbers from 0; -1 is missing."""

    codes: Ints32
    categories: tuple[str, ...]
    ordered: bool


@dataclass(frozen=True, repr=False, eq=False)
class TiedBlocks:
    """The block of equal values of each value in ascending order, as positions from 0.

    A missing value has first = 0 and last = -1, and shifts no other.
    """

    first: Ints
    last: Ints

    @property
    def twice_rank(self) -> Ints:
        """Twice the average rank, an integer; ranks count from 1, and 0 is missing."""
        ranks: Ints = np.where(self.last < 0, 0, self.first + self.last + 2)
        return ranks


@dataclass(frozen=True, repr=False, eq=False)
class Scale:
    """The means and deviations by which columns are standardised."""

    columns: tuple[str, ...]
    mean: Floats
    deviation: Floats


def numbers(data: Microdata, columns: Sequence[str]) -> Numbers:
    """Numeric attributes as an array with a presence mask."""
    values = np.empty((len(data), len(columns)), order="F")
    for position, name in enumerate(columns):
        column = _plain(data, name)
        if stored_as(column) == "text" or data.schema[name].level == "nominal":
            raise SchemaError(f"column '{name}' holds categories where numbers are needed")
        values[:, position] = values_of(column).to_numpy()
    return Numbers(tuple(columns), values, ~np.isnan(values))


def check_computable(data: Numbers) -> None:
    """Refuse numbers that are too large to be squared."""
    for column, values in zip(data.columns, data.values.T, strict=True):
        if (np.abs(values) > LARGEST_SQUARABLE).any():  # never for a NaN
            raise DataError(
                f"column '{column}' has numbers beyond 1e150, too large to compute with; rescale it"
            )


def codes(data: Microdata, column: str, categories: Sequence[str] | None = None) -> Codes:
    """One attribute as category codes.

    The categories are those given, else the declared order, else those in the cells: numbers by
    size, text by its characters. So codes do not depend on the order of the rows.
    """
    listed = None if categories is None else check_listed(column, categories)
    return data.remember(column, ("codes", listed), lambda: _codes(data, column, listed))


def _codes(data: Microdata, column: str, listed: tuple[str, ...] | None) -> Codes:
    cells = _plain(data, column)
    labels = labels_of(cells)
    if listed is not None:
        report_unlisted(labels, listed, f"the list of categories for column '{column}'")
    else:
        found = labels_of(cells.drop_nulls().unique().sort()).unique(maintain_order=True)
        listed = data.order(column) or tuple(found.to_list())
    return Codes(codes_of(labels, listed), listed, ordered=data.level(column) != "nominal")


def code_numbers(codes: Ints32 | Ints) -> Floats:
    """Codes as numbers, with a NaN for -1, missing."""
    return np.where(codes < 0, np.nan, codes)


def check_listed(column: str, categories: Sequence[str]) -> tuple[str, ...]:
    """Check a caller's list of categories: text, none twice."""
    listed = tuple(categories)
    if len(set(listed)) < len(listed) or not all(isinstance(label, str) for label in listed):
        raise SchemaError(f"the list of categories for column '{column}' is text, none twice")
    return listed


def tied_blocks(values: Floats | Ints, present: Bools | None = None) -> TiedBlocks:
    """The block of equal values of each value, among the values that are present."""
    here = np.ones(len(values), dtype=bool) if present is None else present
    first, last = np.zeros(len(values), np.int64), np.full(len(values), -1)
    kept = values[here]
    order = np.argsort(kept)
    ascending = kept[order]
    starts = np.flatnonzero(np.r_[True, ascending[1:] != ascending[:-1]][: len(kept)])
    sizes = np.diff(np.r_[starts, len(kept)])
    where = np.flatnonzero(here)[order]
    first[where] = np.repeat(starts, sizes)
    last[where] = np.repeat(starts + sizes - 1, sizes)
    return TiedBlocks(first, last)


def normal_scores(values: Floats, among: Floats | None = None) -> Floats:
    """Each value as the normal quantile of its rank; NaN stays NaN.

    The rank is the middle of the block of equal values, among `among` or else its own column.
    """
    from scipy.special import ndtri

    known = np.sort(values if among is None else among)
    known = known[: len(known) - int(np.isnan(known).sum())]
    if not len(known):
        return np.full(len(values), np.nan)
    below, upto = (np.searchsorted(known, values, side) for side in ("left", "right"))
    share = np.clip((below + upto) / 2, 0.5, len(known) - 0.5) / len(known)
    return np.where(np.isnan(values), np.nan, ndtri(share))


def spread(values: Floats) -> tuple[float, float]:
    """The mean and the standard deviation (with n - 1) of the values that are not NaN.

    The deviation of a constant is exactly 0, of ranges too wide to be squared infinite; without
    values both are 0. No digit depends on the order of the values.
    """
    known = np.sort(values[~np.isnan(values)])  # the same sum in whatever order they stand
    if len(known) < 2 or known[0] == known[-1]:
        return (float(known[0]) if len(known) else 0.0), 0.0
    with np.errstate(over="ignore"):
        return float(known.mean()), float(known.std(ddof=1))


def scale_of(data: Numbers) -> Scale:
    """The mean and the standard deviation (with n - 1) of each attribute.

    The deviation of a constant attribute is exactly 0.
    """
    means, deviations = [], []
    for name, values, present in zip(data.columns, data.values.T, data.present.T, strict=True):
        kept = values[present]
        if not len(kept):
            raise DataError(f"column '{name}' is missing in every record")
        means.append(kept.mean())
        constant = kept.min() == kept.max()
        deviations.append(0.0 if constant else kept.std(ddof=1))
    return Scale(data.columns, np.array(means), np.array(deviations))


def standardise(
    data: Numbers, scale: Scale, *, constant: Literal["error", "drop"] = "error"
) -> Numbers:
    """Values minus the mean of a scale, over its deviation.

    A constant attribute is an error, or is left out on request.
    """
    if data.columns != scale.columns:
        raise DataError(f"the scale has other columns: {listing(scale.columns)}")
    varies = scale.deviation > 0
    if not varies.all() and constant == "error":
        flat = [name for name, v in zip(data.columns, varies, strict=True) if not v]
        raise DataError(
            f"{listing(flat)}: constant, so there is no deviation to standardise by; "
            "leave the column out"
        )
    values = (data.values[:, varies] - scale.mean[varies]) / scale.deviation[varies]
    kept = tuple(name for name, v in zip(data.columns, varies, strict=True) if v)
    return Numbers(kept, values, data.present[:, varies])


def _plain(data: Microdata, column: str) -> pl.Series:
    cells = data.column(column)
    if data.schema[column].generalised:
        raise SchemaError(
            f"column '{column}' is generalised: its cells are ranges and sets, not single values"
        )
    return cells
