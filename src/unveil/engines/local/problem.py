"""Two files and a metric as the arrays of the local kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unveil.engines.local.kernels import costs as kernel
from unveil.engines.local.kernels.missing_costs import Marginal, expected_costs, fill_moments
from unveil.engines.metric import Combination, Cost, Kind, Metric, Side
from unveil.engines.problem import apply_map, check_sizes, compares_integers
from unveil.engines.records import Records
from unveil.support.arrays import Floats, Ints
from unveil.support.threads import run_blocks

KINDS: dict[Kind, int] = {
    "square": kernel.SQUARE,
    "linear": kernel.LINEAR,
    "pieces": kernel.PIECES,
    "table": kernel.TABLE,
    "listed": kernel.LISTED,
}
SIDES: dict[Side, int] = {"both": kernel.BOTH, "above": kernel.ABOVE, "below": kernel.BELOW}
COMBINE: dict[Combination, int] = {
    "sum": kernel.SUM,
    "largest": kernel.LARGEST,
    "choquet": kernel.CHOQUET,
}


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

    def with_offset(self, offset: Floats) -> Problem:
        """The problem with an offset for each record of the base; sums, not roots, are compared."""
        terms = self.terms._replace(root=False, exact=False)
        return replace(self, offset=np.require(offset, np.float64, ["C", "W"]), terms=terms)

    def for_queries(self, rows: Ints | None) -> Problem:
        """The problem of some of the queries; all of them in their order are not copied."""
        n = len(self.queries)
        if rows is None or (len(rows) == n and bool((rows == np.arange(n)).all())):
            return self
        missing = self.missing if len(self.missing) == 1 else self.missing[rows]
        return replace(self, queries=self.queries[rows], missing=missing)


def build_problem(queries: Records, base: Records, metric: Metric, threads: int) -> Problem:
    """The arrays of a comparison, with the linear map applied and missing cells priced."""
    exact = compares_integers(queries, base, metric)
    has_missing = queries.has_missing or base.has_missing
    a, b = queries.cells(), base.cells()
    if metric.matrix is not None:
        a, b, metric = apply_map(a, b, metric, metric.matrix)
        has_missing = False
    costs = metric.costs_for(a.shape[1])
    check_sizes(a, b, costs, exact=exact)
    terms = _terms(metric, costs, exact=exact, complete=not has_missing)
    missing = np.zeros((1, a.shape[1]))
    if has_missing:
        missing = _missing_costs(a, b, terms, threads, [cost.missing for cost in costs])
    problem = Problem(a, b, missing, np.zeros(0), terms, has_missing)
    return problem if base.offset is None else problem.with_offset(base.offset)


def _terms(metric: Metric, costs: tuple[Cost, ...], *, exact: bool, complete: bool) -> kernel.Terms:
    """The metric as arrays."""
    costs = tuple(_packed(cost) for cost in costs)
    sizes = [len(cost.value) for cost in costs]

    def joined(parts: list[Floats]) -> Floats:
        # An end and a slope for every value, so that one beginning serves all three.
        filled = [
            part if len(part) else np.zeros(size) for part, size in zip(parts, sizes, strict=True)
        ]
        return np.concatenate([np.zeros(0), *filled])

    kinds = {KINDS[cost.kind] for cost in costs}
    smooth = kinds in ({kernel.SQUARE}, {kernel.LINEAR}) and metric.combine == "sum"
    plain = complete and smooth and all(cost.two_sided for cost in costs)
    return kernel.Terms(
        kind=np.array([KINDS[cost.kind] for cost in costs], np.int64),
        side=np.array([SIDES[cost.side] for cost in costs], np.int64),
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


def _packed(cost: Cost) -> Cost:
    """Listed pairs as arrays of one length: candidates' codes as ends, rows' starts as slopes."""
    if cost.pairs is None:
        return cost
    starts, codes, other = cost.pairs.starts, cost.pairs.codes, cost.value[0]
    length = max(len(cost.value), len(starts))
    value, end, slope = np.full(length, other), np.full(length, np.inf), np.zeros(length)
    value[: len(cost.value)], end[1 : len(codes) + 1] = cost.value, codes
    slope[: len(starts)] = starts + 1
    return replace(cost, value=value, end=end, slope=slope)


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
    coded = terms.kind[j] in (kernel.TABLE, kernel.LISTED)
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
