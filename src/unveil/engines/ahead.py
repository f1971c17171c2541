"""Kernels compiled by a second process, on a fresh machine, before they are needed."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

_CALL = "from unveil.engines.ahead import compile_all; compile_all()"


@contextmanager
def compiled_ahead() -> Iterator[None]:
    """While this lasts, another process compiles what a whole audit asks for.

    Compiling takes half a minute, half of it for kernels that are asked for late: what the
    other process has kept by then is loaded, what it has not is compiled here. Where
    everything was compiled before, or no process can be started, nothing is lost.

    >>> with compiled_ahead():
    ...     pass
    """
    other: subprocess.Popen[bytes] | None = None
    with suppress(OSError, ValueError):
        other = subprocess.Popen(  # noqa: S603 - this very Python, and a line of this file
            [sys.executable, "-P", "-c", _CALL],  # nothing of the folder one is in
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for this process, which ends the other
        )
    try:
        yield
    finally:
        if other is not None:
            other.kill()
            other.wait()


def compile_all() -> None:
    """Call what an audit asks for some time after its first search.

    >>> compile_all()
    """
    from unveil.engines.grouping import mdav
    from unveil.engines.local import density
    from unveil.engines.metrics import euclid

    density(np.zeros((2, 1)), np.zeros((2, 1)), euclid())
    mdav(np.zeros((4, 1)), 2)
