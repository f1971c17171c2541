"""Guessing: what a release tells of an attribute of people who are not in it."""

from collections.abc import Sequence

import numpy as np

from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.seeds import stream
from unveil.table.encoding.to_arrays import ROUNDING_SLACK, tied_blocks
from unveil.values.file_pair import FilePair
from unveil.values.single_values import single_values

FOLDS = 3
TRAINED = 20_000  # released rows that a model is made of, at most
LEAF_SIZES = (5, 50)  # rows that a tree's guess is based on, at least
HELD_OUT = 4  # every so manieth row says which model is best


def best_guess(values: Floats, tolerance: float) -> float:
    """The guess that is within the tolerance of most values; the middle one of several as good.

    NaN where there is no value.

    >>> best_guess(np.array([1.0, 5.0, 5.0, 9.0]), 0.0), best_guess(np.array([1.0, 2.0, 9.0]), 0.5)
    (5.0, 1.5)
    """
    ascending = np.sort(values[~np.isnan(values)])
    if not len(ascending):
        return float("nan")
    reach = np.searchsorted(ascending, ascending + 2 * tolerance, "right")
    held = reach - np.arange(len(ascending))
    best = np.flatnonzero(held == held.max())
    return float(ascending[best[len(best) // 2]] + tolerance)


def clues(both: FilePair, columns: Sequence[str]) -> tuple[Floats, Floats]:
    """What is known of originals and of released rows, as places among the released values.

    Numbers and codes of categories become the place where they stand among the different
    released ones: a tree asks for no more, and no number is too large. A range stands for its
    middle, within the original's range. A set of several categories, a star and a missing cell
    are NaN.

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> both = FilePair(households(20), households(20), np.arange(20))
    >>> mine, released = clues(both, ["age", "sex"])
    >>> mine.shape, bool((mine == released).all())
    ((20, 2), True)
    """
    sides = [np.empty((len(data), len(columns))) for data in (both.original, both.release)]
    for place, column in enumerate(columns):
        mine, released = single_values(both, column)
        distinct = np.unique(released[~np.isnan(released)])
        for side, values in zip(sides, (mine, released), strict=True):
            around = sum(np.searchsorted(distinct, values, end) for end in ("left", "right"))
            side[:, place] = np.where(np.isnan(values), np.nan, around)
    return sides[0], sides[1]


def folds(places: Ints, seed: int) -> tuple[Ints, Ints]:
    """The fold of each released row, and the rows in a random order; both by what they hold.

    >>> fold, order = folds(np.array([2, 0, 1]), 7)
    >>> sorted(fold.tolist()), sorted(order.tolist())
    ([0, 1, 2], [0, 1, 2])
    """
    drawn = stream(seed, "measure", "inference").permutation(len(places))[places]
    return drawn % FOLDS, np.argsort(drawn)


def informed_guesses(
    known: Floats, values: Floats, asked: Floats, *, ordered: bool, tolerance: float
) -> Floats:
    """The best guess of each one asked, by a model of the rows given, which stand at random.

    It is a tree of small leaves, one of large leaves, or one guess for all: what is right most
    often for a quarter of the rows that it was not made of. A tree is grown by the ranks of
    numbers or by categories, and guesses for all in a leaf what is best for the rows there.

    >>> known, values = np.arange(40.0)[:, None], np.repeat([3.0, 4.0], 20)
    >>> asked = np.array([[0.0], [39.0]])
    >>> informed_guesses(known, values, asked, ordered=False, tolerance=0.0).tolist()
    [3.0, 4.0]
    """
    here = ~np.isnan(values)
    known, values = known[here], values[here]
    held = np.arange(len(values)) % HELD_OUT == 0
    both = np.concatenate([known[held], asked])
    best, most = np.full(len(asked), best_guess(values, tolerance)), 0
    if len(values):
        most = int(near(best_guess(values[~held], tolerance), values[held], tolerance).sum())
    for leaf in LEAF_SIZES:
        guesses = _by_tree(known[~held], values[~held], both, ordered, (leaf, tolerance))
        right = int(near(guesses[: held.sum()], values[held], tolerance).sum())
        if right > most:
            best, most = guesses[held.sum() :], right
    return best


def near(guess: Floats | float, truth: Floats, tolerance: float) -> Bools:
    """Whether guesses are right: within the tolerance, but for rounding; never a NaN.

    >>> near(1.0, np.array([1.0, 1.5, np.nan]), 0.1).tolist()
    [True, False, False]
    """
    found: Bools = np.abs(guess - truth) <= tolerance * (1 + ROUNDING_SLACK)
    return found


def _by_tree(
    known: Floats, values: Floats, asked: Floats, ordered: bool, size: tuple[int, float]
) -> Floats:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    leaf, tolerance = size
    useful = np.flatnonzero((~np.isnan(known)).any(axis=0)) if len(known) else np.zeros(0, int)
    if len(values) < 2 * leaf or not len(useful) or values.min() == values.max():
        return np.full(len(asked), best_guess(values, tolerance))
    kind = DecisionTreeRegressor if ordered else DecisionTreeClassifier
    target = tied_blocks(values).twice_rank if ordered else values
    tree = kind(min_samples_leaf=leaf, random_state=0).fit(known[:, useful], target)
    leaves, wanted = tree.apply(known[:, useful]), tree.apply(asked[:, useful])
    order = np.argsort(leaves, kind="stable")
    leaves, values = leaves[order], values[order]
    distinct, place = np.unique(wanted, return_inverse=True)
    starts, stops = (np.searchsorted(leaves, distinct, side) for side in ("left", "right"))
    found = [
        best_guess(values[start:stop], tolerance) for start, stop in zip(starts, stops, strict=True)
    ]
    return np.array(found)[place]
