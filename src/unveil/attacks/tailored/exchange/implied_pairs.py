"""The evidence of exchanges: in each column a pair implies another pair.

If person i became row l, and row l shows the value of k, then i and k exchanged their values: the
row of k is the one that shows the value of i. Where values tie, it may be any row of the block.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from unveil.attacks.tailored.exchange.kernels.evidence import pass_on, weigh
from unveil.attacks.tailored.exchange.value_blocks import ValueBlocks
from unveil.matching.posterior import MatchGraph
from unveil.support.arrays import Bools, Floats, Floats32, Ints, Ints32

WRONG_CELLS = 0.01  # the share of cells of which an intruder expects nothing
TABLE_CELLS = 10_000_000  # of a table of all pairs of values
CHECKABLE = 0.5  # pairs that chance implies, at most, where an implied pair proves something


@dataclass(frozen=True, repr=False, eq=False)
class ImpliedPairs:
    """The listed pairs in one column, and the listed pairs that each implies."""

    own: Ints32  # for each pair, the group of pairs between the same two values
    implied: Ints32  # the group that it implies; the last group is of pairs that are not listed
    groups: int
    unseen: Floats32  # implied pairs of people or rows that are not in the files
    by_chance: Floats32  # implied pairs among all people and rows, if values had moved at random
    supply: Floats  # the records of each pair's row
    likeness: csr_array | None = None  # where noise followed: which values may be the same

    @classmethod
    def of(cls, graph: MatchGraph, blocks: ValueBlocks, control: int | None = None) -> ImpliedPairs:
        """Join the pairs of a graph by their values; a control takes neighbours of the values."""
        size, rows = len(blocks.owners), graph.rows
        value, shown = blocks.records[rows], blocks.candidates[graph.columns]
        known = np.flatnonzero((value >= 0) & (shown >= 0))
        near = blocks.neighbours(control)
        u, v = near[value[known]], near[shown[known]]
        keys, wanted, groups = value[known] * size + shown[known], v * size + u, size * size
        if blocks.likeness is None:  # else every group may be near one that is matched
            keys, wanted, groups = _numbered(keys, wanted, groups)
        own, implied = np.full((2, len(value)), groups, np.int32)
        own[known], implied[known] = keys, wanted
        # What the files lack is spread evenly: it neither supports a pair nor contradicts it.
        owners, rows_of = blocks.alike(blocks.owners), blocks.alike(blocks.shown)
        no_owner, no_row = np.maximum(rows_of - owners, 0.0), np.maximum(owners - rows_of, 0.0)
        n_records, n_candidates = float(graph.supply.sum()), float(graph.capacity.sum())
        everybody = max(n_records, n_candidates)
        unseen, by_chance = np.ones((2, len(value)), np.float32)
        unseen[known] = no_owner[v] * (rows_of / n_candidates)[u]
        unseen[known] += owners[v] * (no_row / n_records)[u]
        by_chance[known] = (owners + no_owner)[v] * ((rows_of + no_row) / everybody)[u]
        supply = graph.supply[rows].astype(float)
        return cls(own, implied, groups, unseen, by_chance, supply, blocks.likeness)

    @cached_property
    def factor(self) -> Floats32:
        """The column's factor of the odds of each pair; 1 at first."""
        return np.ones(len(self.own), np.float32)

    def update(self, probability: Floats, product: Floats, *, damped: bool) -> None:
        """Compute the factor anew from the probabilities of all pairs; multiply a product by it."""
        totals = np.zeros(self.groups + 1)
        pass_on(self.own, self.supply, probability, self.factor, totals)
        totals = self._alike(totals)
        given = self.unseen, self.by_chance, WRONG_CELLS, damped
        weigh(self.implied, totals, *given, self.factor, product)

    def matched(self, probability: Floats) -> Floats:
        """The number of matched pairs among those that each pair implies."""
        totals = np.bincount(self.own, self.supply * probability, self.groups + 1).astype(float)
        return self._alike(totals)[self.implied]

    def _alike(self, totals: Floats) -> Floats:
        """The matched records of each group and of those that noise may have made of it."""
        totals[-1] = 0.0
        if self.likeness is not None:
            size = self.likeness.shape[0]
            square = totals[:-1].reshape(size, size)
            totals[:-1] = (self.likeness @ (self.likeness @ square).T).T.ravel()
        return totals

    @property
    def checkable(self) -> Bools:
        """The pairs whose implied pair is in the files, moved, and improbable by chance."""
        moved = self.own != self.implied
        checkable: Bools = moved & (self.unseen == 0) & (self.by_chance <= CHECKABLE)
        return checkable


def _numbered(keys: Ints, wanted: Ints, size: int) -> tuple[Ints, Ints, int]:
    """The places of keys below a size in the ascending order of those listed, and their number.

    A requested key that is not listed has the place after the last.
    """
    if size <= TABLE_CELLS:  # a table of all keys is faster than sorting
        listed = np.zeros(size, bool)
        listed[keys] = True
        place = np.cumsum(listed) - 1
        groups = int(listed.sum())
        return place[keys], np.where(listed[wanted], place[wanted], groups), groups
    distinct, place = np.unique(keys, return_inverse=True)
    at = np.searchsorted(distinct, wanted)
    found = np.append(distinct, -1)[at] == wanted
    return place, np.where(found, at, len(distinct)), len(distinct)
