"""Further processes of this machine that work on the same study.

They are started afresh, without the script that called us: it needs no guard against running twice.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import NamedTuple

import msgspec

from unveil.support.threads import cores, limited_threads

_CALL = "from unveil.workflows.choosing.workers import work_alone; work_alone()"
_THREADS = (
    "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
    "POLARS_MAX_THREADS",
)  # fmt: skip


class _Order(NamedTuple):
    """The first line that a worker reads; the message follows."""

    module: str
    function: str
    threads: int
    length: int  # of the message


@contextmanager
def further_workers(n: int, target: Callable[[bytes], object], message: bytes) -> Iterator[None]:
    """Run ``target(message)`` in n more processes, which end with the block or with this process.

    All share the cores evenly. The target is a function of a module. A worker that fails or is
    killed is not replaced: its claim is released, and this process meets the same task.
    """
    threads = max(1, cores(None) // (n + 1))
    order = _Order(target.__module__, target.__qualname__, threads, len(message))
    workers: list[subprocess.Popen[bytes]] = []
    with limited_threads(threads):
        try:
            for _ in range(n):
                with suppress(OSError):  # no memory for one more: the others do its work
                    workers.append(_start(order))
            for worker in workers:
                _send(worker, msgspec.json.encode(order) + b"\n" + message)
            yield
        finally:
            for worker in workers:
                worker.kill()
                worker.wait()
                with suppress(OSError):  # what it did not read
                    worker.stdin.close()  # type: ignore[union-attr]


def _start(order: _Order) -> subprocess.Popen[bytes]:
    path = os.pathsep.join(filter(None, sys.path))
    limits = dict.fromkeys(_THREADS, str(order.threads))
    return subprocess.Popen(  # noqa: S603 - this very Python, and a function of this file
        [sys.executable, "-P", "-c", _CALL],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **limits, "PYTHONPATH": path},
        start_new_session=True,  # Ctrl-C is for this process, which ends the others
    )


def _send(worker: subprocess.Popen[bytes], content: bytes) -> None:
    with suppress(OSError):  # it has ended
        worker.stdin.write(content)  # type: ignore[union-attr]
        worker.stdin.flush()  # type: ignore[union-attr]


def work_alone() -> None:
    """Carry out the order on standard input, which stays open as long as its sender lives."""
    order = msgspec.json.decode(sys.stdin.buffer.readline(), type=_Order)
    message = sys.stdin.buffer.read(order.length)
    threading.Thread(target=_end_with_sender, daemon=True).start()
    with limited_threads(order.threads):
        getattr(import_module(order.module), order.function)(message)


def _end_with_sender() -> None:
    os.read(0, 1)  # nothing more is sent: it returns at the end of the input
    os._exit(1)
