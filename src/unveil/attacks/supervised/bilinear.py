"""Bilinear: any matrix of products of differences, the third of the families."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from unveil.attacks.nearest import NearestSearch, as_records
from unveil.attacks.supervised.families import (
    LEAST,
    ROUNDING,
    Family,
    LearntParameters,
    PairFeatures,
    TrainingFiles,
    named,
    strongest,
    within,
)
from unveil.attacks.supervised.weighted_mean import usual_differences
from unveil.engines.metric import Metric, squared
from unveil.engines.records import multiply_rows
from unveil.support.arrays import Bools, Floats, Ints


class Bilinear(Family):
    """The symmetric bilinear form of the differences: Mahalanobis' distance by any matrix.

    Of attributes whose cost is no squared difference, nominal or generalised ones, and of those
    that have a missing cell there is no product with others: they have a weight each.
    """

    monotone = False

    def __init__(self, ground: TrainingFiles, weights: Floats, records: Ints, truth: Ints) -> None:
        super().__init__(ground)
        self.weights = weights
        plain = np.zeros(len(ground.names), np.bool_)
        for column, (place, cost) in enumerate(
            zip(ground.places, ground.metric.cost_tuple, strict=True)
        ):
            missing = any(bool(np.isnan(side.cells()[:, column]).any()) for side in ground.asked)
            plain[place] = not missing and cost.is_squared and cost.two_sided
        self._plain, self._other = np.flatnonzero(plain), np.flatnonzero(~plain)
        unit = usual_differences(ground, records, truth)
        self._size, self._unit = np.sqrt(unit[self._plain]), unit[self._other]
        self._cells = self._numbers(ground)
        self._above = np.triu_indices(len(self._plain))
        # Differences in units in which true pairs differ by as much in every direction.
        apart = self._cells[0][records] - self._cells[1][truth]
        apart = apart[np.lexsort(apart.T)] if apart.size else apart
        values, vectors = np.linalg.eigh(apart.T @ apart / len(apart))
        least = LEAST * max(float(values.max(initial=0.0)), LEAST)
        self._map = vectors / np.sqrt(np.maximum(values, least))  # attributes x directions

    @property
    def size(self) -> int:
        """The matrix above and on its diagonal, and the others' weights."""
        return len(self._above[0]) + len(self._other)

    @property
    def _diagonal(self) -> Bools:
        """Which parameters are on the diagonal, or are weights."""
        return np.concatenate([self._above[0] == self._above[1], np.ones(len(self._other), bool)])

    @property
    def free(self) -> Bools:
        """What is above the diagonal may be negative."""
        return ~self._diagonal

    @property
    def cone(self) -> Floats:
        """What is above the diagonal is no more than what is on it, on average."""
        many = len(self._plain)
        pairs = [(k, j, sign) for k in range(many) for j in range(k) for sign in (1.0, -1.0)]
        vectors = np.zeros((len(pairs), many))
        for row, (one, other, sign) in enumerate(pairs):
            vectors[row, one], vectors[row, other] = 1.0, sign
        return self._forms(vectors)

    def _forms(self, vectors: Floats) -> Floats:
        """The form v' A v as a product with the parameters, for each vector v."""
        one, other = self._above
        found = vectors[:, one] * vectors[:, other] * np.where(one == other, 1.0, 2.0)
        return np.hstack([found, np.zeros((len(vectors), len(self._other)))])

    def normal(self, scale: Floats) -> Floats:  # noqa: ARG002 - units are usual already
        """The trace, and the others' weights."""
        return self._diagonal.astype(np.float64)

    def excludes(self, summed: Floats, bounded: Floats, size: Floats) -> bool:  # noqa: ARG002
        """Where the sum's own matrix is negative, and what it depends on the others by."""
        many = len(self._above[0])
        above = self._as_matrix(summed[:many] / np.where(self._diagonal[:many], 1.0, 2.0))
        most = float(np.linalg.eigvalsh(above).max(initial=-np.inf)) if len(above) else -np.inf
        others = summed[many:] <= ROUNDING * size[many:]
        return bool(most <= ROUNDING * size[:many][self._diagonal[:many]].sum() and others.all())

    def features(self, records: Ints, candidates: Ints) -> PairFeatures:
        """Products of differences, and what the others cost."""
        apart = (self._cells[0][records] - self._cells[1][candidates]) @ self._map
        forms = self._forms(apart)[:, : len(self._above[0])]
        values = [forms]
        if len(self._other):
            costs = self.ground.contest.costs(records, candidates)
            values.append(costs[:, self._other] / self._unit)
        index = np.tile(np.arange(self.size, dtype=np.int32), (len(records), 1))
        return PairFeatures(index, np.ascontiguousarray(np.hstack(values)))

    def deepest(self, rows: PairFeatures, scale: Floats) -> Floats:  # noqa: ARG002
        """With all weight on one direction, or on one of the others."""
        one, other = self._above
        many = len(one)
        matrix = np.zeros((len(rows.value), len(self._plain), len(self._plain)))
        matrix[:, one, other] = rows.value[:, :many] / np.where(one == other, 1.0, 2.0)
        matrix[:, other, one] = matrix[:, one, other]
        least = np.linalg.eigvalsh(matrix).min(axis=1, initial=0.0)
        found: Floats = np.maximum(-least, -rows.value[:, many:].min(axis=1, initial=0.0))
        return found

    def starts(self, records: Ints, truth: Ints, rng: np.random.Generator) -> Iterator[Floats]:  # noqa: ARG002
        """The weighted mean; the covariance of what true pairs differ by; and between the two."""
        back = np.linalg.pinv(self._map)
        weights = self.weights / self.weights.sum()
        matrix = (back * (weights[self._plain] * self._size**2)) @ back.T
        mean = np.concatenate([matrix[self._above], weights[self._other] * self._unit])
        mean /= mean[self._diagonal].sum()
        pairs = self._diagonal / self._diagonal.sum()
        yield mean
        yield pairs
        yield (mean + pairs) / 2

    def matrix(self, point: Floats) -> Floats:
        """The matrix of the whitened differences."""
        return self._as_matrix(point[: len(self._above[0])])

    def _as_matrix(self, above: Floats) -> Floats:
        found = np.zeros((len(self._plain),) * 2)
        found[self._above] = above
        return found + np.triu(found, 1).T

    def direction(self, point: Floats, number: int, rng: np.random.Generator) -> Floats:
        """One cell; a direction that counts more or less; or all cells a little."""
        found = np.zeros(self.size)
        if number % 3 == 0:
            found[rng.integers(self.size)] = 1.0
        elif number % 3 == 1:
            vector = rng.normal(size=(1, len(self._plain)))
            one, other = self._above
            found[: len(one)] = (vector[:, one] * vector[:, other])[0]
        else:
            found = rng.normal(size=self.size) * max(float(np.abs(point).mean()), LEAST)
        return found

    def limits(self, point: Floats, direction: Floats) -> tuple[float, float]:
        """The matrix stays positive semidefinite, the others' weights not negative."""
        many = len(self._above[0])
        low, high = within(point[many:], direction[many:])
        values, vectors = np.linalg.eigh(self.matrix(point))
        root = vectors / np.sqrt(np.maximum(values, LEAST))
        along = np.linalg.eigvalsh(root.T @ self.matrix(direction) @ root)
        matrix = within(np.ones(len(along)), along)
        return max(low, matrix[0]), min(high, matrix[1])

    def mended(self, point: Floats) -> Floats:
        """Negative eigenvalues are none."""
        many = len(self._above[0])
        values, vectors = np.linalg.eigh(self.matrix(point))
        matrix = (vectors * np.maximum(values, 0.0)) @ vectors.T
        found = np.concatenate([matrix[self._above], np.maximum(point[many:], 0.0)])
        total = float(found[self._diagonal].sum())
        return found / total if total > 0 else found

    def cuts(self, point: Floats) -> Floats:
        """The eigenvectors along which the matrix is negative."""
        values, vectors = np.linalg.eigh(self.matrix(point))
        return self._forms(vectors[:, values < -LEAST].T)

    def _parts(self, point: Floats) -> tuple[Floats, Floats]:
        """The matrix of differences in units of usual ones, and the others' weights."""
        point = self.mended(point)
        matrix: Floats = self._map @ self.matrix(point) @ self._map.T
        return matrix, point[len(self._above[0]) :] / self._unit

    def search(self, point: Floats, ground: TrainingFiles | None = None) -> NearestSearch:
        """Euclid's distance after the root of the matrix, and the others' costs."""
        ground = ground or self.ground
        matrix, weights = self._parts(point)
        values, vectors = np.linalg.eigh(matrix)
        kept = values > values.max(initial=0.0) * 1e-15
        whole = ground.search_weighted(self._all_weights(weights))
        columns = [c for c, place in enumerate(ground.places) if place in self._other]
        asking, asked = ([side.cells()[:, columns]] for side in ground.asked)
        costs = [whole.metric.cost_tuple[column] for column in columns]
        if kept.any():
            root = vectors[:, kept] * np.sqrt(values[kept])
            numbers = (multiply_rows(side, root) for side in self._numbers(ground))
            asking, asked = (
                [one, *rest] for one, rest in zip(numbers, (asking, asked), strict=True)
            )
            costs = [squared()] * int(kept.sum()) + costs
        mine, released = ground.files.queries_first(
            *(as_records(np.hstack(s)) for s in (asking, asked))
        )
        return replace(
            whole, intruder_records=mine, released=released, metric=Metric(tuple(costs), root=True)
        )

    def _numbers(self, ground: TrainingFiles) -> tuple[Floats, Floats]:
        """The plain attributes of those that ask and of the candidates, in usual differences."""
        columns = [ground.places.index(place) for place in self._plain.tolist()]
        roots = (
            np.sqrt([ground.metric.cost_tuple[column].weight for column in columns]) / self._size
        )
        asking, asked = (side.cells()[:, columns] * roots for side in ground.asked)
        means = np.nanmean(asked, axis=0)  # strangers may lack what everybody else has
        return np.where(np.isnan(asking), means, asking), np.where(np.isnan(asked), means, asked)

    def _all_weights(self, weights: Floats) -> Floats:
        found = np.zeros(len(self.ground.names))
        found[self._other] = weights
        return found

    def told(self, point: Floats) -> LearntParameters:
        """The diagonal, and the strongest pairs, as a correlation is."""
        matrix, weights = self._parts(point)
        importance = self._all_weights(weights)
        importance[self._plain] = np.diag(matrix) / self._size**2
        importance /= importance.sum()
        size = np.sqrt(np.maximum(np.diag(matrix), LEAST * np.trace(matrix)))
        together = matrix / np.outer(size, size) if len(size) else matrix
        names = [self.ground.names[place] for place in self._plain.tolist()]
        return LearntParameters(named(self.ground.names, importance), strongest(names, together))
