"""What links are worth, worked out by hand on small tables."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Intruder, Microdata, Schema, attacks, measures
from unveil.errors import UsageError
from unveil.values.results.risk import Claims

X = Schema(quasi="x", numeric="x")


def links_of(mine, released, truth="row-order", **intruder):
    """Distance by plain numbers: both files on the scale 0, 1, so that gaps are themselves."""
    files = [Microdata(pl.DataFrame({"x": [float(v) for v in x]}), X) for x in (mine, released)]
    spec = attacks.Distance(scale="release", metric="manhattan")
    return unveil.attack(*files, spec, intruder=Intruder(**intruder), truth=truth)


@pytest.fixture
def some():
    # To 0: itself. To 4: 3 and 5 tie, 5 is its own. To 9: 5 is nearer than its own, 20.
    return links_of([0, 4, 9, 20], [0, 5, 20, 3], [0, 1, 2, 3])


def test_hits_by_every_policy(some):
    assert measures.hits(some).tolist() == [1, 0.5, 0, 0]
    assert measures.hits(some, ties="unique").tolist() == [1, 0, 0, 0]
    assert measures.hits(some, ties="any").tolist() == [1, 1, 0, 0]
    assert measures.hits(some, ties="first").tolist() == [1, 1, 0, 0]
    with pytest.raises(UsageError, match="ties: one of expected, unique, any, first"):
        measures.hits(some, ties="all")


def test_curve_of_places(some):
    curve = measures.top_k(some, 4)
    assert curve.share == pytest.approx([1.5 / 4, 2 / 4, 3 / 4, 1])
    assert (curve.n, curve.population) == (4, 4)
    assert measures.top_k(some, 4, sample=2).n == 2
    with pytest.raises(UsageError, match="most: a whole number"):
        measures.top_k(some, 0)


def test_risk_and_its_words(some):
    risk = measures.risk(some)
    assert (risk.expected, risk.unique, risk.n, risk.share) == (1.5, 1, 4, 0.375)
    assert (risk.ceiling, risk.baseline, risk.candidates) == (4, 1, 4)
    assert (risk.interval, risk.absent, risk.population) == (None, 0, 4)
    assert risk.attributes == ("x",)
    assert risk.parameters == {"metric": "manhattan", "scale": "release"}
    assert str(risk) == (
        "distance links 1.5 of 4 (37.5%, all of them attacked; a guess links 1, no attack\n  "
        "on these attributes more than 4)"
    )


def test_records_above_a_threshold(some):
    found = measures.at_risk(some, 0.4)
    assert found == (0.5, 1, 0.375, 0.4)
    assert measures.at_risk(some, 0.5).above == 0.25
    with pytest.raises(UsageError, match="threshold"):
        measures.at_risk(some, 2)


def test_the_ceiling_counts_classes_of_equal_rows():
    all_of_them = links_of([1, 2, 3, 4], [1, 1, 3, 3])
    assert measures.ceiling(all_of_them) == 2
    assert measures.ceiling(links_of([1, 2, 3, 4], [1, 1, 3, 3], records=[0])) == 0.5
    back = links_of([1, 2, 3, 4], [1, 1, 3, 3], direction="release-to-original")
    assert measures.ceiling(back) == 2


def test_margins_and_claims(some):
    # 0: best 0, second 3. 4: two at 1. 9: 4 and 6. 20: 0 and 15.
    assert measures.margins(some) == pytest.approx([1, 0, 1 / 3, 1])
    assert measures.claims(some) == Claims(4, 2, 1)
    assert measures.claims(some, 0.3) == Claims(4, 3, 1)
    assert measures.claims(some, 0) == Claims(4, 4, 1.5)
    with pytest.raises(UsageError, match="margin"):
        measures.claims(some, 2)


def test_control_takes_the_own_row_out(some):
    # Without their own: 0 has 3, 5; 4 has 3 (1), 0 (4); 9 has 5 (4), 3 (6); 20 has 20, 5.
    margins = measures.margins(some, without_true=True)
    assert margins == pytest.approx([2 / 5, 3 / 4, 1 / 3, 1])
    assert measures.control(some) == Claims(4, 2, 0)
    strangers = some.on(Microdata(pl.DataFrame({"x": [100.0, 200.0]}), X))
    assert measures.control(some, outsiders=strangers) == Claims(2, 0, 0)
    assert measures.risk(some, outsiders=strangers).control == Claims(2, 0, 0)
    assert len(strangers.sample(1)) == 1


def test_margins_at_the_edges():
    lone = Microdata(pl.DataFrame({"x": [3.0]}), X)
    links = unveil.attack(lone, lone, attacks.Rank(), truth="row-order")
    assert measures.margins(links).tolist() == [1]
    assert measures.margins(links, without_true=True).tolist() == [-1]


def test_precision_against_coverage(some):
    found = measures.precision(some, steps=4)
    assert found.margin.tolist() == [0, 0.25, 0.5, 0.75]
    assert found.coverage.tolist() == [1, 0.75, 0.5, 0.5]
    assert found.precision == pytest.approx([1.5 / 4, 1 / 3, 1 / 2, 1 / 2])
    assert found.control == pytest.approx([1, 1, 0.5, 0.5])
    nobody = measures.precision(links_of([0, 10], [4, 6]), steps=4)
    assert np.isnan(nobody.precision[-1])


def test_people_who_are_not_there_are_not_counted():
    links = links_of([0, 4, 9], [0, 4], [0, 1])
    assert links.truth.tolist() == [0, 1, -1]
    risk = measures.risk(links)
    assert (risk.n, risk.absent, risk.expected, risk.baseline) == (2, 1, 2, 1)
    assert measures.top_k(links, 2).share.tolist() == [1, 1]
    assert measures.at_risk(links).mean == 1
    nobody = links_of([0, 4], [0, 4], [-1, -1])
    assert measures.risk(nobody).p_value == 1
    assert (measures.risk(nobody).share, measures.at_risk(nobody).highest) == (0, 0)


def test_p_values():
    sure = links_of(range(1000), range(1000))
    assert measures.p_value(sure) == measures.random_links(1000, 1000).at_least(1000)
    assert measures.p_value(links_of(range(50), range(50))) == 1 / 200
    tied = links_of([v // 2 for v in range(50)], [v // 2 for v in range(50)])
    assert measures.p_value(tied) == 1 / 200  # of 199 draws none reaches it
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
    assert measures.p_value(blocked(0, 10)) == 1 / 200
    assert measures.p_value(blocked(1, 10)) == 1  # nobody is right
    assert measures.p_value(blocked(0, 1, n=3), draws=5000) == pytest.approx(1 / 6, abs=0.03)
    couples = measures.p_value(blocked(0, 2, n=4), draws=5000)
    assert couples == pytest.approx(1 / 4, abs=0.03)


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
    law = measures.random_matching(10, 10)
    assert measures.p_value(links, draws=3000) == pytest.approx(law.at_least(found), abs=0.15)


def test_p_values_of_many_records_are_never_too_small(monkeypatch):
    tied = links_of([v // 2 for v in range(300)], [v // 2 for v in range(300)])
    drawn = measures.p_value(tied)
    monkeypatch.setattr("unveil.measures.identity.risk.MOST_PERMUTED", 10)
    assert measures.p_value(tied) < drawn == 1 / 200
    chance = links_of([v // 2 for v in range(300)], [400 - v // 2 for v in range(300)])
    assert measures.p_value(chance) > 0.05


def test_links_know_their_attack(some):
    assert repr(some) == "Links(distance: 4 records, 4 candidates, truth known)"
    assert some.name == "distance"
    with pytest.raises(UsageError, match="a sample: a whole number from 1"):
        some.sample(0)
