"""Attributes of two files matched by the shape of their distributions.

Who is old in one file is old in the other, whatever the attribute is called and whatever its unit:
two attributes whose standardised quantiles are alike may say the same. One that falls where the
other rises is alike when it is turned round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from unveil.attacks.representatives import normalised

if TYPE_CHECKING:
    from unveil.data.encode import Floats, Ints

SHARES = np.linspace(0.02, 0.98, 49)  # of the records: the quantiles that are compared
LIKENESS = 0.1  # the mean square by which quantiles may differ and still be alike


class Alignment(NamedTuple):
    """Attributes that are set against each other, pair by pair."""

    mine: Ints
    released: Ints
    sign: Floats  # -1 where one is turned round
    gap: Floats  # the mean square by which the quantiles differ


def shape_gaps(mine: Floats, released: Floats) -> tuple[Floats, Floats]:
    """How much the shapes of each two attributes differ: as they are, and with one turned round.

    >>> ages = np.array([[1.0], [2.0], [9.0]])
    >>> same, turned = shape_gaps(ages, 10 * ages)
    >>> bool(same[0, 0] < turned[0, 0])
    True
    """
    first, second = (_quantiles(values) for values in (mine, released))
    same = ((first[:, :, None] - second[:, None, :]) ** 2).mean(0)
    turned = ((first[:, :, None] + second[::-1, None, :]) ** 2).mean(0)
    return same, turned


def aligned(mine: Floats, released: Floats, *, turn: bool) -> Alignment:
    """The attributes of the file that has fewer, each set against one of the other's.

    So that the shapes differ as little as they can in all.
    """
    from scipy.optimize import linear_sum_assignment

    same, turned = shape_gaps(mine, released)
    gap = np.minimum(same, turned) if turn else same
    rows, columns = linear_sum_assignment(gap)
    sign = np.where((turned < same)[rows, columns] & turn, -1.0, 1.0)
    return Alignment(rows, columns, sign, gap[rows, columns])


def likeness(gaps: Floats, width: float = LIKENESS) -> Floats:
    """From 1, the same shape, to 0."""
    found: Floats = np.exp(-gaps / width)
    return found


def _quantiles(values: Floats) -> Floats:
    """Of standardised values; one that is missing in all that are looked at has no shape."""
    scaled = normalised(values, how="standardisation")
    scaled[:, np.isnan(scaled).all(0)] = 0.0
    found: Floats = np.nanquantile(scaled, SHARES, axis=0)
    return found
