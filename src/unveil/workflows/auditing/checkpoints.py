"""The steps of a long job: told how far each has come, and done once even after a kill."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from unveil.files.checkpoints import CheckpointFolder
from unveil.support.arrays import Floats
from unveil.support.options import Progress

T = TypeVar("T")


class Checkpoints:
    """Does one step after another; what a folder has finished is taken from there.

    >>> Checkpoints(1).do("count", int, lambda told: 3)
    3
    """

    def __init__(
        self,
        many: int,
        *,
        progress: Callable[[str, int, int], None] | None = None,
        unfinished: CheckpointFolder | None = None,
    ) -> None:
        self.many, self.done = many, 0
        self._progress, self._unfinished = progress, unfinished

    def do(self, name: str, kind: Any, work: Callable[[Progress], T]) -> T:
        """Do a step, or take what it came to."""
        return self.do_each(name, kind, lambda told: (work(told), None))[0]

    def do_each(
        self, name: str, kind: Any, work: Callable[[Progress], tuple[T, Floats | None]]
    ) -> tuple[T, Floats | None]:
        """The same of a step that has numbers for each record, too."""
        most = 0

        def told(done: int, total: int) -> None:
            nonlocal most
            if self._progress is not None:  # a step asks several questions: it never goes back
                most = max(most, 99 * done // max(total, 1))
                self._progress(name, 100 * self.done + most, 100 * self.many)

        told(0, 1)
        found = None if self._unfinished is None else self._unfinished.find(name, kind)
        if found is None:
            found = work(told)
            if self._unfinished is not None:
                self._unfinished.keep(name, *found)
        self.done += 1
        return found

    def finish(self) -> None:
        """All is done: nothing need be kept."""
        if self._progress is not None:
            self._progress("done", 100 * self.many, 100 * self.many)
        if self._unfinished is not None:
            self._unfinished.remove()


@contextmanager
def said_once() -> Iterator[None]:
    """Let a warning that every step has to give be given once.

    >>> with said_once():
    ...     logging.getLogger("unveil").info("a column does not vary")
    """
    logger, said = logging.getLogger("unveil"), set[str]()

    def is_new(record: logging.LogRecord) -> bool:
        text = record.getMessage()
        new = text not in said
        said.add(text)
        return new

    logger.addFilter(is_new)
    try:
        yield
    finally:
        logger.removeFilter(is_new)


@contextmanager
def quietly() -> Iterator[None]:
    """Show no warning about what is only tried; the notice that kernels are compiled still shows.

    >>> with quietly():
    ...     logging.getLogger("unveil").warning("a column does not vary")
    """
    logger = logging.getLogger("unveil")

    def is_shown(_record: logging.LogRecord) -> bool:
        return False

    logger.addFilter(is_shown)
    try:
        yield
    finally:
        logger.removeFilter(is_shown)
