"""Keys recorded with error: the true counts are recovered, and the risk is that of true keys."""

import numpy as np
import polars as pl
import pytest

from unveil import Microdata, Schema, measures
from unveil.errors import UsageError
from unveil.measures.population.exposure import Change
from unveil.measures.population.grid import Grid
from unveil.measures.population.key_table import key_table
from unveil.measures.population.recorded_keys import RecordedKeys

SCHEMA = Schema(nominal=["a", "b"], quasi=["a", "b"])
SIZES = 40, 30


def people(n, seed=1):
    rng = np.random.default_rng(seed)
    a = np.minimum(rng.geometric(0.12, n) - 1, SIZES[0] - 1)
    b = np.minimum(rng.geometric(0.15, n) - 1, SIZES[1] - 1)
    return a, b


def errors_of(size, right=0.8):
    """A wrong value is the next one."""
    matrix = right * np.eye(size) + (1 - right) * np.roll(np.eye(size), 1, axis=1)
    return {str(i): {str(j): matrix[i, j] for j in np.flatnonzero(matrix[i])} for i in range(size)}


def sample(a, b):
    return Microdata(pl.DataFrame({"a": a.astype(str), "b": b.astype(str)}), SCHEMA)


def test_the_risk_is_that_of_records_that_are_right():
    """Against the truth: who is alone with the recorded key, and right, among F people."""
    values, truths, naive = [], [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        a, b = people(40_000)
        recorded = np.where(rng.random(len(a)) < 0.8, a, (a + 1) % SIZES[0])
        chosen = rng.permutation(len(a))[:4000]
        everybody, counts = np.unique(a * 100 + b, return_counts=True)
        size = dict(zip(everybody.tolist(), counts.tolist(), strict=True))
        keys, alone = np.unique(recorded[chosen] * 100 + b[chosen], return_counts=True)
        unique = set(keys[alone == 1].tolist())
        truths.append(
            sum(
                1 / size[key]
                for key, right in zip(
                    (recorded[chosen] * 100 + b[chosen]).tolist(),
                    (recorded[chosen] == a[chosen]).tolist(),
                    strict=True,
                )
                if key in unique and right
            )
        )
        file = sample(recorded[chosen], b[chosen])
        errors = {"a": errors_of(SIZES[0])}
        found = measures.population_model(file, fraction=0.1, errors=errors).estimates
        assert found.perturbed == ("a",)
        values.append(found.tau2.value)
        naive.append(measures.population_model(file, fraction=0.1).estimates.tau2.value)
    assert np.mean(values) == pytest.approx(np.mean(truths), rel=0.25)
    assert abs(np.mean(values) - np.mean(truths)) < abs(np.mean(naive) - np.mean(truths))


def test_true_counts_are_recovered():
    grid = Grid((4,))
    table = key_table(["a"], grid, [np.array([0, 1, 2, 3])], np.ones(4))
    matrix = np.array([[0.9, 0.1, 0, 0], [0, 0.8, 0.2, 0], [0, 0, 0.7, 0.3], [0.2, 0, 0, 0.8]])
    true = np.array([10.0, 40.0, 5.0, 25.0])
    keys = RecordedKeys(table, (Change((0,), matrix),))
    assert keys.true_people(matrix.T @ true) == pytest.approx(true, rel=1e-3)


def test_no_errors_change_nothing():
    a, b = people(2000)
    file = sample(a, b)
    same = {"a": {str(i): {str(i): 1.0} for i in set(a.tolist())}}
    with_errors = measures.population_model(file, fraction=0.1, errors=same).estimates
    without = measures.population_model(file, fraction=0.1).estimates
    assert with_errors.tau2.value == pytest.approx(without.tau2.value)


def test_bad_errors_are_refused():
    a, b = np.array([0, 1, 1]), np.array([0, 0, 1])
    good = {"0": {"0": 0.9, "1": 0.1}, "1": {"1": 1.0}}
    file = sample(a, b)
    assert measures.population_model(file, fraction=0.1, errors={"a": good}).estimates.n == 3
    for errors, said in (
        ({"c": good}, "not among the columns"),
        ({"a": {"0": {"0": 1.0}}}, "other categories"),
        ({"a": good | {"2": {"2": 1.0}}}, "other categories"),
        ({"a": good | {"0": {"0": 0.9, "1": 0.2}}}, "sum to 1"),
        ({"a": good | {"0": {"0": 1.1, "1": -0.1}}}, "sum to 1"),
    ):
        with pytest.raises(UsageError, match=said):
            measures.population_model(file, fraction=0.1, errors=errors)
