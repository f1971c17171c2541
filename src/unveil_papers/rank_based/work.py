"""What is run for the paper on rank-based record linkage."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from math import sqrt
from typing import Any

import numpy as np
import polars as pl
from scipy.stats import rankdata

import unveil
from unveil import Intruder, Microdata, Release, attacks, masks, measures
from unveil_papers.datasets import dataset
from unveil_papers.framework.experiment import Figures, PaperTrial, TrialLog, Work, seed_of
from unveil_papers.framework.tools import Floats, numbers, percent

Of = tuple[str, str, float, int]

FILES = {"census": "Census", "eia": "EIA"}
PUBLISHED = {
    "DBRL": attacks.Distance(),
    "RBRL-Sum": attacks.Rank(),
    "RBRL-Max": attacks.Rank(criterion="max"),
}
RANKED = ("RBRL-Sum", "RBRL-Max")
ONE_TO_ONE = {
    "DBRL": attacks.Distance(matching="one-to-one"),
    "RBRL-Sum": attacks.Rank(matching="one-to-one"),
    "RBRL-Max": attacks.Rank(criterion="max", matching="one-to-one"),
}
NOISE = (0.1, 0.25, 0.5, 0.75, 1.0)
SWAPPED = (1.0, 5.0, 10.0, 25.0, 50.0, 100.0)
LEVELS: Mapping[str, Sequence[float]] = {
    "noise": NOISE,
    "correlated": NOISE,  # its covariance is a times that of the data
    "correlated-evenly": NOISE,  # a squared times: as much noise as independently
    "swapping": SWAPPED,
    "p-distribution": SWAPPED,
    "multiplicative": NOISE,
}
IN_WORDS = "p-distribution-in-words"  # as the paper describes it
GROUPS = {"census": (10, 54, 108, 216, 270, 360, 540), "eia": (341, 372, 682, 1023, 1364, 2046)}
GROUPING = "grouping"
SURE = 0.9  # a link that is likelier is claimed to be right
FULL, HURRY = {"census": 100, "eia": 100}, {"census": 8, "eia": 5}
SECONDS = {"census": 0.1, "eia": 0.25}  # of one release and the three attacks
# The best of the three against each mask, by the paper's own tables.
BEST = {
    "noise": "DBRL",
    "correlated-evenly": "DBRL",
    "swapping": "RBRL-Max",
    "p-distribution": "RBRL-Max",
    "multiplicative": "RBRL-Sum",
    "multiplicative eia": "RBRL-Max",
    GROUPING: "RBRL-Sum",
}
KNOWN_RUNS = {"census": 5, "eia": 2}
KNOWN_SECONDS = {"census": 4.0, "eia": 15.0}
KNOWN_IN_A_HURRY: Mapping[str, Sequence[float]] = {
    "noise": (0.25,),
    "swapping": (25.0, 50.0),
    "p-distribution": (10.0,),
    "multiplicative": (0.5,),
    GROUPING: (270,),
}


@cache
def people(file: str) -> Microdata:
    """The attributes that the paper used."""
    data = dataset(file)
    return data.select(data.columns if file == "census" else data.columns[-10:])


def mask_of(mask: str, level: float, columns: tuple[str, ...]) -> Any:  # noqa: PLR0911 - one for each
    """The mask of a table at one of its levels."""
    match mask:
        case "noise":
            return masks.AdditiveNoise(scale=level, columns=columns, keep_type=False)
        case "correlated" | "correlated-evenly":
            scale = sqrt(level) if mask == "correlated" else level
            return masks.CorrelatedNoise(scale=scale, columns=columns, keep_type=False)
        case "multiplicative":
            return masks.MultiplicativeNoise(scale=level, columns=columns, keep_type=False)
        case "swapping":
            return masks.RankSwapping(p=level, columns=columns)
        case "p-distribution":
            return masks.DistributionSwapping(p=level, columns=columns)
        case "p-distribution-in-words":
            return masks.DistributionSwapping(p=level, columns=columns, reading="text")
    return masks.IndividualRanking(k=int(level), columns=columns, keep_type=False)


def released(mask: str, file: str, level: float, run: int, seed: int) -> Release:
    """One release, the same for whatever is done with it."""
    data = people(file)
    drawn = seed_of(seed, mask, file, level, run)
    return unveil.mask(data, [mask_of(mask, level, data.columns)], seed=drawn)


def linked(mask: str, file: str, level: float, run: int, *, seed: int) -> Figures:
    """How many of a release the three attacks of the paper link."""
    release = released(mask, file, level, run, seed)
    return {name: percent(each) for name, each in first_hits(people(file), release).items()}


def first_hits(data: Microdata, release: Release) -> dict[str, Floats]:
    """Whom each of the three attacks links, the first of tied rows being taken."""
    return {
        name: measures.hits(attacked(data, release, attack), ties="first")
        for name, attack in PUBLISHED.items()
    }


def attacked(data: Microdata, release: Release, attack: attacks.Attack) -> Any:
    """The links of an intruder who knows everything of everybody."""
    return unveil.attack(data, release, attack, intruder=Intruder(knows=data.columns))


def grouped(file: str, k: int, *, seed: int) -> Figures:
    """The three attacks on individual ranking, and why two of them are one."""
    data, release = people(file), released(GROUPING, file, k, 0, seed)
    again = released(GROUPING, file, k, 1, seed)
    links = {name: attacked(data, release, attack) for name, attack in PUBLISHED.items()}
    found = {name: measures.hits(one, ties="first") for name, one in links.items()}
    own = [measures.hits(links[name], ties="any") for name in RANKED]
    return {
        **{name: percent(each) for name, each in found.items()},
        "hits": float(found["DBRL"].sum()),
        "apart": float((found["RBRL-Sum"] != found["RBRL-Max"]).sum()),
        "again": float(np.array_equal(numbers(release.data), numbers(again.data))),
        "own group": percent(np.minimum(*own)),
        "of logarithms": percent(on(logarithms, data, release.data, PUBLISHED["RBRL-Sum"])),
        "ceiling": 100 * measures.ceiling(links["RBRL-Sum"]) / len(data),
    }


def together(file: str, k: int, *, seed: int) -> Figures:
    """Attacks on multivariate microaggregation, one of which does it again."""
    data = people(file)
    spec = masks.Microaggregation(k=k, columns=data.columns, keep_type=False)
    release = unveil.mask(data, [spec], seed=seed_of(seed, "together", file, k))
    every = PUBLISHED | {"done again": attacks.Tailored(level="original")}
    return {
        name: percent(measures.hits(attacked(data, release, attack)))
        for name, attack in every.items()
    }


def known(mask: str, file: str, level: float, run: int, *, seed: int) -> Figures:
    """Who knows the mask, or that nobody has two rows, against the best attack of the paper.

    Ties count by their share. One to one takes long of EIA, and is left out.
    """
    data, release = people(file), released(mask, file, level, run, seed)
    best = BEST.get(f"{mask} {file}", BEST[mask])
    every: dict[str, attacks.Attack] = {"paper": PUBLISHED[best], "likelihood": attacks.Tailored()}
    if file == "census":
        every["one to one"] = ONE_TO_ONE[best]
    found = {
        name: percent(measures.hits(attacked(data, release, attack)))
        for name, attack in every.items()
    }
    links = attacked(data, release, attacks.Tailored(matching="posterior"))
    sure = measures.certainty(links) > SURE
    return found | {
        "posterior": percent(measures.hits(links)),
        "claimed": float(sure.sum()),
        "right": float(measures.hits(links)[sure].sum()),
    }


def moved(mask: str, file: str, level: float, run: int, *, seed: int) -> Figures:
    """How far average ranks move, in windows of p % of n, and what is left of correlations."""
    data, release = people(file), released(mask, file, level, run, seed)
    before, after = numbers(data), numbers(release.data)
    window = len(data) * level // 100
    away = np.abs(rankdata(before, axis=0) - rankdata(after, axis=0))
    return {
        "mean": float(away.mean() / window),
        "farthest": float(away.max() / window),
        "outside": percent(away.max(axis=1) > window),
        "correlation": 100 * correlation(after) / correlation(before),
    }


def correlation(values: Floats) -> float:
    """The mean size of the correlations between attributes."""
    of = np.abs(np.corrcoef(values, rowvar=False))
    return float(of[np.triu_indices(len(of), 1)].mean())


def bent(mask: str, file: str, level: float, run: int, *, seed: int) -> Figures:
    """Distances between logarithms and between ranks; and ranks of logarithms."""
    data, release = people(file), released(mask, file, level, run, seed)
    plain = first_hits(data, release)
    ranks = {name: on(logarithms, data, release.data, PUBLISHED[name]) for name in RANKED}
    return {
        "DBRL": percent(on(logarithms, data, release.data, attacks.Distance())),
        "squared ranks": percent(on(ranks_of, data, release.data, attacks.Distance())),
        "same by rank": float(all((ranks[name] == plain[name]).all() for name in RANKED)),
    }


def on(scale: Callable[[Floats], Floats], data: Microdata, release: Microdata,
       attack: attacks.Attack) -> Floats:  # fmt: skip
    """Whom an attack links that looks at other numbers in place of the values."""
    return between(data, scale(numbers(data)), scale(numbers(release)), attack)


def between(data: Microdata, mine: Floats, theirs: Floats, attack: attacks.Attack) -> Floats:
    """Whom an attack links between two arrays, row by row the same people."""
    schema = unveil.Schema(quasi=data.columns)
    known, release = (
        unveil.Microdata(pl.DataFrame(one, list(data.columns)), schema) for one in (mine, theirs)
    )
    return measures.hits(unveil.attack(known, release, attack, truth="row-order"), ties="first")


def logarithms(values: Floats) -> Floats:
    """The logarithm of one more, which keeps the order and the sign."""
    bent: Floats = np.sign(values) * np.log1p(np.abs(values))
    return bent


def ranks_of(values: Floats) -> Floats:
    """Average ranks."""
    ranks: Floats = rankdata(values, axis=0)
    return ranks


def described(file: str, *, seed: int) -> Figures:  # noqa: ARG001 - nothing is drawn
    """A file: its size, and noise of a tenth of the deviation beside small and large values."""
    values = numbers(people(file))
    deviations = np.array([column.std() for column in values.T])
    sizes = np.where(values == 0, np.nan, np.abs(values))
    share = 10 * deviations / sizes
    low, high = np.nanquantile(sizes, (0.25, 0.75), axis=0)
    return {
        "records": float(len(values)),
        "attributes": float(values.shape[1]),
        "small": float(np.nanmedian(share[np.abs(values) <= low])),
        "large": float(np.nanmedian(share[np.abs(values) >= high])),
    }


WORK: Mapping[str, Work] = {
    "linked": linked,
    "grouped": grouped,
    "together": together,
    "known": known,
    "moved": moved,
    "bent": bent,
    "described": described,
}


def trials(*, quick: bool) -> Iterator[PaperTrial]:
    """What is run: 100 runs of every release that is drawn, as in the paper, or a few."""
    runs = HURRY if quick else FULL
    for file in FILES:
        seconds = SECONDS[file]
        yield PaperTrial("described", (file,), 0.1)
        for k in GROUPS[file]:
            yield PaperTrial("grouped", (file, k), 2 * seconds)
        for mask, levels in LEVELS.items():
            half = quick and mask.startswith("correlated")
            for of in _each(mask, file, levels, runs[file] // (2 if half else 1)):
                yield PaperTrial("linked", of, seconds)
        for mask in ("swapping", "p-distribution", IN_WORDS):
            for of in _each(mask, file, SWAPPED, 2 if quick else 10):
                yield PaperTrial("moved", of, seconds / 4)
        for of in _each("multiplicative", file, NOISE, 2 if quick else 20):
            yield PaperTrial("bent", of, 2 * seconds)
        yield from _known(file, quick=quick)
    for of in _each("multiplicative", "census", (0.05,), runs["census"]):
        yield PaperTrial("linked", of, SECONDS["census"])  # in the paper's words only
    for of in _each(IN_WORDS, "census", SWAPPED, 5 if quick else 100):
        yield PaperTrial("linked", of, SECONDS["census"])
    for of in _each("noise", "census", (0.1,), 2 if quick else 20):
        yield PaperTrial("bent", of, 2 * SECONDS["census"])
    for k in (5, 10, 54):
        yield PaperTrial("together", ("census", k), 0.5)


def _each(mask: str, file: str, levels: Sequence[float], runs: int) -> Iterator[Of]:
    return ((mask, file, level, run) for level in levels for run in range(runs))


def _known(file: str, *, quick: bool) -> Iterator[PaperTrial]:
    for mask, levels in _masks_known(file).items():
        runs = 1 if mask == GROUPING else KNOWN_RUNS[file]
        few = KNOWN_IN_A_HURRY.get(mask, ()) if file == "census" else ()
        for of in _each(mask, file, few if quick else levels, 1 if quick else runs):
            yield PaperTrial("known", of, KNOWN_SECONDS[file])


def _masks_known(file: str) -> dict[str, Sequence[float]]:
    drawn = {mask: levels for mask, levels in LEVELS.items() if mask in BEST}
    return {**drawn, GROUPING: GROUPS[file]}


def known_rows(log: TrialLog, file: str) -> Iterator[tuple[str, float]]:
    """The masks and levels at which it was tried to know the mask: in a hurry a few."""
    for mask, levels in _masks_known(file).items():
        for level in levels:
            if log.has("known", mask, file, level):
                yield mask, level
