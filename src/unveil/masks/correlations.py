"""Correlations of columns with missing cells, and a root of them."""

import numpy as np
from threadpoolctl import threadpool_limits

from unveil.support.arrays import Floats


def correlations(values: Floats) -> Floats:
    """The correlation of each pair of columns, over the records that know both.

    >>> correlations(np.array([[1.0, 2.0], [2.0, 4.0], [np.nan, 0.0]])).round(9).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    known = ~np.isnan(values)
    related = np.eye(values.shape[1])
    for i in range(len(related)):
        for j in range(i):
            both = known[:, i] & known[:, j]
            if both.any():
                related[i, j] = related[j, i] = _correlation(values[both, i], values[both, j])
    return related


def _correlation(a: Floats, b: Floats) -> float:
    a, b = _centred(a), _centred(b)
    size = np.sqrt((a * a).sum() * (b * b).sum())
    return float((a * b).sum() / size) if size > 0 else 0.0


def _centred(values: Floats) -> Floats:
    """Values less their mean, over their range: squares of any numbers then fit."""
    gaps = values - values.mean()
    most = np.abs(gaps).max()
    scaled: Floats = gaps / most if most > 0 else gaps
    return scaled


def root_of(related: Floats) -> Floats:
    """A matrix R whose R'R is the correlations, also where these are singular.

    The correlations of pairs may be those of no table, where cells are missing. Then the
    negative eigenvalues count as 0, and every column keeps the variance 1.
    """
    with threadpool_limits(1):  # the last bits depend on the number of threads
        roots, axes = np.linalg.eigh(related)
    root: Floats = np.einsum("ik,jk->ij", axes * np.sqrt(np.maximum(roots, 0.0)), axes)
    lengths = np.sqrt((root * root).sum(0))
    return root / np.where(lengths > 0, lengths, 1.0)


def mixed(columns: Floats, root: Floats) -> Floats:
    """Independent columns times a root, which gives them its correlations.

    Column by column: the sums of a product of matrices depend on the number of threads.
    """
    out = np.zeros((len(columns), root.shape[1]))
    for column, row in zip(columns.T, root, strict=True):
        out += column[:, None] * row
    return out
