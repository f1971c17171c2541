"""Identical rows of an array, grouped."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.support.arrays import Floats, Ints
from unveil.support.kernels import rows
from unveil.support.threads import run_blocks, thread_blocks


@dataclass(frozen=True, repr=False, eq=False)
class EqualRows:
    """Records that are the same, together."""

    order: Ints  # the records, group by group
    starts: Ints  # where each group begins, and the end

    @property
    def firsts(self) -> Ints:
        """A record of each group, the one that stands for it."""
        return self.order[self.starts[:-1]]

    @property
    def all_single(self) -> bool:
        """Whether no two records are the same."""
        return len(self.starts) == len(self.order) + 1

    def of_record(self) -> Ints:
        """The group of each record."""
        groups = np.empty(len(self.order), np.int64)
        groups[self.order] = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        return groups

    def spread(self, answers: NDArray[Any]) -> None:
        """Give every record the answer of the one that stands for its group."""
        if not self.all_single:
            answers[self.order] = answers[np.repeat(self.firsts, np.diff(self.starts))]


def same_rows(values: Floats, extra: NDArray[np.generic], threads: int) -> EqualRows:
    """Group equal rows; `extra`, if not empty, is one more number of each."""
    bits, more = values.view(np.uint64), extra.view(np.uint64)
    hashes = np.empty(len(values), np.uint64)
    run_blocks(
        lambda start, stop: rows.hash_rows(bits, more, hashes, start, stop),
        thread_blocks(len(values), threads),
        threads=threads,
    )
    return EqualRows(*rows.group_rows(bits, more, hashes))
