"""An original and its release side by side: what attacks and measures of both read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from unveil.support.arrays import Floats, Ints, Ints32
from unveil.support.checked_calls import checked_class
from unveil.support.seeds import stream
from unveil.table.encoding.shared_attributes import (
    common_categories,
    common_cells,
    common_level,
    common_numbers,
    recode_like_release,
)
from unveil.table.encoding.to_arrays import codes
from unveil.table.households import households_of
from unveil.table.microdata import Microdata
from unveil.table.roles import Level
from unveil.table.row_identity import columns_by_content, content_order, sample_rows
from unveil.values.correspondence import Correspondence
from unveil.values.release.category_channels import Sets
from unveil.values.release.channels import Ranges


@checked_class
@dataclass(frozen=True, repr=False, eq=False)
class FilePair:
    """An original, or an intruder's file, and its release, with the truth of who is who.

    >>> from unveil.table.sample import households
    >>> sample = households(100)
    >>> pair = FilePair.of(sample, sample.take([5, 3]), [5, 3])
    >>> pair.originals.tolist(), pair.released.tolist()
    ([5, 3], [0, 1])
    >>> "person" in pair.columns
    False
    """

    original: Microdata
    release: Microdata
    truth: Correspondence | None  # None: not known

    @classmethod
    def of(cls, original: Microdata, release: Microdata, row_map: ArrayLike | None) -> FilePair:
        """The pair with the original row of each released row, -1 for none; None: not known."""
        if row_map is None:
            return cls(original, release, None)
        return cls(original, release, Correspondence.from_row_map(row_map, len(original)))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of both files, in the original's order, without identifiers."""
        return tuple(
            name
            for name in self.original.columns
            if name in self.release.columns and "identifier" not in self.original.schema[name].role
        )

    @cached_property
    def grouping(self) -> tuple[str, ...]:
        """The released columns that tell who lives together: household numbers by either schema."""
        return tuple(
            name
            for name in self.release.columns
            if "household" in self.original.schema[name].role | self.release.schema[name].role
        )

    @cached_property
    def shows_households(self) -> bool:
        """Whether any two released rows have the same household number."""
        homes = households_of(self.release, self.grouping)
        return homes is not None and len(homes) < len(self.release)

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """The columns that describe a person: no weights, no household numbers."""
        design = {"weight", "household"}
        return tuple(n for n in self.columns if not self.original.schema[n].role & design)

    def with_role(self, role: str) -> tuple[str, ...]:
        """The columns with a role, by the original's schema."""
        wanted = self.original.schema.with_role(role)
        return tuple(name for name in self.columns if name in wanted)

    @cached_property
    def released(self) -> Ints:
        """The released rows whose original is known."""
        return np.zeros(0, np.int64) if self.truth is None else self.truth.rows

    @property
    def originals(self) -> Ints:
        """The original row of each row in `released`."""
        return self.released if self.truth is None else self.truth.records

    def level(self, column: str) -> Level:
        """The level of a column, on which both files agree."""
        return common_level(self.original, self.release, column)

    def generalised(self, column: str) -> bool:
        """Whether either file has ranges, sets or stars in the column."""
        return any(data.schema[column].generalised for data in (self.original, self.release))

    def plain(self, *levels: Level) -> tuple[str, ...]:
        """The columns of single values, of these levels or of any."""
        return tuple(
            name
            for name in self.columns
            if not self.generalised(name) and (not levels or self.level(name) in levels)
        )

    def is_ordered(self, column: str) -> bool:
        """Whether values have ranks: numbers, ordered categories, or a hierarchy in both files."""
        if self.generalised(column):
            return False
        hierarchies = (data.schema[column].hierarchy for data in (self.original, self.release))
        return self.level(column) != "nominal" or all(hierarchies)

    def is_truthful(self, column: str) -> bool:
        """Whether every released cell can hold its person's value; true where no pair is known."""
        if column not in self.columns:
            return False
        numeric = self.level(column) == "numeric"
        if numeric and not self.generalised(column):
            original, released = self.numbers(column)
            gaps = original[self.originals] - released[self.released]
            return not (np.abs(gaps) > 0).any()  # never for a NaN
        channel = Ranges((column,)) if numeric else Sets((column,))
        if not len(self.released):
            return True
        after = self.release.select([column]).take(self.released)
        before = self.original.select([column]).take(self.originals)
        return not channel.excludes(recode_like_release(after, before, [column]), after).any()

    def numbers(self, column: str) -> tuple[Floats, Floats]:
        """A column of both files as numbers in one unit; NaN where missing."""
        original, released = common_numbers(self.original, self.release, column=column)
        return original, released

    def codes(self, column: str) -> tuple[Ints32, Ints32, tuple[str, ...]]:
        """A column of both files as codes of the same categories; -1 where missing."""
        categories = common_categories(self.original, self.release, column)
        original, released = (
            codes(data, column, categories).codes for data in (self.original, self.release)
        )
        return original, released, categories

    def cells(self, column: str) -> tuple[Ints, Ints]:
        """A column of both files as integers, equal where the cells are; below 0 where missing."""
        original, released = common_cells(self.original, self.release, column=column)
        return original, released

    def sample(self, n: int, seed: int, name: str) -> Ints:
        """Draw n of the pairs, whatever the order of the rows: positions in `released`."""
        n = max(n, 0)
        if n >= len(self.released):
            return np.arange(len(self.released))
        return sample_rows(self.original_order[self.originals], n, stream(seed, "measure", name))

    @cached_property
    def content_order(self) -> Ints:
        """The rank of each released row by the content of its original and of itself."""
        rank = np.empty(len(self.release), np.int64)
        rank[self.released] = self.original_order[self.originals]
        others = np.setdiff1d(np.arange(len(rank)), self.released, assume_unique=True)
        if len(others):
            rank[others] = len(self.original) + content_order(self.release)[others]
        return np.argsort(np.argsort(rank, kind="stable"), kind="stable")

    @cached_property
    def in_content_order(self) -> FilePair:
        """The same files, their columns in an order that does not depend on that in the files."""
        original, release = map(columns_by_content, (self.original, self.release))
        return replace(self, original=original, release=release)

    @cached_property
    def original_order(self) -> Ints:
        """The rank of each original row by its content, then by that of its released row."""
        partners = None if self.truth is None else self.truth.row_of_record
        return content_order(self.original, self.release, partners)

    @cached_property
    def release_order(self) -> Ints:
        """The rank of each released row by its content, then by that of its original."""
        partners = None if self.truth is None else self.truth.record_of_row
        return content_order(self.release, self.original, partners)


@dataclass(frozen=True, repr=False, eq=False)
class CanonicalOrder:
    """The content ranks of the records to link and of their candidates, on demand."""

    pair: FilePair
    reverse: bool

    @property
    def records(self) -> Ints:
        """The ranks of the records to link."""
        return self.pair.release_order if self.reverse else self.pair.original_order

    @property
    def candidates(self) -> Ints:
        """The ranks of the candidates."""
        return self.pair.original_order if self.reverse else self.pair.release_order
