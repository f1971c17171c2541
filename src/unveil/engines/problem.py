"""Two files and a metric: checked, and after the linear map, as every engine needs them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from unveil.engines.metric import Cost, Metric, squared
from unveil.engines.records import LARGEST_INTEGER, Records, as_array, as_records, multiply_rows
from unveil.errors import DataError, SpecError, UsageError
from unveil.support.arrays import Bools, Floats, Ints
from unveil.table.encoding.to_arrays import LARGEST_SQUARABLE
from unveil.wording import count


def check(
    queries: Records | ArrayLike, base: Records | ArrayLike, metric: Metric
) -> tuple[Records, Records]:
    """The two files as records, of attributes that the metric can compare."""
    if not isinstance(metric, Metric):
        raise UsageError("the metric is a Metric, such as euclid()")
    queries, base = as_records(queries), as_records(base)
    _check_widths(queries, base, metric)
    _check_codes(queries, metric, "queries")
    _check_codes(base, metric, "base")
    return queries, base


def check_truth(truth: ArrayLike, queries: int, base: int) -> Ints:
    """The true row of the base for each query, from 0; -1: not in the base."""
    rows = as_array(truth, "the truth")
    if rows.size == 0:
        rows = rows.astype(np.int64)
    if rows.shape != (queries,) or rows.dtype.kind not in "iu":
        raise DataError("the truth is a row number of the base for each query, or -1")
    outside = (rows < -1) | (rows >= base)
    if outside.any():
        raise DataError(
            f"the truth names {count(int(outside.sum()), 'row')} that the base does not have: "
            f"rows go from 0 to {base - 1}, and -1 means not in the base"
        )
    return rows.astype(np.int64)


def compares_integers(queries: Records, base: Records, metric: Metric) -> bool:
    """Whether scores are whole numbers, of which only equal ones tie."""
    return (
        not (queries.has_missing or base.has_missing or base.offset is not None)
        and (metric.matrix is None and metric.measure is None)
        and (queries.integral and base.integral)
        and all(cost.integral for cost in metric.costs_for(queries.width))
    )


def check_sizes(queries: Floats, base: Floats, costs: tuple[Cost, ...], *, exact: bool) -> None:
    """No score overflows; integer scores are integers that 64 bits hold."""
    files = [file for file in (queries, base) if len(file)]
    highs = np.fmax.reduce([np.fmax.reduce(file) for file in files])
    lows = np.fmin.reduce([np.fmin.reduce(file) for file in files])
    with np.errstate(invalid="ignore"):  # infinity less infinity: after an overflowing map
        gaps = np.where(np.isnan(highs), 0.0, highs - lows).tolist()
    most = sum(cost.largest(gap) for cost, gap in zip(costs, gaps, strict=True))
    if not most <= LARGEST_SQUARABLE**2:
        raise DataError("distances of these numbers, with these weights, are too large for 64 bits")
    if exact and most > LARGEST_INTEGER:
        raise DataError(
            "distances of these whole numbers exceed 2^53, where 64 bits cannot distinguish "
            "neighbours; give the records as floating-point numbers"
        )


def apply_map(
    queries: Floats, base: Floats, metric: Metric, matrix: Floats
) -> tuple[Floats, Floats, Metric]:
    """Both files after the linear map.

    For squares, a missing cell is drawn from the base's values of its attribute: its mean
    goes through the map, and its variance is an extra coordinate, so that the expected
    cost is again a distance between points.
    """
    absent = np.isnan(queries), np.isnan(base)
    if not (absent[0].any() or absent[1].any()):
        centre = base.mean(0)
        return multiply_rows(queries - centre, matrix), multiply_rows(base - centre, matrix), metric
    costs = metric.costs_for(matrix.shape[1])
    squares = all(cost.is_squared and cost.two_sided for cost in costs)
    if metric.combine != "sum" or not squares:
        raise DataError(
            "a missing cell has an expected cost after a linear map for sums of squares only; "
            "fill the missing cells or choose another metric"
        )
    present = ~absent[1]
    absent[0][:, ~present.any(0)] = True  # nobody to compare with: it decides nothing
    seen = np.maximum(present.sum(0), 1)
    means = np.where(present, base, 0.0).sum(0) / seen
    variances = np.where(present, (base - means) ** 2, 0.0).sum(0) / seen
    spread = variances * (matrix**2 @ np.array([cost.weight for cost in costs]))

    def on_axes(rows: Floats, missing: Bools, column: int) -> Floats:
        extra = np.zeros((len(rows), 2))
        extra[:, column] = np.sqrt(missing @ spread)
        return np.hstack([multiply_rows(np.where(missing, 0.0, rows - means), matrix), extra])

    extended = replace(metric, costs=(*costs, squared(), squared()), matrix=None)
    return on_axes(queries, absent[0], 0), on_axes(base, absent[1], 1), extended


def _check_widths(queries: Records, base: Records, metric: Metric) -> None:
    if not len(base):
        raise DataError("the base has no records to compare with")
    if queries.width != base.width:
        raise DataError(
            f"the queries have {count(queries.width, 'attribute')}, the base {base.width}: "
            "both need the same attributes in the same order"
        )
    if metric.width not in (None, queries.width):
        raise SpecError(
            f"the metric is one of {count(metric.width or 0, 'attribute')}, "
            f"the records have {queries.width}"
        )
    if metric.matrix is None and all(
        cost.kind in ("square", "linear") and cost.weight == 0 for cost in metric.cost_tuple
    ):
        raise SpecError("all weights are zero: every pair would be at distance 0")


def _check_codes(records: Records, metric: Metric, file: str) -> None:
    """Attributes with a table of costs hold its codes."""
    if metric.matrix is not None:
        return
    for j, cost in enumerate(metric.costs_for(records.width)):
        if cost.categories is None:
            continue
        codes = records.values[:, j]
        if records.present is not None:
            codes = codes[records.present[:, j]]
        unknown = (codes < 0) | (codes >= cost.categories) | (codes != np.rint(codes))
        if unknown.any():
            raise DataError(
                f"attribute {j + 1} of the {file} has {count(int(unknown.sum()), 'cell')} "
                f"outside the table of costs; codes go from 0 to {cost.categories - 1}"
            )
