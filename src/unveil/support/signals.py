"""An end by signal: the program unwinds, or is ended if a long computation does not come back."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

GRACE = 0.8  # seconds for the program to unwind by itself
NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SHOW_CURSOR = b"\x1b[?25h"  # a progress bar hides it
_awaited, _noticed = threading.Event(), threading.Event()


@contextmanager
def interrupt_awaited() -> Iterator[None]:
    """Leave Ctrl-C to the block, which goes on with what it has, however long that takes."""
    _noticed.clear()
    _awaited.set()
    try:
        yield
    except KeyboardInterrupt:
        _noticed.wait(GRACE)  # the second thread may hear of it later than this one
        raise
    finally:
        _awaited.clear()


@contextmanager
def ended_by_signals(clean_up: Callable[[], None]) -> Iterator[None]:
    """Unwind the block on a signal; end the process, cleaned up, if that takes too long.

    Python runs a signal handler between two lines of Python, so one call of a kernel, a solver or
    a library would put off the end for minutes. A second thread is told of the signal at once.
    """
    # For SIGINT Python raises KeyboardInterrupt.
    before = {number: signal.signal(number, _unwind) for number in NUMBERS[1:]}
    receiver, sender = os.pipe()
    os.set_blocking(sender, False)
    previous = signal.set_wakeup_fd(sender, warn_on_full_buffer=False)
    unwound = threading.Event()

    def watch() -> None:
        while number := next(iter(os.read(receiver, 1)), 0):
            awaited = number == signal.SIGINT and _awaited.is_set()
            _noticed.set()
            if number in NUMBERS and not awaited and not unwound.wait(GRACE):
                _end(128 + number, clean_up)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        unwound.set()
        signal.set_wakeup_fd(previous)
        os.close(sender)
        for number, handler in before.items():
            signal.signal(number, handler)


def _unwind(number: int, _frame: object) -> None:
    sys.exit(128 + number)


def _end(code: int, clean_up: Callable[[], None]) -> None:
    """End the process now: no other thread has a say any more."""
    clean_up()
    with suppress(OSError):
        os.write(2, b"unveil: stopped\n" + (_SHOW_CURSOR if os.isatty(2) else b""))
    os._exit(code)
