"""Sets of categories side by side: how far they are apart, and whether they have one in common.

Two cells are as far apart as the nearest of their categories. Few different cells make a table. Of
many, sets that are runs of neighbouring categories show their two ends, as ranges of numbers do:
all ranges of an order are runs, and so are groups of a hierarchy and prefixes once categories stand
by group or by their characters. What is left is a table still, or, where the originals are single
categories, one number for each category: whether it is held.
"""

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
MOST_CELLS = 4000  # of which one is kept where there is no other way
MOST_MEMBERS = 32  # categories of which each is a number


class ComparedAttribute(NamedTuple):
    """One attribute of both files in some numbers, a NaN where it is missing."""

    intruder: Floats
    released: Floats
    costs: tuple[Cost, ...]  # where mine ask


@dataclass(frozen=True, repr=False, eq=False)
class CategoryDistance:
    """What it costs that two categories are not the same."""

    cost: float  # where they have no order
    places: Floats | None = None  # where they have: by their places, every two of them
    gap: Callable[[Literal["above", "below"]], Cost] | None = None  # the same of a gap

    def of_ends(self) -> tuple[Cost, Cost] | None:
        """What it costs that a run lies above another, or below; None where no gap says it."""
        if self.places is None:
            other = partial(levels, [0], [0, self.cost])
            return other(side="above"), other(side="below")
        return None if self.gap is None else (self.gap("above"), self.gap("below"))


class CategorySets(NamedTuple):
    """The cells of both files as sets of the same categories."""

    intruder: CodeSets
    released: CodeSets
    line: Ints  # the place of each category, so that sets are runs of neighbours if they can be

    @property
    def cells(self) -> int:
        """How many different cells there are."""
        return len(self.intruder.starts) + len(self.released.starts) - 2


def sides_of(
    intruder: Microdata, release: Microdata, column: str, listed: tuple[str, ...]
) -> CategorySets:
    """The cells of an attribute of both files, by the same list of its categories."""
    ours, theirs = (code_sets(data, column, listed) for data in (intruder, release))
    rows = release.schema[column].hierarchy or intruder.schema[column].hierarchy
    return CategorySets(
        ours, theirs, np.arange(len(listed)) if not rows else _by_group(rows, listed)
    )


def _by_group(rows: tuple[tuple[str, ...], ...], listed: tuple[str, ...]) -> Ints:
    """The categories in the order of their groups, the coarsest first."""
    groups = Hierarchy.of(rows)
    path = dict(zip(groups.leaves, groups.codes[::-1].T.tolist(), strict=True))
    last = [len(groups.leaves)] * len(groups.labels)
    line = np.empty(len(listed), np.int64)
    order = sorted(range(len(listed)), key=lambda code: (path.get(listed[code], last), code))
    line[order] = np.arange(len(listed))
    return line


def compare_sets(
    column: str, sides: CategorySets, apart: CategoryDistance, *, stars: bool
) -> ComparedAttribute:
    """Cells by the least cost between any of their categories.

    A cell of mine that may be any category is missing, and so is a released one, but where
    `stars` says that it holds whatever there is.
    """
    intruder = np.where(_anything(sides.intruder), -1, sides.intruder.cell)
    hidden = np.zeros(len(sides.released.cell), np.bool_) if stars else _anything(sides.released)
    released = np.where(hidden, -1, sides.released.cell)
    if (
        sides.cells > FEW_CELLS
        and (found := _by_ends(sides, apart, intruder, released)) is not None
    ):
        return found
    if sides.cells <= MOST_CELLS:
        costs = _table(sides, apart) if sides.cells else np.zeros((1, 1))  # all are missing
        theirs = code_numbers(released) + len(sides.intruder.starts) - 1
        return ComparedAttribute(code_numbers(intruder)[:, None], theirs[:, None], (table(costs),))
    if (found := _by_members(sides, apart, intruder, released)) is not None:
        return found
    raise SchemaError(
        f"column '{column}' has {sides.cells:,} different generalised cells; at most "
        f"{MOST_CELLS:,} sets of categories are compared: leave it out of what the intruder knows"
    )


def comparable(intruder: Microdata, release: Microdata, column: str) -> bool:
    """Whether there is a way to compare so many cells of an attribute as there are.

    >>> from unveil.table.sample import households
    >>> comparable(households(3), households(3), "region")
    True
    """
    level = common_level(intruder, release, column)
    if level == "numeric" or not any(d.schema[column].generalised for d in (intruder, release)):
        return True
    sides = sides_of(intruder, release, column, common_categories(intruder, release, column))
    if sides.cells <= MOST_CELLS or (level == "nominal" and _single(sides)):
        return True
    return all(
        _runs(sets, sides.line, np.where(_anything(sets), -1, sets.cell)) is not None
        for sets in (sides.intruder, sides.released)
    )


def _anything(sets: CodeSets) -> Bools:
    """Whether each record's cell may be any category."""
    every = np.append(np.diff(sets.starts) == len(sets.categories), False)
    return every[sets.cell]


def _table(sides: CategorySets, apart: CategoryDistance) -> Floats:
    """Between any two cells, ours and then theirs, the least cost of their categories.

    A cell that holds none of the categories is as far from all as can be.
    """
    if apart.places is None:
        held = np.zeros((sides.cells, len(sides.line)), np.float32)
        held[_owners(sides), np.concatenate([sides.intruder.members, sides.released.members])] = 1
        return np.where(held @ held.T > 0, 0.0, apart.cost)
    farthest = float(apart.places.max(initial=0.0))
    members = [
        sets.members[start:stop].astype(np.int64)
        for sets in (sides.intruder, sides.released)
        for start, stop in zip(sets.starts[:-1], sets.starts[1:], strict=True)
    ]
    # To each category from each cell, then to each cell: twice the least.
    from_cell = np.array([apart.places[one].min(axis=0, initial=farthest) for one in members])
    return np.array([from_cell[:, one].min(axis=1, initial=farthest) for one in members])


def _owners(sides: CategorySets) -> Ints:
    """The cell of each member, ours and then theirs."""
    sizes = np.concatenate([np.diff(sets.starts) for sets in (sides.intruder, sides.released)])
    return np.repeat(np.arange(len(sizes)), sizes)


def _by_ends(
    sides: CategorySets, apart: CategoryDistance, intruder: Ints, released: Ints
) -> ComparedAttribute | None:
    """Runs of neighbours by their ends; None where some cell is no run.

    Mine show the last, which the first of the others is not to be after; then the first,
    which their last is not to be before.
    """
    costs = apart.of_ends()
    ours, theirs = (
        _runs(sides.intruder, sides.line, intruder),
        _runs(sides.released, sides.line, released),
    )
    if costs is None or ours is None or theirs is None:
        return None
    return ComparedAttribute(
        np.column_stack([ours[1], ours[0]]), np.column_stack([theirs[0], theirs[1]]), costs
    )


def _runs(sets: CodeSets, line: Ints, cell: Ints | Ints32) -> tuple[Floats, Floats] | None:
    """The first and the last place of each record's cell; None where one has a gap, or nothing."""
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


def _single(sides: CategorySets) -> bool:
    """Whether mine are single categories, and these are few."""
    sizes = np.diff(sides.intruder.starts)
    few = len(sides.line) <= MOST_MEMBERS
    return few and bool(np.isin(sizes, (1, len(sides.line))).all())


def _by_members(
    sides: CategorySets, apart: CategoryDistance, intruder: Ints, released: Ints
) -> ComparedAttribute | None:
    """A number for each category: 1 if mine is this one, and if the released cell lacks it."""
    if apart.places is not None or not _single(sides):
        return None
    many = len(sides.line)
    ours, theirs = (
        np.full((len(sets.starts), many), first)
        for sets, first in zip(sides[:2], (0.0, 1.0), strict=True)
    )
    for made, sets, now in ((ours, sides.intruder, 1.0), (theirs, sides.released, 0.0)):
        made[np.repeat(np.arange(len(sets.starts) - 1), np.diff(sets.starts)), sets.members] = now
        made[-1] = np.nan  # of a cell that is missing
    both = table([[0.0, 0.0], [0.0, apart.cost]])
    return ComparedAttribute(ours[intruder], theirs[released], (both,) * many)
