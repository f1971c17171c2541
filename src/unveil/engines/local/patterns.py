"""Agreement patterns: how many pairs of records agree on exactly which attributes."""

from collections.abc import Sequence

import numpy as np

from unveil.engines.base import MOST_ATTRIBUTES, Codes
from unveil.engines.local.kernels.patterns import DistinctRows, count_agreeing, scratch_for
from unveil.errors import DataError
from unveil.support.arrays import Ints, Ints32
from unveil.support.compile import prepare
from unveil.support.options import Progress
from unveil.support.threads import cores, run_blocks
from unveil.wording import count

_REHEARSAL = np.zeros((1, 1), np.int64)
MOST_RECORDS = 2**31 - 1  # kernels count rows in 32 bits


def pattern_counts(
    a: Codes, b: Codes, *, threads: int | None = None, progress: Progress | None = None
) -> Ints:
    """Count the pairs, one record of each file, by the attributes on which they agree.

    A pair agrees on an attribute when both records have the same code. Missing, code -1,
    agrees with nothing, not even with missing. Pairs are counted in groups and never
    listed: with N(S) the pairs that agree on at least the attributes in S, the exact
    patterns follow by inclusion and exclusion over supersets. Memory is linear in the
    records; time grows with the records and, where they are many, like 2**d.

    `a` and `b` hold codes from 0, records x attributes, for the same 1 to 20 attributes. The
    result has 2**d counts, which sum to len(a) * len(b). Bit j of a position is set when
    attribute j agrees: position 0 has the pairs that agree nowhere.

    >>> first = np.array([[0, 1], [0, 2]])
    >>> second = np.array([[0, 1], [5, 2], [0, -1]])
    >>> pattern_counts(first, second).tolist()  # neither, first, second, both
    [1, 3, 1, 1]
    """
    a, b = _as_table(a, "first"), _as_table(b, "second")
    d = a.shape[1]
    if b.shape[1] != d:
        raise DataError(
            f"the first file has {count(d, 'attribute')}, the second {b.shape[1]}; "
            "both must have the same"
        )
    if not 1 <= d <= MOST_ATTRIBUTES:
        raise DataError(
            f"patterns are counted for 1 to {MOST_ATTRIBUTES} attributes, not {d}; choose fewer"
        )
    if len(a) + len(b) > MOST_RECORDS:
        raise DataError(f"patterns are counted for up to {count(MOST_RECORDS, 'record')}")
    _check_codes(a, "first")
    _check_codes(b, "second")
    threads = cores(threads)
    if len(a) == 0 or len(b) == 0:
        return np.zeros(1 << d, np.int64)
    prepare("the counting of patterns", lambda: pattern_counts(_REHEARSAL, _REHEARSAL))
    rows, order = _distinct_rows(a, b)
    counts = _agreeing(rows, threads, progress)
    for bit in range(d):
        without, having = _halves(counts, bit)
        without -= having
    # Back from the order of the rows' attributes; the highest bit is the first axis.
    axes = (d - 1 - np.argsort(order))[::-1]
    return np.ascontiguousarray(counts.reshape((2,) * d).transpose(axes)).ravel()


def _as_table(codes: Codes, which: str) -> Codes:
    codes = np.asarray(codes)
    if codes.ndim != 2:
        raise DataError(
            f"the {which} file: codes are a table of records x attributes, "
            f"not an array of {count(codes.ndim, 'dimension')}"
        )
    if codes.dtype.kind not in "iu" or not np.can_cast(codes.dtype, np.int64):
        raise DataError(f"the {which} file: codes are whole numbers of up to 64 bits with sign")
    return codes


def _check_codes(codes: Codes, which: str) -> None:
    for position, column in enumerate(codes.T, start=1):
        below = int(np.count_nonzero(column < -1))
        if below:
            raise DataError(
                f"the {which} file, column {position}: {count(below, 'code')} below -1; "
                "codes are 0 and up, -1 is missing"
            )


def _distinct_rows(a: Codes, b: Codes) -> tuple[DistinctRows, Ints]:
    """The rows of both files, and the order of attributes: fewest agreeing pairs first."""
    columns, widths, agreeing = [], [], []
    for column_a, column_b in zip(a.T, b.T, strict=True):
        column, n_codes, pairs = _renumbered(column_a, column_b)
        columns.append(column)
        widths.append(max(n_codes + bool((column < 0).any()), 1))
        agreeing.append(pairs)
    # A rare agreement that divides early leaves little to divide later.
    order = np.argsort(np.array(agreeing), kind="stable")
    columns, slots = [columns[j] for j in order], np.array(widths, np.int64)[order]
    keys = _keys(columns, slots)
    _, kept_a, times_a = np.unique(keys[: len(a)], return_index=True, return_counts=True)
    _, kept_b, times_b = np.unique(keys[len(a) :], return_index=True, return_counts=True)
    kept = np.concatenate([kept_a, kept_b + len(a)])
    codes = np.ascontiguousarray(np.stack([column[kept] for column in columns], axis=1))
    codes[len(kept_a) :][codes[len(kept_a) :] < 0] = -2
    cells = np.ones(len(slots) + 1, np.int64)
    for k in reversed(range(len(slots))):
        cells[k] = min(cells[k + 1] * slots[k], len(kept) + 1)
    weights = np.concatenate([times_a, times_b]).astype(np.int32)
    return DistinctRows(codes, weights, len(kept_a), slots, cells), order


def _renumbered(column_a: Codes, column_b: Codes) -> tuple[Ints32, int, int]:
    """Dense codes of what both files have, else -1; how many; how many pairs agree."""
    both = np.concatenate([column_a, column_b]).astype(np.int64)
    if both.max() > 2 * len(both):  # too sparse for a lookup by code
        lowest = both.min()
        both = np.unique(both, return_inverse=True)[1] + min(lowest, 0)
    size = int(both.max()) + 2
    times_a = np.bincount(both[: len(column_a)] + 1, minlength=size)[1:]
    times_b = np.bincount(both[len(column_a) :] + 1, minlength=size)[1:]
    common = (times_a > 0) & (times_b > 0)
    # One more at the end, for code -1.
    lookup = np.append(np.where(common, np.cumsum(common) - 1, -1), -1).astype(np.int32)
    return lookup[both], int(common.sum()), int(times_a @ times_b)


def _keys(columns: Sequence[Ints32], slots: Ints) -> Ints:
    """A number for each record, the same for equal rows only, in the order of the rows."""
    keys, size = np.zeros(len(columns[0]), np.int64), 1
    for column, width in zip(columns, slots.tolist(), strict=True):
        if size * width >= 2**62:
            found, keys = np.unique(keys, return_inverse=True)
            size = len(found)
        keys = keys * width + np.where(column < 0, width - 1, column)
        size *= width
    return keys


def _agreeing(rows: DistinctRows, threads: int, progress: Progress | None) -> Ints:
    """The pairs that agree on at least each set of attributes."""
    d = rows.codes.shape[1]
    # A task is a choice among the first attributes. Enough of them keep all threads busy and
    # progress moving; each begins with all records, so that very many would be slower.
    free = min(d - 1, max(4, min(d - 6, 7), (4 * threads - 1).bit_length()))
    agreeing = np.zeros((1 << (d - free), 1 << free), np.int64)
    stopped = np.zeros(1, np.bool_)

    def count_task(start: int, _stop: int) -> None:
        forced = start >> (d - free)
        table = np.zeros((d - free + 1, 1 << (d - free)), np.int64)
        count_agreeing(rows, (forced, free), scratch_for(rows, stopped), table)
        sums = table[0]
        for bit in range(d - free):
            without, having = _halves(sums, bit)
            without += having
            sums += table[bit + 1]
        agreeing[:, forced] = sums

    bounds = range(0, (1 << d) + 1, 1 << (d - free))
    run_blocks(count_task, bounds, threads=threads, progress=progress, stop=stopped)
    return agreeing.ravel()


def _halves(counts: Ints, bit: int) -> tuple[Ints, Ints]:
    """The counts of sets without an attribute, and of the same sets with it."""
    split = counts.reshape(-1, 2, 1 << bit)
    return split[:, 0], split[:, 1]
