"""Blocks of work on all cores, with progress, and a clean end when interrupted."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from itertools import pairwise
from typing import TypeVar

from unveil.support.arrays import Bools
from unveil.support.options import Progress, whole_number

A = TypeVar("A")
B = TypeVar("B")
MOST_THREADS = 1024
_limit = [MOST_THREADS]  # of this process; the last counts
SHARED_FROM = 4096  # records; with fewer, waking other threads takes longer than the work
SHARED_CELLS = 2_000_000  # the same of a matrix


def cores(threads: int | None) -> int:
    """The number of threads to use: as given, else every core that this process may use."""
    if threads is None:
        has_affinity = hasattr(os, "sched_getaffinity")
        available = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
        return min(available, _limit[-1])
    return whole_number(threads, "threads", 1, MOST_THREADS)


@contextmanager
def limited_threads(threads: int) -> Iterator[None]:
    """Leave cores to other processes: kernels and linear algebra use at most so many threads.

    >>> with limited_threads(1):
    ...     cores(None)
    1
    """
    from threadpoolctl import threadpool_limits

    _limit.append(min(threads, _limit[-1]))
    try:
        with threadpool_limits(_limit[-1], user_api="blas"):
            yield
    finally:
        _limit.pop()


def block_bounds(n: int, size: int) -> list[int]:
    """The bounds of blocks of at most `size` out of n."""
    return [*range(0, n, size), n]


def thread_blocks(n: int, threads: int, *, records_each: int = 1) -> list[int]:
    """The bounds of a few even blocks per thread out of n; one block if there are few records."""
    return _even_blocks(n, 4 * threads if n * records_each > SHARED_FROM else 1)


def _even_blocks(n: int, parts: int) -> list[int]:
    return [n * part // parts for part in range(parts + 1)]


def run_blocks(
    work: Callable[[int, int], object],
    bounds: Sequence[int],
    *,
    threads: int,
    progress: Progress | None = None,
    stop: Bools | None = None,
) -> None:
    """Call work(start, stop) for each pair of neighbours in `bounds`, many at a time.

    The first error, or Ctrl-C, cancels the blocks that have not begun, waits for the others and is
    raised again, so no thread outlives the call. Long work checks `stop`, which then turns true.
    """
    total = bounds[-1] if bounds else 0
    if progress is not None:
        progress(0, total)
    if stop is None and (threads == 1 or len(bounds) <= 2):  # there is nothing to share
        for start, end in pairwise(bounds):
            work(start, end)
            if progress is not None:
                progress(end, total)
        return
    with ThreadPoolExecutor(threads) as pool:
        blocks = {pool.submit(work, start, stop): stop - start for start, stop in pairwise(bounds)}
        done = 0
        try:
            for block in as_completed(blocks):
                block.result()
                done += blocks[block]
                if progress is not None:
                    progress(done, total)
        except BaseException:
            if stop is not None:
                stop[:] = True
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def run_lines(
    work: Callable[[int, int], object], n_lines: int, n_cells: int, *, threads: int | None = None
) -> None:
    """Call work(start, stop) for all lines of a matrix, on several cores if it has many cells."""
    several = cores(threads) if n_cells > SHARED_CELLS else 1
    run_blocks(work, _even_blocks(n_lines, 4 * several if several > 1 else 1), threads=several)


def on_all_cores(work: Callable[[A], B], items: Sequence[A]) -> list[B]:
    """The result of work on each item, in the order of the items.

    Items begin in their order, and those that have begun end: of several that fail, the error of
    the first is raised, whichever thread was faster.
    """
    results: dict[int, B] = {}
    failed: dict[int, Exception] = {}

    def block(start: int, stop: int) -> None:
        for i in range(start, stop):
            try:
                results[i] = work(items[i])
            except Exception as error:
                failed[i] = error
                raise

    try:
        run_blocks(block, range(len(items) + 1), threads=cores(None))
    except Exception:
        if failed:
            raise failed[min(failed)] from None
        raise
    return [results[i] for i in range(len(items))]
