"""How well the risk in the population is estimated: populations whose truth is known.

    python benchmarks/population.py people --keys 4,5,6 --samples 20
    python benchmarks/population.py masked
    python benchmarks/population.py weighted
    python benchmarks/population.py adult       where UNVEIL_DATA has the Adult file
    python benchmarks/population.py large       200,000 records, eight keys, ten million cells

The people are made up: a million with eight attributes, each drawn by logits that depend on those
before it, with effects of pairs and of triples. Of each estimator: the mean truth, the mean
estimate, its mean relative error, its relative deviation, and how often the interval of 95 % holds
the truth.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import unveil
from unveil import Microdata, Schema, masks, measures

NAMES = ["age", "region", "sex", "occupation", "marital", "education", "ethnicity", "tenure"]
ADULT = ["age", "education", "marital-status", "race", "sex"]
FIGURES = ("tau1", "tau2", "expected_matches")
MODELS = ("chosen", "independence", "two-way")
N = 1_000_000


def drawn(rng: np.random.Generator, logits: np.ndarray) -> np.ndarray:
    """A category for each row of logits."""
    return (logits + rng.gumbel(size=logits.shape).astype(np.float32)).argmax(1)


def people(seed: int = 1) -> np.ndarray:
    """The made-up population: a million rows of eight categories."""
    rng = np.random.default_rng(seed)

    def effect(*shape: int, scale: float) -> np.ndarray:
        return (rng.normal(size=shape) * scale).astype(np.float32)

    region = drawn(rng, np.tile(effect(20, scale=0.8), (N, 1)))
    sex = rng.integers(0, 2, N)
    base = -((np.arange(80) / 45.0) ** 4).astype(np.float32)
    age = drawn(rng, (base + effect(20, 80, scale=0.15))[region])
    band = age // 10
    common = np.array([3, 0.5, 0, -0.7], np.float32)
    ethnicity = drawn(
        rng, (common + effect(20, 4, scale=0.7))[region] + effect(8, 4, scale=0.3)[band]
    )
    by_age = [
        2.5 - age / 12.0,
        -2 + age / 12.0 - np.maximum(age - 40, 0) / 15.0,
        -3 + age / 20.0,
        -7 + age / 11.0 + 0.8 * sex,
    ]
    marital = drawn(
        rng, np.stack(by_age, 1).astype(np.float32) + effect(4, 4, scale=0.4)[ethnicity]
    )
    education = drawn(
        rng,
        effect(8, 5, scale=0.8)[band]
        + effect(4, 5, scale=0.6)[ethnicity]
        + effect(20, 5, scale=0.3)[region],
    )
    occupation = drawn(
        rng,
        effect(15, scale=0.9)
        + effect(5, 15, scale=1.0)[education]
        + effect(2, 15, scale=0.8)[sex]
        + effect(8, 15, scale=0.5)[band]
        + effect(20, 15, scale=0.4)[region]
        + effect(5, 2, 8, 15, scale=0.4)[education, sex, band],
    )
    tenure = drawn(
        rng,
        effect(8, 3, scale=0.8)[band]
        + effect(4, 3, scale=0.6)[marital]
        + effect(20, 3, scale=0.4)[region]
        + effect(5, 3, scale=0.5)[education],
    )
    return np.stack([age, region, sex, occupation, marital, education, ethnicity, tenure], 1)


class Population:
    """A population by its keys, and samples of it."""

    def __init__(self, rows: np.ndarray, names: list[str]) -> None:
        self.rows, self.names = rows, names
        self.shape = tuple(int(size) + 1 for size in rows.max(0))
        self.cells = np.ravel_multi_index(tuple(rows.T), self.shape)
        self.people = np.bincount(self.cells, minlength=int(np.prod(self.shape)))

    def sample(self, fraction: float, seed: int) -> tuple[Microdata, np.ndarray]:
        """A simple random sample, and the cells of its records."""
        rng = np.random.default_rng(seed)
        size = round(fraction * len(self.rows))
        chosen = np.sort(rng.choice(len(self.rows), size, replace=False))
        weights = np.full(size, 1 / fraction)
        return self.microdata(chosen, weights), self.cells[chosen]

    def microdata(self, chosen: np.ndarray, weights: np.ndarray) -> Microdata:
        """Some people, with their weights."""
        frame = pl.DataFrame({name: self.rows[chosen, j] for j, name in enumerate(self.names)})
        levels = {name: "numeric" if name == "age" else "nominal" for name in self.names}
        declared = {name: {"role": "quasi", "level": levels[name]} for name in self.names}
        schema = Schema(declared | {"weight": {"role": "weight"}})
        return Microdata(frame.with_columns(weight=weights), schema)

    def truth(self, true: np.ndarray, released: np.ndarray) -> tuple[float, float, float]:
        """tau1, tau2 and the expected matches over all records, as they are."""
        right, people = true == released, np.maximum(self.people[released], 1)
        alone = np.bincount(released)[released] == 1
        hits = right / people
        return (
            float((right & alone & (people == 1)).sum()),
            float(hits[alone].sum()),
            float(hits.sum()),
        )

    def released_cells(self, data: Microdata) -> np.ndarray:
        """The cells of released records."""
        columns = [data.column(name).cast(pl.Int64).to_numpy() for name in self.names]
        return np.ravel_multi_index(tuple(columns), self.shape)


def benedetti_franconi(data: Microdata, names: list[str]) -> list[tuple[float, float, float]]:
    """The same three figures by sampling weights alone, without intervals."""
    risks = measures.individual_risk(data, names, "weight")
    keys = data.to_frame().select(names).to_numpy()
    cells = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
    alone = np.bincount(cells)[cells] == 1
    found = measures.population_risk(data, names, weight="weight")
    values = found.population_uniques, float(risks[alone].sum()), found.expected
    return [(value, np.nan, np.nan) for value in values]


def by_sizes(data: Microdata, names: list[str], estimator: str) -> list[tuple[float, float, float]]:
    """tau1 by a super-population estimator; the others are not estimated."""
    found = measures.super_population(data, names)
    name = found.chosen if estimator == "chosen by size" else estimator
    values = {one.estimator: one.sample_uniques for one in found.estimates}
    value = np.nan if values[name] is None else values[name]
    return [(value, np.nan, np.nan), (np.nan,) * 3, (np.nan,) * 3]


def intrusion(data: Microdata, names: list[str]) -> list[tuple[float, float, float]]:
    """tau2 by data intrusion simulation: the sum of the DIS scores before they are spread."""
    found = measures.suda(data, names, max_size=1).summary
    return [(np.nan,) * 3, (found.uniques * (found.dis or 0.0), np.nan, np.nan), (np.nan,) * 3]


def log_linear(
    data: Microdata, names: list[str], **options: Any
) -> list[tuple[float, float, float]]:
    """The three figures with their intervals by a model."""
    fraction = 1 / float(data.column("weight")[0])
    found = measures.population_model(data, names, fraction=fraction, **options).estimates
    return [(one.value, one.low, one.high) for one in (getattr(found, name) for name in FIGURES)]


def table(title: str, rows: Iterator[tuple[str, list[Any], list[Any]]]) -> None:
    """Print the errors of each estimator over the samples."""
    for name, truths, estimates in rows:
        true, made = np.array(truths), np.array(estimates)
        for j, figure in enumerate(FIGURES):
            if np.isnan(made[:, j, 0]).all():
                continue  # it does not estimate this figure
            error = made[:, j, 0] / true[:, j] - 1
            inside = (made[:, j, 1] <= true[:, j]) & (true[:, j] <= made[:, j, 2])
            coverage = "" if np.isnan(made[:, j, 1]).any() else f"{100 * inside.mean():.0f} %"
            print(
                f"| {title} | {name} | {figure} | {len(true)} | {true[:, j].mean():,.0f} | "
                f"{made[:, j, 0].mean():,.0f} | {100 * error.mean():+.1f} % | "
                f"{100 * error.std():.1f} % | {coverage} |",
                flush=True,
            )


def on_samples(
    population: Population, fraction: float, samples: int, estimators: dict[str, Callable[..., Any]]
) -> Iterator[tuple[str, list[Any], list[Any]]]:
    """The truths and estimates of each estimator on the same samples."""
    truths: list[Any] = []
    made: dict[str, list[Any]] = {name: [] for name in estimators}
    for seed in range(samples):
        data, cells = population.sample(fraction, seed)
        truths.append(population.truth(cells, cells))
        for name, estimator in estimators.items():
            made[name].append(estimator(data, population.names))
    for name, estimates in made.items():
        yield name, truths, estimates


def estimators(models: tuple[str, ...]) -> dict[str, Callable[..., Any]]:
    """Those of the package, by name."""
    found: dict[str, Callable[..., Any]] = {
        f"log-linear, {terms}": lambda data, names, terms=terms: log_linear(
            data, names, terms=terms
        )
        for terms in models
    }
    for name in ("pitman", "zayatz", "snb", "chosen by size"):
        found[name] = partial(by_sizes, estimator=name)
    return found | {
        "data intrusion simulation": intrusion,
        "Benedetti-Franconi": benedetti_franconi,
    }


def run_people(keys: list[int], fractions: list[float], samples: int) -> None:
    """The made-up population, sampled."""
    rows = people()
    for many in keys:
        population = Population(rows[:, :many], NAMES[:many])
        for fraction in fractions:
            models = MODELS if many < 7 else MODELS[:1]
            found = on_samples(population, fraction, samples, estimators(models))
            table(f"{many} keys, {100 * fraction:g} %", found)


def run_masked(samples: int) -> None:
    """The same after masks of known strength."""
    rows = people()
    plans = {
        "PRAM, region and occupation": masks.Pram(
            theta=0.1, invariant=False, columns=["region", "occupation"]
        ),
        "PRAM, invariant, region": masks.Pram(theta=0.5, columns=["region"]),
        "rank swapping, age, 2 %": masks.RankSwapping(p=2, columns=["age"]),
        "rank permutation, age, 2 %": masks.RankPermutation(p=2, columns=["age"]),
        "record swapping, 20 % at random": masks.RecordSwapping(
            geography=["region"], keys=["age", "sex"], k=1, share=0.2
        ),
        "record swapping, 5 %, those at risk": masks.RecordSwapping(
            geography=["region"], keys=["age", "sex"], k=3, share=0.05
        ),
    }
    for many, fraction in ((5, 0.02), (5, 0.1), (6, 0.02)):
        population = Population(rows[:, :many], NAMES[:many])
        for name, mask in plans.items():
            truths, made = [], []
            for seed in range(samples):
                data, cells = population.sample(fraction, seed)
                release = unveil.mask(data, [mask], seed=seed)
                released = population.released_cells(release.data)
                truths.append(population.truth(cells[release.row_map], released))
                made.append(log_linear(data, population.names, release=release))
            table(f"{many} keys, {100 * fraction:g} %", iter([(name, truths, made)]))


def run_weighted(samples: int) -> None:
    """Unequal weights: 1 % of the people of every other region, 8 % of those of the others."""
    rows = people()
    fractions = np.where(rows[:, 1] % 2 == 0, 0.01, 0.08)
    for title, columns in (("region a key", [0, 1, 2, 3, 4]), ("region no key", [0, 2, 3, 4, 5])):
        population = Population(rows[:, columns], [NAMES[column] for column in columns])
        truths, made = [], []
        for seed in range(samples):
            chosen = np.flatnonzero(np.random.default_rng(seed).random(N) < fractions)
            data = population.microdata(chosen, 1 / fractions[chosen])
            cells = population.cells[chosen]
            truths.append(population.truth(cells, cells))
            found = measures.population_model(data, population.names, weight="weight").estimates
            parts = (getattr(found, name) for name in FIGURES)
            made.append([(one.value, one.low, one.high) for one in parts])
        table(f"1 % and 8 %, {title}", iter([("log-linear, chosen", truths, made)]))


def run_adult(samples: int) -> None:
    """The Adult file as a population."""
    folder = Path(os.environ["UNVEIL_DATA"])
    parts = [
        pl.read_csv(folder / f"adult_{one}.csv", infer_schema_length=0) for one in ("train", "test")
    ]
    frame = pl.concat(parts, how="diagonal")
    columns = [np.unique(frame[name].to_numpy(), return_inverse=True)[1] for name in ADULT]
    population = Population(np.stack(columns, 1), ADULT)
    for fraction in (0.01, 0.05, 0.2):
        table(
            f"Adult, {100 * fraction:g} %",
            on_samples(population, fraction, samples, estimators(MODELS)),
        )


def run_large() -> None:
    """The largest table that the package promises to handle in a minute."""
    population = Population(people(), NAMES)
    data, cells = population.sample(0.2, 0)
    begun = time.process_time()
    found = measures.population_model(data, NAMES, fraction=0.2).estimates
    spent = time.process_time() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{found.n:,} records, {found.cells:,} cells, {len(found.path)} models")
    print(f"{spent:.0f} s of processor time, {memory:.1f} GiB at most")
    print("truth", population.truth(cells, cells), [getattr(found, name) for name in FIGURES])


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["people", "masked", "weighted", "adult", "large"])
    parser.add_argument("--keys", default="4,5,6")
    parser.add_argument("--fractions", default="0.005,0.02,0.1")
    parser.add_argument("--samples", type=int, default=50)
    options = parser.parse_args()
    if options.part == "large":
        run_large()
        return
    print(
        "| sample | estimator | figure | samples | truth | estimate | bias | deviation | coverage |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    if options.part == "people":
        keys = [int(one) for one in options.keys.split(",")]
        run_people(keys, [float(one) for one in options.fractions.split(",")], options.samples)
    elif options.part == "masked":
        run_masked(options.samples)
    elif options.part == "weighted":
        run_weighted(options.samples)
    else:
        run_adult(options.samples)


if __name__ == "__main__":
    main()
