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
        "distance links 1.5 of 4 (37.5 %, all of them attacked; a guess links 1, no\n  "
        "attack on these attributes more than 4)"
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


def test_links_know_their_attack(some):
    assert repr(some) == "Links(distance: 4 records, 4 candidates, truth known)"
    assert some.name == "distance"
    with pytest.raises(UsageError, match="a sample: a whole number from 1"):
        some.sample(0)
