"""What is learnt from simulation, beside formulas: `python benchmarks/simulated.py [seeds]`.

Each line is one mask of the Census file, of which the intruder knows all 13 columns: the share
linked by formulas (tailored, posterior) and by what was learnt, as the mean over the seeds; the
links held to be more than 90 % sure and how many of them are right; how often the learnt scores
were chosen; and CPU seconds.
"""

import logging
import sys
from time import process_time

import numpy as np
import polars as pl

import unveil
from unveil import Intruder, Microdata, Schema, attacks, masks, measures
from unveil_papers.datasets import dataset

SEEDS = range(1, int(sys.argv[1]) + 1 if len(sys.argv) > 1 else 7)
SWAP, NOISE = masks.RankSwapping, masks.AdditiveNoise


def spreading(values, rng):
    """Noise that grows with the value."""
    return values + rng.normal(0, 0.1 * values.std() + 0.3 * np.abs(values))


def laplace(values, rng):
    """Laplace noise of a quarter of a deviation as its scale."""
    return values + rng.laplace(0, 0.25 * values.std(), len(values))


CASES = {
    "swapping 10 %, then noise .1": [SWAP(p=10), NOISE(scale=0.1)],
    "swapping 5 %, then noise .25": [SWAP(p=5), NOISE(scale=0.25)],
    "own function, sd .1 s + .3 abs(x)": [masks.Function(function=spreading)],
    "own function, Laplace .25": [masks.Function(function=laplace)],
    "noise .25": [NOISE(scale=0.25)],
    "noise .5": [NOISE(scale=0.5)],
    "multiplicative .5": [masks.MultiplicativeNoise(scale=0.5)],
    "swapping 25 %": [SWAP(p=25)],
}


def linked(data, release, attack, seed):
    """The share linked, the sure links and how many are right, what was chosen, CPU seconds."""
    before = process_time()
    links = unveil.attack(data, release, attack, intruder=Intruder(knows=data.columns), seed=seed)
    risk, sure = measures.risk(links), np.exp(-links.nearest(1).scores[:, 0]) > 0.9
    hits = links.rank_of_truth.hits
    chosen = links.finder.details.get("chosen") == "learnt"
    return risk.share, sure.sum(), hits[sure].sum(), chosen, process_time() - before


def main():
    """Print the table."""
    logging.getLogger("unveil").setLevel(logging.ERROR)
    frame = dataset("census").to_frame("polars").select(pl.col(pl.Int64, pl.Float64))
    data = Microdata(frame.cast(pl.Float64), Schema(quasi=frame.columns, numeric=frame.columns))
    print(
        "| mask | formulas | learnt | sure links, right | chosen | CPU s |\n"
        "|---|---|---|---|---|---|"
    )
    for name, plan in CASES.items():
        found = []
        for seed in SEEDS:
            release = unveil.mask(data, plan, seed=seed)
            pair = attacks.Tailored(matching="posterior"), attacks.Simulated()
            found.append([linked(data, release, one, seed) for one in pair])
        known, learnt = np.mean(found, axis=0)
        right = (100 * one[2] / max(one[1], 1) for one in (known, learnt))
        sure = " -> ".join(
            f"{one[1]:.0f} ({share:.1f} %)"
            for one, share in zip((known, learnt), right, strict=True)
        )
        print(
            f"| {name} | {known[0]:.1%} | {learnt[0]:.1%} | {sure} | {learnt[3]:.0%} | "
            f"{known[4]:.1f} -> {learnt[4]:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
