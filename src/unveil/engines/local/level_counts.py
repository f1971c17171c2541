"""Keys of comparisons counted: which patterns of levels there are, and of how many pairs."""

from collections.abc import Sequence
from math import prod
from threading import Lock

import numpy as np

from unveil.engines.local.kernels import levels as kernel
from unveil.engines.local.level_patterns import LevelPatterns
from unveil.support.arrays import Floats, Ints

Ends = Sequence[Sequence[float]]


DENSE = 1 << 20  # possible patterns of which each has a place of its own
PART = 1 << 13  # codes of one part: what is looked up for them stays near the processor
LARGEST_KEY = 2**62


class KeyWord:
    """Attributes whose slots make one key."""

    def __init__(self, start: int, ends: Ends) -> None:
        self.attributes = slice(start, start + len(ends))
        self.slots = [len(own) + 2 for own in ends]
        self.tolerances = kernel.Tolerances(
            np.array([end for own in ends for end in own], np.float64),
            np.cumsum([0, *(len(own) for own in ends)]),
            np.array([prod(self.slots[j + 1 :]) for j in range(len(ends))], np.int64),
        )

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """The slots of the attributes, part by part."""
        shapes: list[tuple[int, ...]] = [()]
        for slots in self.slots:
            if shapes[-1] and prod(shapes[-1]) * slots > PART:
                shapes.append(())
            shapes[-1] += (slots,)
        return shapes


def words_of(ends: Ends) -> list[KeyWord]:
    """The attributes in words; one, unless they are very many."""
    words, first = [], 0
    for j in range(1, len(ends) + 1):
        if j == len(ends) or prod(len(own) + 2 for own in ends[first : j + 1]) > LARGEST_KEY:
            words.append(KeyWord(first, ends[first:j]))
            first = j
    return words


class PatternTally:
    """Keys of pairs, counted as they come, in whatever order."""

    def __init__(self, ends: Ends) -> None:
        self.words = words_of(ends)
        possible = prod(slots for word in self.words for slots in word.slots)
        self._dense = np.zeros(possible if possible <= DENSE else 0, np.int64)
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
                    run = merged(run, self._runs.pop())
                self._runs.append(run)

    def patterns(self) -> LevelPatterns:
        """What was counted, in the order of the keys."""
        if self._wide:
            keys = np.concatenate(self._wide, axis=1)
            return self.listed(keys, np.ones(keys.shape[1]))
        if len(self._dense):
            found = np.flatnonzero(self._dense)
            return self._decoded(found[None], self._dense[found])
        run = (np.zeros(0, np.int64), np.zeros(0, np.int64))
        while self._runs:
            run = merged(run, self._runs.pop())
        return self._decoded(run[0][None], run[1])

    def listed(self, keys: Ints, times: Floats) -> LevelPatterns:
        """The same of pairs that are counted so many times each."""
        order = np.lexsort((times, *keys[::-1]))  # so that sums do not depend on the rows
        keys = keys[:, order]
        starts = np.flatnonzero((np.diff(keys, prepend=-1) != 0).any(axis=0))
        return self._decoded(keys[:, starts], np.add.reduceat(times[order], starts))

    def _decoded(self, keys: Ints, counts: Ints | Floats) -> LevelPatterns:
        """Keys as codes of parts, the first attributes in the first part."""
        codes, shapes = [], []
        for word, key in zip(self.words, keys, strict=True):
            sizes = tuple(prod(shape) for shape in word.shapes)
            codes += [code.astype(np.int32) for code in np.unravel_index(key, sizes)]
            shapes += word.shapes
        return LevelPatterns(np.array(codes), counts.astype(np.float64), tuple(shapes))


def merged(one: tuple[Ints, Ints], two: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Two ascending runs of keys, and how often each occurs, as one."""
    keys, counts = (np.empty(len(one[0]) + len(two[0]), np.int64) for _ in range(2))
    n = kernel.merge_runs(*one, *two, keys, counts)
    return keys[:n].copy(), counts[:n].copy()
