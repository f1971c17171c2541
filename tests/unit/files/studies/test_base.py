"""What every study promises, whatever the database."""

import os
import subprocess
import sys

import pytest

from unveil.errors import UsageError
from unveil.files.studies import StudyTask, open_study

WORKER = """
import sys
from unveil.files.studies import open_study
store = open_study(sys.argv[1])
store.begin({"original": "key"})
print(store.claim().number, flush=True)
sys.stdin.read()
"""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def place(request, tmp_path):
    """The place of a new study."""
    if request.param == "sqlite":
        return str(tmp_path / "study.db")
    return f"{request.getfixturevalue('server').uri}&study={tmp_path.name}"


@pytest.fixture
def open_one(place):
    """Open the study once more, as another process would."""
    stores = []

    def opened(phase=""):
        stores.append(open_study(place, phase=phase))
        stores[-1].begin({"original": "key"})
        return stores[-1]

    yield opened
    for store in stores:
        store.close()


def test_a_study_is_kept(open_one):
    one = open_one()
    one.add_round(1, [b"a", b"\0\xff"])
    assert one.claim() == StudyTask(1, 1, b"a", None, True)
    one.finish(1, b"")
    one.add_round(2, [b"c"])
    one.close()
    assert open_one().tasks() == [
        StudyTask(1, 1, b"a", b"", False),
        StudyTask(2, 1, b"\0\xff", None, False),
        StudyTask(3, 2, b"c", None, False),
    ]


def test_another_study_is_refused_and_stays_as_it_was(place, open_one):
    open_one().add_round(1, [b"a"])
    with open_study(place) as other, pytest.raises(UsageError) as caught:
        other.begin({"original": "key", "space": "another key"})
    said = str(caught.value)
    assert said == f"{place}: this study has another space; name another place (--study)"
    assert [task.work for task in open_one().tasks()] == [b"a"]


def test_a_round_is_added_once(open_one):
    one, other = open_one(), open_one()
    one.add_round(1, [b"a", b"b"])
    other.add_round(1, [b"x", b"y", b"z"])
    assert [task.work for task in other.tasks()] == [b"a", b"b"]


def test_a_round_is_added_whole(open_one):
    one = open_one()
    with pytest.raises(Exception):  # noqa: B017, PT011 - of the driver: None is not bytes
        one.add_round(1, [b"a", None])
    assert one.tasks() == []
    one.add_round(1, [b"a"])
    assert len(one.tasks()) == 1


def test_a_task_has_one_worker(open_one):
    one, other = open_one(), open_one()
    one.add_round(1, [b"a", b"b", b"c"])
    assert [one.claim().number, other.claim().number, one.claim().number] == [1, 2, 3]
    assert one.claim() is other.claim() is None
    assert [task.under_way for task in open_one().tasks()] == [True] * 3
    one.release(1)
    assert [task.under_way for task in other.tasks()] == [False, True, True]
    assert other.claim().number == 1


def test_only_the_first_tasks_are_claimed_on_request(open_one):
    one = open_one()
    one.add_round(1, [b"a", b"b", b"c"])
    assert [one.claim(up_to=2).number for _ in range(2)] == [1, 2]
    assert one.claim(up_to=2) is None


def test_closing_releases_the_claims_of_this_store_only(open_one):
    one, other, third = open_one(), open_one(), open_one()
    one.add_round(1, [b"a", b"b"])
    assert (one.claim().number, other.claim().number) == (1, 2)
    one.close()
    assert third.claim().number == 1
    assert third.claim() is None


def test_the_first_result_stays(open_one):
    one, other = open_one(), open_one()
    one.add_round(1, [b"a"])
    one.claim()
    one.finish(1, b"first")
    other.finish(1, b"second")
    assert other.tasks()[0].result == b"first"
    assert other.claim() is None


def test_a_task_that_was_finished_since_the_look_is_not_claimed(open_one):
    one, other = open_one(), open_one()
    one.add_round(1, [b"a", b"b"])
    lock = other.lock

    def finished_before(number):
        if number == 1:
            one.finish(one.claim().number, b"done")
        return lock(number)

    other.lock = finished_before
    assert other.claim().number == 2
    assert one.claim() is None


def test_a_value_is_kept_once(open_one):
    one, other = open_one(), open_one()
    assert one.keep_once("seed", b"1") == b"1"
    assert other.keep_once("seed", b"2") == b"1"
    assert other.keep_once("other", b"2") == b"2"


def test_the_claim_of_a_killed_process_is_free(place, open_one):
    one = open_one()
    one.add_round(1, [b"a", b"b"])
    path = os.pathsep.join(filter(None, sys.path))
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, place],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout.readline() == b"1\n"
        assert one.tasks()[0].under_way
        assert one.claim().number == 2
        assert one.claim() is None
        process.kill()
    for _ in range(1000):  # a server takes a moment to notice
        if (task := one.claim()) is not None:
            break
    assert task.number == 1


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("mysql://host/db?study=x", "mysql:// is not a database"),
        ("postgresql://host/db", "?study=NAME"),
        ("postgresql://host/db?study=a&study=b", "?study=NAME"),
        ("postgresql://host/db?table=a", "?study=NAME"),
        ("postgresql://host/db?study=a&query=select 1", "?study=NAME"),
        ("sqlite:///study.db?study=a", "?study=NAME"),
        ("sqlite:///study.db?table=a", "?study=NAME"),
        ("sqlite://study.db", "three slashes"),
        ("postgresql://me:secret@host/db?study=a", "a URI must not contain a password"),
        (f"postgresql://host/db?study={'n' * 60}", "at most 33 bytes"),
        ("postgresql:host", "two slashes"),
        (3, "named by its path"),
    ],
)
def test_a_place_that_cannot_hold_a_study(place, words):
    with pytest.raises(UsageError) as caught:
        open_study(place)
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_later_phase_has_tasks_of_its_own(open_one):
    """Its claims, too; values are those of the study."""
    store, later = open_one(), open_one("confirming 60")
    store.add_round(1, [b"a", b"b"])
    assert later.tasks() == []
    later.add_round(1, [b"c"])
    assert store.claim().work == b"a"
    assert later.claim().work == b"c"
    assert (store.keep_once("seed", b"1"), later.keep_once("seed", b"2")) == (b"1", b"1")
    assert [task.work for task in open_one().tasks()] == [b"a", b"b"]
