"""Fuzzy measures: weights of sets of attributes that need not add up.

Torra & Narukawa, *Modeling Decisions* (2007), chapter 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.errors import SpecError
from unveil.support.checked_calls import checked_class

MAX_ATTRIBUTES = 20  # a measure holds a number for each set of them
ROUNDING = 1e-9


@checked_class
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
        if (
            measure.ndim != 1
            or not 1 <= attributes <= MAX_ATTRIBUTES
            or measure.size != 1 << attributes
        ):
            raise SpecError(
                "a fuzzy measure has a number for each set of attributes: 2, 4, 8, ... numbers, "
                f"for 1 to {MAX_ATTRIBUTES} attributes"
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
        shares = check_weights(weights)
        _check_many(len(shares))
        shares /= shares.max()  # their sum must not overflow
        values = np.zeros(1)
        for weight in shares / shares.sum():
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
    """A new array of numbers."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise SpecError(f"{what}: numbers are needed, in rows of equal length") from None


def check_weights(weights: ArrayLike) -> NDArray[np.float64]:
    """Weights: finite, none negative, not all zero."""
    values = as_floats(weights, "weights")
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise SpecError("weights are finite numbers, one for each attribute")
    if (values < 0).any() or not values.any():
        raise SpecError("weights are not negative, and not all of them zero")
    return values


def _check_many(attributes: int) -> None:
    if not 1 <= attributes <= MAX_ATTRIBUTES:
        raise SpecError(f"a fuzzy measure is one of 1 to {MAX_ATTRIBUTES} attributes")


def _monotone(values: NDArray[np.float64], attributes: int) -> NDArray[np.float64]:
    """Check that a larger set never weighs less; differences by rounding are repaired."""
    repaired = values.copy()
    for attribute in range(attributes):
        pairs = repaired.reshape(-1, 2, 1 << attribute)
        pairs[:, 1] = np.maximum(pairs[:, 0], pairs[:, 1])
    if (repaired > values + ROUNDING).any():
        raise SpecError("a fuzzy measure is monotone: a set never weighs less than a set inside it")
    repaired.setflags(write=False)
    return repaired
