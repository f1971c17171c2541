"""Searchers for good plans, each on the same tables of plans that were carried out once.

    python benchmarks/choose.py tabulate [FILE ...]     some 600 plans of each file: half an hour
    python benchmarks/choose.py replay [--seeds 5]      all searchers on the tables: minutes

A table has every plan of a finite space of six combinations: its risk, the largest share that the
distance, rank and method-aware attacks link, and its loss, the largest of the default uses. Tables
grow in `--folder` line by line, and an interrupted one continues. A searcher asks for a plan and is
told both; of one that it asked for before it is told again, and of the nearest other plan. The
figure is the hypervolume of all that it was told over that of the whole table; the reference is
risk 1 and the largest loss of the table.

Optuna is no dependency of the project: its searchers run in the environment whose interpreter
`--optuna` names (the Gaussian process needs torch, and minutes for each file). What they asked for
is kept beside the table, and is shown the next time without `--optuna`.
"""

from __future__ import annotations

import argparse
import json
import logging
import subprocess
import tempfile
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.stats.qmc import Halton

import unveil
from unveil import Intruder, Microdata, Schema, attacks, measures
from unveil.values.search_space import Candidate, SearchSpace
from unveil.workflows.choosing.frontier import hypervolume
from unveil.workflows.choosing.points import interleaved
from unveil.workflows.choosing.search import Evaluated, propose
from unveil_papers.datasets import dataset

FOLDER = Path(tempfile.gettempdir())
SEED = 7
ATTACKS = {"distance": attacks.Distance(), "rank": attacks.Rank(), "tailored": attacks.Tailored()}
MIDDLE = 0.5  # of a level: the place in its middle
BUDGETS = (30, 60, 120)
ROUND = 6  # plans that are tried at a time
LIMIT = 0.1  # of the share linked


class Case(NamedTuple):
    """A file, the columns that its plans mask, and how many of its records are attacked."""

    data: Microdata
    numbers: list[str]
    categories: list[str]
    attacked: int | None = None

    def loss(self, release, reference):
        """The largest loss of a use."""
        pair = measures.FilePair.of(self.data, release.data, release.row_map)
        return measures.overall(reference.losses(pair)).value


def levels(low, high, n, *, log=False, whole=False):
    """Values that a parameter may take: n of them, even or by ratios, in a range of a space."""
    spaced = np.geomspace(low, high, n) if log else np.linspace(low, high, n)
    if whole:  # so many different ones
        spaced = np.maximum(np.rint(spaced), low + np.arange(n)).astype(int)
    return {"any": tuple(round(value, 4) for value in spaced.tolist())}


def census():
    """The papers' file."""
    frame = dataset("census").to_frame("polars")
    return _of_numbers(frame, frame.columns)


def eia():
    """A thousand rows of the EIA file, in the papers' ten columns."""
    frame = dataset("eia").to_frame("polars")
    return _of_numbers(frame.sample(1000, seed=SEED), frame.columns[-10:])


def _of_numbers(frame, columns):
    frame = frame.select(pl.col(columns).cast(pl.Float64))
    return Case(Microdata(frame, Schema(quasi=columns, numeric=columns)), columns, [], 500)


def adult():
    """Two thousand people of Adult."""
    frame = dataset("adult_train").to_frame("polars").sample(2000, seed=SEED)
    numbers = ["age", "education-num", "hours-per-week", "capital-gain"]
    categories = ["workclass", "marital-status", "occupation", "race", "sex", "native-country"]
    frame = frame.select(*numbers, pl.col(categories).fill_null("?"))
    schema = Schema(quasi=frame.columns, numeric=numbers, nominal=categories)
    return Case(Microdata(frame, schema), numbers, categories, 500)


def sample():
    """A thousand people of the embedded sample."""
    numbers = ["age", "hours", "household_size", "income", "tax", "savings", "rent"]
    categories = ["region", "sex", "education", "marital_status", "occupation"]
    return Case(unveil.households(1000, seed=SEED), numbers, categories, 500)


CASES: dict[str, Callable[[], Case]] = {
    "census": census, "eia": eia, "adult": adult, "sample": sample,
}  # fmt: skip


def space_of(case):
    """Six combinations of one to three parameters, each with a list of values."""

    def step(method, columns, **parameters):
        return {"method": method, "columns": columns, **parameters}

    numbers, categories = case.numbers, case.categories
    half = len(numbers) // 2
    keys, rest = numbers[:half], numbers[half:]
    if not categories:
        plans = {
            "swapped": [step("rank-swapping", numbers, p=levels(1, 81, 41))],
            "noise": [step("additive-noise", numbers, scale=levels(0.02, 2, 41, log=True))],
            "grouped": [
                step("microaggregation", numbers, k=levels(2, 90, 41, log=True, whole=True)),
            ],
            "swapped in halves": [
                step("rank-permutation", keys, p=levels(1, 67, 12), name="first half"),
                step("rank-permutation", rest, p=levels(1, 67, 12), name="second half"),
            ],
            "grouped and noise": [
                step("microaggregation", keys, k=levels(2, 60, 12, log=True, whole=True)),
                step("additive-noise", rest, scale=levels(0.02, 2, 12, log=True)),
            ],
            "k-anonymous, swapped and noise": [
                step("mondrian", keys, cells="means", k=levels(2, 80, 6, log=True, whole=True)),
                step("rank-permutation", rest[::2], p=levels(2, 62, 6)),
                step("additive-noise", rest[1::2], scale=levels(0.05, 2, 6, log=True)),
            ],
        }  # fmt: skip
    else:
        pram = {"invariant": False}
        plans = {
            "grouped": [
                step("microaggregation", [*numbers, *categories],
                     k=levels(2, 90, 41, log=True, whole=True)),
            ],
            "randomised": [step("pram", categories, theta=levels(0.02, 0.9, 24), **pram)],
            "swapped and randomised": [
                step("rank-permutation", numbers, p=levels(1, 67, 12)),
                step("pram", categories, theta=levels(0.02, 0.9, 12), **pram),
            ],
            "noise and randomised": [
                step("additive-noise", numbers, scale=levels(0.02, 2, 12, log=True)),
                step("pram", categories, theta=levels(0.02, 0.9, 12), **pram),
            ],
            "k-anonymous and swapped": [
                step("mondrian", [*keys, *categories[:3]],
                     k=levels(2, 80, 10, log=True, whole=True)),
                step("rank-permutation", rest, p=levels(1, 64, 10)),
            ],
            "grouped, swapped and randomised": [
                step("microaggregation", keys, k=levels(2, 60, 5, log=True, whole=True)),
                step("rank-permutation", rest, p=levels(2, 62, 6)),
                step("pram", categories, theta=levels(0.05, 0.85, 5), **pram),
            ],
        }  # fmt: skip
    return SearchSpace(combination=[{"name": name, "mask": masks} for name, masks in plans.items()])


def every_candidate(space):
    """All plans of a finite space, in an order that spreads over it from the start."""
    found = [
        Candidate(one.name, point)
        for one in space.combination
        for point in product(*(places(d.range.levels) for d in one.dimensions))
    ]
    return [found[i] for i in np.random.default_rng(SEED).permutation(len(found))]


def places(n):
    """The place in the middle of each of n levels."""
    return [(level + MIDDLE) / n for level in range(n)]


def carried_out(case, masks, reference):
    """Every part of the risk and the loss of one plan."""
    release = unveil.mask(case.data, masks, seed=SEED)
    known = [*case.numbers, *case.categories]
    parts = {}
    for name, attack in ATTACKS.items():
        knows = case.numbers if name == "rank" else known
        intruder = Intruder(knows=knows, channel=attack.knows is not None)
        try:
            links = unveil.attack(case.data, release, attack, intruder=intruder, seed=SEED)
        except unveil.UnveilError:
            if name != "rank":  # ranges have no rank
                raise
            continue
        parts[name] = float(links.sample(case.attacked).rank_of_truth.hits.mean())
    return {"risk": parts, "loss": case.loss(release, reference)}


def tabulate(names, folder):
    """Carry out what the table of each file lacks."""
    for name in names:
        case, path = CASES[name](), table_path(folder, name)
        space, begun = space_of(case), time.process_time()
        reference = measures.UseReference(case.data, seed=SEED)
        done = {_key(row) for row in read_rows(path)}
        candidates = every_candidate(space)
        with path.open("a") as file:
            for i, candidate in enumerate(candidates):
                row = {"combination": candidate.combination, "point": candidate.point}
                if _key(row) in done:
                    continue
                try:
                    masks = [dict(one) for one in space.tables(candidate)]
                    row |= carried_out(case, masks, reference)
                except unveil.UnveilError as error:
                    row |= {"refused": str(error)}
                file.write(json.dumps(row) + "\n")
                file.flush()
                if i % 50 == 0:
                    print(name, i, f"of {len(candidates)}, {time.process_time() - begun:.0f} s",
                          flush=True)  # fmt: skip


def table_path(folder, name):
    """The table of a file."""
    return folder / f"choose-table-{name}.json"


def read_rows(path):
    """The rows of a table, as far as it has been made."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _key(row):
    return row["combination"], tuple(row["point"])


class Table:
    """The risk and the loss of every plan of a file, and what a searcher may know of them."""

    def __init__(self, name, folder):
        self.name, self.space = name, space_of(CASES[name]())
        self.levels = {
            one.name: [dimension.range.levels for dimension in one.dimensions]
            for one in self.space.combination
        }
        self.values = {
            self.plan(Candidate(*_key(row))): (max(row["risk"].values()), row["loss"])
            for row in read_rows(table_path(folder, name))
            if "refused" not in row
        }
        self.reference = (1.0, max(loss for _, loss in self.values.values()))
        self.whole = self._hypervolume(self.values)
        self.least = self._least(self.values)

    def plan(self, candidate):
        """The plan of a candidate by its levels."""
        counts = self.levels[candidate.combination]
        own = [min(int(x * n), n - 1) for x, n in zip(candidate.point, counts, strict=True)]
        return f"{candidate.combination} {own}"

    def _hypervolume(self, plans):
        risks, losses = zip(*(self.values[plan] for plan in plans), strict=True)
        return hypervolume(risks, losses, self.reference)

    def _least(self, plans):
        return min(
            (self.values[one][1] for one in plans if self.values[one][0] <= LIMIT), default=1
        )

    def figures(self, runs):
        """At each budget: hypervolume over that of all plans, its standard error, loss too much."""
        budgets = list(zip(*runs, strict=True))
        volumes = [[self._hypervolume(plans) / self.whole for plans in one] for one in budgets]
        losses = [[self._least(plans) - self.least for plans in one] for one in budgets]
        error = np.std(volumes, axis=1, ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else 0
        return np.mean(volumes, axis=1), error + np.zeros(len(budgets)), np.mean(losses, axis=1)


def ours(table, seed):
    """The plans that our search asks for, in rounds as `choose` makes them."""
    tried, most = [], max(BUDGETS)
    while len(tried) < most:
        for one in propose(table.space, tried, min(ROUND, most - len(tried)), seed=seed):
            risk, loss = table.values[table.plan(one)]
            tried.append(Evaluated(one, risk / LIMIT, loss))
    return prefixes([table.plan(one.candidate) for one in tried])


def plain_grid(table, _seed):
    """As many plans of each combination, spread evenly over its parameters (Hammersley points)."""
    return [
        interleaved(spread(table, one, -(-n // len(table.levels))) for one in table.levels)[:n]
        for n in BUDGETS
    ]


def spread(table, combination, n):
    """So many plans of a combination, or fewer if two are one."""
    others = len(table.levels[combination]) - 1
    first = (np.arange(n)[:, None] + MIDDLE) / n
    points = np.hstack((first, Halton(others, scramble=False).random(n))) if others else first
    return [table.plan(Candidate(combination, tuple(point))) for point in points.tolist()]


def at_random(table, seed):
    """Any combination, any level; nothing twice."""
    rng, plans = np.random.default_rng(seed), {}
    while len(plans) < max(BUDGETS):
        name = rng.choice(list(table.levels)).item()
        own = [int(rng.integers(n)) for n in table.levels[name]]
        plans[f"{name} {own}"] = None
    return prefixes(list(plans))


def prefixes(plans):
    """The plans within each budget."""
    return [plans[:n] for n in BUDGETS]


SEARCHERS = {"ours": ours, "plain grid": plain_grid, "random": at_random}


def run_optuna(table, path, python, seeds):
    """Let Optuna's searchers ask for plans, and keep which they asked for."""
    job = {"levels": table.levels, "values": table.values, "seeds": seeds, "most": max(BUDGETS)}
    script = Path(__file__).with_name("choose_optuna.py")
    with path.open("w") as file:
        subprocess.run([python, script], input=json.dumps(job), stdout=file, text=True, check=True)


def replay(table, folder, python, seeds):
    """The plans within each budget of every run, by searcher; ours is the first."""
    runs = {
        name: [searcher(table, seed) for seed in range(seeds)]
        for name, searcher in SEARCHERS.items()
    }
    path = folder / f"choose-optuna-{table.name}.json"
    if python:
        run_optuna(table, path, python, seeds)
    for row in read_rows(path):
        runs.setdefault(row["searcher"], []).append(prefixes(row["plans"]))
    return runs


def show(table, runs):
    """Print the table of one file, and whether our search reaches both targets."""
    figures = {name: table.figures(own) for name, own in runs.items()}
    budgets = " | ".join(f"{n}" for n in BUDGETS)
    print(f"\n{table.name}: {len(table.values)} plans\n")
    print(f"| searcher | {budgets} | loss at the limit: {budgets} |")
    print("|---" * (1 + 2 * len(BUDGETS)) + "|")
    for name, (volume, error, loss) in figures.items():
        cells = [f"{a:.4f} ± {b:.4f}" for a, b in zip(volume, error, strict=True)]
        print(f"| {name} | {' | '.join([*cells, *(f'+{one:.3f}' for one in loss)])} |")
    volume, error = np.array([one[:2] for one in figures.values()]).swapaxes(0, 1)
    best = volume[1:].argmax(0)  # of the others
    gap = volume[0] - volume[1:].max(0)
    allowed = np.hypot(error[0], error[1:][best, range(len(BUDGETS))])
    within = bool((gap >= -allowed).all())
    print(f"not worse than the best by more than a standard error: {verdict(within)}")
    close = bool(volume[0][BUDGETS.index(60)] >= 0.98)
    print(f"at 60 within 2 % of the whole table: {verdict(close)}")


def verdict(holds):
    """A verdict in a word."""
    return "holds" if holds else "FAILS"


def main() -> None:
    """Make the tables, or replay the searchers on them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("do", choices=["tabulate", "replay"])
    parser.add_argument("files", nargs="*", default=list(CASES))
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--optuna", help="interpreter that has Optuna and torch")
    arguments = parser.parse_args()
    logging.getLogger("unveil").setLevel(logging.ERROR)
    if arguments.do == "tabulate":
        tabulate(arguments.files, arguments.folder)
        return
    for name in arguments.files:
        table = Table(name, arguments.folder)
        show(table, replay(table, arguments.folder, arguments.optuna, arguments.seeds))


if __name__ == "__main__":
    main()
