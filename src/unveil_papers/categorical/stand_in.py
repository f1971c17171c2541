"""Categorical records: the stand-in for the paper's extract, its masks, its attacks.

Ten attributes of Adult stand in for those of the American Housing Survey, with about as many
categories, in the paper's five groups. The bands of hours and of capital, and the step at which
free EM stops, are not the paper's: they were chosen where an independent program's averages over
the first thousand records are nearest. Over 258 pairs of bands, all with as many categories, DBRL
goes from 573 to 608 with ties counted as hits, from 219 to 230 expected. Free EM has not
converged after a thousand steps in three experiments of four: with ties counted as hits it goes
from 510 after 100 steps to 445 after 2000. The second thousand records had no say in either.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

import unveil
from unveil import attacks, masks, measures
from unveil_papers.datasets import dataset
from unveil_papers.framework.experiment import Figures, seed_of
from unveil_papers.framework.tools import categories_of, distances_given_mask

GROUPS = {  # in the order of Tables 2 to 6
    "s": ("DEGREE", "METRO", "SCH", "SHP"),
    "m": ("TRAN1", "WHYTOH", "WHYTON"),
    "u": ("BUILT", "GRADE1", "TRAN1", "WHYMOVE", "WHYTOH", "WHYTON"),
    "o": ("BUILT", "DEGREE", "GRADE1"),
    "l": ("BUILT", "GRADE1", "WHYMOVE"),
}
ORDINAL = GROUPS["o"]
NOMINAL = ("METRO", "SCH", "SHP", "TRAN1", "WHYMOVE", "WHYTOH", "WHYTON")
PARAMETERS = tuple(range(1, 10))
TIES: tuple[Literal["any", "expected", "unique"], ...] = ("any", "expected", "unique")

HOURS = (15, 25, 35, 40, 41, 50, 60)  # where the second band begins, the third, ...
GAIN = (1, 3000, 4000, 5000, 7000, 8000, 10_000, 15_000)
LOSS = (1, 1600, 1800, 2000)
SIZE = 1000
STEPS = 400  # of EM

LEVELS = unveil.Schema(quasi=[*ORDINAL, *NOMINAL], ordinal=[*ORDINAL], nominal=[*NOMINAL])
# Nominal attributes are coded at the top and the bottom, too, in the order of the alphabet. A
# nominal attribute has no top here: for these masks all attributes are declared ordinal.
ORDERED = unveil.Schema(quasi=[*ORDINAL, *NOMINAL], ordinal=[*ORDINAL, *NOMINAL])

MASKS: Mapping[str, tuple[unveil.Schema, Callable[[int], masks.Mask]]] = {
    "Bottom": (ORDERED, lambda p: masks.BottomCoding(categories=p)),
    "Global": (LEVELS, lambda p: masks.GlobalRecoding(rarest=p)),
    "PRAM": (LEVELS, lambda p: masks.Pram(theta=p / 10)),
    "Top": (ORDERED, lambda p: masks.TopCoding(categories=p)),
}
_FREE: Mapping[str, Any] = {"constrained": False, "prior": "estimated", "u": "estimated"}
EM: Mapping[str, Mapping[str, Any]] = {
    "free": _FREE,
    "order": {**_FREE, "constrained": True},  # m / u keeps its order, all else is free
    "prior": {**_FREE, "prior": "fixed"},
    "safe": {},
}
ATTACKS = {  # and what each is called in tables
    "DBRL": "DBRL",
    "PRL-free": "PRL, free EM",
    "PRL-prior": "PRL, prior 1/n",
    "PRL-order": "PRL, order constraint alone",
    "PRL-safe": "PRL, safe EM",
    "aware": "DBRL, method-aware",
    "unordered": "DBRL, order ignored",
    "sum-prior": "sum of DBRL and PRL (prior 1/n)",
    "sum-safe": "sum of DBRL and PRL (safe EM)",
    "one-to-one": "DBRL, one to one",
}


@cache
def stand_in(first: int) -> pl.DataFrame:
    """A thousand records of Adult; what is unknown there is a category like any other."""
    known: pl.DataFrame = dataset("adult_train").to_frame("polars")[first : first + SIZE]
    some = known.with_columns(pl.col(pl.String).fill_null("?"))
    gain = np.digitize(some["capital-gain"], GAIN)
    loss = np.digitize(some["capital-loss"], LOSS)
    return pl.DataFrame(
        {
            "BUILT": (some["age"] - 17) // 3,
            "DEGREE": np.digitize(some["hours-per-week"], HOURS),
            "GRADE1": some["education-num"],
            "METRO": some["workclass"],
            "SCH": some["relationship"],
            "SHP": some["race"],
            "TRAN1": some["occupation"],
            "WHYMOVE": some["native-country"],
            "WHYTOH": some["marital-status"] + " " + some["sex"],
            "WHYTON": np.where(loss > 0, len(GAIN) + loss, gain),  # nobody has both
        }
    ).with_columns(pl.col(pl.String).rank("dense"))  # numbered by the alphabet


@cache
def original(first: int) -> unveil.Microdata:
    """The records before any mask."""
    return unveil.Microdata(stand_in(first), LEVELS)


def masked(first: int, method: str, p: int, seed: int) -> tuple[unveil.Microdata, tuple[Any, ...]]:
    """The masked table, declared as the original is, and what was done to each column."""
    schema, mask = MASKS[method]
    release = unveil.mask(stand_in(first), [mask(p)], schema=schema, seed=seed)
    return unveil.Microdata(release.data.to_frame(), LEVELS), release.channels


def attack_of(name: str, group: str, channels: tuple[Any, ...] = ()) -> attacks.Attack:
    """One of the attacks; distances of categories go by what the channels list of them."""
    distance = attacks.Distance(metric="manhattan", inclusive=True)
    kind, _, em = name.partition("-")
    if name in DISTANCES:
        tables = {
            channel.columns[0]: DISTANCES[name](channel)
            for channel in channels
            if channel.columns[0] in GROUPS[group]
        }
        return attacks.Distance(metric="manhattan", tables=tables)
    if name == "one-to-one":
        return attacks.Distance(metric="manhattan", inclusive=True, matching="one-to-one")
    if kind == "PRL":
        equal: dict[str, tuple[float, ...]] = {
            column: (0.0,) for column in GROUPS[group] if column in ORDINAL
        }
        return attacks.Probabilistic(
            tolerances=equal, smoothing=0, iterations=STEPS, tolerance=1e-6, **EM[em]
        )
    if kind == "sum":
        return attacks.Combined(attacks=[distance, attack_of(f"PRL-{em}", group)])
    return distance


def allowed(channel: Any) -> attacks.Distances:
    """The distances of one attribute, infinite where the mask cannot make that category."""
    return distances_given_mask(channel, ordinal=channel.columns[0] in ORDINAL, inclusive=True)


def unordered(channel: Any) -> attacks.Distances:
    """Categories that are equal or not, whether ordered or not."""
    categories = categories_of(channel)
    return attacks.Distances(categories, (1.0 - np.eye(len(categories))).tolist())


DISTANCES = {"aware": allowed, "unordered": unordered}


def attacked(
    first: int, release: unveil.Microdata, group: str, spec: attacks.Attack
) -> unveil.Links:
    """Each masked record looks for its original."""
    intruder = unveil.Intruder(knows=GROUPS[group], direction="release-to-original")
    return unveil.attack(original(first), release, spec, intruder=intruder, truth="row-order")


def each_hit(links: unveil.Links) -> NDArray[np.float64]:
    """What each record counts: a row for each policy for ties."""
    return np.array([measures.hits(links, ties=ties) for ties in TIES])


def linked(name: str, first: int, method: str, p: int, *, seed: int) -> Figures:
    """The hits of one attack in each group; those of PRL, too, that DBRL shares."""
    release, channels = masked(first, method, p, seed_of(seed, first, method, p))
    figures: dict[str, float | list[float]] = {}
    for group in GROUPS:
        links = attacked(first, release, group, attack_of(name, group, channels))
        hits = each_hit(links)
        figures[group] = hits.sum(axis=1).tolist()
        if name.startswith("PRL"):
            other = each_hit(attacked(first, release, group, attack_of("DBRL", group)))
            figures[f"{group} both"] = np.minimum(hits, other).sum(axis=1).tolist()
            figures[f"{group} either"] = np.maximum(hits, other).sum(axis=1).tolist()
            figures |= {f"{group} {name}": value for name, value in _estimated(links).items()}
    return figures


def _estimated(links: unveil.Links) -> dict[str, float]:
    """The prior, the least weight of an agreement, and which attribute weighs most."""
    levels = [one["comparison_levels"] for one in links.finder.details["comparisons"]]
    agree, differ = np.array([[level["match_weight"] for level in one] for one in levels]).T
    return {
        "prior": links.finder.details["prior"],
        "agreement": float(agree.min()),
        "heaviest": float(np.argmax(agree - differ)),
    }


def changed(first: int, method: str, p: int, *, seed: int) -> Figures:
    """What a mask did: in each group what was lost, and what is left without any distance."""
    number = seed_of(seed, first, method, p)
    release, _ = masked(first, method, p, number)
    again, _ = masked(first, method, p, number + 1)
    figures: dict[str, float | list[float]] = {"drawn": float(release != again)}
    for group, known in GROUPS.items():
        both = measures.FilePair.of(
            original(first).select(known), release.select(known), np.arange(SIZE)
        )
        lost = {one.name: one.value for one in measures.categorical(both).measures}
        links = attacked(first, release, group, attacks.Compatible())
        figures[f"{group} change"] = lost["change"] or 0.0
        figures[f"{group} entropy"] = lost["entropy"] or 0.0
        figures[f"{group} different"] = float(measures.ceiling(links))
        figures[f"{group} equal"] = each_hit(links).sum(axis=1).tolist()
    return figures


def counted(first: int, *, seed: int) -> Figures:  # noqa: ARG001 - nothing is drawn
    """The number of categories of each attribute."""
    frame = stand_in(first)
    return {name: float(frame[name].n_unique()) for name in frame.columns}
