"""The symmetric bilinear form of the differences: a weight for each product of two attributes."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from unveil.attacks.nearest import NearestSearch, as_records
from unveil.attacks.supervised import families
from unveil.attacks.supervised.families import Family, PairFeatures, TrainingFiles
from unveil.attacks.supervised.weighted_mean import median_cost_differences
from unveil.engines.metric import Metric, squared
from unveil.engines.records import multiply_rows
from unveil.support.arrays import Floats, Ints


class BilinearForm(Family):
    """Mahalanobis' distance by any positive semidefinite matrix (Torra 2013, Section 2.6).

    Attributes whose cost is no squared difference (nominal, generalised) and those with missing
    cells have no products with others: they have a weight each. The parameters are the cells of
    the matrix above and on the diagonal, then these weights. The matrix is one of whitened
    differences: true pairs differ by as much in every direction.
    """

    monotone = False

    def __init__(
        self, training: TrainingFiles, weights: Floats, records: Ints, truth: Ints
    ) -> None:
        squares = np.zeros(len(training.names), np.bool_)
        columns = zip(training.attribute_of, training.metric.cost_tuple, strict=True)
        for column, (attribute, cost) in enumerate(columns):
            missing = any(np.isnan(side.cells()[:, column]).any() for side in training.sides)
            squares[attribute] = not missing and cost.is_squared and cost.two_sided
        self._squared, self._weighted = np.flatnonzero(squares), np.flatnonzero(~squares)
        self._upper = np.triu_indices(len(self._squared))
        self._n_cells = len(self._upper[0])
        on_diagonal = self._upper[0] == self._upper[1]
        self._diagonal = np.concatenate([on_diagonal, np.ones(len(self._weighted), bool)])
        super().__init__(training, len(self._diagonal))
        self.signed = ~self._diagonal
        self._start = weights
        unit = median_cost_differences(training, records, truth)
        self._scale, self._unit = np.sqrt(unit[self._squared]), unit[self._weighted]
        self._numbers = self._scaled_numbers(training)
        differences = self._numbers[0][records] - self._numbers[1][truth]
        differences = differences[np.lexsort(differences.T)] if differences.size else differences
        values, vectors = np.linalg.eigh(differences.T @ differences / len(differences))
        least = families.NEGLIGIBLE * max(float(values.max(initial=0.0)), families.NEGLIGIBLE)
        self._whitening = vectors / np.sqrt(np.maximum(values, least))  # attributes x directions

    @property
    def cone(self) -> Floats:
        """A cell above the diagonal is at most the mean of its two on the diagonal."""
        n, unit = len(self._squared), np.eye(len(self._squared))
        pairs = ((k, j, sign) for k in range(n) for j in range(k) for sign in (1.0, -1.0))
        vectors = [unit[k] + sign * unit[j] for k, j, sign in pairs]
        return self._forms(np.array(vectors).reshape(len(vectors), n))

    def _forms(self, vectors: Floats) -> Floats:
        """The form v' A v of each vector v, as a row of the parameters."""
        one, other = self._upper
        forms = vectors[:, one] * vectors[:, other] * np.where(one == other, 1.0, 2.0)
        return np.hstack([forms, np.zeros((len(vectors), len(self._weighted)))])

    def _matrix(self, point: Floats) -> Floats:
        matrix = np.zeros((len(self._squared),) * 2)
        matrix[self._upper] = point[: self._n_cells]
        return matrix + np.triu(matrix, 1).T

    def normalisation(self, scale: Floats) -> Floats:  # noqa: ARG002
        """The trace plus the weights is 1."""
        return self._diagonal.astype(np.float64)

    def never_positive(self, row_sum: Floats, cone_sum: Floats, magnitude: Floats) -> bool:  # noqa: ARG002
        """The matrix of the sum is negative semidefinite, and no weight has a positive part."""
        n, on_diagonal = self._n_cells, self._diagonal[: self._n_cells]
        matrix = self._matrix(row_sum[:n] / np.where(on_diagonal, 1.0, 2.0))
        most = float(np.linalg.eigvalsh(matrix).max(initial=-np.inf)) if len(matrix) else -np.inf
        weights = row_sum[n:] <= families.SUM_ROUNDING * magnitude[n:]
        least = families.SUM_ROUNDING * magnitude[:n][on_diagonal].sum()
        return bool(most <= least and weights.all())

    def features(self, records: Ints, candidates: Ints) -> PairFeatures:
        """The products of whitened differences, and the costs of weighted attributes."""
        differences = self._numbers[0][records] - self._numbers[1][candidates]
        values = [self._forms(differences @ self._whitening)[:, : self._n_cells]]
        if len(self._weighted):
            costs = self.training.competition.costs(records, candidates)
            values.append(costs[:, self._weighted] / self._unit)
        index = np.tile(np.arange(self.size, dtype=np.int32), (len(records), 1))
        return PairFeatures(index, np.ascontiguousarray(np.hstack(values)))

    def max_violation(self, rows: PairFeatures, scale: Floats) -> Floats:  # noqa: ARG002
        """With all weight on one direction, or on one weighted attribute."""
        one, other = self._upper
        n = self._n_cells
        matrix = np.zeros((len(rows.value), len(self._squared), len(self._squared)))
        matrix[:, one, other] = rows.value[:, :n] / np.where(one == other, 1.0, 2.0)
        matrix[:, other, one] = matrix[:, one, other]
        least = np.linalg.eigvalsh(matrix).min(axis=1, initial=0.0)
        deepest: Floats = np.maximum(-least, -rows.value[:, n:].min(axis=1, initial=0.0))
        return deepest

    def starting_points(self, rng: np.random.Generator) -> Iterator[Floats]:  # noqa: ARG002
        """The weighted mean, the covariance of the true pairs' differences, and their mean."""
        back = np.linalg.pinv(self._whitening)
        weights = self._start / self._start.sum()
        matrix = (back * (weights[self._squared] * self._scale**2)) @ back.T
        mean = np.concatenate([matrix[self._upper], weights[self._weighted] * self._unit])
        mean /= mean[self._diagonal].sum()
        covariance = self._diagonal / self._diagonal.sum()
        yield mean
        yield covariance
        yield (mean + covariance) / 2

    def direction(self, point: Floats, number: int, rng: np.random.Generator) -> Floats:
        """One parameter, a random vector's form, or all parameters by a random amount."""
        direction = np.zeros(self.size)
        if number % 3 == 0:
            direction[rng.integers(self.size)] = 1.0
        elif number % 3 == 1:
            vector = rng.normal(size=(1, len(self._squared)))
            one, other = self._upper
            direction[: self._n_cells] = (vector[:, one] * vector[:, other])[0]
        else:
            size = max(float(np.abs(point).mean()), families.NEGLIGIBLE)
            direction = rng.normal(size=self.size) * size
        return direction

    def line_limits(self, point: Floats, direction: Floats) -> tuple[float, float]:
        """The matrix stays positive semidefinite, and no weight is negative."""
        n = self._n_cells
        low, high = families.nonnegative_range(point[n:], direction[n:])
        values, vectors = np.linalg.eigh(self._matrix(point))
        root = vectors / np.sqrt(np.maximum(values, families.NEGLIGIBLE))
        change = np.linalg.eigvalsh(root.T @ self._matrix(direction) @ root)
        matrix = families.nonnegative_range(np.ones(len(change)), change)
        return max(low, matrix[0]), min(high, matrix[1])

    def project(self, point: Floats) -> Floats:
        """Negative eigenvalues and weights become 0."""
        values, vectors = np.linalg.eigh(self._matrix(point))
        matrix = (vectors * np.maximum(values, 0.0)) @ vectors.T
        inside = np.concatenate([matrix[self._upper], np.maximum(point[self._n_cells :], 0.0)])
        total = float(inside[self._diagonal].sum())
        return inside / total if total > 0 else inside

    def cuts(self, point: Floats) -> Floats:
        """The eigenvectors along which the matrix is negative."""
        values, vectors = np.linalg.eigh(self._matrix(point))
        return self._forms(vectors[:, values < -families.NEGLIGIBLE].T)

    def _matrix_and_weights(self, point: Floats) -> tuple[Floats, Floats]:
        """The matrix of scaled differences, and a weight for each attribute outside it."""
        point = self.project(point)
        matrix: Floats = self._whitening @ self._matrix(point) @ self._whitening.T
        weights = np.zeros(len(self.training.names))
        weights[self._weighted] = point[self._n_cells :] / self._unit
        return matrix, weights

    def search(self, point: Floats, training: TrainingFiles | None = None) -> NearestSearch:
        """Euclid's distance after the root of the matrix, plus the costs of weighted attributes."""
        training = training or self.training
        matrix, weights = self._matrix_and_weights(point)
        values, vectors = np.linalg.eigh(matrix)
        kept = values > values.max(initial=0.0) * 1e-15
        weighted = training.search_weighted(weights)
        columns = [c for c, place in enumerate(training.attribute_of) if place in self._weighted]
        root = vectors[:, kept] * np.sqrt(values[kept])
        sides = (
            as_records(np.hstack([multiply_rows(numbers, root), side.cells()[:, columns]]))
            for numbers, side in zip(self._scaled_numbers(training), training.sides, strict=True)
        )
        intruder, released = training.files.queries_first(*sides)
        costs = [squared()] * root.shape[1] + [weighted.metric.cost_tuple[c] for c in columns]
        metric = Metric(tuple(costs), root=True)
        return replace(weighted, intruder_records=intruder, released=released, metric=metric)

    def _scaled_numbers(self, training: TrainingFiles) -> tuple[Floats, Floats]:
        """The squared attributes of the queries and the base, in median differences."""
        columns = [training.attribute_of.index(place) for place in self._squared.tolist()]
        weights = [training.metric.cost_tuple[column].weight for column in columns]
        roots = np.sqrt(weights) / self._scale
        queries, base = (side.cells()[:, columns] * roots for side in training.sides)
        means = np.nanmean(base, axis=0)  # other files may lack a cell that these have
        return np.where(np.isnan(queries), means, queries), np.where(np.isnan(base), means, base)

    def explain(self, point: Floats) -> tuple[Floats, list[tuple[str, str, float]]]:
        """The diagonal and the weights; the matrix as correlations."""
        matrix, importance = self._matrix_and_weights(point)
        importance[self._squared] = np.diag(matrix) / self._scale**2
        importance /= importance.sum()
        size = np.sqrt(np.maximum(np.diag(matrix), families.NEGLIGIBLE * np.trace(matrix)))
        correlations = matrix / np.outer(size, size) if len(size) else matrix
        names = [self.training.names[place] for place in self._squared.tolist()]
        return importance, families.rank_interactions(names, correlations)
