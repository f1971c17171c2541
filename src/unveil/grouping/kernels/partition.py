"""The cheapest partition of a line into runs of k to 2k - 1: a shortest path."""

import numpy as np

from unveil.support.arrays import Floats, Ints
from unveil.support.compile import kernel


@kernel()
def find_paths(values: Floats, k: int, costs: Floats, sizes: Ints, start: int, stop: int) -> None:
    """The cheapest partition of the first i of ascending values, for i from start to stop - 1.

    costs[i] becomes its sum of squares within runs, sizes[i] the length of its last run;
    those before `start` are there. Of partitions as costly, the one with the shorter run.

    Squares are of differences from the last value of the run, which is a member of it. So
    the squared sum over m is at most (m - 1) / m of the sum of squares, and what is left of
    their difference has lost the digits of m at most, however large the values are.
    """
    for i in range(start, stop):
        last, best, length = values[i - 1], np.inf, 0
        total, squares = 0.0, 0.0
        for size in range(1, min(2 * k - 1, i) + 1):
            gap = last - values[i - size]
            total += gap
            squares += gap * gap
            if size >= k:
                cost = costs[i - size] + (squares - total * total / size)
                if cost < best:
                    best, length = cost, size
        costs[i], sizes[i] = best, length
