"""Moments: means, variances, covariances and correlations of both files, standardised."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from unveil.support.arrays import Floats, Ints
from unveil.table.encoding.to_arrays import spread
from unveil.values.file_pair import FilePair
from unveil.values.single_values import columns_of_level, single_numbers

FEW_NUMBERS = "there are no two numeric attributes that vary"
LARGEST_SCORE = 1e70  # standard deviations from the mean: larger ones cannot be squared


@dataclass(frozen=True, repr=False, eq=False)
class StandardisedPair:
    """Numeric attributes of both files, standardised by the original's means and deviations.

    Rows are sorted by their contents, so that sums do not depend on the order of the files; a NaN
    is missing. Attributes that are constant in the original, or have fewer than two known cells in
    a file, are left out.
    """

    columns: tuple[str, ...]
    original: Floats  # records x attributes
    release: Floats
    left_out: int  # numeric attributes

    @property
    def note(self) -> str:
        """The number of attributes left out, in words."""
        if not self.left_out:
            return ""
        return f"left out, as constant in the original or not known: {self.left_out}"


@dataclass(frozen=True, repr=False, eq=False)
class Moments:
    """The moments of one file; of pairs of attributes, over the records that have both.

    A pair that fewer than two records have is a NaN.
    """

    mean: Floats
    variance: Floats  # with n - 1
    fourth: Floats  # mean fourth power of the deviation from the mean
    covariance: Floats  # of each pair j < k of attributes, in this order
    correlation: Floats  # 0 where one does not vary
    mixed: Floats  # mean product of both squared deviations


def standardised(pair: FilePair) -> StandardisedPair:
    """The numeric attributes of both files, standardised."""
    kept, columns = [], []
    numeric = columns_of_level(pair, "numeric")
    for name in numeric:
        original, released = single_numbers(pair, name)
        mean, deviation = spread(original)
        if deviation > 0 and (~np.isnan(released)).sum() > 1:
            kept.append(name)
            columns.append([standardise(side, mean, deviation) for side in (original, released)])
    tables = [np.array(side).reshape(len(kept), -1).T for side in zip(*columns, strict=True)]
    if not kept:
        tables = [np.zeros((len(pair.original), 0)), np.zeros((len(pair.release), 0))]
    before, after = (np.asfortranarray(table[_content_order(table)]) for table in tables)
    return StandardisedPair(tuple(kept), before, after, len(numeric) - len(kept))


def standardise(values: Floats, mean: float, deviation: float) -> Floats:
    """(values - mean) / deviation, clipped to what can be squared."""
    with np.errstate(over="ignore"):
        return np.clip((values - mean) / deviation, -LARGEST_SCORE, LARGEST_SCORE)


def _content_order(table: Floats) -> Ints:
    """An order of the rows by a hash of their contents."""
    hashes = np.full(len(table), 0x9E3779B97F4A7C15, np.uint64)
    for column in table.T:
        same = np.where(np.isnan(column), np.nan, column + 0.0)  # one NaN, one zero
        hashes ^= same.view(np.uint64)
        hashes *= np.uint64(0xFF51AFD7ED558CCD)
        hashes ^= hashes >> np.uint64(32)
    return np.argsort(hashes)


def moments(values: Floats) -> Moments:
    """The moments of one file's attributes, each column by its known cells."""
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
        double.append(_joint_moments(a, b))
    mean, variance, fourth = np.array(single).reshape(-1, 3).T
    covariance, correlation, mixed = np.array(double).reshape(-1, 3).T
    return Moments(mean, variance, fourth, covariance, correlation, mixed)


def _joint_moments(a: Floats, b: Floats) -> tuple[float, float, float]:
    """Covariance, correlation and mixed fourth moment of deviations from the means."""
    n = len(a)
    if n < 2:
        return np.nan, np.nan, np.nan
    products = a * b
    total = float(products.sum())
    scale = np.sqrt(float((a * a).sum())) * np.sqrt(float((b * b).sum()))
    correlation = float(np.clip(total / scale, -1, 1)) if scale > 0 else 0.0
    return total / (n - 1), correlation, float((products * products).mean())
