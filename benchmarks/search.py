"""Exact search beside its peers: one command, one table.

    python benchmarks/search.py                       the whole table, about an hour
    python benchmarks/search.py --sizes 20000         a few minutes
    python benchmarks/search.py --sizes 10000000 --noises 0.25 --tools rank_of_truth

Every number comes from its own process: the time of building and searching, not of making
the data, and the peak memory of the process with the two files in it. Peers that would take
minutes are given a sample of the queries and extrapolated; those times are marked "~".
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from functools import partial
from subprocess import CalledProcessError

import numpy as np

from cells import best_of, in_a_process, machine, seconds, times_ours
from people import masked, people, ranks, source

QUICK = 20.0  # seconds: what takes less is measured three times
ENOUGH = 4.0  # seconds: a sample of queries that took this long is large enough
NORM = {"euclid": 2, "manhattan": 1, "chebyshev": np.inf}
TOOLS = ("rank_of_truth", "nearest", "cKDTree", "scikit-learn", "faiss")
OURS = TOOLS[:2]
FEWEST = {"faiss": 20_000}  # queries: its quickest way begins with so many at a time


def prepare(tool, base, distance, threads):
    """What answers queries with this tool: a function of queries and their true rows."""
    if tool == "cKDTree":
        from scipy.spatial import cKDTree

        tree = cKDTree(base)
        return lambda part, _: tree.query(part, 1, p=NORM[distance], workers=threads)
    if tool == "scikit-learn":
        from sklearn.neighbors import NearestNeighbors

        model = NearestNeighbors(n_neighbors=1, metric=distance.replace("euclid", "euclidean"))
        model.set_params(n_jobs=threads).fit(base)
        return lambda part, _: model.kneighbors(part)
    if tool == "faiss":
        import faiss

        faiss.omp_set_num_threads(threads)
        index = faiss.IndexFlatL2(base.shape[1])
        index.add(base.astype(np.float32))
        return lambda part, _: index.search(part.astype(np.float32), 1)
    from unveil.engines import metric as metrics
    from unveil.engines.local.engine import LocalEngine

    local, metric = LocalEngine(threads), getattr(metrics, distance)()
    if tool == "nearest":
        return lambda part, _: local.prepare(part, base, metric).nearest(None)
    return lambda part, truth: local.prepare(part, base, metric).rank_of_truth(
        None, truth, stop_at=1
    )


def measure(tool, n, noise, distance, threads):
    """One cell of the table, as a dictionary."""
    queries = people(n, seed=1)
    base, truth = masked(queries, noise, seed=1)
    if distance != "euclid":
        queries, base = ranks(queries), ranks(base)
    if tool in OURS:  # compiling, or loading what was compiled, is not searching
        prepare(tool, base[:100], distance, threads)(queries[:100], np.arange(100))
    else:
        queries, base = queries.astype(float), base.astype(float)
    start = time.perf_counter()
    search = prepare(tool, base, distance, threads)
    if tool in OURS:  # they build with every call: a call for one query is the building
        search(queries[:1], truth[:1])
    building = time.perf_counter() - start
    order = np.random.default_rng(0).permutation(n)
    asked = FEWEST.get(tool, 256)
    while True:
        asked = n if tool == "rank_of_truth" else min(asked, n)
        chosen = np.sort(order[:asked])
        part, true = queries[chosen], truth[chosen]
        start = time.perf_counter()
        found = search(part, true)
        spent = time.perf_counter() - start
        searching = spent - building if tool in OURS else spent
        if asked == n or searching > ENOUGH:
            break
        asked *= 4
    return {
        "tool": tool,
        "n": n,
        "noise": noise,
        "distance": distance,
        "seconds": building + searching / asked * n,
        "asked": asked,
        "hits": int((found.n_closer == 0).sum()) if tool == "rank_of_truth" else None,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def in_processes(**cell):
    """The same in processes of their own, so that peak memory is theirs too: the best of three.

    What takes long is asked once.
    """
    try:
        # BLAS has as many threads as the search.
        return best_of(3, QUICK, partial(in_a_process, __file__, cell, threads=cell["threads"]))
    except CalledProcessError:  # it has said why
        return {**cell, "seconds": None}


def shown(cell, ours):
    """A time, marked where extrapolated, and how many times ours it is."""
    if cell["seconds"] is None:
        return "failed"
    text = f"{'~' if cell['asked'] < cell['n'] else ''}{seconds(cell['seconds'])}"
    if cell["tool"] not in OURS and ours and ours["seconds"]:
        text += f" {times_ours(cell['seconds'], ours['seconds'])}"
    return text


def row(cells):
    """A line of the table."""
    by_tool = {cell["tool"]: cell for cell in cells}
    first = by_tool.get("rank_of_truth")
    head = cells[0]
    hits = f"{first['hits'] / first['n']:.1%}" if first and first["seconds"] else ""
    peaks = [cell["peak"] for cell in cells if cell["tool"] in OURS and cell["seconds"]]
    parts = [f"{head['n']:,}", head["distance"], f"{head['noise']:.2f}", hits]
    parts += [shown(by_tool[tool], first) if tool in by_tool else "" for tool in TOOLS]
    parts.append(f"{max(peaks) / 2**30:.2f} GiB" if peaks else "")
    return f"| {' | '.join(parts)} |"


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[20_000, 200_000, 1_000_000])
    parser.add_argument("--noises", type=float, nargs="+", default=[0.1, 0.25, 0.5])
    parser.add_argument("--distances", nargs="+", choices=NORM, default=list(NORM))
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=list(TOOLS))
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    """Print the table, line by line as it is measured."""
    given = arguments()
    if given.cell:
        print(json.dumps(measure(**json.loads(given.cell))))
        return
    ran_on = machine(f"{given.threads} threads", "numba", "scipy", "scikit-learn", "faiss-cpu")
    print(f"{ran_on}; people made after {source()[1]}.", flush=True)
    print("\n| n | distance | noise | re-identified | " + " | ".join(TOOLS) + " | our peak |")
    print("|" + "---|" * (len(TOOLS) + 5), flush=True)
    for n in given.sizes:
        for distance in given.distances:
            for noise in given.noises:
                cells = [
                    in_processes(
                        tool=tool, n=n, noise=noise, distance=distance, threads=given.threads
                    )
                    for tool in given.tools
                    if distance == "euclid" or tool != "faiss"
                ]
                print(row(cells), flush=True)


if __name__ == "__main__":
    main()
