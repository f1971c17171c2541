"""How kernels are compiled: one place, so that they are alike."""

from __future__ import annotations

from functools import partial

from numba import njit


def can_be_kept() -> bool:
    """Whether numba finds a folder for compiled kernels; without one, each run compiles."""
    try:
        njit(cache=True)(can_be_kept)
    except RuntimeError:
        return False
    return True


# Compiled once on a machine (cache) and free of Python's lock (nogil): threads run kernels
# side by side. A kernel makes no arrays, so arrays are not reference-counted in it (_nrt):
# counting is atomic, and threads that share a tree would spend most of their time on it.
kernel = partial(njit, nogil=True, cache=can_be_kept(), _nrt=False)

# A part is compiled into the kernels that call it: handing dozens of arrays to a call costs
# more than the work of a small one. It cannot be called from Python.
part = partial(
    njit, nogil=True, _nrt=False, forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True
)

# A step of a single kernel is written out in it before anything is compiled: large ones
# would be optimised twice.
step = partial(njit, inline="always")
