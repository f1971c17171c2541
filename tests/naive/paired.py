"""The paired bootstrap as it is defined: records are drawn, one by one."""

import numpy as np


def drawn_means(gaps, draws, rng):
    """The mean of as many records, drawn with replacement, so many times."""
    return np.array([gaps[rng.integers(len(gaps), size=len(gaps))].mean() for _ in range(draws)])
