"""The generalisation levels of one attribute: ever coarser cells, the same for every record.

Level 0 is the value itself, and each level merges groups of the one below. The levels come from a
declared hierarchy, or are built: ranges of numbers, prefixes of codes, runs of ordered categories;
then a star. A missing cell is a value of its own at every level but the star.
"""

from __future__ import annotations

import abc
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
import polars as pl
from msgspec import Meta

from unveil.errors import SchemaError, SpecError
from unveil.masks.generalisation.base import generalised_attribute, range_cell
from unveil.masks.global_recoding import ranges_of_width
from unveil.support.arrays import Floats, Ints
from unveil.table.attribute import Attribute
from unveil.table.cells import STAR, Range, Star, escape, parse_cell, write_prefix
from unveil.table.columns import labels_of, stored_as
from unveil.table.conform import report_unlisted
from unveil.table.encoding.shared_attributes import common_categories, common_numbers
from unveil.table.encoding.to_arrays import codes
from unveil.table.hierarchies import Hierarchy
from unveil.table.microdata import Microdata
from unveil.wording import count

FINEST_RANGES = 64  # approximate number of ranges of the finest default level
SMALLEST_WIDTH = 1e-290  # division by a smaller width would overflow


class Coarsening(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """How the levels of one attribute are built, instead of from its hierarchy."""

    intervals: Annotated[
        tuple[Annotated[float, Meta(gt=0)], ...] | None,
        Meta(description="Numbers: widths of ranges, each a multiple of the one before."),
    ] = None
    prefix: Annotated[
        bool | tuple[Annotated[int, Meta(ge=1)], ...],
        Meta(description="Codes: numbers of characters kept, decreasing; true: one less each."),
    ] = False
    star: Annotated[
        bool | None, Meta(description="Add a star as the last level; by default as the mask does.")
    ] = None

    def check(self, where: str) -> None:
        """Raise an error unless the levels nest."""
        if self.intervals is not None and self.prefix:
            raise SpecError(f"{where}: give intervals or prefix, not both")
        widths = [Decimal(repr(width)) for width in self.intervals or ()]
        if not all(a < b and b % a == 0 for a, b in pairwise(widths)) or self.intervals == ():
            raise SpecError(
                f"{where}: intervals: give widths, each a multiple of the one before, so that "
                "ranges nest"
            )
        lengths = self.prefix if isinstance(self.prefix, tuple) else (2, 1)
        if not lengths or any(a <= b for a, b in pairwise(lengths)):
            raise SpecError(f"{where}: prefix: numbers of characters, each less than before")


@dataclass(frozen=True, repr=False, eq=False)
class AttributeLevels:
    """One attribute at every level."""

    column: str
    codes: tuple[Ints, ...]  # per file, the value of each record
    groups: Ints  # levels x values: the group of each value
    cells: tuple[tuple[str | None, ...], ...]  # per level above 0, the released cell of each group
    cost: Floats  # levels x values: the fraction of the domain that the cell leaves open
    names: tuple[str, ...]
    attribute: Attribute  # the schema entry above level 0

    @property
    def height(self) -> int:
        """The number of the highest level."""
        return len(self.names) - 1

    def released(self, level: int) -> pl.Series:
        """The column at a level above 0."""
        cells = np.array(self.cells[level - 1], object)[self.groups[level][self.codes[0]]]
        return pl.Series(self.column, cells.tolist(), dtype=pl.String)


def attribute_levels(
    step: str, files: Sequence[Microdata], column: str, how: Coarsening, *, star: bool
) -> AttributeLevels:
    """The levels of an attribute of the first file; other files are generalised the same way.

    A level that merges no values of the files is left out.
    """
    scale = files[0].level(column)
    for present, name, only in (
        (how.intervals is not None, "intervals", "numeric"),
        (bool(how.prefix), "prefix", "nominal"),
    ):
        if present and scale != only:
            raise SpecError(
                f"{step}: hierarchies: column '{column}' is {scale}, and {name} applies to "
                f"{only} columns; leave it out, or declare another level"
            )
    kind = _NumericDomain if scale == "numeric" else _CategoryDomain
    domain = kind(step, files, column)
    levels = list(domain.levels(how))
    if star if how.star is None else how.star:
        levels.append(_Level("star", [_Cell(STAR, 1.0)] * domain.n_values))
    else:
        levels = [level for level in levels if {cell.text for cell in level.cells} != {STAR}]
    return _as_arrays(domain, levels)


class _Cell(NamedTuple):
    text: str
    cost: float  # the fraction of the domain that it leaves open


class _Level(NamedTuple):
    name: str
    cells: list[_Cell]  # of each value


def _as_arrays(domain: _Domain, levels: list[_Level]) -> AttributeLevels:
    """The levels as arrays; missing is the last value, and its own group below a star."""
    missing = any((coded < 0).any() for coded in domain.codes)
    values = domain.n_values + missing
    groups, cells, cost, names = [np.arange(values)], [], [np.zeros(values)], ["value"]
    for level in levels:
        texts: list[str | None] = [cell.text for cell in level.cells]
        costs = [cell.cost for cell in level.cells]
        if missing:
            starred = set(texts) <= {STAR}
            texts.append(STAR if starred else None)
            costs.append(1.0 if starred else 0.0)
        number = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        if len(number) == int(groups[-1].max()) + 1:
            continue
        groups.append(np.array([number[text] for text in texts]))
        cells.append(tuple(number))
        cost.append(np.array(costs))
        names.append(level.name)
    coded = tuple(np.where(file < 0, values - 1, file) for file in domain.codes)
    attribute = generalised_attribute(domain.files[0], domain.column)
    if attribute.level == "ordinal":
        attribute = msgspec.structs.replace(attribute, order=domain.categories)
    tables = np.array(groups), tuple(cells), np.array(cost), tuple(names)
    return AttributeLevels(domain.column, coded, *tables, attribute)


class _Domain(abc.ABC):
    """The distinct values of an attribute in all files, and their cells at each level."""

    n_values: int
    codes: list[Ints]  # per file, the value of each record; -1 missing
    categories: tuple[str, ...] = ()

    def __init__(self, step: str, files: Sequence[Microdata], column: str) -> None:
        self.step, self.files, self.column = step, files, column
        self.hierarchy = Hierarchy.of(files[0].schema[column].hierarchy)

    @abc.abstractmethod
    def levels(self, how: Coarsening) -> Iterator[_Level]:
        """The levels between the values and the star."""

    @abc.abstractmethod
    def group_cell(self, name: str, members: Sequence[str]) -> _Cell:
        """The cell of a group of the hierarchy."""

    def hierarchy_levels(self, labels: Sequence[str]) -> Iterator[_Level]:
        """The levels of the hierarchy, for values with these labels."""
        leaves = self.hierarchy.leaves
        for file in self.files:
            where = f"level 0 of the hierarchy of attribute '{self.column}'"
            report_unlisted(labels_of(file.column(self.column)), leaves, where)
        for number in range(1, self.hierarchy.depth + 1):
            group = dict(zip(leaves, self.hierarchy.codes[number].tolist(), strict=True))
            members: dict[int, list[str]] = {}
            for leaf, code in group.items():
                members.setdefault(code, []).append(leaf)
            names = self.hierarchy.labels[number]
            cells = {code: self.group_cell(names[code], own) for code, own in members.items()}
            level = [cells[group[label]] for label in labels]
            yield _Level(f"level {number} of its hierarchy", level)

    def split(self, coded: Ints) -> list[Ints]:
        """The codes of all files, file by file."""
        return np.split(coded, np.cumsum([len(file) for file in self.files])[:-1])


class _NumericDomain(_Domain):
    def __init__(self, step: str, files: Sequence[Microdata], column: str) -> None:
        super().__init__(step, files, column)
        numbers = common_numbers(*files, column=column)
        every = np.concatenate(numbers)
        known = ~np.isnan(every)
        self.values, first, places = np.unique(every[known], return_index=True, return_inverse=True)
        self.rows = np.flatnonzero(known)[first]  # a row of each value
        coded = np.full(len(every), -1)
        coded[known] = places
        self.n_values, self.codes = len(self.values), self.split(coded)
        masked = numbers[0][~np.isnan(numbers[0])]
        self.low, self.high = float(masked.min(initial=np.inf)), float(masked.max(initial=-np.inf))
        self.stored = stored_as(files[0].column(column))

    def levels(self, how: Coarsening) -> Iterator[_Level]:
        """Ranges: of the groups of the hierarchy, or starting at the multiples of a width."""
        if how.intervals is None and self.hierarchy.depth:
            labels = pl.concat([labels_of(file.column(self.column)) for file in self.files])
            yield from self.hierarchy_levels(labels.gather(self.rows).to_list())
            return
        dates = self.stored in ("dates", "times")
        if dates and how.intervals is not None:
            raise SchemaError(
                f"{self.step}: column '{self.column}' holds {self.stored}, which ranges of "
                "numbers cannot represent; leave its intervals out, or make it a number"
            )
        if dates or not self.n_values:
            return
        whole = self.stored == "whole numbers"
        for width in self._default_widths() if how.intervals is None else how.intervals:
            closed = whole and float(width).is_integer()
            texts = ranges_of_width(self.step, self.values, float(width), closed=closed).tolist()
            cells = {text: self._cell(text, whole=whole and not closed) for text in set(texts)}
            yield _Level(f"ranges of {width:g}", [cells[text] for text in texts])

    def _default_widths(self) -> Iterator[float]:
        """A round width of about FINEST_RANGES ranges, then each twice as wide."""
        spread, largest = self.high - self.low, float(np.abs(self.values).max())
        if spread / FINEST_RANGES < SMALLEST_WIDTH:
            return
        width = _round_near(spread / FINEST_RANGES)
        if self.stored == "whole numbers":
            width = max(width, Decimal(2))
        while largest / float(width) > 2**52:
            width *= 2
        while float(width) <= spread:
            yield float(width)
            width *= 2

    def group_cell(self, name: str, members: Sequence[str]) -> _Cell:
        try:
            ascending = sorted(members, key=float)
        except ValueError:
            raise SchemaError(
                f"{self.step}: attribute '{self.column}' is numeric, and its hierarchy has "
                "categories that are not numbers; correct them, or declare it nominal"
            ) from None
        return self._cell(STAR if name == STAR else range_cell(ascending[0], ascending[-1]))

    def _cell(self, text: str, *, whole: bool = False) -> _Cell:
        """A cell, with the fraction of the file's range that it leaves open."""
        cell = parse_cell(text)
        if not isinstance(cell, Range) or not self.high > self.low:
            return _Cell(text, 1.0 if isinstance(cell, Star) else 0.0)
        lower, upper = (float(end or 0) for end in cell)  # both ends are finite
        if whole:  # 2.5..5 without its upper end holds 3 and 4
            lower, upper = np.ceil(lower), np.ceil(upper) - 1
        within = min(upper, self.high) - max(lower, self.low)
        return _Cell(text, float(max(within, 0.0)) / (self.high - self.low))


class _CategoryDomain(_Domain):
    def __init__(self, step: str, files: Sequence[Microdata], column: str) -> None:
        super().__init__(step, files, column)
        data = files[0]
        self.categories = codes(data, column).categories
        for other in files[1:]:
            merged = common_categories(data, other, column)
            more = set(merged) - set(self.categories)
            if data.level(column) == "ordinal":
                self.categories = merged if more else self.categories
            else:
                self.categories = tuple(sorted({*self.categories, *more}))
        every = np.concatenate([codes(file, column, self.categories).codes for file in files])
        distinct, places = np.unique(every.astype(np.int64), return_inverse=True)
        missing = int(distinct[0] < 0)
        self.places = distinct[missing:].tolist()
        self.values = [self.categories[place] for place in self.places]
        self.n_values, self.codes = len(self.values), self.split(places - missing)

    def levels(self, how: Coarsening) -> Iterator[_Level]:
        """Groups of the hierarchy, prefixes, or runs of the order."""
        if how.prefix:
            longest = max(map(len, self.values), default=0)
            yield from self._prefixes(
                range(longest - 1, 0, -1) if isinstance(how.prefix, bool) else how.prefix
            )
        elif self.hierarchy.depth:
            yield from self.hierarchy_levels(self.values)
        elif self.files[0].level(self.column) == "ordinal":
            yield from self._runs()

    def group_cell(self, name: str, members: Sequence[str]) -> _Cell:
        cost = (len(members) - 1) / max(len(self.hierarchy.leaves) - 1, 1)
        return _Cell(STAR if name == STAR else escape(name), cost)

    def _prefixes(self, lengths: Iterable[int]) -> Iterator[_Level]:
        most = max(len(self.categories) - 1, 1)
        for length in lengths:
            members: dict[str, list[str]] = {}
            for category in self.categories:
                members.setdefault(category[:length], []).append(category)
            cells = {}
            for prefix, codes_of in members.items():
                text = escape(prefix) if codes_of == [prefix] else write_prefix(prefix)
                cells[prefix] = _Cell(text, (len(codes_of) - 1) / most)
            level = [cells[value[:length]] for value in self.values]
            yield _Level(f"first {count(length, 'character')}", level)

    def _runs(self) -> Iterator[_Level]:
        size, n = 2, len(self.categories)
        while size < n:
            starts = [place // size * size for place in self.places]
            runs = [self.categories[start : start + size] for start in starts]
            cells = [_Cell(range_cell(run[0], run[-1]), (len(run) - 1) / (n - 1)) for run in runs]
            yield _Level(f"runs of {size}", cells)
            size *= 2


def _round_near(size: float) -> Decimal:
    """1, 2 or 5 times a power of ten, the nearest by its ratio."""
    power = int(np.floor(np.log10(size)))
    round_numbers = [Decimal(digit).scaleb(power) for digit in (1, 2, 5, 10)]
    return min(round_numbers, key=lambda number: abs(np.log(float(number) / size)))
