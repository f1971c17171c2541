"""Belief functions: what is known of which record it is, where no probability is known.

Shafer, *A Mathematical Theory of Evidence* (1976); Smets & Kennes, *The transferable belief
model* (1994).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import UsageError
from unveil.support.arrays import Floats
from unveil.support.options import whole_number

MOST_RECORDS = 10**9
ROUNDING = 1e-9  # what sums to 1 within this sums to 1


@dataclass(frozen=True, repr=False, eq=False)
class Belief:
    """A belief function on n records: masses of sets, one of which holds the record.

    Parameters
    ----------
    n
        The number of records, which are 0 to n - 1.
    masses
        The mass of each set of records: none negative, none on the empty set, 1 in all.

    >>> either = Belief(3, {(0,): 0.5, (1, 2): 0.5})
    >>> either.belief([1]), either.plausibility([1])
    (0.0, 0.5)
    """

    n: int
    masses: Mapping[frozenset[int], float]

    def __init__(self, n: int, masses: Mapping[Any, float]) -> None:
        object.__setattr__(self, "n", whole_number(n, "n", 1, MOST_RECORDS))
        if not isinstance(masses, Mapping):
            raise UsageError(f"masses: a dict, sets to their masses, not {type(masses).__name__}")
        found: dict[frozenset[int], float] = {}
        weights = probabilities(list(masses.values()), "masses").tolist()
        for members, weight in zip(masses, weights, strict=True):
            records = self._set(members)
            if weight > 0:
                found[records] = found.get(records, 0.0) + weight
        if frozenset() in found:
            raise UsageError("masses: the empty set has none, for some record it is")
        object.__setattr__(self, "masses", MappingProxyType(found))

    @classmethod
    def of(cls, given: ArrayLike) -> Belief:
        """The belief function of a probability: all mass on single records.

        >>> Belief.of([0.25, 0.75]).belief([1])
        0.75
        """
        each = probabilities(given, "probabilities").tolist()
        return cls(len(each), {(record,): mass for record, mass in enumerate(each)})

    @classmethod
    def vacuous(cls, n: int) -> Belief:
        """The belief function of somebody who knows nothing: all mass on all records.

        >>> Belief.vacuous(4).belief([0, 1, 2]), Belief.vacuous(4).plausibility([3])
        (0.0, 1.0)
        """
        return cls(n, {range(whole_number(n, "n", 1, MOST_RECORDS)): 1.0})

    def belief(self, records: Iterable[int]) -> float:
        """How much is certainly in a set: the mass of the sets inside it.

        >>> Belief(3, {(0,): 0.25, (0, 1): 0.5, (2,): 0.25}).belief([0, 1])
        0.75
        """
        inside = self._set(records)
        return float(sum(mass for members, mass in self.masses.items() if members <= inside))

    def plausibility(self, records: Iterable[int]) -> float:
        """How much may be in a set: the mass of the sets that meet it.

        >>> Belief(3, {(0,): 0.25, (0, 1): 0.5, (2,): 0.25}).plausibility([1])
        0.5
        """
        met = self._set(records)
        return float(sum(mass for members, mass in self.masses.items() if members & met))

    def pignistic(self) -> Floats:
        """The probability by which to bet: each set's mass in equal parts on its records.

        >>> Belief(3, {(0,): 0.25, (0, 1): 0.5, (2,): 0.25}).pignistic().tolist()
        [0.5, 0.25, 0.25]
        """
        bets = np.zeros(self.n)
        for members, mass in self.masses.items():
            bets[list(members)] += mass / len(members)
        return bets

    def _set(self, records: Iterable[int]) -> frozenset[int]:
        try:
            members = frozenset(whole_number(record, "record", 0, self.n - 1) for record in records)
        except TypeError:
            raise UsageError("a set of records is a list of whole numbers") from None
        return members

    def __repr__(self) -> str:
        return f"Belief({self.n:,} records, masses of {len(self.masses):,} sets)"


def probabilities(given: ArrayLike, name: str) -> Floats:
    """Numbers that are probabilities: none negative, 1 in all; what rounding left is mended."""
    try:
        each = np.array(given, np.float64)
    except (TypeError, ValueError):
        each = np.zeros(0)
    if each.ndim != 1 or not (each >= 0).all() or not abs(each.sum() - 1) <= ROUNDING:
        raise UsageError(f"{name}: numbers, none of them below 0, whose sum is 1")
    mended: Floats = each / each.sum()
    return mended
