"""Every number, name and word of a page stands where it belongs.

Each file of `said` is a whole page, of evidence in which every number is another one: a number is
written there by its path in the evidence, so that a line can be read and held to be true.
"""

from pathlib import Path

import msgspec
import pytest

from fixtures import choices
from fixtures.evidence import evidence, finding, made
from fixtures.numbered_evidence import (
    BARE,
    COMPARED_BARE,
    numbered,
    numbered_comparison,
    places,
    told,
)
from unveil.reports.sections.attacks import attacks, dependence_phrase, rank_of_truth
from unveil.reports.sections.loss import loss
from unveil.reports.sections.people import people
from unveil.reports.sections.values.disclosure import inference
from unveil.reports.sections.values.side_by_side import side_by_side
from unveil.reports.sections.verdict import misses
from unveil.reports.summary import choice_summary, comparison_summary, summary
from unveil.support.phrases import plain
from unveil.values.results.choice import StudyResult
from unveil.values.results.disclosure import CompatibleRows
from unveil.values.results.loss import Bar, GroupLoss, Shape
from unveil.values.results.subgroups import GroupRisk

SAID = Path(__file__).parent / "said"
PAGES = {
    "internal": (summary, numbered, None, False),
    "external": (summary, numbered, None, True),
    "bare": (summary, numbered, BARE, False),
    "comparison": (comparison_summary, numbered_comparison, None, False),
    "comparison-external": (comparison_summary, numbered_comparison, None, True),
    "comparison-bare": (comparison_summary, numbered_comparison, COMPARED_BARE, False),
    "choice": (choice_summary, lambda _: choices.study(), None, False),
    "choice-none": (choice_summary, lambda _: choices.study_without_choice(), None, False),
}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_this_and_nothing_else(page, tmp_path):
    make, of, given, external = PAGES[page]
    found = of(given)
    where = {} if isinstance(found, StudyResult) else places(found)  # its plans have numbers
    said = told(make(found, external=external), where).splitlines()
    now = tmp_path / f"{page}.txt"
    now.write_text("\n".join(said) + "\n")
    wanted = (SAID / now.name).read_text().splitlines()
    # What changed is read line by line, and where it is true the file takes the place of the old.
    different = [pair for pair in zip(wanted, said, strict=False) if pair[0] != pair[1]]
    assert different == [], f"what is said now is in {now}"
    assert len(said) == len(wanted), f"what is said now is in {now}"


def test_the_pages_are_read_whole():
    """No page is there that nobody makes, and none is of numbers that have no place."""
    assert {path.stem for path in SAID.glob("*.txt")} == set(PAGES)
    assert len(places(numbered())) > 400


KEYS = {
    "internal": "reading limits notes scenarios attacks decisions households worst-case claims "
    "knowledge rank-of-truth people intervals values population changes read-off loss side-by-side "
    "unchanged plan next made",
    "external": "reading limits scenarios attacks households worst-case claims knowledge "
    "rank-of-truth intervals values population changes loss plan",
    "comparison": "limits releases order differences attacks loss notes",
    "comparison-external": "limits releases order differences attacks loss notes",
    "choice": "frontier chosen costs reach plans notes",
    "choice-none": "frontier chosen plans",
}


@pytest.mark.parametrize("page", KEYS)
def test_a_page_has_these_sections(page):
    make, of, given, external = PAGES[page]
    assert [one.key for one in make(of(given), external=external).sections] == KEYS[page].split()


def test_the_docs_tell_how_to_read_every_section():
    docs = (Path(__file__).parents[3] / "docs" / "reading-the-report.md").read_text()
    titles = [one.title for one in summary(numbered()).sections]
    assert [title for title in titles if f"| {title} |" not in docs] == []


@pytest.mark.parametrize(("many", "said"), [(30, False), (31, True)])
def test_of_many_attributes_those_that_changed_the_most_are_drawn(many, said):
    same = dict.fromkeys(("original_share", "release_share"), 0.5)
    shapes = [
        made(Shape, column=f"c{place}", bars=(made(Bar, **same | {"release_share": place / 100}),))
        for place in range(many)
    ]
    found = side_by_side(msgspec.structs.replace(numbered(), shapes=tuple(shapes)))
    drawn = [one.about for one in found.exhibits[1:]]
    assert drawn == [f"c{place}" for place in range(30)]  # they changed by 0.5, 0.49, ...
    assert found.exhibits[-1].name == "shape-30"
    text = [plain(one) for one in found.paragraphs]
    assert ("The attributes that changed most are shown." in text) is said


@pytest.mark.parametrize(
    ("many", "said"),
    [(200, "all are in the table"), (201, "the table lists the first of 201, the evidence all")],
)
def test_of_many_groups_the_first_are_in_the_table(many, said):
    groups = tuple(made(GroupRisk, group=f"g{place}") for place in range(many))
    found = numbered({"subgroups.groups": groups})
    stress_test = people(found).choices[0]
    shown = next(one for one in stress_test.exhibits if one.name == "subgroups")
    assert [plain(row[1]) for row in shown.table.rows] == [f"g{place}" for place in range(200)]
    assert f"The chart shows the groups at the highest risk; {said}" in plain(shown.notes[0])


SAME = {"chance": 1.0, "discarded_ratio": 1.0}


def test_discards_that_chance_explains_are_said_of_the_group_that_it_explains_least():
    """Which is no warning, and has no other sentence beside it."""
    groups = (made(GroupLoss, n=100, discarded=0.2, **SAME),)
    found = loss(numbered({"loss.suppression.groups": groups}))
    said = [plain(one) for one in found.paragraphs]
    (told,) = (one for one in said if "not released" in one)
    assert "; most affected is loss.suppression.most_discarded.column" in told
    assert not any("Chance" in one for one in said)


def test_groups_that_lost_the_most_are_first_and_those_that_lost_nothing_are_not_there():
    given = {"a": (0.2, 0.0), "b": (0.0, 0.5), "c": (0.0, 0.0), "d": (0.4, 0.4), "e": (1.0, None)}
    groups = tuple(
        made(GroupLoss, name=name, discarded=out, generalisation=left, generalisation_ratio=left)
        for name, (out, left) in given.items()
    )
    found = loss(numbered({"loss.suppression.groups": groups}))
    shown = next(one for one in found.exhibits if one.name == "subgroup-loss")
    assert [plain(row[1]) for row in shown.table.rows] == ["e", "d", "b", "a"]
    # Columns in which no group has a ratio are left out.
    keys = [one.key for one in shown.table.columns]
    assert keys == ["column", "group", "n", "generalisation", "generalisation_ratio"]


def test_what_several_measures_say_of_themselves_is_said_once():
    notes = {f"loss.measures.{place}.note": "so it is" for place in (0, 2)}
    found = loss(numbered(notes | {"loss.measures.1.note": ""}))
    assert [plain(one) for one in found.exhibits[1].notes] == ["IL1s, pMSE: so it is."]


def test_four_attacks_are_followed_each_once():
    names = ["a", "b", "a", "c", "d", "e"]
    found = numbered({"attacks": tuple(finding(name) for name in names)})
    each = [msgspec.structs.replace(one.risk, attributes=("age",)) for one in found.attacks]
    attacks = [
        msgspec.structs.replace(one, risk=risk)
        for one, risk in zip(found.attacks, each, strict=True)
    ]
    shown = rank_of_truth(msgspec.structs.replace(found, attacks=tuple(attacks)))
    followed = [plain(row[0]) for row in shown.exhibits[0].table.rows]
    assert list(dict.fromkeys(followed)) == ["a", "b", "c", "d"]
    assert len(followed) == 4 * 5


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({}, "may stay unchanged; forbid row order; max loss"),
        (
            {3: "columns_without_a_role"},
            "columns without a role (not measured); forbid row order; max loss",
        ),
        (
            {3: "columns_without_a_role", 4: "identifiers_released"},
            "columns without a role (not measured); identifiers released; max loss",
        ),
    ],
)
def test_whether_the_policy_is_kept_is_said(limits, said):
    names = {f"verdict.limits.{place}.limit": name for place, name in limits.items()}
    names |= {"verdict.limits.3.found": None} if limits else {}
    evidence = numbered(names | {"verdict.passed": False})
    found = summary(evidence)
    assert found.passed is False
    assert plain(misses(evidence.verdict.misses)).startswith(said)
    first = said.partition(";")[0]
    assert plain(found.verdict).endswith(f"it misses 3 of 5 limits; the largest miss: {first}.")
    kept = summary(numbered({"verdict.passed": True}))
    assert kept.passed is True
    assert plain(kept.verdict) == "This release keeps the policy: all 5 limits hold."


def test_without_a_policy_there_is_no_section_on_limits_and_one_sentence():
    page = summary(numbered({"verdict": None}))
    assert all(one.key != "limits" for one in page.sections)
    said = [plain(one.value) for one in page.answers]
    assert sum("No policy was given" in one for one in said) == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"front": ()}, "people."),
        ({"dominated": ()}, "Of any two, the one with less risk loses more (none is dominated)."),
        ({"front": ("b.csv",)}, "people. Only b.csv is not dominated."),
        (
            {"dominated": [None] * 2, "dominated.1.release": "d.csv", "dominated.1.by": ("a.csv",)},
            "people. Not dominated: a.csv, b.csv. Dominated: c.csv, d.csv.",
        ),
    ],
)
def test_between_which_the_choice_is(given, said):
    assert plain(comparison_summary(numbered_comparison(given)).verdict).endswith(said)


@pytest.mark.parametrize(
    ("fewest", "below", "said"),
    [(1, 12, "at least 1 row that fits for each of 40 people; for 12 fewer than 5."),
     (7, 0, "at least 7 rows that fit for each of 40 people.")],
)  # fmt: skip
def test_how_many_rows_fit_is_said_in_a_sentence(fewest, below, said):
    fit = made(
        CompatibleRows,
        columns=("age",), n=40, population=40, fewest=fewest, none=0, below_5=below,
    )  # fmt: skip
    found = inference(msgspec.structs.replace(numbered(), compatible=fit))
    lead = [plain(one) for exhibit in found.exhibits for one in exhibit.lead]
    assert f"An intruder who knows age finds {said}" in lead


def test_what_dependence_changes_is_said():
    found = {"chosen": "3 classes", "converged": False, "differing_pairs": 1200}
    said = plain(dependence_phrase({"dependence": found | {"mean_difference": 0.123}}))
    assert "Assuming independence changes the match probability of 1,200 pairs" in said
    assert "and of an expected match by 12.3 points on average. EM has not converged" in said
    same = plain(dependence_phrase({"dependence": {"chosen": "none"}}))
    assert same == "no model of dependent attributes has a lower BIC than independence."


def test_the_page_says_what_independence_misstates():
    details = {"dependence": {"chosen": "log-linear", "converged": True, "differing_pairs": 40}}
    details["dependence"]["mean_difference"] = 0.05
    found = msgspec.structs.replace(finding("probabilistic", 0.3), details=details)
    for external in (False, True):
        said = attacks(evidence(attacks=(found,)), external=external).paragraphs
        assert any("match probability of 40 pairs" in plain(one) for one in said)
