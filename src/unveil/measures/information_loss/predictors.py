"""Both files as numbers that boosted trees can learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unveil.measures.information_loss.catalogue import MOST_CATEGORIES
from unveil.measures.information_loss.categorical import commonest
from unveil.support.arrays import Floats, Ints
from unveil.table.encoding.to_arrays import code_numbers
from unveil.values.file_pair import FilePair
from unveil.values.single_values import single_codes, single_values

ROUNDS, LEAVES, LEAST = 40, 12, 20  # trees, their leaves, records in a leaf
MOST_CLASSES = 9  # categories that are predicted by themselves; all others are one more


@dataclass(frozen=True, repr=False, eq=False)
class Predictors:
    """Attributes of both files as numbers; a NaN where nothing is known."""

    columns: tuple[str, ...]
    original: Floats
    release: Floats
    nominal: tuple[bool, ...]

    def without(self, column: str) -> Predictors:
        """All but one."""
        kept = [place for place, name in enumerate(self.columns) if name != column]
        return Predictors(
            tuple(self.columns[place] for place in kept),
            self.original[:, kept],
            self.release[:, kept],
            tuple(self.nominal[place] for place in kept),
        )


def predictors(both: FilePair) -> Predictors:
    """The attributes of both files: numbers, places in an order, codes of common categories.

    A range stands for its middle, within the original's range. A set of several categories, a
    star and a missing cell are not known: trees have a branch for that.

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> sample = households(100)
    >>> predictors(FilePair(sample, sample, None)).original.shape
    (100, 14)
    """
    made, nominal = [], []
    for name in both.columns:
        level = both.level(name)
        nominal.append(level == "nominal")
        made.append(few_codes(both, name) if level == "nominal" else single_values(both, name))
    tables = [np.array(side).T for side in zip(*made, strict=True)]
    return Predictors(both.columns, tables[0], tables[1], tuple(nominal))


def few_codes(both: FilePair, name: str, most: int = MOST_CATEGORIES) -> tuple[Floats, Floats]:
    """The commonest categories of the original as numbers from 0, all others as one more.

    A NaN is a cell that is missing, or may be several.

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> sample = households(100)
    >>> sorted(set(few_codes(FilePair(sample, sample, None), "region", 2)[0].tolist()))
    [0.0, 1.0, 2.0]
    """
    mine, released, _ = single_codes(both, name)
    here, there = (code_numbers(commonest(side, mine, most) - 1) for side in (mine, released))
    return here, there


def boosted(
    x: Floats,
    y: Ints | Floats,
    at: Floats,
    *,
    nominal: Sequence[bool],
    classes: bool,
    weights: Floats | None = None,
) -> Floats:
    """What boosted trees that learn y of x say of others: a number, or each class's probability.

    Always the same for the same rows in the same order. Trees take missing cells and categories as
    they are, and see what a linear model does not: bends, heaps, and attributes that act together.

    >>> x = np.arange(100.0)[:, None]
    >>> boosted(x, x[:, 0] > 50, x[:2], nominal=[False], classes=True)[:, 1].round(1).tolist()
    [0.0, 0.0]
    """
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from threadpoolctl import threadpool_limits

    empty = np.isnan(x).all(axis=0)  # nothing is learned from it, and trees refuse it
    x, at = (np.where(empty, 0.0, side) for side in (x, at))
    kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    model = kind(
        max_iter=ROUNDS,
        max_leaf_nodes=LEAVES,
        min_samples_leaf=LEAST,
        learning_rate=0.15,
        max_bins=64,
        early_stopping=False,
        categorical_features=np.array(nominal, np.bool_),
        random_state=0,
    )
    with threadpool_limits(1):  # the last bits depend on the number of threads
        model.fit(x, y, weights)
        said: Floats = model.predict_proba(at) if classes else model.predict(at)
    return said
