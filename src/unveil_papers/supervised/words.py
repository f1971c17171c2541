"""Small trials behind what the paper on supervised linkage says in words."""

from itertools import chain, combinations

import numpy as np
import polars as pl
from scipy.optimize import LinearConstraint, milp

import unveil
from unveil import Intruder, Microdata, Releases, Schema, attacks, masks, measures
from unveil_papers.framework.experiment import Figures, Work, seed_of
from unveil_papers.framework.tools import Floats, Ints, numbers
from unveil_papers.supervised.files import (
    BY_PAIRS,
    PLAIN,
    SIZE,
    File,
    drawn,
    masked,
    of_sample,
    standardised,
    strictly,
)

CONSTANTS = (0.01, 0.03, 0.1, 1.0, 10.0, 100.0)  # C of the program
FEW = 60  # records of the program with all its rows
STRICT = 1e-6  # what "above 0" means to its solver
POINTS = 24  # of a time series


def beside(name: str, number: int, *, seed: int) -> Figures:
    """Other attacks on one file: their shares, and what holds of their results."""
    file = drawn(name, number, seed)
    fewer = file._replace(groups=(*file.groups[:-1], file.groups[-1][:-1]))
    plain, probable = file.links(PLAIN), attacks.Probabilistic()
    whole = measures.distributions(plain)
    sums = np.add.reduceat(whole.probability, whole.starts[:-1])
    released = file.release.data.to_frame("polars")
    known = file.data.to_frame("polars").cast(pl.Float64).unique()
    by_covariance = {
        kind: file.share(attacks.Distance(metric="mahalanobis", covariance=kind))
        for kind in ("original", "release", "sum")
    }
    likely = file.links(probable)
    return {
        **by_covariance,
        "probabilistic": strictly(likely),
        "rescaled": int((measures.hits(likely) != _in_other_units(file, probable)).sum()),
        "tailored": file.share(attacks.Tailored(), channel=True),
        "fewer": fewer.share(BY_PAIRS),
        "compatible": measures.formal(plain).compatible,
        "off": float(np.abs(sums - 1).max()),
        "found": len(released.cast(pl.Float64).join(known, on=known.columns, how="semi")) / SIZE,
        "back d2AM": file.share(PLAIN, back=True),
        "back d2MD": file.share(BY_PAIRS, back=True),
    }


def _in_other_units(file: File, attack: attacks.Attack) -> Floats:
    """The hits where all columns but the first are in thousandths."""
    others = pl.all().exclude(file.data.columns[0])
    data, released = (
        Microdata(side.to_frame("polars").with_columns(others * 1000))
        for side in (file.data, file.release.data)
    )
    intruder = Intruder(knows=file.data.columns, direction="release-to-original")
    truth = file.originals
    return measures.hits(unveil.attack(data, released, attack, intruder=intruder, truth=truth))


def grouped(sizes: str, k: int, number: int, *, seed: int) -> Figures:
    """Groups of columns such as 2+2, all with one k: what is linked, and what is lost."""
    parts = [int(size) for size in sizes.split("+")]
    file = masked(of_sample(number, seed), parts, [k] * len(parts))
    return {
        "d2AM": file.share(PLAIN),
        "d2MD": file.share(BY_PAIRS),
        "IL1s": float(measures.il1s(file.aligned()).measures[0].value or 0.0),
    }


def sampled(name: str, number: int, *, seed: int) -> Figures:
    """Half of the released rows are drawn: how many they link by learnt weights, of how many."""
    file, learner = drawn(name, number, seed), attacks.Supervised(budget=None, steps=0, splits=0)
    half = unveil.mask(
        file.data, [file.mask, masks.Sampling(share=0.5)], seed=seed_of(seed, "half", name, number)
    )
    found = {}
    for label, one in (("all", file), ("half", file._replace(release=half))):
        learnt = one.links(learner, seed=seed_of(seed, label, number)).finder.details["learnt"]
        found[label] = learnt["strict"]
    return {**found, "released": len(half)}


def facts(*, seed: int) -> Figures:
    """What an attribute tells, an identifier, a regression, an interval, a value that is linked."""
    people, data = unveil.households(1000, seed=seed), of_sample(0, seed)
    quasi = ("region", "sex", "age", "education")
    file = drawn("M6-385", 0, seed)
    fits = [_fit(file, column) for column in range(len(file.data.columns))]
    swap = masks.RankSwapping(p=10, columns=data.columns[:6])
    swapped = unveil.mask(data.select(data.columns[:6]), [swap], seed=seed_of(seed, "swap"))
    both = measures.FilePair.of(data.select(data.columns[:6]), swapped.data, swapped.row_map)
    told = data.columns[6]
    with_value = masked(data, (2, 2), (3, 3))
    values = data.column(told).to_numpy()
    links = with_value.links(BY_PAIRS, back=True)
    right = measures.hits(links, ties="unique") == 1
    read = values[with_value.originals[links.best]] == values[links.records]
    return {
        "identified": measures.uniqueness(people, ["person"]).uniques / len(people),
        "single category": max(measures.uniqueness(people, [c]).uniques for c in quasi),
        "together": measures.uniqueness(people, quasi).uniques,
        "single number": min(measures.uniqueness(data, [c]).uniques for c in data.columns[:6]),
        "regression": [float(fit) for fit in fits],
        "swapped": _inside(both),
        "swapped ranks": _within(both, 10.0),
        "microaggregated": _inside(file.aligned()),
        "linked": float(right.mean()),
        "right if linked": float(read[right].mean()),
        "right": float(read.mean()),
    }


def _fit(file: File, column: int) -> float:
    """How much of an original column a regression explains that was fitted to the release."""
    released, original = numbers(file.release.data), numbers(file.data)
    design, asked = (
        np.column_stack([np.ones(len(side)), np.delete(side, column, axis=1)])
        for side in (released, original)
    )
    fitted = asked @ np.linalg.lstsq(design, released[:, column], rcond=None)[0]
    truth = original[:, column]
    return float(1 - np.var(truth - fitted) / np.var(truth))


def _inside(pair: measures.FilePair) -> float:
    """Interval disclosure by ranks, at 10 %."""
    found = measures.interval_disclosure(pair, widths=[10.0])
    return 0.0 if found is None else found.average.by_rank[0].share


def _within(pair: measures.FilePair, percent: float) -> float:
    """The share of the cells that stand so near in rank, counted one by one."""
    ranks = [
        numbers(side).argsort(axis=0).argsort(axis=0) for side in (pair.original, pair.release)
    ]
    gaps = np.abs(ranks[0][pair.originals] - ranks[1][pair.released])
    return float((gaps <= percent / 100 * len(gaps)).mean())


def scenarios(*, seed: int) -> Figures:
    """Several releases, synthetic columns, categories and series: what is linked of each."""
    data = of_sample(0, seed)
    four = data.select(data.columns[:4])
    noise = masks.AdditiveNoise(scale=0.3, columns=four.columns)
    seeds = [seed_of(seed, "noise", number) for number in range(2)]
    both = Releases(tuple(unveil.mask(four, [noise], seed=one) for one in seeds), key=True)
    knows = Intruder(knows=four.columns)
    once, twice = (
        _expected(unveil.attack(four, one, attacks.Tailored(), intruder=knows))
        for one in (both.first(1), both)
    )
    synthetic = _expected(
        unveil.attack(four, _synthetic(data, 4, seed), PLAIN, intruder=knows, truth="row-order")
    )
    people = unveil.households(300, seed=seed)
    kept = Intruder(knows=("region", "sex", "education", "household"))
    pram = unveil.mask(people, [masks.Pram(theta=0.2)], seed=seed_of(seed, "pram"))
    nominal = {
        label: _expected(unveil.attack(people, pram, attack, intruder=kept))
        for label, attack in (("categories", PLAIN), ("likely", attacks.Probabilistic()))
    }
    learner = attacks.Supervised(budget=None, steps=12_000, splits=0)
    learnt = unveil.attack(people, pram, learner, intruder=kept).finder.details["learnt"]
    walks, noisy = _series(seed)
    series = unveil.attack(
        walks, noisy, PLAIN, intruder=Intruder(knows=walks.columns), truth="row-order"
    )
    return {
        "once": once,
        "twice": twice,
        "synthetic": synthetic,
        **nominal,
        "learnt": learnt["linked"],
        "bound": learnt["bound"],
        "series": _expected(series),
    }


def _expected(links: unveil.Links) -> float:
    """The share that is linked, a tie by its share."""
    return float(measures.hits(links).mean())


def _synthetic(data: Microdata, many: int, seed: int) -> Microdata:
    """The first columns drawn anew from their regression on all others."""
    values = numbers(data)
    made, rest = values[:, :many], values[:, many:]
    design = np.column_stack([np.ones(len(rest)), rest])
    fitted = design @ np.linalg.lstsq(design, made, rcond=None)[0]
    rng = np.random.default_rng(seed_of(seed, "synthetic"))
    deviations = np.linalg.cholesky(np.cov((made - fitted).T))
    drawn_anew = fitted + rng.normal(size=made.shape) @ deviations.T
    return Microdata(pl.DataFrame(drawn_anew, schema=list(data.columns[:many])))


def _series(seed: int) -> tuple[Microdata, Microdata]:
    """Random walks, and the same with noise."""
    rng = np.random.default_rng(seed_of(seed, "series"))
    walks = rng.normal(size=(SIZE, POINTS)).cumsum(axis=1)
    names = [f"t{point}" for point in range(POINTS)]
    schema = Schema(quasi=names)
    sides = (walks, walks + rng.normal(size=walks.shape))
    true, noisy = (Microdata(pl.DataFrame(side, schema=names), schema) for side in sides)
    return true, noisy


def algebra(number: int, *, seed: int) -> Figures:
    """Which distances are cases of which: records that two of them link differently."""
    file = drawn("M4-33", number, seed)
    columns = file.data.columns
    rng = np.random.default_rng(seed_of(seed, "weights", number))
    weights = rng.dirichlet(np.ones(len(columns)))
    named = dict(zip(columns, weights.tolist(), strict=True))
    sets = [[bool(s >> place & 1) for place in range(len(columns))] for s in range(16)]
    additive = tuple((np.array(sets, dtype=float) @ weights).tolist())
    gaps = standardised(file.release.data)[:, None] - standardised(file.data)[None]
    matrix = np.einsum("ijk,kl,ijl->ij", gaps, np.diag(weights), gaps)
    own = file.originals
    nearer = matrix < matrix[np.arange(SIZE), own][:, None] * (1 - 1e-9)

    def linked(attack: attacks.Attack) -> Floats:
        return measures.hits(file.links(attack)).round()

    plain, weighted = linked(PLAIN), linked(attacks.Distance(weights=named))
    share = dict.fromkeys(columns, 1 / len(columns))
    squared = (gaps**2).sum(axis=2).mean() / (gaps**2).mean(axis=2).mean()
    return {
        "divided": int((plain != linked(attacks.Distance(weights=share))).sum()),
        "additive": int((weighted != linked(attacks.Distance(aggregation=additive))).sum()),
        "diagonal": int((weighted != ~nearer.any(axis=1)).sum()),
        "identity": _identity(file),
        "factor": float(squared),
        "n": len(columns),
    }


def _identity(file: File) -> int:
    """Records that Mahalanobis and Euclid link differently, the covariance being the identity."""
    values = numbers(file.data)
    whiten = np.linalg.inv(np.linalg.cholesky(np.cov(values.T))).T
    data, released = (
        Microdata(pl.DataFrame((numbers(one) - values.mean(axis=0)) @ whiten, schema=list("abcd")))
        for one in (file.data, file.release.data)
    )
    intruder = Intruder(knows=tuple("abcd"), direction="release-to-original")
    euclid, mahalanobis = (
        measures.hits(unveil.attack(data, released, one, intruder=intruder, truth=file.originals))
        for one in (
            attacks.Distance(scale="original"),
            attacks.Distance(metric="mahalanobis", covariance="original"),
        )
    )
    return int((euclid != mahalanobis).sum())


def key(number: int, *, seed: int) -> Figures:
    """One attribute is released as it is: what all weight on it links, and what is learnt."""
    data = of_sample(number, seed).select(of_sample(number, seed).columns[:4])
    mask = masks.Microaggregation(k=8, columns=data.columns[1:], standardise=False, keep_type=False)
    file = File(data, unveil.mask(data, [mask], seed=0), mask, (data.columns,))
    alone = {**dict.fromkeys(data.columns, 0.0), data.columns[0]: 1.0}
    learnt = file.links(attacks.Supervised(budget=None, steps=1000, splits=0)).finder.details
    return {
        "alone": file.share(attacks.Distance(weights=alone)),
        "plain": file.share(PLAIN),
        "learnt": learnt["learnt"]["strict"] / SIZE,
        "weight": learnt["learnt"]["importance"][data.columns[0]],
    }


def program(*, seed: int) -> Figures:
    """The paper's program with all its rows, of a few records, for several constants C."""
    data = of_sample(0, seed).take(np.arange(FEW))
    file = masked(data, (2, 2), (3, 3))
    learner = attacks.Supervised(budget=None, steps=12_000, splits=0, counting="strict")
    learnt = file.links(learner).finder.details["learnt"]
    released, original = standardised(file.release.data), standardised(file.data)
    costs = (released[:, None] - original[file.originals][None]) ** 2
    owners, rivals = np.nonzero(~np.eye(FEW, dtype=bool))
    rows = costs[owners, rivals] - costs[owners, owners]
    solved, counted, margins = [], [], []
    for constant in CONSTANTS:
        found = _solved(rows, owners, constant)
        solved.append(-1.0 if found is None else FEW - round(found[1]))
        if found is None:
            continue
        least = np.full(FEW, np.inf)
        np.minimum.at(least, owners, rows @ found[0])
        counted.append(float((least > STRICT / 2).sum()))
        margins.append(float(least[least > STRICT / 2].min()))
    violated = rows @ np.full(4, 0.25) <= 0
    return {
        "solved": solved,
        "counted": counted,
        "margins": margins,
        "proven": float(learnt["strict"]) if learnt["ended"] == "proven" else -1.0,
        "rows": len(rows),
        "violated": int(violated.sum()),
        "missed": len(np.unique(owners[violated])),
        "plain": round(FEW * file.share(PLAIN)),
    }


def _solved(rows: Floats, owners: Ints, constant: float) -> tuple[Floats, float] | None:
    """The weights and how many are given up; None where no weights fulfil all rows."""
    many = rows.shape[1]
    given_up = constant * (owners[:, None] == np.arange(FEW))
    total = np.append(np.ones(many), np.zeros(FEW))
    found = milp(
        np.append(np.zeros(many), np.ones(FEW)),
        constraints=[
            LinearConstraint(np.hstack([rows, given_up]), STRICT, np.inf),
            LinearConstraint(total[None], 1.0, 1.0),
        ],
        integrality=np.append(np.zeros(many), np.ones(FEW)),
        bounds=(0, 1),
        options={"mip_rel_gap": 0.0, "presolve": False},
    )
    return None if found.x is None else (found.x[:many], float(found.x[many:].sum()))


def compatibility(*, seed: int) -> Figures:  # noqa: ARG001 - nothing is drawn
    """Definition 3 on two records, and the belief functions that it asks for."""
    truth = (0.6, 0.4)
    allowed, refused = (measures.compatible(one, truth) for one in ((0.35, 0.65), (0.95, 0.05)))
    agreed, believed, tried = 0, 0, 0
    for p in np.linspace(0, 1, 11).tolist():
        for q in np.linspace(0, 1, 10).tolist():
            found = measures.compatible((q, 1 - q), (p, 1 - p))
            agreed += found.compatible == (p / 2 - 1e-9 <= q <= (1 + p) / 2 + 1e-9)
            tried += 1
            believed += not found.compatible or _believes(found.belief(), (p, 1 - p), (q, 1 - q))
    return {
        "allowed": float(allowed.compatible),
        "refused": float(not refused.compatible),
        "away": refused.distance,
        "tried": tried,
        "agreed": agreed,
        "believed": believed,
    }


def _believes(belief: measures.Belief, truth: tuple[float, ...], bets: tuple[float, ...]) -> bool:
    """Whether a belief function is at most the truth on every set, and these are its bets."""
    records = range(len(truth))
    every = chain.from_iterable(combinations(records, size) for size in range(1, len(truth) + 1))
    below = all(belief.belief(some) <= sum(truth[i] for i in some) + 1e-9 for some in every)
    return below and bool(np.allclose(belief.pignistic(), bets, atol=1e-9))


WORK: dict[str, Work] = {
    "beside": beside,
    "grouped": grouped,
    "sampled": sampled,
    "facts": facts,
    "scenarios": scenarios,
    "algebra": algebra,
    "key": key,
    "program": program,
    "compatibility": compatibility,
}
