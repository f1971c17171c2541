"""Operators and indices equal their definitions, and behave as aggregation should."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.aggregation as naive
from strategies.examples import examples
from unveil.aggregation.indices import (
    banzhaf,
    from_moebius,
    interaction,
    interactions,
    moebius,
    shapley,
)
from unveil.aggregation.measure import FuzzyMeasure
from unveil.aggregation.operators import choquet, owa, sugeno, symmetric_sugeno, weighted_mean
from unveil.aggregation.quantifiers import Quantifier, published_quantifiers

few = examples(1 / 2)
units = st.sampled_from([0.0, 0.25, 0.5, 1.0]) | st.floats(0, 1)
numbers = st.sampled_from([-1.0, 0.0, 1.0, 3.0]) | st.floats(-1e6, 1e6)
weights = st.lists(st.floats(0, 9), min_size=1, max_size=5).map(lambda w: [w[0] + 1, *w[1:]])
anchored = st.one_of(
    st.builds(Quantifier, st.just("exponent"), st.floats(0.01, 50)),
    st.builds(Quantifier, st.just("sigmoid"), units),
    st.builds(Quantifier, st.just("threshold"), st.floats(0, 0.99)),
    st.sampled_from(published_quantifiers("exponent") + published_quantifiers("threshold")),
)
quantifiers = anchored | st.sampled_from(published_quantifiers("sigmoid"))


@st.composite
def measures(draw, least=1, most=5):
    """What each set adds to the heaviest set inside it, scaled to 1."""
    n = draw(st.integers(least, most))
    added = draw(st.lists(units, min_size=1 << n, max_size=1 << n))
    values = [0.0] * (1 << n)
    for chosen in range(1, 1 << n):
        inside = (chosen & ~(1 << i) for i in range(n) if chosen >> i & 1)
        values[chosen] = (
            max(values[s] for s in inside) + added[chosen] + (chosen == len(values) - 1)
        )
    return FuzzyMeasure(np.array(values) / values[-1])


@st.composite
def measured(draw, cells=numbers, **sizes):
    measure = draw(measures(**sizes))
    rows = st.lists(cells, min_size=len(measure), max_size=len(measure))
    return measure, np.array(draw(st.lists(rows, min_size=1, max_size=3)))


records = st.integers(1, 9).flatmap(
    lambda n: st.lists(st.lists(numbers, min_size=n, max_size=n), min_size=1, max_size=4)
)
unit_records = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.lists(units, min_size=n, max_size=n), min_size=1, max_size=4)
)


def near(expected):
    expected = np.asarray(expected, dtype=float)
    return pytest.approx(expected, rel=1e-9, abs=1e-9 * max(1.0, np.nanmax(np.abs(expected))))


@few
@given(measured())
def test_integrals_equal_their_definitions(drawn):
    measure, rows = drawn
    assert choquet(rows, measure) == near([naive.choquet(row, measure.values) for row in rows])
    assert sugeno(rows, measure).tolist() == [naive.sugeno(row, measure.values) for row in rows]


@given(records, quantifiers)
def test_symmetric_operators_equal_their_definitions(rows, quantifier):
    assert owa(rows, quantifier) == near([naive.owa(row, quantifier) for row in rows])
    expected = [naive.symmetric_sugeno(row, quantifier) for row in rows]
    assert symmetric_sugeno(rows, quantifier).tolist() == expected


@given(records, anchored)
def test_symmetric_operators_are_integrals_of_a_symmetric_measure(rows, quantifier):
    measure = FuzzyMeasure.symmetric(quantifier.by_size(len(rows[0])))
    assert owa(rows, quantifier) == near(choquet(rows, measure))
    assert symmetric_sugeno(rows, quantifier) == near(sugeno(rows, measure))


@given(unit_records, st.floats(0, 0.99) | st.sampled_from([k / 10 for k in range(10)]))
def test_thresholds_take_one_of_the_values_by_either_operator(rows, alpha):
    quantifier = Quantifier("threshold", alpha)
    assert (owa(rows, quantifier) == symmetric_sugeno(rows, quantifier)).all()


@few
@given(weights, st.data())
def test_a_weighted_mean_is_the_choquet_integral_of_an_additive_measure(each, data):
    row = data.draw(st.lists(numbers, min_size=len(each), max_size=len(each)))
    assert weighted_mean(row, each) == near(choquet(row, FuzzyMeasure.additive(each)))


def operators_of(measure, quantifier, each):
    """All that aggregate n attributes; those of Sugeno want values from 0 to 1."""
    return {
        "weighted": lambda rows: weighted_mean(rows, each),
        "owa": lambda rows: owa(rows, quantifier),
        "choquet": lambda rows: choquet(rows, measure),
        "sugeno": lambda rows: sugeno(rows, measure),
        "symmetric sugeno": lambda rows: symmetric_sugeno(rows, quantifier),
    }


@few
@given(measured(cells=units, least=2), anchored, st.data())
def test_operators_are_idempotent_monotone_and_between_least_and_greatest(drawn, quantifier, data):
    measure, rows = drawn
    each = data.draw(st.lists(st.floats(0.1, 9), min_size=len(measure), max_size=len(measure)))
    more = np.maximum(rows, data.draw(units))
    same = np.broadcast_to(rows[:, :1], rows.shape)
    for name, operator in operators_of(measure, quantifier, each).items():
        found = operator(rows)
        assert operator(same) == near(rows[:, 0]), name
        assert (found <= operator(more) + 1e-9).all(), name
        assert (found >= rows.min(axis=1) - 1e-9).all(), name
        assert (found <= rows.max(axis=1) + 1e-9).all(), name


@given(records, quantifiers, st.randoms())
def test_the_order_of_attributes_means_nothing_to_symmetric_operators(rows, quantifier, random):
    rows = np.array(rows)
    order = random.sample(range(rows.shape[1]), rows.shape[1])
    for operator in (owa, symmetric_sugeno):
        assert (operator(rows, quantifier) == operator(rows[:, order], quantifier)).all()


@given(records, quantifiers, weights, st.data())
def test_a_record_is_projected_on_what_it_has(rows, quantifier, each, data):
    rows = np.array(rows)
    there = np.array(data.draw(st.lists(st.booleans(), min_size=rows.size, max_size=rows.size)))
    there = there.reshape(rows.shape)
    each = np.resize(each, rows.shape[1])
    gaps = np.where(there, rows, np.nan)
    for operator, how in ((owa, quantifier), (symmetric_sugeno, quantifier), (weighted_mean, each)):
        found = operator(gaps, how, present=there)
        for row, has, one in zip(rows, there, found, strict=True):
            mean = operator is weighted_mean
            if (each[has] > 0).any() if mean else has.any():
                assert one == near(operator(row[has], each[has] if mean else quantifier))
            else:
                assert np.isnan(one)


@few
@given(measures())
def test_indices_equal_their_definitions(measure):
    values, n = measure.values, len(measure)
    masses = moebius(measure)
    assert masses == near(naive.moebius(values, n))
    assert from_moebius(masses).values == near(values)
    assert shapley(measure) == near(naive.shapley(values, n))
    assert banzhaf(measure) == near(naive.banzhaf(values, n))
    for chosen in naive.subsets(range(n))[1:]:
        assert interaction(measure, chosen) == near(naive.interaction(values, n, chosen))


@few
@given(measures(most=7))
def test_shapley_values_share_out_the_whole(measure):
    pairs = interactions(measure)
    assert shapley(measure).sum() == pytest.approx(1)
    assert (shapley(measure) >= 0).all()
    assert (np.diag(pairs) == shapley(measure)).all()
    assert (pairs == pairs.T).all()
    assert (np.abs(pairs) <= 1 + 1e-9).all()


@few
@given(weights)
def test_what_adds_up_does_not_interact(each):
    measure = FuzzyMeasure.additive(each)
    expected = np.diag(np.array(each) / np.sum(each))
    assert interactions(measure) == near(expected)
    assert banzhaf(measure) == near(np.diag(expected))
