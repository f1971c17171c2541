"""The plans of `tests/golden` on the papers' files; long ones on the head of a file."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from gate.case import Case
from gate.inputs import has_papers

if TYPE_CHECKING:
    from collections.abc import Iterator

CENSUS = (
    "AFNLWGT AGI EMCONTRB FEDTAX PTOTVAL STATETAX TAXINC POTHVAL INTVAL PEARNVAL FICA WSALVAL "
    "ERNVAL"
).split()
ADULT = (
    "workclass education marital-status occupation relationship race sex native-country"
).split()
NOISE, SWAPPED = (0.1, 0.25, 0.5, 0.75, 1.0), (1, 5, 10, 25, 50, 100)
REAL: dict[str, Any] = {"keep_type": False}
RANKED = ("distance", "rank", "rank --criterion max")
TAILORED = (
    "tailored",
    "tailored --no-corrected",
    "tailored --no-corrected --direction release-to-original",
    "tailored --matching posterior",
    "tailored --level method",
)
FREE = "--no-constrained --agreement 0.05 --u estimated --prior estimated --smoothing 0"
SUPERVISED = {  # columns of each group, and its k: Torra (2013), Table 2
    "M4-33": ((2, 2), (3, 3)),
    "M4-28": ((2, 2), (2, 8)),
    "M5-38": ((3, 2), (3, 8)),
    "M6-853": ((2, 2, 2), (8, 5, 3)),
}
HALVES = ("abalone", "ionosphere", "census", "wdbc", "water-treatment")

Step = dict[str, Any]


def golden(name: str, file: str, step: Step, attacks: tuple[str, ...], options: str = "") -> Case:
    """Mask a file by one step, and attack the release in several ways."""
    schema = f"--schema in/{file.removesuffix('-head')}.toml"
    mask = (
        f"mask in/{file}.csv {schema} --plan {{out}}/plan.toml --seed 1 --json --row-map "
        "{out}/map.csv -o {out}/release.csv"
    )
    generalised = step["method"] in ("anti-unification", "mondrian", "global-recoding")
    if generalised:
        mask += " --write-schema {out}/schema.toml"
        options += " --release-schema {out}/schema.toml"
    files = f"in/{file}.csv {{out}}/release.csv {schema} --truth {{out}}/map.csv"
    plan = " --plan {out}/plan.toml"
    commands = (
        f"attack {kind} {files} --seed 1 --json{options} {more}".rstrip()
        + (plan if kind == "tailored" else "")
        for kind, _, more in (one.partition(" ") for one in attacks)
    )
    return Case(f"golden/{name}", (mask, *commands), [step], cost=2 + len(attacks) / 3)


def cases() -> Iterator[Case]:
    """All golden cases; none where the papers' files are not there."""
    if not has_papers():
        return
    yield from _rank_based()
    yield from _knowing_the_mask()
    yield from _groups()
    yield from _categories()
    yield from _learnt()
    yield from _without_common_attribute()
    yield _audited()


def _rank_based() -> Iterator[Case]:
    """Muralidhar and Domingo-Ferrer (2016), Tables 1 to 5."""
    step: Step
    for level in NOISE:
        for method in ("additive-noise", "correlated-noise", "multiplicative-noise"):
            step = {"method": method, "scale": level, **REAL}
            yield golden(f"{method}-{level}", "census", step, RANKED)
    for p in SWAPPED:
        for reading in ("table", "text"):
            step = {"method": "distribution-swapping", "p": p, "reading": reading}
            yield golden(f"distribution-swapping-{reading}-{p}", "census", step, RANKED)
        yield golden(f"swapping-{p}", "census", {"method": "rank-swapping", "p": p}, RANKED)
    for k in (10, 54, 108, 216, 270, 360, 540):
        step = {"method": "individual-ranking", "k": k, **REAL}
        yield golden(f"ranking-{k}", "census", step, RANKED)
    for name, step in {
        "noise": {"method": "additive-noise", "scale": 0.25, **REAL},
        "multiplicative": {"method": "multiplicative-noise", "scale": 0.25, **REAL},
        "swapping": {"method": "rank-swapping", "p": 5},
        "ranking": {"method": "individual-ranking", "k": 70, **REAL},
    }.items():
        yield golden(f"eia-{name}", "eia", step, RANKED)
    few = ("distance --records 50", "rank --criterion max --records 50 --ranks own")
    yield golden("few-records", "census", {"method": "rank-swapping", "p": 10}, few)


def _knowing_the_mask() -> Iterator[Case]:
    """The intruder who knows the mask, as in `tests/golden/test_likelihood.py`."""
    for name, step in {
        "additive-.25": {"method": "additive-noise", "scale": 0.25, **REAL},
        "additive-1": {"method": "additive-noise", "scale": 1, **REAL},
        "correlated": {"method": "correlated-noise", "scale": 0.25, **REAL},
        "multiplicative": {"method": "multiplicative-noise", "scale": 0.5, **REAL},
        "swapping-10": {"method": "rank-swapping", "p": 10},
        "swapping-50": {"method": "rank-swapping", "p": 50},
        "ranking": {"method": "individual-ranking", "k": 60, **REAL},
    }.items():
        yield golden(f"tailored-{name}", "census-head", step, TAILORED)
    for k in (3, 20):
        step = {"method": "microaggregation", "k": k, **REAL}
        again = ("tailored --level original", "tailored")
        yield golden(f"tailored-microaggregation-{k}", "census-head", step, again)


def _groups() -> Iterator[Case]:
    """Microaggregation as sdcMicro does it, and the best groups of single columns."""
    step: Step
    for k in (3, 5, 10):
        step = {"method": "microaggregation", "k": k, **REAL}
        yield golden(f"mdav-{k}", "census", step, ("distance",))
    for k in (3, 10):
        for algorithm in ("mdav", "v-mdav", "optimal"):
            some = CENSUS[:2] if algorithm == "v-mdav" else CENSUS  # it takes seconds for each
            apart = [{"columns": [column], "k": k} for column in some]
            step = {"method": "microaggregation", "groups": apart, "algorithm": algorithm, **REAL}
            yield golden(f"apart-{algorithm}-{k}", "census", step, ())


def _categories() -> Iterator[Case]:
    """Domingo-Ferrer and Torra (2002); Armengol and Torra (2015): the head of Adult."""
    knows = f" --knows {','.join(ADULT)}"
    known = ("distance", "probabilistic", f"probabilistic {FREE}")
    for name, step in {
        "pram": {"method": "pram", "theta": 0.15, "invariant": False},
        "pram-invariant": {"method": "pram", "theta": 0.3},
        "recoding": {"method": "global-recoding", "rarest": 3},
    }.items():
        step["columns"] = ADULT
        more = TAILORED[:4] if name == "pram" else ()
        yield golden(f"adult-{name}", "adult_train", step, (*known, *more), knows)
    for k in (5, 10, 20, 30):
        for name, order in (("many", "><"), ("few", "<>")):
            step = {"method": "anti-unification", "k": k, "columns": ADULT, "order": order}
            yield golden(f"adult-patterns-{name}-{k}", "adult_train", step, ())
    step = {"method": "mondrian", "k": 5, "columns": ["age", *ADULT]}
    yield golden("adult-mondrian", "adult_train", step, ("compatible", "distance"), knows)


def _learnt() -> Iterator[Case]:
    """Torra (2013), Table 2, on the head of Census."""
    for name, (sizes, ks) in SUPERVISED.items():
        ends = [sum(sizes[:place]) for place in range(len(sizes) + 1)]
        sets = [
            {"columns": CENSUS[a:b], "k": k} for (a, b), k in zip(pairwise(ends), ks, strict=True)
        ]
        step = {"method": "microaggregation", "groups": sets, "standardise": False, **REAL}
        options = f" --knows {','.join(CENSUS[: ends[-1]])} --direction release-to-original"
        learnt = "supervised --budget none --splits 0 --steps 30 --counting strict --model"
        pairs = "distance --metric mahalanobis --covariance"
        attacks: tuple[str, ...] = (
            "distance",
            f"{pairs} pairs",
            f"{pairs} moments",
            f"{learnt} weights",
        )
        if name == "M4-33":
            attacks = (*attacks, f"{learnt} choquet")
        yield golden(f"supervised-{name}", "census-head", step, attacks, options)


def _without_common_attribute() -> Iterator[Case]:
    """Torra and Nin (2008): two halves of the attributes of a hundred people."""
    published = "--method representatives --structural-missing zero --matching nearest"
    by_em = '--linkage {"agreement":0.05,"u":"estimated","prior":"estimated","smoothing":0}'
    for name in HALVES:
        link = f"link in/{name}-1.csv in/{name}-2.csv --truth row-order --json --attack structural"
        ways = [
            f"{link} {published} --normalisation {normalisation} --operator {op} --family {family}"
            for normalisation in ("ranging", "standardisation")
            for op in ("owa", "sugeno")
            for family in ("exponent", "sigmoid", "threshold")
        ]
        by_probability = [f"{way} {by_em}" for way in ways[1:3]]
        yield Case(f"golden/structural-{name}", (*ways, *by_probability), cost=6)


def _audited() -> Case:
    return Case(
        "golden/audit",
        (
            "mask in/census.csv --schema in/census.toml --plan {out}/plan.toml --seed 1 "
            "--row-map {out}/map.csv -o {out}/release.csv",
            "audit in/census.csv {out}/release.csv --schema in/census.toml --truth {out}/map.csv "
            "--max-risk 0.05 --exact --no-sweep --errors 0.1 --no-remedies --no-worst-case "
            "--attack distance --attack rank-max --attack position --evidence {out}/evidence.json",
        ),
        [{"method": "rank-swapping", "p": 10}],
        cost=20,
    )
