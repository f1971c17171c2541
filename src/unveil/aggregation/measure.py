"""Fuzzy measures: what a set of attributes weighs, when weights do not simply add up.

Torra & Narukawa, *Modeling Decisions* (2007), chapter 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.errors import SpecError

MOST = 20  # attributes: a measure holds a number for each set of them
ROUNDING = 1e-9


@dataclass(frozen=True, repr=False, eq=False)
class FuzzyMeasure:
    """A number for each set of attributes: 0 for none, 1 for all, more for more.

    `values[s]` is the measure of the set whose attributes are the bits of s, the first
    attribute the lowest bit.

    >>> FuzzyMeasure([0, 0.2, 0.3, 1]).values[0b10]  # the second attribute alone
    np.float64(0.3)
    """

    values: NDArray[np.float64]

    def __init__(self, values: ArrayLike) -> None:
        measure = as_floats(values, "a fuzzy measure")
        attributes = int(measure.size).bit_length() - 1
        if measure.ndim != 1 or not 1 <= attributes <= MOST or measure.size != 1 << attributes:
            raise SpecError(
                "a fuzzy measure has a number for each set of attributes: 2, 4, 8, ... numbers, "
                f"for 1 to {MOST} attributes"
            )
        if not np.isfinite(measure).all():
            raise SpecError("a fuzzy measure has finite numbers only")
        if measure[0] != 0:
            raise SpecError("a fuzzy measure is 0 on the empty set")
        if abs(measure[-1] - 1) > ROUNDING:
            raise SpecError("a fuzzy measure is 1 on the set of all attributes")
        object.__setattr__(self, "values", _monotone(measure, attributes))

    @classmethod
    def additive(cls, weights: ArrayLike) -> FuzzyMeasure:
        """The measure of a weighted mean: a set weighs the sum of its attributes' weights.

        >>> FuzzyMeasure.additive([0.25, 0.75]).values.tolist()
        [0.0, 0.25, 0.75, 1.0]
        """
        each = check_weights(weights)
        _check_many(len(each))
        each /= each.max()  # their sum must not overflow
        values = np.zeros(1)
        for weight in each / each.sum():
            values = np.concatenate([values, values + weight])
        return cls(values)

    @classmethod
    def symmetric(cls, by_size: ArrayLike) -> FuzzyMeasure:
        """A measure of how many attributes, not which: by_size[k - 1] for k of them.

        >>> FuzzyMeasure.symmetric([0.0, 1.0]).values.tolist()  # the lesser of two
        [0.0, 0.0, 0.0, 1.0]

        A quantifier says how much each number of them weighs, `quantifier.by_size(n)`.
        """
        sizes = np.append(0.0, as_floats(by_size, "a symmetric measure"))
        _check_many(len(sizes) - 1)
        return cls(sizes[np.bitwise_count(np.arange(1 << (len(sizes) - 1)))])

    def __len__(self) -> int:
        return len(self.values).bit_length() - 1

    def __repr__(self) -> str:
        return f"FuzzyMeasure({len(self)} attributes)"


def as_floats(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """An array of its own, of numbers."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise SpecError(f"{what}: numbers are needed, in rows of equal length") from None


def check_weights(weights: ArrayLike) -> NDArray[np.float64]:
    """Weights: finite, none negative, not all zero."""
    each = as_floats(weights, "weights")
    if each.ndim != 1 or not each.size or not np.isfinite(each).all():
        raise SpecError("weights are finite numbers, one for each attribute")
    if (each < 0).any() or not each.any():
        raise SpecError("weights are not negative, and not all of them zero")
    return each


def _check_many(attributes: int) -> None:
    if not 1 <= attributes <= MOST:
        raise SpecError(f"a fuzzy measure is one of 1 to {MOST} attributes")


def _monotone(values: NDArray[np.float64], attributes: int) -> NDArray[np.float64]:
    """Check that a larger set never weighs less; what rounding did is mended."""
    mended = values.copy()
    for attribute in range(attributes):
        pairs = mended.reshape(-1, 2, 1 << attribute)
        pairs[:, 1] = np.maximum(pairs[:, 0], pairs[:, 1])
    if (mended > values + ROUNDING).any():
        raise SpecError("a fuzzy measure is monotone: a set never weighs less than a set inside it")
    mended.setflags(write=False)
    return mended
