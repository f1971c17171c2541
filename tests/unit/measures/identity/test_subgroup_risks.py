"""The risk of subgroups: who is judged alone, who together, and who cannot be judged."""

import numpy as np
import polars as pl
import pytest

import unveil
from fixtures import audits
from unveil import Microdata, Policy, Schema, measures
from unveil.measures.identity.subgroup_risks import (
    POOLED,
    AttackedRecords,
    rare_records,
    subgroup_risks,
)
from unveil.values.results.risk import Interval
from unveil.workflows.auditing import attack_runs
from unveil.workflows.auditing.replay import replay

SIZES = {"a": 120, "b": 60, "c": 30, "d": 12, "e": 5, "f": 3}
N = sum(SIZES.values())
QUICK = {
    "attacks": ["distance"], "sweep": False, "remedies": False, "worst_case": False, "errors": (),
    "remask": 0,
}  # fmt: skip


def people():
    """Categories of 3 to 120 people; the schema names them all."""
    town = np.repeat([*SIZES], [*SIZES.values()])
    age = np.random.default_rng(1).normal(40, 10, N)
    schema = Schema(
        {
            "person": {"role": "identifier"},
            "town": {"role": "quasi", "labels": {name: name for name in SIZES}},
            "age": {"role": "quasi"},
        }
    )
    return Microdata(pl.DataFrame({"person": np.arange(N), "town": town, "age": age}), schema)


TOWNS = measures.subgroups(people(), ["town"])
EVERYBODY = np.arange(N)


def attacked(rows, *, risk=0.5, rare=(), name="distance"):
    """An attack on a sample of the people, and on rare ones."""
    risks = np.full(N, np.nan)
    risks[rows] = risk
    more = risks.copy()
    more[list(rare)] = risk
    return AttackedRecords(name, risks, more, EVERYBODY)


def found(*attacks):
    return {one.group: one for one in subgroup_risks(TOWNS, attacks).groups}


def test_categories_of_few_people_are_one_group():
    groups = found(attacked(EVERYBODY))
    assert {name: (one.n, one.small) for name, one in groups.items()} == {
        "a": (120, False), "b": (60, False), "c": (30, False), "d": (12, False),
        "fewer than 10 records each": (8, True),
    }  # fmt: skip


def test_a_group_of_whom_few_are_attacked_joins_the_rare_ones():
    in_c, in_d = np.arange(180, 190), np.arange(210, 215)
    groups = found(attacked([*in_c, *in_d, 0, 1, *range(120, 130)]))
    assert {name: (one.n, one.size) for name, one in groups.items()} == {
        "c": (10, 30), "b": (10, 60), POOLED: (7, 140)
    }  # fmt: skip
    assert groups[POOLED].small
    assert groups["c"].interval == measures.wilson(5, 10, 30)


def test_of_nobody_attacked_nothing_is_found():
    groups = found(attacked(np.arange(120), risk=0.0))
    assert (groups[POOLED].n, groups[POOLED].size, groups[POOLED].small) == (0, 110, True)
    assert (groups[POOLED].interval, groups[POOLED].highest) == (None, 0)
    result = subgroup_risks(TOWNS, [attacked(np.arange(120), risk=0.0)])
    assert result.highest.group == "a"


def test_who_is_attacked_in_full_counts_in_the_own_group_only():
    in_d, in_e_and_f = np.arange(210, 222), np.arange(222, 230)
    some = np.append(np.arange(0, 208, 4), 211)  # 7 in c
    groups = found(attacked(some, rare=(*in_d, *in_e_and_f)))
    assert (groups["d"].n, groups["d"].interval) == (12, None)
    assert (groups["a"].n, groups["a"].size) == (30, 120)
    assert groups["a"].interval == measures.wilson(15, 30, 120)
    assert (groups[POOLED].n, groups[POOLED].size, groups[POOLED].share) == (15, 38, 0.5)
    assert groups[POOLED].highest == pytest.approx((4 + 30 * measures.wilson(3.5, 7, 30).high) / 38)


def test_a_group_that_another_attack_judges_is_not_too_small():
    sampled = attacked(np.arange(180), name="rank")
    groups = found(sampled, attacked(EVERYBODY[:-8]))
    assert groups["c"].attack == groups["d"].attack == "distance"
    assert POOLED not in groups
    rare = groups["fewer than 10 records each"]
    assert (rare.n, rare.size, rare.small) == (0, 8, True)


def test_groups_of_the_same_name_stay_apart():
    """Two codes may have one label."""
    rows = pl.DataFrame({"town": ["a"] * 20 + ["b"] * 15})
    schema = Schema({"town": {"role": "quasi", "labels": {"a": "one", "b": "one"}}})
    towns = measures.subgroups(Microdata(rows, schema))
    risks = np.repeat([0.0, 1.0], [20, 15])
    every = AttackedRecords("distance", risks, risks, np.arange(35))
    assert [one.n for one in subgroup_risks(towns, [every]).groups] == [15, 20]


def test_the_rare_come_first_and_are_no_more_than_the_sample():
    sampled = np.arange(0, 180, 6)  # 30, none of them in c, d, e or f
    assert rare_records(TOWNS, sampled, EVERYBODY).tolist() == list(range(210, 230))
    assert len(rare_records(TOWNS, sampled[:12], EVERYBODY)) == 8
    assert not len(rare_records(TOWNS, EVERYBODY, EVERYBODY))


@pytest.fixture
def sampled(monkeypatch, tmp_path):
    """An audit of 40 of 230 people."""
    monkeypatch.setattr(attack_runs, "PILOT", 40)
    original, release = tmp_path / "o.csv", tmp_path / "r.csv"
    unveil.write(people(), original)
    unveil.write(people().take(np.random.default_rng(2).permutation(N)), release)
    given = QUICK | {"schema": people().schema, "truth": "person", "seconds": 1e-9}
    return audits.audit(original, release, policy=Policy(max_subgroup_risk=1.0), **given)


def test_a_sampled_audit_attacks_rare_categories_in_full(sampled):
    evidence = sampled.evidence
    for one in evidence.attacks:
        assert (one.risk.n, one.risk.population) == (40, N)
        assert 15 <= one.rare <= 40
    assert (~np.isnan(sampled.risks["distance original-to-release"])).sum() == 40
    towns = {one.group: one for one in evidence.subgroups.groups if one.column == "town"}
    assert (towns["d"].n, towns["d"].size, towns["d"].interval) == (12, 12, None)
    assert towns["a"].n < 40
    assert isinstance(towns["a"].interval, Interval)
    assert all(one.n for one in evidence.subgroups.groups)
    assert evidence.record_risks.n == 40


def test_the_verdict_names_those_too_few_to_judge(sampled):
    assert "too small to judge" not in sampled.verdict.limits[0].reason
    policy = Policy(max_subgroup_risk=1.0)
    exact = audits.audit(people(), people(), truth="person", policy=policy, **QUICK)
    limit = exact.verdict.limits[0]
    assert limit.kept
    assert limit.reason.endswith("; in groups too small to judge: 8 records by town")


def test_no_limit_is_broken_by_nobody(monkeypatch):
    """A sample of 30 has nobody of the smallest town."""
    monkeypatch.setattr(attack_runs, "PILOT", 30)
    release = people().to_frame().with_columns(pl.col("age", "town").shuffle(seed=1))
    given = QUICK | {"truth": "person", "seconds": 1e-9, "knows": ["age", "town"]}
    limits = Policy(max_subgroup_risk=0.5)
    result = audits.audit(people(), Microdata(release, people().schema), policy=limits, **given)
    assert result.verdict.passed, result.verdict.limits[0].reason
    assert all(one.n for one in result.evidence.subgroups.groups)


def test_a_replay_attacks_the_same_rare_categories(sampled, monkeypatch, tmp_path):
    monkeypatch.undo()
    assert replay(sampled.evidence, folder=tmp_path).same
