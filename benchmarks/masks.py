"""Masks beside plain programs that do the same: one command, a table for each mask.

    python benchmarks/masks.py                            all of it, a few minutes
    python benchmarks/masks.py --masks microaggregation --sizes 5000 50000
    python benchmarks/masks.py --masks v-mdav optimal lost    its other algorithms; what they lose

Every number comes from its own process: the time of masking, not of making the data or of
compiling, and the peak memory of the process with the data in it. What is quick is measured
five times, and the best is shown. Machines are noisy: a fifth more or less means nothing.
"""

from __future__ import annotations

import resource
import time
from functools import partial
from hashlib import sha256

import numpy as np

from cells import best_of, command_line, in_a_process, machine, measured, seconds

QUICK = 10.0  # seconds: what takes less is measured five times
GROUP = 3  # the k of microaggregation
OTHER_GROUP = 5  # the k of its other algorithms
GAMMAS = (0.2, 1.1)  # of V-MDAV: for scattered data, for data in clusters
WIDTHS = {"v-mdav": 4, "optimal": 1}  # attributes; of the others 10
# Seconds that sdcMicro, in C++, took for the same sizes: measured elsewhere, not here.
SDCMICRO = {
    "microaggregation": {5_000: 0.22, 20_000: 3.4, 50_000: 23.5},
    "rank-swapping": {20_000: 1.1, 50_000: 11.9},
}
PERCENT = 5  # the p of rank swapping
PLAIN_AT_MOST = 200_000  # records: the plain program needs four times as long for twice as many


def equicorrelated(n, width=10, correlation=0.6, seed=1):
    """Normal attributes, every two of them correlated alike."""
    random = np.random.default_rng(seed)
    own, shared = random.standard_normal((n, width)), random.standard_normal((n, 1))
    return np.sqrt(1 - correlation) * own + np.sqrt(correlation) * shared


def microaggregate(tool, points):
    """The groups of the points."""
    if tool == "plain":
        from plain_masks import mdav
    else:
        from unveil.grouping.mdav import mdav
    return mdav(points, GROUP)


def in_variable_groups(tool, points):
    """The groups of the points by MDAV, or by V-MDAV with the gamma that the tool names."""
    from unveil.grouping.mdav import mdav, v_mdav

    if tool == "mdav":
        return mdav(points, OTHER_GROUP)
    return v_mdav(points, OTHER_GROUP, gamma=float(tool))


def best_groups(tool, points):
    """The groups of one column, sorting included; the tool is k."""
    from unveil.grouping.optimal import optimal_groups

    return optimal_groups(np.sort(points[:, 0]), int(tool))


def swap(tool, points):
    """The points with their attributes swapped."""
    if tool == "plain":
        from plain_masks import swap_ranks

        return swap_ranks(points, PERCENT)
    import polars as pl

    import unveil

    data = unveil.Microdata(pl.DataFrame(points, schema=[f"x{j}" for j in range(points.shape[1])]))
    spec = unveil.masks.RankSwapping(p=PERCENT, columns=data.columns)
    return unveil.mask(data, [spec], seed=1).data.to_frame().to_numpy()


# For each mask what does it, given a tool and the data.
MASKS = {
    "microaggregation": microaggregate,
    "v-mdav": in_variable_groups,
    "optimal": best_groups,
    "rank-swapping": swap,
}


def measure(mask, tool, n):
    """One cell of a table, as a dictionary."""
    points = equicorrelated(n, WIDTHS.get(mask, 10))
    MASKS[mask](tool, points[:100])  # compiling, or loading what was compiled, is not masking
    start = time.perf_counter()
    answer = MASKS[mask](tool, points)
    spent = time.perf_counter() - start
    return {
        "seconds": spent,
        "answer": sha256(answer.tobytes()).hexdigest(),
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def in_processes(*cell):
    """The same in processes of their own: the best of five if it is quick."""
    return best_of(5, QUICK, partial(in_a_process, __file__, cell, threads=1))


def microaggregation(sizes):
    """Print a line for each number of records."""
    print(f"\nMicroaggregation by MDAV, 10 equicorrelated (0.6) normal attributes, k = {GROUP}:\n")
    print("| n | ours | plain | plain / ours | same groups | sdcMicro, not run here | our peak |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for n in sizes:
        ours = in_processes("microaggregation", "ours", n)
        parts = [f"{n:,}", f"{ours['seconds']:.2f} s", "", "", ""]
        if n <= PLAIN_AT_MOST:
            plain = in_processes("microaggregation", "plain", n)
            parts[2] = f"{plain['seconds']:.2f} s"
            parts[3] = f"{plain['seconds'] / ours['seconds']:.1f}"
            parts[4] = "yes" if plain["answer"] == ours["answer"] else "NO"
        print(f"| {' | '.join([*parts, *tail('microaggregation', n, ours)])} |", flush=True)


def variable_groups(sizes):
    """V-MDAV beside MDAV."""
    tools = ["mdav", *map(str, GAMMAS)]
    print(f"\nV-MDAV, 4 equicorrelated (0.6) normal attributes, k = {OTHER_GROUP}:\n")
    print(f"| n | MDAV | {' | '.join(f'gamma = {gamma}' for gamma in GAMMAS)} | peak |")
    print("|---|---|---|---|---|", flush=True)
    for n in sizes:
        found = [in_processes("v-mdav", tool, n) for tool in tools]
        times = " | ".join(seconds(each["seconds"]) for each in found)
        print(f"| {n:,} | {times} | {found[1]['peak'] / 2**30:.2f} GiB |", flush=True)


def optimal(sizes):
    """The best groups of one column, by n and k."""
    ks = (3, 5, 20, 100)
    print("\nOptimal groups of one column, normal, sorting included:\n")
    print(f"| n | {' | '.join(f'k = {k}' for k in ks)} | peak |")
    print(f"|---|{'---|' * len(ks)}---|", flush=True)
    for n in sizes:
        found = [in_processes("optimal", str(k), n) for k in ks]
        times = " | ".join(seconds(each["seconds"]) for each in found)
        print(f"| {n:,} | {times} | {found[0]['peak'] / 2**30:.2f} GiB |", flush=True)


def lost(_):
    """The share of the variance that is lost within groups: of Census, one column and all."""
    import unveil
    from unveil.table.encoding.to_arrays import numbers
    from unveil_papers.datasets import dataset

    census = dataset("census")

    def share(spec):
        names, after = spec.targets(census), unveil.mask(census, [spec]).data
        before, after = (numbers(data, names).values for data in (census, after))
        return (((before - after) / before.std(0)) ** 2).sum() / before.size

    together = partial(unveil.masks.Microaggregation, keep_type=False)
    apart = partial(unveil.masks.IndividualRanking, keep_type=False)
    algorithms = {
        "individual ranking": apart,
        "optimal": partial(together, algorithm="optimal"),
        "MDAV": together,
        **{f"V-MDAV {g}": partial(together, algorithm="v-mdav", gamma=g) for g in GAMMAS},
    }
    print("\nVariance lost within groups of Census (1,080 records):\n")
    print(f"| columns | k | {' | '.join(algorithms)} |")
    print(f"|---|---|{'---|' * len(algorithms)}", flush=True)
    for columns in (["AGI"], ["PTOTVAL"], ["FEDTAX"], census.columns):
        for k in (3, 5, 10):
            cells = [
                f"{share(make(k=k, columns=columns)):.4%}"
                if len(columns) == 1 or "MDAV" in name
                else ""
                for name, make in algorithms.items()
            ]
            named = columns[0] if len(columns) == 1 else f"all {len(columns)}"
            print(f"| {named} | {k} | {' | '.join(cells)} |", flush=True)


def rank_swapping(sizes):
    """The same for rank swapping, which draws differently in each program."""
    print(f"\nRank swapping, the same 10 attributes, p = {PERCENT}, all cores for ours:\n")
    print("| n | ours | plain | plain / ours | sdcMicro, not run here | our peak |")
    print("|---|---|---|---|---|---|", flush=True)
    for n in sizes:
        ours = in_processes("rank-swapping", "ours", n)
        parts = [f"{n:,}", f"{ours['seconds']:.2f} s", "", ""]
        if n <= PLAIN_AT_MOST:
            plain = in_processes("rank-swapping", "plain", n)
            parts[2] = f"{plain['seconds']:.2f} s"
            parts[3] = f"{plain['seconds'] / ours['seconds']:.1f}"
        print(f"| {' | '.join([*parts, *tail('rank-swapping', n, ours)])} |", flush=True)


def tail(mask, n, ours):
    """The last two cells of a line: the peer's time and our memory."""
    peer = SDCMICRO[mask].get(n)
    return [f"{peer} s" if peer else "", f"{ours['peak'] / 2**30:.2f} GiB"]


# For each mask what prints its table, given sizes.
TABLES = {
    "microaggregation": microaggregation,
    "v-mdav": variable_groups,
    "optimal": optimal,
    "lost": lost,
    "rank-swapping": rank_swapping,
}


def arguments():
    """The command line."""
    parser = command_line(__doc__)
    sizes = [5_000, 20_000, 50_000, 200_000, 1_000_000]
    parser.add_argument("--sizes", type=int, nargs="+", default=sizes)
    parser.add_argument("--masks", nargs="+", choices=TABLES, default=list(TABLES))
    return parser.parse_args()


def main():
    """Print the tables, line by line as they are measured."""
    given = arguments()
    if measured(given, measure):
        return
    print(f"{machine('one thread each unless said', 'numba')}.", flush=True)
    for mask in given.masks:
        TABLES[mask](given.sizes)


if __name__ == "__main__":
    main()
