"""The files of the paper on fuzzy integrals, each split into two, and what is run on them."""

from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

import unveil
from unveil import Intruder, Links, Microdata, attacks, masks, measures
from unveil_papers.datasets import dataset
from unveil_papers.framework.experiment import Figures, Work, seed_of

# Section 4.2; attributes of wdbc and dermatology go by their places.
FILES = {
    "abalone": (
        "Height Whole_weight Viscera_weight",
        "Length Diameter Shucked_weight Shell_weight",
    ),
    "ionosphere": ("V5 V7 V9 V11 V13 V20", "V15 V17 V19 V21 V23 V30"),
    "census": (
        "AFNLWGT EMCONTRB PTOTVAL TAXINC POTHVAL PEARNVAL WSALVAL",
        "AGI FEDTAX STATETAX INTVAL FICA ERNVAL",
    ),
    "wdbc": ("2 3 4 6 7 8 10 12 13 18 20 26 29 32", "5 9 15 16 19 22 23 24 25 27 28 30"),
    "water-treatment": (
        "PH-E DBO-E SS-E SSV-E SED-E COND-E DBO-D SSV-D DBO-S RD-DBO-S RD-DQO-S",
        "PH-P DBO-P SS-P SSV-P SED-P COND-P PH-D DQO-D COND-D SS-S SED-S COND-S RD-DBO-G RD-DQO-G",
    ),
    "housing": ("INDUS RM AGE RAD", "NOX TAX MEDV"),
    "dermatology": ("6 7 8 9 10 12 16 25 30", "20 21 22 27 29 31 33"),
    "iris": ("sepal_length petal_length", "sepal_width petal_width"),
}
RECORDS, RANKED, FEW = 100, 90, 20  # drawn; of the baselines; of an intruder who has few
CORRELATED = 0.7
ERRORS = (0.1, 0.5)  # of a copy, in standard deviations
WAYS: dict[str, dict[str, Any]] = {
    f"{short} {letters} {q}": {"normalisation": how, "operator": operator, "family": family}
    for (short, how), (letters, operator), (q, family) in product(
        {"N1": "ranging", "N2": "standardisation"}.items(),
        {"OWA": "owa", "SI": "sugeno"}.items(),
        {"Qe": "exponent", "Qs": "sigmoid", "Qt": "threshold"}.items(),
    )
}
PUBLISHED: dict[str, Any] = {
    "method": "representatives",
    "missing": "zero",
    "matching": "nearest",
    "turn": False,
}
BY_EM = attacks.Probabilistic(agreement=0.05, u="estimated", prior="estimated", smoothing=0)
READINGS = {  # of the diagnosis of wdbc, other than malignant 0 and benign 1
    "malignant 1, benign 0": {"M": 1, "B": 0},
    "without the diagnosis": {},
}


class Drawn(NamedTuple):
    """Two files of the same people, and for each record of the second whose it is."""

    first: Microdata
    second: Microdata
    whose: NDArray[np.int64]

    def links(self, **how: Any) -> Links:
        """The links by representatives, as published but for what is said."""
        spec = attacks.Structural(**PUBLISHED | how)
        return unveil.link(self.first, self.second, spec, truth=self.whose)

    def hits(self, **how: Any) -> float:
        """How many of the first are linked right by them; ties are shared."""
        return _hits(self.links(**how))


def columns_of(name: str) -> tuple[list[str], list[str]]:
    """The attributes of both files."""
    every = dataset(name).columns
    first, second = (
        [every[int(one) - 1] if one.isdecimal() else one for one in listed.split()]
        for listed in FILES[name]
    )
    return first, second


@cache
def halves(name: str, malignant: int = 0, *, diagnosis: bool = True) -> tuple[Microdata, Microdata]:
    """Both files with all records, row by row the same people, as numbers."""
    frame = dataset(name).to_frame("polars")
    first, second = columns_of(name)
    if name == "wdbc":
        coded = {"M": malignant, "B": 1 - malignant}
        as_number = pl.col("diagnosis").replace_strict(coded, return_dtype=pl.Float64)
        frame = frame.with_columns(as_number)
        first = [column for column in first if diagnosis or column != "diagnosis"]
    a, b = (Microdata(frame.select(pl.col(own).cast(pl.Float64))) for own in (first, second))
    return a, b


def drawn(
    both: tuple[Microdata, Microdata], seed: int, size: int = RECORDS, first: int | None = None
) -> Drawn:
    """Some people, of whom the first file may hold the first few only; the second shuffled."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(both[0]))[:size]
    order = rng.permutation(size)
    mine = rows if first is None else rows[:first]
    whose = np.where(order < len(mine), order, -1)
    return Drawn(both[0].take(mine), both[1].take(rows[order]), whose)


def by_distance(name: str, run: int, *, seed: int) -> Figures:
    """DBRL by all twelve ways, on one draw."""
    files = drawn(halves(name), seed_of(seed, name, run))
    return {way: files.hits(**how) for way, how in WAYS.items()}


def by_probability(name: str, run: int, *, seed: int) -> Figures:
    """PRL by all twelve ways, on the draw that DBRL has; and how often EM has converged."""
    files = drawn(halves(name), seed_of(seed, name, run))
    links = {way: files.links(**how, linkage=BY_EM) for way, how in WAYS.items()}
    converged = sum(one.finder.details["converged"] for one in links.values())
    hits = {way: _hits(one) for way, one in links.items()}
    return hits | {"converged": converged / len(WAYS)}


def by_ranking(run: int, *, seed: int) -> Figures:
    """The baselines, on census."""
    files = drawn(halves("census"), seed_of(seed, "ranked", run), RANKED)
    scores = {"first component": "component", "sum of z-scores": "sum"}
    return {name: files.hits(method="ranking", score=score) for name, score in scores.items()}


def otherwise_read(run: int, *, seed: int) -> Figures:
    """DBRL on wdbc by OWA, with other readings of its second column, on the same draws."""
    found: dict[str, float] = {}
    for reading, coded in READINGS.items():
        both = halves("wdbc", coded.get("M", 0), diagnosis=bool(coded))
        files = drawn(both, seed_of(seed, "wdbc", run))
        found |= {
            f"{reading} {way}": files.hits(**how) for way, how in WAYS.items() if "OWA" in way
        }
    return found


def few_known(name: str, run: int, *, seed: int) -> Figures:
    """DBRL by OWA and Qt where the first file holds few of the hundred: how many of them."""
    files = drawn(halves(name), seed_of(seed, name, run), first=FEW)
    return {way: files.hits(**how) for way, how in WAYS.items() if way.endswith("OWA Qt")}


def by_structure(name: str, run: int, *, seed: int) -> Figures:
    """The attack as it is by default, on the draw that DBRL has."""
    number = seed_of(seed, name, run)
    files = drawn(halves(name), number)
    spec = attacks.Structural()
    links = unveil.link(files.first, files.second, spec, truth=files.whose, seed=number)
    details = links.finder.details
    return {
        "linked": _hits(links),
        "sure": details["sure"] or 0.0,
        "guess": float(details["guess"]),
    }


def split(name: str, *, seed: int) -> Figures:  # noqa: ARG001 - nothing is drawn
    """How attributes that correlate by 0.7 or more were put apart."""
    together, kept = 0, [len(half.columns) for half in halves(name)]
    complete = pl.concat([half.to_frame("polars") for half in halves(name)], how="horizontal")
    related = np.abs(complete.drop_nulls().corr().to_numpy()) >= CORRELATED
    np.fill_diagonal(related, val=False)
    for own in (slice(0, kept[0]), slice(kept[0], None)):
        together += int(related[own, own].sum()) // 2
    return {
        "together": together,
        "apart": int(related[: kept[0], kept[0] :].sum()),
        "with none": int((~related.any(0)).sum()),
        "attributes": sum(kept),
    }


def with_errors(name: str, run: int, *, seed: int) -> Figures:
    """DBRL between people and copies of them that share all attributes, but have errors."""
    number = seed_of(seed, "errors", name, run)
    files = drawn(halves(name), number)
    both = (files.first, files.second.take(np.argsort(files.whose)))
    whole = Microdata(pl.concat([half.to_frame("polars") for half in both], how="horizontal"))
    found = {}
    for size in ERRORS:
        noise = masks.AdditiveNoise(scale=size, columns=whole.columns, keep_type=False)
        release = unveil.mask(whole, [noise], seed=number)
        knows = Intruder(knows=whole.columns)
        links = unveil.attack(whole, release, attacks.Distance(), intruder=knows)
        found[f"{size}"] = _hits(links)
    return found


def _hits(links: Links) -> float:
    return float(measures.hits(links).sum())


WORK: dict[str, Work] = {
    "distance": by_distance,
    "probability": by_probability,
    "ranking": by_ranking,
    "readings": otherwise_read,
    "few": few_known,
    "structure": by_structure,
    "split": split,
    "errors": with_errors,
}
