"""Small trials of linkage under other conditions: knowledge, masks, units, files, operators."""

from collections.abc import Callable

import numpy as np
import polars as pl

import unveil
from unveil import Intruder, Microdata, attacks, masks, measures
from unveil_papers.framework.experiment import Figures, Work, seed_of
from unveil_papers.framework.tools import Floats, numbers
from unveil_papers.supervised.files import PLAIN, SIZE, drawn, of_sample, standardised

KEY = ("region", "sex", "education", "marital_status", "occupation")  # changed by PRAM
PEOPLE = 1000  # of a survey
FEW = 60  # records of which all triples are tried
OPERATORS: dict[str, Callable[[Floats], Floats]] = {
    "mean": lambda gaps: gaps.mean(axis=2),
    "maximum": lambda gaps: gaps.max(axis=2),
    "median": lambda gaps: np.median(gaps, axis=2),
    "minimum": lambda gaps: gaps.min(axis=2),
}
KNOWN = (6, 3, 1)  # attributes that an intruder has
ROUNDING = 1e-9


def unscaled(name: str, number: int, *, seed: int) -> Figures:
    """What Euclid links where nothing is standardised; a tie is a miss."""
    file = drawn(name, number, seed)
    released, original = numbers(file.release.data), numbers(file.data)
    squared = ((released[:, None] - original[None]) ** 2).sum(axis=2)
    everybody, own = np.arange(SIZE), file.originals
    true = squared[everybody, own]
    squared[everybody, own] = np.inf
    return {"raw": float((true < squared.min(axis=1)).mean())}


def parameters(name: str, number: int, *, seed: int) -> Figures:
    """What probabilistic linkage of numbers links as it is, and with other levels."""
    file = drawn(name, number, seed)
    ways = {
        "levels": attacks.Probabilistic(),
        "one level": attacks.Probabilistic(agreement=0.05),
        "steps": attacks.Probabilistic(prorated=False),
    }
    return {label: file.share(attack) for label, attack in ways.items()}


def knowledge(*, seed: int) -> Figures:
    """What is linked after several masks, of what an intruder has, and from two sources."""
    data = of_sample(0, seed)
    six = data.select(data.columns[:6])
    kinds = (
        masks.AdditiveNoise(scale=0.3, columns=six.columns),
        masks.MultiplicativeNoise(scale=0.1, columns=six.columns),
        masks.RankSwapping(p=10, columns=six.columns),
        masks.Microaggregation(k=5, columns=six.columns, keep_type=False),
        masks.Rounding(columns=six.columns, base=1000.0),
    )
    linked = [
        _linked(six, mask, many, seed_of(seed, "mask", number))
        for number, mask in enumerate(kinds)
        for many in KNOWN
    ]
    file = drawn("M4-33", 0, seed)
    sources = [file._replace(groups=(group,)).share(PLAIN) for group in file.groups]
    return {"linked": linked, "sources": sources, "combined": file.share(PLAIN)}


def _linked(data: Microdata, mask: masks.Mask, many: int, seed: int) -> float:
    """The share that is linked by so many attributes, a tie by its share."""
    intruder = Intruder(knows=data.columns[:many])
    release = unveil.mask(data, [mask], seed=seed)
    return float(measures.hits(unveil.attack(data, release, PLAIN, intruder=intruder)).mean())


def structure(*, seed: int) -> Figures:
    """Two files of the same people that share no attribute: how many are linked.

    The last seven columns are in the other file, then every second one.
    """
    data = of_sample(0, seed)
    order = np.random.default_rng(seed_of(seed, "order")).permutation(SIZE)
    attack = attacks.Structural(method="representatives", matching="nearest")
    linked = []
    for first, second in (
        (data.columns[:6], data.columns[6:]),
        (data.columns[::2], data.columns[1::2]),
    ):
        other = data.select(second).take(order)
        links = unveil.link(data.select(first), other, attack, truth=order)
        linked.append(float(measures.hits(links).sum()))
    return {"linked": linked}


def miscoded(*, seed: int) -> Figures:
    """People alone in a release that PRAM made, and whether they are so in the original."""
    people = unveil.households(PEOPLE, seed=seed)
    release = unveil.mask(people, [masks.Pram(theta=0.2)], seed=seed_of(seed, "pram"))
    before, after = (
        side.to_frame("polars").select(pl.struct(KEY)).to_series()
        for side in (people.take(np.asarray(release.row_map)), release.data)
    )
    alone, alone_before = after.is_unique(), before.is_unique()
    return {
        "found": int(after.is_in(before.implode()).sum()),
        "alone": int(alone.sum()),
        "alone before": int(alone_before.sum()),
        "both": int((alone & alone_before).sum()),
        "as they were": int((alone & (before == after)).sum()),
    }


def operators(*, seed: int) -> Figures:
    """Triples of records of which two sides are shorter than the third, by operator."""
    values = standardised(of_sample(0, seed))[:FEW, :4]
    gaps = (values[:, None] - values[None]) ** 2
    broken = {}
    for label, operator in OPERATORS.items():
        sides = np.sqrt(operator(gaps))
        detours = sides[:, :, None] + sides[None]  # from i by j to k
        broken[label] = int((detours < sides[:, None] - ROUNDING).sum())
    return broken


WORK: dict[str, Work] = {
    "unscaled": unscaled,
    "parameters": parameters,
    "knowledge": knowledge,
    "structure": structure,
    "miscoded": miscoded,
    "operators": operators,
}
