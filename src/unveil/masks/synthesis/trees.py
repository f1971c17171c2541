"""Synthetic records from sequential trees: each column predicted from the previous ones."""

import numpy as np
import polars as pl

from unveil.masks.base import Draw, sort_keys
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.options import Progress, unwarned
from unveil.table.encoding.to_columns import donated
from unveil.table.microdata import Microdata

MOST_CLASSES = 64  # with more categories a tree predicts their codes as numbers


class SequentialTrees:
    """Each column predicted from the previous ones.

    A synthetic cell is copied from an original record, its donor, so that columns are rows of
    donors. Predictors are ranks: trees use nothing else.
    """

    def __init__(self, data: Microdata, columns: tuple[str, ...], leaf: int) -> None:
        self.data, self.columns, self.leaf = data, columns, leaf

    def draw(self, size: int, draw: Draw, progress: Progress | None) -> list[pl.Series]:
        """Draw all columns, one after another."""
        drawn: dict[str, Ints] = {}
        for done, column in enumerate(self.columns):
            if progress is not None:
                progress(done, len(self.columns))
            drawn[column] = self._donors(column, drawn, size, draw(column))
        return [donated(self.data.column(name), rows) for name, rows in drawn.items()]

    def _donors(
        self, column: str, previous: dict[str, Ints], size: int, rng: np.random.Generator
    ) -> Ints:
        n = len(self.data)
        if not previous:
            return rng.integers(n, size=size)
        values = sort_keys(self.data, column)
        known = ~np.isnan(values)
        nominal = self.data.level(column) == "nominal"
        regression = not nominal or len(np.unique(values[known])) > MOST_CLASSES
        donors, empty = np.full(size, -1), np.zeros(size, np.bool_)
        if not known.all():
            everyone, target = np.ones(n, np.bool_), known.astype(np.float64)
            donors = self._from_leaves(target, everyone, previous, rng, regression=False)
            empty = ~known[donors]
        if known.any():
            rows = self._from_leaves(values, known, previous, rng, regression=regression)
            donors = np.where(empty, donors, rows)
        return donors

    def _from_leaves(
        self,
        target: Floats,
        training: Bools,
        previous: dict[str, Ints],
        rng: np.random.Generator,
        *,
        regression: bool,
    ) -> Ints:
        """Grow a tree over the training rows; draw a donor from each record's leaf."""
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        rows = np.flatnonzero(training)
        values = target[rows]
        largest = np.abs(values).max()
        if largest > 0:
            values = values / largest  # so that squares do not overflow
        kind = DecisionTreeRegressor if regression else DecisionTreeClassifier
        tree = kind(min_samples_leaf=self.leaf, random_state=int(rng.integers(2**31)))
        predictors = [self._predictor(name, values, rows) for name in previous]
        original = np.column_stack([predictor[rows] for predictor in predictors])
        synthetic = np.column_stack(
            [predictor[of] for predictor, of in zip(predictors, previous.values(), strict=True)]
        )
        with unwarned():
            tree.fit(original, values if regression else np.unique(values, return_inverse=True)[1])
        leaf, own = tree.apply(original), tree.apply(synthetic)
        order = np.argsort(leaf, kind="stable")
        sizes = np.bincount(leaf, minlength=tree.tree_.node_count)
        starts = np.cumsum(sizes) - sizes
        chosen = starts[own] + (rng.random(len(own)) * sizes[own]).astype(np.int64)
        donors: Ints = rows[order[chosen]]
        return donors

    def _predictor(self, column: str, target: Floats, rows: Ints) -> Floats:
        """The ranks of a column; categories are ranked by the mean of the target."""
        keys = sort_keys(self.data, column)
        known = ~np.isnan(keys)
        _, place = np.unique(keys[known], return_inverse=True)
        codes_of_rows = np.full(len(keys), -1)
        codes_of_rows[known] = place
        if self.data.level(column) == "nominal" and known.any():
            inside = codes_of_rows[rows]
            present = inside >= 0
            count = np.bincount(inside[present], minlength=place.max() + 1)
            total = np.bincount(inside[present], target[present], minlength=place.max() + 1)
            by_mean = np.argsort(np.argsort(total / np.maximum(count, 1), kind="stable"))
            codes_of_rows[known] = by_mean[place]
        return np.where(known, codes_of_rows, np.nan)
