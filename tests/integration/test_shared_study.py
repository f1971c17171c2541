"""A choice on a small file: killed at any moment, and by two processes on one server."""

import os
import random
import subprocess
import sys
import time

import msgspec
import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Policy, SearchSpace
from unveil.workflows.choosing.decision import chosen_plan, frontier
from unveil.workflows.choosing.job import StudyJob, table_bytes
from unveil.workflows.choosing.limit_shares import told_of_plans

pytestmark = pytest.mark.slow

TRIALS = 12
KILLED_AFTER = (1, 8, 14)  # results: of the search, then of the confirmation
SECONDS = 50  # of a process, at most
WORK = """
import os, sys
from unveil.workflows.choosing import evaluation, job

evaluate = evaluation.Evaluator.evaluate

def noted(self, number, *rest, repetition=0):
    log = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(log, f"{number} {repetition}\\n".encode())
    os.close(log)
    return evaluate(self, number, *rest, repetition=repetition)

evaluation.Evaluator.evaluate = noted
job.work_on(sys.stdin.buffer.read())
"""


def job_at(place):
    """A search among plans that add noise to sixty people."""
    rng = np.random.default_rng(1)
    table = {"age": rng.normal(40, 10, 60), "pay": rng.normal(0, 1, 60), "debt": rng.random(60)}
    people = unveil.Microdata(
        pl.DataFrame(table), unveil.Schema(quasi=["age", "pay"], confidential=["debt"])
    )
    noise = {"method": "additive-noise", "scale": {"from": 0.1, "to": 4.0, "log": True}}
    swap = {"method": "rank-permutation", "p": {"from": 5, "to": 60}}
    masks = [{"name": "noise", "mask": [noise]}, {"name": "swapping", "mask": [swap]}]
    limits = told_of_plans(Policy(intruder=[{"name": "acquaintance", "max_linked": 0.6}]))
    return StudyJob(
        table=table_bytes(people), schema=people.schema.to_dict(), policy=limits.to_dict(),
        space=SearchSpace(combination=masks).to_dict(), seed=0, effort="quick", engine="local",
        trials=TRIALS, place=str(place),
    )  # fmt: skip


def start(job, log):
    message = log.with_name("job")
    message.write_bytes(msgspec.msgpack.encode(job))
    with message.open("rb") as sent, log.with_name("errors").open("ab") as errors:
        return subprocess.Popen(
            [sys.executable, "-c", WORK, str(log)], stdin=sent, stderr=errors,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )  # fmt: skip


def tasks(job):
    """The tasks of both phases with their results."""
    with job.open() as store, job.open(confirming=True) as phase:
        return store.tasks() + phase.tasks()


def results(job):
    return sum(one.result is not None for one in tasks(job))


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The same search by one process without a break."""
    job = job_at(tmp_path_factory.mktemp("alone") / "study.sqlite")
    with job.open() as store, job.open(confirming=True) as phase:
        confirmed = job.confirm(phase, job.search(store))
    assert chosen_plan(confirmed) is not None
    return job


def test_a_study_whose_process_is_killed_again_and_again(alone, tmp_path):
    job, log, rng = job_at(tmp_path / "study.sqlite"), tmp_path / "log", random.Random(4)  # noqa: S311
    for some in KILLED_AFTER:
        process = start(job, log)
        until = time.monotonic() + SECONDS
        while results(job) < some and time.monotonic() < until and process.poll() is None:
            time.sleep(0.02)
        time.sleep(rng.uniform(0, 0.1))
        process.kill()
        process.wait()
    assert start(job, log).wait(SECONDS) == 0, log.with_name("errors").read_text()
    assert tasks(job) == tasks(alone)


def test_two_processes_on_one_server(alone, server, tmp_path):
    job, log = job_at(f"{server.uri}&study={tmp_path.name}"), tmp_path / "log"
    tasks(job)  # the study is there before anybody works
    for process in [start(job, log) for _ in range(2)]:
        assert process.wait(SECONDS) == 0, log.with_name("errors").read_text()
    made = log.read_text().splitlines()
    assert len(made) == len(set(made)) == results(alone)
    assert tasks(job) == tasks(alone)
    with job.open() as mine, alone.open() as other:
        assert frontier(job.finished(mine)) == frontier(alone.finished(other))
