"""Alignment: attributes of two files matched by the shapes of their distributions.

Two attributes whose standardised quantiles are alike may measure the same, whatever their names and
units; so may one that falls where the other rises, once it is reversed. Attributes that measure the
same also have the same correlations with the others of their files, which is the stronger evidence
the larger the files are.
"""

from typing import NamedTuple

import numpy as np

from unveil.attacks.structural.representatives import normalise
from unveil.attacks.structural.soft_matching import match_probabilities
from unveil.support.arrays import Floats, Ints

QUANTILES = np.linspace(0.02, 0.98, 49)  # that are compared
LIKE_SHAPE = 0.1  # the mean squared difference of quantiles of like attributes
STEEPNESSES = np.geomspace(0.5, 30.0, 24)  # of the support by correlations, ever more


class Alignment(NamedTuple):
    """Aligned attributes, pair by pair."""

    intruder: Ints
    released: Ints
    sign: Floats  # -1 where one is reversed
    gap: Floats  # the mean squared difference of quantiles


def shape_gaps(intruder: Floats, released: Floats) -> tuple[Floats, Floats]:
    """The mean squared difference of the quantiles of every two attributes; with one reversed."""
    first, second = (_quantiles(values) for values in (intruder, released))
    same = ((first[:, :, None] - second[:, None, :]) ** 2).mean(0)
    reverse = ((first[:, :, None] + second[::-1, None, :]) ** 2).mean(0)
    return same, reverse


def align(intruder: Floats, released: Floats, *, reverse: bool) -> Alignment:
    """Each attribute of the file with fewer aligned to one of the other, at the least total gap."""
    from scipy.optimize import linear_sum_assignment

    same, reversed_ = shape_gaps(intruder, released)
    gap = np.minimum(same, reversed_) if reverse else same
    rows, columns = linear_sum_assignment(gap)
    sign = np.where((reversed_ < same)[rows, columns] & reverse, -1.0, 1.0)
    return Alignment(rows, columns, sign, gap[rows, columns])


def similarity(gaps: Floats, width: float = LIKE_SHAPE) -> Floats:
    """From 1, the same shape, to 0."""
    found: Floats = np.exp(-gaps / width)
    return found


def align_softly(
    correlations: tuple[Floats, Floats], gaps: tuple[Floats, Floats], width: float
) -> Floats:
    """How far attributes measure the same: from -1, one is reversed, over 0, not at all, to 1.

    By their shapes, and by their correlations with the others of their own file: two measure the
    same if others that do have the same correlations with both. Each belief rests on the others,
    so they harden in step (graduated assignment). Each attribute of the file with fewer has one
    partner.
    """
    same, reverse = (-gap / width for gap in gaps)
    aligned = _signed(same, reverse)
    for steepness in STEEPNESSES / np.sqrt(max(same.shape)):
        support = steepness * (correlations[0] @ aligned @ correlations[1])
        aligned = _signed(same + support, reverse - support)
    return aligned


def _signed(same: Floats, reverse: Floats) -> Floats:
    """A soft matching, signed by which direction is more likely, given both log-likelihoods."""
    return match_probabilities(np.logaddexp(same, reverse)) * np.tanh((same - reverse) / 2)


def _quantiles(values: Floats) -> Floats:
    """Of standardised values; an attribute without values has no shape."""
    scaled = normalise(values, method="standardisation")
    scaled[:, np.isnan(scaled).all(0)] = 0.0
    return np.nanquantile(scaled, QUANTILES, axis=0)
