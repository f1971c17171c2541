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
    """What a generalised number may be: from lower to upper, infinite where open."""

    lower: Floats
    upper: Floats
    present: Bools


@dataclass(frozen=True, repr=False, eq=False)
class CodeSets:
    """What a generalised category may be.

    Record i may hold the codes ``members[starts[c]:starts[c + 1]]`` with ``c = cell[i]``;
    ``cell[i]`` is -1 where it is missing.
    """

    cell: Ints32
    starts: Ints
    members: Ints32
    categories: tuple[str, ...]


def bounds(data: Microdata, column: str) -> Bounds:
    """What the cells of a numeric attribute may be, generalised or not.

    >>> import polars as pl
    >>> from unveil.table.microdata import Microdata
    >>> from unveil.table.schema import Schema
    >>> schema = Schema(numeric="age", generalised="age")
    >>> cells = bounds(Microdata(pl.DataFrame({"age": ["20..24", "31", "*"]}), schema), "age")
    >>> cells.lower.tolist(), cells.upper.tolist()
    ([20.0, 31.0, -inf], [24.0, 31.0, inf])
    """
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
    """What the cells of a categorical attribute may be, generalised or not.

    A star may be any of the categories: those given, else the declared order, else all
    that some cell names. A prefix may be any of them that begins so, and a group of the
    hierarchy any that is below it; none, if none is listed.

    >>> import polars as pl
    >>> from unveil.table.microdata import Microdata
    >>> from unveil.table.schema import Schema
    >>> schema = Schema(nominal="job", generalised="job")
    >>> cells = code_sets(Microdata(pl.DataFrame({"job": ["{a|b}", "c", "*"]}), schema), "job")
    >>> [cells.members[s:e].tolist() for s, e in zip(cells.starts, cells.starts[1:])]
    [[0, 1, 2], [2], [0, 1]]
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


def common_members(mine: CodeSets, others: CodeSets, these: Ints32, those: Ints32) -> Bools:
    """Of pairs of cells, known by their numbers, whether some category may be both.

    >>> import polars as pl
    >>> from unveil.table.microdata import Microdata
    >>> from unveil.table.schema import Schema
    >>> schema = Schema(nominal="job", generalised="job")
    >>> cells = code_sets(Microdata(pl.DataFrame({"job": ["{a|b}", "a", "b"]}), schema), "job")
    >>> common_members(cells, cells, cells.cell, cells.cell[[1, 2, 2]]).tolist()
    [True, False, True]
    """
    many = len(others.starts)
    pairs, place = np.unique(these.astype(np.int64) * many + those, return_inverse=True)
    held = [_frozen(sets) for sets in (mine, others)]
    found = [not held[0][one // many].isdisjoint(held[1][one % many]) for one in pairs.tolist()]
    return np.array(found, np.bool_)[place]


def _frozen(sets: CodeSets) -> list[frozenset[int]]:
    return [frozenset(sets.members[a:b].tolist()) for a, b in pairwise(sets.starts.tolist())]


def cell_texts(data: Microdata, column: str) -> Codes:
    """The cells of an attribute as codes: of its categories, or of the texts of generalised cells.

    >>> import polars as pl
    >>> from unveil.table.microdata import Microdata
    >>> from unveil.table.schema import Schema
    >>> schema = Schema(nominal="job", generalised="job")
    >>> cells = cell_texts(Microdata(pl.DataFrame({"job": ["{a|b}", "c", "*"]}), schema), "job")
    >>> cells.codes.tolist(), cells.categories
    ([2, 1, 0], ('*', 'c', '{a|b}'))
    """
    if not data.schema[column].generalised:
        return codes(data, column)
    distinct, index = _distinct(data, column)
    return Codes(index, tuple(distinct), ordered=False)


@dataclass(frozen=True, repr=False, eq=False)
class _Categories:
    """What the cells of one attribute mean."""

    order: tuple[str, ...]
    groups: Hierarchy

    def spelt(self, cell: Cell) -> tuple[str, ...]:
        """The categories that a cell names itself, which a list of all must have."""
        if isinstance(cell, OneOf):
            return tuple(
                value for value in cell.values if self.groups.below(value) in ((), (value,))
            )
        return self._between(cell) if isinstance(cell, Range) else ()

    def named(self, cell: Cell) -> tuple[str, ...]:
        """The categories that a cell tells of, as far as it can be said without a list of all."""
        if isinstance(cell, OneOf):
            return tuple(
                name for value in cell.values for name in self.groups.below(value) or (value,)
            )
        if isinstance(cell, Prefix):
            return tuple(leaf for leaf in self.groups.leaves if leaf.startswith(cell.text))
        return self._between(cell) if isinstance(cell, Range) else ()

    def codes(self, cell: Cell, place: dict[str, int]) -> list[int]:
        """The places of the categories that a cell may be."""
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
