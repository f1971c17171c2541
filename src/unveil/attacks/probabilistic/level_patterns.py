"""Comparison patterns: pairs of records counted by their levels, attribute by attribute.

A `PatternTally` counts the keys of pairs (see `kernels.levels`) and decodes them to
`LevelPatterns`, from which matches are expected.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from threading import Lock
from typing import NamedTuple

import numpy as np

from unveil.attacks.probabilistic.kernels import levels as kernel
from unveil.support.arrays import Floats, Ints, Ints32
from unveil.support.threads import block_bounds, cores, run_blocks

Tolerances = Sequence[Sequence[float]]  # of each attribute, ascending

PATTERNS_AT_ONCE = 1 << 19  # summed together, whatever the threads, so that sums are the same
DENSE_PATTERNS = 1 << 20  # up to so many possible patterns have a counter each
CODES_PER_PART = 1 << 13  # so that what is looked up for a part stays near the processor
LARGEST_KEY = 2**62


class ExpectedMatches(NamedTuple):
    """The expectation over all patterns under a model of matches."""

    matches: float
    levels: Floats  # the matches among the pairs of each level, of all attributes in turn
    logs: float  # the sum over all pairs of log(1 + odds that it is a match)


@dataclass(frozen=True, repr=False, eq=False)
class LevelPatterns:
    """Pairs of records by their comparison levels.

    Attributes are combined into parts, and a pattern has one code for each part: the slots of the
    part's attributes in one number. A slot is 0 if missing, else the level + 1.
    """

    codes: Ints32  # parts x patterns
    counts: Floats  # the pairs of each pattern
    shapes: tuple[tuple[int, ...], ...]  # of each part: the slots of its attributes

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def pairs(self) -> float:
        """The number of pairs."""
        return float(self.counts.sum())

    @cached_property
    def first(self) -> Ints:
        """The start of each attribute's levels in the array of all attributes, and the end."""
        return np.cumsum([0, *(slots - 1 for shape in self.shapes for slots in shape)])

    @cached_property
    def _codes_from(self) -> Ints:
        """The start of each part's codes in the array of all parts, and the end."""
        return np.cumsum([0, *(prod(shape) for shape in self.shapes)])

    @cached_property
    def _level_of(self) -> list[Ints]:
        """Of each part, attributes x codes: the level's place among all; one more if missing."""
        places, starts = [], self.first[:-1].tolist()
        for shape in self.shapes:
            slots = np.indices(shape).reshape(len(shape), -1)
            first = np.array([starts.pop(0) for _ in shape])[:, None]
            places.append(np.where(slots > 0, first + slots - 1, self.first[-1]))
        return places

    def levels(self, place: int) -> Ints:
        """The level of each attribute in one pattern; -1 where missing."""
        slots = [
            np.unravel_index(int(code), shape)
            for code, shape in zip(self.codes[:, place], self.shapes, strict=True)
        ]
        return np.concatenate(slots) - 1

    def totals(self) -> Floats:
        """The pairs of each level."""
        sums = [
            np.bincount(codes, self.counts, minlength=prod(shape))
            for codes, shape in zip(self.codes, self.shapes, strict=True)
        ]
        return self._by_level(np.concatenate(sums))

    def expect(
        self, weights: Floats, logit: float, *, threads: int | None = None
    ) -> ExpectedMatches:
        """The expected matches, given each level's weight and the prior's logit."""
        looked_up, first = self._by_code(weights), self._codes_from
        bounds = block_bounds(len(self), PATTERNS_AT_ONCE)
        sums = np.zeros((len(bounds) - 1, first[-1]))
        totals = np.zeros((len(bounds) - 1, 2))

        def work(start: int, stop: int) -> None:
            at = start // PATTERNS_AT_ONCE
            totals[at] = kernel.expect_matches(
                self.codes, self.counts, looked_up, first, logit, (start, stop), sums[at]
            )

        run_blocks(work, bounds, threads=cores(threads))
        matches, logs = totals.sum(axis=0).tolist()
        return ExpectedMatches(matches, self._by_level(sums.sum(axis=0)), logs)

    def weigh(self, weights: Floats) -> Floats:
        """The sum of each pattern's weights."""
        looked_up, total = self._by_code(weights), np.zeros(len(self))
        for codes, start in zip(self.codes, self._codes_from[:-1].tolist(), strict=True):
            total += looked_up[start + codes]
        return total

    def _by_code(self, weights: Floats) -> Floats:
        """The weight of each code, of all parts in turn; missing weighs nothing."""
        weights = np.append(weights, 0.0)
        return np.concatenate([weights[level].sum(axis=0) for level in self._level_of])

    def _by_level(self, sums: Floats) -> Floats:
        """Sums by code as sums by level."""
        totals, start = np.zeros(self.first[-1] + 1), 0
        for level in self._level_of:
            part = sums[start : start + level.shape[1]]
            totals += np.bincount(level.ravel(), np.tile(part, len(level)), minlength=len(totals))
            start += level.shape[1]
        return totals[:-1]


class KeyWord:
    """Attributes whose slots form one key."""

    def __init__(self, start: int, tolerances: Tolerances) -> None:
        self.attributes = slice(start, start + len(tolerances))
        self.slots = [len(ends) + 2 for ends in tolerances]
        self.tolerances = kernel.Tolerances(
            np.array([end for ends in tolerances for end in ends], np.float64),
            np.cumsum([0, *(len(ends) for ends in tolerances)]),
            np.array([prod(self.slots[j + 1 :]) for j in range(len(tolerances))], np.int64),
        )

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """The slots of the attributes, part by part."""
        shapes: list[tuple[int, ...]] = [()]
        for slots in self.slots:
            if shapes[-1] and prod(shapes[-1]) * slots > CODES_PER_PART:
                shapes.append(())
            shapes[-1] += (slots,)
        return shapes


def key_words(tolerances: Tolerances) -> list[KeyWord]:
    """The attributes in words: one word unless the attributes are very many."""
    words, first = [], 0
    for j in range(1, len(tolerances) + 1):
        slots = (len(ends) + 2 for ends in tolerances[first : j + 1])
        if j == len(tolerances) or prod(slots) > LARGEST_KEY:
            words.append(KeyWord(first, tolerances[first:j]))
            first = j
    return words


class PatternTally:
    """The counts of keys of pairs, which arrive in any order."""

    def __init__(self, tolerances: Tolerances) -> None:
        self.words = key_words(tolerances)
        possible = prod(slots for word in self.words for slots in word.slots)
        self._dense = np.zeros(possible if possible <= DENSE_PATTERNS else 0, np.int64)
        self._runs: list[tuple[Ints, Ints]] = []
        self._wide: list[Ints] = []
        self._lock = Lock()

    def add(self, keys: Ints) -> None:
        """Count these keys, words x pairs."""
        if len(self.words) > 1:
            self._wide.append(keys)
        elif len(self._dense):
            counts = np.bincount(keys[0], minlength=len(self._dense))
            with self._lock:
                self._dense += counts
        else:
            keys[0].sort()
            starts = np.flatnonzero(np.diff(keys[0], prepend=-1))
            run = keys[0, starts], np.diff(np.append(starts, keys.shape[1]))
            with self._lock:
                # Runs of about the same length are merged, so that none is copied very often.
                while self._runs and len(self._runs[-1][0]) <= 2 * len(run[0]):
                    run = merge_runs(run, self._runs.pop())
                self._runs.append(run)

    def patterns(self) -> LevelPatterns:
        """The patterns counted so far, in the order of their keys."""
        if self._wide:
            keys = np.concatenate(self._wide, axis=1)
            return self.weighted(keys, np.ones(keys.shape[1]))
        if len(self._dense):
            keys = np.flatnonzero(self._dense)
            return self._decode(keys[None], self._dense[keys])
        run = (np.zeros(0, np.int64), np.zeros(0, np.int64))
        while self._runs:
            run = merge_runs(run, self._runs.pop())
        return self._decode(run[0][None], run[1])

    def weighted(self, keys: Ints, times: Floats) -> LevelPatterns:
        """The patterns of pairs that count several times each."""
        order = np.lexsort((times, *keys[::-1]))  # so that sums do not depend on the rows
        keys = keys[:, order]
        starts = np.flatnonzero((np.diff(keys, prepend=-1) != 0).any(axis=0))
        return self._decode(keys[:, starts], np.add.reduceat(times[order], starts))

    def _decode(self, keys: Ints, counts: Ints | Floats) -> LevelPatterns:
        """Keys as codes of parts, the first attributes in the first part."""
        codes, shapes = [], []
        for word, key in zip(self.words, keys, strict=True):
            sizes = tuple(prod(shape) for shape in word.shapes)
            codes += [code.astype(np.int32) for code in np.unravel_index(key, sizes)]
            shapes += word.shapes
        return LevelPatterns(np.array(codes), counts.astype(np.float64), tuple(shapes))


def merge_runs(first: tuple[Ints, Ints], second: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Merge two ascending runs of keys with their counts."""
    keys, counts = (np.empty(len(first[0]) + len(second[0]), np.int64) for _ in range(2))
    n = kernel.merge_runs(*first, *second, keys, counts)
    return keys[:n].copy(), counts[:n].copy()
