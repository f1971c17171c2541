"""The risk in the population, as its law says."""

import math
from collections import defaultdict
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

import naive.disclosure as naive
import unveil
from strategies.examples import examples
from unveil import Microdata, Schema, measures
from unveil.errors import DataError, UsageError
from unveil.measures.disclosure.population import LARGEST_SMALL_CLASS, expected_inverse

SCHEMA = Schema(quasi=["a", "b"], nominal=["a", "b"], weight="w", household="h")


def sample(a, w, b=None, h=None):
    columns = {"a": a, "b": b or ["x"] * len(a), "w": w, "h": h or list(range(len(a)))}
    return Microdata(pl.DataFrame(columns, strict=False), SCHEMA)


def one(f, p):
    return float(expected_inverse(np.array([f]), np.array([p]))[0])


@examples(1 / 4)
@given(st.integers(1, 60), st.floats(0.02, 1))
def test_it_is_the_mean_of_one_over_f(f, p):
    assert one(f, p) == pytest.approx(naive.mean_of_inverse(f, p), rel=1e-9)


@pytest.mark.parametrize("p", [1e-7, 1e-3, 0.2, 0.499999, 0.5, 0.9, 0.999999, 1.0])
@pytest.mark.parametrize("f", [1, 2, 3, LARGEST_SMALL_CLASS, LARGEST_SMALL_CLASS + 1, 200, 10**6])
def test_it_is_the_integral(f, p):
    def under(s):
        return math.exp(-s) * p / (p + (1 - p) * math.exp(-s / f))

    ends = (0, 1, 5, 20, 80, 300)
    parts = [quad(under, a, b, epsabs=0, epsrel=1e-12)[0] for a, b in pairwise(ends)]
    assert one(f, p) == pytest.approx(sum(parts) / f, rel=1e-11)


def test_the_textbook_formulas():
    for p in (0.001, 0.1, 0.4, 0.7):
        odds = p / (1 - p)
        assert one(1, p) == pytest.approx(odds * math.log(1 / p))
        assert one(2, p) == pytest.approx(odds - odds**2 * math.log(1 / p))
    assert one(7, 1.0) == pytest.approx(1 / 7)


def test_by_hand():
    data = sample(["q", "r", "r", None], [10, 1, 1.5, 1], h=[1, 1, 2, None])
    risks = measures.individual_risk(data, ["a"], "w")
    assert risks.tolist() == pytest.approx([one(1, 0.1), *[one(2, 0.8)] * 2, 1.0])
    found = measures.population_risk(data)
    assert (found.columns, found.weight, found.n) == (("a", "b"), "w", 4)
    assert found.population == 13.5
    assert found.sampling_fraction == pytest.approx(4 / 13.5)
    assert found.expected == pytest.approx(sum(risks))
    assert found.share == pytest.approx(sum(risks) / 4)
    assert found.highest == 1
    assert found.uniques == 2
    assert found.population_uniques == pytest.approx(0.1 + 1)
    assert [(one.threshold, one.records) for one in found.above] == [(0.01, 4), (0.05, 4), (0.1, 4)]
    homes = naive.at_least_one(risks, [1, 1, 2, -1])
    assert found.households.n == 3
    assert found.households.expected == pytest.approx(sum(homes))
    assert found.households.persons == pytest.approx(2 * homes[0] + homes[1] + homes[2])


@examples(1 / 4)
@given(
    st.lists(
        st.tuples(st.sampled_from("qr"), st.sampled_from("xy"), st.floats(1, 50)),
        min_size=1,
        max_size=12,
    ),
    st.randoms(),
)
def test_it_is_its_twin_in_any_order_of_the_rows(rows, random):
    data = sample([r[0] for r in rows], [r[2] for r in rows], [r[1] for r in rows])
    people = defaultdict(list)
    for a, b, w in rows:
        people[a, b].append(w)
    expected = [
        naive.mean_of_inverse(f := len(people[a, b]), min(f / sum(people[a, b]), 1.0))
        for a, b, _ in rows
    ]
    assert measures.individual_risk(data, ["a", "b"], "w") == pytest.approx(expected, rel=1e-8)
    order = list(range(len(rows)))
    random.shuffle(order)
    assert measures.population_risk(data.take(order)) == measures.population_risk(data)


def test_what_is_not_there():
    people = unveil.households(30)
    assert measures.population_risk(people.select(["age", "sex"])) is None
    assert measures.population_risk(people.select(["rent", "weight"])) is None
    assert measures.population_risk(people.select(["age", "weight"])).households is None
    for bad in ([1, 0.5], [1, None], [1, -3]):
        with pytest.raises(DataError, match="below 1 in 1 record"):
            measures.population_risk(sample(["q", "r"], bad))
    twice = Microdata(people.to_frame(), Schema(weight=["weight", "rent"], quasi="age"))
    with pytest.raises(UsageError, match="name one of"):
        measures.population_risk(twice)
    with pytest.raises(UsageError, match="thresholds"):
        measures.population_risk(people, thresholds=[2])
