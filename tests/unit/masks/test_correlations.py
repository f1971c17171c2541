"""Correlations of columns with missing cells."""

import numpy as np

from unveil.masks.correlations import correlation_root, pairwise_correlations, stable_product


def test_correlations_are_over_the_records_that_have_both_columns():
    values = np.array([[1.0, 2.0], [2.0, 4.0], [np.nan, 0.0]])
    assert pairwise_correlations(values).round(9).tolist() == [[1, 1], [1, 1]]


def test_a_root_has_the_correlations():
    correlations = np.array([[1.0, 0.3], [0.3, 1.0]])
    root = correlation_root(correlations)
    assert np.allclose(stable_product(root.T, root), correlations)
