"""Coverage of the intervals of the error rates of decisions: `decisions.py [runs] [case ...]`.

Two files of the same people, in which each category is wrong with probability 0.2, are compared by
`Probabilistic` with P(LP|U) of 0.0001 and P(NP|M) of 0.02 (careless: 0.000001, 0.001). For each
case: how often the interval (95 %) of each error rate holds the rate that the truth shows, the
medians of estimate, truth and width, and the runs that have an interval: the rates can be met, and
EM converges.

independent   six simulated attributes, people and errors independent: the model is right
few           the same with 100 people
missing       the same as the first, a tenth of the cells missing
careless      the same, but a third of the people have all the errors: errors depend on each other
alike         four attributes that follow one hidden attribute: people's attributes depend
adult         1,000 people of Adult, eight categories, PRAM
census        1,080 people of the census file, six amounts in ten classes, PRAM
alike-latent, adult-latent    the same files, estimated with classes of pairs (dependence="latent")
"""

import sys

import numpy as np
import polars as pl

import unveil
from unveil import Microdata, Schema, attacks, masks, measures
from unveil_papers.datasets import dataset

ERROR = 0.2
LIMITS = {"p_link_unmatched": 1e-4, "p_nonlink_matched": 0.02}
STRICT = {"p_link_unmatched": 1e-6, "p_nonlink_matched": 1e-3}  # where the others would cross
SIZES = (5, 8, 10, 12, 20, 30)  # categories of simulated attributes
ADULT = (
    *("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex"),
    "native-country",
)
CENSUS = ("AFNLWGT", "AGI", "EMCONTRB", "PTOTVAL", "POTHVAL", "INTVAL")


def simulated(rng, n, *, missing=0.0, careless=False, alike=False):
    """Two files of n people, row by row."""
    hidden = rng.random(n)
    parts = [rng.random(n) for _ in SIZES]
    if alike:
        parts = [(0.8 * hidden + 0.2 * own) for own in parts]
    before = np.column_stack([(p * size).astype(int) for p, size in zip(parts, SIZES, strict=True)])
    rate = np.where(rng.random(n) < 1 / 3, 3 * ERROR, 0.0) if careless else np.full(n, ERROR)
    drawn = np.column_stack([rng.integers(0, size, n) for size in SIZES])
    after = np.where(rng.random(before.shape) < rate[:, None], drawn, before)
    files = (np.where(rng.random(one.shape) < missing, -1, one) for one in (before, after))
    return [table(pl.DataFrame(one, [f"a{j}" for j in range(len(SIZES))])) for one in files]


def table(frame):
    """A frame of nominal quasi-identifiers; -1 is missing."""
    frame = frame.select(pl.all().cast(pl.String).replace({"-1": None}))
    return Microdata(frame, Schema(quasi=frame.columns, nominal=frame.columns))


def adult(rng):
    """A sample of Adult, and its release."""
    frame = dataset("adult_train").to_frame("polars").select(ADULT)
    return masked(table(frame[rng.choice(len(frame), 1000, replace=False)]), rng)


def census(rng):
    """The census file in classes of equal size, and its release."""
    frame = dataset("census").to_frame("polars").select(CENSUS)
    ranks = frame.select(pl.all().rank("average") * 10 / (len(frame) + 1))
    return masked(table(ranks.select(pl.all().cast(pl.Int64))), rng)


def masked(data, rng):
    """The records and their rows in the release, in the same order."""
    release = unveil.mask(data, [masks.Pram(theta=ERROR)], seed=int(rng.integers(2**31)))
    return data, release.data.take(np.argsort(np.asarray(release.row_map)))


CASES = {
    "independent": lambda rng: simulated(rng, 500),
    "few": lambda rng: simulated(rng, 100),
    "missing": lambda rng: simulated(rng, 500, missing=0.1),
    "careless": lambda rng: simulated(rng, 500, careless=True),
    "alike": lambda rng: simulated(rng, 500, alike=True),
    "adult": adult,
    "census": census,
    "alike-latent": lambda rng: simulated(rng, 500, alike=True),
    "adult-latent": adult,
}


def main():
    """Print a row for each case and error rate."""
    runs = int(next((one for one in sys.argv[1:] if one.isdigit()), 200))
    print(f"{'case':12} {'rate':8}  runs  coverage   estimate       true      width")
    named = [name for name in CASES if name in sys.argv]
    for name in named or CASES:
        found = {}
        for run in range(runs):
            before, after = CASES[name](np.random.default_rng([run, 7]))
            limits = STRICT if name == "careless" else LIMITS
            dependence = "latent" if name.endswith("-latent") else "none"
            spec = attacks.Probabilistic(dependence=dependence, **limits)
            try:
                links = unveil.attack(before, after, spec, truth="row-order", seed=run)
            except unveil.errors.SpecError:  # no pair to review
                continue
            for rate in measures.decisions(links).classes.errors:
                if rate.low is not None:
                    found.setdefault(rate.name, []).append(rate)
        for rate, made in found.items():
            holds = np.mean([one.low <= one.found <= one.high for one in made])
            middle = [
                np.median([value(one) for one in made])
                for value in (lambda r: r.estimate, lambda r: r.found, lambda r: r.high - r.low)
            ]
            figures = " ".join(f"{value:10.2e}" for value in middle)
            print(f"{name:12} {rate:8} {len(made):5} {holds:9.1%} {figures}", flush=True)


if __name__ == "__main__":
    main()
