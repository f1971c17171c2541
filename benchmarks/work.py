"""How long counted work takes: the measured time over the estimate that budgets are spent by.

    python benchmarks/work.py                     10,000 to 1,000,000 records
    python benchmarks/work.py --sizes 20000

Measured is CPU time, which a busy machine changes least. The estimate is of two cores, so the CPU
time of an attack is divided by two. A ratio of 1 means that `--seconds` is seconds on two such
cores. Where ratios are far from 1, only the time of an audit differs and never its answer. To
calibrate anew, multiply the constants of `unveil.support.work` by the median ratio of their table.

attacks: 2,000 records, drawn as an audit draws its pilot, against all candidates. Numbers as in the
census file with independent noise, and the household sample with categories.
learning: the whole of learning and proving within a budget of so many seconds.
"""

from __future__ import annotations

import time

import polars as pl

import unveil
from cells import command_line, machine
from people import people
from unveil.support.work import CELL_SECONDS
from unveil.workflows.auditing.attack_runs import PILOT

CORES = 2  # of the machine that the constants are of
SIZES = (10_000, 100_000, 1_000_000)
NOISES = (0.05, 0.25, 1.0)
ATTACKS = (
    unveil.attacks.Distance(),
    unveil.attacks.Distance(metric="mahalanobis"),
    unveil.attacks.Rank(),
    unveil.attacks.Rank(criterion="max"),
    unveil.attacks.Tailored(),
)
FOR_CATEGORIES = (
    unveil.attacks.Distance(),
    unveil.attacks.Probabilistic(),
    unveil.attacks.Tailored(),
)
MODELS = ("weights", "choquet", "bilinear")


def numbers(n, noise, width=13):
    """People as in the census file, and the same with noise."""
    values = people(n, seed=1)[:, :width]
    frame = pl.DataFrame(values, schema=[f"x{j}" for j in range(width)])
    original = unveil.Microdata(frame, unveil.Schema(quasi=frame.columns))
    return original, unveil.mask(original, [unveil.masks.AdditiveNoise(scale=noise)], seed=1)


def households(n):
    """The household sample, its numbers swapped."""
    original = unveil.households(n, seed=7)
    return original, unveil.mask(original, [unveil.masks.RankSwapping(p=5)], seed=7)


def attack_row(files, attack, what):
    """Print what a pilot takes, measured and estimated."""
    known = unveil.Intruder(channel=attack.knows is not None)
    links = unveil.attack(*files, attack, intruder=known, truth=None)
    links.sample(100).rank_of_truth  # noqa: B018 - builds the index
    pilot = links.sample(PILOT)
    begun = time.process_time()
    work = pilot.rank_of_truth.work
    took, estimate = (time.process_time() - begun) / CORES, work * CELL_SECONDS
    option = getattr(attack, "metric", getattr(attack, "criterion", None))
    name = " ".join(filter(None, (attack.name, option)))
    print(f"| {what} | {name} | {took * 1e3:.1f} ms | {estimate * 1e3:.1f} ms | "
          f"{took / estimate:.2f} |", flush=True)  # fmt: skip


def learning_row(n, model, budget):
    """Print what learning within a budget takes."""
    attack = unveil.attacks.Supervised(model=model, budget=budget, splits=1)
    files = numbers(n, 0.5, 6)
    begun = time.process_time()
    found = unveil.attack(*files, attack).finder.details["learnt"]
    took = time.process_time() - begun
    print(f"| {n:,} | {model} | {found['ended']} | {took:.1f} s | {budget:.0f} s | "
          f"{took / budget:.2f} |", flush=True)  # fmt: skip


def main():
    """Measure and print both tables."""
    parser = command_line(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--budget", type=float, default=10.0, help="seconds for each lesson")
    given = parser.parse_args()
    print(machine("CPU time", "numba", "highspy"))
    print("\n| records | attack | measured | estimated | ratio |\n|---|---|---|---|---|")
    attack_row(numbers(PILOT, 1.0), ATTACKS[0], "compiling")
    for n in given.sizes:
        for noise in NOISES:
            files = numbers(n, noise)
            for attack in ATTACKS:
                attack_row(files, attack, f"{n:,}, noise {noise}")
        files = households(min(n, 100_000))
        for attack in FOR_CATEGORIES:
            attack_row(files, attack, f"{min(n, 100_000):,}, households")
    print("\n| records | model | ended | measured | budget | ratio |\n|---|---|---|---|---|---|")
    for n in (400, 2_000, 8_000):
        for model in MODELS:
            learning_row(n, model, given.budget)


if __name__ == "__main__":
    main()
