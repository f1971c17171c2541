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
    found = choices.study(chosen=None, nearest=3, confirmations=(refused,))
    said = choice_summary(found)
    assert "plan 3: it keeps every limit on the seed of the search, but not with" in plain(
        said.verdict
    )
    assert "Some plan keeps each limit, but no plan keeps all." in plain(said.verdict)
    assert "an upper bound of 5.2 %." in plain(said["chosen"].paragraphs[2])


def test_a_search_in_which_nothing_could_be_done():
    tried = tuple(one for one in choices.study().tried if one.stage == "refused")
    bare = choices.study(
        tried=tried, frontier=(), chosen=None, confirmations=(), costs=(), reach=(), notes=()
    )
    said = choice_summary(bare)
    assert "No plan could be applied and attacked in full." in plain(said.verdict)
    assert [one.key for one in said.sections] == ["frontier"]
    assert said["frontier"].exhibits[0].chart is None


def test_no_limit_binds():
    loose = [msgspec.structs.replace(one, binds=False) for one in choices.study().costs]
    said = choice_summary(choices.study(costs=tuple(loose)))
    assert "no plan that was tried has a lower loss." in plain(said["costs"].paragraphs[0])


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
    assert said["frontier"].exhibits[0].limits == ()  # the limit on the overall loss is another
    assert "the largest loss of the uses pay, regions. A use" in plain(said.limits[2])


def test_the_page_is_not_for_others():
    with pytest.raises(UsageError, match="write the page of the audit"):
        choice_summary(choices.study(), external=True)
