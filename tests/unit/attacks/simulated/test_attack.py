"""Linkage learnt from simulation: what it chooses, tells and refuses."""

import logging

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Intruder, Microdata, Schema, attacks, masks, measures
from unveil.errors import SpecError, UsageError

NUMBERS = ["income", "rent", "savings", "tax"]
FEW = attacks.Simulated(simulations=5)


def blur(values, rng):
    return values + rng.laplace(0, 0.05 * values.std() + 0.2 * np.abs(values))


def keep_some(values, rng):
    """Most cells stay; the others are anybody's."""
    return np.where(rng.random(len(values)) < 0.7, values, rng.permutation(values))


def numbers_of(frame):
    return Microdata(frame, Schema(quasi=frame.columns, numeric=frame.columns))


def people(n=200):
    return numbers_of(unveil.households(n, seed=7).to_frame("polars").select(NUMBERS))


def masked(data, function=blur, seed=1, **step):
    return unveil.mask(
        data, [masks.Function(function=function, channel="unknown", **step)], seed=seed
    )


def attack(data, release, spec=FEW, **intruder):
    return unveil.attack(data, release, spec, intruder=Intruder(knows=data.columns, **intruder))


def test_an_own_function_is_learnt():
    data = people()
    release = masked(data)
    found = attack(data, release)
    details = found.finder.details
    assert details["chosen"] == "learnt"
    assert details["held_out"]["learnt"] > details["held_out"]["tailored"]
    assert (details["learnt_from"], details["calibrated"]) == (4, True)
    known = attack(data, release, attacks.Tailored(matching="posterior"))
    assert measures.risk(found).share > measures.risk(known).share + 0.03


def test_a_formula_that_links_as_many_stays():
    data = people()
    release = unveil.mask(data, [masks.MultiplicativeNoise(scale=0.3)], seed=1)
    found = attack(data, release, attacks.Simulated())
    assert found.finder.details["chosen"] == "tailored"
    known = attack(data, release, attacks.Tailored(matching="posterior"))
    assert found.rank_of_truth.n_closer.tolist() == known.rank_of_truth.n_closer.tolist()


def test_cells_that_stay_are_evidence_which_bins_do_not_show():
    rng = np.random.default_rng(5)
    data = numbers_of(pl.DataFrame({name: rng.normal(size=500) for name in "ab"}))
    release = masked(data, keep_some)
    found = attack(data, release)
    assert measures.risk(found).share > 0.8


def test_the_same_seed_gives_the_same_links():
    data = people(80)
    release = masked(data)
    first, second = (attack(data, release).score for _ in range(2))
    assert first.tolist() == second.tolist()


def test_an_intruder_with_some_of_the_people():
    data = people()
    release = masked(data)
    found = attack(data, release, records=0.3)
    assert len(found) == 60
    assert found.finder.details["chosen"] in ("learnt", "tailored")


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_records(n):
    data = numbers_of(pl.DataFrame({"a": [1.0, 5.0, 9.0][:n], "b": [2.0, 2.0, 2.0][:n]}))
    found = attack(data, masked(data, lambda values, rng: values + rng.normal(size=len(values))))
    assert len(found) == n


def test_columns_of_one_value_and_of_none():
    frame = (
        people(60).to_frame("polars").with_columns(tax=pl.lit(3.0), rent=pl.lit(None, pl.Float64))
    )
    data = numbers_of(frame)
    found = attack(data, masked(data, columns=["income", "savings", "tax"]))
    assert measures.risk(found).share > 1 / 60


def test_tied_values():
    data = numbers_of(pl.DataFrame({"a": [0.0, 0.0, 0.0, 1.0] * 20, "b": [2.0, 3.0] * 40}))
    found = attack(data, masked(data, lambda values, rng: rng.permutation(values)))
    assert measures.risk(found).share <= measures.risk(found).ceiling / measures.risk(found).n


def test_enormous_numbers():
    data = numbers_of(pl.DataFrame({"a": np.linspace(-1e149, 1e149, 50), "b": np.arange(50.0)}))
    found = attack(data, masked(data, lambda values, rng: rng.permutation(values)))
    assert np.isfinite(found.score).any()


def test_without_a_plan():
    data = people(30)
    release = masked(data)
    with pytest.raises(UsageError, match="plan"):
        unveil.attack(data, release.data, FEW, truth=release.row_map)


def test_a_function_that_cannot_be_run_again():
    data, calls = people(30), []

    def once(values, rng):
        calls.append(0)
        if len(calls) > len(NUMBERS):
            raise RuntimeError
        return values + rng.normal(size=len(values))

    release = masked(data, once)
    with pytest.raises(UsageError, match="cannot be run again"):
        attack(data, release)


def test_how_often_the_plan_is_run_is_told_before(caplog):
    data, calls = people(30), []

    def noted(values, rng):
        calls.append(len(caplog.records))
        return values + rng.normal(size=len(values))

    release = masked(data, noted)
    calls.clear()
    with caplog.at_level(logging.INFO, "unveil"):
        attack(data, release)
    assert "the plan is run 5 times" in caplog.text
    assert min(calls) > 0


def test_too_few_simulations():
    with pytest.raises(SpecError, match="simulations"):
        attacks.Simulated(simulations=2)


def test_several_releases():
    data = people(30)
    frame = data.to_frame("polars").with_columns(key=pl.int_range(pl.len()).cast(pl.String))
    keyed = Microdata(frame, Schema(other=["key"], nominal=["key"], quasi=NUMBERS, numeric=NUMBERS))
    several = [
        unveil.mask(keyed, [masks.AdditiveNoise(scale=0.1, columns=NUMBERS)], seed=seed)
        for seed in (1, 2)
    ]
    with pytest.raises(UsageError, match="several releases"):
        unveil.attack(keyed, unveil.Releases(several, key="key"), FEW)


def test_work_and_memory_grow_with_the_simulations():
    few, many = attacks.Simulated(simulations=3), attacks.Simulated(simulations=30)
    assert few.work(1000, 1000, 5, numeric=True) < many.work(1000, 1000, 5, numeric=True)
    assert few.memory(1000, 1000, 5) < many.memory(1000, 1000, 5)


def test_an_audit_makes_it_where_there_is_no_formula():
    data = people(100)
    settings = unveil.AuditSettings(
        sweep=False, remedies=False, worst_case=False, errors=(), remask=0
    )
    found = {}
    for name, plan in {
        "own": [masks.Function(function=blur, channel="unknown")],
        "pipeline": [masks.RankSwapping(p=10), masks.AdditiveNoise(scale=0.1)],
        "noise": [masks.AdditiveNoise(scale=0.1)],
    }.items():
        evidence = unveil.audit(data, unveil.mask(data, plan, seed=1), settings=settings).evidence
        found[name] = {one.name for one in evidence.attacks}
    assert "simulated" in found["own"] & found["pipeline"]
    assert "simulated" not in found["noise"]
