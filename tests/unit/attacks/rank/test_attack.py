"""Ranks: whose, of what, and how different counts are brought together."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Intruder, Microdata, Schema, attacks, measures
from unveil.attacks.rank.attack import marginality, rank_values, semantic_distances

JOBS = [["nurse", "health", "all"], ["doctor", "health", "all"], ["pilot", "air", "all"]]


def test_a_rank_in_the_release_is_where_a_value_would_stand():
    released = np.array([1.0, 3.0, 3.0, 8.0, np.nan])
    mine = np.array([0.0, 1.0, 2.0, 3.0, 9.0, np.nan])
    ours, theirs = rank_values(mine, mine, released, "release")
    assert ours[:-1].tolist() == [1, 2, 3, 5, 9]
    assert np.isnan(ours[-1])
    assert np.isnan(theirs[-1])
    assert theirs[:-1].tolist() == [2, 5, 5, 8]


def test_own_ranks_of_other_counts_are_those_expected_in_the_release():
    """The expected rank among n of the r-th of m drawn from them, counted out."""
    from itertools import combinations

    n, m = 7, 3
    drawn = np.array(list(combinations(range(1, n + 1), m)))
    mine = np.array([10.0, 20.0, 30.0])
    ours, _ = rank_values(mine, mine, np.arange(float(n)), "own")
    assert ours / 2 == pytest.approx(drawn.mean(axis=0))


def test_ranks_are_whole_numbers_where_they_can_be():
    data = Microdata(pl.DataFrame({"x": [3, 1, 2]}), Schema(quasi="x"))
    links = unveil.attack(data, data, attacks.Rank())
    assert links.finder.intruder_records.integral
    assert links.finder.released.integral


def test_files_of_different_sizes_are_ranked_by_the_release():
    data = unveil.households(400, seed=3)
    release = unveil.mask(data, [unveil.masks.Sampling(share=0.3)], seed=1)
    intruder = Intruder(knows=["age", "savings", "rent"])
    links = unveil.attack(data, release, attacks.Rank(), intruder=intruder)
    risk = measures.risk(links)
    assert (risk.n, risk.absent, risk.population) == (120, 280, 120)
    assert risk.ceiling - 1 < risk.expected <= risk.ceiling  # somebody's savings are missing


def test_marginality_by_hand():
    distances = semantic_distances(JOBS)
    near, far = np.log2(1 + 2 / 4), np.log2(1 + 4 / 5)
    assert distances == pytest.approx(np.array([[0, near, far], [near, 0, far], [far, far, 0]]))
    shares = marginality(distances, np.array([0, 0, 1, 2, -1]))
    assert shares == pytest.approx([near / 4 + far / 4, near / 2 + far / 4, 3 * far / 4])


def test_a_nominal_attribute_with_a_hierarchy_is_ranked_by_marginality():
    jobs = ["nurse"] * 5 + ["doctor"] * 3 + ["pilot"]
    schema = Schema(quasi="job", nominal="job", hierarchy={"job": JOBS})
    data = Microdata(pl.DataFrame({"job": jobs}), schema)
    links = unveil.attack(data, data, attacks.Rank(), truth="row-order")
    assert measures.hits(links) == pytest.approx([1 / 5] * 5 + [1 / 3] * 3 + [1])
    few = Intruder(records=[0, 8])
    links = unveil.attack(data, data, attacks.Rank(), intruder=few, truth="row-order")
    assert measures.hits(links) == pytest.approx([1 / 5, 1])
