"""The worst case on a page: never without what is left of it among others."""

import msgspec
import pytest

from fixtures.evidence import evidence, finding, made
from unveil.reports.sections.supervised_bound import supervised_bound
from unveil.reports.summary import summary
from unveil.support.phrases import plain
from unveil.values.results.supervised_bound import HeldOut, SupervisedBound


def learnt(model="weights", direction="original-to-release", **given):
    own = {
        "attributes": ("age", "income"), "n": 100, "linked": 30.0, "expected": 30.0,
        "bound": 40.0, "gap": 10.0, "ended": "steps", "importance": {"age": 0.25, "income": 0.75},
    }  # fmt: skip
    return made(SupervisedBound, model=model, direction=direction, **own | given)


def held(linked, moments=0.2, plain=0.1):
    return made(HeldOut, splits=3, learnt_on=0.4, linked=linked, moments=moments, plain=plain)


def section(*cases, **given):
    return supervised_bound(evidence(worst_cases=cases, **given))


def noted(found, name):
    return " ".join(plain(note) for one in found.exhibits if one.name == name for note in one.notes)


def test_where_nothing_was_learnt_nothing_is_said():
    assert section() is None
    assert "worst-case" not in [one.key for one in summary(evidence()).sections]


def test_it_is_said_after_the_attacks_and_not_in_the_verdict():
    found = evidence(worst_cases=(learnt(expected=99.0),))
    said = summary(found)
    keys = [one.key for one in said.sections]
    assert keys.index("worst-case") == keys.index("attacks") + 1
    assert said.verdict == summary(evidence()).verdict
    assert said.facts == summary(evidence()).facts


@pytest.mark.parametrize(
    ("cases", "words"),
    [
        ((0.2, 0.1), "On held-out people the gain vanishes"),
        ((0.3, 0.4), "Part of the gain holds"),
        ((0.3, 0.1), "In some rows part of the gain holds"),
    ],
)
def test_what_is_left_among_others_is_said(cases, words):
    found = section(*(learnt(held_out=held(linked)) for linked in cases))
    assert words in noted(found, "held-out")


def test_a_gain_over_weights_that_are_bad_is_none():
    """What needs no truth is the better of both: weights by moments, or all alike."""
    found = section(learnt(held_out=held(0.3, moments=0.2, plain=0.35)))
    assert "vanishes" in noted(found, "held-out")


def test_the_line_has_the_held_out_figure_beside_the_worst_case():
    (line,) = section(learnt(held_out=held(0.17, moments=0.19))).paragraphs
    said = plain(line)
    for words in ("30.0 of 100", "(30.0 %", "at most 40.", "17.0 %", "19.0 %", "No intruder"):
        assert words in said
    (line,) = section(learnt(held_out=None)).paragraphs
    assert "held-out" not in plain(line)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"ended": "proven", "gap": 0.0}, "proven"),
        ({"ended": "steps"}, "not proven, gap 10.0: its steps were spent"),
        ({"ended": "unclear"}, "not proven, gap 10.0: the solver could not decide it"),
        ({"ended": "of a later version"}, "not proven, gap 10.0: it ended"),
    ],
)
def test_how_far_it_is_proven_is_said(given, words):
    table = section(learnt(**given)).exhibits[0].table
    place = [one.key for one in table.columns].index("proof")
    assert plain(table.rows[0][place]) == words


@pytest.mark.parametrize(
    ("attack", "words"),
    [
        (finding(attributes=("income", "age"), ceiling=35.0), "no attack on these attributes"),
        (finding(attributes=("age",), ceiling=35.0), "parameters of this kind link"),
        (finding(attributes=("age", "income"), ceiling=50.0), "parameters of this kind link"),
        (
            finding(attributes=("age", "income"), ceiling=35.0, direction="release-to-original"),
            "parameters of this kind link",
        ),
    ],
    ids=["the same attributes", "fewer", "a higher one", "the other direction"],
)
def test_where_the_ceiling_is_lower_it_is_said(attack, words):
    """Of the same attributes in the same direction."""
    (line,) = section(learnt(), attacks=(attack,)).paragraphs
    assert words in plain(line)


def test_attributes_are_told_in_the_direction_that_links_the_most():
    best = learnt("choquet", expected=50.0, importance={"age": 0.9, "income": 0.1})
    other = learnt("choquet", "release-to-original", importance={"age": 0.2, "income": 0.8})
    shown = next(one for one in section(best, other).exhibits if one.name == "importance")
    assert [[plain(cell) for cell in row] for row in shown.table.rows] == [
        ["age", "Choquet integral", "original to release", "90.0 %"],
        ["income", "Choquet integral", "original to release", "10.0 %"],
    ]


def test_others_are_not_told_which_attributes_count():
    found = evidence(worst_cases=(learnt(), learnt("choquet")))
    inside, outside = (supervised_bound(found, external=one) for one in (False, True))
    assert "importance" in [one.name for one in inside.exhibits]
    assert [one.name for one in outside.exhibits] == ["worst-case"]
    assert "age" not in str(msgspec.to_builtins(outside)).replace("average", "")
