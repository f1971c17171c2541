"""Blocks of work on all cores, with progress, and a clean end when interrupted."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import pairwise
from typing import TypeVar

from unveil.support.arrays import Bools
from unveil.support.options import Progress, whole_number

A = TypeVar("A")
B = TypeVar("B")
MOST_THREADS = 1024
SHARED_FROM = 4096  # records for which it takes longer to wake other threads than to do the work


def cores(threads: int | None) -> int:
    """The number of threads to use: as asked, else every core that this process may use."""
    if threads is None:
        has_affinity = hasattr(os, "sched_getaffinity")
        return len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    return whole_number(threads, "threads", 1, MOST_THREADS)


def block_bounds(n: int, size: int) -> list[int]:
    """Where blocks of at most `size` out of n begin, and the end."""
    return [*range(0, n, size), n]


def thread_blocks(n: int, threads: int, *, records_each: int = 1) -> list[int]:
    """The same for a few blocks for each thread, all about as large; one, if there is little.

    There are n things of so many records each.
    """
    parts = 4 * threads if n * records_each > SHARED_FROM else 1
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

    The first error, or Ctrl-C, stops what has not begun, waits for the blocks that are
    under way, and is raised again: no thread outlives the call. Work that takes long looks
    at `stop`, which then turns true.
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


def on_all_cores(work: Callable[[A], B], things: Sequence[A]) -> list[B]:
    """What work makes of each thing, many at a time, in the order of the things.

    >>> on_all_cores(str.upper, ["a", "b"])
    ['A', 'B']
    """
    made: dict[int, B] = {}

    def some(start: int, stop: int) -> None:
        for place in range(start, stop):
            made[place] = work(things[place])

    run_blocks(some, range(len(things) + 1), threads=cores(None))
    return [made[place] for place in range(len(things))]
