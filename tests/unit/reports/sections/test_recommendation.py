"""The first screen of a comparison: each release, the policy, and what each intruder achieves."""

import msgspec
import pytest

from fixtures.evidence import evidence
from fixtures.numbered_evidence import numbered_comparison
from unveil.reports.sections.numbered_releases import numbered_releases
from unveil.reports.sections.recommendation import (
    first_table,
    limits_in_detail,
    nearest_misses,
    recommendation,
)
from unveil.reports.summary import comparison_summary
from unveil.support.phrases import plain
from unveil.values.results.policy import Limit, Policy
from unveil.workflows.compare import compare


def missed(limit, scenario="register", found=0.5, **given):
    of = {"limit": limit, "scenario": scenario, "found": found, "reason": "", "allowed": 0.05}
    return Limit(**of | {"kept": False} | given)


def release(*limits):
    """The first release of a comparison, 9 % linked by a register, which misses these limits."""
    found = numbered_comparison({"recommendation.nearest": ("a.csv",)})
    one = found.releases[0]
    result = one.scenarios[0].result
    linked = msgspec.structs.replace(result.linked, share=0.09)
    result = msgspec.structs.replace(result, linked=linked)
    own = tuple(limit for limit in limits if limit.scenario == "register")
    scenario = msgspec.structs.replace(one.scenarios[0], result=result, limits=own)
    one = msgspec.structs.replace(one, missed=limits, limits=9, scenarios=(scenario,))
    return msgspec.structs.replace(found, releases=(one, *found.releases[1:]))


def test_of_many_misses_the_largest_of_each_intruder_is_named():
    limits = [missed("max_linked"), missed("max_learned", found=0.2), missed("max_loss", "")]
    limits += [missed("max_risk", "stress test"), missed("max_confirmed", "stress test", 0.4)]
    found = release(*limits)
    assert plain(recommendation(found)).endswith(
        "Nearest is a.csv: it misses 5 of 9 limits. The list has the largest miss of each intruder."
    )
    assert [plain(one) for one in nearest_misses(found)] == [
        "a.csv: register, linked 9.0 %, up to 50.0 % with sampling error (limit 5 %)",
        "a.csv: the file, max loss 0.5 (limit 0.05)",
        "a.csv: stress test, linked 50.0 % (limit 5 %)",
    ]


def test_a_miss_is_told_in_points():
    found = release(missed("max_linked", found=0.12, allowed=0.1, excess=0.02))
    said = "register, linked 9.0 %, up to 12.0 % with sampling error (limit 10 %, 2.0 points above)"
    assert [plain(one) for one in nearest_misses(found)] == [f"a.csv: {said}"]
    table = limits_in_detail(found).exhibits[-1].table
    assert plain(table.rows[0][-1]).endswith("(limit 10 %, 2.0 points above)")


def test_releases_with_the_same_misses_share_a_sentence():
    given = [evidence(one, risk=0.3, loss=0.1) for one in ("a.csv", "b.csv")]
    found = compare(given, policy=Policy(max_risk=0.05))
    said = plain(recommendation(found))
    assert said.endswith(" Nearest are a.csv, b.csv: each misses 1 of 1 limit.")
    (one,) = nearest_misses(found)
    assert plain(one).startswith("a.csv, b.csv: stress test, linked ")


def test_what_was_not_measured_has_its_reason():
    why = "not measured: the audit has no such intruder: audit the release with this policy"
    found = release(missed("max_linked", "bank", None, reason=why))
    assert [plain(one) for one in nearest_misses(found)] == [f"a.csv: bank, linked ({why})"]
    table = first_table(found)
    assert "bank" in [plain(row[0]) for row in table.table.rows]
    cell = next(row for row in table.table.rows if plain(row[0]) == "bank")[2]
    assert plain(cell) == "linked not known\n✗ not measured: limit 5 %"
    assert "audit the release with this policy (a.csv)." in plain(table.notes[-1])
    others = first_table(numbered_releases(found), external=True)
    assert not any("audit the release" in plain(one) for one in others.notes)


def test_each_release_has_the_policy_and_every_intruder_with_the_limits():
    table = first_table(release(missed("max_linked"))).table
    rows = {plain(row[0]): row for row in table.rows}
    assert list(rows) == ["policy", "register", "stress test", "loss"]
    assert plain(rows["policy"][2]) == "✗ broken: misses 1 of 9 limits"
    lines = plain(rows["register"][2]).splitlines()
    assert lines[:2] == ["linked 9.0 % (up to 50.0 %)", "✗ broken: limit 5 %"]
    assert lines[2].startswith("learned ")
    assert "of the values are out of date" in plain(rows["register"][1])


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (0.05, "No release keeps every limit of the policy. Nearest is b.csv: it misses 1 of 1"),
        (0.1, "Only b.csv keeps every limit of the policy. Compared: 2 releases"),
        (0.5, "These releases keep every limit of the policy, the least loss first: a.csv, b.csv."),
    ],
)
def test_the_recommendation_is_the_first_sentence(limit, said):
    given = [evidence("a.csv", risk=0.3, loss=0.1), evidence("b.csv", risk=0.1, loss=0.2)]
    found = compare(given, policy=Policy(max_risk=limit))
    assert plain(comparison_summary(found).verdict).startswith(said)
    none = plain(comparison_summary(compare(given)).verdict)
    assert none.startswith("No policy was given, so the comparison gives no verdict. Compared: 2")


def test_of_many_releases_the_first_are_in_the_first_table():
    given = [evidence(f"{n}.csv", risk=n / 10, loss=0.1) for n in range(8)]
    table = first_table(compare(given, policy=Policy(max_risk=0.01)))
    assert plain(table.table.columns[2].head) == "0.csv"
    assert len(table.table.columns) == 2 + 5
    assert "3 more releases are in the tables below." in [plain(one) for one in table.notes]
