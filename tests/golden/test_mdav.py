"""Microaggregation of the papers' census file, as sdcMicro does it."""

import numpy as np
import pytest

from unveil.data.encode import numbers
from unveil.engines.grouping import mdav


@pytest.mark.parametrize(("k", "lost"), [(3, 5.6922), (5, 9.0884), (10, 14.1559)])
def test_variance_lost_within_groups_of_the_census_file(paper_data, k, lost):
    data = paper_data("census")
    values = numbers(data, data.columns).values
    points = (values - values.mean(0)) / values.std(0, ddof=1)
    groups = mdav(points, k)
    means = np.stack([np.bincount(groups, column) / np.bincount(groups) for column in points.T], 1)
    within = ((points - means[groups]) ** 2).sum()
    total = ((points - points.mean(0)) ** 2).sum()
    assert f"{within / total:.4%}" == f"{lost:.4f}%"
