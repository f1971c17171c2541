"""Cases on several processes, each of which is watched."""

import multiprocessing
import os
import threading
import time
from collections import Counter
from queue import Empty

LIMIT = 600  # seconds without a result: the process hangs; others may keep the machine busy
ONE_THREAD = dict.fromkeys(("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


def run_jobs(seed, numbers, jobs, add, kind=None):
    """Run the cases on so many processes; a process that dies or hangs is a failure."""
    context = multiprocessing.get_context("spawn")
    os.environ |= ONE_THREAD
    running = [Job(context, seed, numbers[place::jobs], kind) for place in range(jobs)]
    while running:
        for job in list(running):
            for result, cpu in job.results():
                add(result, cpu)
            if (lost := job.lost()) is not None:
                add(lost, 0.0)
            if job.ended:
                running.remove(job)
        time.sleep(0.1)


class Job:
    """One process and its numbers; after a case that ends it another process goes on."""

    def __init__(self, context, seed, numbers, kind):
        self.context, self.seed, self.left, self.kind = context, seed, list(numbers), kind
        self.start()

    def start(self):
        self.queue, self.heard = self.context.Queue(), time.monotonic()
        self.process = self.context.Process(
            target=work, args=(self.seed, self.left, self.kind, self.queue), daemon=True
        )
        self.process.start()

    @property
    def ended(self):
        return not self.left

    def results(self):
        """The results that have come, in the order of the numbers."""
        while self.left:
            try:
                result = self.queue.get_nowait()
            except Empty:
                return
            self.heard = time.monotonic()
            self.left.pop(0)
            yield result

    def lost(self):
        """The case in which the process died or hangs; another process goes on after it."""
        from tests.fuzz.cases import Failure, Result, kind_of

        dead, late = not self.process.is_alive(), time.monotonic() - self.heard > LIMIT
        if self.ended or not (dead or late) or not self.queue.empty():
            return None
        time.sleep(0.5)  # what it sent last may still be on its way
        if not self.queue.empty():
            return None
        self.process.kill()
        self.process.join()
        number, what = self.left.pop(0), "hang" if late else "death"
        kind = self.kind or kind_of(self.seed, number)
        said = f"exit code {self.process.exitcode}"
        if self.left:
            self.start()
        return Result(kind, False, Failure(self.seed, number, kind, what, said, ""), Counter())


def work(seed, numbers, kind, queue):
    """Run cases in this process, which ends with the one that started it."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.sched_getaffinity = lambda _process: {0}  # threads would wait for those of other processes
    from tests.fuzz.cases import run_case

    for number in numbers:
        before = time.process_time()
        result = run_case(seed, number, kind=kind)
        queue.put((result, time.process_time() - before))


def _end_with_parent():
    multiprocessing.parent_process().join()
    os._exit(1)
