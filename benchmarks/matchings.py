"""Attacks whose records have a say in each other's links: one command, two tables.

    python benchmarks/matchings.py                                both tables, an hour
    python benchmarks/matchings.py one-to-one --sizes 5000 --noises 0.25
    python benchmarks/matchings.py tailored --sizes 20000 100000

People as in the census file against themselves with independent noise, every attribute known
to the intruder, on all cores. Every number comes from its own process: the time of the
attack, not of making the data or of compiling, and the peak memory of the process with both
files in it. "CPU" is what all cores together worked, which a busy machine changes least; the
load is that of the machine, when it was done. What is quick is measured three times, and the
best is shown.

one-to-one: the cheapest matching, beside scipy's linear_sum_assignment on the matrix of all
squared distances, and what both matchings cost. Theirs is run where it takes a minute or so.
tailored: whoever knows how the release was masked, each record for itself and by the posterior
over matchings, beside the nearest by distance.
"""

from __future__ import annotations

import os
import resource
import time
from functools import partial

import polars as pl
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

import unveil
from attacks import QUICK, THREADS, attack, encoded, files
from cells import best_of, command_line, in_a_process, machine, measured, seconds, times_ours
from people import people, source

ONE_TO_ONE = unveil.attacks.Distance(matching="one-to-one")
TAILORED = {
    "distance": unveil.attacks.Distance(),
    "tailored": unveil.attacks.Tailored(),
    "tailored, posterior": unveil.attacks.Tailored(matching="posterior"),
}
# For each noise the most records that scipy is run on: the more noise, the longer it takes.
SCIPY_AT_MOST = {0.25: 10_000, 0.5: 5_000, 1.0: 5_000}
# What others took for the same, at any noise: measured elsewhere, not here.
KNOWN = "sdcMicro's one-to-one linkage: 113 s at 5,000 records, out of memory at 20,000"
SAME = 1e-9  # relative: two costs that differ by less are the same, but for rounding
WARM = 300  # records
HEADS = {
    "one-to-one": (
        *("n", "noise", "linked", "attack() and hits()", "CPU", "peak", "load"),
        *("proven", "gap", "tied", "rounds", "scipy", "peak", "the same cost"),
    ),
    "tailored": (
        *("n", "attack", "noise", "linked", "attack()", "hits()", "together", "CPU", "peak"),
        *("load", "cut off", "rounds", "error"),
    ),
}


def known_mask(n, noise):
    """The original, and its release by a mask that is known; row by row the same people."""
    values = people(n, seed=1)
    original = pl.DataFrame(values, schema=[f"x{j}" for j in range(values.shape[1])])
    plan = [unveil.masks.AdditiveNoise(scale=noise, columns=original.columns)]
    return original, unveil.mask(original, plan, seed=1)


def knowing(original, release, spec):
    """The links of somebody who knows how it was masked."""
    return unveil.attack(original, release, spec, intruder=unveil.Intruder(knows=original.columns))


def measure(tool, n, noise):
    """One cell of a table, as a dictionary."""
    if tool == "scipy":
        return theirs(*files(n, noise))
    if tool == "one-to-one":
        return ours(files, attack, n, noise, ONE_TO_ONE)
    return ours(known_mask, knowing, n, noise, TAILORED[tool])


def ours(made, linked, n, noise, spec):
    """What our attack takes, whom it links, and what it says of its matching."""
    # Compiling, or loading what was compiled, is not attacking.
    few = linked(*made(WARM, noise), spec)
    unveil.measures.hits(few)
    linked(*made(WARM, noise), TAILORED["distance"]).nearest(1)
    original, release = made(n, noise)
    start, worked = time.perf_counter(), time.process_time()
    links = linked(original, release, spec)
    attacking = time.perf_counter() - start
    hits = unveil.measures.hits(links)
    found = {"attacking": attacking, "linked": float(hits.mean())}
    found |= spent(start, worked)
    told = ("cost", "gap", "proven", "undecided", "rounds", "error", "cut_off")
    return found | {name: links.finder.details.get(name) for name in told}


def theirs(original, release):
    """The same for scipy, on all pairs."""
    start, worked = time.perf_counter(), time.process_time()
    costs = cdist(*(encoded(frame.to_numpy(), 2) for frame in (original, release)), "sqeuclidean")
    rows, columns = linear_sum_assignment(costs)
    cost = float(costs[rows, columns].sum())
    return {"linked": float((rows == columns).mean()), "cost": cost, **spent(start, worked)}


def spent(start, worked):
    """Times since then, the peak memory, and how busy the machine is."""
    return {
        "seconds": time.perf_counter() - start,
        "worked": time.process_time() - worked,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "load": os.getloadavg()[0],
    }


def one_to_one(n, noise):
    """A line of the first table."""
    found = cell("one-to-one", n, noise)
    parts = [
        *(f"{n:,}", f"{noise:.2f}", f"{found['linked']:.1%}", *times(found)),
        *("yes" if found["proven"] else "NO", f"{found['gap']:.2g}"),
        *(f"{found['undecided']:,}", str(found["rounds"])),
    ]
    if n > SCIPY_AT_MOST.get(noise, 0):
        return [*parts, "", "", ""]
    other = cell("scipy", n, noise)
    apart = abs(other["cost"] - found["cost"]) / other["cost"]
    ratio = times_ours(other["worked"], found["worked"])
    return [
        *parts,
        f"{seconds(other['seconds'])}, CPU {seconds(other['worked'])} {ratio}",
        gibibytes(other["peak"]),
        "yes" if apart < SAME else f"NO, {apart:.1e} apart",
    ]


def tailored(n, noise, name):
    """A line of the second."""
    found = cell(name, n, noise)
    together, *others = times(found)
    parts = [f"{n:,}", name, f"{noise:.2f}", f"{found['linked']:.1%}", seconds(found["attacking"])]
    parts += [seconds(found["seconds"] - found["attacking"]), together, *others]
    if found["cut_off"] is None:
        return [*parts, "", "", ""]
    return [*parts, f"{found['cut_off']:.1%}", str(found["rounds"]), f"{found['error']:.1e}"]


def cell(*what):
    """One measurement, or the best of three."""
    return best_of(3, QUICK, partial(in_a_process, __file__, what))


def times(found):
    """What all columns of times, memory and load show."""
    spent = seconds(found["seconds"]), seconds(found["worked"])
    return [*spent, gibibytes(found["peak"]), f"{found['load']:.0f}"]


def gibibytes(size):
    """Memory as the tables show it."""
    return f"{size / 2**30:.2f} GiB"


def lines(table, sizes, noises):
    """The lines of a table, as they are measured."""
    for n in sizes:
        for noise in noises:
            if table == "one-to-one":
                yield one_to_one(n, noise)
                continue
            for name in TAILORED:
                yield tailored(n, noise, name)


def arguments():
    """The command line."""
    parser = command_line(__doc__)
    parser.add_argument("tables", nargs="*", metavar="table", help=" or ".join(HEADS))
    parser.add_argument("--sizes", type=int, nargs="+")
    parser.add_argument("--noises", type=float, nargs="+")
    given = parser.parse_args()
    if not set(given.tables) <= set(HEADS):
        parser.error(f"tables are {' and '.join(HEADS)}")
    return given


def main():
    """Print the tables, line by line as they are measured."""
    given = arguments()
    if measured(given, measure):
        return
    ran_on = machine(f"{THREADS} threads", "numba", "polars", "scipy")
    print(f"{ran_on}; people made after {source()[1]}. {KNOWN}.", flush=True)
    sizes = {"one-to-one": [1_080, 5_000, 10_000, 20_000], "tailored": [20_000, 100_000, 1_000_000]}
    noises = {"one-to-one": [0.25, 0.5, 1.0], "tailored": [0.25]}
    for table in given.tables or HEADS:
        print(f"\n| {' | '.join(HEADS[table])} |\n|{'---|' * len(HEADS[table])}", flush=True)
        for parts in lines(table, given.sizes or sizes[table], given.noises or noises[table]):
            print(f"| {' | '.join(parts)} |", flush=True)


if __name__ == "__main__":
    main()
