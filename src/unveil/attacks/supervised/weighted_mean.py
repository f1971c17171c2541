"""The weighted mean of the attributes' squared distances: a weight for each attribute."""

from collections.abc import Iterator

import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.attacks.nearest import NearestSearch
from unveil.attacks.supervised import families
from unveil.attacks.supervised.families import Family, PairFeatures, TrainingFiles
from unveil.support.arrays import Floats, Ints
from unveil.table.encoding.shared_attributes import common_level

SMALLEST_WEIGHT = 1e-14  # relative to the largest: a smaller weight tells no candidates apart
LEAST_DIFFERENCE = 1e-4  # of true pairs in an unmasked attribute, where competitors differ by 1
LEAST_CHANGE = 1e-4  # of a variance: an unmasked attribute counts for much, not for everything
SHIFTS = 7  # competitors of each record in the median difference


class WeightedMean(Family):
    """The weighted mean of the attributes' squared distances (Torra 2013, Section 2.6).

    Parameters are in units of the median cost difference of a competitor and a true candidate, so
    that one huge value in a file, which raises the deviation, hides no attribute.
    """

    def __init__(self, training: TrainingFiles, records: Ints, truth: Ints) -> None:
        super().__init__(training, len(training.names))
        self.unit = median_cost_differences(training, records, truth)
        self._true_pairs = records, truth

    def weights(self, point: Floats) -> Floats:
        """The weights of the attributes' distances themselves; they sum to 1."""
        weights: Floats = point / self.unit
        weights /= weights.sum()
        return weights

    def normalisation(self, scale: Floats) -> Floats:
        """The weights in units of their scale."""
        return 1 / scale

    def never_positive(self, row_sum: Floats, cone_sum: Floats, magnitude: Floats) -> bool:  # noqa: ARG002
        return bool((row_sum <= families.SUM_ROUNDING * magnitude).all())

    def features(self, records: Ints, candidates: Ints) -> PairFeatures:
        index = np.tile(np.arange(self.size, dtype=np.int32), (len(records), 1))
        return PairFeatures(index, self.training.competition.costs(records, candidates) / self.unit)

    def max_violation(self, rows: PairFeatures, scale: Floats) -> Floats:
        """With all weight on one attribute."""
        deepest: Floats = np.maximum(-rows.value * scale, 0.0).max(axis=1, initial=0.0)
        return deepest

    def starting_points(self, rng: np.random.Generator) -> Iterator[Floats]:
        """One over the differences of true pairs, moments, equal weights, single attributes."""
        costs = self.training.competition.costs(*self._true_pairs) / self.unit
        means = np.sort(costs, axis=0).mean(axis=0)  # independent of the order of the rows
        inverse = 1 / np.maximum(means, LEAST_DIFFERENCE)
        yield inverse
        yield moment_weights(self.training) * self.unit
        yield self.unit
        yield from np.eye(self.size)
        for _ in range(3):
            yield inverse * np.exp(rng.normal(size=self.size))

    def direction(self, point: Floats, number: int, rng: np.random.Generator) -> Floats:
        """One weight, one weight against another, or all weights by a random factor."""
        direction = np.zeros(self.size)
        if number % 3 == 0 or self.size < 2:
            direction[rng.integers(self.size)] = 1.0
        elif number % 3 == 1:
            one, other = rng.choice(self.size, 2, replace=False)
            direction[one], direction[other] = point[one] + 1e-3, -point[other] - 1e-3
        else:
            direction = rng.normal(size=self.size) * point
        return direction

    def line_limits(self, point: Floats, direction: Floats) -> tuple[float, float]:
        return families.nonnegative_range(point, direction)

    def project(self, point: Floats) -> Floats:
        """No weight is negative or too small to count."""
        weights: Floats = np.maximum(point, SMALLEST_WEIGHT * point.max())
        weights /= weights.sum()
        return weights

    def search(self, point: Floats, training: TrainingFiles | None = None) -> NearestSearch:
        return (training or self.training).search_weighted(point / self.unit)

    def explain(self, point: Floats) -> tuple[Floats, list[tuple[str, str, float]]]:
        return self.weights(point), []


def median_cost_differences(training: TrainingFiles, records: Ints, truth: Ints) -> Floats:
    """The median difference of the costs of a competitor and of the true candidate."""
    places = np.arange(len(records))
    shifts = np.unique(np.linspace(1, max(len(records) - 1, 1), SHIFTS).astype(np.int64))
    costs = training.competition.costs
    true = costs(records, truth)
    differences = np.concatenate(
        [np.abs(costs(records, truth[(places + shift) % len(places)]) - true) for shift in shifts]
    )
    differences[differences == 0] = np.nan
    known = ~np.isnan(differences).all(axis=0)
    medians = np.ones(differences.shape[1])
    medians[known] = np.nanmedian(differences[:, known], axis=0)
    return medians


def moment_weights(training: TrainingFiles) -> Floats:
    """Weights without the truth: one over the change of an attribute's variance.

    Noise adds its variance and group means take theirs away, so the change shows how strongly a
    number was masked. It says nothing of nominal or generalised attributes: these get the median.
    """
    change = np.array([_variance_change(training.files, name) for name in training.names])
    weights: Floats = 1 / np.maximum(change, LEAST_CHANGE)
    known = ~np.isnan(change)
    weights[~known] = np.median(weights[known]) if known.any() else 1.0
    weights /= weights.sum()
    return weights


def _variance_change(files: LinkageFiles, column: str) -> float:
    """How masking changed the variance of an attribute, relative to it; NaN: unknown."""
    level = common_level(*files.pair, column)
    if files.generalised(column) or level == "nominal":
        return np.nan
    if level == "numeric":
        _, people, released = files.numbers(column)
    else:
        _, people, released = files.codes(column, files.categories(column))
    before, after = (np.sort(side[~np.isnan(side)]) for side in (people, released))
    if not (len(before) and len(after)):
        return np.nan
    deviations = before.std(), after.std()
    if not (deviations[0] > 0 and deviations[1] > 0):
        return np.nan
    return float(abs(deviations[0] / deviations[1] - deviations[1] / deviations[0]))
