"""``unveil compare`` as a user meets it."""

import json

import numpy as np
import pytest

from fixtures.evidence import evidence, finding, of_households, verdict
from unveil.files.documents.evidence import write_evidence, write_records
from unveil.values.results.evidence import Audit
from unveil.values.results.risk import Interval
from unveil.workflows.compare import compare


@pytest.fixture
def audited(tmp_path, monkeypatch):
    """The evidence and the records of three releases, in files."""
    monkeypatch.chdir(tmp_path)
    column = "distance original-to-release"
    for name, risk, loss, passed in (("a", 0.4, 0.1, False), ("b", 0.1, 0.2, True),
                                     ("c", 0.5, 0.2, False)):  # fmt: skip
        made = evidence(
            f"{name}.csv", risk=risk, loss=loss, verdict=verdict(passed=passed),
            policy={"max_risk": 0.2}, subgroup=risk, inside={"age": 0.5},
        )  # fmt: skip
        each = np.random.default_rng(1).permutation((np.arange(100) < 100 * risk).astype(float))
        write_evidence(made, f"{name}.json")
        write_records(Audit(made, {column: each}), f"{name}.records.csv")
    write_evidence(evidence("s.csv", risk=None, loss=None), "s.json")


pytestmark = pytest.mark.usefixtures("audited")


@pytest.fixture
def wide(monkeypatch):
    """No cell of a table is wrapped."""
    monkeypatch.setattr("unveil.cli.console.WIDEST", 1000)


RECORDS = [word for name in "abc" for word in ("--records", f"{name}.records.csv")]


@pytest.mark.usefixtures("wide")
def test_compare_prints_who_is_better_at_what(unveil_command):
    done = unveil_command("-v", "compare", "a.json", "b.json", "c.json", *RECORDS)
    assert done.code == 0
    rows = [line.split() for line in done.out.splitlines()]
    for row in (
        "a.csv distance 100 40.0 % 50 40.0 % 37.5 % 0.1 0 misses 1 of 1 not dominated",
        "b.csv distance 100 10.0 % 50 10.0 % 37.5 % 0.2 0 kept not dominated",
        "c.csv distance 100 50.0 % 50 50.0 % 37.5 % 0.2 0 misses 1 of 1 dominated",
        "people linked by the stress test 10.0 % b.csv",
        "interval disclosure, beyond chance 37.5 % a.csv, b.csv, c.csv",
        "information loss, from 0 to 1 0.1 a.csv",
    ):
        assert row.split() in rows
    for words in (
        "Only b.csv keeps every limit of the policy. Compared: 3 releases of one original",
        "- a.csv: misses 1 of 1 limit\n- c.csv: misses 1 of 1 limit\n",
        (
            "c.csv is dominated by a.csv, b.csv: more risk or more loss, and not less of either; "
            "the policy is broken by a.csv."
        ),
        "Not dominated, the lowest risk first: b.csv, a.csv. ",
        "a lower loss does not offset a higher risk",
        "100 records attacked in both",
    ):
        assert words in done.out
    row = next(line.split() for line in done.out.splitlines() if line.startswith("a.csv minus b"))
    assert row[:4] == ["a.csv", "minus", "b.csv", "30.0"]
    assert 10 < float(row[4]) < 30 < float(row[5]) < 50
    assert "MEASURE BY MEASURE" not in done.out  # it would have nothing below it


def test_compare_prints_one_screen(unveil_command):
    """An answer, the limits that are missed and one table; every table with --verbose."""
    done = unveil_command("compare", "a.json", "b.json", "c.json", *RECORDS)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 120
    assert "DIFFERENCES" not in done.out
    assert "this page" not in unveil_command("-v", "compare", "a.json", "b.json", *RECORDS[:4]).out


def test_json_is_the_comparison(unveil_command):
    names = ["a.json", "b.json", "c.json"]
    shown = json.loads(unveil_command("compare", *names, *RECORDS, "--json", "--seed", "3").out)
    found = compare(names, records=RECORDS[1::2], seed=3)
    assert set(shown) == set(found.__struct_fields__)
    assert shown["front"] == list(found.front) == ["b.csv", "a.csv"]
    interval = found.differences[0].paired.interval
    assert shown["differences"][0]["paired"]["interval"]["low"] == interval.low
    other = json.loads(unveil_command("compare", *names, *RECORDS, "--json").out)
    assert other["differences"] != shown["differences"]


@pytest.mark.usefixtures("wide")
def test_what_is_not_known_is_said(unveil_command):
    sampled = finding(interval=Interval(0.05, 0.2, 0.95))
    write_evidence(evidence("d.csv", attacks=(sampled,)), "d.json")
    done = unveil_command("-v", "compare", "a.json", "s.json", "d.json")
    assert done.code == 0
    for words in (
        "nobody was attacked",
        "10.0 %                    5.0 %   20.0 %",
        "Not compared, because risk or loss is not known: s.csv.",
        "not known for",
        "no interval: the risk of each record is not given (records, --records)",
        "- No attack was made on s.csv",
    ):
        assert words in done.out
    alone = unveil_command("-v", "compare", "b.json", "c.json", *RECORDS[2:]).out
    assert "Only b.csv is not dominated." in alone
    assert unveil_command("compare", "a.json", "s.json", "b.json", *RECORDS[:4]).code == 0


@pytest.mark.usefixtures("wide")
def test_households_stand_beside_persons_and_the_policy(unveil_command, tmp_path):
    for name, share in (("h", 0.5), ("i", 0.025)):
        attacks = (of_households(share, persons=0.2),)
        limits = {"max_household_risk": 0.05}
        write_evidence(evidence(f"{name}.csv", attacks=attacks, policy=limits), f"{name}.json")
    done = unveil_command("-v", "compare", "h.json", "i.json", "--report", "page.html")
    rows = [line.split() for line in done.out.splitlines()]
    attack = "households-posterior original to release household number"
    for row in (
        f"h.csv {attack} 20.0 40 50.0 % 5.0 % 20.0 %",
        f"i.csv {attack} 1.0 40 2.5 % 5.0 % 20.0 %",
        "households linked by the stress test 2.5 % i.csv",
    ):
        assert row.split() in rows
    page = (tmp_path / "page.html").read_text()
    assert "Households linked by the best attack, beside persons" in page
    shown = json.loads(unveil_command("compare", "h.json", "i.json", "--json").out)["releases"]
    assert [(one["households"]["n"], one["max_household_risk"]) for one in shown] == [
        (40, 0.05)
    ] * 2
    assert "households" not in unveil_command("compare", "a.json", "b.json").out.lower()


@pytest.mark.parametrize(
    ("code", "args", "said"),
    [
        (2, [], "Missing argument"),
        (2, ["a.json"], "1 release cannot be compared"),
        (3, ["a.json", "no.json"], "no.json: the evidence cannot be read"),
        (3, ["a.json", "a.records.csv"], "this is not the complete evidence of an audit"),
        (2, ["a.json", "b.json", "--records", "a.records.csv"], "in the same order: 2, not 1"),
        (3, ["b.json", "a.json", *RECORDS[:4]], "a.records.csv: records: the risks by distance"),
        (3, ["a.json", "b.json", "--records", "a.json", "--records", "b.json"], "a.json: "),
        (2, ["a.json", "b.json", "--seed", "x"], "--seed"),
    ],
)
def test_mistakes(unveil_command, code, args, said):
    done = unveil_command("compare", *args)
    assert (done.code, done.out) == (code, "")
    assert said in done.err


def test_evidence_of_another_original(unveil_command):
    write_evidence(evidence("x.csv", original="ff"), "x.json")
    done = unveil_command("compare", "a.json", "x.json")
    assert done.code == 3
    assert "a.json and x.json have originals with different contents" in done.err
    assert "audit every release against the same file" in done.err


def test_a_policy_that_none_keeps_ends_with_1_and_says_by_how_much(unveil_command, tmp_path):
    (tmp_path / "policy.toml").write_text("max_risk = 0.05\nmax_loss = 0.15\n")
    done = unveil_command("compare", "a.json", "b.json", "--policy", "policy.toml")
    assert (done.code, done.err) == (1, "")
    assert (
        "No release keeps every limit of the policy. Nearest is a.csv: it misses 1 of 2 limits. "
    ) in " ".join(done.out.split())
    assert "\n- a.csv: stress test, linked 40.0 % (limit 5 %, 35.0 points above)\n" in done.out
    as_json = unveil_command("compare", "a.json", "b.json", "--policy", "policy.toml", "--json")
    assert as_json.code == 1
    assert json.loads(as_json.out)["recommendation"] == {"kept": [], "nearest": ["a.csv"]}
    (tmp_path / "policy.toml").write_text("max_risk = 0.2\n")
    kept = unveil_command("compare", "a.json", "b.json", "--policy", "policy.toml")
    assert kept.code == 0
    assert kept.out.startswith("Only b.csv keeps every limit of the policy.")


def test_a_policy_that_cannot_be_read_is_named(unveil_command, tmp_path):
    (tmp_path / "policy.toml").write_text("max_risks = 0.2\n")
    done = unveil_command("compare", "a.json", "b.json", "--policy", "policy.toml")
    assert done.code == 3
    assert "policy.toml" in done.err
