"""The probability of correct links by chance: exact laws, and those of files with ties."""

from itertools import permutations, product

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Intruder, Microdata, Schema, attacks, measures
from unveil.measures.identity.significance import significance

X = Schema(quasi="x", numeric="x")


def links_of(mine, released, truth="row-order", **intruder):
    """Distance by plain numbers: both files on the scale 0, 1, so that gaps are themselves."""
    files = [Microdata(pl.DataFrame({"x": [float(v) for v in x]}), X) for x in (mine, released)]
    spec = attacks.Distance(scale="release", metric="manhattan")
    return unveil.attack(*files, spec, intruder=Intruder(**intruder), truth=truth)


def test_p_values():
    sure = links_of(range(50), range(50))
    assert measures.p_value(sure) == measures.random_matching(50, 50).at_least(50)
    assert significance(sure).law == measures.risk(sure).law_of_chance == "matching"
    tied = links_of([v // 2 for v in range(50)], [v // 2 for v in range(50)])
    assert measures.p_value(tied) == 1 / 200  # of 199 draws none reaches it
    assert significance(tied).law == measures.risk(tied).law_of_chance == "drawn"
    hopeless = links_of([v // 2 for v in range(50)], [100 - v // 2 for v in range(50)])
    assert measures.p_value(hopeless) > 0.05


def blocked(shift, blocks, n=40):
    """People in blocks of equal size; each is linked with the one after it, and is that one."""
    x = np.arange(float(n))
    schema = Schema(quasi=["x", "b"], numeric=["x", "b"])
    frame = pl.DataFrame({"x": x, "b": np.arange(n) % blocks})
    people = Microdata(frame, schema)
    return unveil.attack(
        people,
        people,
        attacks.Distance(),
        intruder=Intruder(knows=["x"], blocks=["b"]),
        truth=np.roll(np.arange(n), shift * blocks),
    )


def test_p_values_inside_blocks():
    """Three that are all right are right with one in six, not with one in 27."""
    assert measures.p_value(blocked(0, 10)) == pytest.approx((1 / 24) ** 10)
    assert measures.p_value(blocked(1, 10)) == 1  # nobody is right
    assert measures.p_value(blocked(0, 1, n=3)) == pytest.approx(1 / 6)
    assert measures.p_value(blocked(0, 2, n=4)) == pytest.approx(1 / 4)


def test_a_lone_block_is_held_against_its_own_candidates():
    """Ten of 40 blocks' people: a guess has one in ten, not one in 400."""
    schema = Schema(quasi=["x", "b"], numeric=["x", "b"])
    rng = np.random.default_rng(1)
    frames = [
        pl.DataFrame({"x": rng.normal(size=400), "b": np.repeat(np.arange(40), 10)})
        for _ in range(2)
    ]
    people, rows = (Microdata(frame, schema) for frame in frames)
    intruder = Intruder(knows=["x"], records=list(range(10)), blocks=["b"])
    links = unveil.attack(people, rows, attacks.Distance(), intruder=intruder, truth="row-order")
    found = measures.hits(links).sum()
    assert measures.p_value(links) == measures.random_matching(10, 10).at_least(found)


def test_p_values_of_many_records_are_never_too_small(monkeypatch):
    tied = links_of([v // 2 for v in range(300)], [v // 2 for v in range(300)])
    drawn = measures.p_value(tied)
    monkeypatch.setattr("unveil.measures.identity.significance.MOST_PERMUTED", 10)
    assert measures.p_value(tied) < drawn == 1 / 200
    chance = links_of([v // 2 for v in range(300)], [400 - v // 2 for v in range(300)])
    assert measures.p_value(chance) > 0.05


def test_proposition_4_is_the_table_of_the_paper():
    """Table IV, 100 records: of 26 correct links or more 9.4723E-28, of 28 or more 1.2496E-30."""
    for right, published in ((3, 0.08030140), (26, 9.4723e-28), (28, 1.2496e-30)):
        truth = np.arange(100)
        truth[right:] = np.roll(truth[right:], 1)
        links = links_of(range(100), range(100), truth)
        assert measures.hits(links).sum() == right
        assert measures.p_value(links) == pytest.approx(published, rel=1e-4)


@pytest.mark.parametrize("sizes", [(3, 2), (4,), (1, 2, 3), (2, 2, 2)])
def test_blocks_by_all_their_matchings(sizes):
    """The naive twin: every matching of every block, counted."""
    b = np.repeat(np.arange(len(sizes)), sizes)
    schema = Schema(quasi=["x", "b"], numeric=["x", "b"])
    people = Microdata(pl.DataFrame({"x": np.arange(len(b)) * 1.0, "b": b}), schema)
    counts = [
        sum(np.sum(np.arange(len(one)) == one) for one in several)
        for several in product(*(list(permutations(range(size))) for size in sizes))
    ]
    for shift in range(len(sizes) + 1):  # nobody is right in the first blocks
        parts = [
            np.roll(rows, block < shift)
            for block, rows in enumerate(np.split(np.arange(len(b)), np.cumsum(sizes)[:-1]))
        ]
        truth = np.concatenate(parts)
        intruder = Intruder(knows=["x"], blocks=["b"])
        links = unveil.attack(people, people, attacks.Distance(), intruder=intruder, truth=truth)
        right = (truth == np.arange(len(b))).sum()
        expected = np.mean(np.array(counts) >= right)
        assert significance(links) == (pytest.approx(expected), "matching")


def test_other_laws_are_named(monkeypatch):
    """Records that a missing cell puts into several blocks, or that share a true row."""
    schema = Schema(quasi=["x", "b"], numeric=["x", "b"])
    frame = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "b": [0.0, None, 1.0, 1.0]})
    people, intruder = Microdata(frame, schema), Intruder(knows=["x"], blocks=["b"])
    links = unveil.attack(people, people, attacks.Distance(), intruder=intruder, truth="row-order")
    assert significance(links).law == "drawn"
    monkeypatch.setattr("unveil.measures.identity.significance.MOST_PERMUTED", 3)
    assert significance(links).law == "poisson"


def test_records_without_a_true_row():
    assert significance(links_of([0, 4], [0, 4], [-1, -1])) == (1.0, "matching")


def test_a_sample_is_matched_with_all_candidates():
    sample = links_of(range(50), range(50)).sample(5)
    assert measures.p_value(sample) == measures.random_matching(5, 50).at_least(5)
