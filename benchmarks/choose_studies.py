"""What a search delivers: a choice that keeps its limits, plans a minute, a study that is kept.

    python benchmarks/choose_studies.py fifty-nine      a search, its choice on 59 further seeds
    python benchmarks/choose_studies.py pace [RECORDS ...]     plans a minute; 1,000 records
    python benchmarks/choose_studies.py killed          a study killed at 20 random moments
    python benchmarks/choose_studies.py shared --server URI     a study of two processes

All search the default space of people made up by `unveil.households`, with 5 % linked allowed to
the register and to the acquaintance, who know the plan. The study of `fifty-nine` grows in
`--folder`, and an interrupted one continues; a further seed is one that neither the search nor the
confirmation has used. `pace` evaluates the first plans of the grid, with every attack, each by
a new evaluator and then again by the same, which has done the work on the original; it counts
processor time, as others may be at work. `killed` and `shared` compare every task, result and
repetition with those of one process without a break, and count the evaluations that were begun.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import msgspec
import numpy as np

import unveil
from unveil import Policy
from unveil.workflows.choosing.decision import chosen_plan, frontier
from unveil.workflows.choosing.default_space import filled_space
from unveil.workflows.choosing.evaluation import Evaluator
from unveil.workflows.choosing.job import StudyJob, table_bytes, work_on
from unveil.workflows.choosing.limit_shares import told_of_plans
from unveil.workflows.choosing.points import grid

SEED, ALLOWED = 7, 0.05
RECORDS, TRIALS = 1_000, 36
FURTHER, FIRST_FURTHER = 59, 1_000  # seeds, numbered from here on
PLANS = 6  # whose pace is measured: one of each combination
KILLS, FEW_RECORDS, FEW_TRIALS, EASY = 20, 250, 18, 0.3  # of a small study


def policy(allowed=ALLOWED):
    """So much linked by either intruder, who knows the plan."""
    limits = [{"name": name, "max_linked": allowed} for name in ("register", "acquaintance")]
    return told_of_plans(Policy(intruder=limits))


def job_at(place, records, trials, allowed=ALLOWED):
    """A search of the default space."""
    data = unveil.households(records, seed=SEED)
    return StudyJob(
        table=table_bytes(data), schema=data.schema.to_dict(), policy=policy(allowed).to_dict(),
        space=filled_space(data).to_dict(), seed=0, effort="quick", engine="auto", trials=trials,
        place=str(place),
    )  # fmt: skip


def fifty_nine(folder, records, trials):
    """Search, confirm, and evaluate the chosen plan on further seeds."""
    job = job_at(folder / f"fifty-nine-{records}-{trials}.sqlite", records, trials)
    with job.open() as store, job.open(confirming=True) as phase:
        tried = job.search(store)
        confirmed = job.confirm(phase, tried)
    for one in confirmed:
        figures = ", ".join(f"{f.scenario} {f.mean:.4f}, bound {f.bound:.4f}" for f in one.figures)
        verdict = "accepted" if one.accepted else "refused"
        print(
            f"plan {one.number}, {one.repetitions} seeds, loss {one.loss:.3f}: {figures}; {verdict}"
        )
    number = chosen_plan(confirmed)
    if number is None:
        sys.exit("no plan keeps both limits")
    chosen = next(one for one in tried if one.number == number)
    print("chosen:", number, chosen.masks)
    kept, largest = 0, 0.0
    for repetition in range(FIRST_FURTHER, FIRST_FURTHER + FURTHER):
        again = job.evaluator.evaluate(number, chosen.candidate, repetition=repetition)
        kept += again.complete and all(limit.kept for limit in again.limits)
        largest = max(largest, *(limit.found for limit in again.limits))
    print(f"kept on {kept} of {FURTHER} further seeds; the largest share linked is {largest:.4f}")


def pace(records, plans):
    """Plans a minute of processor time, with the work on the original done before and anew."""
    few = unveil.households(FEW_RECORDS, seed=SEED)
    for candidate in grid(filled_space(few))[:plans]:  # kernels are compiled
        Evaluator(few, policy(), filled_space(few), 0).evaluate(1, candidate)
    data = unveil.households(records, seed=SEED)
    space = filled_space(data)
    times = []
    for candidate in grid(space)[:plans]:
        evaluator, clocks = Evaluator(data, policy(), space, 0), [time.process_time()]
        for _ in range(2):
            evaluator.evaluate(1, candidate)
            clocks.append(time.process_time())
        times.append(np.diff(clocks))
    anew, once = np.mean(times, axis=0)
    print(
        f"{records:,} records, {plans} plans: {60 / once:.1f} plans a minute of processor time, "
        f"{60 / anew:.1f} without shared work, which saves {1 - once / anew:.0%}",
        flush=True,
    )


class SmallStudy:
    """A small study, and a log of the evaluations that any process begins."""

    def __init__(self, folder, name, place=None):
        self.job = job_at(place or folder / f"{name}.sqlite", FEW_RECORDS, FEW_TRIALS, EASY)
        self.message, self.log = folder / f"{name}.job", folder / f"{name}.log"
        self.message.write_bytes(msgspec.msgpack.encode(self.job))
        self.log.touch()

    def start(self):
        """Work on it in another process."""
        return subprocess.Popen([sys.executable, __file__, "work", self.message, self.log])

    def tasks(self):
        """The tasks of the search, then the repetitions, with their results."""
        with self.job.open() as store, self.job.open(confirming=True) as phase:
            return store.tasks() + phase.tasks()

    def results(self):
        """The number of finished evaluations."""
        return sum(task.result is not None for task in self.tasks())

    def begun(self):
        """How often each evaluation was begun."""
        return Counter(self.log.read_text().splitlines())

    def compare(self, other):
        """Print whether it is the same as another."""
        fronts = []
        for study in (self, other):
            with study.job.open() as store:
                fronts.append([one.number for one in frontier(study.job.finished(store))])
        same = self.tasks() == other.tasks()
        begun = self.begun()
        print(
            f"{self.results()} evaluations, begun {begun.total()} times, {len(begun)} different; "
            f"all tasks and results {'the same' if same else 'NOT THE SAME'}, frontier "
            f"{fronts[0]}{'' if fronts[0] == fronts[1] else f' BUT ALONE {fronts[1]}'}",
            flush=True,
        )


def work(message, log):
    """Work on a study; a line of the log says which evaluation begins."""
    evaluate = Evaluator.evaluate

    def noted(self, number, *rest, repetition=0):
        with log.open("a") as file:
            file.write(f"{number} {repetition}\n")
        return evaluate(self, number, *rest, repetition=repetition)

    Evaluator.evaluate = noted
    work_on(message.read_bytes())


def alone(folder):
    """The small study by one process without a break, and its seconds for an evaluation."""
    study = SmallStudy(folder, "alone")
    begun = time.perf_counter()
    work(study.message, study.log)
    return study, (time.perf_counter() - begun) / study.results()


def killed(folder):
    """Kill the process of a study at random moments, from its start on, and let it end."""
    whole, seconds = alone(folder)
    study, rng = SmallStudy(folder, "killed"), random.Random(SEED)  # noqa: S311
    moments = []
    for kill in range(KILLS):
        before, process = sum(study.begun().values()), study.start()
        # Some before the study is opened, others after up to three evaluations have begun.
        further = rng.randint(0, 3)
        while sum(study.begun().values()) < before + further and process.poll() is None:
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 2 * seconds))
        if process.poll() is not None:
            sys.exit(f"the study ended before it was killed {kill + 1} times: raise its trials")
        process.kill()
        process.wait()
        moments.append(study.results())
    if study.start().wait():
        sys.exit("the study did not end")
    print(f"killed {KILLS} times, with {moments} evaluations finished")
    study.compare(whole)


def shared(folder, server):
    """Let two processes work on one study, in a file or on a server."""
    whole, _ = alone(folder)
    name = f"shared{os.getpid()}"
    study = SmallStudy(folder, name, server and f"{server}&study={name}")
    study.tasks()  # it is there before anybody works
    codes = [process.wait() for process in (study.start(), study.start())]
    if any(codes):
        sys.exit("a process failed")
    study.compare(whole)


def main():
    """Carry out a command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("fifty-nine")
    one.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    one.add_argument("--records", type=int, default=RECORDS)
    one.add_argument("--trials", type=int, default=TRIALS)
    two = commands.add_parser("pace")
    two.add_argument("records", type=int, nargs="*", default=[RECORDS])
    two.add_argument("--plans", type=int, default=PLANS)
    commands.add_parser("killed")
    commands.add_parser("shared").add_argument("--server", help="postgresql://HOST/DATABASE?...")
    worker = commands.add_parser("work")
    worker.add_argument("message", type=Path)
    worker.add_argument("log", type=Path)
    given = vars(parser.parse_args())
    logging.getLogger("unveil").setLevel(logging.ERROR)
    match given.pop("command"):
        case "fifty-nine":
            fifty_nine(**given)
        case "pace":
            for records in given["records"]:
                pace(records, given["plans"])
        case "work":
            work(**given)
        case command:
            with tempfile.TemporaryDirectory() as folder:
                {"killed": killed, "shared": shared}[command](Path(folder), **given)


if __name__ == "__main__":
    main()
