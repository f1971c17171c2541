"""Metrics as values: the cost of a pair of records.

A metric combines one cost per attribute: their sum, their maximum or their Choquet integral. A
cost is a nondecreasing function of the gap |a - b|, a table of codes, or a list of pairs of codes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from unveil.aggregation.measure import FuzzyMeasure, as_floats, check_weights
from unveil.engines.code_pairs import CodePairs
from unveil.errors import SpecError
from unveil.support.arrays import Floats
from unveil.wording import count

Kind = Literal["square", "linear", "pieces", "table", "listed"]
Side = Literal["both", "above", "below"]
Combination = Literal["sum", "largest", "choquet"]
MAX_CHOQUET = 10
MIN_KNOT_GAP = 1e-300  # knots nearer than this have no slope between them


@dataclass(frozen=True, repr=False, eq=False)
class Cost:
    """The cost of a gap in one attribute, built by the functions below.

    `side` selects the candidates that have a gap: "above" those larger than the query, "below"
    those smaller. A cell missing on either side costs `missing`, or by default the attribute's
    average cost.
    """

    kind: Kind
    side: Side
    weight: float = 1.0
    end: Floats = field(default_factory=lambda: np.zeros(0))
    value: Floats = field(default_factory=lambda: np.zeros(0))
    slope: Floats = field(default_factory=lambda: np.zeros(0))
    missing: float | None = None
    pairs: CodePairs | None = None  # their costs; all others cost value[0]

    def __post_init__(self) -> None:
        if self.missing is not None and not 0 <= as_floats(self.missing, "missing") < np.inf:
            raise SpecError("a missing cell costs a finite number of 0 or more")

    @property
    def categories(self) -> int | None:
        """The number of codes of a table or of listed pairs; none for other costs."""
        if self.pairs is not None:
            return self.pairs.n_codes
        return round(len(self.value) ** 0.5) if self.kind == "table" else None

    @property
    def is_squared(self) -> bool:
        """Whether the cost is the squared gap, on both sides or on one."""
        return self.kind == "square"

    @property
    def two_sided(self) -> bool:
        """Whether larger and smaller candidates have a gap."""
        return self.side == "both"

    @property
    def reversed(self) -> Cost:
        """The same cost with query and candidate exchanged."""
        if self.pairs is not None:
            return listed(self.pairs.reversed, self.value[0], missing=self.missing)
        if self.kind == "table":
            cells = self.value.reshape(self.categories or 0, -1)
            return replace(self, value=cells.T.ravel())
        sides: dict[Side, Side] = {"both": "both", "above": "below", "below": "above"}
        return replace(self, side=sides[self.side])

    @property
    def integral(self) -> bool:
        """Whether integer gaps have integer costs."""
        numbers = np.concatenate([[self.weight], self.value, self.slope])
        ends = self.end[np.isfinite(self.end)] if self.slope.any() else np.zeros(0)
        finite = np.concatenate([numbers[np.isfinite(numbers)], ends])
        return bool((finite == np.rint(finite)).all())

    def scale(self, rate: float) -> Cost:
        """The cost multiplied by a rate."""
        return replace(
            self,
            weight=self.weight * rate,
            value=self.value * rate,
            slope=self.slope * rate,
            missing=None if self.missing is None else self.missing * rate,
            pairs=self.pairs and self.pairs.with_values(self.pairs.values * rate),
        )

    def largest(self, gap: float) -> float:
        """The largest finite cost of any gap up to this one."""
        if self.kind in ("square", "linear"):
            return self.weight * (gap * gap if self.kind == "square" else gap)
        return float(self.value[np.isfinite(self.value)].max(initial=self.missing or 0.0))


def squared(weight: float = 1.0, *, side: Side = "both") -> Cost:
    """The weight times the squared gap."""
    return _smooth("square", weight, side)


def absolute(weight: float = 1.0, *, side: Side = "both") -> Cost:
    """The weight times the gap."""
    return _smooth("linear", weight, side)


def levels(
    tolerances: Sequence[float],
    costs: Sequence[float],
    *,
    side: Side = "both",
    missing: float | None = None,
) -> Cost:
    """costs[k] for a gap up to tolerances[k], the last cost beyond the last tolerance."""
    if len(costs) != len(tolerances) + 1:
        raise SpecError("levels: give one cost per tolerance and one more for larger gaps")
    ends, values = as_floats(tolerances, "tolerances"), as_floats(costs, "costs")
    return replace(_pieces(ends, values, np.zeros(len(costs)), side), missing=missing)


def prorated(
    knots: Sequence[float],
    costs: Sequence[float],
    *,
    equal: float | None = None,
    side: Side = "both",
    missing: float | None = None,
) -> Cost:
    """costs[k] for a gap of knots[k], in between by proportion, beyond the last its cost.

    Up to the first knot the cost is `equal`, where that is given: with a first knot of 0, what
    it costs to be equal, however little the least gap costs more.
    """
    if len(costs) != len(knots) or not len(knots):
        raise SpecError("prorated: one cost for each knot, and at least one knot")
    ends, values = as_floats(knots, "knots"), as_floats(costs, "costs")
    if not (np.isfinite(ends).all() and np.isfinite(values).all()):
        raise SpecError("prorated: knots and costs are finite")
    between = np.diff(ends)
    if (between < MIN_KNOT_GAP).any():
        raise SpecError("knots and tolerances are finite and ascend from 0 or more")
    rise = np.diff(values) / between
    upto = values[:1] if equal is None else as_floats([equal], "costs")
    starts = np.concatenate([upto, values[:-1], values[-1:]])
    slopes = np.concatenate([[0.0], rise, [0.0]])
    return replace(_pieces(ends, starts, slopes, side), missing=missing)


def window(width: float, *, side: Side = "both") -> Cost:
    """Nothing for a gap up to the width; beyond it the candidate is impossible."""
    return levels([width], [0.0, np.inf], side=side)


def table(costs: ArrayLike, *, missing: float | None = None) -> Cost:
    """costs[a, b] for a query of code a and a candidate of code b; infinite: impossible."""
    cells = as_floats(costs, "a table of costs")
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1] or not cells.size:
        raise SpecError("a table of costs is square: the same codes for query and candidate")
    if np.isnan(cells).any() or (cells < 0).any():
        raise SpecError("a table of costs has numbers of 0 or more, or infinity")
    return Cost("table", "both", value=cells.ravel(), missing=missing)


def listed(pairs: CodePairs, other: float, *, missing: float | None = None) -> Cost:
    """The values of the listed pairs of codes; what any other pair costs."""
    if not np.isfinite(other) or not (np.append(pairs.values, other) >= 0).all():
        raise SpecError("listed pairs cost numbers of 0 or more, all others a finite one")
    value = np.append(float(other), pairs.values)
    return Cost("listed", "both", value=value, missing=missing, pairs=pairs)


@dataclass(frozen=True, repr=False, eq=False)
class Metric:
    """A metric: the costs of all attributes combined into one score.

    Parameters
    ----------
    costs
        One cost per attribute, or a single one for all.
    combine
        "sum", "largest", or "choquet" with a `measure`.
    root
        Compare square roots, as the Euclidean distance does.
    matrix
        A linear map applied to the records first: attributes x new attributes.

    An attribute missing on either side has the cost's `missing`, or else its expected cost: over
    the base's values of the attribute and, where the query lacks it, over pairs of them. After a
    linear map of squares, a missing cell is drawn from the base's values, on either side.

    >>> euclid()
    Metric(sum of squares, root)
    """

    costs: Cost | tuple[Cost, ...]
    combine: Combination = "sum"
    root: bool = False
    matrix: Floats | None = None
    measure: FuzzyMeasure | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.costs, Cost):
            object.__setattr__(self, "costs", tuple(self.costs))
        if not self.cost_tuple or not all(isinstance(cost, Cost) for cost in self.cost_tuple):
            raise SpecError("a metric has costs, such as squared(): one for each attribute, or one")
        if self.combine not in get_args(Combination):
            raise SpecError("costs are combined by 'sum', 'largest' or 'choquet'")
        if (self.combine == "choquet") != isinstance(self.measure, FuzzyMeasure):
            raise SpecError("a fuzzy measure goes with combine='choquet', and that with a measure")
        if self.matrix is not None:
            self._check_matrix(self.matrix)
        if self.measure is None:
            return
        if len(self.measure) > MAX_CHOQUET:
            raise SpecError(f"Choquet: at most {MAX_CHOQUET} attributes")
        widths = {len(self.cost_tuple)} if isinstance(self.costs, tuple) else set()
        widths |= {self.matrix.shape[1]} if self.matrix is not None else set()
        if widths - {len(self.measure)}:
            many = count(len(self.measure), "attribute")
            raise SpecError(f"Choquet: the measure is one of {many}; so are costs and records")

    def _check_matrix(self, matrix: Floats) -> None:
        matrix = as_floats(matrix, "a linear map")
        object.__setattr__(self, "matrix", matrix)
        if matrix.ndim != 2 or not matrix.size or not np.isfinite(matrix).all():
            raise SpecError("a linear map is a matrix of finite numbers")
        if isinstance(self.costs, tuple) and len(self.costs) != matrix.shape[1]:
            raise SpecError(
                f"after the linear map there is a cost for each of the {matrix.shape[1]} columns"
            )
        if any(cost.categories for cost in self.cost_tuple):
            raise SpecError("a table of costs needs codes, which a linear map does not keep")
        if any(cost.missing is not None for cost in self.cost_tuple):
            raise SpecError(
                "after a linear map no cell is missing; leave out the cost of a missing cell"
            )

    @property
    def cost_tuple(self) -> tuple[Cost, ...]:
        """The costs as a tuple, also where one stands for all attributes."""
        return self.costs if isinstance(self.costs, tuple) else (self.costs,)

    def __repr__(self) -> str:
        kinds = {cost.kind for cost in self.cost_tuple}
        names = {"square": "squares", "linear": "gaps"}
        what = names.get(kinds.pop(), "costs") if len(kinds) == 1 else "costs"
        mapped = ", after a linear map" if self.matrix is not None else ""
        return f"Metric({self.combine} of {what}{', root' if self.root else ''}{mapped})"

    @property
    def reversed(self) -> Metric:
        """The same metric with query and candidate exchanged."""
        if isinstance(self.costs, Cost):
            return replace(self, costs=self.costs.reversed)
        return replace(self, costs=tuple(cost.reversed for cost in self.costs))

    def scale(self, rate: float) -> Metric:
        """The metric multiplied by a rate, without the root."""
        scaled = tuple(cost.scale(rate) for cost in self.cost_tuple)
        costs = scaled[0] if isinstance(self.costs, Cost) else scaled
        return replace(self, costs=costs, root=False)

    @property
    def width(self) -> int | None:
        """The number of attributes of a record; none where any number will do."""
        if self.matrix is not None:
            return len(self.matrix)
        if self.measure is not None:
            return len(self.measure)
        return len(self.costs) if isinstance(self.costs, tuple) else None

    def costs_for(self, width: int) -> tuple[Cost, ...]:
        """The cost of each attribute, after the linear map."""
        return self.costs if isinstance(self.costs, tuple) else (self.costs,) * width


def euclid(weights: ArrayLike | None = None) -> Metric:
    """The square root of the (weighted) sum of squared gaps."""
    return Metric(_weighted(squared, weights), root=True)


def manhattan(weights: ArrayLike | None = None) -> Metric:
    """The (weighted) sum of gaps; on ranks, RBRL-Sum."""
    return Metric(_weighted(absolute, weights))


def chebyshev(weights: ArrayLike | None = None) -> Metric:
    """The largest (weighted) gap; on ranks, RBRL-Max."""
    return Metric(_weighted(absolute, weights), combine="largest")


def choquet(measure: FuzzyMeasure, costs: Cost | tuple[Cost, ...] | None = None) -> Metric:
    """The Choquet integral of the costs, squared gaps unless others are given."""
    if costs is None:
        return Metric(squared(), combine="choquet", root=True, measure=measure)
    return Metric(costs, combine="choquet", measure=measure)


def bilinear(matrix: ArrayLike) -> Metric:
    """The square root of (a - b)' A (a - b), A symmetric and positive semidefinite."""
    size, values, vectors = _spectrum(matrix)
    kept = values > len(values) * 1e-15  # below, it is the rounding of nothing
    return Metric(
        squared(), root=True, matrix=size[:, None] * vectors[:, kept] * np.sqrt(values[kept])
    )


def whitened(covariance: ArrayLike) -> Metric:
    """Mahalanobis: Euclid after the linear map that makes this covariance the identity.

    Directions in which nothing varies, judged by the correlations and so whatever the units,
    are left out.
    """
    deviation, values, vectors = _spectrum(covariance)
    scale = np.divide(1.0, deviation, out=np.zeros(len(deviation)), where=deviation > 0)
    kept = values > 1e-10
    matrix = scale[:, None] * vectors[:, kept] / np.sqrt(values[kept])
    return Metric(squared(), root=True, matrix=matrix)


def _weighted(cost: Callable[[float], Cost], weights: ArrayLike | None) -> Cost | tuple[Cost, ...]:
    if weights is None:
        return cost(1.0)
    return tuple(cost(weight) for weight in check_weights(weights).tolist())


def _smooth(kind: Kind, weight: float, side: Side) -> Cost:
    if not 0 <= as_floats(weight, "a weight") < np.inf:
        raise SpecError("a weight is a finite number of 0 or more")
    return Cost(kind, _check_side(side), float(weight))


def _pieces(ends: Floats, values: Floats, slopes: Floats, side: Side) -> Cost:
    if not np.isfinite(ends).all() or (ends < 0).any() or (np.diff(ends) <= 0).any():
        raise SpecError("knots and tolerances are finite and ascend from 0 or more")
    if np.isnan(values).any() or values[0] < 0 or (values[1:] < values[:-1]).any():
        raise SpecError("costs start at 0 or more and never fall as the gap widens")
    return Cost("pieces", _check_side(side), 1.0, np.append(ends, np.inf), values, slopes)


def _check_side(side: Side) -> Side:
    if side not in get_args(Side):
        raise SpecError("a side is 'both', 'above' or 'below'")
    return side


def _spectrum(matrix: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """The roots of a matrix's diagonal, and its spectrum with the diagonal made 1.

    So a covariance is looked at as a correlation. The matrix is positive semidefinite.
    """
    square = as_floats(matrix, "the matrix")
    if square.ndim != 2 or square.shape[0] != square.shape[1] or not square.size:
        raise SpecError("the matrix is square, a row and a column for each attribute")
    if not np.isfinite(square).all():
        raise SpecError("the matrix has finite numbers only")
    largest = np.abs(square).max()
    if largest == 0 or np.abs(square - square.T).max() > 1e-9 * largest:
        raise SpecError("the matrix is symmetric and not zero")
    size = np.sqrt(np.maximum(np.diag(square), 0.0))
    scale = np.divide(1.0, size, out=np.zeros(len(size)), where=size > 0)
    values, vectors = np.linalg.eigh((square / 2 + square.T / 2) * scale * scale[:, None])
    if values[0] < -1e-9 * len(values) or (square[size == 0] != 0).any():
        raise SpecError("the matrix is positive semidefinite: no eigenvalue is below 0")
    return size, values, vectors
