"""Blocks of work."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from unveil.errors import UsageError
from unveil.support import threads
from unveil.support.threads import (
    block_bounds,
    cores,
    limited_threads,
    on_all_cores,
    run_blocks,
    thread_blocks,
)


def test_every_block_is_done_once():
    seen = []
    run_blocks(lambda start, stop: seen.append((start, stop)), block_bounds(10, 3), threads=3)
    assert sorted(seen) == [(0, 3), (3, 6), (6, 9), (9, 10)]
    assert thread_blocks(3, 1, records_each=10_000) == [0, 0, 1, 2, 3]
    assert thread_blocks(3, 1) == [0, 3]


def blas_threads():
    assert np.eye(2) @ np.eye(2) is not None  # numpy's library is loaded
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_linear_algebra_leaves_cores_to_other_processes():
    with threadpool_limits(2, user_api="blas"):
        assert blas_threads() == {2}
        with limited_threads(1):
            assert blas_threads() == {1}
        assert blas_threads() == {2}


def test_the_first_error_stops_the_rest():
    done = []

    def work(start, _stop):
        if start == 0:
            raise ZeroDivisionError
        time.sleep(0.001)
        done.append(start)

    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        run_blocks(work, block_bounds(10000, 1), threads=2)
    assert len(done) < 9000
    assert threading.active_count() <= before


def test_of_several_errors_that_of_the_first_item_is_raised(monkeypatch):
    monkeypatch.setattr(threads, "cores", lambda _: 2)
    failed = threading.Event()

    def work(item):
        if item == "first":
            failed.wait(10)
        else:
            failed.set()
        raise ValueError(item)

    with pytest.raises(ValueError, match="first"):
        on_all_cores(work, ["first", "second", "third"])


def test_threads_are_at_least_one():
    assert cores(None) >= 1
    with pytest.raises(UsageError, match="threads: a whole number"):
        cores(0)
