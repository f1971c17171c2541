"""Names for the arrays that kernels work on."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Ints = NDArray[np.int64]
Ints32 = NDArray[np.int32]
Bits = NDArray[np.uint64]
Bools = NDArray[np.bool_]
