"""Rounds of tasks by one process or several, interrupted at any moment."""

import random
import time
from collections import Counter

import pytest

from fixtures.toy_study import ROUND, Toy, evaluate, propose
from unveil.errors import FileError

MOMENTS = 20


@pytest.fixture
def alone(tmp_path):
    """The tasks of a study that one process worked on without a break."""

    def run(trials):
        toy = Toy(tmp_path / f"alone-{trials}.db", trials=trials)
        return toy.run(), toy.tasks()

    return run


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def place(request, tmp_path):
    """The place of a new study."""
    if request.param == "sqlite":
        return str(tmp_path / "study.db")
    return f"{request.getfixturevalue('server').uri}&study={tmp_path.name}"


def test_rounds_see_complete_rounds_only(tmp_path):
    toy = Toy(tmp_path / "study.db", trials=12)
    results, finished = toy.run(), []
    while len(finished) < 12:
        works = propose(finished, ROUND)
        finished += [(work, evaluate(work, list(finished))) for work in works]
    assert results == finished[:12]
    assert [task.round for task in toy.tasks()] == [1] * 5 + [2] * 5 + [3] * 5  # proposed whole
    assert [task.result is None for task in toy.tasks()] == [False] * 12 + [True] * 3


@pytest.mark.parametrize("first", [1, 5, 7, 13])
def test_more_trials_later_are_the_same_study(tmp_path, alone, first):
    place = tmp_path / "study.db"
    assert Toy(place, trials=first).run() == alone(17)[0][:first]
    assert Toy(place, trials=17).run() == alone(17)[0]
    assert Toy(place, trials=17).tasks() == alone(17)[1]
    assert Toy(place, trials=first).run() == alone(17)[0][:first]  # fewer again


@pytest.mark.parametrize("most", [0, 5, 8])
def test_a_study_ends_where_its_space_is_exhausted(tmp_path, monkeypatch, most):
    calls = []

    def proposed(finished, n):
        calls.append(len(finished))
        return propose(finished, n)[: max(0, most - len(finished))]

    monkeypatch.setattr("fixtures.toy_study.propose", proposed)
    toy = Toy(tmp_path / "study.db")
    assert len(toy.run()) == most
    assert toy.run() == toy.run()
    assert set(calls) <= {0, 5}


def test_progress_counts_what_is_done_and_under_way(tmp_path):
    seen = []
    results = Toy(tmp_path / "study.db", trials=7).run(progress=seen.append)
    counts = [one.done for one in seen]
    assert counts == sorted(counts)
    assert counts[0] == 0
    assert seen[-1][:3] == (7, 0, 7)
    assert {one.under_way for one in seen[:-1]} == {1}  # the one that this process works on
    assert all(one.finished == results[: one.done] for one in seen)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, ZeroDivisionError])
def test_after_an_interruption_what_is_finished_stays(place, alone, kind):
    calls = []

    def interrupted(work, earlier):
        calls.append(work)
        if len(calls) == 9:
            raise kind
        return evaluate(work, earlier)

    toy = Toy(place)
    with pytest.raises(kind):
        toy.run(evaluate=interrupted)
    results = [task.result for task in toy.tasks()]
    assert results[:8] == [result for _, result in alone(23)[0][:8]]
    assert set(results[8:]) == {None}
    assert not any(task.under_way for task in toy.tasks())
    assert toy.run() == alone(23)[0]


def test_a_study_that_goes_away_in_the_middle(tmp_path):
    toy = Toy(tmp_path / "study.db")

    def removing(work, earlier):
        (tmp_path / "study.db").unlink()
        return evaluate(work, earlier)

    with pytest.raises(FileError, match="run the same command again to continue"):
        toy.run(evaluate=removing)


@pytest.mark.slow
def test_two_processes_share_a_study(place, tmp_path, alone):
    toy = Toy(place, trials=40, seconds=0.03, log=tmp_path / "log")
    processes = [toy.start(), toy.start()]
    errors = [process.communicate(timeout=120)[1] for process in processes]
    assert errors == ["", ""]
    evaluations = toy.evaluations()
    assert Counter(work for _, work in evaluations).most_common(1)[0][1] == 1
    assert len(evaluations) == 40
    assert len({process for process, _ in evaluations}) == 2
    assert toy.run() == alone(40)[0]
    assert toy.tasks() == alone(40)[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "workers"), [("sqlite", 1), ("postgresql", 2)], indirect=["place"]
)
def test_killed_at_random_moments_a_study_goes_on_as_without(place, tmp_path, alone, workers):
    """Some moments are in the opening of the study; workers die with their parent."""
    moments = random.Random(20)  # noqa: S311
    seconds, longest = (0.05, 0.4) if workers == 1 else (0.2, 1.6)  # further workers start late
    toy = Toy(place, trials=200, seconds=seconds, log=tmp_path / "log", workers=workers)
    kept = []
    for number in range(MOMENTS):
        n_lines = len(toy.lines())
        with toy.start() as process:
            # The first line is noted before the study is opened, the second is an evaluation.
            while len(toy.lines()) < n_lines + (1 if number % 4 == 0 else 2):
                time.sleep(0.002)
            time.sleep(moments.uniform(0, longest))
            process.kill()
        results = [task.result for task in toy.tasks()]
        assert [one for one in kept if one] == [
            now for now, one in zip(results, kept, strict=False) if one
        ]
        kept = results
    n_before = sum(result is not None for result in kept)
    assert 0 < n_before < 200, "the moments are to be in the middle"
    assert Toy(place, trials=200, log=toy.log).run() == alone(200)[0]
    assert toy.tasks() == alone(200)[1]
    assert len(toy.evaluations()) <= 200 + MOMENTS * workers  # what was under way, and no more
