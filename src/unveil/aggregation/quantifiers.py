"""Quantifiers: how much it counts that most attributes agree, or some, or nearly all.

Torra and Nin, Record linkage for database integration using fuzzy integrals (2008),
definition 2 and section 4.3.
"""

from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Literal, SupportsFloat, get_args

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import SpecError
from unveil.support.arrays import Floats
from unveil.support.checked_calls import checked_class
from unveil.wording import suggest

Family = Literal["exponent", "sigmoid", "threshold"]
STEEPNESS = 10  # of the sigmoid, as published
ROUNDING = 1e-9  # a share that exceeds a threshold by less does not exceed it: 3 * 0.1 > 0.3


@checked_class
@dataclass(frozen=True)
class Quantifier:
    """A nondecreasing function Q of a share of the attributes, from Q(0) = 0 to Q(1) = 1.

    Family "exponent" is x ** alpha, "sigmoid" 1 / (1 + exp(10 (alpha - x))), "threshold" 1
    where x > alpha and 0 where it is not. Large alphas ask for many attributes (an aggregate near
    the least value), small ones for few (near the greatest).

    The sigmoid as published neither begins at 0 nor ends at 1, so that weights made of it do not
    sum to 1. Here it is anchored: moved and stretched until it does. `anchored=False` leaves it as
    published; the other families are anchored as they are.

    >>> Quantifier("exponent", 2.0)([0, 0.5, 1]).tolist()
    [0.0, 0.25, 1.0]
    >>> Quantifier("sigmoid", 0.0, anchored=False)([0, 1]).round(3).tolist()
    [0.5, 1.0]
    """

    family: Family
    alpha: float
    anchored: bool = True

    def __post_init__(self) -> None:
        families = get_args(Family)
        if self.family not in families:
            raise SpecError(
                f"'{self.family}' is not a family of quantifiers"
                f"{suggest(self.family, families, 'families are')}"
            )
        _check_alpha(self.family, self.alpha)

    def __call__(self, shares: ArrayLike) -> Floats:
        """How much each share weighs."""
        x = np.asarray(shares, dtype=np.float64)
        if not ((x >= 0) & (x <= 1)).all():
            raise SpecError("a quantifier is a function of shares, from 0 to 1")
        if self.family == "exponent":
            return x**self.alpha
        if self.family == "threshold":
            return np.where(x - self.alpha > ROUNDING, 1.0, 0.0)
        if not self.anchored:
            return self._sigmoid(x)
        low, high = self._sigmoid(np.array([0.0, 1.0]))
        return np.asarray((self._sigmoid(x) - low) / (high - low))

    def by_size(self, n: int) -> Floats:
        """How much 1, 2, ..., n of n attributes weigh.

        >>> Quantifier("threshold", 0.5).by_size(4).tolist()
        [0.0, 0.0, 1.0, 1.0]
        """
        return self(np.arange(1, n + 1) / n)

    def _sigmoid(self, x: Floats) -> Floats:
        return np.asarray(1 / (1 + np.exp((self.alpha - x) * STEEPNESS)))


# Divided, not multiplied: 3 / 10 is the 0.3 that a share of three in ten is, 3 * 0.1 is not.
_FIFTHS = tuple(k / 5 for k in range(1, 11))
_TENTHS = tuple(k / 10 for k in range(10))


@cache
def published_quantifiers(family: Family) -> tuple[Quantifier, ...]:
    """The ten quantifiers of a family that the paper makes its representatives with.

    >>> [quantifier.alpha for quantifier in published_quantifiers("threshold")][:4]
    [0.0, 0.1, 0.2, 0.3]
    """
    alphas = _FIFTHS if family == "exponent" else _TENTHS
    return tuple(Quantifier(family, alpha, anchored=family != "sigmoid") for alpha in alphas)


def _check_alpha(family: Family, alpha: float) -> None:
    if isinstance(alpha, bool) or not isinstance(alpha, SupportsFloat):
        raise SpecError("alpha is a number")
    if family == "exponent" and not 0 < alpha < inf:
        raise SpecError("an exponent is more than 0, and finite")
    if family == "sigmoid" and not 0 <= alpha <= 1:
        raise SpecError("a sigmoid has its middle between 0 and 1")
    if family == "threshold" and not 0 <= alpha < 1 - ROUNDING:
        raise SpecError("a threshold is at least 0 and below 1, or all attributes would weigh 0")
