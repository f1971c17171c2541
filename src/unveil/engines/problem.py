"""Two files and a metric, checked and turned into the arrays that every engine starts from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from unveil.engines.local.kernels import costs as kernel
from unveil.engines.local.kernels.missing_costs import Marginal, expected_costs, fill_moments
from unveil.engines.metric import COMBINE, Cost, Metric, squared
from unveil.engines.records import LARGEST_INTEGER, Records, as_array, as_records, multiply_rows
from unveil.errors import DataError, SpecError, UsageError
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.threads import run_blocks
from unveil.table.encoding.to_arrays import LARGEST_SQUARABLE
from unveil.wording import count


@dataclass(frozen=True, repr=False, eq=False)
class Problem:
    """Queries and a base, as the arrays that kernels work on."""

    queries: Floats  # a NaN is a missing cell
    base: Floats
    missing: Floats  # the cost of a missing cell: a row for each query, or one for all
    offset: Floats  # for each record of the base, or empty
    terms: kernel.Terms
    has_missing: bool
    block_codes: int = 0  # how many of the last attributes are codes of blocks

    def for_queries(self, rows: Ints | None) -> Problem:
        """The problem of some of the queries; all of them in their order are not copied."""
        n = len(self.queries)
        if rows is None or (len(rows) == n and bool((rows == np.arange(n)).all())):
            return self
        missing = self.missing if len(self.missing) == 1 else self.missing[rows]
        return replace(self, queries=self.queries[rows], missing=missing)


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


def build_problem(queries: Records, base: Records, metric: Metric, threads: int) -> Problem:
    """The arrays of a comparison, with the linear map applied and missing cells priced."""
    offset = np.zeros(0)
    if base.offset is not None:
        offset = np.require(base.offset, np.float64, ["C", "W"])
        metric = replace(metric, root=False)
    has_missing = queries.has_missing or base.has_missing
    a, b = queries.cells(), base.cells()
    exact = (
        not (has_missing or len(offset) or metric.matrix is not None or metric.measure is not None)
        and (queries.integral and base.integral)
        and all(cost.integral for cost in metric.costs_for(queries.width))
    )
    if metric.matrix is not None:
        a, b, metric = _apply_map(a, b, metric, metric.matrix)
        has_missing = False
    costs = metric.costs_for(a.shape[1])
    _check_sizes(a, b, costs, exact=exact)
    terms = _terms(metric, costs, exact=exact, complete=not has_missing)
    missing = np.zeros((1, a.shape[1]))
    if has_missing:
        missing = _missing_costs(a, b, terms, threads, [cost.missing for cost in costs])
    return Problem(a, b, missing, offset, terms, has_missing)


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


def _check_widths(queries: Records, base: Records, metric: Metric) -> None:
    if not len(base):
        raise DataError("the base has no records: there is nothing to compare with")
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
        cost.kind in (kernel.SQUARE, kernel.LINEAR) and cost.weight == 0
        for cost in metric.cost_tuple
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
                f"that the table of costs does not know: codes go from 0 to {cost.categories - 1}"
            )


def _check_sizes(queries: Floats, base: Floats, costs: tuple[Cost, ...], *, exact: bool) -> None:
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
            "distances of these whole numbers reach beyond 2^53, where 64 bits no longer tell "
            "neighbours apart; give the records as floating-point numbers"
        )


def _terms(metric: Metric, costs: tuple[Cost, ...], *, exact: bool, complete: bool) -> kernel.Terms:
    """The metric as arrays."""
    sizes = [len(cost.value) for cost in costs]

    def joined(parts: list[Floats]) -> Floats:
        # An end and a slope for every value, so that one beginning serves all three.
        filled = [
            part if len(part) else np.zeros(size) for part, size in zip(parts, sizes, strict=True)
        ]
        return np.concatenate([np.zeros(0), *filled])

    kinds = {cost.kind for cost in costs}
    smooth = kinds in ({kernel.SQUARE}, {kernel.LINEAR}) and metric.combine == "sum"
    plain = complete and smooth and all(cost.two_sided for cost in costs)
    return kernel.Terms(
        kind=np.array([cost.kind for cost in costs], np.int64),
        side=np.array([cost.side for cost in costs], np.int64),
        weight=np.array([cost.weight for cost in costs]),
        first=np.cumsum([0, *sizes])[:-1],
        size=np.array([cost.categories or len(cost.value) for cost in costs], np.int64),
        end=joined([cost.end for cost in costs]),
        value=joined([cost.value for cost in costs]),
        slope=joined([cost.slope for cost in costs]),
        least=np.array([cost.value.min() if len(cost.value) else 0.0 for cost in costs]),
        measure=np.zeros(1) if metric.measure is None else metric.measure.values.copy(),
        combine=COMBINE[metric.combine],
        plain=kinds.pop() if plain else -1,
        root=metric.root,
        exact=exact,
    )


def _apply_map(
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


def _missing_costs(
    queries: Floats, base: Floats, terms: kernel.Terms, threads: int, fixed: Sequence[float | None]
) -> Floats:
    """For each query and attribute the expected cost of a missing cell.

    It is the fixed cost where the attribute has one, else the mean cost over the base's present
    values, of pairs that the metric does not exclude. A query that lacks the attribute is charged
    the mean over pairs of base values, the same for every candidate.
    """
    costs = np.zeros(queries.shape)

    def work(start: int, stop: int) -> None:
        for j in range(start, stop):
            cost = fixed[j]
            costs[:, j] = _mean_cost(queries[:, j], base[:, j], terms, j) if cost is None else cost

    run_blocks(work, range(queries.shape[1] + 1), threads=threads)
    return costs


def _mean_cost(column: Floats, values: Floats, terms: kernel.Terms, j: int) -> Floats | float:
    """The mean costs of one attribute; 0 where no cell is missing."""
    column, known = np.ascontiguousarray(column), np.sort(values[~np.isnan(values)])
    unknown = np.isnan(column)
    if not len(known) or not (unknown.any() or len(known) < len(values)):
        return 0.0
    coded = terms.kind[j] == kernel.TABLE
    counts = np.bincount(known.astype(np.int64) if coded else [], minlength=terms.size[j])
    ranges = 2 << (len(known) - 1).bit_length()
    moments = np.zeros(ranges, np.int64), np.zeros(ranges), np.zeros(ranges)
    marginal = Marginal(known, *moments, counts.astype(np.float64))
    fill_moments(marginal)
    sums = np.empty((len(column), 2))
    expected_costs(terms, j, column, marginal, sums)
    if unknown.any():
        pairs = np.empty((len(known), 2))
        expected_costs(terms, j, known, marginal, pairs)
        sums[unknown] = pairs.sum(0)
    possible = sums[:, 1] > 0
    means = sums[:, 0] / np.where(possible, sums[:, 1], 1.0)
    # A query that excludes every value is charged the greatest cost short of impossible.
    last = None if j + 1 == len(terms.first) else terms.first[j + 1]
    costs = terms.value[terms.first[j] : last]
    return np.where(possible, means, costs[np.isfinite(costs)].max(initial=0.0))
