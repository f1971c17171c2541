"""The worst case within a family of distances: what is linked, what is proven, and how fast.

    python benchmarks/supervised.py                               everything, half an hour on a core
    python benchmarks/supervised.py table --files M4-33 --samples 1 --models weights
    python benchmarks/supervised.py sizes --sizes 400 1080 10000

table: Table 2 of Torra (2013), six files of 400 records of census.csv, five samples each. Strict
hits of the released rows, means over the samples: every attribute alike (AM), Mahalanobis by the
true pairs (MD), and the learnt distances, for each how many samples are proven optimal, the largest
gap of the others in records, and the most seconds of one core that a sample took.
sizes: the time to learn, and to prove what it can, within the budget; 400 records and the whole of
census.csv (M4-33), more as people with census's correlations and noise. Beside it, where all rows
fit, HiGHS cold: the paper's integer program with all rows at once, with as much time.
held-out: shares linked by what was learnt on one half, in that half and in the other.

Every measurement is made in a process of its own, on one core; times are CPU seconds without
compiling.
"""

from __future__ import annotations

import logging
import time

import numpy as np
import polars as pl

import unveil
from cells import command_line, in_a_process, machine, measured, seconds
from people import people
from unveil import Intruder, Microdata, Schema, attacks, measures
from unveil.attacks.supervised.big_m import BigMProgram
from unveil.attacks.supervised.competitors import Competitors, LinkageTargets
from unveil_papers.datasets import dataset
from unveil_papers.framework.published import published
from unveil_papers.supervised.files import FILES, masked, of_sample

HEADS = ("d2AM", "d2MD", "d2WM", "d2CI", "d2MD*")  # of the paper, in the order of ours
PAPER = {
    (name, column): share
    for name, column, share in published("supervised").tables["Table 2"].printed()
}
MODELS = ("weights", "choquet", "bilinear")
TABLES = ("table", "sizes", "held-out")
ATTRIBUTES = 6  # of the larger files
NOISE = np.linspace(0.02, 0.4, ATTRIBUTES)  # of their attributes, in deviations


def census(name, sample):
    """A file of the paper's: 400 records of Census, or all, and their release."""
    data = dataset("census") if sample is None else of_sample(sample, seed=0)
    file = masked(data, *FILES[name])
    return file.data, file.release


def noisy(n):
    """As many people as are asked for, and their noisy twins."""
    values = people(n, seed=1)[:, :ATTRIBUTES]
    released = values + np.random.default_rng(2).normal(size=values.shape) * NOISE
    columns = [f"x{place}" for place in range(ATTRIBUTES)]
    schema = Schema(quasi=columns)
    return tuple(
        Microdata(pl.DataFrame(side, schema=columns), schema) for side in (values, released)
    )


def files_of(name, size, sample):
    """Two files, and how the truth is told."""
    if size == 400:
        return census(name, sample), None
    return (census(name, None), None) if size == 1080 else (noisy(size), "row-order")


def linked(files, attack, truth):
    """The links of released rows."""
    data, release = files
    intruder = Intruder(knows=data.columns, direction="release-to-original")
    return unveil.attack(data, release, attack, intruder=intruder, truth=truth)


def measure(kind, name, size, sample, budget, splits):
    """One measurement."""
    logging.disable(logging.WARNING)
    files, truth = files_of(name, size, sample)
    if kind in ("euclid", "pairs"):
        plain = attacks.Distance()
        if kind == "pairs":
            plain = attacks.Distance(metric="mahalanobis", covariance="pairs")
        return {"share": float(measures.hits(linked(files, plain, truth), ties="unique").mean())}
    model = "weights" if kind == "cold" else kind
    small = noisy(60)  # compiles what is needed
    for learner in dict.fromkeys(("weights", model)):
        rehearsal = attacks.Supervised(model=learner, splits=splits, steps=50)
        linked(small, rehearsal, "row-order")
    begun = time.process_time()
    if kind == "cold":
        return cold(files, truth, budget)
    attack = attacks.Supervised(model=model, budget=budget, splits=splits, counting="strict")
    found = linked(files, attack, truth).finder.details["learnt"]
    return {"seconds": time.process_time() - begun, **found}


def cold(files, truth, budget):
    """The paper's integer program with all rows at once, from plain weights."""
    quick = attacks.Supervised(budget=None, steps=0, splits=0, counting="strict")
    search = linked(files, quick, truth).finder
    family = search.learnt.args[0].family
    targets = LinkageTargets.between(family.training, search.files.truth.row_of_record, strict=True)
    rows = Competitors(targets, family).constraints
    begun = time.process_time()
    program = BigMProgram(rows, family, np.ones(family.size) / family.size)
    program.add(np.arange(len(rows.competitors)))
    program.run(budget)
    spent = time.process_time() - begun
    return {
        "seconds": spent,
        "rows": len(rows.competitors),
        "linked": program.linked,
        "bound": program.bound,
        "ended": "time" if spent >= budget else "solved, to its tolerance",
    }


def cell(given, kind, name, size=400, sample=None, splits=0):
    """The same in a process of its own."""
    return in_a_process(__file__, [kind, name, size, sample, given.budget, splits], threads=1)


def show_table(given):
    """Table 2."""
    heads = ["AM", "MD", *given.models]
    print("\n## Table 2: strict hits, means of the samples; the paper's in brackets\n")
    print(f"| file | {' | '.join(heads)} |\n|---{'|---' * len(heads)}|")
    for name in given.files:
        cells = []
        for place, kind in enumerate(["euclid", "pairs"]):
            shares = [cell(given, kind, name, 400, s)["share"] for s in range(given.samples)]
            cells.append(f"{np.mean(shares):.4f} ({PAPER[name, HEADS[place]]})")
        for model in given.models:
            found = [cell(given, model, name, 400, s) for s in range(given.samples)]
            shares = [one["strict"] / one["n"] for one in found]
            proven = sum(one["ended"] == "proven" for one in found)
            gap = max(one["gap"] for one in found)
            most = seconds(max(one["seconds"] for one in found))
            theirs = PAPER[name, HEADS[2 + MODELS.index(model)]]
            how = f"{proven}/{len(found)} proven" + (f", gap {gap:.0f}" if gap else "")
            cells.append(f"{np.mean(shares):.4f} ± {np.std(shares):.4f} ({theirs}); {how}; {most}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def show_sizes(given):
    """Times, bounds and ratios."""
    print(f"\n## Sizes: {given.budget:.0f} s at most; released rows look for their originals\n")
    print("| records | model | plain | moments | linked | at most | ended | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for size in given.sizes:
        for kind in (*given.models, *(("cold",) if size <= 1080 else ())):
            one = cell(given, kind, "M4-33", size, 0)
            n = one.get("n", size)
            plain, moments = (f"{one[k] / n:.4f}" if k in one else "" for k in ("plain", "moments"))
            label = f"HiGHS cold, {one['rows']:,} rows" if kind == "cold" else kind
            print(
                f"| {size:,} | {label} | {plain} | {moments} | {one['linked'] / n:.4f} | "
                f"{one['bound'] / n:.4f} | {one['ended']} | {seconds(one['seconds'])} |",
                flush=True,
            )


def show_held_out(given):
    """What is left among people who were not learnt on."""
    print("\n## Held out: shares linked in the half learnt on, and in the other; five splits\n")
    print(f"| file | moments | {' | '.join(given.models)} |\n|---|---{'|---' * len(given.models)}|")
    for name in given.files:
        every = [cell(given, model, name, 400, 0, 5)["held_out"] for model in given.models]
        shares = (f"{one['learnt_on']:.3f} to {one['linked']:.3f}" for one in every)
        print(f"| {name} | {every[0]['moments']:.3f} | {' | '.join(shares)} |", flush=True)


def arguments():
    """The command line."""
    parser = command_line(__doc__)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--files", nargs="+", default=list(FILES), choices=FILES)
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=MODELS)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--sizes", nargs="+", type=int, default=[400, 1080, 10_000, 100_000])
    parser.add_argument("--budget", type=float, default=60.0, help="seconds for each")
    given = parser.parse_args()
    for table in given.tables:
        if table not in TABLES:
            parser.error(f"{table}: one of {', '.join(TABLES)}")
    return given


def main():
    """Print the tables."""
    given = arguments()
    if measured(given, measure):
        return
    print(machine("one core", "numpy", "numba", "highspy"), flush=True)
    shows = {"table": show_table, "sizes": show_sizes, "held-out": show_held_out}
    for table in given.tables or TABLES:
        shows[table](given)


if __name__ == "__main__":
    main()
