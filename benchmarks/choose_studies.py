"""What a search delivers: how often the chosen plan keeps its limits, and how fast plans are tried.

    python benchmarks/choose_studies.py fifty-nine      a search, its choice on 59 further seeds
    python benchmarks/choose_studies.py pace [RECORDS ...]     plans a minute; 1,000 records

Both search the default space of people made up by `unveil.households`, with 5 % linked allowed to
the register and to the acquaintance, who know the plan. The study of `fifty-nine` grows in
`--folder`, and an interrupted one continues; a further seed is one that neither the search nor the
confirmation has used. `pace` evaluates the first plans of the grid, with every attack: by one
evaluator, which does the work on the original once, and by a new one for each plan; of
`--repeats` times the fastest counts.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import unveil
from unveil import Policy
from unveil.workflows.choose import told_of_plans
from unveil.workflows.choosing.decision import chosen_plan
from unveil.workflows.choosing.default_space import filled_space
from unveil.workflows.choosing.evaluation import Evaluator
from unveil.workflows.choosing.job import StudyJob, table_bytes
from unveil.workflows.choosing.points import grid

SEED, ALLOWED = 7, 0.05
RECORDS, TRIALS = 1_000, 36
FURTHER, FIRST_FURTHER = 59, 1_000  # seeds, numbered from here on
PLANS = 5  # whose pace is measured: one of each combination


def policy():
    """5 % linked by either intruder, who knows the plan."""
    limits = [{"name": name, "max_linked": ALLOWED} for name in ("register", "acquaintance")]
    return told_of_plans(Policy(intruder=limits))


def fifty_nine(folder, records, trials):
    """Search, confirm, and evaluate the chosen plan on further seeds."""
    data = unveil.households(records, seed=SEED)
    job = StudyJob(
        table=table_bytes(data), schema=data.schema.to_dict(), policy=policy().to_dict(),
        space=filled_space(data).to_dict(), seed=0, effort="quick", engine="auto", trials=trials,
        place=str(folder / f"fifty-nine-{records}-{trials}.sqlite"),
    )  # fmt: skip
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


def pace(records, repeats):
    """Plans a minute with the work on the original done once, and done anew for each plan."""
    data = unveil.households(records, seed=SEED)
    space = filled_space(data)
    plans = grid(space)[:PLANS]

    def evaluator():
        return Evaluator(data, policy(), space, 0)

    def seconds(one, candidate):
        clocks = time.perf_counter, time.process_time
        begun = [clock() for clock in clocks]
        one.evaluate(1, candidate)
        return [clock() - start for clock, start in zip(clocks, begun, strict=True)]

    shared = evaluator()
    shared.evaluate(1, plans[0])  # kernels are compiled, and the work on the original is done
    times = np.array(
        [
            [(seconds(shared, one), seconds(evaluator(), one)) for one in plans]
            for _ in range(repeats)
        ]
    )
    once, anew = times.min(axis=0).sum(axis=0)  # in turns, the fastest: others may be at work
    minute = 60 * len(plans)
    print(
        f"{records:,} records: {minute / once[0]:.1f} plans a minute, {minute / anew[0]:.1f} "
        f"without shared work; of processor time it saves {1 - once[1] / anew[1]:.0%}",
        flush=True,
    )


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
    two.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    logging.getLogger("unveil").setLevel(logging.ERROR)
    if given.command == "fifty-nine":
        fifty_nine(given.folder, given.records, given.trials)
    else:
        for records in given.records:
            pace(records, given.repeats)


if __name__ == "__main__":
    main()
