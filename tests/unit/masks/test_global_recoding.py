"""Ranges of global recoding."""

import numpy as np

from unveil.masks.global_recoding import ranges_of_width


def test_ranges_start_at_the_multiples_of_a_width():
    ranges = ranges_of_width("recoding", np.array([7.0, 12.0]), 5.0, closed=True)
    assert ranges.tolist() == ["5..9", "10..14"]
    assert ranges_of_width("recoding", np.array([0.75]), 0.5, closed=False).tolist() == ["0.5..1"]
