"""What every paper shares: printed figures, the yardstick, trials that are kept, and modules."""

import importlib
import logging
import multiprocessing
from concurrent.futures.process import BrokenProcessPool
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from unveil.errors import FileError, UnveilError, UsageError
from unveil_papers import papers
from unveil_papers.framework import running
from unveil_papers.framework.experiment import PaperTrial, TrialLog
from unveil_papers.framework.journal import Journal
from unveil_papers.framework.published import Published, PublishedClaim, PublishedTable, published
from unveil_papers.framework.reproduction import Cell
from unveil_papers.framework.verdicts import judge_claims
from unveil_papers.framework.yardstick import compare_table, own_table

PAPER, ALONE = "supervised", ("compatibility",)  # a trial that needs no data


def printed(cells, **given):
    table = PublishedTable("noise", "%", ("A", "B"), cells, **given)
    return Published("t", "s", ("one",), {"Table 1": table}, (PublishedClaim("here", "so"),))


def marks(paper, ours, **given):
    table = compare_table(
        paper, "Table 1", lambda row, column: ours[row, column], digits=1, **given
    )
    return {(cell.row, cell.column): cell.mark for cell in table.cells}


def test_figures_that_are_not_drawn_are_equal_in_every_printed_digit():
    paper = printed("x_1 12.3 100\ny - 0.5")
    ours = {("x 1", "A"): 12.3499, ("x 1", "B"): 100.6, ("y", "A"): 7, ("y", "B"): None}
    assert marks(paper, ours) == {
        ("x 1", "A"): "same", ("x 1", "B"): "different",
        ("y", "A"): "ours", ("y", "B"): "not reproducible",
    }  # fmt: skip
    assert marks(paper, ours, within=0.001)["x 1", "B"] == "same"
    cut_off = printed("x_1 12.3 100\ny - 0.5", truncated=True)
    assert marks(cut_off, ours)["x 1", "B"] == "same"
    words = [
        compare_table(one, "Table 1", lambda *_: None, digits=1).yardstick
        for one in (paper, cut_off)
    ]
    assert words[1] == f"{words[0]}, or cut off there"


@pytest.mark.parametrize(("runs", "errors"), [(6, 5.5), (100, 3.0)])
def test_drawn_figures_may_be_three_standard_errors_away(runs, errors):
    """Of Student's t where runs are few; theirs have an error, too, of the same deviation."""
    ours = np.tile([-1.0, 1.0], runs // 2)
    error = ours.std(ddof=1) * np.sqrt(1 / runs + 1 / 25)
    from scipy.stats import t

    most = t.isf(0.5 * 0.0026998, runs - 1) * error + 0.0005
    assert most / error == pytest.approx(errors, abs=0.5)
    for away, mark in ((0.999, "same"), (1.001, "different")):
        paper = printed(f"x {most * away:.3f} -", runs=25)
        table = compare_table(paper, "Table 1", lambda *_: ours, digits=1, why="because")
        assert table.cells[0].mark == mark
        assert table.cells[0].why == ("because" if mark == "different" else "")
        assert (table.cells[0].error, table.cells[0].runs) == (pytest.approx(error), runs)
        said = "3 standard errors of the difference (5.5 where there are 6 runs)"
        assert (said in table.yardstick) is (runs == 6)


@pytest.mark.parametrize(("runs", "why"), [(4, "4 runs are too few to tell"), (5, "")])
def test_too_few_runs_have_no_mark(runs, why):
    """With two Student's t allows 235 errors: all would be the same."""
    ours = {("x", "A"): np.arange(float(runs)), ("x", "B"): [1.0]}
    table = compare_table(printed("x 1 -"), "Table 1", lambda *at: ours[at], digits=1)
    first, second = table.cells
    assert (first.mark, first.why) == ("ours" if why else "same", why)
    assert (first.ours, first.theirs) == (np.mean(range(runs)), "1")
    assert (second.mark, second.why) == ("ours", "")  # nothing is printed


def test_why_a_figure_cannot_be_reproduced():
    paper = printed("x 1 2")
    table = compare_table(
        paper, "Table 1", lambda *_: 1, digits=0, why="moved",
        impossible=lambda row, column: f"{row} is lost" if column == "A" else "",
    )  # fmt: skip
    assert [(cell.mark, cell.why) for cell in table.cells] == [
        ("not reproducible", "x is lost"),
        ("different", "moved"),
    ]
    assert table.reasons()["moved"] == [table.at("x", "B")]


def test_figures_of_ours_have_no_mark():
    table = own_table("Beside", "more", "%", {"x": {"A": [1.0, 3.0], "B": None}}, digits=1)
    assert table.cells[1] == Cell(row="x", column="B")
    assert (table.cells[0].mark, table.written(table.cells[0])) == ("ours", "2.0 ± 1.0")


def test_a_claim_is_judged_by_the_function_that_it_names():
    given = {"so": True, "words": "in 1 of 1"}
    claims = [
        PublishedClaim("here", "so", judge="test_frame.judge", given=given),
        PublishedClaim("there", "not so", because="It is a matter of opinion."),
    ]
    paper = msgspec.structs.replace(printed("x 1 2"), claims=tuple(claims))
    experiment = SimpleNamespace(__name__="papers", results=lambda *_: 1)
    first, second = judge_claims(experiment, TrialLog({}), paper)
    assert (first.number, first.where, first.verdict, first.because) == (
        1, "here", "holds", "In 1 of 1: in 1 of 1.",
    )  # fmt: skip
    assert (second.number, second.verdict) == (2, "cannot be tested")


def judge(results, so, words):
    return "holds" if so else "does not hold", f"In {results} of 1: {words}"


@pytest.mark.parametrize("name", [one for one in papers.PAPERS if published(one).claims])
def test_every_claim_has_a_judge_or_says_why_not_and_every_judge_a_claim(name):
    package = running.experiment(name).__name__
    judges = {claim.judge for claim in published(name).claims if claim.judge}
    for claim in published(name).claims:
        assert bool(claim.judge) != bool(claim.because), claim.says
    for key in judges:
        module, _, function = key.partition(".")
        assert callable(getattr(importlib.import_module(f"{package}.{module}"), function))
    for module in {key.partition(".")[0] for key in judges} - {"judging"}:
        for function, value in vars(importlib.import_module(f"{package}.{module}")).items():
            if getattr(value, "__module__", "") == f"{package}.{module}" and function[0] != "_":
                assert f"{module}.{function}" in judges


@pytest.mark.parametrize("name", papers.NAMES)
def test_where_nothing_is_said_or_drawn_there_is_none(name):
    paper = running.experiment(name)
    assert hasattr(paper, "results") == bool(published(name).claims)
    assert hasattr(paper, "curves") == (name == "fuzzy-integrals")


def test_what_was_found_by_run():
    found = TrialLog({f"noise census 0.1 {run}": {"A": run} for run in (10, 2, 0)})
    assert found.by_run("noise", "census", 0.1, figure="A") == [0, 2, 10]
    assert found.mean("noise", "census", 0.1, figure="A") == 4


def test_one_figure_is_not_several():
    found = TrialLog({"trees 5": {"leaves": 3, "shares": [0.5, 0.25]}})
    assert found.one("trees", 5, figure="leaves") == 3
    assert found.series("trees", 5, figure="shares") == [0.5, 0.25]
    with pytest.raises(TypeError, match="'shares' is a list of figures"):
        found.one("trees", 5, figure="shares")
    with pytest.raises(TypeError, match="'leaves' is one figure"):
        found.series("trees", 5, figure="leaves")


class Fake:
    """An experiment of three trials; the second can be made to fail."""

    DATA = ()

    def __init__(self):
        self.ran, self.stopped = [], True
        self.WORK = {"add": self.add}

    def add(self, number, *, seed):
        if number == 2 and self.stopped:
            raise KeyboardInterrupt
        self.ran.append(number)
        return {"sum": number + seed, "list": [0.1, 1 / 3]}

    def trials(self, *, quick):
        yield from (
            PaperTrial("add", (number,), 4.0 - number) for number in ((1,) if quick else (1, 2, 3))
        )


@pytest.fixture
def fake(monkeypatch):
    made = Fake()
    monkeypatch.setattr(running, "experiment", lambda _name: made)
    return made


def run(fake, journal, **given):
    told = []
    wanted = [("fake", trial) for trial in fake.trials(quick=False)]
    try:
        running.run(wanted, seed=5, journal=journal, processes=1,
                    progress=lambda *so: told.append(so), **given)  # fmt: skip
    except KeyboardInterrupt:
        told.append("stopped")
    return told


def test_a_run_that_was_stopped_goes_on_where_it_was(fake, tmp_path):
    told = run(fake, Journal(5, tmp_path))
    assert (fake.ran, told) == ([1], [("fake", 0, 6), ("fake", 3, 6), "stopped"])
    fake.stopped = False
    told = run(fake, Journal(5, tmp_path))
    assert (fake.ran, told) == ([1, 2, 3], [("fake", 3, 6), ("fake", 5, 6), ("fake", 6, 6)])
    kept = Journal(5, tmp_path)
    assert kept.of("fake")["add 2"] == {"sum": 7, "list": [0.1, 1 / 3]}
    assert kept.path.stat().st_mode & 0o077 == 0
    assert not Journal(6, tmp_path).of("fake")  # another seed


def test_a_line_that_was_cut_off_is_run_again(fake, tmp_path):
    fake.stopped = False
    run(fake, Journal(5, tmp_path))
    path = Journal(5, tmp_path).path
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])  # in the middle of the last trial
    run(fake, Journal(5, tmp_path))
    assert fake.ran == [1, 2, 3, 3]
    path.write_bytes(b"\xff\xfe{}\n[1]\n" + whole)
    assert len(Journal(5, tmp_path).of("fake")) == 3


def test_what_is_run_afresh_takes_the_place_of_the_old(fake, tmp_path):
    fake.stopped = False
    run(fake, Journal(5, tmp_path))
    Journal(5, tmp_path).add("other", "add 1", {"sum": 0})
    journal = Journal(5, tmp_path)
    journal.forget([("fake", "add 1"), ("fake", "add 9")])
    journal.add("fake", "add 1", {"sum": -1})
    again = Journal(5, tmp_path)
    assert again.of("fake")["add 1"] == {"sum": -1}
    assert set(again.of("fake")) == {"add 1", "add 2", "add 3"}
    assert again.of("other") == {"add 1": {"sum": 0}}  # of another paper nothing is forgotten


def test_what_cannot_be_kept_is_refused_before_anything_is_run(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="cannot be kept"):
        Journal(5, tmp_path / "file" / "folder").check()


def test_reproduce_runs_what_is_wanted_and_keeps_the_rest(fake, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(papers, "experiment", lambda _name: fake)
    monkeypatch.setattr(running, "cores", lambda: 1)
    fake.stopped, fake.tables = False, lambda found, _printed: [
        own_table("Sums", "of all", "", {"x": {"A": found.of("add", 1)["sum"]}}, digits=0)
    ]  # fmt: skip
    first = papers.reproduce(["grid"], quick=True, seed=4)
    assert (fake.ran, first["grid"].tables[0].cells[0].ours) == ([1], 5)
    assert papers.reproduce(["grid"], quick=True, seed=4) == first
    assert fake.ran == [1]
    papers.reproduce(["grid"], seed=4)
    assert fake.ran == [1, 2, 3]
    papers.reproduce(["grid"], quick=True, seed=4, fresh=True)
    assert fake.ran == [1, 2, 3, 1]


@pytest.mark.slow
def test_trials_run_in_processes_of_their_own(tmp_path):
    """The same figures as here, and nobody outlives the call."""
    trials = [PaperTrial(*ALONE), PaperTrial(*ALONE)]
    wanted = [(PAPER, msgspec.structs.replace(one, cost=1.0 + k)) for k, one in enumerate(trials)]
    journal, told = Journal(5, tmp_path), []
    running.run(wanted, seed=5, journal=journal, processes=2, progress=lambda *so: told.append(so))
    assert journal.of(PAPER) == {trials[0].key: running.work(PAPER, trials[0], 5)}
    assert [done for _, done, _ in told] in ([0, 1, 3], [0, 2, 3])
    assert not multiprocessing.active_children()


def test_a_process_that_is_killed_is_told_with_what_to_do(tmp_path, monkeypatch):
    def broken(*_, **__):
        raise BrokenProcessPool

    monkeypatch.setattr(running, "wait", broken)
    wanted = [(PAPER, PaperTrial(*ALONE)), (PAPER, PaperTrial("other"))]
    with pytest.raises(UnveilError, match="the same command goes on"):
        running.run(wanted, seed=5, journal=Journal(5, tmp_path), processes=2,
                    progress=lambda *_: None)  # fmt: skip


def test_what_is_tried_on_purpose_gives_no_warning(fake, caplog):
    fake.WORK["add"] = lambda *_, **__: logging.getLogger("unveil").warning("odd") or {}
    assert running.work("fake", PaperTrial("add", (1,)), 5) == {}
    assert not caplog.records


def test_a_name_that_is_no_paper():
    with pytest.raises(UsageError, match="did you mean 'rank-based'"):
        papers.reproduce(["rank-base"])


@pytest.mark.parametrize("name", papers.NAMES)
def test_a_run_in_a_hurry_is_part_of_a_full_one(name):
    paper = running.experiment(name)
    full = [trial.key for trial in paper.trials(quick=False)]
    assert len(set(full)) == len(full)
    quick = [trial.key for trial in paper.trials(quick=True)]
    assert set(quick) < set(full)
    assert {trial.work for trial in paper.trials(quick=False)} == set(paper.WORK)


@pytest.mark.parametrize("name", papers.NAMES)
def test_what_is_printed_can_be_read(name):
    paper = published(name)
    assert paper.title
    assert paper.source
    assert paper.setting
    for table in paper.tables.values():
        places = [(row, column) for row, column, _ in table.printed()]
        assert len(set(places)) == len(places)
        for _, _, figure in table.printed():
            assert figure is None or float(figure) >= 0
    for claim in paper.claims:
        assert claim.says.endswith(".")
