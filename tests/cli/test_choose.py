"""``unveil choose`` as a user meets it; the search itself is made up."""

import json
import sys
from hashlib import sha256
from types import SimpleNamespace

import pytest

import unveil
from fixtures import choices
from fixtures.evidence import evidence, verdict
from unveil.files import Csv
from unveil.files.documents.study_result import study_values, write_study
from unveil.values.results.evidence import Audit
from unveil.values.search_space import SearchSpace
from unveil.workflows.choosing.job import table_bytes
from unveil.workflows.choosing.limit_shares import told_of_plans

POLICY = """
max_loss = 0.6
[[intruder]]
name = "register"
max_linked = 0.05
"""
SPACE = """
[[combination]]
name = "noise"
[[combination.mask]]
method = "additive-noise"
scale = { from = 0.1, to = 1.0 }
"""
CHOOSE = ("choose", "survey.csv", "--schema", "survey.toml", "--policy", "policy.toml", "-o", "out")


@pytest.fixture
def searched(tmp_path, monkeypatch):
    """A search that finds what a test says; the arguments that it was called with."""
    monkeypatch.chdir(tmp_path)
    people = unveil.households(60, seed=7)
    unveil.write(people, "survey.csv")
    unveil.write(people.schema, "survey.toml")
    (tmp_path / "policy.toml").write_text(POLICY)
    (tmp_path / "space.toml").write_text(SPACE)
    search = SimpleNamespace(study=choices.study(), passed=True, given=None)

    def choose(original, **given):
        search.given = {"original": original, **given}
        given["progress"]("plan 3 of 12; 5 on the frontier", 3, 12)
        if search.study.chosen is None:
            return choices.choice(search.study)
        masks = search.study[search.study.chosen].masks
        data = unveil.read(original, given["schema"], format=given["format"])
        release = unveil.mask(data, list(masks), seed=5)
        found = evidence(verdict=verdict(passed=search.passed), policy={"max_risk": 0.05})
        return choices.choice(search.study, release, Audit(found, {}))

    monkeypatch.setitem(sys.modules, "unveil.workflows.choose", SimpleNamespace(choose=choose))
    return search


def there(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))


PLANS = sorted(f"plans/{number}.toml" for number in (*range(1, 8), *range(9, 13)))
CHOSEN = ["audit.html", "audit.json", "choice.html", "choice.json", *PLANS, "release.csv",
          "release.plan.toml"]  # fmt: skip


@pytest.mark.usefixtures("searched")
def test_a_choice_and_its_files(unveil_command, tmp_path):
    done = unveil_command(*CHOOSE, "--title", "A survey")
    assert (done.code, done.err) == (0, "")
    assert there(tmp_path / "out") == CHOSEN
    assert unveil.files.read_study("out/choice.json") == choices.study()
    for words in (
        "Plan 3 keeps every limit of the policy with the least loss: 0.225 on average over 8",
        "The search tried 12 plans. 1 plan could not be applied; the first is plan 8: ",
        "plan 10 is expected to keep every limit, by its figures in the search and a margin",
        "its loss is 0.191, 0.032 less.",
        "7 of 8, upper",
        "Wrote out/release.csv",
        "unveil mask survey.csv --schema survey.toml --plan out/plans/3.toml",
    ):
        assert words in " ".join(done.out.split())
    assert "<h1>A survey</h1>" in (tmp_path / "out/choice.html").read_text()
    masks = unveil.files.read_plan("out/release.plan.toml").masks
    plan = unveil.files.read_plan("out/plans/3.toml")
    assert (plan.seed, plan.masks) == (None, masks)
    again = unveil_command(
        "mask", "survey.csv", "--schema", "survey.toml", "--plan", "out/plans/3.toml", "-o", "m.csv"
    )
    assert again.code == 0
    assert len(unveil.read("m.csv")) == 60


@pytest.mark.usefixtures("searched")
def test_a_release_in_the_dialect_of_the_original(unveil_command, tmp_path):
    people = unveil.read("survey.csv", "survey.toml")
    unveil.write(people, "survey.csv", format=Csv(delimiter=";", decimal=","), force=True)
    assert unveil_command(*CHOOSE, "--delimiter", ";", "--decimal", ",").code == 0
    lines = (tmp_path / "out/release.csv").read_text().splitlines()
    assert ";" in lines[0]
    assert "." not in lines[1]


def test_what_the_search_is_told(unveil_command, searched):
    unveil_command(*CHOOSE)
    told = {name: value for name, value in searched.given.items() if name != "progress"}
    assert told.pop("policy").max_loss == 0.6
    assert str(told.pop("study")) == "out/study.sqlite"
    assert {name: str(told[name]) for name in ("original", "schema")} == {
        "original": "survey.csv", "schema": "survey.toml"
    }  # fmt: skip
    rest = {"space": None, "effort": "normal", "trials": None, "workers": 1, "seed": 0}
    assert told.items() >= (rest | {"engine": "auto"}).items()
    unveil_command(
        *CHOOSE, "--force", "--space", "space.toml", "--trials", "9", "--workers", "2", "--seed",
        "4", "--study", "postgresql://host/db?study=s",
    )  # fmt: skip
    assert isinstance(searched.given["space"], SearchSpace)
    assert [searched.given[name] for name in ("trials", "workers", "seed", "study")] == [
        9, 2, 4, "postgresql://host/db?study=s"
    ]  # fmt: skip


def test_where_no_plan_keeps_the_policy(unveil_command, searched, tmp_path):
    assert unveil_command(*CHOOSE).code == 0
    searched.study = choices.study_without_choice()
    again = unveil_command(*CHOOSE)
    assert again.code == 3
    assert "out: the folder already has a choice (release.csv); name another" in again.err
    done = unveil_command(*CHOOSE, "--force")
    assert (done.code, done.err) == (1, "")
    assert "No plan keeps every limit of the policy. Nearest is plan 4, which misses 1" in done.out
    assert "No plan keeps register: max linked." in " ".join(done.out.split())
    assert there(tmp_path / "out") == ["choice.html", "choice.json", *PLANS]  # none of the old


def test_a_choice_from_another_study_is_another_draw(unveil_command, searched, tmp_path):
    drawn_again = "- The folder had a choice by the same policy and space from another study"
    searched.study = choices.study(study="a")
    assert drawn_again not in unveil_command(*CHOOSE).out
    assert drawn_again not in unveil_command(*CHOOSE, "--force").out  # it goes on with its study
    searched.study = choices.study(study="b", policy={"max_risk": 0.1})
    assert drawn_again not in unveil_command(*CHOOSE, "--force").out
    searched.study = choices.study(study="c", policy={"max_risk": 0.1})
    assert drawn_again in unveil_command(*CHOOSE, "--force").out
    assert "drawn again" in (tmp_path / "out/choice.html").read_text()
    assert "drawn again" in unveil.files.read_study("out/choice.json").notes[-1]


def test_a_choice_without_its_study_is_not_drawn_again(unveil_command, searched, tmp_path):
    people = unveil.read("survey.csv", "survey.toml")
    policy = told_of_plans(unveil.files.read_policy("policy.toml")).to_dict()
    digest = sha256(table_bytes(people)).hexdigest()
    searched.study = choices.study(study="a", policy=policy, original=digest)
    assert unveil_command(*CHOOSE).code == 0
    again = unveil_command(*CHOOSE, "--force")
    assert again.code == 3
    assert "this original by this policy, and out/study.sqlite is not its study" in again.err
    assert (tmp_path / "out/release.csv").exists()
    assert unveil_command(*CHOOSE, "--force", "--study", "other.sqlite").code == 3
    (tmp_path / "out/study.sqlite").touch()
    assert unveil_command(*CHOOSE, "--force").code == 0  # it goes on
    (tmp_path / "out/study.sqlite").unlink()
    assert unveil_command(*CHOOSE, "--force", "--study", "postgresql://host/db?study=s").code == 0
    (tmp_path / "policy.toml").write_text(POLICY.replace("0.6", "0.7"))
    assert unveil_command(*CHOOSE, "--force").code == 0


def test_a_search_that_fails_leaves_no_folder(unveil_command, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    people = unveil.households(60, seed=7)
    unveil.write(people, "survey.csv")
    unveil.write(people.schema, "survey.toml")
    (tmp_path / "policy.toml").write_text("max_loss = 0.6")
    done = unveil_command(*CHOOSE)
    assert done.code == 2
    assert "it sets no limit on risk" in done.err
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("searched")
def test_whole_numbers_of_a_plan_stay_whole(unveil_command, tmp_path):
    unveil_command(*CHOOSE)
    first = choices.study().tried[0].masks
    assert f"p = {first[0]['p']}\n" in (tmp_path / "out/plans/1.toml").read_text()
    assert isinstance(first[0]["p"], int)


def test_a_release_that_fails_its_audit_is_not_written(unveil_command, searched, tmp_path):
    searched.passed = False
    done = unveil_command(*CHOOSE)
    assert done.code == 1
    assert "But its release breaks the policy in the audit: linked 10.0 %" in done.out
    assert there(tmp_path / "out") == [one for one in CHOSEN if not one.startswith("release")]


def test_a_search_that_was_stopped_goes_on(unveil_command, searched):
    searched.study = choices.study(stopped=True, trials=60)
    done = unveil_command(*CHOOSE)
    assert done.code == 130
    stopped = "The search was stopped after 12 plans of 60; this is the best result so far."
    assert stopped in " ".join(done.out.split())
    searched.study = choices.study()
    assert unveil_command(*CHOOSE).code == 0
    assert unveil_command(*CHOOSE).code == 3


@pytest.mark.usefixtures("searched")
def test_json_is_the_study(unveil_command):
    done = unveil_command(*CHOOSE, "--json")
    assert json.loads(done.out) == json.loads(json.dumps(study_values(choices.study())))


@pytest.mark.parametrize(
    ("code", "args", "said"),
    [
        (2, ("--trials", "9", "--effort", "quick"), "--trials and --effort both limit"),
        (2, ("--workers", "0"), "--workers"),
        (2, ("--effort", "long"), "'--effort': 'long' is not one of"),
        (3, ("--policy", "survey.toml"), "'attributes' is not a parameter"),
        (3, ("--policy", "no.toml"), "no.toml: the policy cannot be read"),
        (3, ("--space", "policy.toml"), "policy.toml: search-space: 'max_loss' is not a parameter"),
        (3, ("-o", "survey.csv"), "survey.csv: the folder cannot be made"),
    ],
)
def test_what_is_refused_before_the_search(unveil_command, searched, code, args, said):
    done = unveil_command(*CHOOSE, *args)
    assert done.code == code
    assert said in done.err
    assert searched.given is None


@pytest.mark.usefixtures("searched")
def test_no_input_is_replaced(unveil_command, tmp_path):
    (tmp_path / "survey.csv").rename("release.csv")
    done = unveil_command("choose", "release.csv", *CHOOSE[2:-1], ".", "--force")
    assert done.code == 2
    assert "release.csv is an input and cannot be an output" in done.err
    assert (tmp_path / "release.csv").exists()


def test_the_help_fits_a_screen(unveil_command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = unveil_command("choose", "--help").out
    assert len(shown.splitlines()) <= 60
    for word in ("p = { from = 1, to = 40 }", "--study PLACE", "Exit code 1"):
        assert word in shown


@pytest.mark.usefixtures("searched")
def test_compare_reads_a_study(unveil_command, tmp_path):
    write_study(choices.study(), "choice.json")
    done = unveil_command("compare", "choice.json", "--report", "page.html")
    assert (done.code, done.err) == (0, "")
    assert "Plan 3 keeps every limit" in done.out
    assert "THE FRONTIER" in done.out
    assert "chart-frontier" in (tmp_path / "page.html").read_text()
    shown = json.loads(unveil_command("compare", "choice.json", "--json").out)
    assert shown["frontier"] == [1, 9, 2, 10, 3, 11, 4]
    for others in (("choice.json",), ("survey.csv",), ("--policy", "policy.toml")):
        mixed = unveil_command("compare", "choice.json", *others)
        assert mixed.code == 2
        assert "a search (choice.json) is shown alone" in mixed.err
    external = unveil_command("compare", "choice.json", "--report", "e.html", "--external")
    assert external.code == 2
    assert "for others, write the page of the audit" in external.err


@pytest.mark.usefixtures("searched")
def test_report_writes_the_page_of_a_study(unveil_command, tmp_path):
    write_study(choices.study(), "choice.json")
    assert unveil_command("report", "choice.json", "--report", "page.html").code == 0
    assert "Choice of a plan" in (tmp_path / "page.html").read_text()
