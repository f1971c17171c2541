"""The first screen: four answers from the evidence alone, for every kind of page."""

import msgspec
import pytest

from fixtures.evidence import made
from fixtures.numbered_evidence import numbered
from unveil.reports.answers import answers
from unveil.reports.page import entries, page
from unveil.reports.summary import summary
from unveil.support.phrases import plain
from unveil.values.results.policy import Limit, Verdict
from unveil.values.results.risk import Interval
from unveil.values.results.scenarios import ScenarioResult, SharedCount

KEPT = {"verdict.passed": True}
CLEAN = {"identifiers": (), "unchanged.without_role": None}


def policy(*limits):
    return {"verdict": Verdict(passed=all(one.kept for one in limits), limits=limits)}


def limit(name="max_linked", allowed=0.25, found=0.5, **given):
    excess = None if found is None else found - allowed
    of = {"allowed": allowed, "found": found, "kept": False, "reason": "", "excess": excess}
    return Limit(limit=name, **of | given)


RISK = policy(limit(), limit("k_anonymity", 3, 1, excess=None))


def said(given=None, *, external=False):
    found = answers(numbered(given), external=external)
    assert [plain(one.label) for one in found] == ["Tested", "Found", "Meaning", "Next step"]
    assert all(plain(one.value).endswith(".") for one in found)
    return [plain(one.value) for one in found]


def test_the_stress_test_stands_beside_the_strongest_intruder():
    tested, found, *_ = said()
    assert "(register, acquaintance, insider, bank) and an upper reference (stress test)" in tested
    assert found.startswith("The strongest intruder (register) finds the released row of")
    assert "; the upper reference (stress test) finds " in found


def of_rows(*rows):
    """The sentence on intruders: of each the name, share, interval and knowledge."""
    found = []
    for who, share, interval, knows in rows:
        shared = SharedCount(count=100 * share, of=100, share=share, interval=interval)
        found.append(made(ScenarioResult, name=who, linked=shared, knows=knows))
    return said({"scenarios": tuple(found)})[1]


@pytest.mark.parametrize(
    ("share", "interval", "knows", "words"),
    [
        (0.3, None, ("age",), "finds 37.0 %."),
        (0.378, Interval(0.285, 0.481, 0.95), ("age",),
         "is within the sampling error of the intruder's figure (28.5 % to 48.1 %)."),
        (0.5, None, ("age", "pay"),
         "finds 37.0 %, as it does not know every attribute that this intruder knows."),
        (0.5, Interval(0.4, 0.6, 0.95), ("age",),
         "finds 37.0 % and is no upper reference for this intruder."),
    ],
)  # fmt: skip
def test_an_intruder_above_the_upper_reference_has_the_reason(share, interval, knows, words):
    """The screen said 37.8 % and an upper reference of 37.0 %, and nothing else."""
    stress = ("stress test", 0.37, None, ("age",))
    found = of_rows(stress, ("insider", share, interval, knows))
    assert found.endswith(words)


def test_who_learns_most_need_not_be_who_links_most():
    """The insider linked most and learned 39.3 %; the acquaintance learned 56.2 %, unsaid."""
    given = {"scenarios.1.linked.share": 0.9, "scenarios.1.learned.0.learned": 0.393}
    others = {f"scenarios.{place}.learned.0.learned": 0.1 for place in (3, 4)}
    more = others | {"scenarios.2.learned.0.learned": 0.562}
    found = said(given | more)[1]
    assert (
        "; another intruder (acquaintance) learns scenarios.2.learned.0.column for 56.2 %" in found
    )
    assert "39.3 %" not in found
    less = others | {"scenarios.2.learned.0.learned": 0.1}
    assert " and so learns scenarios.1.learned.0.column for 39.3 %" in said(given | less)[1]


def test_where_no_intruder_can_make_an_attack_nothing_else_is_said():
    found = said({f"scenarios.{place}.linked": None for place in range(1, 5)})[1]
    assert found.startswith("No intruder can make an attack on this release; the upper reference")


@pytest.mark.parametrize("external", [False, True])
def test_others_are_told_no_column_no_remedy_and_no_attack(external):
    words = " ".join(said(CLEAN | RISK, external=external))
    for told in ("scenarios.1.learned.0.column", "remedies.tried.0.does"):
        assert (told in words) is not external
    assert "distance" not in words


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "Remove the identifiers (identifiers.0, identifiers.1)"),
        ({"identifiers": ()}, "Declare the roles of all columns"),
        (CLEAN | {"verdict": None}, "Set limits in a policy (`--policy`)"),
        (CLEAN | KEPT, "The policy allows the release, at an information loss of"),
        (CLEAN | RISK, "A tested remedy (remedies.tried.0.does) lowers the share"),
        (CLEAN | RISK | {"remedies": None}, "as it is: change the masking and audit"),
        (CLEAN | RISK | {"remedies.tried.0.holds": False}, "as it is: change the masking"),
        (CLEAN | policy(limit("max_loss")), "as it is: change the masking"),  # no risk to lower
        (CLEAN | policy(limit(found=None)), "audit it so that every limit is measured"),
    ],
)  # fmt: skip
def test_what_to_do_next_is_what_was_measured(given, words):
    assert words in said(given)[-1]


def test_a_remedy_says_what_was_not_repeated():
    given = CLEAN | RISK
    assert "were not repeated" not in said(given | {"remedies.share": 1.0})[-1]
    low = {"remedies.share": 1e-6, "remedies.tried.0.share": 0.0}
    words = said(given | low)[-1]
    assert "; household attacks, which link" in words


def test_synthetic_rows_are_not_attacked():
    tested, found, meaning, _ = said({"attacks": (), "scenarios": ()} | KEPT)
    assert "synthetic records" in tested
    assert "makes no attack" in tested
    assert found == "All rows of this release are synthetic, so nobody can be linked."
    assert meaning == "This release keeps the policy: all 5 limits hold."


def test_older_evidence_has_the_sentence_on_its_best_attack():
    tested, found, *_ = said({"scenarios": ()})
    assert tested.startswith("The audit makes 6 attacks on this release of")
    assert found.startswith("Our strongest attack links")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (policy(limit()), "its only limit: linked 50.0 % (25 % allowed, 25.0 points above)."),
        (policy(limit(kept=True)), "This release keeps the policy: its only limit holds."),
        (policy(limit(allowed=0.0)), "linked 50.0 % (0 % allowed, 50.0 points above)."),
        (policy(limit(found=None)), "it misses its only limit: linked (not measured)."),
        (policy(limit("columns_without_a_role", 0, 3, excess=None)), "columns without a role: 3."),
        (RISK, "it misses 2 of 2 limits; the largest miss: linked 50.0 %"),
        (policy(limit("max_loss", 0.1, 0.9), limit(scenario="register")),
         "it misses 2 of 2 limits; the largest miss by an intruder: register, linked"),
    ],
)  # fmt: skip
def test_what_a_policy_means(given, words):
    assert words in said(CLEAN | given)[2]


def test_the_estimate_stands_before_the_upper_end_that_is_judged():
    shared = SharedCount(count=47.0, of=100, share=0.47, interval=Interval(0.4, 0.526, 0.95))
    row = made(ScenarioResult, name="register", linked=shared, not_learned="no column")
    found = numbered(CLEAN | policy(limit(allowed=0.1, found=0.526, scenario="register")))
    found = msgspec.structs.replace(found, scenarios=(row,))
    miss = "linked 47.0 %, up to 52.6 % with sampling error (10 % allowed, 42.6 points above)."
    assert plain(answers(found)[2].value).endswith(f": register, {miss}")
    table = summary(found)["limits"].exhibits[0].table
    assert plain(table.rows[0][4]) == "47.0 %, up to 52.6 %"


@pytest.mark.parametrize("external", [False, True])
def test_words_of_cautions_are_in_the_glossary_of_the_page(external):
    found = summary(numbered({"grouping": ("home",)}), external=external)
    assert "household-number" in {one.key for one in entries(found)}
    text = page(found)
    assert 'href="#word-household-number"' in text
    assert 'id="word-household-number"' in text


def test_how_to_read_this_is_about_ten_lines():
    box = summary(numbered())["reading"]
    assert box.title == "How to read this"
    assert 8 <= len(box.points) <= 10
