"""What a missing cell costs, before and after a linear map."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unveil.engines.local.kernels import costs as kernel
from unveil.engines.local.kernels.expectation import Marginal, expected_costs, fill_moments
from unveil.engines.metric import Metric, squared
from unveil.errors import DataError
from unveil.support.arrays import Floats
from unveil.support.threads import run_blocks

NEAR = 2048  # rows that stay near the processor while all attributes are added up


def missing_costs(
    queries: Floats, base: Floats, terms: kernel.Terms, threads: int, fixed: Sequence[float | None]
) -> Floats:
    """For each query and attribute the mean cost against the base's present values.

    A query that does not know the attribute is charged the mean over pairs of base values:
    the same for every candidate. Pairs that the metric excludes do not count. Where an
    attribute has a fixed cost for a missing cell, it is that.
    """
    costs = np.zeros(queries.shape)

    def work(start: int, stop: int) -> None:
        for j in range(start, stop):
            own = fixed[j]
            costs[:, j] = _missing_cost(queries[:, j], base[:, j], terms, j) if own is None else own

    run_blocks(work, range(queries.shape[1] + 1), threads=threads)
    return costs


def _missing_cost(column: Floats, values: Floats, terms: kernel.Terms, j: int) -> Floats | float:
    """The same for one attribute; 0 where nobody misses it."""
    column, known = np.ascontiguousarray(column), np.sort(values[~np.isnan(values)])
    unknown = np.isnan(column)
    if not len(known) or not (unknown.any() or len(known) < len(values)):
        return 0.0
    marginal = _marginal(known, terms, j)
    sums = np.empty((len(column), 2))
    expected_costs(terms, j, column, marginal, sums)
    if unknown.any():
        pairs = np.empty((len(known), 2))
        expected_costs(terms, j, known, marginal, pairs)
        sums[unknown] = pairs.sum(0)
    possible = sums[:, 1] > 0
    means = sums[:, 0] / np.where(possible, sums[:, 1], 1.0)
    return np.where(possible, means, _dearest(terms, j))


def _marginal(values: Floats, terms: kernel.Terms, j: int) -> Marginal:
    coded = terms.kind[j] == kernel.TABLE
    counts = np.bincount(values.astype(np.int64) if coded else [], minlength=terms.size[j])
    ranges = 2 << (len(values) - 1).bit_length()
    marginal = Marginal(
        values,
        np.zeros(ranges, np.int64),
        np.zeros(ranges),
        np.zeros(ranges),
        counts.astype(np.float64),
    )
    fill_moments(marginal)
    return marginal


def _dearest(terms: kernel.Terms, j: int) -> float:
    """The greatest cost short of impossible, for a query that excludes every value."""
    own = slice(terms.first[j], None if j + 1 == len(terms.first) else terms.first[j + 1])
    finite = terms.value[own][np.isfinite(terms.value[own])]
    return float(finite.max()) if len(finite) else 0.0


def mapped(queries: Floats, base: Floats, metric: Metric) -> tuple[Floats, Floats, Metric]:
    """Both files after the linear map.

    For squares, a missing cell is drawn from the base's values of its attribute: its mean
    goes through the map, and its variance is an extra coordinate, so that the expected
    cost is again a distance between points.
    """
    matrix: Any = metric.matrix
    absent = np.isnan(queries), np.isnan(base)
    if not (absent[0].any() or absent[1].any()):
        centre = base.mean(0)
        return times(queries - centre, matrix), times(base - centre, matrix), metric
    costs = metric.each(matrix.shape[1])
    if metric.combine != "sum" or any(cost.kind != kernel.SQUARE or cost.side for cost in costs):
        raise DataError(
            "a missing cell has an expected cost after a linear map for sums of squares only; "
            "fill the missing cells or choose another metric"
        )
    present = ~absent[1]
    absent[0][:, ~present.any(0)] = True  # nobody to compare with: it decides nothing
    seen = np.maximum(present.sum(0), 1)
    means = np.where(present, base, 0.0).sum(0) / seen
    variances = np.where(present, (base - means) ** 2, 0.0).sum(0) / seen
    weights = np.array([cost.weight for cost in costs])
    spread = variances * (matrix**2 @ weights)
    files = []
    for rows, gaps, column in ((queries, absent[0], 0), (base, absent[1], 1)):
        extra = np.zeros((len(rows), 2))
        extra[:, column] = np.sqrt(gaps @ spread)
        files.append(np.hstack([times(np.where(gaps, 0.0, rows - means), matrix), extra]))
    return files[0], files[1], replace(metric, costs=(*costs, squared(), squared()), matrix=None)


def times(rows: Floats, matrix: Floats) -> Floats:
    """Multiply each row by itself: equal rows give equal products, wherever they stand."""
    out = np.zeros((len(rows), matrix.shape[1]))
    with np.errstate(over="ignore", invalid="ignore"):  # found out by check_sizes
        for start in range(0, len(rows), NEAR):
            some, sums = rows[start : start + NEAR], out[start : start + NEAR]
            for j in range(len(matrix)):
                sums += some[:, j : j + 1] * matrix[j]
    return out
