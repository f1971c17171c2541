"""Household numbers: left out, renumbered or kept, and what a release with them still claims."""

from __future__ import annotations

import logging

import numpy as np
import polars as pl
import pytest

import unveil
from fixtures import audits
from unveil import Intruder, Microdata, Policy, Schema, attacks, masks, measures
from unveil.reports.sections.stress_test import stress_sentence
from unveil.support.phrases import plain

KNOWS = ["age", "hours", "household_size", "income"]
SWAP = masks.RankSwapping(p=10, columns=["age"])


@pytest.fixture(scope="module")
def people():
    survey = unveil.households(300, seed=7)
    return Microdata(survey.to_frame().drop_nulls(KNOWS), survey.schema)


def grouped(cells):
    """Which records share a number, whatever the numbers are; missing cells stay apart."""
    places = {}
    return [None if cell is None else places.setdefault(cell, len(places)) for cell in cells]


def test_a_household_number_is_left_out_unless_asked_for(people, caplog):
    with caplog.at_level(logging.WARNING, "unveil"):
        release = unveil.mask(people, [SWAP], seed=1)
    assert "household" not in release.data.columns
    assert "household" not in release.schema
    assert release.plan.to_dict().get("household") is None
    assert "household" not in caplog.text


@pytest.mark.parametrize("done", ["renumber", "keep"])
def test_what_is_asked_for_keeps_the_grouping_and_is_warned_of(people, caplog, done):
    with caplog.at_level(logging.WARNING, "unveil"):
        release = unveil.mask(people, [SWAP], seed=1, household=done)
    before, after = (data.column("household").to_list() for data in (people, release.data))
    assert (before == after) is (done == "keep")
    assert grouped(before) == grouped(after)
    assert sorted(set(after)) == list(range(1, len(set(before)) + 1)) or done == "keep"
    assert release.plan.to_dict()["household"] == done
    assert "even if they are renumbered" in caplog.text
    again = unveil.mask(people, release.plan)
    assert again.data == release.data
    other = unveil.mask(people, [SWAP], seed=2, household=done)
    assert (other.data.column("household").to_list() == after) is (done == "keep")


@pytest.mark.parametrize("done", ["renumber", "keep"])
def test_numbers_that_nobody_shares_are_not_warned_of(people, caplog, done):
    missing = people.column("household").set(pl.Series([True] * len(people)), None)
    unique = pl.Series("household", range(len(people)))
    for cells in (missing, unique):
        plain = Microdata(people.to_frame(), Schema(quasi=["age"], household="household"))
        unveil.mask(plain.replace([cells]), [SWAP], seed=1, household=done)
    assert "lives together" not in caplog.text


def test_missing_stays_missing_and_two_columns_are_renumbered_by_themselves(tmp_path):
    frame = pl.DataFrame(
        {
            "now": ["north", "north", None, "south", "?"],
            "then": [7, 7, 8, -9, 9],
            "age": [1, 2, 3, 4, 5],
        }
    )
    schema = Schema(household=["now", "then"], quasi="age", missing={"then": [-9, 2], "now": ["?"]})
    data = Microdata(frame, schema)
    release = unveil.mask(data, [], seed=3, household="renumber")
    for name, numbers in (("now", {1, 2}), ("then", {1, 3, 4})):  # 2 would be read as missing
        cells = release.data.column(name)
        assert cells.dtype == pl.Int64
        assert set(cells.drop_nulls()) == numbers
        assert grouped(cells) == grouped(data.column(name))
    unveil.write(release, tmp_path / "r.csv", keep_order=True)
    read = unveil.read(tmp_path / "r.csv", schema)
    assert [read.column(name).null_count() for name in ("now", "then")] == [2, 1]


def test_households_of_made_up_people_are_renumbered_too(people):
    release = unveil.mask(people, [masks.Synthesis(records=50)], seed=1, household="renumber")
    assert set(release.data.column("household")) <= set(range(1, 51))
    assert (
        "household" not in unveil.mask(people, [masks.Synthesis(records=50)], seed=1).data.columns
    )


def test_a_mask_of_what_is_left_out_is_refused(people):
    scramble = masks.Pram(theta=0.2, columns=["household"])
    with pytest.raises(unveil.UnveilError, match='household = "keep" in the plan'):
        unveil.mask(people, [scramble])
    kept = unveil.mask(people, [scramble], household="keep")
    assert "household" in kept.data.columns
    with pytest.raises(unveil.UnveilError, match="so nothing can be released"):
        unveil.mask(people.select(["person", "household"]), [])
    with pytest.raises(unveil.UnveilError, match='"drop", "renumber" or "keep"'):
        unveil.mask(people, [SWAP], household="number")


def test_who_knows_the_method_does_not_take_new_numbers_for_old_ones(people):
    """Else the true row would be excluded where the numbers differ."""
    release = unveil.mask(people, [SWAP], seed=1, household="renumber")
    knows = Intruder(knows=["age", "household"])
    links = unveil.attack(people, release, attacks.Tailored(), intruder=knows)
    assert measures.risk(links).expected > measures.risk(links).baseline


def households_found(people, release):
    """A plain attack by the grouping alone: the sums of each household, and the nearest other."""
    sums = [
        data.to_frame().group_by("household").agg(pl.len(), pl.sum(*KNOWS)).sort("household")
        for data in (people, release.data)
    ]
    ours, theirs = (one.drop("household").to_numpy().astype(float) for one in sums)
    gaps = (ours[:, None] - theirs[None]) / ours.std(0)
    nearest = sums[1]["household"].to_numpy()[(gaps**2).sum(2).argmin(1)]
    pairs = zip(people.column("household"), release.data.column("household"), strict=True)
    true = dict(pairs)
    return int(
        np.sum([true[home] == row for home, row in zip(sums[0]["household"], nearest, strict=True)])
    )


def test_no_ceiling_is_claimed_where_the_release_tells_who_lives_together(people):
    """Of 283 records, 20-anonymous, single ones give away 14 at most; 41 of 131 households do."""
    mask = masks.Microaggregation(k=20, columns=KNOWS)
    release = unveil.mask(people, [mask], seed=7, household="renumber")
    knows = Intruder(knows=KNOWS)
    links = unveil.attack(people, release, attacks.Distance(), intruder=knows)
    assert measures.ceiling(links) < households_found(people, release)  # persons, households
    risk = measures.risk(links)
    assert risk.ceiling is None
    assert "no attack" not in str(risk)
    alone = unveil.mask(people, [mask], seed=7)
    links = unveil.attack(people, alone, attacks.Distance(), intruder=knows)
    assert measures.risk(links).ceiling == measures.ceiling(links)


def test_an_audit_of_a_grouping_says_that_it_was_not_attacked(people):
    policy, quick = Policy(max_risk=1), {"attacks": ["distance"], "sweep": False, "errors": ()}
    quick |= {"remask": 0, "remedies": False, "worst_case": False}
    for done in ("drop", "renumber", "keep"):
        release = unveil.mask(people, [SWAP], seed=1, household=done)
        found = audits.audit(people, release, policy=policy, **quick)
        there = done != "drop"
        assert found.evidence.grouping == (("household",) if there else ())
        assert {one.risk.ceiling is None for one in found.evidence.attacks} == {there}
        assert str(found).startswith("The release contains household numbers") is there
        said = plain(stress_sentence(found.evidence)).lower()
        assert ("no attack on these attributes can find more than" in said) is not there
        assert found.evidence.households.n == people.column("household").n_unique()
        assert "lacks household" not in " ".join(found.evidence.notes)
    declared = Schema({name: people.schema[name] for name in people.schema if name != "household"})
    unnamed = Microdata(people.to_frame(), declared)  # the release's own schema says it
    released = Microdata(release.data.to_frame(), release.schema)
    found = audits.audit(unnamed, released, truth="row-order", **quick)
    assert found.evidence.grouping == ("household",)
