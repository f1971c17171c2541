"""Comparison patterns: how many pairs of records have which levels, attribute by attribute."""

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np

from unveil.engines.local.kernels.levels import expect_matches
from unveil.support.arrays import Floats, Ints, Ints32
from unveil.support.threads import block_bounds, cores, run_blocks

CHUNK = 1 << 19  # patterns whose matches are added up at once: whatever the threads, the same sums


class ExpectedMatches(NamedTuple):
    """What patterns come to under a model of matches."""

    matches: float
    levels: Floats  # the matches among the pairs of each level, of all attributes in turn
    logs: float  # the sum over all pairs of log(1 + odds that it is a match)


@dataclass(frozen=True, repr=False, eq=False)
class LevelPatterns:
    """Pairs of records by their comparison levels.

    Attributes stand together in parts, and a pattern has one code for each part: the slots
    of its attributes in one number, a slot 0 where missing, else one more than the level.
    """

    codes: Ints32  # parts x patterns
    counts: Floats  # how many pairs have the pattern
    shapes: tuple[tuple[int, ...], ...]  # of each part: the slots of its attributes

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def pairs(self) -> float:
        """How many pairs there are."""
        return float(self.counts.sum())

    @cached_property
    def first(self) -> Ints:
        """Where the levels of each attribute begin, of all attributes in turn, and their end."""
        return np.cumsum([0, *(slots - 1 for shape in self.shapes for slots in shape)])

    @cached_property
    def _codes_from(self) -> Ints:
        """Where the codes of each part begin, of all parts in turn, and their end."""
        return np.cumsum([0, *(prod(shape) for shape in self.shapes)])

    @cached_property
    def _level_of(self) -> list[Ints]:
        """Of each part, attributes x codes: the level's place among all; one more if missing."""
        found, starts = [], self.first[:-1].tolist()
        for shape in self.shapes:
            slots = np.indices(shape).reshape(len(shape), -1)
            own = np.array([starts.pop(0) for _ in shape])[:, None]
            found.append(np.where(slots > 0, own + slots - 1, self.first[-1]))
        return found

    def totals(self) -> Floats:
        """How many pairs each level has."""
        sums = [
            np.bincount(codes, self.counts, minlength=prod(shape))
            for codes, shape in zip(self.codes, self.shapes, strict=True)
        ]
        return self._by_level(np.concatenate(sums))

    def expect(
        self, weights: Floats, logit: float, *, threads: int | None = None
    ) -> ExpectedMatches:
        """The matches to be expected, given each level's weight and the prior's logit."""
        looked_up, first = self._by_code(weights), self._codes_from
        bounds = block_bounds(len(self), CHUNK)
        sums = np.zeros((len(bounds) - 1, first[-1]))
        found = np.zeros((len(bounds) - 1, 2))

        def work(start: int, stop: int) -> None:
            at = start // CHUNK
            found[at] = expect_matches(
                self.codes, self.counts, looked_up, first, logit, (start, stop), sums[at]
            )

        run_blocks(work, bounds, threads=cores(threads))
        matches, logs = found.sum(axis=0).tolist()
        return ExpectedMatches(matches, self._by_level(sums.sum(axis=0)), logs)

    def weigh(self, weights: Floats) -> Floats:
        """The sum of each pattern's weights."""
        looked_up, total = self._by_code(weights), np.zeros(len(self))
        for codes, start in zip(self.codes, self._codes_from[:-1].tolist(), strict=True):
            total += looked_up[start + codes]
        return total

    def _by_code(self, weights: Floats) -> Floats:
        """What each code weighs, of all parts in turn; what is missing weighs nothing."""
        each = np.append(weights, 0.0)
        return np.concatenate([each[level].sum(axis=0) for level in self._level_of])

    def _by_level(self, sums: Floats) -> Floats:
        """What codes sum up to, level by level."""
        found, start = np.zeros(self.first[-1] + 1), 0
        for level in self._level_of:
            own = sums[start : start + level.shape[1]]
            found += np.bincount(level.ravel(), np.tile(own, len(level)), minlength=len(found))
            start += level.shape[1]
        return found[:-1]
