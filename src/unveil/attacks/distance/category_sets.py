"""Generalised categories: the distance of two sets is that of their nearest members.

If there are few different cells, their distances are in a table. If there are many and each set is
a run of neighbouring categories, a cell is represented by its two ends, as a range of numbers is.
All ranges of an order are runs; groups of a hierarchy and prefixes are, once categories are sorted
by group. What remains is compared by a larger table, or, if the originals are single categories, by
one number for each category: whether the set contains it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from unveil.engines.metric import Cost, levels, table
from unveil.errors import SchemaError
from unveil.support.arrays import Bools, Floats, Ints, Ints32
from unveil.table.encoding.generalised import CodeSets, code_sets
from unveil.table.encoding.shared_attributes import common_categories, common_level
from unveil.table.encoding.to_arrays import code_numbers
from unveil.table.hierarchies import Hierarchy
from unveil.table.microdata import Microdata

FEW_CELLS = 256  # different cells of both files of which a table is always kept
MOST_CELLS = 4000  # of which a table is kept where there is no other way
MOST_CATEGORIES = 32  # that may each be a number


class ComparedAttribute(NamedTuple):
    """One attribute of both files as one or more numbers, NaN where it is missing."""

    intruder: Floats
    released: Floats
    costs: tuple[Cost, ...]  # from the intruder's records to the released rows

    def beside(self, other: ComparedAttribute) -> ComparedAttribute:
        """The numbers of both, whose costs are combined."""
        intruder, released = map(np.column_stack, zip(self[:2], other[:2], strict=True))
        return ComparedAttribute(intruder, released, self.costs + other.costs)


@dataclass(frozen=True, repr=False, eq=False)
class CategoryDistance:
    """The cost of two different categories."""

    cost: float  # where they have no order
    places: Floats | None = None  # where they have one: of every two categories
    gap: Callable[[Literal["above", "below"]], Cost] | None = None  # the same, as a gap

    def of_ends(self) -> tuple[Cost, Cost] | None:
        """The costs of a run above another, and below it; None if no gap expresses them."""
        if self.places is None:
            other = partial(levels, [0], [0, self.cost])
            return other(side="above"), other(side="below")
        return None if self.gap is None else (self.gap("above"), self.gap("below"))


class CategorySets(NamedTuple):
    """The cells of one attribute of both files as sets of the same categories."""

    intruder: CodeSets
    released: CodeSets
    line: Ints  # the place of each category, sorted so that sets are runs if they can be

    @classmethod
    def of(
        cls, intruder: Microdata, release: Microdata, column: str, listed: tuple[str, ...]
    ) -> CategorySets:
        """The cells of a column of both files, given the list of its categories."""
        hierarchy = release.schema[column].hierarchy or intruder.schema[column].hierarchy
        line = _by_group(hierarchy, listed) if hierarchy else np.arange(len(listed))
        own, released = (code_sets(data, column, listed) for data in (intruder, release))
        return cls(own, released, line)

    @property
    def sides(self) -> tuple[CodeSets, CodeSets]:
        """The sets of the intruder's records and of the release."""
        return self.intruder, self.released

    @property
    def n_cells(self) -> int:
        """The number of different cells."""
        return len(self.intruder.starts) + len(self.released.starts) - 2

    @property
    def has_few_singles(self) -> bool:
        """Whether the intruder's cells are single categories, or stars, of a short list."""
        sizes = np.diff(self.intruder.starts)
        short = len(self.line) <= MOST_CATEGORIES
        return short and bool(np.isin(sizes, (1, len(self.line))).all())


def _by_group(hierarchy: tuple[tuple[str, ...], ...], listed: tuple[str, ...]) -> Ints:
    """The place of each category when they are sorted by group, the coarsest first."""
    groups = Hierarchy.of(hierarchy)
    path = dict(zip(groups.leaves, groups.codes[::-1].T.tolist(), strict=True))
    last = [len(groups.leaves)] * len(groups.labels)
    line = np.empty(len(listed), np.int64)
    order = sorted(range(len(listed)), key=lambda code: (path.get(listed[code], last), code))
    line[order] = np.arange(len(listed))
    return line


def compare_sets(
    column: str, sets: CategorySets, distance: CategoryDistance, *, stars: bool
) -> ComparedAttribute:
    """Cells by the least cost between any of their categories.

    A star of the intruder is missing; so is a released one, unless `stars` says that it contains
    every category.
    """
    intruder = np.where(_is_star(sets.intruder), -1, sets.intruder.cell)
    hidden = np.zeros(len(sets.released.cell), np.bool_) if stars else _is_star(sets.released)
    released = np.where(hidden, -1, sets.released.cell)
    if sets.n_cells > FEW_CELLS and (found := _by_ends(sets, distance, intruder, released)):
        return found
    if sets.n_cells <= MOST_CELLS:
        costs = _table(sets, distance) if sets.n_cells else np.zeros((1, 1))  # all are missing
        cells = code_numbers(released) + len(sets.intruder.starts) - 1
        return ComparedAttribute(code_numbers(intruder)[:, None], cells[:, None], (table(costs),))
    if distance.places is None and sets.has_few_singles:
        return _by_members(sets, distance, intruder, released)
    raise SchemaError(
        f"column '{column}' has {sets.n_cells:,} different generalised cells; at most "
        f"{MOST_CELLS:,} sets of categories are compared: leave it out of the known attributes"
    )


def comparable(intruder: Microdata, release: Microdata, column: str) -> bool:
    """Whether `compare_sets` has a way to compare the cells of a column."""
    level = common_level(intruder, release, column)
    if level == "numeric" or not any(d.schema[column].generalised for d in (intruder, release)):
        return True
    listed = common_categories(intruder, release, column)
    sets = CategorySets.of(intruder, release, column, listed)
    if sets.n_cells <= MOST_CELLS or (level == "nominal" and sets.has_few_singles):
        return True
    return all(
        _run_ends(side, sets.line, np.where(_is_star(side), -1, side.cell)) is not None
        for side in sets.sides
    )


def _is_star(sets: CodeSets) -> Bools:
    every = np.append(np.diff(sets.starts) == len(sets.categories), False)
    stars: Bools = every[sets.cell]
    return stars


def _table(sets: CategorySets, distance: CategoryDistance) -> Floats:
    """Between any two cells, the intruder's and then the released, the least cost of a pair.

    An empty set is as far from all others as can be.
    """
    if distance.places is None:
        contains = np.zeros((sets.n_cells, len(sets.line)), np.float32)
        sizes = np.concatenate([np.diff(side.starts) for side in sets.sides])
        owners = np.repeat(np.arange(len(sizes)), sizes)
        contains[owners, np.concatenate([side.members for side in sets.sides])] = 1
        return np.where(contains @ contains.T > 0, 0.0, distance.cost)
    farthest = float(distance.places.max(initial=0.0))
    members = [
        side.members[start:stop].astype(np.int64)
        for side in sets.sides
        for start, stop in zip(side.starts[:-1], side.starts[1:], strict=True)
    ]
    # The least cost from each cell to each category, then to each cell.
    from_cell = np.array([distance.places[one].min(axis=0, initial=farthest) for one in members])
    return np.array([from_cell[:, one].min(axis=1, initial=farthest) for one in members])


def _by_ends(
    sets: CategorySets, distance: CategoryDistance, intruder: Ints, released: Ints
) -> ComparedAttribute | None:
    """Runs by their ends; None where a cell is no run.

    The last category of the intruder's run is compared with the first of the released run, then
    the first with the last.
    """
    costs = distance.of_ends()
    ours = _run_ends(sets.intruder, sets.line, intruder)
    theirs = _run_ends(sets.released, sets.line, released)
    if costs is None or ours is None or theirs is None:
        return None
    return ComparedAttribute(np.column_stack(ours[::-1]), np.column_stack(theirs), costs)


def _run_ends(sets: CodeSets, line: Ints, cell: Ints | Ints32) -> tuple[Floats, Floats] | None:
    """The first and the last place of each record's cell; None if one has a gap, or is empty."""
    sizes = np.diff(sets.starts)
    used = np.zeros(len(sizes), np.bool_)
    used[cell[cell >= 0]] = True
    if not len(sizes) or not sizes[used].all():
        return None
    places, own = line[sets.members], np.flatnonzero(sizes)
    first, last = np.full(len(sizes) + 1, np.nan), np.full(len(sizes) + 1, np.nan)  # or missing
    if len(own):
        first[own] = np.minimum.reduceat(places, sets.starts[own])
        last[own] = np.maximum.reduceat(places, sets.starts[own])
    if ((last - first + 1)[:-1][used] != sizes[used]).any():
        return None
    return first[cell], last[cell]


def _by_members(
    sets: CategorySets, distance: CategoryDistance, intruder: Ints, released: Ints
) -> ComparedAttribute:
    """For each category 1 if the intruder has it, against 1 if the released cell lacks it."""
    n_categories = len(sets.line)
    numbers = []
    for side, outside in zip(sets.sides, (0.0, 1.0), strict=True):
        number = np.full((len(side.starts), n_categories), outside)
        cells = np.repeat(np.arange(len(side.starts) - 1), np.diff(side.starts))
        number[cells, side.members] = 1.0 - outside
        number[-1] = np.nan  # a missing cell
        numbers.append(number)
    cost = table([[0.0, 0.0], [0.0, distance.cost]])
    return ComparedAttribute(numbers[0][intruder], numbers[1][released], (cost,) * n_categories)
