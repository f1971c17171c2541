"""Who knows the mask beside who does not: one command, one table.

    python benchmarks/method_aware.py                         everything, hours
    python benchmarks/method_aware.py --records 300 --seeds 5 half an hour
    python benchmarks/method_aware.py --only swapping --matchings nearest

Expected hits in percent, the mean over releases with other random numbers (and, of a sample,
other people), with its standard error. For each direction and matching the best of the
general attacks stands beside the tailored one, which knows the mask. Knowing more must not
make anybody worse: a cell is flagged (!) where the tailored attack falls behind a general one
of the same direction and matching by more than two standard errors of the paired differences,
and where the tailored posterior falls behind any attack of its direction. A matching has none.
Directions are not compared: of equal rows those that look for an original all find the surest.
"""

from __future__ import annotations

import argparse
import logging
import time
from functools import partial

import numpy as np
import polars as pl

import unveil
from people import source
from unveil import attacks, masks

OVER, BACK = "original-to-release", "release-to-original"
GENERAL = {
    "euclid": attacks.Distance,
    "mahalanobis": partial(attacks.Distance, metric="mahalanobis"),
    "manhattan": partial(attacks.Distance, metric="manhattan"),
    "rank sum": attacks.Rank,
    "rank max": partial(attacks.Rank, criterion="max"),
}
WAYS = {  # the directions in which each matching is asked
    "nearest": (OVER, BACK),
    "one-to-one": (OVER,),
    "posterior": (OVER, BACK),
}
NAMES = {OVER: "o>r", BACK: "r>o"}
BEHIND = 2.0  # standard errors
CATEGORIES = ("region", "sex", "education", "marital_status", "occupation")
NUMBERS = ("age", "household_size", "rent", "hours")


def census(n, seed):
    """The papers' file, or some of its records."""
    frame = pl.DataFrame(source()[0], schema=[f"x{j}" for j in range(source()[0].shape[1])])
    if n is not None and n < len(frame):
        frame = frame.sample(n, seed=seed)
    return unveil.Microdata(frame, unveil.Schema(quasi=frame.columns))


def households(n, seed):
    """Another sample each time."""
    return unveil.households(n or 1000, seed=100 + seed)


def laplace(values, rng):
    """Noise of another law."""
    return values + rng.laplace(0, 0.2 * values.std(), len(values))


def shrunk(values, rng):
    """Nearer to the mean, and a little noise."""
    noise = rng.normal(0, 0.1 * values.std(), len(values))
    return 0.7 * values + 0.3 * values.mean() + noise


def some_anew(values, rng):
    """Every tenth category drawn anew."""
    return np.where(rng.random(len(values)) < 0.1, rng.permutation(values), values)


def spelt(values, rng):
    """Numbers or labels, each as it can be changed."""
    return some_anew(values, rng) if values.dtype == object else laplace(values, rng)


def together(sets, k):
    """Microaggregation of sets of columns."""
    return masks.Microaggregation(
        groups=[{"columns": columns, "k": k} for columns in sets], keep_type=False
    )


def on_census(columns):
    """Plans for a file of numbers."""
    thirds = [columns[j::3] for j in range(3)]
    plain = {
        "additive noise": (
            partial(masks.AdditiveNoise, keep_type=False), "scale", (0.1, 0.25, 0.5, 1)
        ),
        "correlated noise": (partial(masks.CorrelatedNoise, keep_type=False), "scale", (0.25, 0.5)),
        "multiplicative noise": (
            partial(masks.MultiplicativeNoise, keep_type=False), "scale", (0.25, 0.5, 1)
        ),
        "rank swapping": (masks.RankSwapping, "p", (10, 25, 50)),
        "distribution swapping, table": (masks.DistributionSwapping, "p", (5, 10, 25)),
        "distribution swapping, text": (
            partial(masks.DistributionSwapping, reading="text"), "p", (10, 25, 50)
        ),
        "individual ranking": (
            partial(masks.IndividualRanking, keep_type=False), "k", (20, 60, 100)
        ),
        "microaggregation": (partial(masks.Microaggregation, keep_type=False), "k", (3, 5, 20)),
        "microaggregation by thirds": (partial(together, thirds), "k", (5, 20)),
        "top coding": (masks.TopCoding, "share", (0.2, 0.7)),
        "bottom coding": (masks.BottomCoding, "share", (0.7,)),
        "rounding": (masks.Rounding, "base", (5000, 50_000)),
        "recoding": (masks.GlobalRecoding, "intervals", (20_000, 100_000)),
    }  # fmt: skip
    plans = {
        f"{name} {value:g}": [mask(**{parameter: value})]
        for name, (mask, parameter, values) in plain.items()
        for value in values
    }
    for name, function in (("laplace", laplace), ("shrunk", shrunk)):
        for channel in ("estimate", "unknown"):
            spec = masks.Function(function=function, channel=channel, keep_type=False)
            plans[f"function {name}, {channel}"] = [spec]
    plans["top coding and noise"] = [
        masks.TopCoding(share=0.3),
        masks.AdditiveNoise(scale=0.25, keep_type=False),
    ]
    plans["swapping, then noise"] = [
        masks.RankSwapping(p=10),
        masks.AdditiveNoise(scale=0.1, keep_type=False),
    ]
    return plans


def on_households():
    """Plans for a sample with categories, missing cells and ties."""
    pram = partial(masks.Pram, columns=CATEGORIES)
    noise = partial(masks.AdditiveNoise, columns=NUMBERS)
    both = (*CATEGORIES, *NUMBERS)
    return {
        "pram .3": [pram(theta=0.3), noise(scale=0.5)],
        "pram .9": [pram(theta=0.9), noise(scale=0.5)],
        "pram .15 each": [pram(theta=0.15, invariant=False), noise(scale=0.5)],
        "pram .4 each": [pram(theta=0.4, invariant=False), noise(scale=0.25)],
        "pram and rank swapping": [
            pram(theta=0.2, invariant=False), masks.RankSwapping(p=25, columns=NUMBERS)
        ],
        "pram and distribution swapping": [
            pram(theta=0.2, invariant=False), masks.DistributionSwapping(p=10, columns=NUMBERS)
        ],
        "pram and ranges": [
            pram(theta=0.2, invariant=False), masks.GlobalRecoding(intervals=20, columns=NUMBERS)
        ],
        "recoding and noise": [
            masks.GlobalRecoding(rarest=3, columns=("region", "occupation", "education")),
            noise(scale=0.5),
        ],
        "microaggregation 5": [masks.Microaggregation(k=5, columns=both)],
        "microaggregation 20": [masks.Microaggregation(k=20, columns=both)],
        "microaggregation apart": [together((CATEGORIES, NUMBERS), 5)],
        "individual ranking and pram": [
            masks.IndividualRanking(k=200, columns=NUMBERS), pram(theta=0.3, invariant=False)
        ],
        "function, estimate": [masks.Function(function=spelt, columns=both)],
        "function, unknown": [masks.Function(function=spelt, columns=both, channel="unknown")],
        "pram and function, unknown": [
            pram(theta=0.2, invariant=False),
            masks.Function(function=laplace, columns=NUMBERS, channel="unknown"),
        ],
        "pram twice, and swapping then noise": [
            pram(theta=0.1, invariant=False),
            pram(theta=0.1, invariant=False, name="again"),
            masks.RankSwapping(p=10, columns=NUMBERS),
            noise(scale=0.1),
        ],
    }  # fmt: skip


def expected(data, release, attack, direction, seed):
    """Expected hits in percent; not a number where the attack has nothing to say."""
    intruder = unveil.Intruder(knows=known(data), direction=direction)
    try:
        links = unveil.attack(data, release, attack, intruder=intruder, seed=seed)
        return 100 * unveil.measures.hits(links, ties="expected").mean()
    except unveil.UnveilError:
        return np.nan


def known(data):
    """What the intruder knows."""
    return (*CATEGORIES, *NUMBERS) if "sex" in data.columns else data.columns


def cell(make, plan, given):
    """For each way the hits of every attack, seed by seed."""
    ways = [(matching, way) for matching in given.matchings for way in WAYS[matching]]
    found = {}
    for seed in range(given.seeds):
        data = make(given.records, seed)
        release = unveil.mask(data, plan, seed=seed)
        for matching, way in ways:
            specs = {name: spec(matching=matching) for name, spec in GENERAL.items()}
            specs["tailored"] = attacks.Tailored(level=given.level, matching=matching)
            for name, spec in specs.items():
                value = expected(data, release, spec, way, seed)
                found.setdefault((matching, way, name), []).append(value)
    return {key: np.array(values) for key, values in found.items()}


def behind(tailored, other):
    """By how much one falls behind another, and how many standard errors that is."""
    gaps = other - tailored
    error = gaps.std(ddof=1) / len(gaps) ** 0.5 if len(gaps) > 1 else 0.0
    mean = gaps.mean()
    return mean, (mean / error if error > 0 else (np.inf if mean > 1e-9 else 0.0))


def lines(found):
    """For each way its best general attack, the tailored one, and what is flagged."""
    for (matching, way, name), ours in found.items():
        if name != "tailored":
            continue
        rivals = {
            key: values
            for key, values in found.items()
            if key[2] != "tailored" and not np.isnan(values).any()
        }
        same = {key: values for key, values in rivals.items() if key[:2] == (matching, way)}
        best = max(same, key=lambda key: same[key].mean(), default=None)
        other = {
            key: values
            for key, values in found.items()
            if key[1] == way and key != (matching, way, name) and not np.isnan(values).any()
        }
        asked = other if matching == "posterior" else same
        flags = []
        for key, values in asked.items():
            mean, errors = behind(ours, values)
            if errors > BEHIND:
                flags.append(f"{key[2]} {key[0]} {NAMES[key[1]]} +{mean:.1f} ({errors:.1f})")
        yield (
            f"{matching} {NAMES[way]}",
            "" if best is None else f"{best[2]} {said(rivals[best])}",
            said(ours),
            f"! {'; '.join(flags)}" if flags else "",
        )


def said(values):
    """A mean and its standard error."""
    error = values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return f"{values.mean():.1f} ±{error:.1f}"


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--records", type=int, help="of each file; if not given, all")
    parser.add_argument(
        "--level", choices=("method", "parameters", "original"), default="parameters"
    )
    parser.add_argument("--matchings", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--only", default="", help="plans whose line holds this")
    return parser.parse_args()


def main():
    """Print the table, plan by plan as it is measured."""
    given = arguments()
    logging.disable(logging.WARNING)
    start = time.perf_counter()
    files = {
        "census": (census, on_census(census(None, 0).columns)),
        "households": (households, on_households()),
    }
    print("| file | plan | way | best general | tailored | flagged |")
    print("|---|---|---|---|---|---|", flush=True)
    for file, (make, plans) in files.items():
        for name, plan in plans.items():
            if given.only not in f"{file} {name}":
                continue
            for line in lines(cell(make, plan, given)):
                print(f"| {' | '.join((file, name, *line))} |", flush=True)
    print(f"\n{given.seeds} seeds, level {given.level}, {time.perf_counter() - start:,.0f} s")


if __name__ == "__main__":
    main()
