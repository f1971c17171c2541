"""Predictors: both files as numbers for boosted trees."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unveil.measures.information_loss.catalogue import MOST_CATEGORIES
from unveil.measures.information_loss.categorical import common_codes
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.options import unwarned
from unveil.table.encoding.to_arrays import code_numbers
from unveil.values.file_pair import FilePair
from unveil.values.single_values import single_codes, single_values

ROUNDS, LEAVES, LEAF_RECORDS = 40, 12, 20  # trees, their most leaves, a leaf's fewest records
MOST_CLASSES = 9  # categories that are predicted separately; all others are one more


class Predictors(NamedTuple):
    """Attributes of both files as numbers; unknown cells are NaN."""

    columns: tuple[str, ...]
    original: Floats
    release: Floats
    nominal: tuple[bool, ...]


def predictors(pair: FilePair) -> Predictors:
    """The attributes of both files: numbers, places in an order, codes of common categories.

    A range counts as its middle, within the original's range. A set of several categories, a
    star and a missing cell are unknown: trees have a branch for that.
    """
    columns, nominal = [], []
    for name in pair.columns:
        nominal.append(pair.level(name) == "nominal")
        columns.append(category_codes(pair, name) if nominal[-1] else single_values(pair, name))
    tables = [np.array(side).T for side in zip(*columns, strict=True)]
    return Predictors(pair.columns, tables[0], tables[1], tuple(nominal))


def category_codes(pair: FilePair, name: str, most: int = MOST_CATEGORIES) -> tuple[Floats, Floats]:
    """The commonest categories of the original as numbers from 0, all others as one more.

    NaN is a cell that is missing or a set of several.
    """
    original, released, _ = single_codes(pair, name)
    before, after = (
        code_numbers(common_codes(codes, original, most) - 1) for codes in (original, released)
    )
    return before, after


def boosted_predictions(
    x: Floats,
    y: Ints | Floats,
    at: Floats,
    *,
    nominal: Sequence[bool] | Bools,
    classes: bool,
    weights: Floats | None = None,
) -> Floats:
    """Predictions `at` other rows by boosted trees fitted to y(x): numbers, or class probabilities.

    The same rows in the same order give the same predictions. Trees accept missing cells and
    categories, and find what a linear model does not: curves, heaps and interactions.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from threadpoolctl import threadpool_limits

    empty = np.isnan(x).all(axis=0)  # trees refuse a column without a value
    x, at = (np.where(empty, 0.0, side) for side in (x, at))
    kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    model = kind(
        max_iter=ROUNDS,
        max_leaf_nodes=LEAVES,
        min_samples_leaf=LEAF_RECORDS,
        learning_rate=0.15,
        max_bins=64,
        early_stopping=False,
        categorical_features=np.array(nominal, np.bool_),
        random_state=0,
    )
    with threadpool_limits(1):  # the last bits depend on the number of threads
        with unwarned():
            model.fit(x, y, weights)
        predictions: Floats = model.predict_proba(at) if classes else model.predict(at)
    return predictions
