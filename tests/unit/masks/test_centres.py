"""Centres of groups: single cases; tests/properties/test_mask_kernels.py has the laws."""

import numpy as np

from unveil.masks.centres import first_rows, group_means, group_medians, group_modes

ONE_GROUP = np.zeros(4, np.int64)


def test_missing_values_have_no_centre():
    means = group_means(np.array([1.0, 2.0, np.nan, 7.0]), np.array([0, 0, 0, 1]))
    assert means[[0, 1, 3]].tolist() == [1.5, 1.5, 7.0]
    assert np.isnan(means[2])
    assert group_medians(np.array([4, 0, 1, -1]), ONE_GROUP).tolist() == [1, 1, 1, -1]
    assert group_modes(np.array([2, 2, 0, -1]), ONE_GROUP).tolist() == [2, 2, 2, -1]


def test_first_rows_of_codes():
    assert first_rows(np.array([2, 0, 2])).tolist() == [1, -1, 0, -1]
