"""The values of one column in both files, as blocks of equal cells."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from unveil.support.arrays import Bools, Floats, Ints, consecutive

MOST_BINS = 2000  # of a noisy column
BINS_PER_DEVIATION = 2
FARTHEST = 3.0  # deviations of noise between a value and what it became


@dataclass(frozen=True, repr=False, eq=False)
class ValueBlocks:
    """One column: the block of each record and of each candidate, in ascending order of values.

    A class of equal records counts as many times as it has members. -1 is a missing cell.
    """

    records: Ints
    candidates: Ints
    owners: Floats  # of each block, the records that have its value
    shown: Floats  # the candidates that show it
    likeness: csr_array | None = None  # of two blocks, where noise may have made one of the other

    @classmethod
    def of(cls, records: Floats, candidates: Floats) -> ValueBlocks:
        """The blocks of numbers or codes; NaN is missing."""
        values = np.concatenate([records, candidates])
        known = ~np.isnan(values)
        place = np.full(len(values), -1)
        distinct, place[known] = np.unique(values[known], return_inverse=True)
        sides = place[: len(records)], place[len(records) :]
        return cls(*sides, *(_counts(side, np.ones(len(side)), len(distinct)) for side in sides))

    @classmethod
    def noisy(cls, records: Floats, candidates: Floats, deviation: float) -> ValueBlocks:
        """Bins of values to which noise was added: values in near bins may be equal."""
        values = np.concatenate([records, candidates])
        known = values[~np.isnan(values)]
        least = np.ptp(known) / MOST_BINS if len(known) else 0.0
        width = max(deviation / BINS_PER_DEVIATION, least)
        binned = cls.of(np.rint(records / width), np.rint(candidates / width))
        bins = np.unique(np.rint(known / width))
        reach = FARTHEST * deviation / width
        start = np.searchsorted(bins, bins - reach)
        stop = np.searchsorted(bins, bins + reach, "right")
        near = consecutive(start, stop - start)
        gaps = (bins[near] - np.repeat(bins, stop - start)) * width / deviation
        # Two noisy values are as alike as this on average, so that a true pair counts 1.
        alike = 2**0.5 * np.exp(-0.5 * gaps**2)
        starts = np.append(0, np.cumsum(stop - start))
        return replace(binned, likeness=csr_array((alike, near, starts)))

    def alike(self, counts: Floats) -> Floats:
        """The number of records, or candidates, that may have the value of each block."""
        return counts if self.likeness is None else self.likeness @ counts

    def take(self, records: Ints, candidates: Ints, supply: Ints, capacity: Ints) -> ValueBlocks:
        """The blocks of classes of equal records and candidates, with the sizes of the classes."""
        own, theirs = self.records[records], self.candidates[candidates]
        n = len(self.owners)
        owners, shown = _counts(own, supply, n), _counts(theirs, capacity, n)
        return ValueBlocks(own, theirs, owners, shown, self.likeness)

    def neighbours(self, first: int | None) -> Ints:
        """Exchange neighbouring blocks, as a control.

        Blocks are paired in order, from the first one on, among the blocks that both files have;
        for noisy values at a distance that noise cannot bridge. None: each block stays.
        """
        other = np.arange(len(self.owners))
        if first is None:
            return other
        shared, step = np.flatnonzero((self.owners > 0) & (self.shown > 0)), 1
        if self.likeness is not None:
            shared, step = other.copy(), int(np.diff(self.likeness.indptr).max(initial=1))
        shared = shared[first * step :]
        place = np.arange(len(shared))
        across = place + np.where(place // step % 2, -step, step)
        paired = across < len(shared)
        other[shared[paired]] = shared[across[paired]]
        return other

    def unique_links(self) -> tuple[Ints, Ints]:
        """The only candidate with each record's value, and the converse; -1: none, or several."""
        unique = (self.owners == 1) & (self.shown == 1) & (self.likeness is None)
        return (
            _places(self.records, self.candidates, unique),
            _places(self.candidates, self.records, unique),
        )


def _counts(blocks: Ints, sizes: Ints | Floats, n: int) -> Floats:
    known = blocks >= 0
    return np.bincount(blocks[known], sizes[known].astype(float), n).astype(float)


def _places(blocks: Ints, others: Ints, unique: Bools) -> Ints:
    place = np.full(len(unique) + 1, -1)
    known = np.flatnonzero(others >= 0)
    place[others[known]] = known
    place[:-1][~unique] = -1
    return place[blocks]  # -1, a missing cell, is the last
