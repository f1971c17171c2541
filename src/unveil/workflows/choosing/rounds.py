"""Rounds of tasks: propose, evaluate, and go on, alone or beside other processes.

Every process runs the same loop on the same study. A round is proposed from the results of complete
rounds only, and a task is evaluated with no others at hand, so the results do not depend on who did
what, nor when. Rounds are always proposed whole; of the last one, only tasks up to the number of
trials are worked on. More trials later therefore give the study that they would have given at once.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from unveil.errors import UnveilError
from unveil.files.studies import StudyStore, StudyTask

SHORTEST_PAUSE, LONGEST_PAUSE = 0.02, 1.0  # seconds between two looks at what others do

Evaluated = tuple[bytes, bytes]  # work and result of a finished task
Propose = Callable[[list[Evaluated], int], Sequence[bytes]]
Evaluate = Callable[[bytes, list[Evaluated]], bytes]


class StudyProgress(NamedTuple):
    """How far a study is: tasks finished, under way and wanted, and what is finished, in order."""

    done: int
    under_way: int
    total: int
    finished: list[Evaluated]


def run_rounds(
    store: StudyStore,
    *,
    trials: int,
    round_size: int,
    propose: Propose,
    evaluate: Evaluate,
    progress: Callable[[StudyProgress], object] | None = None,
) -> list[Evaluated]:
    """Work on a study until it has so many results, or its space is exhausted.

    ``propose(finished, n)`` returns the work of the next round, of n tasks; fewer end the study.
    ``evaluate(work, earlier)`` returns the result of a task. Both see what complete earlier rounds
    found, and depend on nothing else. Return the work and the result of each task, in order. After
    Ctrl-C or an error, what is finished stays in the study.
    """
    pause = SHORTEST_PAUSE

    def tell(tasks: Sequence[StudyTask]) -> None:
        if progress is not None:
            finished = _evaluated(tasks[:trials])
            under_way = sum(task.under_way for task in tasks[:trials])
            progress(StudyProgress(len(finished), under_way, trials, finished))

    while True:
        tasks = store.tasks()
        wanted = tasks[:trials]
        finished = _evaluated(wanted)
        if len(finished) == len(wanted):  # so the rounds are complete, or there are enough of them
            exhausted = len(tasks) % round_size > 0
            proposals = [] if exhausted or len(tasks) >= trials else propose(finished, round_size)
            if not proposals:
                tell(tasks)
                return finished
            store.add_round(tasks[-1].round + 1 if tasks else 1, proposals)
        if (task := store.claim(up_to=trials)) is not None:
            _work_on(task, store, evaluate, tell)
            pause = SHORTEST_PAUSE
        elif len(finished) < len(wanted):
            tell(tasks)
            threading.Event().wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE)


def _work_on(
    task: StudyTask,
    store: StudyStore,
    evaluate: Evaluate,
    tell: Callable[[Sequence[StudyTask]], None],
) -> None:
    """Evaluate a claimed task; the claim is released, whatever happens."""
    try:
        tell(tasks := store.tasks())  # with this one under way
        earlier = _evaluated([one for one in tasks if one.round < task.round])
        store.finish(task.number, evaluate(task.work, earlier))
    except BaseException:
        with suppress(UnveilError):  # the database may be gone, and the claim with it
            store.release(task.number)
        raise


def _evaluated(tasks: Sequence[StudyTask]) -> list[Evaluated]:
    return [(task.work, task.result) for task in tasks if task.result is not None]
