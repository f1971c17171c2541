"""Operators on inputs that are strange, or none."""

import numpy as np
import pytest

from unveil.aggregation.indices import from_moebius, interaction
from unveil.aggregation.measure import FuzzyMeasure
from unveil.aggregation.operators import owa, sugeno, symmetric_sugeno, weighted_mean
from unveil.aggregation.quantifiers import Quantifier
from unveil.errors import DataError, SpecError

HALF = Quantifier("threshold", 0.5)
PAIR = FuzzyMeasure([0, 0.5, 0.5, 1])
OPERATORS = [(owa, HALF), (symmetric_sugeno, HALF), (sugeno, PAIR), (weighted_mean, [1, 1])]


@pytest.mark.parametrize(("operator", "by"), OPERATORS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_finite_number_is_refused(operator, by, value):
    with pytest.raises(DataError, match="finite numbers; mark missing"):
        operator([1.0, value], by)


@pytest.mark.parametrize(("operator", "by"), OPERATORS)
@pytest.mark.parametrize("values", [[], 1.0, np.ones((3, 0))])
def test_nothing_to_aggregate_is_refused(operator, by, values):
    with pytest.raises(SpecError, match="at least one number"):
        operator(values, by)


@pytest.mark.parametrize(("operator", "by"), OPERATORS)
def test_words_and_rows_of_different_lengths_are_refused(operator, by):
    for values in (["a", "b"], [[1, 2], [1]]):
        with pytest.raises(SpecError, match="numbers are needed"):
            operator(values, by)


@pytest.mark.parametrize(("operator", "by"), OPERATORS)
def test_no_records_give_no_numbers(operator, by):
    assert operator(np.ones((0, 2)), by).shape == (0,)


@pytest.mark.parametrize(("operator", "by"), [OPERATORS[2], OPERATORS[3]])
def test_other_attributes_are_refused(operator, by):
    with pytest.raises(SpecError, match="of 2 attributes"):
        operator([1.0, 2.0, 3.0], by)


@pytest.mark.parametrize("present", [[True], [1, 0], [[True, True]]])
def test_present_is_true_or_false_for_each_value(present):
    with pytest.raises(SpecError, match="true or false for each"):
        owa([1.0, 2.0], HALF, present=present)


@pytest.mark.parametrize(("operator", "by"), [OPERATORS[0], OPERATORS[1], OPERATORS[3]])
def test_a_record_without_any_value_has_no_aggregate(operator, by):
    values = np.array([[0.5, 0.25], [np.nan, np.inf], [np.nan, 0.75]])
    there = np.isfinite(values)
    found = operator(values, by, present=there)
    assert np.isnan(found).tolist() == [False, True, False]
    assert found[2] == 0.75
    assert np.isnan(operator(values[1], by, present=there[1]))
    assert np.isnan(values).sum() == 2  # what is handed in stays as it is


def test_weights_of_attributes_that_are_not_there():
    values, there = [[1.0, 2.0]], [[True, False]]
    assert weighted_mean(values, [0, 1], present=there).tolist() == pytest.approx(
        [np.nan], nan_ok=1
    )
    assert weighted_mean([1.0, 3.0], [1e308, 1e308]) == 2


def test_many_attributes_need_no_table_of_sets():
    values = np.random.default_rng(1).random((3, 500))
    assert owa(values, Quantifier("exponent", 1.0)) == pytest.approx(values.mean(axis=1))
    greatest = Quantifier("threshold", 0.0)
    assert (symmetric_sugeno(values, greatest) == values.max(axis=1)).all()


def test_sugeno_outside_0_to_1_is_as_published():
    every = FuzzyMeasure([0, 0, 0, 1])
    for operator, by in ((sugeno, every), (symmetric_sugeno, Quantifier("threshold", 0.5))):
        assert operator([5.0, 3.0], by) == 1  # nothing exceeds 1
        assert operator([-2.0, -1.0], by) == -1
        assert operator([-2.0, 0.5], by) == 0


@pytest.mark.parametrize("attributes", [[], [2], [-1, 0]])
def test_a_set_that_is_none_of_the_attributes_does_not_interact(attributes):
    with pytest.raises(SpecError, match="some of 0 to 1"):
        interaction(PAIR, attributes)


@pytest.mark.parametrize(
    ("masses", "said"),
    [([0, 0.5, 0.5], "2, 4, 8"), ([], "2, 4, 8"), ([0, 0.5, 0.5, 0.5], "1 on the set of all")],
)
def test_masses_of_no_measure_are_refused(masses, said):
    with pytest.raises(SpecError, match=said):
        from_moebius(masses)
