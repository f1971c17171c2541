"""Identical rows, found by hashing and checked cell by cell."""

import numpy as np

from unveil.support.arrays import Bits, Bools, Ints
from unveil.support.compile import kernel, part

MINUS_ZERO = np.uint64(1 << 63)
INFINITE = np.uint64(0x7FF << 52)
ODD = np.uint64(0x9E3779B97F4A7C15)


@part()
def cell(bits: np.uint64) -> np.uint64:
    """The bits of a 64-bit number, the same for both zeros and for every NaN."""
    if bits == MINUS_ZERO:
        return np.uint64(0)
    return INFINITE + np.uint64(1) if bits & ~MINUS_ZERO > INFINITE else bits


@kernel()
def hash_rows(bits: Bits, extra: Bits, out: Bits, start: int, stop: int) -> None:
    """A 64-bit hash of each row and of `extra`, one more number for each, if not empty."""
    for i in range(start, stop):
        h = ODD
        for j in range(bits.shape[1] + (len(extra) > 0)):
            h ^= cell(bits[i, j] if j < bits.shape[1] else extra[i])
            h *= np.uint64(0xFF51AFD7ED558CCD)
            h ^= h >> np.uint64(32)
        out[i] = h * ODD


@kernel()
def mark_new(bits: Bits, extra: Bits, order: Ints, hashes: Bits, new: Bools) -> bool:
    """Mark each row in `order` that differs from the one before; false when a hash deceived.

    `hashes` are in that order too.
    """
    for i in range(len(order)):
        new[i] = i == 0 or hashes[i] != hashes[i - 1]
        if new[i]:
            continue
        here, there = order[i], order[i - 1]
        same = len(extra) == 0 or cell(extra[here]) == cell(extra[there])
        for j in range(bits.shape[1]):
            same = same and cell(bits[here, j]) == cell(bits[there, j])
        if not same:
            return False
    return True


def group_rows(bits: Bits, extra: Bits, hashes: Bits) -> tuple[Ints, Ints]:
    """Rows in groups of equals: an order of the rows, and where each group begins in it.

    The last of the beginnings is the number of rows. The order is one of contents: where
    the rows stood does not show in it.
    """
    order = np.argsort(hashes)
    new = np.empty(len(order), np.bool_)
    if not mark_new(bits, extra, order, hashes[order], new):  # as good as never
        columns = [plain_cells(column) for column in [*bits.T, *([extra] if len(extra) else [])]]
        order = np.lexsort(columns)
        new[1:] = np.any([column[order][1:] != column[order][:-1] for column in columns], axis=0)
    return order, np.append(np.flatnonzero(new), len(order))


def plain_cells(column: Bits) -> Bits:
    """`cell` of a whole column."""
    nan = (column & ~MINUS_ZERO) > INFINITE
    return np.where(nan, INFINITE + np.uint64(1), np.where(column == MINUS_ZERO, 0, column))
