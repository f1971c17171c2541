"""Quantifiers: families, their ends, and thresholds that a share just reaches."""

from fractions import Fraction

import numpy as np
import pytest

from unveil.aggregation.measure import FuzzyMeasure
from unveil.aggregation.quantifiers import Quantifier, published_quantifiers
from unveil.errors import SpecError


@pytest.mark.parametrize(
    ("family", "alpha", "said"),
    [
        ("sigmoidal", 0.5, "did you mean 'sigmoid'"),
        (None, 0.5, "families are: exponent"),
        ("exponent", 0.0, "more than 0"),
        ("exponent", np.inf, "finite"),
        ("exponent", np.nan, "finite"),
        ("exponent", "2", "a number"),
        ("exponent", True, "a number"),
        ("sigmoid", 1.1, "between 0 and 1"),
        ("sigmoid", np.nan, "between 0 and 1"),
        ("threshold", 1.0, "below 1"),
        ("threshold", -0.1, "at least 0"),
    ],
)
def test_what_is_no_quantifier_is_refused(family, alpha, said):
    with pytest.raises(SpecError, match=said):
        Quantifier(family, alpha)


@pytest.mark.parametrize("share", [-0.1, 1.1, np.nan, [0.5, 2]])
def test_what_is_no_share_is_refused(share):
    with pytest.raises(SpecError, match="shares, from 0 to 1"):
        Quantifier("exponent", 1.0)(share)


def test_quantifiers_are_values():
    assert Quantifier("threshold", 0.5) == Quantifier("threshold", 0.5)
    assert (
        len(
            {
                *published_quantifiers("threshold"),
                *published_quantifiers("threshold"),
                *published_quantifiers("exponent"),
            }
        )
        == 20
    )


@pytest.mark.parametrize("family", ["exponent", "sigmoid", "threshold"])
def test_the_published_ten(family):
    ten = published_quantifiers(family)
    shares = np.linspace(0, 1, 101)
    assert len(ten) == 10
    for quantifier in ten:
        assert (np.diff(quantifier(shares)) >= 0).all()
        anchored = Quantifier(family, quantifier.alpha)
        assert anchored([0, 1]).tolist() == [0, 1]
        assert (np.diff(anchored(shares)) >= 0).all()
        assert family == "sigmoid" or anchored == quantifier
    weights = np.array([quantifier(shares) for quantifier in ten])
    assert (np.diff(weights, axis=0) <= 0).all()  # a larger alpha asks for more


def test_the_sigmoid_as_published_has_other_ends():
    ends = [quantifier([0, 1]) for quantifier in published_quantifiers("sigmoid")]
    assert ends[0] == pytest.approx([0.5, 0.99995], abs=1e-5)
    assert ends[9] == pytest.approx([0.00012, 0.731], abs=1e-3)
    with pytest.raises(SpecError, match="1 on the set of all"):
        FuzzyMeasure.symmetric(published_quantifiers("sigmoid")[9].by_size(3))


def test_a_share_that_is_the_threshold_does_not_exceed_it():
    for k in range(10):
        for n in range(1, 61):
            expected = [float(Fraction(i, n) > Fraction(k, 10)) for i in range(1, n + 1)]
            for alpha in (k / 10, k * 0.1):
                assert Quantifier("threshold", alpha).by_size(n).tolist() == expected
