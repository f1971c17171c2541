"""How kernels are compiled: one place, so that they are alike."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path

from numba import njit

SOURCES = Path(__file__).parent


def can_be_kept() -> bool:
    """Whether numba finds a folder for compiled kernels; without one, each run compiles."""
    try:
        folder = njit(cache=True)(can_be_kept).stats.cache_path
        forget_stale(Path(folder or ""))
    except (RuntimeError, OSError):
        return False
    return True


def forget_stale(folder: Path) -> None:
    """Remove what was compiled from other sources than these.

    Numba compares a kernel with its own file only, not with the parts that it calls.
    """
    sources = b"".join(path.read_bytes() for path in sorted(SOURCES.glob("*.py")))
    stamp, note = sha256(sources).hexdigest(), folder / "sources.sha256"
    with suppress(FileNotFoundError):
        if note.read_text() == stamp:
            return
    for index in folder.glob("*.nbi"):
        index.unlink(missing_ok=True)
    note.write_text(stamp)


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
