"""Names for the arrays that kernels work on, and ranges in them."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Ints = NDArray[np.int64]
Ints32 = NDArray[np.int32]
Bits = NDArray[np.uint64]
Bools = NDArray[np.bool_]


def consecutive(starts: Ints, sizes: Ints) -> Ints:
    """The numbers start, start + 1, ... of each range, one range after another.

    >>> consecutive(np.array([5, 0]), np.array([3, 2])).tolist()
    [5, 6, 7, 0, 1]
    """
    before: Ints = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes)
