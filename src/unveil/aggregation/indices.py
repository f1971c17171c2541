"""Indices of a fuzzy measure: the importance of attributes, and their interaction.

Grabisch, k-order additive discrete fuzzy measures and their representation (1997).
"""

from collections.abc import Iterable
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from unveil.aggregation.measure import FuzzyMeasure, as_floats
from unveil.errors import SpecError
from unveil.support.arrays import Floats


def moebius(measure: FuzzyMeasure) -> Floats:
    """The Möbius transform: what each set adds to its subsets; numbered as in the measure.

    >>> moebius(FuzzyMeasure([0, 0.25, 0.25, 1])).tolist()
    [0.0, 0.25, 0.25, 0.5]
    """
    masses = measure.values.copy()
    for attribute in range(len(measure)):
        pairs = masses.reshape(-1, 2, 1 << attribute)
        pairs[:, 1] -= pairs[:, 0]
    return masses


def from_moebius(masses: ArrayLike) -> FuzzyMeasure:
    """The measure with these Möbius masses.

    >>> from_moebius([0, 0.25, 0.25, 0.5]).values.tolist()
    [0.0, 0.25, 0.25, 1.0]
    """
    values = as_floats(masses, "Möbius masses")
    if values.ndim == 1 and values.size.bit_count() == 1:  # what is not, no measure will take
        for attribute in range(values.size.bit_length() - 1):
            pairs = values.reshape(-1, 2, 1 << attribute)
            pairs[:, 1] += pairs[:, 0]
    return FuzzyMeasure(values)


def shapley(measure: FuzzyMeasure) -> Floats:
    """The Shapley value of each attribute: what it adds on average over all orders of joining.

    The values are not negative and sum to 1 (Shapley 1953).

    >>> shapley(FuzzyMeasure([0, 0.25, 0.5, 1])).tolist()
    [0.375, 0.625]
    """
    return np.array([interaction(measure, [one]) for one in range(len(measure))])


def banzhaf(measure: FuzzyMeasure) -> Floats:
    """The Banzhaf index: what each attribute adds on average over all sets of the others (1965).

    >>> banzhaf(FuzzyMeasure([0, 0, 0, 0, 0, 0, 0, 1])).tolist()  # only all three count
    [0.25, 0.25, 0.25]
    """
    return np.array([_added(measure, [one]).mean() for one in range(len(measure))])


def interactions(measure: FuzzyMeasure) -> Floats:
    """The interaction of each two attributes (Murofushi and Soneda 1993).

    From -1, where one replaces the other, to 1, where each needs the other; 0 where they add up.
    The diagonal holds the Shapley values.

    >>> interactions(FuzzyMeasure([0, 0.25, 0.25, 1])).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    pairs = np.diag(shapley(measure))
    for one in range(len(measure)):
        for other in range(one):
            pairs[one, other] = pairs[other, one] = interaction(measure, [one, other])
    return pairs


def interaction(measure: FuzzyMeasure, attributes: Iterable[int]) -> float:
    """The interaction index of a set (Grabisch 1997): of one attribute, its Shapley value.

    Attributes are counted from 0, the first being the lowest bit of a set.

    >>> interaction(FuzzyMeasure([0, 1, 1, 1]), [0, 1])  # the greater of two
    -1.0
    """
    added = _added(measure, attributes)
    others = len(added).bit_length() - 1
    weights = np.array([1 / ((others + 1) * comb(others, size)) for size in range(others + 1)])
    return float((added * weights[np.bitwise_count(np.arange(len(added)))]).sum())


def _added(measure: FuzzyMeasure, attributes: Iterable[int]) -> Floats:
    """What the attributes together add to each set of the others, beyond what fewer of them do."""
    chosen = sorted(set(attributes), reverse=True)
    if not chosen or not 0 <= chosen[-1] <= chosen[0] < len(measure):
        raise SpecError(f"a set of attributes: some of 0 to {len(measure) - 1}")
    added = measure.values
    for attribute in chosen:  # the highest bit first: lower ones stay where they are
        pairs = added.reshape(-1, 2, 1 << attribute)
        added = (pairs[:, 1] - pairs[:, 0]).ravel()
    return added
