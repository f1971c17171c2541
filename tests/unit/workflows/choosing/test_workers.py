"""Further processes on one study."""

import json
import os
import signal
import time

import pytest

from fixtures import toy_study
from fixtures.toy_study import Toy, report
from unveil.support.threads import cores
from unveil.workflows.choosing.workers import further_workers


def _wait_for(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [2, 3])
def test_results_do_not_depend_on_the_number_of_workers(tmp_path, workers):
    alone = Toy(tmp_path / "alone.db", trials=60).run()
    toy = Toy(tmp_path / "study.db", trials=60, seconds=0.1, log=tmp_path / "log", workers=workers)
    assert toy.run() == alone
    evaluations = toy.evaluations()
    assert len({work for _, work in evaluations}) == len(evaluations) == 60
    assert len({process for process, _ in evaluations}) == workers


def test_the_task_of_a_worker_that_died_is_done_again(tmp_path):
    toy, mark = Toy(tmp_path / "study.db"), tmp_path / "claimed"

    def evaluate(work, earlier):
        """The worker takes its task, and dies, while the first of this process is under way."""
        _wait_for(mark.exists)
        return toy_study.evaluate(work, earlier)

    message = json.dumps([toy.place, str(mark)]).encode()
    with further_workers(1, toy_study.claim_and_die, message):
        results = toy.run(evaluate=evaluate)
    assert results == Toy(tmp_path / "alone.db").run()


def test_workers_share_the_cores_and_end_with_the_block(tmp_path):
    file = tmp_path / "report"
    message = json.dumps(str(file)).encode() + b" " * 200_000  # more than a pipe holds
    all_cores = cores(None)
    with further_workers(1, report, message):
        assert cores(None) == max(1, all_cores // 2)
        _wait_for(lambda: file.exists() and file.read_text().endswith("}"))
        told = json.loads(file.read_text())
    assert cores(None) == all_cores
    assert told["cores"] == told["polars"] == max(1, all_cores // 2)
    with pytest.raises(ProcessLookupError):
        os.kill(told["process"], 0)


def test_a_worker_ends_with_its_parent(tmp_path):
    file = tmp_path / "report"
    if (parent := os.fork()) == 0:
        with further_workers(1, report, json.dumps(str(file)).encode()):
            signal.pause()
        os._exit(0)
    _wait_for(lambda: file.exists() and file.read_text().endswith("}"))
    worker = json.loads(file.read_text())["process"]
    os.kill(worker, 0)
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    _wait_for(lambda: not _is_running(worker))


def _is_running(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
