"""The whole way on the embedded sample, as a user meets it."""

import io
import os
import re
import shlex
import sys
from contextlib import redirect_stdout
from types import SimpleNamespace

import pytest

import unveil
from fixtures import audits, choices
from fixtures.browser_checks import CUT, EMPTY, LAPTOP, LOST, PHONE, WIDE
from strategies.examples import THOROUGH
from unveil.cli import demo as command
from unveil.cli.main import main
from unveil.files.documents.evidence import evidence_json, read_evidence
from unveil.measures.information_loss import predictors
from unveil.values.results.evidence import Audit
from unveil.workflows import demo as demonstrating
from unveil.workflows.demo import PARTS, PLANS, DemoProgress, demonstrate

KINDS = ("csv", "html", "json", "map.csv", "plan.toml", "records.csv")


SHORT = {"sweep": False, "errors": (), "remask": 0, "remedies": False, "worst_case": False}


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """One run for all that look at what it leaves.

    `make test-all` makes all of each audit. In `make test` that is so of the last release, which
    the other process audits; the others are only attacked.
    """
    place = tmp_path_factory.mktemp("demo")
    audit, out = demonstrating.audit, io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out):
        if not THOROUGH:
            patch.setattr(demonstrating, "audit", audits.shortened(audit, SHORT))
        patch.chdir(place)
        patch.setattr(sys, "argv", ["unveil", "-v", "demo", "-n", "100", "--seed", "3"])
        main()  # which returns, although policies are broken
    return SimpleNamespace(place=place, folder=place / "demo", out=out.getvalue())


@pytest.mark.slow
def test_every_file_is_there(demo):
    names = {f"{name}.{kind}" for name in PLANS for kind in KINDS}
    names |= {"households.csv", "households.toml", "policy.toml", "comparison.html", "choice"}
    assert {path.name for path in demo.folder.iterdir()} == names
    data = unveil.read(demo.folder / "households.csv", demo.folder / "households.toml")
    assert data == unveil.households(100, seed=3)


@pytest.mark.slow
def test_what_is_written_gives_the_same_again(demo, tmp_path):
    for name in PLANS:
        plan = unveil.files.read_plan(demo.folder / f"{name}.plan.toml")
        assert plan.seed == 3
        again = unveil.mask(unveil.households(100, seed=3), plan)
        unveil.write(again, tmp_path / f"{name}.csv")
        written = (demo.folder / f"{name}.csv").read_bytes()
        assert (tmp_path / f"{name}.csv").read_bytes() == written
    found = unveil.compare([demo.folder / f"{name}.json" for name in PLANS])
    risks = [release.risk for release in found.releases]
    losses = [release.loss for release in found.releases]
    assert risks == sorted(risks, reverse=True)
    assert losses == sorted(losses)
    assert found.dominated == ()


@pytest.mark.slow
def test_the_strongest_attacks_of_a_whole_audit_are_made(demo):
    for name, strongest in (
        ("medium", demonstrating.LINKED_HOMES),
        ("strong", "tailored-original"),
    ):
        made = read_evidence(demo.folder / f"{name}.json").scenarios[0].attacks
        assert strongest in [one.name for one in made]


@pytest.mark.slow
def test_what_is_said(demo):
    said = demo.out
    assert "is a synthetic survey of persons in households" in said
    for name in PLANS:
        assert re.search(rf"^{name}: This release ", said, re.MULTILINE)
        assert os.path.join("demo", f"{name}.html") in said
    assert said.count("This release does not keep the policy") == 3
    assert "WHERE LIKE IS NOT COMPARED WITH LIKE" not in said
    assert "3 releases of one original of 100 people." in said
    assert "A search on 300 of these people: " in said
    assert len(said.splitlines()) <= 130


@pytest.mark.slow
def test_a_screen_unless_more_is_asked_for(demo, capsys):
    found = {name: Audit(read_evidence(demo.folder / f"{name}.json"), {}) for name in PLANS}
    compared = unveil.compare([one.evidence for one in found.values()], names=list(PLANS))
    result = demonstrating.Demonstration(found, compared, choices.choice())
    command._print_releases(demo.folder, result, whole=False)
    command._print_next_commands(demo.folder, whole=False)
    said = capsys.readouterr().out
    assert "strong: This release " in said
    assert "3 releases of one original of 100 people." in " ".join(said.split())
    assert "RISK AND LOSS" not in said
    assert said.count("unveil choose") == 1
    assert len(said.splitlines()) <= 40
    sentences = said[said.index("light: ") : said.index("Try: ")].splitlines()
    assert max(map(len, sentences)) <= 80
    assert said.splitlines()[-1] == (
        "`unveil demo --force --verbose` prints every table and more commands."
    )


@pytest.mark.slow
def test_the_commands_to_try_are_commands(demo, unveil_command, monkeypatch):
    monkeypatch.chdir(demo.place)
    text = demo.out[demo.out.index("Try: ") + 5 :].replace("\\\n", " ")
    lines = [shlex.split(line)[1:] for line in text.splitlines()]
    assert [line[0] for line in lines] == ["inspect", "mask", "audit", "compare", "choose"]
    for line in lines[:2]:
        assert unveil_command(*line).code == 0
    for line in lines[2:]:
        files = [word for word in line if word.startswith("demo")]
        assert files
        assert all((demo.place / file).is_file() for file in files)


@pytest.mark.slow
def test_nothing_is_overwritten_unasked(demo, unveil_command, monkeypatch):
    monkeypatch.setattr(demonstrating, "households", None)  # before any work
    before = (demo.folder / "households.csv").read_bytes()
    done = unveil_command("demo", "--folder", demo.folder)
    assert done.code == 3
    assert "exists already" in done.err
    assert (demo.folder / "households.csv").read_bytes() == before


def test_one_file_is_enough_to_refuse(unveil_command, tmp_path):
    (tmp_path / "strong.html").write_text("mine")
    done = unveil_command("demo", "--folder", tmp_path)
    assert done.code == 3
    assert "strong.html: the file exists already" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["strong.html"]


def test_a_folder_that_cannot_be_made(unveil_command, tmp_path):
    (tmp_path / "file").write_text("")
    done = unveil_command("demo", "--folder", tmp_path / "file" / "x")
    assert done.code == 3
    assert "cannot be made" in done.err


def test_ctrl_c_leaves_whole_files(unveil_command, tmp_path, monkeypatch):
    def stop(*_files, **_settings):
        raise KeyboardInterrupt

    monkeypatch.setattr(demonstrating, "audit", stop)
    done = unveil_command("demo", "--folder", tmp_path, "-n", "100")
    assert done.code == 130
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {
        "choice", "households.csv", "households.toml", "policy.toml",
        *(f"{name}.{kind}" for name in PLANS for kind in ("csv", "map.csv", "plan.toml")),
    }  # fmt: skip


@pytest.fixture
def quick_audits(monkeypatch):
    """Audits that take no time; which releases they were of."""
    audit, made = audits.shortened(demonstrating.audit, {"attacks": ["distance"], **SHORT}), []

    def audited(original, release, **asked):
        made.append(release.name)
        return audit(original, release, **asked)

    monkeypatch.setattr(demonstrating, "audit", audited)
    monkeypatch.setattr(demonstrating, "_choose", lambda *_: None)
    monkeypatch.setattr(predictors, "ROUNDS", 4)
    return made


def test_a_step_that_nobody_knows_moves_the_bar_a_little():
    seen = []
    shown = DemoProgress(lambda _, done, total: seen.append(done / total))
    shown.part("auditing", "auditing light")
    shown.step("something new", 0, 2000)
    shown.step("something new", 50, 2000)
    shown.step("done", 2000, 2000)
    assert seen[0] == seen[1] < seen[2] < seen[3] < 1


@pytest.mark.parametrize("python", ["/no/such/python", "/bin/false"])
def test_what_no_other_process_does_is_done_here(tmp_path, monkeypatch, quick_audits, python):
    monkeypatch.setattr(sys, "executable", python)
    seen = []
    found = demonstrate(
        tmp_path, records=100, progress=lambda _, done, total: seen.append((done, total))
    )
    assert sorted(quick_audits) == sorted(f"{name}.csv" for name in PLANS)
    assert list(found.audits) == list(PLANS)
    written = (tmp_path / "strong.json").read_bytes()
    assert written == evidence_json(found.audits["strong"].evidence)
    done = [one for one, _ in seen]
    assert done == sorted(done)  # the bar never goes back
    assert {total for _, total in seen} == {seen[0][1]}
    assert done[-1] == seen[0][1] - 100 * PARTS["comparing"]


@pytest.mark.slow
def test_the_other_process_finds_what_this_one_would(demo):
    name, kinds = list(PLANS)[-1], ("csv", "map.csv", "plan.toml")
    release, truth, plan = (demo.folder / f"{name}.{kind}" for kind in kinds)
    found = audits.audit(
        demo.folder / "households.csv",
        release,
        schema=demo.folder / "households.toml",
        attacks=["distance"],
        truth=truth,
        plan=plan,
        seed=3,
        **SHORT,
    )
    told = unveil.files.read_evidence(demo.folder / f"{name}.json")
    shares = {(one.name, one.risk.direction): one.risk.share for one in told.attacks}
    for one in found.evidence.attacks:
        assert shares[one.name, one.risk.direction] == one.risk.share


@pytest.mark.slow
@pytest.mark.parametrize("width", [LAPTOP, PHONE])
def test_the_pages_open_in_a_browser(demo, open_page, width):
    pages = sorted(demo.folder.glob("*.html"))
    assert len(pages) == len(PLANS) + 1
    for path in pages:
        opened = open_page(path, width)
        for wrong in (EMPTY, CUT, WIDE, LOST):
            assert opened.ask(wrong) == [], path.name
        assert opened.said == []
        assert opened.asked == [opened.address]
        opened.page.close()
