"""Masks against the tables of the rank-based paper (Muralidhar and Domingo-Ferrer, 2016).

Each published percentage is the mean of 100 replications; here are a few, so the interval
is four standard errors by the published paper's data.
"""

import numpy as np
import pytest

import unveil
from unveil import masks
from unveil.data.encode import numbers, tied_blocks
from unveil.engines.local import rank_of_truth
from unveil.engines.metrics import chebyshev, manhattan

SEEDS = 6


def ranks(data, columns):
    values = numbers(data, columns).values
    return np.column_stack([tied_blocks(column).twice_rank for column in values.T])


def linked(original, spec, metric, seed=1):
    """The percentage of records that rank-based record linkage finds."""
    columns = list(original.columns)
    release = unveil.mask(original, [spec], seed=seed)
    before, after = ranks(original, columns), ranks(release.data, columns)
    found = rank_of_truth(before, after, np.arange(len(before)), metric, stop_at=1)
    return 100 * found.hits.mean()


@pytest.mark.parametrize(
    ("mask", "parameter", "by_sum", "by_max"),
    [
        (masks.AdditiveNoise, {"scale": 0.25}, (53.7, 1.15), (33.7, 1.06)),  # Table 1
        (masks.RankSwapping, {"p": 10}, (84.0, 0.96), (98.5, 0.36)),  # Table 2
        (masks.RankSwapping, {"p": 25}, (10.5, 1.11), (37.5, 1.61)),
        (masks.DistributionSwapping, {"p": 10}, (63.5, 1.53), (81.9, 1.03)),  # Table 3
        (masks.DistributionSwapping, {"p": 25}, (3.7, 0.49), (10.1, 0.91)),
        (masks.MultiplicativeNoise, {"scale": 0.25}, (81.5, 0.97), (73.5, 1.12)),  # Table 4
    ],
)
def test_records_linked_on_census(paper_data, mask, parameter, by_sum, by_max):
    census = paper_data("census")
    spec = mask(columns=census.columns, **parameter)
    for metric, (published, deviation) in ((manhattan(), by_sum), (chebyshev(), by_max)):
        found = np.mean([linked(census, spec, metric, seed) for seed in range(SEEDS)])
        error = deviation * (1 / SEEDS + 1 / 100) ** 0.5
        assert found == pytest.approx(published, abs=4 * error + 0.05)


@pytest.mark.parametrize(("k", "classes"), [(270, 950), (360, 704), (540, 270)])
def test_individual_ranking_on_census(paper_data, k, classes):
    """Table 5: the distinct masked records, which bound what any attack can find."""
    census = paper_data("census")
    spec = masks.IndividualRanking(k=k, columns=census.columns, keep_type=False)
    assert unveil.mask(census, [spec]).data.to_frame().n_unique() == classes
