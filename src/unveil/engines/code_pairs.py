"""Pairs of codes in rows: a sparse table, of which only the listed cells are kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unveil.support.arrays import Floats, Ints


@dataclass(frozen=True, repr=False, eq=False)
class CodePairs:
    """Pairs of a query's and a candidate's code, both below `n_codes`, each with a value.

    >>> pairs = CodePairs.of(np.array([1, 0, 1]), np.array([0, 0, 2]), np.array([5.0, 6, 7]), 3)
    >>> pairs.starts.tolist(), pairs.codes.tolist(), pairs.values.tolist()
    ([0, 1, 3, 3], [0, 0, 2], [6.0, 5.0, 7.0])
    """

    starts: Ints  # where the pairs of each query's code begin, and the end
    codes: Ints  # of the candidates, ascending for each query's code
    values: Floats

    @classmethod
    def of(cls, first: Ints, second: Ints, values: Floats, n_codes: int) -> CodePairs:
        """Pairs in any order; one that is listed twice has the same value both times."""
        keys, place = np.unique(first * n_codes + second, return_index=True)
        starts = np.searchsorted(keys, np.arange(n_codes + 1) * n_codes)
        return cls(starts, keys % n_codes, values[place])

    @property
    def n_codes(self) -> int:
        """The number of codes."""
        return len(self.starts) - 1

    @property
    def rows(self) -> Ints:
        """The query's code of each pair."""
        return np.repeat(np.arange(self.n_codes), np.diff(self.starts))

    @property
    def reversed(self) -> CodePairs:
        """The same pairs with query and candidate exchanged."""
        return CodePairs.of(self.codes, self.rows, self.values, self.n_codes)

    def values_of(self, first: Floats, second: Floats, other: float) -> Floats:
        """The value of each pair of codes; `other` where it is not listed, NaN where one is NaN.

        >>> pairs = CodePairs.of(np.array([1, 0]), np.array([0, 0]), np.array([5.0, 6]), 2)
        >>> pairs.values_of(np.array([1.0, 1, np.nan]), np.array([0.0, 1, 1]), 9.0).tolist()
        [5.0, 9.0, nan]
        """
        wanted = first * self.n_codes + second
        keys = np.append(self.rows * self.n_codes + self.codes, -1)  # found by no pair
        place = np.searchsorted(keys[:-1], wanted)
        found = np.where(keys[place] == wanted, np.append(self.values, other)[place], other)
        return np.where(np.isnan(wanted), np.nan, found)

    def with_values(self, values: Floats) -> CodePairs:
        """The same pairs with other values."""
        return CodePairs(self.starts, self.codes, values)
