"""Families of distances, each linear in its parameters on suitable features of a pair.

Torra, Record linkage approaches for dynamic database integration (2013), Section 2.6: the weighted
mean of the attributes' squared distances, their Choquet integral by a fuzzy measure, and the
symmetric bilinear form of the differences. What a pair costs is the product of the parameters with
features of the pair, and the parameters that make a distance are a convex cone.
"""

from __future__ import annotations

import abc
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from unveil.attacks.distance.category_sets import ComparedAttribute
from unveil.attacks.nearest import NearestSearch
from unveil.attacks.supervised.undominated import NEARER, Competition
from unveil.engines.metric import Metric
from unveil.engines.records import Records
from unveil.support.arrays import Bools, Floats, Ints, Ints32

if TYPE_CHECKING:
    from unveil.attacks.base import LinkageFiles


FAR = 10.0  # how far a line goes that no rule ends, in units of the parameters
ROUNDING = 1e-12  # of what a sum is made of
LEAST = 1e-9  # of what true pairs differ by, or of a matrix: what counts as nothing


@dataclass(frozen=True, repr=False, eq=False)
class PairFeatures:
    """What pairs cost in terms of parameters: pairs x few."""

    index: Ints32  # the parameters
    value: Floats  # by which they are multiplied


class LearntParameters(NamedTuple):
    """What parameters say of attributes."""

    importance: dict[str, float]  # of each attribute; they sum to 1
    pairs: list[tuple[str, str, float]]  # how two act together, -1 to 1, the strongest first


@dataclass(frozen=True, repr=False, eq=False)
class TrainingFiles:
    """Two files side by side, attribute by attribute, and who asks whom."""

    files: LinkageFiles
    parts: dict[str, ComparedAttribute]
    mine: Records
    released: Records

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that are compared."""
        return tuple(self.parts)

    @property
    def asked(self) -> tuple[Records, Records]:
        """Those that ask, and the candidates."""
        return self.files.queries_first(self.mine, self.released)

    @cached_property
    def places(self) -> list[int]:
        """The attribute of each column."""
        return [place for place, part in enumerate(self.parts.values()) for _ in part.costs]

    @cached_property
    def metric(self) -> Metric:
        """Every attribute counts the same."""
        return Metric(tuple(cost for part in self.parts.values() for cost in part.costs), root=True)

    @cached_property
    def contest(self) -> Competition:
        """What pairs cost, attribute by attribute."""
        return Competition(*self.asked, self.metric, self.places)

    def starred(self, name: str) -> bool:
        """Whether a range has cells that may be anything."""
        own = [c for c, place in enumerate(self.places) if self.names[place] == name]
        return len(own) > 1 and any(np.isnan(side.cells()[:, own]).any() for side in self.asked)

    def search(self, metric: Metric) -> NearestSearch:
        """The nearest by a metric of all columns."""
        return NearestSearch(
            self.files, self.mine, self.released, metric, self.names, supervised=True
        )

    def search_weighted(self, weights: Floats) -> NearestSearch:
        """The nearest, where attributes have weights."""
        own = zip(self.metric.cost_tuple, weights[self.places].tolist(), strict=True)
        costs = tuple(cost.scale(weight) for cost, weight in own)
        return self.search(replace(self.metric, costs=costs))


class Family(abc.ABC):
    """Distances that differ in their parameters only."""

    monotone = True  # whether to cost more in an attribute is never to be nearer

    def __init__(self, ground: TrainingFiles) -> None:
        self.ground = ground

    @property
    @abc.abstractmethod
    def size(self) -> int:
        """How many parameters there are."""

    @property
    def free(self) -> Bools:
        """Which of them may be negative."""
        return np.zeros(self.size, np.bool_)

    @property
    def cone(self) -> Floats:
        """Rows that are not negative at parameters of the family; those not free are not, too."""
        return np.zeros((0, self.size))

    @abc.abstractmethod
    def normal(self, scale: Floats) -> Floats:
        """What is 1 at parameters of a usual size: a distance stays the same if all grow."""

    @abc.abstractmethod
    def excludes(self, summed: Floats, bounded: Floats, size: Floats) -> bool:
        """Whether no parameters make a sum of rows positive, by more than rounding.

        Parameters
        ----------
        summed
            What the sum depends on each parameter by.
        bounded
            The same and some rows of the cone, which make it only larger.
        size
            What the sum is made of, each part without its sign.
        """

    @abc.abstractmethod
    def features(self, records: Ints, candidates: Ints) -> PairFeatures:
        """The features of pairs."""

    @property
    def width(self) -> int:
        """The parameters that a row depends on, at most."""
        return self.size

    def rows(self, records: Ints, truth: Ints, rivals: Ints) -> PairFeatures:
        """What rivals cost, less what true records do: positive where these are nearer."""
        rival, true = self.features(records, rivals), self.features(records, truth)
        return PairFeatures(rival.index, NEARER * rival.value - true.value)

    @abc.abstractmethod
    def deepest(self, rows: PairFeatures, scale: Floats) -> Floats:
        """The most by which rows can be broken where the normal is 1."""

    @abc.abstractmethod
    def starts(self, records: Ints, truth: Ints, rng: np.random.Generator) -> Iterator[Floats]:
        """Parameters to begin with."""

    @abc.abstractmethod
    def direction(self, point: Floats, number: int, rng: np.random.Generator) -> Floats:
        """Where to look from there."""

    @abc.abstractmethod
    def limits(self, point: Floats, direction: Floats) -> tuple[float, float]:
        """How far a line stays in the cone."""

    @abc.abstractmethod
    def mended(self, point: Floats) -> Floats:
        """Parameters of the family, where rounding has left it."""

    def cuts(self, point: Floats) -> Floats:  # noqa: ARG002 - some have
        """Rows of the cone that are negative at a point outside."""
        return np.zeros((0, self.size))

    @abc.abstractmethod
    def search(self, point: Floats, ground: TrainingFiles | None = None) -> NearestSearch:
        """The nearest by these parameters, on these files or others."""

    @abc.abstractmethod
    def told(self, point: Floats) -> LearntParameters:
        """What was learnt."""


def within(values: Floats, change: Floats) -> tuple[float, float]:
    """How far values can change until one is negative, back and forth."""
    size = np.maximum(values, 0.0)
    falling, rising = change < 0, change > 0
    steepest = max(float(np.abs(change).max(initial=0.0)), LEAST)
    unit = FAR * max(float(size.max(initial=0.0)), LEAST) / steepest
    high = (size[falling] / -change[falling]).min(initial=unit)
    low = -(size[rising] / change[rising]).min(initial=unit)
    return float(low), float(high)


def named(names: tuple[str, ...], values: Floats) -> dict[str, float]:
    """A number for each attribute."""
    return dict(zip(names, values.tolist(), strict=True))


def strongest(names: list[str] | tuple[str, ...], matrix: Floats) -> list[tuple[str, str, float]]:
    """All pairs, by how strongly they act together."""
    found = [(names[k], names[j], float(matrix[k, j])) for k in range(len(names)) for j in range(k)]
    return sorted(found, key=lambda pair: (-abs(pair[2]), pair[:2]))
