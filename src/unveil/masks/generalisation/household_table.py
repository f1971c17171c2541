"""Households as records: the cells of the household once, and those of each of its members.

cells of persons ──widen──▶ a row per household ──any method──▶ ──narrow──▶ cells of persons
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.support.arrays import Bools, Floats, Ints, Ints32
from unveil.table.households import Homes


@dataclass(frozen=True, repr=False, eq=False)
class HouseholdTable:
    """The households of one size as the rows of a table.

    Its columns are the person-level keys of each member, then the household-level keys. Members
    and households stand in the order of their cells: row order and numbers mean nothing.

    >>> codes = np.array([[5, 0], [3, 1], [4, 1], [7, 0]])  # of two persons in each of two homes
    >>> homes, shared = Homes(np.array([0, 1, 1, 0])), np.array([False, True])
    >>> table = household_tables(codes, shared, homes, k=2)[0]
    >>> table.widen(codes).tolist()
    [[3, 4, 1], [5, 7, 0]]
    >>> table.narrow(table.widen(codes) * 10, codes.copy()).tolist()
    [[50, 0], [30, 10], [40, 10], [70, 0]]
    """

    members: Ints  # households x size: the records of the members
    keys: Ints  # of each column the key
    places: Ints  # of each column the member; -1: all of them share it

    @property
    def cells_of_columns(self) -> Floats:
        """The number of cells of persons that a cell of each column stands for."""
        return np.where(self.places < 0, float(self.members.shape[1]), 1.0)

    def widen(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Cells of persons, records x keys, as households x columns."""
        return cells[self.members[:, self.places], self.keys]

    def narrow(self, wide: NDArray[Any], cells: NDArray[Any]) -> NDArray[Any]:
        """Write cells of households x columns into those of persons, records x keys."""
        for key, place, column in zip(self.keys, self.places, wide.T, strict=True):
            if place < 0:
                cells[self.members, key] = column[:, None]
            else:
                cells[self.members[:, place], key] = column
        return cells


def household_tables(codes: Ints32, shared: Bools, homes: Homes, *, k: int) -> list[HouseholdTable]:
    """A table for each size that at least k households have.

    `codes` are the cells, records x keys, `shared` the household-level keys. Members are ordered
    by the key with the fewest values first: men stand beside men, whatever their ages.
    """
    keys = np.argsort([-len(np.unique(column)) for column in codes.T], kind="stable")
    own, common = keys[~shared[keys]], keys[shared[keys]]
    order = np.lexsort((*codes[:, own].T, homes.of_record))  # the last is the first to sort by
    tables = []
    for size in np.flatnonzero(np.bincount(homes.sizes) >= k).tolist():
        starts = homes.starts[:-1][homes.sizes == size]
        members = order[starts[:, None] + np.arange(size)]
        columns = np.append(np.repeat(own, size), common)
        places = np.append(np.tile(np.arange(size), len(own)), np.full(len(common), -1))
        wide = HouseholdTable(members, columns, places).widen(codes)
        by_contents = np.lexsort(wide.T[::-1])
        tables.append(HouseholdTable(members[by_contents], columns, places))
    return tables
