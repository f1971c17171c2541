"""Trials on all cores: each in a process of its own, with one thread."""

import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import cast

from unveil.errors import UnveilError
from unveil.workflows import quietly
from unveil_papers.framework.experiment import Experiment, Figures, PaperTrial
from unveil_papers.framework.journal import Journal


def experiment(name: str) -> Experiment:
    """The package of a paper."""
    module = import_module(f"unveil_papers.{name.replace('-', '_')}")
    return cast("Experiment", module)


def run(
    wanted: Sequence[tuple[str, PaperTrial]],
    *,
    seed: int,
    journal: Journal,
    progress: Callable[[str, float, float], None],
    processes: int | None = None,
) -> None:
    """Run the trials that the journal lacks, the longest first, and record each.

    Processes exchange names and figures only: each reads the data itself.
    """
    left = [one for one in wanted if (one[0], one[1].key) not in journal]
    left.sort(key=lambda one: -one[1].cost)
    total = sum(trial.cost for _, trial in wanted)
    done = total - sum(trial.cost for _, trial in left)
    many = min(processes or cores(), len(left))
    progress(left[0][0] if left else "", done, total)
    if many <= 1:
        for paper, trial in left:
            journal.add(paper, trial.key, work(paper, trial, seed))
            done += trial.cost
            progress(paper, done, total)
        return
    pool = ProcessPoolExecutor(many, mp_context=get_context("spawn"), initializer=_alone)
    try:
        under_way: dict[Future[Figures], tuple[str, PaperTrial]] = {}
        while left or under_way:
            while left and len(under_way) < 2 * many:  # few, so that little is lost when stopped
                paper, trial = left.pop(0)
                under_way[pool.submit(work, paper, trial, seed)] = paper, trial
            for ended in wait(under_way, return_when=FIRST_COMPLETED).done:
                paper, trial = under_way.pop(ended)
                journal.add(paper, trial.key, ended.result())
                done += trial.cost
                progress(paper, done, total)
    except BrokenProcessPool:
        _end(pool)
        raise UnveilError(
            "a process that ran trials was ended from outside, perhaps for want of memory; what "
            "was found is kept, and the same command goes on from there"
        ) from None
    except BaseException:
        _end(pool)
        raise
    pool.shutdown()


def cores() -> int:
    """How many cores this process may use."""
    has_affinity = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1


def work(paper: str, trial: PaperTrial, seed: int) -> Figures:
    """Run one trial, without warnings: it tries odd cases on purpose."""
    with quietly():
        return experiment(paper).WORK[trial.work](*trial.of, seed=seed)


def _alone() -> None:
    """Prepare a worker: it uses one core and leaves Ctrl-C to its parent."""
    from threadpoolctl import threadpool_limits

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_outlive_nobody, daemon=True).start()
    threadpool_limits(1)  # for libraries that are loaded
    os.environ["OMP_NUM_THREADS"] = "1"  # and for those that will be


def _outlive_nobody() -> None:
    """End with the parent process, even if that was killed."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _end(pool: ProcessPoolExecutor) -> None:
    """End the workers, whose results nobody waits for."""
    workers = list((pool._processes or {}).values())  # the pool has no other way
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join()
