"""Kernels made ready before the work, and a word to the user when that takes a while."""

from __future__ import annotations

import logging
from threading import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE = 1.5  # seconds; loading what was compiled before takes less
_ready: set[str] = set()


def prepare(what: str, rehearse: Callable[[], object]) -> None:
    """Run a small rehearsal once in a process, so that kernels are compiled or loaded.

    Where they have to be compiled, which happens once on a machine, the log says so.
    """
    if what in _ready:
        return
    _ready.add(what)
    notice = Timer(PATIENCE, _tell, [what])
    notice.daemon = True
    notice.start()
    try:
        rehearse()
    except BaseException:
        _ready.discard(what)
        raise
    finally:
        notice.cancel()


def _tell(what: str) -> None:
    logging.getLogger("unveil").warning(
        "preparing %s: compiling for this machine, once; up to half a minute", what
    )
