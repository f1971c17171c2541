"""What dependence between attributes changes in probabilistic linkage: `dependence.py [file ...]`.

Adult's eight categories, alone and with two numbers, and census numbers, masked by PRAM, rank
swapping and noise, two seeds each; linked under independence, by interactions,
and by the model of least BIC. A row has the mean links, the calibration error of link
probabilities in points (by ten bins), their log score beside that of the base rate, and the pairs
whose match probability differs by more than ten points from that under independence.
"""

import logging
import sys
from time import process_time

import numpy as np
import polars as pl

import unveil
from unveil import Intruder, Microdata, Schema, attacks, masks, measures
from unveil_papers.datasets import dataset

SEEDS = (1, 2)
CATEGORIES = [
    "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex",
    "native-country",
]  # fmt: skip
AGES = ["age", "hours-per-week"]
MODELS = ("none", "log-linear", "chosen")


def adult(columns, records=1000):
    """People of the Adult file, of whom an intruder knows some columns."""
    frame = dataset("adult_train").to_frame("polars").select(columns).head(records)
    nominal = [name for name in columns if name in CATEGORIES]
    return Microdata(frame, Schema(quasi=columns, nominal=nominal))


def census(width):
    """The first numbers of the census file."""
    frame = dataset("census").to_frame("polars")
    frame = frame.select(pl.all().cast(pl.Float64))[:, :width]
    return Microdata(frame, Schema(quasi=frame.columns, numeric=frame.columns))


def near(data):
    """One level of agreement for each number: within a fifth of its deviation."""
    frame = data.to_frame("polars")
    return {name: (round(0.2 * frame[name].std(), 3),) for name in frame.columns}


def files():
    """The data, plans and options by name."""
    both, few, all_numbers = adult(CATEGORIES + AGES), census(6), census(13)
    swap = masks.RankSwapping(p=10, columns=AGES)
    yield from (
        (f"adult, PRAM {theta}", adult(CATEGORIES), [masks.Pram(theta=theta)], {})
        for theta in (0.2, 0.5, 0.8)
    )
    yield "adult and ages, PRAM 0.3", both, [masks.Pram(theta=0.3, columns=CATEGORIES), swap], {}
    yield "adult of 3,000, PRAM 0.3", adult(CATEGORIES, 3000), [masks.Pram(theta=0.3)], {}
    yield "census 6, swapping 10", few, [masks.RankSwapping(p=10)], {}
    yield "census 6, noise 0.25", few, [masks.AdditiveNoise(scale=0.25)], {}
    one_level = {"tolerances": near(all_numbers)}
    yield "census 13, swapping 10", all_numbers, [masks.RankSwapping(p=10)], one_level
    yield "census 13, noise 0.25", all_numbers, [masks.AdditiveNoise(scale=0.25)], one_level


def line(data, plan, options, model):
    """The mean figures of all seeds, and which model was chosen."""
    rows, chosen = [], []
    for seed in SEEDS:
        release = unveil.mask(data, plan, seed=seed)
        started = process_time()
        spec = attacks.Probabilistic(dependence=model, **options)
        links = unveil.attack(
            data, release, spec, truth="row-order", intruder=Intruder(knows=list(data.columns))
        )
        expected, seconds = measures.risk(links).expected, process_time() - started
        found = measures.reliability(links)
        about = links.finder.details.get("dependence", {})
        chosen.append(about.get("chosen", "-"))
        chosen[-1] += "" if links.finder.details["converged"] else " (not converged)"
        differing = about.get("differing_pairs", 0)
        rows.append([expected, 100 * found.error, found.log_score, found.base_log_score,
                     differing, seconds])  # fmt: skip
    return np.mean(rows, axis=0), ", ".join(dict.fromkeys(chosen))


def main():
    """Print a row for each file and model."""
    logging.getLogger("unveil").setLevel(logging.ERROR)
    for name, data, plan, options in files():
        if sys.argv[1:] and not any(word in name for word in sys.argv[1:]):
            continue
        for model in MODELS:
            found, chosen = line(data, plan, options, model)
            links, error, log, base, differing, seconds = found
            cells = (name, model, chosen, f"{links:.1f} of {len(data):,}", f"{error:.1f}",
                     f"{log:.3f} / {base:.3f}", f"{differing:,.0f}", f"{seconds:.0f}")  # fmt: skip
            print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
