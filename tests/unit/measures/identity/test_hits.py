"""The risk of single records, worked out by hand; totals and ties are in test_risk.py."""

import numpy as np
import polars as pl
import pytest

import unveil
from fixtures.audits import audit
from fixtures.surveys import by_persons
from unveil import Intruder, Microdata, Schema, attacks, masks, measures

X = Schema(quasi="x", numeric="x")
BACK = "release-to-original"
QUICK = {"sweep": False, "remedies": False, "worst_case": False, "errors": (), "remask": 0}


def links_of(mine, released, truth, **intruder):
    files = [Microdata(pl.DataFrame({"x": [float(v) for v in x]}), X) for x in (mine, released)]
    spec = attacks.Distance(scale="release", metric="manhattan")
    return unveil.attack(*files, spec, intruder=Intruder(**intruder), truth=truth)


def test_rows_that_are_equal_share_the_hit_of_one_of_them():
    # All three rows at 5 are linked to the person at 4, who has the last of them.
    links = links_of([0, 8, 20, 4], [0, 5, 5, 5], [0, 1, 2, 3], direction=BACK)
    assert measures.hits(links).tolist() == [1, 0, 0, 1]
    assert measures.shared_hits(links) == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3])
    assert measures.at_risk(links, 0.4)[:2] == (0.25, 1)
    forwards = links_of([0, 8, 20, 4], [0, 5, 5, 5], [0, 1, 2, 3])
    assert measures.shared_hits(forwards) == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3])


def test_a_row_of_nobody_has_its_share():
    links = links_of([0, 4], [0, 5, 5], [0, 1, -1], direction=BACK)
    assert measures.hits(links).tolist() == [1, 1, 0]
    assert measures.shared_hits(links).tolist() == [1, 0.5, 0.5]


def test_a_sample_shares_with_the_rows_that_it_leaves_out():
    links = links_of([0, 8, 20, 4], [0, 5, 5, 5], [0, 1, 2, 3], direction=BACK)
    shared = measures.shared_hits(links)
    for size in (1, 2, 3):
        some = links.sample(size)
        assert measures.shared_hits(some) == pytest.approx(shared[some.records])


ATTACKS = ("distance", "distance-posterior", "probabilistic", "tailored", "position")
KNOWN = ("region", "sex", "age", "marital_status", "household_size")  # never missing


@pytest.mark.parametrize(
    "spec", [masks.Microaggregation(k=5, columns=KNOWN), masks.Mondrian(k=5, columns=KNOWN)]
)
def test_in_a_k_anonymous_file_no_risk_of_a_record_is_above_one_in_k(spec):
    people = unveil.households(120, seed=7).select(["person", *KNOWN])
    release = unveil.mask(people, [spec], seed=7)
    smallest = measures.uniqueness(release.data, KNOWN).smallest
    assert smallest >= 5
    found = audit(people, release, knows=KNOWN, attacks=ATTACKS, **QUICK)
    for name, risks in found.risks.items():
        if not name.startswith("position"):
            assert np.nanmax(risks) <= 1 / smallest + 1e-12, name
    for one in found.evidence.attacks:
        if one.row_order is None:
            assert one.at_risk["highest"] <= 1 / smallest + 1e-12
    groups = [one for one in found.evidence.subgroups.groups if "position" not in one.attack]
    assert max(one.share for one in groups) <= 1 / smallest + 1e-12


def test_other_columns_that_give_households_away_break_the_bound_of_a_k_anonymous_file():
    """Members have the same weight, so their regions and household sizes narrow each other."""
    people = by_persons(120)
    release = unveil.mask(people, [masks.Mondrian(k=5, columns=KNOWN)], seed=7)
    found = audit(people, release, knows=KNOWN, attacks=("distance",), **QUICK)
    assert measures.uniqueness(release.data, KNOWN).smallest == 5
    assert found.evidence.read_off.smallest_filled < 5
    assert np.nanmax(found.risks["distance original-to-release"]) > 1 / 5
