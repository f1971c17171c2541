"""Representatives: their definition, missing cells, constants, and rows in any order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.aggregation as naive
from strategies.examples import examples
from unveil.aggregation.quantifiers import published_quantifiers
from unveil.attacks.structural.representatives import normalise, representatives
from unveil.errors import DataError, SpecError

cells = st.none() | st.sampled_from([0.0, 1.0, 2.0]) | st.integers(-1000, 1000).map(float)
tables = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.lists(cells, min_size=n, max_size=n), min_size=1, max_size=8)
)
HOW = {
    "ranging": naive.ranged,
    "standardisation": naive.standardised,
    "normal-scores": naive.normal_scores,
}
OPERATORS = {"owa": naive.owa, "sugeno": naive.symmetric_sugeno}
ways = st.fixed_dictionaries(
    {
        "operator": st.sampled_from(sorted(OPERATORS)),
        "family": st.sampled_from(["exponent", "sigmoid", "threshold"]),
        "normalisation": st.sampled_from(sorted(HOW)),
        "missing": st.sampled_from(["zero", "projection"]),
    }
)


@given(tables, ways)
def test_representatives_equal_their_definition(rows, way):
    expected = naive.representatives(
        rows,
        HOW[way["normalisation"]],
        OPERATORS[way["operator"]],
        published_quantifiers(way["family"]),
        zero=way["missing"] == "zero",
    )
    found = representatives(np.array(rows, dtype=float), **way)
    assert found == pytest.approx(np.array(expected), abs=1e-9, nan_ok=True)


@examples(1 / 2)
@given(tables, ways, st.randoms())
def test_the_order_of_rows_and_of_attributes_means_nothing(rows, way, random):
    values = np.array(rows, dtype=float)
    found = representatives(values, **way)
    order = random.sample(range(len(values)), len(values))
    attributes = random.sample(range(values.shape[1]), values.shape[1])
    shuffled = representatives(values[order][:, attributes], **way)
    assert np.array_equal(shuffled, found[order], equal_nan=True)


@pytest.mark.parametrize("how", HOW)
def test_a_constant_attribute_is_0_and_what_is_missing_stays(how):
    values = np.array([[7.0, np.nan], [np.nan, np.nan], [7.0, np.nan]])
    expected = [[0, np.nan], [np.nan, np.nan], [0, np.nan]]
    assert np.array_equal(normalise(values, method=how), expected, equal_nan=True)


@pytest.mark.parametrize("how", HOW)
def test_one_record_and_no_record(how):
    assert representatives(np.array([[3.0, 9.0]]), normalisation=how).tolist() == [[0.0] * 10]
    assert representatives(np.ones((0, 2)), normalisation=how).shape == (0, 10)


def test_a_record_of_which_nothing_is_known():
    values = np.array([[1.0, 2.0], [np.nan, np.nan], [2.0, 1.0]])
    assert np.isnan(representatives(values, missing="projection")).all(axis=1).tolist() == [
        False, True, False,
    ]  # fmt: skip
    assert not representatives(values, missing="zero")[1].any()


def test_numbers_too_large_to_square_are_refused():
    for value in (1e200, -np.inf):
        with pytest.raises(DataError, match="rescale"):
            representatives(np.array([[value], [1.0]]))


@pytest.mark.parametrize("values", [np.ones(3), np.ones((3, 0)), np.ones((2, 2, 2))])
def test_what_is_no_table_is_refused(values):
    with pytest.raises(SpecError, match="at least one attribute"):
        representatives(values)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"operator": "choquet"}, "owa, sugeno"),
        ({"family": "thresholds"}, "did you mean 'threshold'"),
        ({"normalisation": "range"}, "did you mean 'ranging'"),
        ({"missing": "drop"}, "zero, projection"),
    ],
)
def test_words_that_nobody_knows_are_refused(option, said):
    with pytest.raises(SpecError, match=said):
        representatives(np.ones((2, 2)), **option)
