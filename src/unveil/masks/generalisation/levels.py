"""One attribute made coarser, level by level, the same way for every record.

Level 0 is the value itself, and each level puts together groups of the one before. The levels
come from a declared hierarchy, or are made: ranges of numbers, beginnings of codes, runs of
ordered categories; then a star. A missing cell is a value of its own at every level but the star.
"""

from __future__ import annotations

import abc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
import polars as pl
from msgspec import Meta

from unveil.errors import SchemaError, SpecError
from unveil.masks.generalisation.base import generalised_attribute
from unveil.masks.global_recoding import ranges_of_width
from unveil.support.arrays import Floats, Ints
from unveil.table.attribute import Attribute
from unveil.table.cells import STAR, Range, Star, escape, parse_cell, write_prefix, write_range
from unveil.table.columns import labels_of, stored_as
from unveil.table.conform import report_unlisted
from unveil.table.encoding.shared_attributes import common_categories, common_numbers
from unveil.table.encoding.to_arrays import codes
from unveil.table.hierarchies import Hierarchy
from unveil.table.microdata import Microdata

FINEST_RANGES = 64  # of so many ranges, about, is the finest level that is made for numbers
SMALLEST_WIDTH = 1e-290  # a width that can still be divided by


class Coarsening(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """How one attribute is made coarser, where its hierarchy, if it has one, is not to be used.

    >>> Coarsening(intervals=(5, 10, 20)).intervals
    (5, 10, 20)
    """

    intervals: Annotated[
        tuple[Annotated[float, Meta(gt=0)], ...] | None,
        Meta(description="Numbers: the widths of ranges, each a multiple of the one before."),
    ] = None
    prefix: Annotated[
        bool | tuple[Annotated[int, Meta(ge=1)], ...],
        Meta(description="Codes: how many characters are told, fewer and fewer; true: one less."),
    ] = False
    star: Annotated[
        bool | None,
        Meta(description="Whether a star is the last level; if not given, as of the mask."),
    ] = None

    def check(self, where: str) -> None:
        """Levels nest."""
        if self.intervals is not None and self.prefix:
            raise SpecError(f"{where}: give intervals or prefix, not both")
        widths = [Decimal(repr(width)) for width in self.intervals or ()]
        if not all(a < b and b % a == 0 for a, b in pairwise(widths)) or self.intervals == ():
            raise SpecError(
                f"{where}: intervals: widths, each a multiple of the one before, or ranges of one "
                "level would not nest in those of the next"
            )
        lengths = self.prefix if isinstance(self.prefix, tuple) else (2, 1)
        if not lengths or any(a <= b for a, b in pairwise(lengths)):
            raise SpecError(f"{where}: prefix: numbers of characters, each less than before")


class Level(NamedTuple):
    """One level: the cell of each known value, and what part of the domain it leaves open."""

    name: str
    cells: list[str]
    cost: list[float]


@dataclass(frozen=True, repr=False, eq=False)
class AttributeLevels:
    """One attribute at every level."""

    column: str
    codes: tuple[Ints, ...]  # of each file, the number of each record's value
    groups: Ints  # levels x values: the group of each value
    cells: tuple[tuple[str | None, ...], ...]  # of each level above 0, its groups as released
    cost: Floats  # levels x values: the part of the domain that a cell leaves open
    names: tuple[str, ...]
    attribute: Attribute  # what the column is above level 0

    @property
    def height(self) -> int:
        """The number of the highest level."""
        return len(self.names) - 1

    def released(self, level: int) -> pl.Series:
        """The column at a level above 0, at which it stays as it is."""
        cells = np.array(self.cells[level - 1], object)[self.groups[level][self.codes[0]]]
        return pl.Series(self.column, cells.tolist(), dtype=pl.String)


def attribute_levels(
    step: str, files: Sequence[Microdata], column: str, how: Coarsening, *, star: bool
) -> AttributeLevels:
    """The levels of an attribute of a file, and of others that are generalised the same way.

    A level that puts together nothing that is in the files is left out.

    >>> import unveil
    >>> people = unveil.households(100, seed=7)
    >>> ages = Coarsening(intervals=(10.0, 20.0))
    >>> made = attribute_levels("full-domain", [people], "age", ages, star=True)
    >>> made.names, made.cells[1][:2]
    (('value', 'ranges of 10', 'ranges of 20', 'star'), ('0..19', '20..39'))
    """
    data = files[0]
    level = data.level(column)
    _check_kind(step, column, level, how)
    maker = _NumericDomain if level == "numeric" else _CategoryDomain
    found = maker(step, files, column)
    rungs = list(found.rungs(how))
    known, missing = found.known, any((one < 0).any() for one in found.codes)
    topped = star if how.star is None else how.star
    if not topped:
        rungs = [rung for rung in rungs if set(rung.cells) != {STAR}]
    else:
        rungs.append(Level("star", [STAR] * known, [1.0] * known))
    return _assembled(found, data, rungs, missing=missing)


def _check_kind(step: str, column: str, level: str, how: Coarsening) -> None:
    for given, name, only in (
        (how.intervals is not None, "intervals", "numeric"),
        (bool(how.prefix), "prefix", "nominal"),
    ):
        if given and level != only:
            raise SpecError(
                f"{step}: hierarchies: column '{column}' is {level}, and {name} makes levels of "
                f"what is {only}; leave it out, or declare another level"
            )


def _assembled(
    found: _Domain, data: Microdata, rungs: list[Level], *, missing: bool
) -> AttributeLevels:
    """The levels as arrays; missing is the last value, and its own group below a star."""
    values = found.known + missing
    groups, cells, cost, names = [np.arange(values)], [], [np.zeros(values)], ["value"]
    for rung in rungs:
        gap: list[str | None] = [STAR if set(rung.cells) <= {STAR} else None] if missing else []
        texts: list[str | None] = [*rung.cells, *gap]
        number = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        if len(number) == int(groups[-1].max()) + 1:
            continue
        groups.append(np.array([number[text] for text in texts]))
        cells.append(tuple(number))
        cost.append(np.array([*rung.cost, *(1.0 if text else 0.0 for text in gap)]))
        names.append(rung.name)
    coded = tuple(np.where(one < 0, values - 1, one) for one in found.codes)
    attribute = generalised_attribute(data, found.column)
    if attribute.level == "ordinal":
        attribute = msgspec.structs.replace(attribute, order=found.listed)
    return AttributeLevels(
        found.column, coded, np.array(groups), tuple(cells), np.array(cost), tuple(names), attribute
    )


class _Domain(abc.ABC):
    """The distinct values of an attribute in all files, and ever coarser cells for them."""

    known: int  # how many values there are
    codes: list[Ints]  # of each file; -1 missing
    listed: tuple[str, ...] = ()

    def __init__(self, step: str, files: Sequence[Microdata], column: str) -> None:
        self.step, self.files, self.column = step, files, column
        self.attribute = files[0].schema[column]
        self.hierarchy = Hierarchy.of(self.attribute.hierarchy)

    @abc.abstractmethod
    def rungs(self, how: Coarsening) -> Iterator[Level]:
        """Its levels above the values themselves, but for the star."""

    def check_leaves(self) -> None:
        """Every value has its place in the hierarchy."""
        for file in self.files:
            where = f"level 0 of the hierarchy of attribute '{self.column}'"
            report_unlisted(labels_of(file.column(self.column)), self.hierarchy.leaves, where)

    def of_hierarchy(self, labels: Sequence[str]) -> Iterator[tuple[int, Ints, tuple[str, ...]]]:
        """Level by level its number, the group of each label, and what groups are called."""
        place = {leaf: number for number, leaf in enumerate(self.hierarchy.leaves)}
        leaves = np.array([place[label] for label in labels], np.int64)
        for level in range(1, self.hierarchy.depth + 1):
            own = self.hierarchy.codes[level][leaves].astype(np.int64)
            yield level, own, self.hierarchy.labels[level]


class _NumericDomain(_Domain):
    def __init__(self, step: str, files: Sequence[Microdata], column: str) -> None:
        super().__init__(step, files, column)
        every = common_numbers(*files, column=column)
        both = np.concatenate(every)
        known = ~np.isnan(both)
        self.values, first, places = np.unique(both[known], return_index=True, return_inverse=True)
        self.known = len(self.values)
        self.where = np.flatnonzero(known)[first]  # one cell of each value
        coded = np.full(len(both), -1)
        coded[known] = places
        self.codes = np.split(coded, np.cumsum([len(one) for one in every])[:-1])
        mine = every[0][~np.isnan(every[0])]
        self.low, self.high = float(mine.min(initial=np.inf)), float(mine.max(initial=-np.inf))
        self.stored = stored_as(files[0].column(column))

    def rungs(self, how: Coarsening) -> Iterator[Level]:
        """Ranges: of the groups of a hierarchy, or beginning at the multiples of a width."""
        if how.intervals is None and self.hierarchy.depth:
            yield from self._groups()
            return
        moments = self.stored in ("dates", "times")
        if moments and how.intervals is not None:
            raise SchemaError(
                f"{self.step}: column '{self.column}' holds {self.stored}, which ranges of numbers "
                "cannot stand for; leave its intervals out, or make it a number"
            )
        if moments or not self.known:
            return
        for width in self._widths() if how.intervals is None else how.intervals:
            closed = self.stored == "whole numbers" and float(width).is_integer()
            ranges = ranges_of_width(self.step, self.values, float(width), closed=closed)
            whole = self.stored == "whole numbers" and not closed
            yield self._rung(f"ranges of {width:g}", ranges.tolist(), whole=whole)

    def _widths(self) -> Iterator[float]:
        """From a round width, of about so many ranges, ever twice as wide."""
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

    def _groups(self) -> Iterator[Level]:
        self.check_leaves()
        labels = pl.concat([labels_of(file.column(self.column)) for file in self.files])
        try:
            sizes = [float(leaf) for leaf in self.hierarchy.leaves]
        except ValueError:
            raise SchemaError(
                f"{self.step}: attribute '{self.column}' is numeric, and its hierarchy has "
                "categories that are no numbers; correct them, or declare it nominal"
            ) from None
        ascending = sorted(range(len(sizes)), key=sizes.__getitem__)
        for level, own, called in self.of_hierarchy(labels.gather(self.where).to_list()):
            members: dict[int, list[str]] = {}
            for leaf in ascending:
                code = int(self.hierarchy.codes[level][leaf])
                members.setdefault(code, []).append(self.hierarchy.leaves[leaf])
            cells = [
                STAR if label == STAR else _from_to(members[code])
                for code, label in enumerate(called)
            ]
            yield self._rung(_level(level), [cells[code] for code in own.tolist()])

    def _rung(self, name: str, cells: list[str], *, whole: bool = False) -> Level:
        cost = {text: self._open(text, whole=whole) for text in set(cells)}
        return Level(name, cells, [cost[text] for text in cells])

    def _open(self, text: str, *, whole: bool) -> float:
        """The part of the file's range that a cell leaves open."""
        cell = parse_cell(text)
        if not isinstance(cell, Range) or not self.high > self.low:
            return 1.0 if isinstance(cell, Star) else 0.0
        lower, upper = (float(end or 0) for end in cell)  # none of ours is open
        if whole:  # 2.5..5 without its upper end holds 3 and 4
            lower, upper = np.ceil(lower), np.ceil(upper) - 1
        within = min(upper, self.high) - max(lower, self.low)
        return float(max(within, 0.0)) / (self.high - self.low)


class _CategoryDomain(_Domain):
    def __init__(self, step: str, files: Sequence[Microdata], column: str) -> None:
        super().__init__(step, files, column)
        data = files[0]
        self.listed = codes(data, column).categories
        for other in files[1:]:
            both = common_categories(data, other, column)
            more = set(both) - set(self.listed)
            if data.level(column) == "ordinal":
                self.listed = both if more else self.listed
            else:
                self.listed = tuple(sorted({*self.listed, *more}))
        coded = [codes(file, column, self.listed).codes.astype(np.int64) for file in files]
        found, places = np.unique(np.concatenate(coded), return_inverse=True)
        missing = int(found[0] < 0)
        self.places = found[missing:]
        self.values = [self.listed[place] for place in self.places.tolist()]
        self.known = len(self.values)
        self.codes = np.split(places - missing, np.cumsum([len(one) for one in coded])[:-1])

    def rungs(self, how: Coarsening) -> Iterator[Level]:
        """Groups of a hierarchy, beginnings, or runs of the order."""
        if how.prefix:
            yield from self._prefixes(how.prefix)
        elif self.hierarchy.depth:
            self.check_leaves()
            for level, own, called in self.of_hierarchy(self.values):
                sizes = np.bincount(self.hierarchy.codes[level])
                cells = [STAR if label == STAR else escape(label) for label in called]
                most = max(len(self.hierarchy.leaves) - 1, 1)
                texts = [cells[code] for code in own.tolist()]
                yield Level(_level(level), texts, ((sizes[own] - 1) / most).tolist())
        elif self.files[0].level(self.column) == "ordinal":
            yield from self._runs()

    def _prefixes(self, given: bool | tuple[int, ...]) -> Iterator[Level]:
        longest = max(map(len, self.values), default=0)
        for length in range(longest - 1, 0, -1) if given is True else given or ():
            heads = [value[:length] for value in self.values]
            members: dict[str, list[str]] = {}
            for value in self.listed:
                members.setdefault(value[:length], []).append(value)
            cells = {
                head: escape(head) if own == [head] else write_prefix(head)
                for head, own in members.items()
            }
            most = max(len(self.listed) - 1, 1)
            cost = [(len(members[head]) - 1) / most for head in heads]
            told = "character" if length == 1 else "characters"
            yield Level(f"first {length} {told}", [cells[head] for head in heads], cost)

    def _runs(self) -> Iterator[Level]:
        size, many = 2, len(self.listed)
        while size < many:
            cells, cost = [], []
            for place in self.places.tolist():
                run = self.listed[place // size * size :][:size]
                cells.append(_from_to(run))
                cost.append((len(run) - 1) / (many - 1))
            yield Level(f"runs of {size}", cells, cost)
            size *= 2


def _level(number: int) -> str:
    return f"level {number} of its hierarchy"


def _from_to(members: Sequence[str]) -> str:
    first, last = members[0], members[-1]
    return escape(first) if first == last else write_range(first, last)


def _round_near(size: float) -> Decimal:
    """1, 2 or 5 times a power of ten, the nearest by its ratio.

    >>> _round_near(1.14), _round_near(70.0)
    (Decimal('1'), Decimal('5E+1'))
    """
    power = int(np.floor(np.log10(size)))
    round_ones = [Decimal(digit).scaleb(power) for digit in (1, 2, 5, 10)]
    return min(round_ones, key=lambda one: abs(np.log(float(one) / size)))
