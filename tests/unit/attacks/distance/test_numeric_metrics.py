"""The polynomial kernel is Euclid on its features."""

from __future__ import annotations

import numpy as np
import pytest

from unveil.attacks.distance.numeric_metrics import polynomial
from unveil.engines.records import Records
from unveil.errors import SpecError, UsageError


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_distances_are_those_of_the_kernel(degree):
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 5, 3))

    def kernel(x, y):
        return (1 + (x * y).sum(1)) ** degree

    gaps = polynomial(a, degree).values - polynomial(b, degree).values
    expected = kernel(a, a) + kernel(b, b) - 2 * kernel(a, b)
    assert (gaps**2).sum(1) == pytest.approx(expected)


def test_a_product_with_a_missing_attribute_is_missing():
    records = Records(np.array([[2.0, np.nan]]), np.array([[True, False]]))
    features = polynomial(records, 2)
    assert features.present.tolist() == [[True, False, True, False, False]]


def test_degrees_out_of_range():
    for degree in (0, 21, 1.5):
        with pytest.raises(UsageError, match="degree: a whole number from 1 to 20"):
            polynomial(np.ones((1, 2)), degree)
    with pytest.raises(SpecError, match="features"):
        polynomial(np.ones((1, 50)), 4)


def test_features_are_64_bit_numbers():
    assert polynomial(np.array([[2**40, 3]]), 2).values[0, 2] == 2.0**80
