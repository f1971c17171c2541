"""Baseline guesses: what a release reveals of an attribute of people who are not in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.options import unwarned
from unveil.support.seeds import stream
from unveil.table.encoding.to_arrays import ROUNDING_SLACK, tied_blocks
from unveil.values.file_pair import FilePair
from unveil.values.single_values import single_values

FOLDS = 3
MOST_TRAINED = 20_000  # released rows that a model is fitted to
LEAF_SIZES = (5, 50)  # smallest leaf of the trees that are tried
HELD_OUT = 4  # every fourth row selects the best model


@dataclass(frozen=True, repr=False, eq=False)
class ReleaseModel:
    """A model of the release that guesses an attribute of people from what the intruder knows.

    Released rows are in three folds, and a guess comes from the two folds that do not hold the
    person's own row.
    """

    known: tuple[str, ...]
    people: Floats  # what is known of the people: people x known
    release: Floats  # the same of the released rows
    fold: Ints  # of each released row
    order: Ints  # released rows in random order

    @classmethod
    def of(
        cls, pair: FilePair, known: Sequence[str], people: Ints, seed: int
    ) -> ReleaseModel | None:
        """The model of these rows of the original; None where nothing known is released."""
        columns = tuple(name for name in dict.fromkeys(known) if name in pair.columns)
        if not columns:
            return None
        original, release = known_places(pair, columns)
        return cls(columns, original[people], release, *folds(pair.content_order, seed))

    def guesses(
        self, released: Floats, own_rows: Ints, *, ordered: bool, tolerance: float
    ) -> Floats:
        """The guess of each person's value, from the released values and the people's own rows."""
        result = np.full(len(own_rows), np.nan)
        for fold in range(FOLDS):
            held_out = self.fold[own_rows] == fold
            if held_out.any():
                rows = self.order[self.fold[self.order] != fold][:MOST_TRAINED]
                result[held_out] = informed_guesses(
                    self.release[rows],
                    released[rows],
                    self.people[held_out],
                    ordered=ordered,
                    tolerance=tolerance,
                )
        return result


def best_guess(values: Floats, tolerance: float) -> float:
    """The guess that is within the tolerance of most values; the middle one of several as good.

    NaN where there is no value.
    """
    ascending = np.sort(values[~np.isnan(values)])
    if not len(ascending):
        return float("nan")
    reach = np.searchsorted(ascending, ascending + 2 * tolerance, "right")
    held = reach - np.arange(len(ascending))
    best = np.flatnonzero(held == held.max())
    return float(ascending[best[len(best) // 2]] + tolerance)


def known_places(pair: FilePair, columns: Sequence[str]) -> tuple[Floats, Floats]:
    """The columns of the original and of the release as places among the distinct released values.

    A tree needs no more than the order, and no number is too large. A range counts as its middle
    within the original's range. A set of several categories, a star and a missing cell are NaN.
    """
    tables = [np.empty((len(data), len(columns))) for data in (pair.original, pair.release)]
    for place, column in enumerate(columns):
        sides = single_values(pair, column)
        distinct = np.unique(sides[1][~np.isnan(sides[1])])
        for table, values in zip(tables, sides, strict=True):
            around = sum(np.searchsorted(distinct, values, end) for end in ("left", "right"))
            table[:, place] = np.where(np.isnan(values), np.nan, around)
    return tables[0], tables[1]


def folds(places: Ints, seed: int) -> tuple[Ints, Ints]:
    """The fold of each released row, and the rows in random order; row order has no effect."""
    shuffled = stream(seed, "measure", "inference").permutation(len(places))[places]
    return shuffled % FOLDS, np.argsort(shuffled)


def informed_guesses(
    known: Floats, values: Floats, queries: Floats, *, ordered: bool, tolerance: float
) -> Floats:
    """The best guess for each query by a model of rows that stand in random order.

    The model is a tree with small leaves, a tree with large leaves, or one guess for everybody:
    whichever is right most often on a quarter of the rows, which are held out. A tree is grown on
    the ranks of numbers or on categories; a leaf's guess is the best guess for its rows.
    """
    present = ~np.isnan(values)
    known, values = known[present], values[present]
    held = np.arange(len(values)) % HELD_OUT == 0
    evaluated = np.concatenate([known[held], queries])
    best, most = np.full(len(queries), best_guess(values, tolerance)), 0
    if len(values):
        most = int(is_right(best_guess(values[~held], tolerance), values[held], tolerance).sum())
    for leaf in LEAF_SIZES:
        guesses = _tree_guesses(known[~held], values[~held], evaluated, ordered, (leaf, tolerance))
        right = int(is_right(guesses[: held.sum()], values[held], tolerance).sum())
        if right > most:
            best, most = guesses[held.sum() :], right
    return best


def is_right(guess: Floats | float, truth: Floats, tolerance: float) -> Bools:
    """Whether guesses are within the tolerance, up to rounding; a NaN never is."""
    right: Bools = np.abs(guess - truth) <= tolerance * (1 + ROUNDING_SLACK)
    return right


def _tree_guesses(
    known: Floats, values: Floats, queries: Floats, ordered: bool, size: tuple[int, float]
) -> Floats:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    leaf, tolerance = size
    useful = np.flatnonzero((~np.isnan(known)).any(axis=0)) if len(known) else np.zeros(0, int)
    if len(values) < 2 * leaf or not len(useful) or values.min() == values.max():
        return np.full(len(queries), best_guess(values, tolerance))
    kind = DecisionTreeRegressor if ordered else DecisionTreeClassifier
    target = tied_blocks(values).twice_rank if ordered else values
    tree = kind(min_samples_leaf=leaf, random_state=0)
    with unwarned():
        tree.fit(known[:, useful], target)
    leaves, wanted = tree.apply(known[:, useful]), tree.apply(queries[:, useful])
    order = np.argsort(leaves, kind="stable")
    leaves, values = leaves[order], values[order]
    distinct, place = np.unique(wanted, return_inverse=True)
    starts, stops = (np.searchsorted(leaves, distinct, side) for side in ("left", "right"))
    guesses = [
        best_guess(values[start:stop], tolerance) for start, stop in zip(starts, stops, strict=True)
    ]
    return np.array(guesses)[place]
