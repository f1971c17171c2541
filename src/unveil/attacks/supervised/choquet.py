"""The Choquet integral of the attributes' squared distances: a weight for each set of them."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from unveil.aggregation.indices import interactions
from unveil.aggregation.measure import FuzzyMeasure
from unveil.attacks.nearest import NearestSearch
from unveil.attacks.supervised import families
from unveil.attacks.supervised.families import Family, PairFeatures, TrainingFiles
from unveil.attacks.supervised.skyline import NEARER
from unveil.engines.metric import MAX_CHOQUET
from unveil.errors import SpecError
from unveil.support.arrays import Floats, Ints
from unveil.wording import listing


class ChoquetIntegral(Family):
    """The Choquet integral by a fuzzy measure (Torra 2013, Section 2.6).

    The parameters are the measures of all sets of attributes but the empty one; bit k of a set
    stands for attribute k.
    """

    def __init__(self, training: TrainingFiles, weights: Floats) -> None:
        n = len(training.names)
        super().__init__(training, (1 << n) - 1)
        self._n_attributes, self._weights = n, weights
        sets = np.arange(1 << n)
        subsets = [sets[sets & 1 << one == 0] for one in range(n)]
        self._subset = np.concatenate(subsets)  # and the same set with one attribute more
        self._superset = np.concatenate([some | 1 << one for one, some in enumerate(subsets)])

    @cached_property
    def cone(self) -> Floats:
        """More attributes never weigh less."""
        rows = np.zeros((len(self._subset), self.size + 1))
        at = np.arange(len(rows))
        rows[at, self._superset] = 1.0
        rows[at, self._subset] = -1.0
        return rows[self._subset > 0, 1:]

    def normalisation(self, scale: Floats) -> Floats:  # noqa: ARG002
        """The measure of all attributes is 1."""
        row = np.zeros(self.size)
        row[-1] = 1.0
        return row

    def never_positive(self, row_sum: Floats, cone_sum: Floats, magnitude: Floats) -> bool:  # noqa: ARG002
        """No monotone measure makes it positive.

        A positive coefficient at a set adds no more than at a larger set. It moves up, to the set
        with the most negative coefficient, until it is at the set of all attributes.
        """
        left = np.concatenate([[0.0], cone_sum])
        for one in sorted(range(1, self.size), key=int.bit_count):
            if left[one] > 0:
                attributes = range(self._n_attributes)
                larger = [one | 1 << more for more in attributes if not one >> more & 1]
                left[min(larger, key=left.__getitem__)] += left[one]
        return bool(left[-1] <= families.SUM_ROUNDING * magnitude[-1])

    def features(self, records: Ints, candidates: Ints) -> PairFeatures:
        """The increments of the sorted costs, at the sets of attributes that cost as much."""
        costs = self.training.competition.costs(records, candidates)
        order = np.argsort(costs, axis=1, kind="stable")
        steps = np.diff(np.take_along_axis(costs, order, axis=1), axis=1, prepend=0.0)
        sets = np.flip(np.cumsum(np.flip(np.left_shift(1, order), 1), axis=1), 1)
        return PairFeatures((sets - 1).astype(np.int32), steps)

    def rows(self, records: Ints, truth: Ints, competitors: Ints) -> PairFeatures:
        """Both integrals side by side, since they are of different sets."""
        competing, true = self.features(records, competitors), self.features(records, truth)
        values = np.hstack([NEARER * competing.value, -true.value])
        return PairFeatures(np.hstack([competing.index, true.index]), values)

    def max_violation(self, rows: PairFeatures, scale: Floats) -> Floats:  # noqa: ARG002
        """With all weight on one attribute."""
        inside = (rows.index + 1)[:, :, None] >> np.arange(self._n_attributes) & 1
        violation = np.maximum(-(rows.value[:, :, None] * inside).sum(axis=1), 0.0)
        deepest: Floats = violation.max(axis=1)
        return deepest

    def starting_points(self, rng: np.random.Generator) -> Iterator[Floats]:  # noqa: ARG002
        """The weighted mean as an additive measure."""
        yield FuzzyMeasure.additive(self._weights).values[1:].copy()

    def direction(self, point: Floats, number: int, rng: np.random.Generator) -> Floats:
        """One set, a set with its supersets, or towards a random measure."""
        direction = np.zeros(self.size)
        if number % 3 == 0:
            direction[rng.integers(self.size)] = 1.0
        elif number % 3 == 1:
            subset = 1 + int(rng.integers(self.size))
            direction[(np.arange(1, self.size + 1) & subset) == subset] = 1.0
        else:
            weights = rng.dirichlet(np.full(self._n_attributes, 0.5))
            other = FuzzyMeasure.additive(weights).values[1:] ** np.exp(0.7 * rng.normal())
            direction = other - point
        return direction

    def line_limits(self, point: Floats, direction: Floats) -> tuple[float, float]:
        padded = (np.concatenate([[0.0], one]) for one in (point, direction))
        added, change = (one[self._superset] - one[self._subset] for one in padded)
        return families.nonnegative_range(added, change)

    def project(self, point: Floats) -> Floats:
        values = np.concatenate([[0.0], np.maximum(point, 0.0)])
        for one in range(self._n_attributes):
            pairs = values.reshape(-1, 2, 1 << one)
            pairs[:, 1] = np.maximum(pairs[:, 0], pairs[:, 1])
        measure: Floats = values[1:] / values[-1]
        return measure

    def _measure(self, point: Floats) -> FuzzyMeasure:
        return FuzzyMeasure(np.concatenate([[0.0], self.project(point)]))

    def search(self, point: Floats, training: TrainingFiles | None = None) -> NearestSearch:
        """The integral over columns: both ends of a range stand for their attribute."""
        training = training or self.training
        values, attributes = self._measure(point).values, np.array(training.attribute_of)
        columns = np.arange(1 << len(attributes))[:, None] >> np.arange(len(attributes)) & 1
        sets = np.bitwise_or.reduce(columns << attributes, axis=1)
        measure = FuzzyMeasure(values[sets])
        return training.search(replace(training.metric, combine="choquet", measure=measure))

    def explain(self, point: Floats) -> tuple[Floats, list[tuple[str, str, float]]]:
        indices = interactions(self._measure(point))
        return np.diag(indices), families.rank_interactions(self.training.names, indices)


def check_measurable(training: TrainingFiles) -> None:
    """Refuse too many attributes for a measure, and ranges with cells that may be anything."""
    n, columns = len(training.names), len(training.attribute_of)
    if n > MAX_CHOQUET:
        raise SpecError(
            f"supervised: choquet: a measure of {n} attributes has {2**n - 1:,} numbers to "
            f"learn; the limit is {MAX_CHOQUET} attributes ({2**MAX_CHOQUET - 1:,} numbers): "
            "name fewer known attributes, or learn weights or a bilinear form"
        )
    if columns > MAX_CHOQUET:
        raise SpecError(
            f"supervised: choquet: a range has two ends, which makes {columns} columns; the "
            f"limit is {MAX_CHOQUET}: name fewer generalised attributes"
        )
    wildcards = []
    for place, name in enumerate(training.names):
        ends = [column for column in range(columns) if training.attribute_of[column] == place]
        if len(ends) > 1 and any(np.isnan(side.cells()[:, ends]).any() for side in training.sides):
            wildcards.append(name)
    if wildcards:
        raise SpecError(
            "supervised: choquet: a measure cannot weigh a range that may be anything, as in "
            f"{listing(wildcards)}: leave it out of the known attributes, or learn weights or a "
            "matrix"
        )
