"""The law of the people who share a key, given the records that do."""

import numpy as np
import pytest
from scipy.integrate import quad

from unveil.measures.population.posterior import FEW, inverse_moments


@pytest.mark.parametrize("f", [1, 2, 7, 40])
@pytest.mark.parametrize("a", [1e-9, 0.1, 3.0, 50.0, FEW, FEW + 0.01, 2000.0])
def test_the_mean_is_the_integral(f, a):
    def under(t):
        return t ** (f - 1) * np.exp(-a * (1 - t))

    expected = quad(under, 0, 1, points=[max(0.0, 1 - 20 / (a + f))], epsabs=0, epsrel=1e-11)[0]
    found = inverse_moments(np.array([float(f)]), np.array([a]))
    assert found.mean[0] == pytest.approx(expected, rel=1e-5)
    assert found.square[0] >= found.mean[0] ** 2 * (1 - 1e-9)
    assert found.slope[0] < 0


def test_the_textbook_formula_of_a_sample_unique():
    a = np.array([0.01, 1.0, 10.0])
    assert inverse_moments(np.ones(3), a).mean == pytest.approx((1 - np.exp(-a)) / a)
    assert inverse_moments(np.ones(1), np.zeros(1)).mean[0] == 1
