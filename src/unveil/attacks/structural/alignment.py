"""Attributes of two files matched by the shape of their distributions.

Who is old in one file is old in the other, whatever the attribute is called and whatever its unit:
two attributes whose standardised quantiles are alike may say the same. One that falls where the
other rises is alike when it is turned round. And attributes that say the same are correlated alike
with the others of their files, which says the more the larger the files are.
"""

from typing import NamedTuple

import numpy as np

from unveil.attacks.structural.representatives import normalised
from unveil.attacks.structural.soft_matching import posterior_of
from unveil.support.arrays import Floats, Ints

SHARES = np.linspace(0.02, 0.98, 49)  # of the records: the quantiles that are compared
LIKENESS = 0.1  # the mean square by which quantiles may differ and still be alike
STEPS = np.geomspace(0.5, 30.0, 24)  # how much correlations count, ever more


class Alignment(NamedTuple):
    """Attributes that are set against each other, pair by pair."""

    intruder: Ints
    released: Ints
    sign: Floats  # -1 where one is turned round
    gap: Floats  # the mean square by which the quantiles differ


def shape_gaps(intruder: Floats, released: Floats) -> tuple[Floats, Floats]:
    """How much the shapes of each two attributes differ: as they are, and with one turned round.

    >>> ages = np.array([[1.0], [2.0], [9.0]])
    >>> same, turned = shape_gaps(ages, 10 * ages)
    >>> bool(same[0, 0] < turned[0, 0])
    True
    """
    first, second = (_quantiles(values) for values in (intruder, released))
    same = ((first[:, :, None] - second[:, None, :]) ** 2).mean(0)
    turned = ((first[:, :, None] + second[::-1, None, :]) ** 2).mean(0)
    return same, turned


def aligned(intruder: Floats, released: Floats, *, turn: bool) -> Alignment:
    """The attributes of the file that has fewer, each set against one of the other's.

    So that the shapes differ as little as they can in all.
    """
    from scipy.optimize import linear_sum_assignment

    same, turned = shape_gaps(intruder, released)
    gap = np.minimum(same, turned) if turn else same
    rows, columns = linear_sum_assignment(gap)
    sign = np.where((turned < same)[rows, columns] & turn, -1.0, 1.0)
    return Alignment(rows, columns, sign, gap[rows, columns])


def likeness(gaps: Floats, width: float = LIKENESS) -> Floats:
    """From 1, the same shape, to 0."""
    return np.exp(-gaps / width)


def related_alike(
    related: tuple[Floats, Floats], gaps: tuple[Floats, Floats], width: float
) -> Floats:
    """Which attributes say the same, from -1, one is turned round, to 1; 0 where they do not.

    By their shapes and by how they are correlated with the others of their own file: two say the
    same if others that do are correlated with both alike. Each belief rests on the others, so they
    harden in step (graduated assignment). Of the file that has fewer, each has one partner.
    """
    same, turned = (-gap / width for gap in gaps)
    found = _signed(same, turned)
    for steep in STEPS / np.sqrt(max(same.shape)):
        support = steep * (related[0] @ found @ related[1])
        found = _signed(same + support, turned - support)
    return found


def _signed(same: Floats, turned: Floats) -> Floats:
    """A soft matching, given the logs of how likely pairs are; signed by which way is likelier."""
    return posterior_of(np.logaddexp(same, turned)) * np.tanh((same - turned) / 2)


def _quantiles(values: Floats) -> Floats:
    """Of standardised values; one that is missing in all that are looked at has no shape."""
    scaled = normalised(values, how="standardisation")
    scaled[:, np.isnan(scaled).all(0)] = 0.0
    return np.nanquantile(scaled, SHARES, axis=0)
