"""Comparison patterns: how many pairs of records have which levels, attribute by attribute."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from unveil.engines.threads import blocks_of, cores, run_blocks
from unveil.kernels.levels import expect_matches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unveil.kernels.arrays import Floats, Ints, Ints32

CHUNK = 1 << 19  # patterns whose matches are added up at once: whatever the threads, the same sums


class Expected(NamedTuple):
    """What patterns come to under a model of matches."""

    matches: float
    levels: list[Floats]  # by attribute and level: the matches among its pairs
    logs: float  # the sum over all pairs of log(1 + odds that it is a match)


@dataclass(frozen=True, repr=False, eq=False)
class Patterns:
    """Pairs of records by their comparison levels.

    Attributes stand together in parts, and a pattern has one code for each part: the slots
    of its attributes in one number, a slot 0 where missing, else one more than the level.
    """

    codes: Ints32  # parts x patterns
    counts: Floats  # how many pairs have the pattern
    shapes: tuple[tuple[int, ...], ...]  # of each part: the slots of its attributes

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def pairs(self) -> float:
        """How many pairs there are."""
        return float(self.counts.sum())

    @property
    def _first(self) -> Ints:
        return np.concatenate([[0], np.cumsum([prod(shape) for shape in self.shapes])])

    def totals(self) -> list[Floats]:
        """How many pairs each attribute has in each level."""
        sums = [
            np.bincount(codes, self.counts, minlength=prod(shape))
            for codes, shape in zip(self.codes, self.shapes, strict=True)
        ]
        return self._by_level(np.concatenate(sums))

    def expect(
        self, weights: Sequence[Floats], logit: float, *, threads: int | None = None
    ) -> Expected:
        """The matches to be expected, given each level's weight and the prior's logit."""
        first, looked_up = self._first, self._by_code(weights)
        bounds = blocks_of(len(self), CHUNK)
        sums = np.zeros((len(bounds) - 1, first[-1]))
        found = np.zeros((len(bounds) - 1, 2))

        def work(start: int, stop: int) -> None:
            at = start // CHUNK
            found[at] = expect_matches(
                self.codes[:, start:stop],
                self.counts[start:stop],
                looked_up,
                first,
                logit,
                sums[at],
            )

        run_blocks(work, bounds, threads=cores(threads))
        matches, logs = found.sum(axis=0).tolist()
        return Expected(matches, self._by_level(sums.sum(axis=0)), logs)

    def weigh(self, weights: Sequence[Floats]) -> Floats:
        """The sum of each pattern's weights."""
        first, looked_up = self._first, self._by_code(weights)
        total = np.zeros(len(self))
        for codes, start in zip(self.codes, first[:-1].tolist(), strict=True):
            total += looked_up[start + codes]
        return total

    def _by_code(self, weights: Sequence[Floats]) -> Floats:
        """What each code weighs, part after part; what is missing weighs nothing."""
        found, left = [], list(weights)
        for shape in self.shapes:
            weight = np.zeros(shape)
            for axis, slots in enumerate(shape):
                along = [1] * len(shape)
                along[axis] = slots
                weight = weight + np.append(0.0, left.pop(0)).reshape(along)
            found.append(weight.ravel())
        return np.concatenate(found)

    def _by_level(self, sums: Floats) -> list[Floats]:
        """What the codes sum up to, by attribute and level."""
        found = []
        for shape, (start, stop) in zip(self.shapes, pairwise(self._first.tolist()), strict=True):
            box = sums[start:stop].reshape(shape)
            for axis in range(len(shape)):
                others = tuple(other for other in range(len(shape)) if other != axis)
                found.append(box.sum(axis=others)[1:])
        return found
