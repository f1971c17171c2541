"""A thousand cases of the fuzzer, and that it would find what it looks for."""

import msgspec
import pytest

import unveil
from tests.fuzz import cases, checks, commands, plans
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
