"""Compile numba kernels, cache them on disk, and warm them up before the work."""

import logging
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Timer
from typing import Any, TypeVar

import numba

njit: Any = numba.njit  # its stubs do not know _nrt
PACKAGE = Path(__file__).parents[1]
NOTICE_AFTER = 1.5  # seconds; loading kernels that were compiled before takes less
F = TypeVar("F", bound=Callable[..., Any])
_warm: set[str] = set()


def kernel() -> Callable[[F], F]:
    """Compile a kernel once per machine, without Python's lock, so that threads run it at once.

    A kernel makes no arrays, so reference counting is off (_nrt): it is atomic, and threads that
    share a tree would spend most of their time on it.
    """
    return _compile


def _compile(function: Any) -> Any:
    try:
        dispatcher = njit(nogil=True, cache=True, _nrt=False)(function)
        forget_stale(Path(dispatcher.stats.cache_path))
    except (RuntimeError, OSError):  # no folder for compiled kernels: each run compiles
        return njit(nogil=True, _nrt=False)(function)
    return dispatcher


@cache
def forget_stale(folder: Path) -> None:
    """Remove kernels that were compiled from other sources.

    Numba compares a kernel with its own file only, not with the parts that it calls.
    """
    stamp, note = _sources(PACKAGE), folder / "sources.sha256"
    with suppress(FileNotFoundError):
        if note.read_text() == stamp:
            return
    for index in folder.glob("*.nbi"):
        index.unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    note.write_text(stamp)


@cache
def _sources(package: Path) -> str:
    """The hash of all kernel sources of the package, and of the tie rule that they compile in."""
    sources = [*sorted(package.rglob("kernels/*.py")), *package.glob("engines/base.py")]
    kernels = (path.read_bytes() for path in sources)
    return sha256(Path(__file__).read_bytes() + b"".join(kernels)).hexdigest()


def part(**options: Any) -> Callable[[F], F]:
    """Compile a function into the kernels that call it; Python cannot call it.

    Passing dozens of arrays costs more than the work of a small function.
    """
    hidden = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    decorator: Callable[[F], F] = njit(
        nogil=True, _nrt=False, forceinline=True, **hidden, **options
    )
    return decorator


def step() -> Callable[[F], F]:
    """Inline a step of a single kernel, since a large step would be optimised twice."""
    decorator: Callable[[F], F] = njit(inline="always")
    return decorator


def prepare(what: str, rehearse: Callable[[], object]) -> None:
    """Run a small rehearsal once per process, so that kernels are compiled or loaded.

    If they must be compiled, which happens once per machine, the log says so.
    """
    if what in _warm:
        return
    _warm.add(what)
    notice = Timer(NOTICE_AFTER, _notify, [what])
    notice.daemon = True
    notice.start()
    try:
        rehearse()
    except BaseException:
        _warm.discard(what)
        raise
    finally:
        notice.cancel()


def _notify(what: str) -> None:
    logging.getLogger("unveil.compile").warning(
        "preparing %s: compiling once for this machine, up to half a minute", what
    )
