"""Sums and least values of groups of numbers."""

import numpy as np

from unveil.support.arrays import Floats, Ints
from unveil.table.households import Homes

SPARSE = 4  # times as many keys as occur: they are sorted


def sums(values: Floats, homes: Homes) -> Floats:
    """The sum of the values of the members of each household."""
    return np.asarray(np.bincount(homes.of_record, values, len(homes)), np.float64)


def rows_by_class(classes: Ints) -> tuple[Ints, Ints]:
    """Where the rows of each class begin, and these rows."""
    return np.append(0, np.cumsum(np.bincount(classes))), np.argsort(classes, kind="stable")


def sum_by_key(keys: Ints, values: Floats, n_keys: int) -> tuple[Ints, Floats]:
    """The different keys, ascending, and the sum of the values of each."""
    if n_keys > SPARSE * len(keys):
        different, at = np.unique(keys, return_inverse=True)
        return different, np.asarray(np.bincount(at, values), np.float64)
    there = np.zeros(n_keys, np.bool_)
    there[keys] = True
    different = np.flatnonzero(there)
    return different, np.asarray(np.bincount(keys, values, n_keys), np.float64)[different]


def kth_least(groups: Ints, values: Floats, k: int, n_groups: int) -> Floats:
    """The k-th least value of each group; infinity if it has fewer."""
    order = np.lexsort((values, groups))
    groups, values = groups[order], values[order]
    place = np.arange(len(groups)) - np.searchsorted(groups, groups)
    result = np.full(n_groups, np.inf)
    result[groups[place == k - 1]] = values[place == k - 1]
    return result
