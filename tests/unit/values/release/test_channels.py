"""Channels: what a mask can have done to a value."""

import numpy as np

from unveil.table.encoding.to_columns import Slack
from unveil.values.release.channels import fitted_noise, multiples_of


def test_noise_is_fitted_about_a_straight_line():
    x = np.arange(4.0)
    noise = fitted_noise("age", x, 2 * x + 1, Slack(), 1)
    assert (noise.slope.tolist(), noise.mean.tolist()) == ([2.0], [1.0])
    assert fitted_noise("age", x * np.nan, x, Slack(), 1) is None


def test_multiples_of_a_decimal_base_are_rounded_once():
    assert multiples_of(0.1, np.array([3.0]))[0] == 0.3
    assert np.isnan(multiples_of(0.1, np.array([np.nan]))[0])
