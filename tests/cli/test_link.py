"""``unveil link`` as a user meets it."""

import json
import re
from pathlib import Path

import msgspec
import polars as pl
import pytest

import unveil
from unveil.attacks.structural import confidence as credit
from unveil.cli.console import print_lines
from unveil.reports.lines.link import linkage_lines
from unveil.workflows.inputs.scenario import prepare
from unveil.workflows.link import link_scenario, linkage

pytestmark = pytest.mark.usefixtures("quick_search")


@pytest.fixture
def files(tmp_path):
    """A bank's file and a hospital's, which share no attribute; another that shares three."""
    people = unveil.households(60, seed=3).to_frame()
    bank = people.select("person", "income", "tax", "age", "region")
    bank.write_csv(tmp_path / "bank.csv", separator=";")
    health = people.select("person", "education", "hours", "savings", "sex")[::-1]
    health.with_columns(ward=pl.lit(1)).write_csv(tmp_path / "health.csv")
    people.select("person", "age", "region", "tax", "hours")[::-1].write_csv(tmp_path / "tax.csv")
    return tmp_path


def run(unveil_command, folder, *more, second="health.csv"):
    return unveil_command("link", folder / "bank.csv", folder / second, *more)


def test_files_with_no_common_attribute(unveil_command, files, monkeypatch):
    monkeypatch.setattr(credit, "PRIOR_DEVIATION", 1e9)  # nothing is good enough
    done = run(unveil_command, files, "--truth", "person")
    assert (done.code, done.err) == (0, "")
    assert re.search(r"Not proven: .* By the truth, [\d.]+ of 60 links are correct\.", done.out)
    assert "These links are guesses" in done.out
    assert "Claimed" not in done.out
    by = ("--truth", "person", "--method", "correlation", "--controls", "2")
    done = run(unveil_command, files, *by)
    assert (done.code, done.err) == (0, "")
    for words in (
        "structural: 60 records of ", "Structural linkage uses income, tax, age",
        "Left out: ward, because it is constant.", "Linked by: ", "share of A with a partner in B",
        "Claimed (probability above 0.9)", "stay unlinked", "are expected to be correct",
        "By the truth, structural links ",
    ):  # fmt: skip
        assert words in done.out
    done = run(unveil_command, files, *by, "--json", "--confidence", "0.2")
    shown = json.loads(done.out)
    assert (shown["common"], shown["confidence"], shown["left_out"]) == (
        False, 0.2, {"ward": "is constant"},
    )  # fmt: skip
    assert shown["claimed"] + shown["unlinked"] == shown["records"] == 60
    assert {"method", "sure", "evidence", "correspondence", "left_out"} <= set(shown["details"])
    assert shown["risk"]["n"] == 60


def test_files_with_common_attributes(unveil_command, files):
    done = run(unveil_command, files, "--truth", "person", second="tax.csv")
    assert (done.code, done.err) == (0, "")
    assert "probabilistic: 60 records" in done.out
    assert "Compared (common attributes): tax, age, region." in done.out
    assert "By the truth, probabilistic links " in done.out
    assert " claimed links are correct" in done.out
    assert "Probability of at least this many correct links by chance: " in done.out
    done = run(unveil_command, files, "--truth", "person", "--blocks", "region", second="tax.csv")
    assert "Compared (common attributes): tax, age." in done.out
    assert "Blocks: records are compared only where equal in region." in done.out
    more = ("--truth", "person", "--blocks", "region", "--json")
    shown = json.loads(run(unveil_command, files, *more, second="tax.csv").out)
    assert (shown["blocks"], shown["mine"]) == (["region"], ["tax", "age"])
    assert shown["risk"]["law_of_chance"] == "drawn"  # tax ties
    done = run(unveil_command, files, second="tax.csv")
    assert "No two records agree in person. If it is an identifier" in done.out
    assert "Give --truth to count the correct links." in done.out
    done = run(unveil_command, files, "--knows", "age", second="tax.csv")
    assert "distance: 60 records" in done.out
    done = unveil_command("link", files / "tax.csv", files / "tax.csv", "--truth", "person")
    assert (done.code, "A and B are the same file" in done.out) == (0, True)


def test_parameters_are_of_the_attack_that_is_chosen(unveil_command, files):
    more = ["--truth", "person", "--json"]
    done = run(unveil_command, files, "--method", "ranking", "--structural-missing", "zero", *more)
    assert json.loads(done.out)["parameters"] == {"method": "ranking", "missing": "zero"}
    done = run(unveil_command, files, "--iterations", "7", *more, second="tax.csv")
    assert json.loads(done.out)["parameters"] == {"iterations": 7, "matching": "posterior"}
    done = run(unveil_command, files, "--matching", "one-to-one", *more, second="tax.csv")
    assert json.loads(done.out)["claimed"] is None
    done = run(unveil_command, files, "--matching", "nearest", "--knows", "age", second="tax.csv")
    assert "distance ranks candidates without probabilities" in done.out


def test_pairs_are_written(unveil_command, files):
    out = files / "pairs.csv"
    done = run(unveil_command, files, "--links", out)
    assert f"Wrote {out}: the pairs; keep it as private as " in done.out
    table = pl.read_csv(out)
    assert table["match_probability"].null_count() == 0
    assert out.stat().st_mode & 0o077 == 0
    done = run(unveil_command, files, "--links", out)
    assert (done.code, "--force" in done.err) == (3, True)
    assert run(unveil_command, files, "--links", out, "--force").code == 0
    done = run(unveil_command, files, "--links", files / "bank.csv", "--force")
    assert (done.code, "is an input and cannot be an output" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("code", "more", "said"),
    [
        (3, ["--knows", "incme"], "did you mean 'income'"),
        (3, ["--blocks", "wrd"], "blocks: in the first file, column 'wrd' is not in"),
        (2, ["--blocks", "person", "--truth", "person"], "column 'person' states who is who"),
        (2, ["--knows", ","], "name at least one attribute"),
        (2, ["--attack", "struktural"], "did you mean 'structural'"),
        (2, ["--criterion", "max"], "'criterion' is not a parameter"),
        (2, ["--truth", "nobody"], "neither a common column nor a file"),
        (2, ["--confidence", "1"], "0<=x<1"),
        (3, ["--attack", "distance", "--truth", "person"], "no attribute in common"),
        (3, ["--schema", "bad.toml"], "of both files, column 'incom' is not in"),
        (3, ["--other-schema", "bad.toml"], "column 'incom' is not in"),
        (3, ["--schema", "no.toml"], "no such file"),
    ],
)
def test_mistakes(unveil_command, files, monkeypatch, code, more, said):
    monkeypatch.chdir(files)
    Path("bad.toml").write_text("quasi = ['incom']")
    done = run(unveil_command, files, *more)
    assert (done.code, done.out, said in done.err) == (code, "", True), done.err


def told(capsys, **changed):
    """What is printed of links without a common attribute, some of it as a test wants it."""
    people = unveil.households(40).to_frame()
    first, second = people.select("income", "tax"), people.select("rent", "hours")
    scene = prepare(first, second, intruder=unveil.Intruder(), truth=None, seed=0)
    found = linkage(link_scenario(scene), scene)
    details = found.details | changed.pop("details", {})
    found = msgspec.structs.replace(found, details=details, **changed)
    print_lines(linkage_lines(found, Path("a.csv"), Path("b.csv")))
    return capsys.readouterr().out


def test_how_sure_it_is(capsys):
    chance = "Not proven"
    assert chance in told(capsys, sure=None)
    shown = told(capsys, sure=0.12)
    assert f"{chance}: the result differs" in shown
    assert "with a confidence of 12.0 % only" in shown
    assert "By the truth" not in shown  # nobody knows
    assert "These links are more than chance, with a confidence of 97.2 %." in told(
        capsys, sure=0.972
    )
    shown = told(capsys, sure=1.0)
    assert "a confidence of over 99.9 %" in shown
    assert chance not in shown


def test_the_columns_that_say_the_same(capsys):
    pairs = [
        {"mine": "income", "release": "rent", "correlation": 0.912},
        {"mine": "tax", "release": "hours", "correlation": -0.4},
    ]
    evidence = {
        "method": "correlation", "likelihood": 1234.5, "control": 3.2, "spread": 0.5, "most": 4.1,
        "controls": 12,
    }  # fmt: skip
    shown = told(capsys, details={"correspondence": pairs, "evidence": [evidence]})
    lines = [line.split() for line in shown.splitlines()]
    assert ["income", "rent", "0.91"] in lines
    assert ["tax", "hours", "-0.40", "reversed"] in lines
    assert ["correlation", "1,234", "3.2", "0.5", "4.1", "12"] in lines
    shown = told(capsys, details={"correspondence": pairs * 15})
    assert "and 10 weaker ones" in shown
