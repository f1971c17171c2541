"""Blocks: queries that are compared with some of the candidates only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unveil.support.arrays import Bools, Ints
from unveil.values.links import ComparisonBlock


@dataclass(frozen=True, repr=False, eq=False)
class Blocks:
    """The block of each query and of each candidate: a number for a combination of cells.

    A query is compared with the candidates whose cells are all equal to its own. A missing cell
    equals any: its record belongs to every block that its other cells allow.

    >>> cells = np.array([[0, 0], [0, 1], [0, -1]])
    >>> blocks = Blocks(queries=np.array([0, 2]), base=np.array([0, 1, 2]), cells=cells)
    >>> blocks.n_candidates(np.arange(2)).tolist()
    [2, 3]
    """

    queries: Ints
    base: Ints
    cells: Ints  # blocks x attributes, as codes from 0; -1 is missing

    @property
    def has_missing(self) -> bool:
        """Whether any cell is missing."""
        return bool((self.cells < 0).any())

    @property
    def reversed(self) -> Blocks:
        """The same with query and candidate exchanged."""
        return replace(self, queries=self.base, base=self.queries)

    def n_candidates(self, rows: Ints) -> Ints:
        """The number of candidates that each query is compared with."""
        queries, sizes = self.queries[rows], np.bincount(self.base, minlength=len(self.cells))
        if not self.has_missing:
            return sizes[queries]
        blocks, place = np.unique(queries, return_inverse=True)
        totals: Ints = np.array([sizes[self._equal(block)].sum() for block in blocks.tolist()])
        return totals[place]

    def comparison_blocks(self, rows: Ints) -> list[ComparisonBlock]:
        """The queries by block, each with the candidates that it is compared with."""
        if not len(rows):
            return []
        order = np.argsort(self.base, kind="stable")
        starts = np.searchsorted(self.base[order], np.arange(len(self.cells) + 1))
        blocks = self.queries[rows]
        by_block = np.argsort(blocks, kind="stable")
        found = []
        for members in np.split(by_block, np.flatnonzero(np.diff(blocks[by_block])) + 1):
            equal = self._equal(int(blocks[members[0]]))
            candidates = np.concatenate([order[starts[b] : starts[b + 1]] for b in equal])
            found.append(ComparisonBlock(members, np.sort(candidates)))
        return found

    def compares(self, rows: Ints, candidates: Ints) -> Bools:
        """Whether each query is compared with the given candidate."""
        if not self.has_missing:
            equal: Bools = self.queries[rows] == self.base[candidates]
            return equal
        return self._may_be_equal(self.queries[rows], self.base[candidates])

    def _may_be_equal(self, first: Ints, second: Ints) -> Bools:
        a, b = self.cells[first], self.cells[second]
        equal: Bools = ((a == b) | (a < 0) | (b < 0)).all(axis=1)
        return equal

    @cached_property
    def _incomplete(self) -> Ints:
        return np.flatnonzero((self.cells < 0).any(axis=1))

    def _equal(self, block: int) -> Ints:
        """The blocks whose records may be equal to those of this one."""
        missing = (self.cells[block] < 0).any()
        if not (missing or len(self._incomplete)):
            return np.array([block])
        others = np.arange(len(self.cells)) if missing else np.append(self._incomplete, block)
        return others[self._may_be_equal(np.full(len(others), block), others)]
