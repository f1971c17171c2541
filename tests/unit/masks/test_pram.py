"""Transition matrices of PRAM."""

import numpy as np

from unveil.masks.pram import invariant_matrix, theta_matrix


def test_the_rarest_category_changes_with_probability_theta():
    matrix = theta_matrix(np.array([1, 3]), 0.3, invariant=True)
    assert matrix.round(9).tolist() == [[0.7, 0.3], [0.1, 0.9]]


def test_an_invariant_matrix_keeps_expected_counts():
    sizes = np.array([10, 30])
    matrix = invariant_matrix(np.array([[0.8, 0.2], [0.5, 0.5]]), sizes)
    assert (sizes @ matrix).round(9).tolist() == [10, 30]
