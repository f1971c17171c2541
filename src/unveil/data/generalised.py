"""Generalised cells into arrays: bounds for numbers, sets of codes for categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from unveil.data.cells import Cell, OneOf, Range, parse_cell
from unveil.data.columns import labels_of
from unveil.data.conform import unlisted_categories
from unveil.data.encode import codes, numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unveil.data.encode import Codes32, Floats, Ints, Mask
    from unveil.data.microdata import Microdata


@dataclass(frozen=True, repr=False, eq=False)
class Bounds:
    """What a generalised number may be: from lower to upper, infinite where open."""

    lower: Floats
    upper: Floats
    present: Mask


@dataclass(frozen=True, repr=False, eq=False)
class CodeSets:
    """What a generalised category may be.

    Record i may hold the codes ``members[starts[c]:starts[c + 1]]`` with ``c = cell[i]``;
    ``cell[i]`` is -1 where it is missing.
    """

    cell: Codes32
    starts: Ints
    members: Codes32
    categories: tuple[str, ...]


def bounds(data: Microdata, column: str) -> Bounds:
    """What the cells of a numeric attribute may be, generalised or not.

    >>> import polars as pl
    >>> from unveil.data.microdata import Microdata
    >>> from unveil.data.schema import Schema
    >>> schema = Schema(numeric="age", generalised="age")
    >>> cells = bounds(Microdata(pl.DataFrame({"age": ["20..24", "31", "*"]}), schema), "age")
    >>> cells.lower.tolist(), cells.upper.tolist()
    ([20.0, 31.0, -inf], [24.0, 31.0, inf])
    """
    if not data.schema[column].generalised:
        exact = numbers(data, [column])
        values = exact.values[:, 0]
        return Bounds(values, values, exact.present[:, 0])
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
    that some cell names.

    >>> import polars as pl
    >>> from unveil.data.microdata import Microdata
    >>> from unveil.data.schema import Schema
    >>> schema = Schema(nominal="job", generalised="job")
    >>> cells = code_sets(Microdata(pl.DataFrame({"job": ["{a|b}", "c", "*"]}), schema), "job")
    >>> [cells.members[s:e].tolist() for s, e in zip(cells.starts, cells.starts[1:])]
    [[0, 1, 2], [2], [0, 1]]
    """
    attribute = data.schema[column]
    if not attribute.generalised:
        plain = codes(data, column, categories)
        every = np.arange(len(plain.categories), dtype=np.int32)
        starts = np.arange(len(every) + 1, dtype=np.int64)
        return CodeSets(plain.codes, starts, every, plain.categories)
    distinct, index = _distinct(data, column)
    cells = [parse_cell(text) for text in distinct]
    mentioned = [_mentioned(cell) for cell in cells]
    listed = tuple(categories or attribute.order or sorted({v for m in mentioned for v in m}))
    place = {category: code for code, category in enumerate(listed)}
    unlisted = np.array([any(v not in place for v in m) for m in mentioned])
    if unlisted.any():
        raise unlisted_categories(
            pl.Series(np.append(unlisted, False)[index]),
            f"the list of categories for column '{column}'",
        )
    sets = [_codes_of(cell, place) for cell in cells]
    starts = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    members = np.array([code for one in sets for code in one], dtype=np.int32)
    return CodeSets(index, starts, members, listed)


def _mentioned(cell: Cell) -> tuple[str, ...]:
    if isinstance(cell, OneOf):
        return cell.values
    return tuple(end for end in cell if end is not None) if isinstance(cell, Range) else ()


def _codes_of(cell: Cell, place: dict[str, int]) -> list[int]:
    if isinstance(cell, OneOf):
        return sorted({place[value] for value in cell.values})
    low, high = 0, len(place) - 1
    if isinstance(cell, Range):
        low = low if cell.lower is None else place[cell.lower]
        high = high if cell.upper is None else place[cell.upper]
    return list(range(low, high + 1))


def _distinct(data: Microdata, column: str) -> tuple[list[str], Codes32]:
    """The distinct cells of a generalised column, and each record's place among them."""
    labels = labels_of(data.column(column))
    distinct = labels.drop_nulls().unique().sort()
    index = labels.cast(pl.Enum(distinct)).to_physical().cast(pl.Int32).fill_null(-1)
    return distinct.to_list(), index.to_numpy()
