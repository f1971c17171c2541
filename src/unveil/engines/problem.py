"""Two files and a metric, checked and made ready: what every engine starts from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from unveil.engines.local.kernels import costs as kernel
from unveil.engines.metric import COMBINE, Cost, Metric
from unveil.engines.missing_cells import mapped, missing_costs
from unveil.engines.records import WHOLE, Records, as_array, as_records
from unveil.errors import DataError, SpecError, UsageError
from unveil.support.arrays import Floats, Ints
from unveil.table.encoding.to_arrays import LARGEST
from unveil.wording import count


@dataclass(frozen=True, repr=False, eq=False)
class Problem:
    """Queries against a base, as the arrays that kernels work on."""

    queries: Floats  # a NaN is a missing cell
    base: Floats
    missing: Floats  # what a missing cell costs: a row for each query, or one for all
    offset: Floats  # for each record of the base, or empty
    terms: kernel.Terms
    gappy: bool
    parting: int = 0  # how many of the last attributes part those that are not compared

    def of(self, rows: Ints | None) -> Problem:
        """Of some of the queries; all of them in their own order are not copied."""
        n = len(self.queries)
        if rows is None or (len(rows) == n and bool((rows == np.arange(n)).all())):
            return self
        missing = self.missing if len(self.missing) == 1 else self.missing[rows]
        return replace(self, queries=self.queries[rows], missing=missing)


def check(
    queries: Records | ArrayLike, base: Records | ArrayLike, metric: Metric
) -> tuple[Records, Records]:
    """The two files, of attributes that the metric can compare."""
    if not isinstance(metric, Metric):
        raise UsageError("the metric is a Metric, such as euclid()")
    asked, given = as_records(queries), as_records(base)
    check_widths(asked, given, metric)
    check_codes(asked, metric, "queries")
    check_codes(given, metric, "base")
    return asked, given


def build_problem(asked: Records, given: Records, metric: Metric, threads: int) -> Problem:
    """Put the question in arrays: what missing cells cost, what a linear map makes of them."""
    offset = np.zeros(0)
    if given.offset is not None:
        offset = np.require(given.offset, np.float64, ["C", "W"])
        metric = replace(metric, root=False)
    gappy = asked.gappy or given.gappy
    a, b = asked.cells(), given.cells()
    exact = (
        not (gappy or len(offset) or metric.matrix is not None or metric.measure is not None)
        and (asked.whole and given.whole)
        and all(cost.whole for cost in metric.each(asked.width))
    )
    if metric.matrix is not None:
        a, b, metric = mapped(a, b, metric)
        gappy = False
    check_sizes(a, b, metric.each(a.shape[1]), exact=exact)
    terms = as_terms(metric, a.shape[1], exact=exact, complete=not gappy)
    missing = np.zeros((1, a.shape[1]))
    if gappy:
        fixed = [cost.missing for cost in metric.each(a.shape[1])]
        missing = missing_costs(a, b, terms, threads, fixed)
    return Problem(a, b, missing, offset, terms, gappy)


def check_sizes(queries: Floats, base: Floats, costs: tuple[Cost, ...], *, exact: bool) -> None:
    """No score overflows; scores of whole numbers are whole numbers that 64 bits hold."""
    files = [file for file in (queries, base) if len(file)]
    highs = np.fmax.reduce([np.fmax.reduce(file) for file in files])
    lows = np.fmin.reduce([np.fmin.reduce(file) for file in files])
    with np.errstate(invalid="ignore"):  # infinity less infinity: after an overflowing map
        gaps = np.where(np.isnan(highs), 0.0, highs - lows).tolist()
    most = sum(cost.most(gap) for cost, gap in zip(costs, gaps, strict=True))
    if not most <= LARGEST**2:
        raise DataError("distances of these numbers, with these weights, are too large for 64 bits")
    if exact and most > WHOLE:
        raise DataError(
            "distances of these whole numbers reach beyond 2^53, where 64 bits no longer tell "
            "neighbours apart; give the records as floating-point numbers"
        )


def check_widths(asked: Records, given: Records, metric: Metric) -> None:
    """The two files and the metric are of the same attributes."""
    if not len(given):
        raise DataError("the base has no records: there is nothing to compare with")
    if asked.width != given.width:
        raise DataError(
            f"the queries have {count(asked.width, 'attribute')}, the base {given.width}: "
            "both need the same attributes in the same order"
        )
    if metric.width not in (None, asked.width):
        raise SpecError(
            f"the metric is one of {count(metric.width or 0, 'attribute')}, "
            f"the records have {asked.width}"
        )
    if metric.matrix is None and all(
        cost.kind in (kernel.SQUARE, kernel.LINEAR) and cost.weight == 0
        for cost in metric.each(asked.width)
    ):
        raise SpecError("all weights are zero: every pair would be at distance 0")


def check_codes(records: Records, metric: Metric, whose: str) -> None:
    """Attributes with a table hold its codes."""
    if metric.matrix is not None:
        return
    for j, cost in enumerate(metric.each(records.width)):
        if cost.categories is None:
            continue
        codes = records.values[:, j]
        if records.present is not None:
            codes = codes[records.present[:, j]]
        unknown = (codes < 0) | (codes >= cost.categories) | (codes != np.rint(codes))
        if unknown.any():
            raise DataError(
                f"attribute {j + 1} of the {whose} has {count(int(unknown.sum()), 'cell')} "
                f"that the table of costs does not know: codes go from 0 to {cost.categories - 1}"
            )


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


def as_terms(metric: Metric, width: int, *, exact: bool, complete: bool) -> kernel.Terms:
    """The metric as arrays."""
    costs = metric.each(width)
    sizes = [len(cost.value) for cost in costs]
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1].astype(np.int64)

    def joined(parts: list[Floats]) -> Floats:
        # An end and a slope for every value, so that one beginning serves all three.
        filled = [
            part if len(part) else np.zeros(size) for part, size in zip(parts, sizes, strict=True)
        ]
        return np.concatenate([np.zeros(0), *filled])

    return kernel.Terms(
        kind=np.array([cost.kind for cost in costs], np.int64),
        side=np.array([cost.side for cost in costs], np.int64),
        weight=np.array([cost.weight for cost in costs]),
        first=starts,
        size=np.array([cost.categories or len(cost.value) for cost in costs], np.int64),
        end=joined([cost.end for cost in costs]),
        value=joined([cost.value for cost in costs]),
        slope=joined([cost.slope for cost in costs]),
        least=np.array([cost.value.min() if len(cost.value) else 0.0 for cost in costs]),
        measure=np.zeros(1) if metric.measure is None else metric.measure.values.copy(),
        combine=COMBINE[metric.combine],
        plain=_plain(costs, metric) if complete else -1,
        root=metric.root,
        exact=exact,
    )


def _plain(costs: tuple[Cost, ...], metric: Metric) -> int:
    """The kind that all costs are of, if their sum is one plain loop; else -1."""
    kinds = {cost.kind for cost in costs}
    smooth = kinds in ({kernel.SQUARE}, {kernel.LINEAR}) and metric.combine == "sum"
    return kinds.pop() if smooth and not any(cost.side for cost in costs) else -1
