"""The two sides of the grid: the masks of each file, and the attacks."""

from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

import unveil
from unveil import attacks, masks
from unveil_papers.datasets import dataset

Who = Literal["published", "given the truth", "ours", "a control"]
Takes = Literal["any", "ordered", "numbers", "single", "recoded", "nameless", "nothing"]
FILES = ("census", "sample")
RECORDS = 1000  # of the sample
CENSUS = (
    "AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX", "TAXINC", "POTHVAL", "INTVAL",
    "PEARNVAL", "FICA", "WSALVAL", "ERNVAL",
)  # fmt: skip
NUMBERS = ("age", "household_size", "income", "hours")
CATEGORIES = ("region", "sex", "education", "marital_status", "occupation")
ORDERED = (*NUMBERS, "education")
EVERY = (*CATEGORIES, *NUMBERS)
MANY = ("region", "education", "marital_status", "occupation")  # that have more than two categories


class GridMask(NamedTuple):
    """What is done to which columns, and whether anything is drawn."""

    plan: tuple[masks.Mask, ...]
    columns: tuple[str, ...]
    drawn: bool = False


class GridAttack(NamedTuple):
    """An attack: whose it is, what cells it takes, and in which trials it is made."""

    spec: attacks.Attack
    who: Who
    takes: Takes
    work: str


def some_noise(values: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """A function of a user's own: noise of Laplace's law."""
    return values + rng.laplace(0, 0.2 * values.std(), len(values))


@cache
def table(file: str, seed: int) -> unveil.Microdata:
    """The papers' file, or the embedded sample of a seed."""
    if file == "census":
        return dataset(file, unveil.Schema(quasi=CENSUS, numeric=CENSUS))
    return unveil.households(RECORDS, seed=seed)


def masked(file: str) -> dict[str, GridMask]:
    """Each mask of a file by the name of its row, in the order in which masks are listed."""
    rows = _on_census(CENSUS) if file == "census" else _on_sample()
    order = list(masks.METHODS)
    return dict(sorted(rows.items(), key=lambda row: order.index(type(row[1].plan[-1]))))


def absent() -> list[str]:
    """Methods without a row or a column: those that were added after the grid."""
    used: set[type] = {
        type(mask) for file in FILES for case in masked(file).values() for mask in case.plan
    }
    used |= {attacks.Pairs, *(type(way.spec) for way in WAYS.values())}
    return [one.__name__ for one in (*masks.METHODS, *attacks.METHODS) if one not in used]


def _by_columns(
    every: tuple[str, ...], numbers: tuple[str, ...], ordered: tuple[str, ...]
) -> dict[str, GridMask]:
    """Masks that are the same for any file, given its columns of each kind."""
    found = {
        "additive noise .25": masks.AdditiveNoise(scale=0.25, keep_type=False, columns=numbers),
        "additive noise .5": masks.AdditiveNoise(scale=0.5, keep_type=False, columns=numbers),
        "correlated noise .25": masks.CorrelatedNoise(scale=0.25, keep_type=False, columns=numbers),
        "multiplicative noise .25": masks.MultiplicativeNoise(
            scale=0.25, keep_type=False, columns=numbers
        ),
        "rank swapping 10": masks.RankSwapping(p=10, columns=ordered),
        "rank swapping 25": masks.RankSwapping(p=25, columns=ordered),
        "rank permutation 25": masks.RankPermutation(p=25, columns=ordered),
        "distribution swapping 10": masks.DistributionSwapping(p=10, columns=ordered),
        "own function": masks.Function(function=some_noise, keep_type=False, columns=numbers),
    }
    rows = {name: GridMask((mask,), mask.columns or (), drawn=True) for name, mask in found.items()}
    fixed = {
        "individual ranking 10": masks.IndividualRanking(k=10, keep_type=False, columns=ordered),
        "individual ranking 54": masks.IndividualRanking(k=54, keep_type=False, columns=ordered),
        "microaggregation 5": masks.Microaggregation(k=5, keep_type=False, columns=every),
        "Mondrian 5": masks.Mondrian(k=5, columns=every),
        "top coding 20 %": masks.TopCoding(share=0.2, columns=ordered),
        "bottom coding 20 %": masks.BottomCoding(share=0.2, columns=ordered),
    }
    rows |= {name: GridMask((mask,), mask.columns or ()) for name, mask in fixed.items()}
    rows["sampling 50 %"] = GridMask((masks.Sampling(share=0.5),), every, drawn=True)
    rows["shuffle"] = GridMask((masks.Shuffle(),), every)
    rows["synthesis"] = GridMask((masks.Synthesis(columns=every),), every, drawn=True)
    return rows


def _on_census(names: tuple[str, ...]) -> dict[str, GridMask]:
    """Thirteen columns of numbers: to make records alike, numbers are put into ranges first."""
    groups: Any = [{"columns": names[start::3], "k": 5} for start in range(3)]
    ranges = masks.GlobalRecoding(intervals=50_000, columns=names)
    two_levels: dict[str, Any] = {name: {"intervals": [25_000, 100_000]} for name in names}
    fixed: dict[str, tuple[masks.Mask, ...]] = {
        "microaggregation 5, three groups": (
            masks.Microaggregation(groups=groups, keep_type=False),
        ),
        "anti-unification 5, of ranges": (
            ranges, masks.AntiUnification(k=5, by_confidential=False, columns=names),
        ),
        "local suppression 5, of ranges": (ranges, masks.LocalSuppression(k=5, columns=names)),
        "full domain 5": (
            masks.FullDomain(k=5, suppress=0.05, columns=names, hierarchies=two_levels),
        ),
        "recoding into ranges": (masks.GlobalRecoding(intervals=20_000, columns=names),),
        "rounding": (masks.Rounding(base=5_000, columns=names),),
    }  # fmt: skip
    rows = _by_columns(names, names, names)
    rows |= {name: GridMask(plan, names) for name, plan in fixed.items()}
    rows["PRAM .3"] = GridMask((masks.Pram(theta=0.3),), names, drawn=True)
    return rows


def _on_sample() -> dict[str, GridMask]:
    """Five columns of categories and four of numbers; each mask has those that it can mask."""
    fixed = {
        "anti-unification 5": masks.AntiUnification(k=5, by_confidential=False, columns=CATEGORIES),
        "local suppression 5": masks.LocalSuppression(k=5, columns=CATEGORIES),
        "full domain 5": masks.FullDomain(k=5, suppress=0.05, columns=(*CATEGORIES, "age")),
        "recoding of the rarest 2": masks.GlobalRecoding(rarest=2, columns=MANY),
    }
    rows = _by_columns(EVERY, NUMBERS, ORDERED)
    rows |= {name: GridMask((mask,), mask.columns or ()) for name, mask in fixed.items()}
    some, money = ("age", "hours"), ("income",)
    rows["recoding into ranges"] = GridMask(
        (
            masks.GlobalRecoding(intervals=10, columns=some),
            masks.GlobalRecoding(intervals=20_000, columns=money, name="of money"),
        ),
        (*some, *money),
    )
    rows["rounding"] = GridMask(
        (
            masks.Rounding(base=5, columns=some),
            masks.Rounding(base=5_000, columns=money, name="of money"),
        ),
        (*some, *money),
    )
    rows["PRAM .3"] = GridMask((masks.Pram(theta=0.3, columns=CATEGORIES),), CATEGORIES, drawn=True)
    return rows


def _learnt(model: Literal["weights", "choquet", "bilinear"]) -> GridAttack:
    spec = attacks.Supervised(model=model, budget=None, steps=0, splits=0)
    return GridAttack(spec, "given the truth", "any", "learnt")


WAYS = {
    "DBRL": GridAttack(attacks.Distance(), "published", "any", "nearest"),
    "DBRL, told the mask": GridAttack(attacks.Distance(), "published", "recoded", "nearest"),
    "RBRL-Sum": GridAttack(attacks.Rank(), "published", "ordered", "nearest"),
    "RBRL-Max": GridAttack(attacks.Rank(criterion="max"), "published", "ordered", "nearest"),
    "PRL": GridAttack(attacks.Probabilistic(), "published", "single", "nearest"),
    "representatives": GridAttack(
        attacks.Structural(
            method="representatives", matching="nearest", normalisation="standardisation",
            missing="zero", turn=False,
        ),
        "published", "nameless", "nearest",
    ),
    "Mahalanobis, of true pairs": GridAttack(
        attacks.Distance(metric="mahalanobis", covariance="pairs"),
        "given the truth", "numbers", "nearest",
    ),
    "learnt weights": _learnt("weights"),
    "learnt Choquet": _learnt("choquet"),
    "learnt bilinear": _learnt("bilinear"),
    "Mahalanobis": GridAttack(attacks.Distance(metric="mahalanobis"), "ours", "numbers", "nearest"),
    "DBRL and PRL": GridAttack(
        attacks.Combined(attacks=["distance", "probabilistic"]), "ours", "single", "nearest"
    ),
    "compatible": GridAttack(attacks.Compatible(), "ours", "any", "nearest"),
    "tailored": GridAttack(attacks.Tailored(), "ours", "any", "nearest"),
    "tailored, posterior": GridAttack(
        attacks.Tailored(matching="posterior"), "ours", "any", "posterior"
    ),
    "exchange": GridAttack(attacks.Exchange(), "ours", "ordered", "posterior"),
    "exchange, told the mask": GridAttack(
        attacks.Exchange(level="parameters"), "ours", "ordered", "posterior"
    ),
    "DBRL, 1-1": GridAttack(attacks.Distance(matching="one-to-one"), "ours", "any", "matched"),
    "DBRL, posterior": GridAttack(attacks.Distance(matching="posterior"), "ours", "any", "matched"),
    "RBRL-Sum, 1-1": GridAttack(attacks.Rank(matching="one-to-one"), "ours", "ordered", "matched"),
    "RBRL-Sum, posterior": GridAttack(
        attacks.Rank(matching="posterior"), "ours", "ordered", "matched"
    ),
    "RBRL-Max, 1-1": GridAttack(
        attacks.Rank(criterion="max", matching="one-to-one"), "ours", "ordered", "matched"
    ),
    "RBRL-Max, posterior": GridAttack(
        attacks.Rank(criterion="max", matching="posterior"), "ours", "ordered", "matched"
    ),
    "structural": GridAttack(
        attacks.Structural(starts=10, controls=2), "ours", "nameless", "apart"
    ),
    "position": GridAttack(attacks.Position(), "a control", "nothing", "nearest"),
}  # fmt: skip
