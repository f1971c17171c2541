"""Optimal univariate microaggregation: the groups of the least sum of squares."""

import numpy as np

from unveil.grouping.kernels.partition import find_paths
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import prepare
from unveil.support.options import Progress

RUNS_AT_ONCE = 2**27  # below a second, between two looks at progress and Ctrl-C


def optimal_groups(values: Floats, k: int, *, progress: Progress | None = None) -> Ints:
    """The group of each of ascending values, from 0, with the least sum of squares within groups.

    An optimal partition has groups of k to 2k - 1 neighbours, so it is a shortest path along
    the values: time n k, memory n. Equal values may come into different groups. Of
    partitions that are equally good, to the last bit as computed, the one whose last group is
    the smallest, and so on from there. Fewer than 2k values are one group.

    Stephen Lee Hansen and Sumitra Mukherjee, "A polynomial algorithm for optimal univariate
    microaggregation", IEEE Transactions on Knowledge and Data Engineering 15 (2003),
    1043-1044.

    >>> optimal_groups(np.array([1.0, 2.0, 3.0, 20.0, 21.0, 22.0, 23.0]), 2).tolist()
    [0, 0, 0, 1, 1, 2, 2]
    """
    prepare("optimal microaggregation", lambda: optimal_groups(np.arange(4.0), 2))
    n = len(values)
    if n < 2 * k:
        return np.zeros(n, np.int64)
    _, exponent = np.frexp(np.abs(values).max())
    scaled = np.ldexp(values, -int(exponent))  # exact; no square overflows or vanishes
    costs, sizes = np.zeros(n + 1), np.zeros(n + 1, np.int64)
    step = max(1, RUNS_AT_ONCE // (2 * k))
    for start in range(1, n + 1, step):
        if progress is not None:
            progress(start - 1, n)
        find_paths(scaled, k, costs, sizes, start, min(start + step, n + 1))
    begins, end = np.zeros(n, np.int64), n
    while end > 0:
        end -= sizes[end]
        begins[end] = 1
    if progress is not None:
        progress(n, n)
    return np.cumsum(begins) - 1
