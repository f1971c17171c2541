"""One small plan for every mask and every choice of its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gate.case import Case

if TYPE_CHECKING:
    from collections.abc import Iterator

N = ["age", "hours", "income", "tax"]
C = ["region", "sex", "education"]
K = ["region", "sex", "education", "age"]
EVEN = [[0.8, 0.2], [0.3, 0.7]]
GROUPS = [{"columns": ["age", "income"], "k": 3}, {"columns": ["hours", "tax"], "k": 5}]
L2 = {"model": "l-diversity", "l": 2}

Steps = list[dict[str, Any]]


def _each(method: str, **choices: dict[str, Any]) -> dict[str, Steps]:
    return {f"{method}-{name}": [{"method": method, **how}] for name, how in choices.items()}


PLANS: dict[str, Steps] = {
    **_each("additive-noise", plain={"scale": 0.2, "columns": N},
            real={"scale": 0.2, "columns": N, "keep_type": False}),
    **_each("correlated-noise", plain={"scale": 0.3, "columns": N},
            real={"scale": 0.3, "columns": N, "keep_type": False}),
    **_each("multiplicative-noise", plain={"scale": 0.3, "columns": N}),
    **_each("rank-swapping", plain={"p": 5, "columns": N}, all={"p": 15},
            named={"p": 5, "columns": N, "name": "swapped"}),
    **_each("distribution-swapping", table={"p": 5, "columns": N},
            text={"p": 5, "columns": N, "reading": "text"}),
    **_each("rank-permutation", plain={"p": 5, "columns": N}),
    **_each("individual-ranking", plain={"k": 4, "columns": N},
            real={"k": 4, "columns": N, "keep_type": False}),
    **_each("microaggregation", mdav={"k": 4, "columns": N}, mixed={"k": 4},
            v_mdav={"k": 4, "columns": N, "algorithm": "v-mdav"},
            gamma={"k": 4, "columns": N, "algorithm": "v-mdav", "gamma": 1.1},
            optimal={"k": 4, "columns": ["income"], "algorithm": "optimal"},
            groups={"groups": GROUPS}, raw={"k": 4, "columns": N, "standardise": False},
            real={"k": 4, "columns": N, "keep_type": False}),
    **_each("anti-unification", plain={"k": 3, "columns": K},
            few_first={"k": 3, "columns": K, "order": "<>"},
            wildcard={"k": 3, "columns": K, "unknown": "wildcard"},
            stars={"k": 3, "columns": K, "stars": 3, "by_confidential": False},
            models={"k": 3, "columns": K, "models": [L2], "by_confidential": False},
            groups={"groups": [{"columns": C, "k": 3}, {"columns": ["age", "hours"], "k": 2}]}),
    **_each("mondrian", ranges={"k": 4}, relaxed={"k": 4, "relaxed": True},
            means={"k": 4, "cells": "means"}, stars={"k": 4, "cells": "stars"},
            diverse={"k": 3, "models": [L2]},
            close={"k": 3, "columns": K, "models": [{"model": "t-closeness", "t": 0.4}]},
            alpha={"k": 3, "columns": K, "models": [
                {"model": "alpha-k-anonymity", "alpha": 0.6, "k": 3, "columns": ["rent"]}]},
            household={"k": 2, "columns": K, "unit": "household"}),
    **_each("local-suppression", value={"k": 3, "columns": K},
            wildcard={"k": 3, "columns": K, "stars": "wildcard"},
            importance={"k": 3, "columns": K, "importance": {"age": 5.0, "sex": 0.5}},
            diverse={"k": 2, "columns": C, "models": [L2]},
            household={"k": 2, "columns": C, "unit": "household"}),
    **{f"full-domain-{loss}": [{"method": "full-domain", "k": 3, "columns": K, "loss": loss,
                                "suppress": 0.05}]
       for loss in ("value-set", "precision", "height", "discernibility", "class-size")},
    **_each("full-domain", strict={"k": 3, "columns": C},
            hierarchies={"k": 3, "columns": K, "suppress": 0.1,
                         "hierarchies": {"age": {"intervals": [10, 20, 40]}}},
            no_star={"k": 2, "columns": ["sex", "age"], "star": False, "suppress": 0.3}),
    **_each("top-coding", categories={"categories": 2, "columns": ["education", "age"]},
            order={"categories": 1, "columns": ["sex"], "order": ["male", "female"]},
            threshold={"threshold": 60, "columns": ["age"]},
            share={"share": 0.1, "columns": N}),
    **_each("bottom-coding", categories={"categories": 2, "columns": ["education", "age"]},
            threshold={"threshold": 20, "columns": ["age"]},
            share={"share": 0.1, "columns": N}),
    **_each("global-recoding",
            groups={"columns": ["region"], "groups": {"coast": ["Northport", "Lakeside"]}},
            rarest={"columns": ["region", "occupation"], "rarest": 3},
            label={"columns": ["occupation"], "rarest": 3, "label": "other"},
            width={"columns": ["age", "hours"], "intervals": 10},
            bounds={"columns": ["age"], "intervals": [18, 30, 65]}),
    **_each("pram", invariant={"theta": 0.2, "columns": C},
            plain={"theta": 0.2, "columns": C, "invariant": False},
            matrix={"columns": ["sex"], "matrix": EVEN, "categories": ["male", "female"],
                    "invariant": False}),
    **_each("rounding", plain={"base": 500, "columns": ["income", "tax"]}),
    **_each("record-swapping", at_risk={"geography": ["region"], "keys": ["sex", "education"]},
            share={"geography": ["region"], "keys": ["sex", "age"], "k": 5, "share": 0.2,
                   "similar": [["sex"], []]}),
    **_each("repair", plain={"share": 0.1, "k": 4, "columns": [*C, *N]},
            alone={"share": 0.2, "cover": 0, "k": 3, "columns": N, "keep_type": False}),
    **_each("sampling", share={"share": 0.4}, records={"records": 100}),
    **_each("shuffle", plain={}),
    **_each("synthesis", trees={}, leaf={"leaf": 20, "columns": [*C, *N], "records": 150},
            copula={"model": "copula"}),
    "chain": [
        {"method": "sampling", "share": 0.8},
        {"method": "global-recoding", "columns": ["occupation"], "rarest": 3},
        {"method": "top-coding", "columns": ["age"], "share": 0.05},
        {"method": "microaggregation", "columns": ["income", "tax"], "k": 3},
        {"method": "rank-swapping", "columns": ["hours", "savings"], "p": 8},
        {"method": "pram", "columns": ["sex", "region"], "theta": 0.1},
        {"method": "rounding", "columns": ["rent"], "base": 100},
    ],
}  # fmt: skip
PSEUDONYMS: Steps = [
    {"method": "pseudonymisation", "key_file": "in/key.bin"},
    {"method": "rounding", "columns": ["rent"], "base": 100},
]
MASK = "mask in/people.csv --schema in/people.toml --plan {out}/plan.toml --seed 3"


def cases() -> Iterator[Case]:
    """Each plan: the masked file, the row map, the schema, and the printed result."""
    for name, plan in PLANS.items():
        known = "" if name.startswith("synthesis") else " --row-map {out}/map.csv"
        yield Case(
            f"mask/{name}",
            (f"{MASK} -o {{out}}/release.csv --write-schema {{out}}/schema.toml{known} --json",),
            plan=plan,
        )
    release, overlapping = " -o {out}/release.csv", {"order": "<", "assignment": "overlapping"}
    for name, out, how in (("beside", release, {}), ("instead", "", overlapping)):
        step = {"method": "anti-unification", "k": 3, "columns": K, "by_confidential": False}
        command = f"{MASK} --patterns {{out}}/patterns.csv{out}"
        commands = (f"{command} --json", f"{command} --force")
        yield Case(f"mask/patterns-{name}", commands, plan=[step | how])
    pseudonyms = f"{MASK} --allow in/key.bin -o {{out}}/release.csv --row-map {{out}}/map.csv"
    yield Case("mask/pseudonymisation", (f"{pseudonyms} --json",), plan=PSEUDONYMS)
    yield Case(
        "mask/chain-printed",
        (f"{MASK} -o {{out}}/release.csv --keep-order --row-map {{out}}/map.csv",),
        plan=PLANS["chain"],
    )
