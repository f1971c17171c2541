"""Synthetic records by sequential trees: each column predicted from those before it."""

import numpy as np
import polars as pl

from unveil.masks.base import Draw, sort_keys
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.options import Progress
from unveil.table.encoding.to_columns import donated
from unveil.table.microdata import Microdata

MANY = 64  # categories beyond which a tree predicts their numbers, not each of them


class Trees:
    """Each column predicted from those before it.

    A synthetic cell is that of an original record, its donor, so all is computed on the
    donors' rows. Numbers are predictors by their order: trees see nothing else.
    """

    def __init__(self, data: Microdata, columns: tuple[str, ...], leaf: int) -> None:
        self.data, self.columns, self.leaf = data, columns, leaf

    def draw(self, size: int, draw: Draw, progress: Progress | None) -> list[pl.Series]:
        """Draw all columns."""
        drawn: dict[str, Ints] = {}
        for done, column in enumerate(self.columns):
            if progress is not None:
                progress(done, len(self.columns))
            drawn[column] = self._donors(column, drawn, size, draw(column))
        return [donated(self.data.column(name), rows) for name, rows in drawn.items()]

    def _donors(
        self, column: str, before: dict[str, Ints], size: int, rng: np.random.Generator
    ) -> Ints:
        """For each synthetic record the original whose cell it takes."""
        n = len(self.data)
        if not before:
            return rng.integers(n, size=size)
        values, sized = self._target(column)
        known = ~np.isnan(values)
        donors, empty = np.full(size, -1), np.zeros(size, np.bool_)
        if not known.all():
            everyone = np.ones(n, np.bool_)
            rows = self._from_leaves(known.astype(np.float64), everyone, before, rng, sized=False)
            donors, empty = rows, ~known[rows]
        if known.any():
            rows = self._from_leaves(values, known, before, rng, sized=sized)
            donors = np.where(empty, donors, rows)
        return donors

    def _target(self, column: str) -> tuple[Floats, bool]:
        """The column as numbers, NaN where missing; and whether their size means anything."""
        keys = sort_keys(self.data, column)
        level = self.data.level(column)
        return keys, level != "nominal" or len(np.unique(keys[~np.isnan(keys)])) > MANY

    def _from_leaves(
        self,
        target: Floats,
        used: Bools,
        before: dict[str, Ints],
        rng: np.random.Generator,
        *,
        sized: bool,
    ) -> Ints:
        """Grow a tree over the originals in use; draw one of them from each record's leaf."""
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        rows = np.flatnonzero(used)
        wanted = _shrunk(target[rows])
        kind = DecisionTreeRegressor if sized else DecisionTreeClassifier
        tree = kind(min_samples_leaf=self.leaf, random_state=int(rng.integers(2**31)))
        tables = [self._predictor(name, wanted, rows) for name in before]
        original = np.column_stack([table[rows] for table in tables])
        synthetic = np.column_stack(
            [table[donor] for table, donor in zip(tables, before.values(), strict=True)]
        )
        tree.fit(original, wanted if sized else np.unique(wanted, return_inverse=True)[1])
        leaf, own = tree.apply(original), tree.apply(synthetic)
        order = np.argsort(leaf, kind="stable")
        sizes = np.bincount(leaf, minlength=tree.tree_.node_count)
        starts = np.cumsum(sizes) - sizes
        chosen = starts[own] + (rng.random(len(own)) * sizes[own]).astype(np.int64)
        donors: Ints = rows[order[chosen]]
        return donors

    def _predictor(self, column: str, wanted: Floats, rows: Ints) -> Floats:
        """A column as a predictor: numbers by order, categories by the mean of the target."""
        keys = sort_keys(self.data, column)
        known = ~np.isnan(keys)
        _, place = np.unique(keys[known], return_inverse=True)
        codes_of_rows = np.full(len(keys), -1)
        codes_of_rows[known] = place
        if self.data.level(column) == "nominal" and known.any():
            inside = codes_of_rows[rows]
            some = inside >= 0
            count = np.bincount(inside[some], minlength=place.max() + 1)
            total = np.bincount(inside[some], wanted[some], minlength=place.max() + 1)
            by_mean = np.argsort(np.argsort(total / np.maximum(count, 1), kind="stable"))
            codes_of_rows[known] = by_mean[place]
        return np.where(known, codes_of_rows, np.nan)


def _shrunk(values: Floats) -> Floats:
    """Values over the largest: their squares then fit."""
    most = np.abs(values).max()
    return values / most if most > 0 else values
