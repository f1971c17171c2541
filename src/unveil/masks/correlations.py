"""Correlations of columns with missing cells, and how to draw columns that have them."""

import numpy as np
from threadpoolctl import threadpool_limits

from unveil.support.arrays import Floats


def pairwise_correlations(values: Floats) -> Floats:
    """The correlation of each pair of columns, over the records that have both."""
    known = ~np.isnan(values)
    correlations = np.eye(values.shape[1])
    for i in range(len(correlations)):
        for j in range(i):
            both = known[:, i] & known[:, j]
            if both.any():
                a, b = _scaled_gaps(values[both, i]), _scaled_gaps(values[both, j])
                size = np.sqrt((a * a).sum() * (b * b).sum())
                correlations[i, j] = correlations[j, i] = (a * b).sum() / size if size > 0 else 0.0
    return correlations


def _scaled_gaps(values: Floats) -> Floats:
    """Differences from the mean, over the largest, so that their squares do not overflow."""
    gaps = values - values.mean()
    largest = np.abs(gaps).max()
    scaled: Floats = gaps / largest if largest > 0 else gaps
    return scaled


def correlation_root(correlations: Floats) -> Floats:
    """A matrix R with R'R equal to the correlations, also where these are singular.

    With missing cells, pairwise correlations need not be positive semidefinite. Then negative
    eigenvalues count as 0, and every column keeps variance 1.
    """
    with threadpool_limits(1):  # the last bits depend on the number of threads
        eigenvalues, axes = np.linalg.eigh(correlations)
    root: Floats = np.einsum("ik,jk->ij", axes * np.sqrt(np.maximum(eigenvalues, 0.0)), axes)
    lengths = np.sqrt((root * root).sum(0))
    return root / np.where(lengths > 0, lengths, 1.0)


def stable_product(columns: Floats, matrix: Floats) -> Floats:
    """The product of two matrices, summed in an order that no number of threads changes."""
    out = np.zeros((len(columns), matrix.shape[1]))
    for column, row in zip(columns.T, matrix, strict=True):
        out += column[:, None] * row
    return out
