"""Torra, Record linkage approaches (2013): the two distances that learn nothing.

Table 2, files M4-33 to M6-853: 400 records of Census, groups of two or three attributes
microaggregated by MDAV; strict hits of the released rows, means of five samples. Held against a
prototype's figures; and against them the covariance that needs no truth.
"""

from itertools import pairwise

import numpy as np
import pytest

import unveil
from unveil import Intruder, attacks, masks, measures


def share(data, release, attack):
    intruder = Intruder(knows=data.columns, direction="release-to-original")
    links = unveil.attack(data, release, attack, intruder=intruder)
    return measures.hits(links, ties="unique").mean()


@pytest.mark.parametrize(
    ("sizes", "ks", "euclid", "mahalanobis"),
    [
        ((2, 2), (3, 3), 0.831, 0.937),
        ((2, 2), (2, 8), 0.672, 0.913),
        ((2, 2), (8, 2), 0.683, 0.945),
        ((3, 2), (3, 8), 0.356, 0.848),
        ((2, 2, 2), (3, 8, 5), 0.768, 0.982),
        ((2, 2, 2), (8, 5, 3), 0.807, 0.980),
    ],
)
def test_distances_of_table_2(paper_data, sizes, ks, euclid, mahalanobis):
    census = paper_data("census")
    ends = np.cumsum([0, *sizes])
    groups = [census.columns[a:b] for a, b in pairwise(ends)]
    mask = masks.Microaggregation(
        groups=[{"columns": group, "k": k} for group, k in zip(groups, ks, strict=True)],
        standardise=False,
        keep_type=False,
    )
    pairs, moments, together = (
        attacks.Distance(metric="mahalanobis", covariance=kind, groups=grouped)
        for kind, grouped in (("pairs", None), ("moments", None), ("moments", groups))
    )
    found = np.empty((5, 4))
    for seed in range(5):
        rows = np.random.default_rng(seed).choice(1080, 400, replace=False)
        data = census.take(rows).select(census.columns[: ends[-1]])
        release = unveil.mask(data, [mask])
        for place, attack in enumerate((attacks.Distance(), pairs, moments, together)):
            found[seed, place] = share(data, release, attack)
    means = found.mean(axis=0)
    assert means[:2] == pytest.approx([euclid, mahalanobis], abs=0.0011)
    assert means[2:] == pytest.approx([means[1]] * 2, abs=0.005)
