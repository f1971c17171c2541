"""Belief functions: knowledge about the true record without a full probability.

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
from unveil.support.checked_calls import checked_class
from unveil.support.options import whole_number
from unveil.wording import count

MOST_RECORDS = 10**9
ROUNDING = 1e-9  # of a sum that is 1
LEAST_MOVED = 1e-6  # the solver's tolerance is 1e-7


@checked_class
@dataclass(frozen=True, repr=False, eq=False)
class Belief:
    """A belief function on n records: masses of sets, one of which contains the true record.

    Parameters
    ----------
    n
        The number of records, which are 0 to n - 1.
    masses
        The mass of each set of records: non-negative, zero on the empty set, summing to 1.

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
        summed: dict[frozenset[int], float] = {}
        weights = probabilities(list(masses.values()), "masses").tolist()
        for members, weight in zip(masses, weights, strict=True):
            records = self._set(members)
            if weight > 0:
                summed[records] = summed.get(records, 0.0) + weight
        if frozenset() in summed:
            raise UsageError("masses: the empty set has none")
        object.__setattr__(self, "masses", MappingProxyType(summed))

    @classmethod
    def of(cls, probability: ArrayLike) -> Belief:
        """The belief function of a probability: all mass on single records.

        >>> Belief.of([0.25, 0.75]).belief([1])
        0.75
        """
        masses = probabilities(probability, "probabilities").tolist()
        return cls(len(masses), {(record,): mass for record, mass in enumerate(masses)})

    @classmethod
    def vacuous(cls, n: int) -> Belief:
        """The belief function without any knowledge: all mass on the set of all records.

        >>> Belief.vacuous(4).belief([0, 1, 2]), Belief.vacuous(4).plausibility([3])
        (0.0, 1.0)
        """
        return cls(n, {range(whole_number(n, "n", 1, MOST_RECORDS)): 1.0})

    def belief(self, records: Iterable[int]) -> float:
        """The mass of the sets inside this set: it certainly contains the true record."""
        inside = self._set(records)
        return float(sum(mass for members, mass in self.masses.items() if members <= inside))

    def plausibility(self, records: Iterable[int]) -> float:
        """The mass of the sets that meet this set: it may contain the true record."""
        met = self._set(records)
        return float(sum(mass for members, mass in self.masses.items() if members & met))

    def pignistic(self) -> Floats:
        """The probability for bets: the mass of each set in equal parts on its records.

        >>> Belief(3, {(0,): 0.25, (0, 1): 0.5, (2,): 0.25}).pignistic().tolist()
        [0.5, 0.25, 0.25]
        """
        bets = np.zeros(self.n)
        for members, mass in self.masses.items():
            bets[list(members)] += mass / len(members)
        return bets

    def is_below(self, probability: ArrayLike) -> bool:
        """Whether no set of records has a belief above its probability (Bel <= P, Definition 3).

        It holds if the masses can be divided among their records so that the parts add up to the
        probability: a transport, and by duality no set can lack capacity for its belief.

        >>> Belief(2, {(0,): 0.5, (0, 1): 0.5}).is_below([0.75, 0.25])
        True
        >>> Belief(2, {(0,): 0.5, (0, 1): 0.5}).is_below([0.25, 0.75])
        False
        """
        from scipy import sparse
        from scipy.optimize import linprog

        capacity = probabilities(probability, "probability")
        if len(capacity) != self.n:
            raise UsageError(f"probability: one for each of the {count(self.n, 'record')}")
        sizes = [len(members) for members in self.masses]
        part = np.arange(sum(sizes))
        record = np.concatenate([sorted(members) for members in self.masses])
        used, row = np.unique(record, return_inverse=True)
        at = np.concatenate([np.repeat(np.arange(len(sizes)), sizes), len(sizes) + row])
        ones = sparse.coo_array((np.ones(len(at)), (at, np.tile(part, 2))))
        limits = np.concatenate([list(self.masses.values()), capacity[used]])
        moved = -linprog(-np.ones(len(part)), ones.tocsr(), limits, method="highs").fun
        return bool(moved >= 1 - LEAST_MOVED)

    def _set(self, records: Iterable[int]) -> frozenset[int]:
        try:
            members = frozenset(whole_number(record, "record", 0, self.n - 1) for record in records)
        except TypeError:
            raise UsageError("a set of records is a list of whole numbers") from None
        return members

    def __repr__(self) -> str:
        return f"Belief({self.n:,} records, masses of {len(self.masses):,} sets)"


def probabilities(numbers: ArrayLike, name: str) -> Floats:
    """Numbers that are checked to be probabilities with the sum 1, which becomes exact."""
    try:
        values = np.array(numbers, np.float64)
    except (TypeError, ValueError, OverflowError):
        values = np.zeros(0)
    if values.ndim != 1 or not (values >= 0).all() or not abs(values.sum() - 1) <= ROUNDING:
        raise UsageError(f"{name}: numbers, none of them below 0, whose sum is 1")
    exact: Floats = values / values.sum()
    return exact
