"""How far the probabilities of links can be trusted: `reliability.py [file] [--shipped]`.

The census and EIA files with additive noise, three seeds each, attacked by somebody who knows the
mask (posterior over matchings), by Sinkhorn's scaling and by messages, as they are and calibrated
by simulation. The links of all seeds are pooled in ten bins of equal size. The least error is what
a perfectly calibrated attack would show on so few links. Last is the log score of the calibrated
messages, and that of the base rate: the error is small, too, where nobody can be linked.
`--shipped`: these alone, which is what an attack does.
"""

import sys
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

import unveil
from unveil import Intruder, Microdata, Schema, attacks, masks, measures
from unveil.attacks.matched import finder
from unveil.attacks.matched.posterior import posterior
from unveil_papers.datasets import dataset

SEEDS, BINS, SURE = (1, 2, 3), 10, 0.9
FILES = {"census": slice(None), "eia": slice(-10, None)}
INTRUDERS = {
    "all people": {},
    "50 % of the people": {"records": 0.5},
    "20 % of the people": {"records": 0.2},
    "half of the columns": {"knows": slice(None, None, 2)},
}


def people(name):
    """The numbers of a file, all of them quasi-identifiers."""
    frame = dataset(name).to_frame("polars")
    frame = frame.select(pl.col(pl.Int64, pl.Float64))[:, FILES[name]]
    return Microdata(frame.cast(pl.Float64), Schema(quasi=frame.columns, numeric=frame.columns))


def links_of(data, scale, seed, fraction, intruder):
    """The probability and the hit of each link, as claimed and calibrated."""
    release = unveil.mask(data, [masks.AdditiveNoise(scale=scale)], seed=seed)
    known = {n: list(data.columns[v]) if isinstance(v, slice) else v for n, v in intruder.items()}
    finder.posterior = partial(posterior, fraction=fraction)
    spec = attacks.Tailored(matching="posterior")
    made = unveil.attack(data, release, spec, intruder=Intruder(**known), seed=100 + seed)
    raw = replace(made.finder, simulation=None).nearest(made.records, 1, None).scores[:, 0]
    return np.exp(-raw), measures.certainty(made), measures.hits(made)


def error(probability, right):
    """The calibration error, in points."""
    parts = np.array_split(np.argsort(probability, kind="stable"), BINS)
    gaps = [len(at) * abs(probability[at].mean() - right[at].mean()) for at in parts]
    return 100 * sum(gaps) / len(right)


def line(probability, right):
    """The error, the least error, the claims of a seed, the share claimed and the share right."""
    rng, sure = np.random.default_rng(0), probability > SURE
    least = [error(probability, rng.random(len(right)) < probability) for _ in range(50)]
    claims = f"{sure.sum() / len(SEEDS):.0f}"
    if sure.any():
        claims += f", {100 * probability[sure].mean():.1f} / {100 * right[sure].mean():.1f} %"
    return f"{error(probability, right):.2f} ({np.mean(least):.2f}; {claims})"


def log_scores(probability, right):
    """The mean log score of the links, and of their common base rate."""
    rate = np.full(len(right), right.mean())
    inside = (np.clip(one, 1e-9, 1 - 1e-9) for one in (probability, rate))
    return [-np.mean(right * np.log(p) + (1 - right) * np.log1p(-p)) for p in inside]


def main():
    """Print the table, a row for each file, noise and intruder."""
    fractions = (0.8,) if "--shipped" in sys.argv else (0.0, 0.8)
    for name in {*sys.argv} & {*FILES} or FILES:
        data = people(name)
        for about, intruder in INTRUDERS.items():
            if name != "census" and intruder:
                continue
            for scale in (0.1, 0.25, 0.5):
                cells = []
                for fraction in fractions:
                    every = [links_of(data, scale, seed, fraction, intruder) for seed in SEEDS]
                    raw, curve, right = (np.concatenate(part) for part in zip(*every, strict=True))
                    cells += [line(raw, right), line(curve, right)]
                cells.append("{:.3f} / {:.3f}".format(*log_scores(curve, right)))
                print("|", " | ".join((f"{name}, {about}, {scale}", *cells)), "|", flush=True)


if __name__ == "__main__":
    main()
