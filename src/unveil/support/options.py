"""Numeric options checked against their range, shares of a whole, and progress."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from operator import index
from typing import Protocol

from unveil.errors import UsageError


def whole_number(value: int, name: str, least: int, most: int) -> int:
    """An option that is a whole number within its range."""
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or not least <= number <= most:
        raise UsageError(f"{name}: a whole number from {least} to {most:,}")
    return number


def share(value: float, name: str) -> float:
    """An option that is a number from 0 to 1."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if isinstance(value, bool | str) or not 0 <= number <= 1:
        raise UsageError(f"{name}: a number from 0 to 1")
    return number


def part_of(n: int, share: float, whole: int = 1) -> int:
    """A share of n, rounded down, computed in decimals as the share is written.

    >>> part_of(100, 0.29), int(100 * 0.29), part_of(1000, 32.3, 100)
    (29, 28, 323)
    """
    return int(Decimal(repr(share)) * n / whole)


@contextmanager
def unwarned() -> Iterator[None]:
    """Without the warnings of a library, which are about its use and not for our users."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


# Verbs report progress by one signature: the task at hand, how much of all tasks is done, and the
# total, 0 if it is not known. It is called in the calling thread; a task may be reported again.
TaskProgress = Callable[[str, float, float], None]


class Progress(Protocol):
    """The progress of one task within a verb, reported in the calling thread."""

    def __call__(self, done: int, total: int) -> None:
        """Report how much is done, and of how much in total."""
