"""Generalised cells into arrays: bounds for numbers, sets of codes for categories."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import polars as pl

from unveil.errors import SchemaError
from unveil.support.arrays import Bools, Floats, Ints, Ints32
from unveil.table.cells import Cell, OneOf, Prefix, Range, parse_cell
from unveil.table.columns import codes_of, labels_of
from unveil.table.conform import unlisted_categories
from unveil.table.encoding.to_arrays import Codes, check_listed, codes, numbers
from unveil.table.hierarchies import Hierarchy
from unveil.table.microdata import Microdata


@dataclass(frozen=True, repr=False, eq=False)
class Bounds:
    """The bounds of a generalised number, infinite where open."""

    lower: Floats
    upper: Floats
    present: Bools


@dataclass(frozen=True, repr=False, eq=False)
class CodeSets:
    """The codes that a generalised category stands for.

    Record i may hold the codes ``members[starts[c]:starts[c + 1]]`` with ``c = cell[i]``;
    ``cell[i]`` is -1 where it is missing.
    """

    cell: Ints32
    starts: Ints
    members: Ints32
    categories: tuple[str, ...]


def bounds(data: Microdata, column: str) -> Bounds:
    """The bounds of the cells of a numeric attribute, generalised or not."""
    if not data.schema[column].generalised:
        exact = numbers(data, [column])
        values = exact.values[:, 0]
        return Bounds(values, values, exact.present[:, 0])
    if data.schema[column].level != "numeric":
        raise SchemaError(f"column '{column}' holds categories where numbers are needed")
    distinct, index = _distinct(data, column)
    lower, upper = np.empty(len(distinct) + 1), np.empty(len(distinct) + 1)
    lower[-1] = upper[-1] = np.nan  # where index is -1
    for place, text in enumerate(distinct):
        cell = parse_cell(text)
        ends: tuple[str | None, str | None] = (None, None)
        if isinstance(cell, Range):
            ends = cell.lower, cell.upper
        elif isinstance(cell, OneOf):
            ends = cell.values[0], cell.values[0]
        lower[place] = -np.inf if ends[0] is None else float(ends[0])
        upper[place] = np.inf if ends[1] is None else float(ends[1])
    return Bounds(lower[index], upper[index], index >= 0)


def code_sets(data: Microdata, column: str, categories: Sequence[str] | None = None) -> CodeSets:
    """The sets of codes of the cells of a categorical attribute, generalised or not.

    A star stands for every category: those given, else the declared order, else all that some
    cell names. A prefix stands for the categories that begin with it, a group of the hierarchy
    for those below it.
    """
    attribute = data.schema[column]
    if attribute.generalised and attribute.level == "numeric":
        raise SchemaError(f"column '{column}' holds numbers where categories are needed")
    if not attribute.generalised:
        plain = codes(data, column, categories)
        single = np.arange(len(plain.categories) + 1)
        members = single[:-1].astype(np.int32)
        return CodeSets(plain.codes, single.astype(np.int64), members, plain.categories)
    distinct, index = _distinct(data, column)
    read = _Categories(data.order(column), Hierarchy.of(attribute.hierarchy))
    cells = [parse_cell(text) for text in distinct]
    if categories is not None:
        listed = check_listed(column, categories)
    else:
        listed = read.order or tuple(
            sorted({label for cell in cells for label in read.named(cell)})
        )
    place = {category: code for code, category in enumerate(listed)}
    unlisted = np.array([not place.keys() >= set(read.spelt(cell)) for cell in cells])
    if unlisted.any():
        records = pl.Series(np.append(unlisted, False)[index])
        raise unlisted_categories(records, f"the list of categories for column '{column}'")
    sets = [read.codes(cell, place) for cell in cells]
    starts = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    members = np.array([code for one in sets for code in one], dtype=np.int32)
    return CodeSets(index, starts, members, listed)


def common_members(a: CodeSets, b: CodeSets, cells_a: Ints32, cells_b: Ints32) -> Bools:
    """For each pair of cells, given by their numbers, whether both may hold the same category."""
    n = len(b.starts)
    pairs, place = np.unique(cells_a.astype(np.int64) * n + cells_b, return_inverse=True)
    sets_a, sets_b = (
        [frozenset(sets.members[i:j].tolist()) for i, j in pairwise(sets.starts.tolist())]
        for sets in (a, b)
    )
    overlap = [not sets_a[pair // n].isdisjoint(sets_b[pair % n]) for pair in pairs.tolist()]
    return np.array(overlap, np.bool_)[place]


def cell_texts(data: Microdata, column: str) -> Codes:
    """The cells of an attribute as codes: its categories, or the texts of generalised cells."""
    if not data.schema[column].generalised:
        return codes(data, column)
    distinct, index = _distinct(data, column)
    return Codes(index, tuple(distinct), ordered=False)


@dataclass(frozen=True, repr=False, eq=False)
class _Categories:
    """The categories of the cells of one attribute, by its order and its hierarchy."""

    order: tuple[str, ...]
    groups: Hierarchy

    def spelt(self, cell: Cell) -> tuple[str, ...]:
        """The categories that a cell spells out, which every list of categories must have."""
        if isinstance(cell, OneOf):
            return tuple(
                value for value in cell.values if self.groups.below(value) in ((), (value,))
            )
        return self._between(cell) if isinstance(cell, Range) else ()

    def named(self, cell: Cell) -> tuple[str, ...]:
        """The categories that a cell names, as far as no list of categories is needed."""
        if isinstance(cell, OneOf):
            return tuple(
                name for value in cell.values for name in self.groups.below(value) or (value,)
            )
        if isinstance(cell, Prefix):
            return tuple(leaf for leaf in self.groups.leaves if leaf.startswith(cell.text))
        return self._between(cell) if isinstance(cell, Range) else ()

    def codes(self, cell: Cell, place: dict[str, int]) -> list[int]:
        """The codes of the categories that a cell stands for."""
        if isinstance(cell, Range | OneOf):
            known = {*self.named(cell), *(cell.values if isinstance(cell, OneOf) else ())}
            return sorted(place[name] for name in known if name in place)
        begins = cell.text if isinstance(cell, Prefix) else ""
        return [code for name, code in place.items() if name.startswith(begins)]

    def _between(self, cell: Range) -> tuple[str, ...]:
        first = 0 if cell.lower is None else self._rank[cell.lower]
        last = len(self.order) - 1 if cell.upper is None else self._rank[cell.upper]
        return self.order[first : last + 1]

    @cached_property
    def _rank(self) -> dict[str, int]:
        return {category: place for place, category in enumerate(self.order)}


def _distinct(data: Microdata, column: str) -> tuple[list[str], Ints32]:
    """The distinct cells of a generalised column, and each record's place among them."""
    labels = labels_of(data.column(column))
    distinct = labels.drop_nulls().unique().sort()
    return distinct.to_list(), codes_of(labels, distinct.to_list())
