"""Anti-unification: patterns that many records satisfy, found by splitting sets of records."""

from dataclasses import dataclass

import numpy as np

from unveil.errors import DataError
from unveil.grouping.kernels import anti_unification as kernel
from unveil.support.arrays import Bools, Ints, Ints32
from unveil.support.compile import prepare

FIRST_ENTRIES = 1 << 12  # of a table
MOST_ATTRIBUTES = 62  # as many bits as a mask has
CELLS_AT_ONCE = 2**28  # between two looks at Ctrl-C
MAX_CELLS = 2 * 10**10  # looked at before the search gives up: some minutes


@dataclass(frozen=True, repr=False, eq=False)
class FoundPatterns:
    """Patterns, each the values of a record in some attributes; those of a class together."""

    rows: Ints  # a record that satisfies each
    masks: Ints  # the attributes that it publishes, as bits
    identified: Bools  # the records of the sets that became patterns


def anti_unify(codes: Ints32, classes: Ints, *, k: int, stars: int, order: str) -> FoundPatterns:
    """The paper's patterns: of each class, sets of k records or more with at most so many stars.

    Armengol and Torra, Generalization-based k-anonymization (2015), Figures 1, 3 and 4. A set
    whose records agree in enough attributes makes a pattern; else it is split by the attributes
    with the most (>) or the fewest (<) values, by each of several that tie. When all is done,
    those without a pattern begin anew, until there is none more; then with the other condition.
    A code of -1 is unknown: it equals no value.
    """
    prepare("anti-unification", _rehearse)
    n, attributes = codes.shape
    work = _Work(np.ascontiguousarray(codes))
    rows, masks = [], []
    identified = np.zeros(n, np.bool_)
    by_class = np.argsort(classes, kind="stable")
    starts = np.flatnonzero(np.diff(classes[by_class], prepend=-1))
    for own in np.split(by_class, starts[1:]):
        found = _table(FIRST_ENTRIES)
        for condition in order:
            left, before = own[~identified[own]], -1
            while len(left) >= k and len(left) != before:
                before = len(left)
                found = work.run(left, k, attributes - stars, condition, found, identified)
                left = own[~identified[own]]
        many = int(found.size[0])
        rows.append(found.rows[:many].copy())
        masks.append(found.masks[:many].copy())
    return FoundPatterns(np.concatenate(rows), np.concatenate(masks), identified)


class _Work:
    """The codes, and what the kernel writes on."""

    def __init__(self, codes: Ints32) -> None:
        n, attributes = codes.shape
        most = int(codes.max(initial=0)) + 1
        self.codes = codes
        self.members = np.empty((attributes + 1, n), np.int64)
        self.frames = kernel.Frames(*(np.zeros(attributes + 2, np.int64) for _ in range(7)))
        self.count = kernel.Count(
            np.zeros(1, np.int64),
            np.zeros(most, np.int64),
            np.zeros(1, np.int64),
            *np.zeros((2, most), np.int64),
        )
        self.state = np.zeros(2, np.int64)
        self.visited = _table(FIRST_ENTRIES)

    def run(
        self, records: Ints, k: int, length: int, condition: str, patterns: kernel.CodedRecords,
        identified: Bools,
    ) -> kernel.CodedRecords:  # fmt: skip
        """Find patterns among some records; tables grow until there is room."""
        self._begin(records)
        while True:
            ended = kernel.analyse(
                self.codes, self.members, k, length, condition == ">", self.frames, self.count,
                self.visited, patterns, identified, self.state, CELLS_AT_ONCE,
            )  # fmt: skip
            if ended == kernel.DONE:
                return patterns
            if self.count.work[0] > MAX_CELLS:
                raise DataError(
                    "too many attributes have the same number of values, so there are too many "
                    "sets to split; generalise fewer attributes together (groups), or merge "
                    "some first"
                )
            if ended == kernel.FULL:
                if 2 * self.visited.size[0] >= len(self.visited.slots):
                    self.visited = _table(4 * len(self.visited.slots))
                if 2 * patterns.size[0] >= len(patterns.slots):
                    patterns = self._larger(patterns)
                self._begin(records)

    def _begin(self, records: Ints) -> None:
        """Start with all the records; earlier patterns are found again."""
        self.members[0, : len(records)] = records
        self.visited.slots.fill(-1)
        self.visited.size[0] = 0
        self.frames.start[0], self.frames.stop[0], self.frames.fixed[0] = 0, len(records), 0
        self.state[:] = 0, 1

    def _larger(self, table: kernel.CodedRecords) -> kernel.CodedRecords:
        larger = _table(4 * len(table.slots))
        kernel.copy_into(larger, table, self.codes)
        return larger


def _table(room: int) -> kernel.CodedRecords:
    half = room // 2 + 1
    return kernel.CodedRecords(
        np.full(room, -1), np.empty(half, np.int64), np.empty(half, np.int64), np.zeros(1, np.int64)
    )


def _rehearse() -> None:
    tiny = np.zeros((1, 1), np.int32)
    work, seen = _Work(tiny), np.zeros(1, np.bool_)
    work._larger(work.run(np.zeros(1, np.int64), 1, 1, ">", _table(4), seen))
