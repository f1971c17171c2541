"""Files that share no attribute, linked without the truth: one command, five tables.

    python benchmarks/structural.py                            everything, some two hours on a core
    python benchmarks/structural.py files --runs 3 --files wdbc census
    python benchmarks/structural.py planted --sizes 100 500

Truth is used to count, never to link. Records are drawn at random and the second file is
shuffled, in each run anew; the same draws are attacked in every way. Links are counted by
their expected hits, of the records of the first file; ranges are of single runs.

files: `Structural()`, which chooses for itself, on the paper's files and on those by which its
constants were set; which way it followed, how sure it was, how many links it held to be right
(the sum of its confidences), and its claims, links held to be right with more than 0.9. Beside
it, on the same draws, every single way and the best of them in hindsight.
strangers: the second file holds other people. Links are counted against a random pairing, of
which any attack, and a guess, has about one right.
overlap: 80 of 100 people are in both files. large: wdbc with 500 records.
planted: how accuracy, time and memory go with the number of records, of attributes and of those
who are in both files; each line in a process of its own, its time without compiling, its memory
the peak of the process. --threads sets numba's and BLAS's threads there.
"""

from __future__ import annotations

import logging
import os
import resource
import time
from collections import Counter
from functools import partial

import numpy as np

import unveil
from cells import command_line, in_a_process, machine, measured, seconds
from two_files import OTHERS, PAPER, drawn, halves, planted
from unveil.attacks import Structural

TABLES = ("files", "strangers", "overlap", "large", "planted")
SURE = 0.9
# The paper's ways neither turn attributes round nor leave out what is missing.
published = partial(Structural, method="representatives", turn=False, missing="zero")
SINGLE = {
    "paper N1": published(normalisation="ranging", matching="nearest"),
    "paper N2": published(normalisation="standardisation", matching="nearest"),
    "paper N2, 1-1": published(normalisation="standardisation", matching="one-to-one"),
} | {
    f"{name}{', 1-1' if matching == 'one-to-one' else ''}": Structural(
        method="representatives", normalisation=how, matching=matching
    )
    for name, how in (("N1", "ranging"), ("N2", "standardisation"), ("scores", "normal-scores"))
    for matching in ("nearest", "one-to-one")
}
SINGLE |= {
    "first component": Structural(method="ranking", matching="nearest"),
    "sum": Structural(method="ranking", score="sum", matching="nearest"),
    "alignment": Structural(method="alignment", matching="nearest"),
    "alignment, 1-1": Structural(method="alignment", matching="one-to-one"),
    "values": Structural(method="values", matching="nearest"),
    "values, posterior": Structural(method="values"),
    # Controls say how sure it is; whom it links they do not change.
    "correlation": Structural(method="correlation", controls=2),
}
HEADS = {
    "files": "file|records|linked|followed|sure|expected|claimed|right|CPU",
    "single": "file|" + "|".join(SINGLE) + "|best|auto|auto / best",
    "strangers": "file|records|by chance|followed|sure|sure > 0.9|expected|claimed",
    "overlap": "file|in both|linked|followed|sure|expected|claimed|right|CPU",
    "large": "file|records|linked|followed|sure|expected|claimed|right|CPU",
    "planted": "n|in both|attributes|linked|followed|sure|expected|claimed|right|time|peak",
}
FEWER = {"iris": 75}  # records of which strangers can be drawn
SIZES, OVERLAPS, WIDTHS = (100, 500, 2000, 10_000), (1, 0.9, 0.8, 0.5), (4, 6, 8, 12)
USUAL = 500, 1, 8  # of what does not vary in a line
LARGE = 2000  # records from which one file is planted, not three


def told(links):
    """What one attack comes to: hits, the way it went, what it said of itself."""
    hits = unveil.measures.hits(links)
    details = links.finder.details
    foreseen = unveil.measures.forecast(links, SURE, sample=len(links))
    return {
        "hits": float(hits.sum()),
        "followed": details["method"],
        "sure": details["sure"] or 0.0,
        # A guess gives no probabilities and claims nothing.
        "expected": 0.0 if foreseen is None else foreseen.share * foreseen.n,
        "claimed": 0 if foreseen is None else foreseen.claimed,
        "right": 0.0 if foreseen is None else foreseen.right,
    }


def attacked(first, second, truth, spec, seed):
    """The same, of two files, with the time of all threads."""
    start = time.process_time()
    found = told(unveil.link(first, second, spec, truth=truth, seed=seed))
    return found | {"worked": time.process_time() - start}


def single(first, second, truth, spec, seed):
    """Hits of one way; none where the files share no values, and it refuses."""
    try:
        links = unveil.link(first, second, spec, truth=truth, seed=seed)
        return float(unveil.measures.hits(links).sum())
    except unveil.UnveilError:
        return 0.0


def runs_of(name, given, records, shared):
    """Draws of a file, the same for every table and every way of one size."""
    both = halves(name)
    for run in range(given.runs):
        yield run, drawn(both, records, shared, np.random.default_rng([run, records, shared]))


def ways(name, given):
    """Auto and every single way on the same draws: two lines."""
    auto, others = [], {way: [] for way in SINGLE}
    for run, files in runs_of(name, given, given.records, given.records):
        auto.append(attacked(*files, Structural(), run))
        for way, spec in SINGLE.items():
            same = way == auto[-1]["followed"] == "correlation"  # then it is the same search
            others[way].append(auto[-1]["hits"] if same else single(*files, spec, run))
    means = {way: np.mean(hits) for way, hits in others.items()}
    best = max(means, key=lambda way: means[way])
    ours = np.mean([one["hits"] for one in auto])
    beside = [name, *(f"{mean:.1f}" for mean in means.values())]
    beside += [f"{best} {means[best]:.1f}", f"{ours:.1f}", f"{ours / means[best]:.0%}"]
    return [name, given.records, *summed(auto)], beside


def summed(found):
    """Means of runs, as the tables show them."""
    hits = [one["hits"] for one in found]
    mean = {key: np.mean([one[key] for one in found]) for key in found[0] if key != "followed"}
    return [
        f"{mean['hits']:.1f} ({min(hits):.0f}-{max(hits):.0f})",
        followed(found),
        f"{mean['sure']:.2f}",
        f"{mean['expected']:.1f}",
        f"{mean['claimed']:.1f}",
        *right(found),
        f"{mean['worked']:.1f} s",
    ]


def followed(found):
    """How often each way was chosen."""
    counts = Counter(one["followed"] for one in found).most_common()
    return ", ".join(f"{way} {times}" for way, times in counts)


def right(found):
    """The share of all claims that are right."""
    claimed = sum(one["claimed"] for one in found)
    return [f"{sum(one['right'] for one in found) / claimed:.0%}" if claimed else "none"]


def apart(name, given):
    """The second file holds other people; a random pairing says what chance links."""
    records = FEWER.get(name, given.records)
    found = []
    for run, (first, second, _) in runs_of(name, given, records, 0):
        pairing = np.random.default_rng([run, 1]).permutation(records)
        found.append(attacked(first, second, pairing, Structural(), run))
    linked, way, sure, expected, claimed, *_ = summed(found)
    often = sum(one["sure"] > SURE for one in found)
    return [name, records, linked, way, sure, f"{often} of {len(found)}", expected, claimed]


def some(name, given, records, shared):
    """A line of auto alone."""
    runs = runs_of(name, given, records, shared)
    found = [attacked(*files, Structural(), run) for run, files in runs]
    return [name, shared, *summed(found)]


def measure(n, overlap, width, seed):
    """One planted pair of files, linked in this process."""
    logging.disable(logging.WARNING)
    shared = round(n * overlap)
    # Compiling, or loading what was compiled, is not linking.
    few = drawn(planted(120, width, 0), 60, 60, np.random.default_rng(0))
    for spec in (Structural(), SINGLE["scores"]):  # which it follows, and how it guesses
        attacked(*few, spec, 0)
    both = planted(2 * n - shared, width, seed)
    files = drawn(both, n, shared, np.random.default_rng([seed, n]))
    start = time.perf_counter()
    found = attacked(*files, Structural(), seed)
    return found | {
        "seconds": time.perf_counter() - start,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "load": os.getloadavg()[0],
    }


def scale(n, overlap, width, given):
    """A line of planted files: means, of three pairs where they are small."""
    seeds = range(1 if n >= LARGE else given.planted)
    cells = [
        in_a_process(__file__, (n, overlap, width, seed), threads=given.threads) for seed in seeds
    ]
    linked, *said, _ = summed(cells)
    shared = round(n * overlap)
    share = np.mean([one["hits"] for one in cells]) / shared
    spent = np.mean([one["seconds"] for one in cells])
    peak = max(one["peak"] for one in cells)
    return [
        *(f"{n:,}", f"{shared:,}", width, f"{linked}, {share:.0%}", *said),
        *(seconds(spent), f"{peak / 2**30:.2f} GiB"),
    ]


def planned(given):
    """The planted files: each of size, overlap and width varies by itself; then the largest."""
    n, overlap, width = USUAL
    cells = [(size, overlap, width) for size in given.sizes]
    cells += [(n, some, width) for some in given.overlaps]
    cells += [(n, overlap, many) for many in given.widths]
    cells.append((max(given.sizes), overlap, max(given.widths)))
    return list(dict.fromkeys(cells))


def printed(head, lines):
    """A table, line by line as it is measured."""
    names = HEADS[head].split("|")
    print(f"\n{head}\n\n| {' | '.join(names)} |\n|{'---|' * len(names)}", flush=True)
    for parts in lines:
        print(f"| {' | '.join(str(part) for part in parts)} |", flush=True)


def show(table, given):
    """One table; of files, two."""
    names = given.files or [*PAPER, *OTHERS]
    if table == "files":
        beside = []
        found = (ways(name, given) for name in names)
        printed("files", (beside.append(line) or own for own, line in found))
        printed("single", beside)
    elif table == "strangers":
        printed(table, (apart(name, given) for name in names))
    elif table == "overlap":
        shared = round(0.8 * given.records)
        printed(table, (some(name, given, given.records, shared) for name in names))
    elif table == "large":
        printed(table, [some("wdbc", given, 500, 500)])
    else:
        printed(table, (scale(*cell, given) for cell in planned(given)))


def arguments():
    """The command line."""
    parser = command_line(__doc__)
    parser.add_argument("tables", nargs="*", metavar="table", help=", ".join(TABLES))
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--records", type=int, default=100)
    parser.add_argument("--files", nargs="+", choices=[*PAPER, *OTHERS])
    parser.add_argument("--planted", type=int, default=3, help="pairs of planted files a line")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--overlaps", type=float, nargs="*", default=OVERLAPS)
    parser.add_argument("--widths", type=int, nargs="*", default=WIDTHS)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    if not set(given.tables) <= set(TABLES):
        parser.error(f"tables are {', '.join(TABLES)}")
    return given


def main():
    """Print the tables."""
    given = arguments()
    if measured(given, measure):
        return
    logging.disable(logging.WARNING)
    ran_on = machine(f"{given.threads} threads", "numpy", "numba", "scipy")
    print(f"{ran_on}; {given.runs} runs, of planted files {given.planted}", flush=True)
    for table in given.tables or TABLES:
        show(table, given)


if __name__ == "__main__":
    main()
