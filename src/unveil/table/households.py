"""Households: the members of each, and the columns that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unveil.errors import SchemaError
from unveil.support.arrays import Bools, Ints
from unveil.table.encoding.shared_attributes import common_cells, written_cells
from unveil.table.microdata import Microdata

FEWEST_HOUSEHOLDS = 5  # of several members; in fewer these may be alike by chance


@dataclass(frozen=True, repr=False, eq=False)
class Homes:
    """The household of each record; a record without a number is a household by itself.

    >>> homes = Homes(np.array([0, 1, 0]))
    >>> len(homes), homes.sizes.tolist(), homes.members(0).tolist(), homes.firsts.tolist()
    (2, [2, 1], [0, 2], [0, 1])
    """

    of_record: Ints  # from 0 on, without gaps

    @classmethod
    def from_cells(cls, *columns: Ints) -> Homes:
        """Households by the cells of their number, below 0 where it is missing."""
        n, numbers = len(columns[0]), np.zeros(len(columns[0]), np.int64)
        for cells in columns:  # one after another: to sort rows of several would take longer
            places = np.unique(cells, return_inverse=True)[1]
            numbers = np.unique(numbers * n + places, return_inverse=True)[1]
        missing = np.any([cells < 0 for cells in columns], axis=0)
        alone_first = np.where(missing, np.arange(n), numbers + n)
        return cls(np.unique(alone_first, return_inverse=True)[1])

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def sizes(self) -> Ints:
        """The number of members of each household."""
        return np.bincount(self.of_record)

    @cached_property
    def order(self) -> Ints:
        """The records, household after household."""
        return np.argsort(self.of_record, kind="stable")

    @cached_property
    def starts(self) -> Ints:
        """Where each household begins in that order, and the end."""
        return np.append(0, np.cumsum(self.sizes))

    @property
    def firsts(self) -> Ints:
        """One record of each household."""
        return self.order[self.starts[:-1]]

    def members(self, household: int) -> Ints:
        """The records of a household."""
        return self.order[self.starts[household] : self.starts[household + 1]]

    def take(self, rows: Ints) -> Homes:
        """The households of some of the records."""
        return Homes(np.unique(self.of_record[rows], return_inverse=True)[1])

    def in_file_order(self) -> Homes:
        """The same households, numbered in the order of their first records."""
        return Homes(np.argsort(np.argsort(self.firsts))[self.of_record])

    def known_members(self, known: Bools) -> Ints:
        """One record of each household, with a known cell if any member has one."""
        order = np.lexsort((~known, self.of_record))
        return order[self.starts[:-1]]

    def varies(self, cells: Ints) -> Bools:
        """Whether known cells, 0 or more, differ between the members of each household."""
        ordered = cells[self.order]
        known = np.where(ordered < 0, ordered.max(initial=0), ordered)
        lowest, highest = (
            end.reduceat(some, self.starts[:-1])
            for end, some in ((np.minimum, known), (np.maximum, ordered))
        )
        return lowest < highest

    def shares(self, cells: Ints) -> Bools:
        """Whether all members of each household have the same cell."""
        ordered = cells[self.order]
        equal = ordered == np.repeat(ordered[self.starts[:-1]], self.sizes)
        return np.logical_and.reduceat(equal, self.starts[:-1])


def household_numbers(data: Microdata) -> tuple[str, ...]:
    """The columns with the numbers of the households; several make one number together."""
    return tuple(name for name in data.columns if "household" in data.schema[name].role)


def households_of(data: Microdata, numbers: Sequence[str] | None = None) -> Homes | None:
    """The households of a table by its numbers; None if it has none.

    >>> import unveil
    >>> len(households_of(unveil.households(1000, seed=7)))
    464
    """
    numbers = household_numbers(data) if numbers is None else numbers
    if not numbers:
        return None
    return Homes.from_cells(*(common_cells(data, column=name)[0] for name in numbers))


def required_households(data: Microdata) -> Homes:
    """The households of a table, or an error with the remedy if it has no household number."""
    homes = households_of(data)
    if homes is None:
        raise SchemaError(
            "no column is a household number; declare one in the schema (role household). A "
            'release has one if its plan has household = "renumber" or "keep"'
        )
    return homes


def shared_columns(data: Microdata, homes: Homes) -> tuple[str, ...]:
    """The columns that all members share in each household, beside its number.

    >>> import unveil
    >>> people = unveil.households(1000, seed=7)
    >>> shared_columns(people, households_of(people))
    ('region', 'household_size', 'weight')
    """
    if (homes.sizes == 1).all():
        return ()
    return tuple(
        name
        for name in data.columns
        if not data.schema[name].role & {"identifier", "household"}
        and homes.shares(written_cells(data, name)).all()
    )


def likely_shared(data: Microdata, homes: Homes, numbers: Sequence[str] = ()) -> tuple[str, ...]:
    """The columns that all members share and that are not declared: they may describe households.

    Few households, or one value in the whole file, are no sign of it. `numbers` are those of
    households, declared or not.
    """
    if np.count_nonzero(homes.sizes > 1) < FEWEST_HOUSEHOLDS:
        return ()
    shared = [name for name in shared_columns(data, homes) if name not in numbers]
    found = [name for name in shared if not data.schema[name].per_household]
    return tuple(name for name in found if data.column(name).drop_nulls().n_unique() > 1)


def varying_columns(data: Microdata, homes: Homes, columns: Sequence[str]) -> dict[str, int]:
    """The number of households whose members have different known cells, by column, if any."""
    counts = {name: int(homes.varies(common_cells(data, column=name)[0]).sum()) for name in columns}
    return {name: n for name, n in counts.items() if n}


def declared_shared(data: Microdata) -> tuple[str, ...]:
    """The columns that the schema declares to be the same for all members of a household."""
    return tuple(name for name in data.columns if data.schema[name].per_household)
