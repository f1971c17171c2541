"""Every attack, with each choice of its parameters, and every kind of intruder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.case import Case

if TYPE_CHECKING:
    from collections.abc import Iterator

SURVEY = "in/people.csv in/{release}.csv --schema in/people.toml --seed 1 --json"
KNOWN = "--truth in/{release}-map.csv"
NUMERIC = "--knows age,hours,income"
ORDERED = "--knows age,hours,income,education,household_size"  # what can be ranked
BACK = "--direction release-to-original"
OWN = "--release-schema in/{release}.toml"
PLAN = "--plan in/{release}-plan.toml"
LINKAGES = ("nearest", "one-to-one", "posterior")
RELEASES = ("mixed", "noisy", "grouped", "ranges", "stars", "coded")
ATTACKS = ("distance", "rank", "probabilistic", "tailored", "combined", "households")
BOTH = '["distance",{"method":"rank","criterion":"max"}]'

DISTANCE = {
    **{f"metric-{metric}": f"--metric {metric} {NUMERIC}"
       for metric in ("euclid", "mahalanobis", "manhattan", "chebyshev", "polynomial")},
    **{f"covariance-{which}": f"--metric mahalanobis --covariance {which} {NUMERIC}"
       for which in ("moments", "original", "release", "sum", "pairs")},
    **{f"scale-{whose}": f"--scale {whose}" for whose in ("own", "original", "release")},
    "weights": "--weights age=2,income=0.5",
    "groups": f'--metric mahalanobis --groups [["age"],["hours","income"]] {NUMERIC}',
    "degree": f"--metric polynomial --degree 3 {NUMERIC}",
    "choquet": f"--aggregation [0,0.2,0.3,0.6,0.4,0.7,0.8,1] {NUMERIC}",
    "inclusive": "--inclusive --knows education,age",
    "tables": '--tables {"sex":{"categories":["male","female"],"distances":[[0,2],[2,0]]}}',
    "text": '--comparisons {"occupation":{"by":"damerau-levenshtein","levels":[0,6]}}',
}  # fmt: skip
RANK = {
    "sum": "--criterion sum",
    "max": "--criterion max",
    "own": "--ranks own",
    "release": "--ranks release --criterion max",
    "weights": "--weights age=3",
    "choquet": f"--aggregation [0,0.2,0.3,0.6,0.4,0.7,0.8,1] {NUMERIC}",
}
PROBABILISTIC = {
    "default": "",
    "tolerances": '--tolerances {"age":[0,2,5],"income":[1000]}',
    "agreement": "--agreement 0.05",
    "levels": "--no-prorated",
    "free": "--no-constrained --u estimated --prior estimated --smoothing 0 --knows region,sex",
    "prior": "--prior 0.01",
    "estimated": "--prior estimated --u estimated",
    "iterations": "--iterations 3 --tolerance 0.01 --smoothing 0.5",
    "thresholds": "--p-link-unmatched 0.001 --p-nonlink-matched 0.2",
    "sampled": "--sampled 50",
    "log-linear": "--dependence log-linear",
    "latent": "--dependence latent --no-prorated --knows region,sex,education,occupation",
    "dependent": "--dependence chosen --matching posterior",
    "text": '--comparisons {"occupation":{"by":"jaro-winkler","levels":[1,0.5]},'
    '"region":{"by":"soundex"}}',
}
SUPERVISED = {
    model: f"--model {model} --budget none --steps 40 --splits 1 --knows age,hours,income"
    for model in ("weights", "choquet", "bilinear")
} | {
    "strict": "--counting strict --budget none --steps 20 --splits 0 --knows age,income",
    "scale": "--scale release --budget none --steps 20 --splits 2 --knows age,income",
}
INTRUDERS = {
    "share": "--records 0.3",
    "number": f"rank --records 50 --criterion max {ORDERED}",
    "file": "--records in/register.csv",
    "knows": "--knows age,sex",
    "knows-incomplete": "--knows income,education,rent",
    "blocks": "--blocks sex,region",
    "blocks-by-keys": "--blocks sex:1,region:soundex",
    "sample": "--sample 60",
    "outsiders": "--outsiders in/outsiders.csv",
    "top": "--top 20",
}
STRUCTURAL = {
    **{f"method-{method}": f"--method {method}"
       for method in ("representatives", "ranking", "alignment")},
    "correlation": "--method correlation --starts 3 --controls 2",
    **{f"operator-{operator}-{family}": f"--method representatives --operator {operator} "
       f"--family {family}"
       for operator in ("owa", "sugeno") for family in ("exponent", "sigmoid", "threshold")},
    **{f"normalisation-{how}": f"--method representatives --normalisation {how}"
       for how in ("ranging", "standardisation", "normal-scores")},
    "zero": "--method representatives --structural-missing zero --no-turn",
    "by-probability": "--method representatives --linkage probabilistic",
    "sum": "--method ranking --score sum",
    **{f"matching-{how}": f"--method alignment --matching {how}" for how in LINKAGES},
}  # fmt: skip


def attack(name: str, release: str, options: str) -> Case:
    """One attack on one release of the survey; the options begin with its name."""
    kind, _, more = options.partition(" ")
    call = f"attack {kind} {SURVEY} {KNOWN} {more}".rstrip().replace("  ", " ")
    return Case(f"attack/{name}", (call.replace("{release}", release),))


def cases() -> Iterator[Case]:
    """Attacks, links and their files."""
    for kind, choices in (("distance", DISTANCE), ("rank", RANK), ("probabilistic", PROBABILISTIC)):
        for name, options in choices.items():
            ordered = "" if kind != "rank" or "--knows" in options else f" {ORDERED}"
            yield attack(f"{kind}-{name}", "mixed", f"{kind}{ordered} {options}")
    for name, options in SUPERVISED.items():
        yield attack(f"supervised-{name}", "noisy", f"supervised {options}")
    for name, options in INTRUDERS.items():
        chosen = options if options.startswith("rank") else f"distance {options}"
        yield attack(f"intruder-{name}", "coded", chosen)
    yield from _matchings()
    yield from _masks_known()
    yield from _several()
    yield from _links()


def _matchings() -> Iterator[Case]:
    extra = {"rank": ORDERED, "tailored": PLAN, "combined": f"--attacks {BOTH} {ORDERED}"}
    for kind in ATTACKS:
        for matching in LINKAGES:
            for way, direction in (("", ""), ("-back", f" {BACK}")):
                options = f"{kind} --matching {matching}{direction} {extra.get(kind, '')}"
                yield attack(f"{kind}-{matching}{way}", "mixed", options)
    for matching in LINKAGES:
        options = f"compatible --matching {matching} {OWN}"
        yield attack(f"compatible-{matching}", "ranges", options)
    for release in ("ranges", "stars", "coded", "sampled"):
        kinds = ["distance", "compatible"]
        if release in ("coded", "sampled"):  # whose cells are single values
            kinds += ["rank", "probabilistic"]
        for kind in kinds:
            known = f" {ORDERED}" if kind == "rank" else ""
            yield attack(f"{kind}-on-{release}", release, f"{kind} {OWN}{known}")
    yield attack("households-tailored", "mixed", f"households --score tailored {PLAN}")
    yield attack("position", "mixed", "position")
    yield attack("position-back", "mixed", f"position {BACK}")


def _masks_known() -> Iterator[Case]:
    for release in (*RELEASES, "sampled"):
        for level in ("method", "parameters", "original"):
            yield attack(
                f"tailored-{level}-{release}", release, f"tailored --level {level} {PLAN} {OWN}"
            )
        yield attack(
            f"tailored-raw-{release}", release, f"tailored --no-corrected {PLAN} {OWN} {BACK}"
        )
    yield attack("exchange", "noisy", f"exchange {ORDERED}")
    yield attack("exchange-parameters", "mixed", f"exchange --level parameters {PLAN} {ORDERED}")
    yield attack("simulated", "mixed", f"simulated {PLAN}")
    for way, direction in (("", ""), ("-back", f" {BACK}")):
        told = f"distance --exclude-impossible {PLAN} {OWN}{direction}"
        yield attack(f"distance-told{way}", "coded", told)
    records = f"tailored {PLAN} --records 40"
    yield attack("tailored-few-records", "noisy", records)


def _several() -> Iterator[Case]:
    keyed = (
        "in/people.csv in/keyed-4.csv --also in/keyed-5.csv --also in/keyed-6.csv --schema "
        f"in/people.toml --seed 1 --truth row-order --json {NUMERIC}"
    )
    for kind in ("distance", "rank", "probabilistic", "tailored"):
        plan = " --plan in/keyed-plan.toml" if kind == "tailored" else ""
        yield Case(f"attack/several-{kind}", (f"attack {kind} {keyed}{plan}",))
        yield Case(f"attack/several-keyed-{kind}", (f"attack {kind} {keyed}{plan} --key key",))


def _links() -> Iterator[Case]:
    files = f"{SURVEY} {KNOWN}".replace("{release}", "mixed")
    first, again = f"attack distance {files}", f"attack pairs {files} --pairs {{out}}/links.csv"
    yield Case(
        "attack/pairs",
        (
            f"{first} --links {{out}}/links.csv",
            again,
            f"{again} --left original {BACK}",
            first.replace(" --json", ""),
            first.replace(" --truth in/mixed-map.csv", ""),
            f"{again} --formal",
        ),
    )
    apart = "link in/first.csv in/second.csv --truth person --seed 1 --json --attack structural"
    for name, options in STRUCTURAL.items():
        yield Case(f"link/structural-{name}", (f"{apart} {options}",), cost=2)
    review = f"{files} --p-link-unmatched 0.0001 --p-nonlink-matched 0.05"
    yield Case(
        "attack/review",
        (
            f"attack probabilistic {review} --review {{out}}/review.csv --links {{out}}/links.csv",
            f"attack probabilistic {review} --answers {{out}}/review.csv",
            f"attack probabilistic {review} --pair 3,5".replace(" --json", ""),
        ),
    )
    common = "link in/people.csv in/register.csv --truth person --seed 1"
    quick = "--starts 3 --controls 2"
    yield Case(
        "link/common",
        (
            f"{common} --json --links {{out}}/links.csv",
            common,
            f"{common} --json --attack distance --knows age,sex --confidence 0.5",
            f"{common} --json --attack rank --matching one-to-one --knows age,income",
        ),
    )
    yield Case(
        "link/blocks",
        (f"{common} --json --blocks sex", f"{common} --blocks sex,region --attack distance"),
    )
    yield Case(
        "link/chosen",
        (
            f"link in/first.csv in/second.csv --truth person --json --links {{out}}/l.csv {quick}",
            f"link in/first.csv in/second.csv --truth person --seed 1 {quick}",
            "link in/first.csv in/copies.csv --truth person --attack structural --method values "
            "--json",
        ),
        cost=10,
    )
