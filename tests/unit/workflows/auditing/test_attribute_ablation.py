"""Which attributes carry the risk: files in which that is known."""

import numpy as np
import polars as pl
import pytest

import unveil
from fixtures import audits
from fixtures import evidence as some_evidence
from unveil import Intruder, Microdata, Schema, attacks, masks, measures
from unveil.workflows.auditing import attribute_ablation, sampled_attack
from unveil.workflows.auditing.inputs import read_inputs
from unveil.workflows.auditing.settings import AuditSettings

N = 120
QUICK = {
    "attacks": ["distance"], "errors": (), "remask": 0, "remedies": False, "worst_case": False,
}  # fmt: skip


def tables(noise, n=N):
    """Numbers, each with as much noise as is said, as they are and as they are released."""
    rng, names = np.random.default_rng(3), list(noise)
    own = {name: rng.normal(size=n) for name in names}
    spoilt = {name: own[name] + noise[name] * rng.normal(size=n) for name in names}
    return [Microdata(pl.DataFrame(one), Schema(quasi=names)) for one in (own, spoilt)]


@pytest.fixture(autouse=True)
def _free(monkeypatch):
    """What is lost takes longest, and is not looked at."""
    loss = some_evidence.some_loss()
    monkeypatch.setattr("unveil.measures.loss", lambda *_, **__: loss)


def risks(before, after, **options):
    given = {"truth": np.arange(len(before))} | QUICK | options
    return audits.audit(before, after, **given).evidence.attribute_risks


def test_without_the_attribute_that_tells_all_nothing_is_told():
    found = risks(*tables({"useless": 50, "telling": 1e-4, "empty": 50}))
    assert found.share > 0.9  # though the others spoil it: who knows more may ignore it
    assert found.without[0].attribute == "telling"
    assert found.without[0].share < 0.1
    assert all(one.share > 0.9 for one in found.without[1:])
    assert found.attack == "distance-knowing-1"
    assert (found.n, found.among) == (N // 2, N)
    for one in (found, *found.without):
        assert one.interval.low <= one.share <= one.interval.high


def test_each_share_is_that_of_the_attack_without_it():
    before, after = tables({"a": 0.2, "b": 0.4, "c": 0.3, "d": 0.2})
    found = risks(before, after, seed=3)
    inputs = read_inputs(before, after, None, np.arange(N), AuditSettings(), 3)
    _, people = sampled_attack.split_people(inputs.scenario)

    def alone(*knows):
        intruder = Intruder(knows=knows, direction=found.direction)
        links = unveil.attack(
            before, after, attacks.Distance(), intruder=intruder, truth=np.arange(N), seed=3
        )
        return np.sort(measures.hits(links)[people]).mean()  # rows are those of the people

    assert found.attack == "distance"
    assert found.share == alone("a", "b", "c", "d")
    assert {one.attribute: one.share for one in found.without} == {
        name: alone(*(other for other in "abcd" if other != name)) for name in "abcd"
    }
    shares = [one.share for one in found.without]
    assert shares == sorted(shares)
    assert shares[0] < found.share


def test_it_takes_two_attributes_and_somebody_who_is_there():
    before, after = tables({"a": 0.1, "b": 0.1})
    assert risks(before, after, knows=["a"]) is None
    assert risks(before, after, sweep=False) is None
    synthetic = unveil.mask(before, [masks.Synthesis()], seed=1)
    assert audits.audit(before, synthetic, errors=()).evidence.attribute_risks is None
    assert len(risks(before, after).without) == 2


def test_of_many_attributes_the_worst_are_left_out(monkeypatch):
    monkeypatch.setattr(attribute_ablation, "LEFT_OUT", 3)
    files = tables({"a": 9, "b": 0.3, "c": 0.2, "d": 9, "e": 0.2})
    evidence = audits.audit(*files, truth=np.arange(N), **QUICK).evidence
    chosen = evidence.knowledge.steps[-1].attributes[:3]
    assert {one.attribute for one in evidence.attribute_risks.without} == set(chosen)


@pytest.mark.parametrize("attack", ["distance", "probabilistic"])
def test_in_large_files_it_is_among_some(monkeypatch, attack):
    if attack == "distance":
        monkeypatch.setattr(attribute_ablation, "ALL_CANDIDATES", N)
        monkeypatch.setattr(sampled_attack, "CANDIDATES", 80)
    monkeypatch.setattr(sampled_attack, "COSTLY_CANDIDATES", 80)
    before, after = tables({"a": 0.2, "b": 0.4, "c": 0.3})
    found = risks(before, after, attacks=[attack])
    assert (found.n, found.among) == (N // 2, 80)
    order = np.random.default_rng(1).permutation(N)
    assert risks(before.take(order), after, truth=np.argsort(order), attacks=[attack]) == found
