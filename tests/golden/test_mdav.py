"""Microaggregation of the papers' census file, as sdcMicro does it."""

import pytest

import unveil
from unveil.data.encode import numbers
from unveil.masks import Microaggregation


@pytest.mark.parametrize(("k", "lost"), [(3, 5.6922), (5, 9.0884), (10, 14.1559)])
def test_variance_lost_within_groups_of_the_census_file(paper_data, k, lost):
    census = paper_data("census")
    spec = Microaggregation(k=k, columns=census.columns, keep_type=False)
    release = unveil.mask(census, [spec])
    before, after = (numbers(data, census.columns).values for data in (census, release.data))
    deviation = before.std(0, ddof=1)
    within = (((before - after) / deviation) ** 2).sum()
    total = (((before - before.mean(0)) / deviation) ** 2).sum()
    assert f"{within / total:.4%}" == f"{lost:.4f}%"
    assert release.channels[0].k == k
    assert release.channels[0].deviation == pytest.approx(deviation)
