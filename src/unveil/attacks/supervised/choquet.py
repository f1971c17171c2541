"""Choquet: what attributes cost, integrated by a fuzzy measure, the second of the families."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from unveil.aggregation.indices import interactions
from unveil.aggregation.measure import FuzzyMeasure
from unveil.attacks.nearest import NearestSearch
from unveil.attacks.supervised.families import (
    ROUNDING,
    Family,
    LearntParameters,
    PairFeatures,
    TrainingFiles,
    named,
    strongest,
    within,
)
from unveil.attacks.supervised.undominated import NEARER
from unveil.engines.metric import MAX_CHOQUET
from unveil.errors import SpecError
from unveil.support.arrays import Floats, Ints
from unveil.wording import listing


class Choquet(Family):
    """The Choquet integral of the attributes' squared distances: sets of them have weights."""

    def __init__(self, ground: TrainingFiles, weights: Floats) -> None:
        super().__init__(ground)
        many = len(ground.names)
        self.many, self.weights = many, weights
        sets = np.arange(1 << many)
        lower = [sets[sets & 1 << one == 0] for one in range(many)]
        self._lower = np.concatenate(lower)  # with one attribute more: at least as much
        self._upper = np.concatenate([low | 1 << one for one, low in enumerate(lower)])

    @property
    def size(self) -> int:
        """A number for each set but the empty one."""
        return (1 << self.many) - 1

    @cached_property
    def cone(self) -> Floats:
        """More attributes never weigh less."""
        rows = np.zeros((len(self._lower), self.size + 1))
        at = np.arange(len(rows))
        rows[at, self._upper] = 1.0
        rows[at, self._lower] = -1.0
        return rows[self._lower > 0, 1:]

    def normal(self, scale: Floats) -> Floats:  # noqa: ARG002 - the measure of all is 1
        """The measure of all attributes."""
        found = np.zeros(self.size)
        found[-1] = 1.0
        return found

    def excludes(self, summed: Floats, bounded: Floats, size: Floats) -> bool:  # noqa: ARG002
        """Where no monotone measure makes it positive.

        What is positive at a set is no more at a larger one: it goes up, to where most is
        lacking, until it is at the set of all attributes.
        """
        left = np.concatenate([[0.0], bounded])
        for one in sorted(range(1, self.size), key=int.bit_count):
            if left[one] > 0:
                larger = [one | 1 << more for more in range(self.many) if not one >> more & 1]
                left[min(larger, key=left.__getitem__)] += left[one]
        return bool(left[-1] <= ROUNDING * size[-1])

    def features(self, records: Ints, candidates: Ints) -> PairFeatures:
        """The increments of the sorted costs, at the sets of attributes that cost as much."""
        costs = self.ground.contest.costs(records, candidates)
        order = np.argsort(costs, axis=1, kind="stable")
        steps = np.diff(np.take_along_axis(costs, order, axis=1), axis=1, prepend=0.0)
        sets = np.flip(np.cumsum(np.flip(np.left_shift(1, order), 1), axis=1), 1)
        return PairFeatures((sets - 1).astype(np.int32), steps)

    @property
    def width(self) -> int:
        """Two sets for each attribute: those of the rival and of the true one."""
        return 2 * self.many

    def rows(self, records: Ints, truth: Ints, rivals: Ints) -> PairFeatures:
        """Both integrals side by side: they are of different sets."""
        rival, true = self.features(records, rivals), self.features(records, truth)
        return PairFeatures(
            np.hstack([rival.index, true.index]), np.hstack([NEARER * rival.value, -true.value])
        )

    def deepest(self, rows: PairFeatures, scale: Floats) -> Floats:  # noqa: ARG002
        """With all weight on one attribute: who gains as much in all gains no more."""
        inside = (rows.index + 1)[:, :, None] >> np.arange(self.many) & 1
        found: Floats = np.maximum(-(rows.value[:, :, None] * inside).sum(axis=1), 0.0).max(axis=1)
        return found

    def starts(self, records: Ints, truth: Ints, rng: np.random.Generator) -> Iterator[Floats]:  # noqa: ARG002
        """The weighted mean as a measure: sets weigh what their attributes do together."""
        yield FuzzyMeasure.additive(self.weights).values[1:].copy()

    def direction(self, point: Floats, number: int, rng: np.random.Generator) -> Floats:
        """One set; a set and all that hold it; or towards some other measure."""
        found = np.zeros(self.size)
        if number % 3 == 0:
            found[rng.integers(self.size)] = 1.0
        elif number % 3 == 1:
            inside = 1 + int(rng.integers(self.size))
            found[(np.arange(1, self.size + 1) & inside) == inside] = 1.0
        else:
            weights = rng.dirichlet(np.full(self.many, 0.5))
            other = FuzzyMeasure.additive(weights).values[1:] ** np.exp(0.7 * rng.normal())
            found = other - point
        return found

    def limits(self, point: Floats, direction: Floats) -> tuple[float, float]:
        """More attributes never weigh less."""
        values, change = (np.concatenate([[0.0], one]) for one in (point, direction))
        return within(
            values[self._upper] - values[self._lower], change[self._upper] - change[self._lower]
        )

    def mended(self, point: Floats) -> Floats:
        """Made monotone, and 1 for all attributes."""
        values = np.concatenate([[0.0], np.maximum(point, 0.0)])
        for one in range(self.many):
            pairs = values.reshape(-1, 2, 1 << one)
            pairs[:, 1] = np.maximum(pairs[:, 0], pairs[:, 1])
        found: Floats = values[1:] / values[-1]
        return found

    def _measure(self, point: Floats) -> FuzzyMeasure:
        return FuzzyMeasure(np.concatenate([[0.0], self.mended(point)]))

    def search(self, point: Floats, ground: TrainingFiles | None = None) -> NearestSearch:
        """The nearest by the integral; both ends of a range stand for their attribute."""
        ground = ground or self.ground
        values, places = self._measure(point).values, np.array(ground.places)
        columns = np.arange(1 << len(places))[:, None] >> np.arange(len(places)) & 1
        sets = np.bitwise_or.reduce(columns << places, axis=1)
        measure = FuzzyMeasure(values[sets])
        return ground.search(replace(ground.metric, combine="choquet", measure=measure))

    def told(self, point: Floats) -> LearntParameters:
        """Shapley values, and how attributes interact."""
        found = interactions(self._measure(point))
        return LearntParameters(
            named(self.ground.names, np.diag(found)), strongest(self.ground.names, found)
        )


def check_measurable(ground: TrainingFiles) -> None:
    """A measure is of few attributes, and of none that may be anything."""
    many, columns = len(ground.names), len(ground.places)
    if many > MAX_CHOQUET:
        raise SpecError(
            f"supervised: choquet: a measure of {many} attributes has {2**many - 1:,} numbers "
            f"to learn, and at most those of {MAX_CHOQUET} attributes are, "
            f"{2**MAX_CHOQUET - 1:,}: let the intruder know fewer, or learn weights or a "
            "bilinear form"
        )
    if columns > MAX_CHOQUET:
        raise SpecError(
            f"supervised: choquet: a range has two ends, and {columns} columns are compared; "
            f"at most {MAX_CHOQUET} are: let the intruder know fewer generalised attributes"
        )
    stars = [name for name in ground.names if ground.starred(name)]
    if stars:
        raise SpecError(
            f"supervised: choquet: a measure cannot weigh a range that may be anything, as in "
            f"{listing(stars)}: let the intruder not know it, or learn weights or a matrix"
        )
