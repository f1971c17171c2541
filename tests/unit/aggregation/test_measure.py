"""Fuzzy measures and the Choquet integral."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.aggregation.measure import FuzzyMeasure, check_weights
from unveil.aggregation.operators import choquet
from unveil.errors import SpecError


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([0, 0.5, 1], "2, 4, 8"),
        ([[0, 1]], "2, 4, 8"),
        ([0.0], "2, 4, 8"),
        ([], "2, 4, 8"),
        (["a", "b"], "numbers are needed"),
        ([0, np.nan, 0.5, 1], "finite"),
        ([0.1, 0.5, 0.5, 1], "0 on the empty set"),
        ([0, 0.5, 0.5, 0.9], "1 on the set of all"),
        ([0, 0.8, 0.1, 0.5, 0.1, 0.9, 0.1, 1], "monotone"),
        ([0, -0.1, 0.5, 1], "monotone"),
        ([0, 1.2, 0.5, 1], "monotone"),
    ],
)
def test_what_is_not_a_measure_is_refused(values, said):
    with pytest.raises(SpecError, match=said):
        FuzzyMeasure(values)


def test_rounding_is_mended_and_the_measure_cannot_be_changed():
    measure = FuzzyMeasure([0, 0.3, 0.3 - 1e-12, 1])
    pairs = FuzzyMeasure([0, 0.5, 0.2, 0.5 - 1e-12, 0, 0.5, 0.2, 1])
    assert (pairs.values[3] >= pairs.values[[1, 2]]).all()
    with pytest.raises(ValueError, match="read-only"):
        measure.values[1] = 2


@pytest.mark.parametrize("weights", [[0, 0], [1, -1], [np.inf, 1], [], [[1.0]]])
def test_weights_that_are_none(weights):
    with pytest.raises(SpecError, match="weights are"):
        check_weights(weights)


@given(
    st.lists(st.floats(0, 10), min_size=3, max_size=3),
    st.lists(st.floats(0, 9), min_size=3, max_size=3),
)
def test_an_additive_measure_gives_the_weighted_mean(costs, weights):
    weights[0] += 1
    expected = np.average(costs, weights=weights)
    assert choquet(costs, FuzzyMeasure.additive(weights)) == pytest.approx(expected, abs=1e-12)


def test_a_symmetric_measure_gives_least_and_greatest():
    costs = np.array([[3.0, 1.0, 2.0], [5.0, 5.0, 4.0]])
    assert choquet(costs, FuzzyMeasure.symmetric([0, 0, 1])).tolist() == [1, 4]
    assert choquet(costs, FuzzyMeasure.symmetric([1, 1, 1])).tolist() == [3, 5]


def test_a_measure_of_other_attributes_is_refused():
    with pytest.raises(SpecError, match="2 attributes"):
        choquet([1.0, 2.0, 3.0], FuzzyMeasure([0, 0, 0, 1]))


def test_words_hold_no_numbers_of_the_measure():
    assert repr(FuzzyMeasure([0, 0.25, 0.5, 1])) == "FuzzyMeasure(2 attributes)"


def test_too_many_attributes_are_refused_at_once():
    for make in (FuzzyMeasure.additive, FuzzyMeasure.symmetric):
        with pytest.raises(SpecError, match="1 to 20 attributes"):
            make(np.ones(40))


def test_infinite_costs():
    half = FuzzyMeasure([0, 0.5, 0.5, 1])
    assert choquet([np.inf, np.inf], half) == np.inf
    assert choquet([np.inf, 1.0], FuzzyMeasure([0, 0, 0, 1])) == 1.0
