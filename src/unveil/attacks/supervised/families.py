"""Families of distances, each linear in its parameters on suitable features of a pair.

Torra, Record linkage approaches for dynamic database integration (2013), Section 2.6: the weighted
mean of the attributes' squared distances, their Choquet integral by a fuzzy measure, and the
symmetric bilinear form of the differences. The cost of a pair is the product of the parameters and
the features of the pair. The parameters that make a distance form a convex cone.
"""

from __future__ import annotations

import abc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.attacks.distance.category_sets import ComparedAttribute
from unveil.attacks.nearest import NearestSearch
from unveil.attacks.supervised.skyline import NEARER, Competition
from unveil.engines.metric import Metric
from unveil.engines.records import Records
from unveil.support.arrays import Bools, Floats, Ints, Ints32

LONGEST_STEP = 10.0  # along a line without an end, in units of the parameters
SUM_ROUNDING = 1e-12  # of a sum, relative to its absolute terms
NEGLIGIBLE = 1e-9  # of a matrix, or of the differences of true pairs


@dataclass(frozen=True, repr=False, eq=False)
class PairFeatures:
    """Linear functions of the parameters, one for each pair."""

    index: Ints32  # pairs x coefficients: the parameters
    value: Floats  # their coefficients


@dataclass(frozen=True, repr=False, eq=False)
class TrainingFiles:
    """The two files as numbers, attribute by attribute."""

    files: LinkageFiles
    attributes: dict[str, ComparedAttribute]
    intruder_records: Records
    released: Records

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that are compared."""
        return tuple(self.attributes)

    @property
    def sides(self) -> tuple[Records, Records]:
        """The queries and the base."""
        return self.files.queries_first(self.intruder_records, self.released)

    @cached_property
    def attribute_of(self) -> list[int]:
        """The attribute of each column."""
        return [place for place, one in enumerate(self.attributes.values()) for _ in one.costs]

    @cached_property
    def metric(self) -> Metric:
        """The metric in which every attribute counts the same."""
        costs = (cost for attribute in self.attributes.values() for cost in attribute.costs)
        return Metric(tuple(costs), root=True)

    @cached_property
    def competition(self) -> Competition:
        """The costs of pairs, attribute by attribute."""
        return Competition(self.files.engine, *self.sides, self.metric, self.attribute_of)

    def search(self, metric: Metric) -> NearestSearch:
        """The nearest candidates by a metric of all columns."""
        return NearestSearch(
            self.files, self.intruder_records, self.released, metric, self.names, supervised=True
        )

    def search_weighted(self, weights: Floats) -> NearestSearch:
        """The nearest candidates by weights of the attributes."""
        per_column = zip(self.metric.cost_tuple, weights[self.attribute_of].tolist(), strict=True)
        costs = tuple(cost.scale(weight) for cost, weight in per_column)
        return self.search(replace(self.metric, costs=costs))


class Family(abc.ABC):
    """Distances of one form, which differ in their parameters only."""

    monotone = True  # whether a higher cost in one attribute is never a smaller distance

    def __init__(self, training: TrainingFiles, size: int) -> None:
        self.training, self.size = training, size  # of the parameters
        self.signed: Bools = np.zeros(size, np.bool_)  # parameters that may be negative

    @property
    def cone(self) -> Floats:
        """Rows that are not negative at any parameters of the family."""
        return np.zeros((0, self.size))

    @abc.abstractmethod
    def normalisation(self, scale: Floats) -> Floats:
        """The row that is 1 at normalised parameters: only their proportions matter."""

    @abc.abstractmethod
    def never_positive(self, row_sum: Floats, cone_sum: Floats, magnitude: Floats) -> bool:
        """Whether no parameters make a sum of rows positive, by more than rounding.

        `cone_sum` is the sum plus rows of the cone, which can only raise it; `magnitude` is the
        sum of the absolute coefficients.
        """

    @abc.abstractmethod
    def features(self, records: Ints, candidates: Ints) -> PairFeatures:
        """The features of pairs."""

    def rows(self, records: Ints, truth: Ints, competitors: Ints) -> PairFeatures:
        """The cost of competitors less that of true candidates: positive where these are nearer."""
        competing, true = self.features(records, competitors), self.features(records, truth)
        return PairFeatures(competing.index, NEARER * competing.value - true.value)

    @abc.abstractmethod
    def max_violation(self, rows: PairFeatures, scale: Floats) -> Floats:
        """How far below 0 each row can be at normalised parameters."""

    @abc.abstractmethod
    def starting_points(self, rng: np.random.Generator) -> Iterator[Floats]:
        """Parameters at which searches start."""

    @abc.abstractmethod
    def direction(self, point: Floats, number: int, rng: np.random.Generator) -> Floats:
        """The direction of a line search."""

    @abc.abstractmethod
    def line_limits(self, point: Floats, direction: Floats) -> tuple[float, float]:
        """How far a line stays in the cone, backwards and forwards."""

    @abc.abstractmethod
    def project(self, point: Floats) -> Floats:
        """Normalised parameters of the family at, or near, a point."""

    def cuts(self, point: Floats) -> Floats:  # noqa: ARG002 - most cones have finitely many rows
        """Rows of the cone that are negative at a point outside it."""
        return np.zeros((0, self.size))

    @abc.abstractmethod
    def search(self, point: Floats, training: TrainingFiles | None = None) -> NearestSearch:
        """The nearest candidates by these parameters, in these files or others."""

    @abc.abstractmethod
    def explain(self, point: Floats) -> tuple[Floats, list[tuple[str, str, float]]]:
        """The importance of each attribute, in sum 1, and interactions, -1 to 1, ranked."""


def nonnegative_range(values: Floats, change: Floats) -> tuple[float, float]:
    """How far values can change until one is negative, backwards and forwards."""
    size = np.maximum(values, 0.0)
    falling, rising = change < 0, change > 0
    steepest = max(float(np.abs(change).max(initial=0.0)), NEGLIGIBLE)
    longest = LONGEST_STEP * max(float(size.max(initial=0.0)), NEGLIGIBLE) / steepest
    high = (size[falling] / -change[falling]).min(initial=longest)
    low = -(size[rising] / change[rising]).min(initial=longest)
    return float(low), float(high)


def rank_interactions(names: Sequence[str], matrix: Floats) -> list[tuple[str, str, float]]:
    """All pairs of attributes, the strongest interaction first."""
    places = combinations(range(len(names)), 2)
    pairs = [(names[k], names[j], float(matrix[k, j])) for j, k in places]
    return sorted(pairs, key=lambda pair: (-abs(pair[2]), pair[:2]))
