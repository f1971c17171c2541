"""What the page of a search says, case by case."""

import msgspec
import pytest

from fixtures import choices
from fixtures.evidence import evidence, verdict
from unveil.errors import UsageError
from unveil.reports.sections.tried_plans import MOST_ROWS, masks_in_words
from unveil.reports.summary import choice_summary
from unveil.support.phrases import plain
from unveil.values.results.evidence import Audit


@pytest.mark.parametrize(
    ("masks", "said"),
    [
        ((), "nothing"),
        (({"method": "shuffle"},), "shuffle"),
        (
            ({"method": "rank-permutation", "p": 15, "columns": ["age", "income"]},),
            "rank-permutation (p = 15) of age, income",
        ),
        (
            (
                {"method": "pram", "name": "x", "theta": 0.2, "invariant": False},
                {"method": "somebody-elses", "by": "z", "of": {"a": 1}},
            ),
            "pram (theta = 0.2, invariant = no), then somebody-elses (by = z, of = as in the plan)",
        ),
    ],
)
def test_masks_are_said_in_words(masks, said):
    assert plain(masks_in_words(masks)) == said


def test_masks_are_said_by_their_effects():
    masks = (
        {"method": "rank-permutation", "p": 15, "columns": ["age", "income"]},
        {"method": "mondrian", "k": 5, "cells": "centres"},
        {"method": "top-coding", "threshold": 9, "columns": ["age"]},
    )
    assert plain(masks_in_words(masks, effects=True)) == (
        "age, income: values are exchanged within 15 % of the ranks (rank-permutation), then "
        "groups of at least 5 similar people become alike (mondrian, cells = centres), "
        "then top-coding (threshold = 9) of age"
    )


def test_the_audit_of_the_chosen_release_is_said():
    audit = Audit(evidence(verdict=verdict(passed=True), policy={"max_risk": 0.2}), {})
    said = choice_summary(choices.choice(audit=audit))
    assert said.passed is True
    assert "The audit makes every suitable attack" in plain(said["chosen"].paragraphs[-1])
    failed = Audit(evidence(verdict=verdict(passed=False), policy={"max_risk": 0.05}), {})
    said = choice_summary(choices.choice(audit=failed))
    assert said.passed is False
    assert "But its release breaks the policy in the audit: linked" in plain(said.verdict)


def test_a_plan_that_fails_on_fresh_seeds_only():
    refused = choices.confirmation(3, accepted=False)
    given = {"chosen": None, "nearest": 3, "confirmations": (refused,)}
    broken = choices.missed(0.043, bound=0.0521)
    said = choice_summary(choices.study(**given, missed=(broken,)))
    with_margin = "with the margin that further seeds need"
    assert plain(said.verdict).startswith(
        f"No plan keeps every limit of the policy {with_margin}. Nearest is plan 3, which keeps "
        "every limit on the seed of the search, but misses register: max linked (5.2 % as upper "
        f"bound on fresh seeds, 5 % allowed) {with_margin}. Some plan keeps each limit "
        f"{with_margin}, but no plan keeps all."
    )
    assert "an upper bound of 5.2 %." in plain(said["chosen"].paragraphs[2])
    never = choices.missed(0.043, bound=0.0521, never=True)
    said = choice_summary(choices.study(**given, missed=(never,)))
    assert f"No plan keeps register: max linked {with_margin}. The" in plain(said.verdict)
    older = choice_summary(choices.study(**given))
    assert f"on the seed of the search, but not {with_margin}. The search" in plain(older.verdict)


def test_plans_that_could_not_be_applied():
    said = "12 plans. 1 plan could not be applied; the first is plan 8: " + choices.REFUSED + "."
    assert plain(choice_summary(choices.study()).verdict).endswith(said)
    stopped = plain(choice_summary(choices.study(stopped=True, trials=60)).verdict)
    assert f"plan 8: {choices.REFUSED}. Nothing is released." in stopped
    applied = tuple(one for one in choices.study().tried if one.stage != "refused")
    assert plain(choice_summary(choices.study(tried=applied)).verdict).endswith("tried 11 plans.")


def test_a_limit_that_is_missed_with_the_margin_only():
    sure = choices.limit("max_confirmed", 0.009, 0.01)
    found = choices.study_without_choice()
    tried = tuple(
        msgspec.structs.replace(one, limits=(*one.limits[:1], sure)) if one.number == 4 else one
        for one in found.tried
    )
    missed = (
        choices.missed(0.06, never=True),
        msgspec.structs.replace(choices.missed(0.009), limit="max_confirmed", allowed=0.01),
    )
    said = choice_summary(msgspec.structs.replace(found, tried=tried, missed=missed))
    assert (
        "plan 4, which misses 1 of 2 limits: register, linked 6.0 % (5 % allowed, 1.0 points "
        "above); with the margin also register: max confirmed (0.9 % in the search, 1 % allowed). "
        "No plan keeps register: max linked. The" in plain(said.verdict)
    )


def test_no_plan_may_lose_so_much():
    tried = tuple(one for one in choices.study().tried if one.note == choices.TOO_MUCH)
    missed = choices.MissedLimit(
        limit="max_loss", scenario="", allowed=0.6, searched=0.71, never=True
    )
    found = choices.study(
        tried=tried, frontier=(), chosen=None, nearest=12, missed=(missed,), confirmations=(),
        costs=(), reach=(), notes=(),
    )  # fmt: skip
    assert plain(choice_summary(found).verdict).startswith(
        "No plan keeps every limit of the policy. Nearest is plan 12, which was not attacked, "
        "because its loss exceeds the policy: max loss 0.71 (0.6 allowed). No plan keeps max loss."
    )


def test_a_search_in_which_nothing_could_be_done():
    tried = tuple(one for one in choices.study().tried if one.stage == "refused")
    bare = choices.study(
        tried=tried, frontier=(), chosen=None, confirmations=(), costs=(), reach=(), notes=()
    )
    said = choice_summary(bare)
    assert "None could be carried out and attacked in full. Plan 8: " in plain(said.verdict)
    assert f"Plan 8: {choices.REFUSED}." in plain(said.verdict)
    assert [one.key for one in said.sections] == ["frontier"]
    assert said["frontier"].exhibits[0].chart is None


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            {"chosen": None, "nearest": 3, "confirmations": ()},
            (
                "No plan is confirmed on fresh seeds yet. Of the plans that are expected to keep "
                "every limit of the policy, plan 3 has the least loss. The search tried 12 "
                "plans and was stopped while plans were confirmed. 1 plan could not be applied; "
                f"the first is plan 8: {choices.REFUSED}. Nothing is released. The same command "
                "continues."
            ),
        ),
        (
            {"chosen": None, "nearest": 3, "confirmations": (), "missed": (choices.missed(0.043),)},
            (
                "No plan is confirmed on fresh seeds yet. The best so far is plan 3, which keeps "
                "every limit on the seed of the search, but misses register: max linked (4.3 % in "
                "the search, 5 % allowed) with the margin that further seeds need. The search"
            ),
        ),
        (
            {
                "chosen": None,
                "nearest": 4,
                "confirmations": (),
                "trials": 60,
                "tried": choices.study_without_choice().tried,
            },
            "No plan that was tried yet keeps every limit of the policy. Nearest is plan 4, which",
        ),
        ({}, "was stopped before its release. 1 plan could not be applied"),
    ],
)
def test_a_search_that_was_stopped(given, says):
    assert says in plain(choice_summary(choices.study(stopped=True, **given)).verdict)


def test_the_only_limit_is_missed():
    tried = tuple(choices.tried_plans(factor=5.0))
    bare = [msgspec.structs.replace(one, limits=one.limits[:1]) for one in tried]
    said = choice_summary(choices.study(tried=tuple(bare), chosen=None, nearest=4, costs=()))
    assert "Nearest is plan 4, which misses its only limit: register, linked" in plain(said.verdict)


def test_a_limit_that_confirmed_plans_break_alone():
    (linked, other) = choices.study().costs
    sure = msgspec.structs.replace(linked, estimated=False)
    said = choice_summary(choices.study(costs=(sure, other)))
    assert "plan 10 would keep every limit, by its bounds on fresh seeds" in plain(
        said["costs"].paragraphs[0]
    )


@pytest.mark.parametrize(
    ("limit", "allowed", "loosened", "word"),
    [("max_linked", 0.7, 1.0, "no limit"), ("k_anonymity", 1.4, 1.0, "no limit"),
     ("max_linked", 0.6, 0.9, "90 %"), ("k_anonymity", 3.0, 2.0, "2"),
     ("t_closeness", 1.0, 1.5, "1.5")],
)  # fmt: skip
def test_a_limit_that_allows_everything_is_none(limit, allowed, loosened, word):
    (linked, other) = choices.study().costs
    loose = msgspec.structs.replace(linked, limit=limit, allowed=allowed, loosened=loosened)
    said = choice_summary(choices.study(costs=(loose, other)))["costs"]
    assert plain(said.exhibits[0].table.rows[0][3]) == word
    without = "binds. Without it, plan 10 is expected to keep every limit"
    assert (without in plain(said.paragraphs[0])) is (word == "no limit")


@pytest.mark.parametrize(("loss", "warned"), [(0.9993, True), (0.99, False)])
def test_a_plan_that_destroys_a_use(loss, warned):
    found = choices.study()
    made = msgspec.structs.replace(choices.confirmation(3), loss=loss)
    lossy = msgspec.structs.replace(found.tried[2], uses={"models": 1.0, "relations": 0.4})
    tried = (*found.tried[:2], lossy, *found.tried[3:])
    said = plain(choice_summary(choices.study(tried=tried, confirmations=(made,))).verdict)
    destroyed = "But at this loss a use is destroyed (models): loosen a limit, or search another"
    assert (destroyed in said) is warned


def test_the_bound_of_a_limit_on_loss_is_shown():
    made = choices.confirmation(3)
    lost = msgspec.structs.replace(
        made.figures[0], limit="max_loss", scenario="", use="pay", allowed=0.3, mean=0.2, bound=0.25
    )
    made = msgspec.structs.replace(made, figures=(*made.figures, lost))
    table = choice_summary(choices.study(confirmations=(made,)))["chosen"].exhibits[1].table
    assert [plain(cell) for cell in table.rows[2]][:5] == ["pay: max loss", "0.3", "0.043", "0.2",
                                                           "0.25"]  # fmt: skip


def test_a_plan_that_was_not_attacked_has_no_risk():
    frontier = choice_summary(choices.study())["frontier"].exhibits[0]
    heads = [column.key for column in frontier.table.columns]
    row = frontier.table.rows[11]
    assert plain(row[heads.index("risk")]) == ""
    assert plain(row[heads.index("note")]) == choices.TOO_MUCH


def test_no_limit_binds():
    loose = [msgspec.structs.replace(one, binds=False) for one in choices.study().costs]
    said = choice_summary(choices.study(costs=tuple(loose)))
    assert "no plan that was tried is expected to lose less." in plain(said["costs"].paragraphs[0])


def test_of_many_plans_the_frontier_is_kept():
    last = msgspec.structs.replace(choices.study().tried[2], number=MOST_ROWS + 100)
    many = [msgspec.structs.replace(last, number=one) for one in range(1, last.number)]
    said = choice_summary(choices.study(tried=(*many, last), frontier=(last.number,), chosen=None))
    table = said["frontier"].exhibits[0].table
    assert len(table.rows) == MOST_ROWS
    assert plain(table.rows[-1][0]) == str(last.number)
    assert "The first of 300 plans are shown." in plain(said["frontier"].exhibits[0].notes[-1])


def test_uses_are_what_plans_are_compared_by():
    said = choice_summary(choices.study(uses=("pay", "regions")))
    (line,) = said["frontier"].exhibits[0].limits
    assert (line.axis, line.limit, line.value) == ("x", "max_loss", 0.6)
    assert "the largest loss of the uses pay, regions. A use" in plain(said.limits[2])


def test_the_page_is_not_for_others():
    with pytest.raises(UsageError, match="write the page of the audit"):
        choice_summary(choices.study(), external=True)
