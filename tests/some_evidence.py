"""Evidence made up for tests: what a test says of it, and else what is plain and empty."""

from __future__ import annotations

from functools import cache

import msgspec
from msgspec import inspect

import unveil
from unveil.data.aligned import Aligned
from unveil.data.audit import FORMAT, Evidence, Finding, Input
from unveil.data.disclosure import Inside, IntervalCurve, IntervalDisclosure, Unchanged
from unveil.data.exposure import GroupRisk, Subgroups
from unveil.data.loss import Loss, Measured
from unveil.data.policy import Limit, Verdict
from unveil.data.risk import Risk

PLAIN = {
    inspect.BoolType: False,
    inspect.DictType: {},
    inspect.FloatType: 0.0,
    inspect.IntType: 0,
    inspect.StrType: "",
    inspect.VarTupleType: (),
}


def made(kind, /, **given):
    """A struct of which only some fields matter: the others are empty, zero or none."""
    fields = {field.name: _plain(field.type) for field in msgspec.structs.fields(kind)}
    assert set(given) <= set(fields), set(given) - set(fields)
    return kind(**fields | given)


def _plain(kind):
    info = inspect.type_info(kind)
    if isinstance(info, inspect.Metadata):  # a type and what it means
        info = info.type
    if isinstance(info, inspect.StructType):
        return made(info.cls)
    return None if isinstance(info, inspect.UnionType) else PLAIN[type(info)]


def finding(name="distance", share=0.1, *, n=100, direction="original-to-release", **risk):
    """What one attack found."""
    numbers = {"n": n, "share": share, "expected": share * n, "ceiling": n / 2, "population": n}
    own = made(Risk, attack=name, direction=direction, **numbers | risk)
    top = {"share": [share] * 10, "n": n, "population": n}
    at_risk = {"above": share, "highest": 1.0, "mean": share, "threshold": 0.2}
    return made(Finding, name=name, risk=own, top=top, at_risk=at_risk)


def evidence(
    release="release.csv", *, risk=0.1, loss=0.2, subgroup=None, inside=None, original="00", **given
):
    """The evidence of one release; without a risk nobody was attacked."""
    top = None if subgroup is None else made(GroupRisk, share=subgroup)
    curves = tuple(
        IntervalCurve(column=name, n=100, by_rank=(Inside(10.0, share, 0.2),), by_deviation=())
        for name, share in (inside or {}).items()
    )
    overall = made(Measured, name="overall", value=loss, worst=1.0)
    whole = {
        "format": FORMAT,
        "version": "1",
        "inputs": {
            "original": Input(file="survey.csv", sha256=original, records=100),
            "release": Input(file=release, sha256="11", records=100),
        },
        "records": 100,
        "known": ("age", "income"),
        "attacks": () if risk is None else (finding(share=risk),),
        "loss": made(Loss, overall=overall, columns=given.pop("columns", ("age",))),
        "unchanged": made(Unchanged, unchanged=given.pop("unchanged", ())),
        "intervals": made(IntervalDisclosure, attributes=curves) if curves else None,
        "subgroups": None if top is None else made(Subgroups, highest=top),
    }
    return made(Evidence, **whole | given)


def verdict(*, passed):
    """Whether one limit is kept."""
    limit = Limit(limit="max_risk", allowed=0.05, found=0.1, kept=passed, reason="")
    return Verdict(passed=passed, limits=(limit,))


@cache
def some_loss():
    """What was lost by nobody in particular: for tests that are not about it."""
    people = unveil.households(30)
    return unveil.measures.loss(Aligned(people, people, None))
