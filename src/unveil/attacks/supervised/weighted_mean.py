"""Weights: the weighted mean of what attributes cost, the first of the families."""

from collections.abc import Iterator

import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.attacks.distance.attribute_costs import code_values
from unveil.attacks.nearest import NearestSearch
from unveil.attacks.supervised.families import (
    ROUNDING,
    Family,
    LearntParameters,
    PairFeatures,
    TrainingFiles,
    named,
    within,
)
from unveil.support.arrays import Floats, Ints
from unveil.table.encoding.shared_attributes import common_level

SMALLEST = 1e-14  # of the greatest weight
LEAST_DIFFERENCE = 1e-4  # by which true pairs differ in what is unmasked, where rivals do by 1
SHIFTS = 7  # rivals of each record by which it is known what they usually differ by
LEAST_CHANGE = 1e-4  # what was not masked counts for much, not for everything


class Weights(Family):
    """The weighted mean of the attributes' squared distances.

    Parameters are in units of what a rival usually differs by from a true record: so one huge value
    in a file, by which the deviation grows, makes an attribute no less fit to tell people apart.
    """

    def __init__(self, ground: TrainingFiles, records: Ints, truth: Ints) -> None:
        super().__init__(ground)
        self.unit = usual_differences(ground, records, truth)

    def raw(self, point: Floats) -> Floats:
        """The weights of the attributes' distances themselves."""
        found: Floats = point / self.unit
        found /= found.sum()
        return found

    @property
    def size(self) -> int:
        """A weight for each attribute."""
        return len(self.ground.names)

    def normal(self, scale: Floats) -> Floats:
        """The weights in units of usual ones."""
        return 1 / scale

    def excludes(self, summed: Floats, bounded: Floats, size: Floats) -> bool:  # noqa: ARG002
        """Where no weight makes it positive."""
        return bool((summed <= ROUNDING * size).all())

    def features(self, records: Ints, candidates: Ints) -> PairFeatures:
        """What pairs cost in each attribute."""
        index = np.tile(np.arange(self.size, dtype=np.int32), (len(records), 1))
        return PairFeatures(index, self.ground.contest.costs(records, candidates) / self.unit)

    def deepest(self, rows: PairFeatures, scale: Floats) -> Floats:
        """With all weight on one attribute."""
        found: Floats = np.maximum(-rows.value * scale, 0.0).max(axis=1, initial=0.0)
        return found

    def starts(self, records: Ints, truth: Ints, rng: np.random.Generator) -> Iterator[Floats]:
        """One over what true pairs differ by; without the truth; all alike; each alone; others."""
        costs = self.ground.contest.costs(records, truth) / self.unit
        means = np.sort(costs, axis=0).mean(axis=0)  # the same whatever the order of the rows
        inverse = 1 / np.maximum(means, LEAST_DIFFERENCE)
        yield inverse
        yield by_moments(self.ground) * self.unit
        yield self.unit
        yield from np.eye(self.size)
        for _ in range(3):
            yield inverse * np.exp(rng.normal(size=self.size))

    def direction(self, point: Floats, number: int, rng: np.random.Generator) -> Floats:
        """One weight; one against another; or all of them a little."""
        found = np.zeros(self.size)
        if number % 3 == 0 or self.size < 2:
            found[rng.integers(self.size)] = 1.0
        elif number % 3 == 1:
            one, other = rng.choice(self.size, 2, replace=False)
            found[one], found[other] = point[one] + 1e-3, -point[other] - 1e-3
        else:
            found = rng.normal(size=self.size) * point
        return found

    def limits(self, point: Floats, direction: Floats) -> tuple[float, float]:
        """No weight is negative."""
        return within(point, direction)

    def mended(self, point: Floats) -> Floats:
        """None is negative, and none so small that whom it tells apart would tie."""
        found: Floats = np.maximum(point, SMALLEST * point.max())
        found /= found.sum()
        return found

    def search(self, point: Floats, ground: TrainingFiles | None = None) -> NearestSearch:
        """Euclid's distance with these weights."""
        return (ground or self.ground).search_weighted(point / self.unit)

    def told(self, point: Floats) -> LearntParameters:
        """The weights."""
        return LearntParameters(named(self.ground.names, self.raw(point)), [])


def usual_differences(ground: TrainingFiles, records: Ints, truth: Ints) -> Floats:
    """By how much the costs of a rival and of the true one differ, in the middle of many pairs."""
    places = np.arange(len(records))
    shifts = np.unique(np.linspace(1, max(len(records) - 1, 1), SHIFTS).astype(np.int64))
    own = ground.contest.costs(records, truth)
    gaps = np.concatenate(
        [
            np.abs(ground.contest.costs(records, truth[(places + shift) % len(places)]) - own)
            for shift in shifts
        ]
    )
    gaps[gaps == 0] = np.nan
    known = ~np.isnan(gaps).all(axis=0)
    found = np.ones(gaps.shape[1])
    found[known] = np.nanmedian(gaps[:, known], axis=0)
    return found


def by_moments(ground: TrainingFiles) -> Floats:
    """Weights that need no truth: one over what masking did to the variance of an attribute.

    What masking adds to or takes from the variance of a number is the variance of what it did,
    for noise and for group means. Of nominal or generalised attributes that says nothing: they
    count as the others do.
    """
    found = np.array([_change(ground.files, name) for name in ground.names])
    weights: Floats = 1 / np.maximum(found, LEAST_CHANGE)
    known = ~np.isnan(found)
    weights[~known] = np.median(weights[known]) if known.any() else 1.0
    weights /= weights.sum()
    return weights


def _change(files: LinkageFiles, column: str) -> float:
    """What masking did to the variance of an attribute, in units of it; NaN: not known."""
    level = common_level(*files.pair, column)
    if files.generalised(column) or level == "nominal":
        return np.nan
    if level == "numeric":
        _, people, released = files.numbers(column)
    else:
        listed = files.categories(column)
        people, released = (
            code_values(data, column, listed) for data in (files.reference, files.release)
        )
    before, after = (np.sort(side[~np.isnan(side)]) for side in (people, released))
    if not (len(before) and len(after)):
        return np.nan
    size = before.std(), after.std()
    if not (size[0] > 0 and size[1] > 0):
        return np.nan
    return float(abs(size[0] / size[1] - size[1] / size[0]))
