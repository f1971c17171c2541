"""A table of all possible cells as a grid: margins, factors, and blocks of terms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np

from unveil.measures.population.kernels import cells as kernels
from unveil.support.arrays import Floats, Ints

Term = tuple[int, ...]  # axes of the grid, ascending
TRAILING = 256  # cells that the trailing part of a key has at least
BLOCK_CELLS = 300_000  # of a margin that holds several terms


class Places(NamedTuple):
    """The place of each cell in a margin, by the leading and the trailing part of its key."""

    high: Ints
    low: Ints
    size: int


@dataclass(frozen=True)
class Grid:
    """The cells of a product of columns; a cell is a number, the last column's value first."""

    shape: tuple[int, ...]
    _places: dict[Term, Places] = field(default_factory=dict, repr=False)

    @cached_property
    def size(self) -> int:
        """All cells."""
        return prod(self.shape)

    def places(self, term: Term) -> Places:
        """Where the cells are in a margin."""
        if term not in self._places:
            at, trailing = len(self.shape), 1
            while at and trailing < TRAILING:
                at -= 1
                trailing *= self.shape[at]
            axes = range(len(self.shape))
            high, low = self._part(term, axes[:at]), self._part(term, axes[at:])
            self._places[term] = Places(high, low, prod(self.shape[axis] for axis in term))
        return self._places[term]

    def _part(self, term: Term, axes: Sequence[int]) -> Ints:
        found = np.zeros([self.shape[axis] for axis in axes], np.int64)
        for place, axis in enumerate(axes):
            if axis in term:
                step = prod(self.shape[other] for other in term if other > axis)
                along = [-1 if other == place else 1 for other in range(len(axes))]
                found += (np.arange(self.shape[axis]) * step).reshape(along)
        return found.ravel()

    def places_of(self, cells: Ints, term: Term) -> Ints:
        """The place in a margin of some cells."""
        high, low, _ = self.places(term)
        place: Ints = high[cells // len(low)] + low[cells % len(low)]
        return place

    def total(self, cells: Ints, values: Floats, term: Term) -> Floats:
        """A margin of values of some cells."""
        return weighted_counts(self.places_of(cells, term), values, self.places(term).size)

    def margin(self, values: Floats, term: Term, weights: Floats | None = None) -> Floats:
        """A margin of the values, each multiplied with its weight."""
        high, low, size = self.places(term)
        out = np.zeros(size)
        if weights is None:
            kernels.add_margin(values, high, low, out)
        else:
            kernels.add_product(values, weights, high, low, out)
        return out

    def multiply(self, values: Floats, term: Term, factor: Floats) -> None:
        """Multiply each cell by the factor of its place in a margin."""
        high, low, _ = self.places(term)
        kernels.multiply(values, high, low, factor)

    def add(self, values: Floats, term: Term, change: Floats) -> None:
        """Add to each cell the change of its place in a margin."""
        high, low, _ = self.places(term)
        kernels.add_to_cells(values, high, low, change)

    def blocks(self, terms: Iterable[Term]) -> list[Block]:
        """The terms in groups whose columns together have few cells: a pass serves a group."""
        groups: list[list[Term]] = []
        for term in sorted(terms, key=lambda one: (-self._cells(one), one)):
            for group in groups:
                if self._cells({*term}.union(*group)) <= max(BLOCK_CELLS, self._cells(term)):
                    group.append(term)
                    break
            else:
                groups.append([term])
        return [self._block(group) for group in groups]

    def _cells(self, axes: Iterable[int]) -> int:
        return prod(self.shape[axis] for axis in axes)

    def _block(self, terms: Sequence[Term]) -> Block:
        axes = tuple(sorted(set().union(*terms)))
        grid = Grid(tuple(self.shape[axis] for axis in axes))
        return Block(axes, grid, {term: tuple(axes.index(axis) for axis in term) for term in terms})

    def margins(self, values: Floats, terms: Iterable[Term]) -> dict[Term, Floats]:
        """Margins of several terms."""
        return {
            term: block.grid.margin(margin, place)
            for block in self.blocks(terms)
            for margin in [self.margin(values, block.axes)]
            for term, place in block.terms.items()
        }


@dataclass(frozen=True)
class Block:
    """A margin that holds the margins of several terms."""

    axes: Term
    grid: Grid
    terms: dict[Term, Term]  # each term, and its axes within the block


def weighted_counts(places: Ints, weights: Floats, size: int) -> Floats:
    """The sum of the weights at each place."""
    counts: Floats = np.bincount(places, weights, minlength=size).astype(np.float64)
    return counts
