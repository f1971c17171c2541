"""A thousand cases of the fuzzer, and that it would find what it looks for."""

import subprocess
import sys
import time

import msgspec
import pytest

import unveil
from tests.fuzz import cases, checks, commands, plans, tables
from tests.fuzz.draw import Draw
from tests.fuzz.tables import CANARY, NUMBER
from unveil.cli.main import COMMANDS

SEED, BATCH = 1, 100


@pytest.mark.parametrize("first", range(0, 1000, BATCH))
def test_cases(first):
    failures = [
        result.failure
        for number in range(first, first + BATCH)
        if (result := cases.run_case(SEED, number)).failure is not None
    ]
    assert not failures, ascii("\n\n".join(map(str, failures)))


@pytest.mark.parametrize("number", [14258, 26148, 27476, 27906, 36479, 68834, 96058])
def test_cases_that_failed_once(number):
    assert (failure := cases.run_case(2026, number).failure) is None, ascii(failure)


def test_every_method_and_command_is_generated():
    assert [*plans.MASKS] == [*unveil.masks.METHODS.names()]
    assert [*plans.ATTACKS] == [*unveil.attacks.METHODS.names()]
    assert {*commands.WEIGHTS} >= {*COMMANDS}


def test_a_case_is_determined_by_its_numbers():
    for number in range(20):
        one, other = (cases.Case(SEED, number, "mask") for _ in range(2))
        made = [each.table() for each in (one, other)]
        assert made[0].frame.equals(made[1].frame), number
        assert plans.a_plan(one.draw, made[0]) == plans.a_plan(other.draw, made[1])


@pytest.mark.parametrize("song", [f"the value {CANARY}7", f"above {NUMBER:,}", f"at {NUMBER:g}"])
def test_a_canary_is_heard(song):
    with pytest.raises(checks.BrokenError, match="canary"):
        checks.no_canary([("log", song)])
    checks.no_canary([("log", "seed 67701339, share 0.7701339, p 7.7013e-06")])


def failing(monkeypatch, kind):
    """The failure of a case that does something else."""
    monkeypatch.setitem(cases.BY_NAME, "mask", kind)
    return cases.run_case(SEED, 0, kind="mask").failure


def test_what_is_no_error_of_ours_is_a_failure(monkeypatch):
    def foreign(_case):
        raise KeyError("x")

    def refused(_case):
        raise unveil.UnveilError("no")

    def hanging(_case):
        while True:
            pass

    assert failing(monkeypatch, foreign).invariant == "KeyError"
    assert failing(monkeypatch, refused) is None
    monkeypatch.setattr(cases, "SECONDS", 0.05)
    assert failing(monkeypatch, hanging).invariant == "HangError"


def test_compiling_is_no_hang(monkeypatch):
    names = {"__name__": "numba.core", "clock": time.process_time}
    exec("def compiling(_case):\n    end = clock() + 0.2\n    while clock() < end: pass", names)  # noqa: S102
    monkeypatch.setattr(cases, "SECONDS", 0.05)
    assert failing(monkeypatch, names["compiling"]) is None


def test_a_process_ends_with_the_one_that_started_it():
    program = (
        "import multiprocessing, time; from tests.fuzz.jobs import _end_with_parent\n"
        "multiprocessing.get_context('spawn').Process(target=_end_with_parent).start()\n"
        "print('started', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        parent.stdout.readline()
        parent.kill()
        assert parent.communicate(timeout=30)[0] == b""  # both have closed it


@pytest.mark.parametrize("name", ["^a.*$", "*", "", "\0"])
def test_odd_names_are_generated(name, monkeypatch):
    """Those that polars takes for patterns, too, in tables with equal people."""
    monkeypatch.setattr(tables, "NAMES", (name, "age"))
    monkeypatch.setattr(tables, "ODD_NAMES", (name,))
    made = [tables.a_table(Draw(SEED, number)) for number in range(60)]
    assert sum(name in one.frame.columns for one in made) > 20


def test_a_failure_is_shown_by_few_records(monkeypatch):
    def broken(case):
        frame = case.table().frame
        checks.require(frame.height < 3, "size", f"{frame.height} rows")

    monkeypatch.setitem(cases.BY_NAME, "mask", broken)
    failures = (cases.run_case(SEED, number, kind="mask").failure for number in range(99))
    found = cases.smallest(next(one for one in failures if one is not None), kind="mask")
    assert found.said == "size: 3 rows"


def test_a_join_by_text_finds_a_false_claim(tmp_path):
    data = unveil.households(30, seed=1)
    text = checks.WrittenTable(data, tmp_path)
    promise = unveil.models.check(data, unveil.models.KAnonymity(k=2), keys=["sex", "region"])[0]
    checks.classes_hold(promise, text)
    false = msgspec.structs.replace(promise, found=promise.found + 1)
    with pytest.raises(checks.BrokenError, match="check by text"):
        checks.classes_hold(false, text)
