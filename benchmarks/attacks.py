"""Whole attacks beside what one would write today: one command, one table.

    python benchmarks/attacks.py                      a million records, twenty minutes
    python benchmarks/attacks.py --sizes 20000        a few minutes
    python benchmarks/attacks.py --attacks distance --noises 0.25 --tools hits

People as in the census file against themselves with independent noise, every attribute known
to the intruder, on all cores. Every number comes from its own process: the time of the
attack, not of making the data or of compiling, and the peak memory of the process with both
files in it. The peer standardises or ranks with numpy and scipy and asks a cKDTree for the
nearest row: of a sample of the records, and that time is extrapolated ("~"). On the sample
it has to link whom we link; among candidates that tie it may choose any. What is quick is
measured three times, and the best is shown; the rest once, so that a busy machine shows.
"""

from __future__ import annotations

import os
import resource
import time
from functools import partial

import numpy as np
import polars as pl
from scipy.spatial import cKDTree
from scipy.stats import rankdata

import unveil
from cells import best_of, command_line, in_a_process, machine, measured, seconds, times_ours
from people import people, source

QUICK = 5.0  # seconds: what takes less is measured three times
ENOUGH = 4.0  # seconds: a sample of queries that took this long is large enough
THREADS = len(os.sched_getaffinity(0))
# For each attack its spec, and the norm in which the peer looks for the nearest.
ATTACKS = {
    "distance": (unveil.attacks.Distance(), 2),
    "rank, sum": (unveil.attacks.Rank(), 1),
    "rank, max": (unveil.attacks.Rank(criterion="max"), np.inf),
}
TOOLS = ("hits", "risk", "cKDTree")
HEADS = (
    *("n", "attack", "noise", "linked", "attack()", "hits()", "peak"),
    *("attack() and risk()", "peak", "cKDTree", "the same linked"),
)


def files(n, noise):
    """The original and the release, row by row the same people."""
    values = people(n, seed=1)
    names = [f"x{j}" for j in range(values.shape[1])]
    original = pl.DataFrame(values, schema=names)
    values += noise * np.random.default_rng([1, 1]).standard_normal(values.shape)
    return original, pl.DataFrame(values, schema=names)


def attack(original, release, spec):
    """The links; nothing is searched yet."""
    intruder = unveil.Intruder(knows=original.columns)
    return unveil.attack(original, release, spec, intruder=intruder, truth="row-order")


def measure(tool, n, noise, name):
    """One cell of the table, as a dictionary."""
    original, release = files(n, noise)
    if tool == "cKDTree":
        found = peer(original, release, name)
    else:
        found = ours(tool, original, release, ATTACKS[name][0])
    return {"tool": tool, "n": n, **found}


def ours(tool, original, release, spec):
    """What our attack takes, and whom it links."""
    ask = {"hits": unveil.measures.hits, "risk": unveil.measures.risk}[tool]
    # Compiling, or loading what was compiled, is not attacking.
    ask(attack(original[:100], release[:100], spec))
    start = time.perf_counter()
    links = attack(original, release, spec)
    encoding = time.perf_counter() - start
    answer = ask(links)
    return {
        "encoding": encoding,
        "seconds": time.perf_counter() - start,
        "linked": float(answer.sum()) if tool == "hits" else answer.expected,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def peer(original, release, name):
    """The same for a cKDTree, and whether it links the same people as we do."""
    spec, norm = ATTACKS[name]
    n, asked = len(original), 256
    start = time.perf_counter()
    queries, base = (encoded(frame.to_numpy(), norm) for frame in (original, release))
    tree = cKDTree(base)
    building = time.perf_counter() - start
    order = np.random.default_rng(0).permutation(n)
    while True:
        asked = min(asked, n)
        chosen = np.sort(order[:asked])
        start = time.perf_counter()
        _, nearest = tree.query(queries[chosen], 1, p=norm, workers=THREADS)
        searching = time.perf_counter() - start
        if asked == n or searching > ENOUGH:
            break
        asked *= 4
    hit = nearest == chosen
    worth = unveil.measures.hits(attack(original, release, spec))[chosen]
    return {
        "seconds": building + searching / asked * n,
        "asked": asked,
        "tied": int(((worth > 0) & (worth < 1)).sum()),
        "other": int(np.where(hit, worth == 0, worth == 1).sum()),
    }


def encoded(values, norm):
    """Standardised numbers for Euclid, average ranks for the other two."""
    if norm != 2:
        return rankdata(values, axis=0)
    return (values - values.mean(0)) / values.std(0, ddof=1)


def row(n, name, noise, cells):
    """A line of the table."""
    parts = [f"{n:,}", name, f"{noise:.2f}", *[""] * (len(HEADS) - 3)]
    hits, risk, tree = (cells.get(tool) for tool in TOOLS)
    if hits:
        parts[3] = f"{hits['linked'] / n:.1%}"
        parts[4] = seconds(hits["encoding"])
        parts[5] = seconds(hits["seconds"] - hits["encoding"])
        parts[6] = f"{hits['peak'] / 2**30:.2f} GiB"
    if risk:
        parts[7] = seconds(risk["seconds"])
        parts[8] = f"{risk['peak'] / 2**30:.2f} GiB"
    if tree:
        parts[9] = f"{'~' if tree['asked'] < n else ''}{seconds(tree['seconds'])}"
        if hits:
            parts[9] += f" {times_ours(tree['seconds'], hits['seconds'])}"
        same = f"NO, {tree['other']:,} others" if tree["other"] else "yes"
        parts[10] = f"{same}, of {tree['asked']:,}; {tree['tied']:,} tied"
    return f"| {' | '.join(parts)} |"


def arguments():
    """The command line."""
    parser = command_line(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--noises", type=float, nargs="+", default=[0.1, 0.25, 0.5])
    parser.add_argument("--attacks", nargs="+", choices=ATTACKS, default=list(ATTACKS))
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=list(TOOLS))
    return parser.parse_args()


def main():
    """Print the table, line by line as it is measured."""
    given = arguments()
    if measured(given, measure):
        return
    ran_on = machine(f"{THREADS} threads", "numba", "polars", "scipy")
    print(f"{ran_on}; people made after {source()[1]}.", flush=True)
    print(f"\n| {' | '.join(HEADS)} |")
    print("|" + "---|" * len(HEADS), flush=True)
    for n in given.sizes:
        for name in given.attacks:
            for noise in given.noises:
                cells = {
                    tool: best_of(3, QUICK, partial(in_a_process, __file__, (tool, n, noise, name)))
                    for tool in given.tools
                }
                print(row(n, name, noise, cells), flush=True)


if __name__ == "__main__":
    main()
