"""A page for others has nothing that helps an attacker, anywhere in its bytes."""

import json

import msgspec
import pytest

from fixtures.numbered_evidence import numbered, numbered_comparison, places, told
from fixtures.pages import FILE, PLAN_SEED, QUOTES, SCALE, SEED, STAYED, TURNED, Page
from unveil.measures.identity.subgroups import FIFTHS
from unveil.reports.charts.export import svg
from unveil.reports.page import page
from unveil.reports.summary import comparison_summary, summary
from unveil.values.results.loss import GroupLoss
from unveil.wording import printable
from unveil.workflows.compare import compare

GROUP = "a group that is named"


@pytest.fixture(scope="module")
def discarded(evidence):
    """The same, with some people left out, one group more than others."""
    gone = GroupLoss(
        column=QUOTES, name=GROUP, n=20, discarded=0.25, discarded_ratio=2.0, chance=0.01,
        suppressed=0.125, suppressed_ratio=2.0,
    )  # fmt: skip
    lost = msgspec.structs.replace(
        evidence.loss.suppression, discarded=0.1, suppressed=0.05, groups=(gone,),
        most_discarded=gone, most_suppressed=gone,
    )  # fmt: skip
    loss = msgspec.structs.replace(evidence.loss, suppression=lost)
    return msgspec.structs.replace(evidence, loss=loss)


@pytest.fixture(scope="module")
def internal(discarded):
    return page(summary(discarded))


@pytest.fixture(scope="module")
def external(discarded):
    return page(summary(discarded, external=True))


def _forms(number):
    return str(number), f"{number:,}"


def test_parameters_seeds_and_files_are_left_out(discarded, internal, external):
    secret = [
        *_forms(SEED), *_forms(PLAN_SEED), str(SCALE), "0.314", GROUP, "--per-record",
        *(one.sha256 for one in discarded.inputs.values()), "marked", ".csv", "map marked",
    ]  # fmt: skip
    assert FILE.startswith("marked")
    for words in secret:
        assert words not in external, words
    for words in (*_forms(SEED)[1:], str(SCALE), GROUP, "marked"):  # else this proves nothing
        assert words in internal


def test_who_is_at_the_highest_risk_is_left_out(discarded, internal, external):
    read = Page(external)
    assert not {"riskiest", "records", "subgroups", "attributes", "remedies", "unchanged", "inputs",
                "interval-attributes", "uniqueness"} & set(read.charts())  # fmt: skip
    for key in ("people", "next", "made", "unchanged", "notes"):
        assert f'id="{key}"' not in external
    groups = {one.group for one in discarded.subgroups.groups}
    assert groups & {*FIFTHS}
    assert not {*FIFTHS} & {*read.names}
    assert {*FIFTHS} & {*Page(internal).names}
    assert "knowledge-surface" in read.charts()
    assert "The most revealing attributes first" in _section(internal, "knowledge")
    assert "<bdi>" not in _section(external, "knowledge")


def test_what_stayed_as_it_was_is_left_out(discarded, internal, external):
    """Neither in words, nor in the limit on it, nor by the columns of the plan."""
    assert STAYED in discarded.unchanged.unchanged
    for key in ("unchanged", "singled-out", "row-order"):
        assert f'href="#word-{key}"' not in external
    limit = next(one for one in summary(discarded, external=True)["limits"].exhibits)
    row = next(row for row in limit.table.rows if str(row[1]) == "may stay unchanged")
    assert STAYED not in json.dumps(msgspec.to_builtins(row))
    assert f"<bdi>{printable(TURNED)}</bdi>" not in _section(external, "limits")
    assert discarded.uniqueness.perturbed
    assert "perturbed" not in external
    for words in ("shift of the mean", "standard deviation (ratio to the original)"):
        assert words in internal
        assert words not in external
    plan = _section(external, "plan")
    assert "additive-noise" in plan
    assert "<bdi>" not in plan
    assert "<bdi>" in _section(internal, "plan")


def _section(text, key):
    return text.split(f'<section id="{key}"')[1].split("</section>")[0]


def test_it_says_what_it_leaves_out(external):
    assert "External report" in external
    assert "This is the external page" in external


def test_the_figures_are_of_the_same_summary(discarded):
    shown = [
        one
        for one in summary(discarded, external=True).exhibits()
        if one.chart == "knowledge_surface"
    ]
    assert QUOTES[:3].encode() not in svg(shown[0])


def test_a_comparison_has_no_names_of_files(evidence):
    sampled = msgspec.structs.replace(evidence, attacks=evidence.attacks[1:], known=())
    found = compare([evidence, sampled], names=["swapped-17.csv", "noise-marked.csv"])
    assert found.notes
    said = page(comparison_summary(found, external=True))
    assert "release 2" in said
    for words in ("swapped-17", "noise-marked", ".csv"):
        assert words not in said
    assert "swapped-17" in page(comparison_summary(found))


# What is said to those who answer for the release, and to nobody else; `said` has the whole pages.
SECRET = {
    "by where rows stand": "position",
    "why an attack was not made": "left_out.0.reason",
    "what is known": "known.0",
    "how many cells have another value": "changes.0.replaced",
    "of which keys a limit is": "verdict.limits.2.keys.0",
    "one attribute beside itself": "shapes.0.column",
    "how a risk is spread": "at_risk.above",
    "which margin to demand": "precision.margin",
    "how the truth was told": "'truth'",
    "where there is uniqueness": "uniqueness.",
    "what was known of halves": "halves.known.0",
    "what was released of them": "halves.released.0",
    "what found each other": "halves.correspondence.0",
    "what was dropped": "halves.dropped",
    "what counts in the worst case": "worst_cases.0.importance",
    "what acts together there": "worst_cases.0.together",
}


@pytest.mark.parametrize("words", SECRET.values(), ids=SECRET)
def test_it_is_not_said_to_others(words):
    found = numbered()
    inside, outside = (told(summary(found, external=one), places(found)) for one in (False, True))
    assert words in inside
    assert words not in outside


def test_the_loss_can_be_traced_by_others():
    """Measures of numbers, categories and tables, and the uses that the overall loss is of."""
    found = numbered()
    outside = told(summary(found, external=True), places(found))
    for words in ("IL1s", "[change]", "single tables", "<loss.uses.0.value"):
        assert words in outside


def test_the_order_of_the_rows_is_not_told_where_it_is_the_worst():
    found = numbered()
    by_order = found.attacks[3]
    assert by_order.row_order is not None
    worst = msgspec.structs.replace(found, attacks=(by_order, *found.attacks[:3]))
    inside, outside = (told(summary(worst, external=one), places(worst)) for one in (False, True))
    for words in ("position", "the row number of every person", "(row-order)"):
        assert words in inside
        assert words not in outside
    assert "an intruder who knows what this page does not tell" in outside
    assert "The strongest shown here, [distance](attack-distance), links <attacks.1." in outside
    alone = msgspec.structs.replace(found, attacks=(by_order,))
    assert "attacks" not in [one.key for one in summary(alone, external=True).sections]


@pytest.mark.parametrize("words", ["position", "unchanged", ".csv", ".note"])
def test_a_comparison_does_not_say_it_to_others(words):
    found = numbered_comparison()
    inside, outside = (
        told(comparison_summary(found, external=one), places(found)) for one in (False, True)
    )
    assert words in inside
    assert words not in outside
