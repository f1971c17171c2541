"""Microaggregation of the papers' census file, as sdcMicro does it."""

import pytest

import unveil
from unveil.masks import IndividualRanking, Microaggregation
from unveil.table.encoding.to_arrays import numbers

pytestmark = pytest.mark.slow


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


@pytest.mark.parametrize("k", [3, 10])
def test_no_groups_of_a_column_of_the_census_file_lose_less_than_the_optimal_ones(paper_data, k):
    census = paper_data("census")

    def lost(spec):
        before, after = (
            numbers(data, census.columns).values
            for data in (census, unveil.mask(census, [spec]).data)
        )
        return ((before - after) ** 2).sum(0)

    apart = [{"columns": [column], "k": k} for column in census.columns]
    best = lost(Microaggregation(groups=apart, algorithm="optimal", keep_type=False))
    for other in (
        IndividualRanking(k=k, columns=census.columns, keep_type=False),
        Microaggregation(groups=apart, keep_type=False),
        Microaggregation(groups=apart, algorithm="v-mdav", keep_type=False),
    ):
        assert (best <= lost(other) * (1 + 1e-12)).all()
