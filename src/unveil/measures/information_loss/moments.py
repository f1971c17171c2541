"""Means, variances, covariances and correlations of both files, in the original's units."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from unveil.support.arrays import Floats, Ints
from unveil.table.encoding.to_arrays import spread
from unveil.values.file_pair import FilePair
from unveil.values.single_values import columns_of_level, single_numbers

FARTHEST = 1e70  # deviations: what lies beyond counts as that far, so that it can be squared


@dataclass(frozen=True, repr=False, eq=False)
class StandardisedPair:
    """Numeric attributes of both files, standardised by the original's means and deviations.

    Rows stand in the order of their contents, so that sums do not depend on that of the files;
    a NaN is missing. Attributes that are constant in the original, or have fewer than two known
    cells on a side, are left out.
    """

    columns: tuple[str, ...]
    original: Floats  # records x attributes
    release: Floats
    left_out: int  # numeric attributes that are

    @property
    def note(self) -> str:
        """What was left out, in words."""
        if not self.left_out:
            return ""
        return f"left out, as constant in the original or not known: {self.left_out}"


@dataclass(frozen=True, repr=False, eq=False)
class Moments:
    """What is summed up of one file; of pairs of attributes by the records that know both.

    A pair that fewer than two records know is a NaN.
    """

    mean: Floats
    variance: Floats  # with n - 1
    fourth: Floats  # mean fourth power of the gap from the mean
    covariance: Floats  # of each pair j < k of attributes, in this order
    correlation: Floats  # 0 where one does not vary
    mixed: Floats  # mean product of both squared gaps


def sides(both: FilePair) -> StandardisedPair:
    """The numeric attributes of both files, standardised.

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> sample = households(100)
    >>> sides(FilePair(sample, sample, np.arange(100))).original.shape
    (100, 8)
    """
    kept, pairs = [], []
    listed = columns_of_level(both, "numeric")
    for name in listed:
        mine, released = single_numbers(both, name)
        mean, deviation = spread(mine)
        if deviation > 0 and (~np.isnan(released)).sum() > 1:
            kept.append(name)
            pairs.append([scaled(side, mean, deviation) for side in (mine, released)])
    tables = [np.array(columns).reshape(len(kept), -1).T for columns in zip(*pairs, strict=True)]
    if not kept:
        tables = [np.zeros((len(both.original), 0)), np.zeros((len(both.release), 0))]
    original, release = (np.asfortranarray(table[by_content(table)]) for table in tables)
    return StandardisedPair(tuple(kept), original, release, len(listed) - len(kept))


def scaled(values: Floats, mean: float, deviation: float) -> Floats:
    """Values less the mean over the deviation, none farther than can be squared.

    >>> scaled(np.array([3.0, np.nan]), 1.0, 2.0).tolist()
    [1.0, nan]
    """
    with np.errstate(over="ignore"):
        return np.clip((values - mean) / deviation, -FARTHEST, FARTHEST)


def by_content(table: Floats) -> Ints:
    """An order of the rows by what they hold; rows that are equal are interchangeable.

    >>> by_content(np.array([[2.0], [1.0]])).tolist() in ([0, 1], [1, 0])
    True
    """
    mixed = np.full(len(table), 0x9E3779B97F4A7C15, np.uint64)
    for column in table.T:
        same = np.where(np.isnan(column), np.nan, column + 0.0)  # one NaN, one zero
        mixed ^= same.view(np.uint64)
        mixed *= np.uint64(0xFF51AFD7ED558CCD)
        mixed ^= mixed >> np.uint64(32)
    return np.argsort(mixed)


def moments(values: Floats) -> Moments:
    """The moments of one file's attributes, each column by its known cells.

    >>> found = moments(np.array([[0.0, 1.0], [2.0, 5.0], [4.0, 9.0]]))
    >>> found.mean.tolist(), found.variance.tolist(), found.covariance.tolist()
    ([2.0, 5.0], [4.0, 16.0], [8.0])
    """
    known = ~np.isnan(values)
    gaps, single = [], []
    for column, present in zip(values.T, known.T, strict=True):
        kept = column[present]
        mean = kept.mean()
        gap = kept - mean
        single.append((mean, (gap * gap).sum() / (len(kept) - 1), (gap**4).mean()))
        gaps.append(gap if present.all() else None)
    double = []
    for j, k in combinations(range(values.shape[1]), 2):
        a, b = gaps[j], gaps[k]
        if a is None or b is None:
            shared = known[:, j] & known[:, k]
            a, b = values[shared, j], values[shared, k]
            if len(a):
                a, b = a - a.mean(), b - b.mean()
        double.append(_together(a, b))
    mean, variance, fourth = np.array(single).reshape(-1, 3).T
    covariance, correlation, mixed = np.array(double).reshape(-1, 3).T
    return Moments(mean, variance, fourth, covariance, correlation, mixed)


def _together(a: Floats, b: Floats) -> tuple[float, float, float]:
    """Covariance, correlation and mixed fourth moment of gaps from the means."""
    n = len(a)
    if n < 2:
        return np.nan, np.nan, np.nan
    product, squares = a * b, (float((a * a).sum()), float((b * b).sum()))
    both = float(product.sum())
    spreads = np.sqrt(squares[0]) * np.sqrt(squares[1])
    correlation = float(np.clip(both / spreads, -1, 1)) if spreads > 0 else 0.0
    return both / (n - 1), correlation, float((product * product).mean())
