"""The step of an audit on the population: its keys, its work, its notes and its limits."""

import msgspec
import numpy as np
import polars as pl
import pytest

import unveil
from fixtures import audits
from unveil import Microdata, Policy, Schema
from unveil.errors import DataError
from unveil.reports.summary import summary
from unveil.support.phrases import plain
from unveil.workflows.auditing.policy.check import check_policy

QUICK = {
    "attacks": ["distance"], "sweep": False, "remedies": False, "worst_case": False,
}  # fmt: skip
N = 200
LIMITS = {"max_population_risk": 0.5, "max_expected_matches": 100.5}


def audit(policy=None, people=None, release=None, **more):
    people = unveil.households(N, seed=7) if people is None else people
    if release is None:
        release = people.select([name for name in people.columns if name != "person"])
    return audits.audit(people, release, truth=np.arange(N), policy=policy, **(QUICK | more))


def by_name(found):
    return {one.limit: one for one in found.verdict.limits}


def test_the_keys_are_those_of_the_register_else_of_k_anonymity():
    found = audit(knows=["sex", "region", "income"]).evidence.in_population
    assert (found.known, found.source) == (("sex", "region"), "register")  # income is confidential
    policy = Policy(k_anonymity={"k": 1, "keys": ["education", "sex"]})
    found = audit(policy).evidence.in_population
    assert (found.known, found.source) == (("education", "sex"), "policy")
    changed = Policy(intruder=[{"name": "register", "knows": ["occupation"], "max_linked": 1}])
    assert audit(changed).evidence.in_population.known == ("occupation",)


def test_the_upper_end_of_the_interval_counts():
    policy = Policy(**LIMITS, k_anonymity={"k": 1, "keys": ["region", "education"]})
    found = audit(policy)
    matches = found.evidence.in_population.of("log-linear").matches
    limits = by_name(found)
    assert limits["max_expected_matches"].found == matches.high > matches.value
    assert limits["max_population_risk"].found == pytest.approx(matches.high / N)
    assert limits["max_population_risk"].people == N
    assert limits["max_population_risk"].keys == ("region", "education")
    between = (matches.value + matches.high) / 2
    strict = msgspec.structs.replace(policy, max_expected_matches=between)
    assert not by_name_of(check_policy(strict, found.evidence))["max_expected_matches"].kept
    loose = msgspec.structs.replace(policy, max_expected_matches=matches.high)
    assert by_name_of(check_policy(loose, found.evidence))["max_expected_matches"].kept


def by_name_of(verdict):
    return {one.limit: one for one in verdict.limits}


def test_what_was_not_measured_is_not_kept():
    people = unveil.households(N, seed=7)
    unweighted = people.select([name for name in people.columns if name != "weight"])
    for limit in by_name(audit(Policy(**LIMITS), unweighted)).values():
        assert not limit.kept
        assert "no column has the role weight" in limit.reason
    found = audit(knows=["sex", "region"])
    other = Policy(**LIMITS, k_anonymity={"k": 1, "keys": ["sex"]})
    verdict = by_name_of(check_policy(other, found.evidence))
    assert "other keys" in verdict["max_population_risk"].reason
    older = msgspec.structs.replace(found.evidence, in_population=None)
    assert not check_policy(Policy(**LIMITS), older).passed


def test_a_limit_includes_the_model_that_little_work_leaves_out():
    little = {"seconds": 0.5, "knows": ["region", "age", "education", "occupation"]}
    found = audit(**little)
    assert found.evidence.in_population.model is None
    assert any("log-linear model of the population" in note for note in found.evidence.notes)
    assert check_policy(Policy(**LIMITS), found.evidence).passed is False
    assert audit(Policy(**LIMITS), **little).evidence.in_population.model is not None


def test_bad_weights_are_noted_and_no_weights_are_not():
    people = unveil.households(N, seed=7)
    schema = Schema(
        {name: people.schema[name] for name in people.columns if name != "weight"}
        | {"weight": {"role": "weight", "level": "numeric"}}
    )
    light = Microdata(people.to_frame().with_columns(weight=pl.lit(0.5)), schema)
    found = audit(people=light).evidence
    assert (found.population, found.sampling_fraction) == (None, None)
    assert any("below 1" in note for note in found.notes)
    unweighted = people.select([name for name in people.columns if name != "weight"])
    assert not any("population" in note for note in audit(people=unweighted).evidence.notes)


def test_a_synthetic_release_has_no_such_limit():
    people = unveil.households(N, seed=7)
    with pytest.raises(DataError, match="max_population_risk: the release is synthetic"):
        audits.audit(
            people, people, truth="none", policy=Policy(max_population_risk=0.1),
            sweep=False, remedies=False, worst_case=False,
        )  # fmt: skip
    made = audits.audit(people, people, truth="none", sweep=False, remedies=False, worst_case=False)
    assert made.evidence.in_population is None


def test_the_verdict_says_what_the_figures_are_of():
    policy = Policy(max_population_risk=0, max_expected_matches=0)
    found = audit(policy, knows=["region", "sex", "age"])
    rows = summary(found.evidence)["limits"].exhibits[0].table.rows
    share, people = ([plain(cell) for cell in row] for row in rows)
    assert share[1] == "max-population-risk of region, sex, age"
    assert "%" in share[4]
    assert share[3] == "0 of 200"
    assert "%" not in people[4]
    assert "correct matches of 200 records are expected" in people[6]
