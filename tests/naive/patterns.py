"""A slow twin of the agreement patterns."""

from __future__ import annotations

import numpy as np


def pattern_counts(a, b):
    """Every pair compared; bit j of a pattern is agreement on attribute j."""
    agree = (a[:, None, :] == b[None, :, :]) & (a[:, None, :] >= 0)
    patterns = agree @ (1 << np.arange(a.shape[1]))
    return np.bincount(patterns.ravel(), minlength=1 << a.shape[1])
