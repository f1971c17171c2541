"""What the page says of the scenarios."""

import pytest

from fixtures.evidence import made
from fixtures.numbered_evidence import numbered
from unveil.reports.content import Exhibit
from unveil.reports.sections.attacks import attacks
from unveil.reports.sections.scenarios import _shared, achieved, brief_table, scenarios
from unveil.reports.tables import Table, text
from unveil.support.phrases import plain
from unveil.values.results.policy import Limit
from unveil.values.results.risk import Interval
from unveil.values.results.scenarios import ScenarioResult, SharedCount

STRESS_TEST = "stress test"


def limit(name, allowed, *, kept, scenario=STRESS_TEST):
    return Limit(limit=name, allowed=allowed, found=0.5, kept=kept, reason="", scenario=scenario)


def intruder(name=STRESS_TEST, **given):
    shared = SharedCount(count=50.0, of=100, share=0.5)
    of = {"linked": shared, "confirmed": shared, "wrongly_confirmed": shared, "learned": ()}
    return made(ScenarioResult, name=name, not_learned="no column", **of | given)


@pytest.mark.parametrize(
    ("low", "said"), [(1e-4, "0 %"), (0.0, "0 %"), (-1e-4, "0 %"), (0.0006, "0.1 %")]
)
def test_the_lower_end_of_an_interval_rounds_to_0(low, said):
    counted = SharedCount(count=0.0, of=30, share=0.0, interval=Interval(low, 0.132, 0.95))
    assert plain(_shared(counted)).splitlines()[-1] == f"{said} to 13.2 %"


def test_every_limit_of_a_figure_is_shown_the_broken_one_first():
    """A kept limit of the stress test hid the broken limit of the policy on the same figure."""
    limits = (
        limit("max_linked", 0.99, kept=True), limit("max_risk", 0.05, kept=False),
        limit("max_confirmed", 0.6, kept=True), limit("max_confirmed", 0.1, kept=False),
        limit("max_loss", 0.1, kept=False),
    )  # fmt: skip
    linked, confirmed, wrong, _ = achieved(intruder(), limits, external=False)
    signs = ["✗ broken: limit 5 %", "✓ kept: limit 99 %"]
    assert plain(linked).splitlines()[-2:] == signs
    assert plain(confirmed).splitlines()[-2:] == ["✗ broken: limit 10 %", "✓ kept: limit 60 %"]
    assert "limit" not in plain(wrong)
    others = achieved(intruder("register"), limits[1:2], external=False)
    assert "limit" not in plain(others[0])  # max_risk is of the stress test


@pytest.mark.parametrize(
    ("right", "wrong", "released", "said"),
    [
        ((42.0, 1000), (52_004.0, 514_987), 1000, "of 52,046 claims 42 are right"),
        ((37.0, 300), (6.0, 300), 100, "of 43 claims 37 are right"),  # three draws of 100
        ((0.0, 300), (0.0, 300), 100, ""),
    ],
)
def test_how_many_of_all_claims_are_right(right, wrong, released, said):
    counts = [SharedCount(count=n, of=of, share=n / of) for n, of in (right, wrong)]
    row = intruder(confirmed=counts[0], wrongly_confirmed=counts[1], released=released)
    confirmed = plain(achieved(row, (), external=False)[1])
    assert confirmed.splitlines()[2:] == ([said] if said else [])


@pytest.mark.parametrize(("share", "there"), [(1.0, True), (0.0, False)])
def test_the_page_says_where_the_stress_test_counts_the_links_of_another(share, there):
    evidence = numbered({"scenarios.0.linked.share": share})
    assert evidence.stress_test.linked.share == share
    said = " ".join(plain(one) for one in attacks(evidence).paragraphs)
    assert ("An intruder who knows less links 100 %; the table of intruders" in said) is there


@pytest.mark.parametrize(("taken_in", "there"), [(("acquaintance",), True), ((), False)])
def test_the_stress_test_names_whose_figures_it_takes_in(taken_in, there):
    evidence = numbered({"scenarios.0.taken_in": taken_in})
    said = " ".join(plain(one) for one in scenarios(evidence).choices[0].paragraphs)
    assert ("Where another intruder (acquaintance) achieves more" in said) is there


def test_an_intruder_in_one_line():
    cells = ("register", "knows 8", "19.1 %\n191 of 1,000\n✗ broken: limit 5 %\n✓ kept: limit 99 %")
    shown = Table((text("who", "who"), text("knows", "knows"), text("linked", "linked")), (cells,))
    table = brief_table(Exhibit(name="scenarios", title="", table=shown))
    assert table.rows == (("register", "19.1 % ✗ 5 % ✓ 99 %"),)
