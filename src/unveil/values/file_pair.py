"""An original and its release side by side: what every measure of both reads."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unveil.support.arrays import Floats, Ints, Ints32
from unveil.support.seeds import stream
from unveil.table.encoding.shared_attributes import (
    common_categories,
    common_cells,
    common_level,
    common_numbers,
)
from unveil.table.encoding.to_arrays import codes
from unveil.table.microdata import Microdata
from unveil.table.roles import Level
from unveil.table.row_identity import content_order, sample_rows


@dataclass(frozen=True, repr=False, eq=False)
class FilePair:
    """Two tables, and the original's row of each released row: -1 none, None not known.

    >>> from unveil.table.sample import households
    >>> sample = households(100)
    >>> both = FilePair(sample, sample.take([5, 3]), np.array([5, 3]))
    >>> both.originals.tolist(), both.released.tolist()
    ([5, 3], [0, 1])
    >>> "person" in both.columns
    False
    """

    original: Microdata
    release: Microdata
    rows: Ints | None

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Those that both have, in the original's order; no identifiers."""
        return tuple(
            name
            for name in self.original.columns
            if name in self.release.columns and "identifier" not in self.original.schema[name].role
        )

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """Of these, those that say something of a person: no weights and no households."""
        about = {"weight", "household"}
        return tuple(n for n in self.columns if not self.original.schema[n].role & about)

    def with_role(self, role: str) -> tuple[str, ...]:
        """Of these, those that have a role, as the original's schema says."""
        wanted = self.original.schema.with_role(role)
        return tuple(name for name in self.columns if name in wanted)

    @cached_property
    def released(self) -> Ints:
        """The released rows whose original is known."""
        known: Ints = np.zeros(0, np.int64) if self.rows is None else np.flatnonzero(self.rows >= 0)
        return known

    @property
    def originals(self) -> Ints:
        """The original row of each of these."""
        return self.released if self.rows is None else self.rows[self.released]

    def level(self, column: str) -> Level:
        """What the column is, in both."""
        return common_level(self.original, self.release, column)

    def generalised(self, column: str) -> bool:
        """Whether cells are ranges, sets or stars, in either."""
        return any(data.schema[column].generalised for data in (self.original, self.release))

    def plain(self, *levels: Level) -> tuple[str, ...]:
        """The columns whose cells are single values; of these levels, if any are given."""
        return tuple(
            name
            for name in self.columns
            if not self.generalised(name) and (not levels or self.level(name) in levels)
        )

    def numbers(self, column: str) -> tuple[Floats, Floats]:
        """A column of both tables as numbers in one unit, a NaN where missing."""
        original, released = common_numbers(self.original, self.release, column=column)
        return original, released

    def codes(self, column: str) -> tuple[Ints32, Ints32, tuple[str, ...]]:
        """A column of both tables as codes of the same categories, -1 where missing."""
        listed = common_categories(self.original, self.release, column)
        return (
            codes(self.original, column, listed).codes,
            codes(self.release, column, listed).codes,
            listed,
        )

    def cells(self, column: str) -> tuple[Ints, Ints]:
        """A column of both tables as whole numbers, the same where cells are; -1 where missing."""
        original, released = common_cells(self.original, self.release, column=column)
        return original, released

    def sample(self, n: int, seed: int, name: str) -> Ints:
        """So many of the pairs, drawn by what rows hold: places among `released`, ascending."""
        if n >= len(self.released):
            return np.arange(len(self.released))
        return sample_rows(self._places, n, stream(seed, "measure", name))

    @cached_property
    def places(self) -> Ints:
        """The place of each released row among all, by what its person and it hold."""
        places = np.empty(len(self.release), np.int64)
        places[self.released] = self._places
        others = np.setdiff1d(np.arange(len(places)), self.released, assume_unique=True)
        if len(others):
            places[others] = len(self.original) + content_order(self.release)[others]
        return np.argsort(np.argsort(places, kind="stable"), kind="stable")

    @cached_property
    def _places(self) -> Ints:
        partners = np.full(len(self.original), -1)
        partners[self.originals] = self.released
        return content_order(self.original, self.release, partners)[self.originals]
