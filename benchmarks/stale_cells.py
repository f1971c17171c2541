"""Intruders whose cells are out of date: who allows for it beside who does not, in one table.

    python benchmarks/stale_cells.py              three releases of each mask, some minutes
    python benchmarks/stale_cells.py --seeds 1

Percent linked, originals looking for their rows. The exact mixture is computed here pair by pair,
in memory that is quadratic in the records; so is the attack that takes all cells for right.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np
from scipy.special import logsumexp

import unveil
from method_aware import census
from unveil import Intruder, attacks, masks, measures
from unveil.attacks.nearest import as_records
from unveil.attacks.tailored import likelihood
from unveil.engines.metric import Metric
from unveil.workflows.inputs.scenario import prepare
from unveil.workflows.inputs.stand_in import stale_records

ERRORS = (0.0, 0.05, 0.1, 0.2, 0.5)
CATEGORIES = ["region", "sex", "education", "marital_status", "occupation"]
CASES = {
    "rank swapping 15 %": (census, None, masks.RankSwapping(p=15)),
    "additive noise .25": (census, None, masks.AdditiveNoise(scale=0.25)),
    "correlated noise .25": (census, None, masks.CorrelatedNoise(scale=0.25)),
    "multiplicative noise .5": (census, None, masks.MultiplicativeNoise(scale=0.5)),
    "PRAM .8": (
        lambda _n, _seed: unveil.households(1000, seed=7),
        CATEGORIES,
        masks.Pram(theta=0.8, columns=CATEGORIES),
    ),
}


def linked(held, release, attack, **intruder):
    """The share linked by an attack."""
    known = Intruder(channel=attack.knows is not None, **intruder)
    links = unveil.attack(held, release, attack, intruder=known, truth=release.row_map)
    return measures.risk(links).share


def dense(held, release, known, error):
    """The share linked if all cells are taken for right, and by the exact mixture."""
    spec, intruder = attacks.Tailored(), Intruder(knows=known, channel=True)
    scene = prepare(held, release, intruder=intruder, truth=release.row_map, seed=0)
    files, *_ = scene.linkage_files(spec, intruder)
    view, channels = spec._known_masking(files)
    view = replace(view, files=replace(files, error=error))
    parts = plain_likelihoods(channels, view)
    right, mixed, spread = (np.zeros((len(held), len(held))) for _ in range(3))
    for part in parts.values():
        spread += part.spread[:, None]
        noise = all(cost.is_squared for cost in part.costs)
        every = np.arange(len(part.costs))
        for numbers in every[:, None] if noise else every[None]:
            costs = pair_costs(part, numbers, files.engine)
            right += costs
            mixed += mixture(part, numbers[0], costs, error)
    rows = files.truth.row_of_record
    return tuple(share(costs, spread, rows) for costs in (right, mixed))


def plain_likelihoods(channels, view):
    """The likelihoods without stale cells, in the positions that allow for them."""
    allow, likelihood.with_stale_cells = likelihood.with_stale_cells, lambda part, *_: part
    try:
        return likelihood.likelihoods_of(channels, view)
    finally:
        likelihood.with_stale_cells = allow


def pair_costs(part, numbers, engine):
    """The cost of every pair in some numbers."""
    sides = as_records(part.intruder[:, numbers]), as_records(part.released[:, numbers])
    n, m = map(len, sides)
    search = engine.prepare(*sides, Metric(tuple(part.costs[j] for j in numbers)))
    return search.costs(np.repeat(np.arange(n), m), np.tile(np.arange(m), n)).reshape(n, m)


def mixture(part, number, costs, error):
    """The cost of every pair in the exact mixture, without the spread."""
    stale = 1 - (1 - error) ** (part.n_cells[number] if part.n_cells else 1)
    spread = part.spread[:, None]
    share = logsumexp(-costs - spread, axis=0) - np.log(len(costs))
    share = np.where(np.isfinite(share), share, share[np.isfinite(share)].min())
    with np.errstate(divide="ignore"):
        return -np.logaddexp(np.log(1 - stale) - costs, np.log(stale) + share + spread)


def share(costs, spread, rows):
    """The share linked by likelihoods, each over the sum of everybody's."""
    with np.errstate(invalid="ignore"):
        scores = costs + logsumexp(-costs - spread, axis=0)
    true = scores[np.arange(len(rows)), rows]
    tied = np.abs(scores - true[:, None]) <= 1e-9 * np.abs(true[:, None]) + 1e-12
    closer = scores < true[:, None]
    hit = np.isfinite(true) & ~(closer & ~tied).any(axis=1)
    return float((hit / np.maximum(tied.sum(axis=1), 1)).mean())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    arguments = parser.parse_args()
    print("| mask | stale | distance | cells taken for right | with `error` | exact mixture |")
    print("|---|---|---|---|---|---|")
    for name, (people, known, step) in CASES.items():
        if arguments.only not in name:
            continue
        for error in ERRORS:
            runs = []
            for seed in range(arguments.seeds):
                data = people(None, seed)
                knows = known or list(data.columns)
                release = unveil.mask(data, [step], seed=seed)
                held = stale_records(data, knows, error, np.random.default_rng(seed))
                distance = linked(held, release, attacks.Distance(), knows=knows)
                allowed = linked(held, release, attacks.Tailored(), knows=knows, error=error)
                right, exact = dense(held, release, knows, error)
                runs.append((distance, right, allowed, exact))
            cells = " | ".join(f"{100 * one:.1f}" for one in np.mean(runs, axis=0))
            print(f"| {name} | {100 * error:g} % | {cells} |", flush=True)


if __name__ == "__main__":
    main()
