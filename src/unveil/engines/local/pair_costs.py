"""The costs of listed pairs of records."""

import numpy as np
from numpy.typing import ArrayLike

from unveil.engines.local.kernels.costs import cost_pairs
from unveil.engines.metric import Metric, euclid
from unveil.engines.problem import build_problem, check
from unveil.engines.records import Records
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import prepare
from unveil.support.threads import cores, run_blocks, thread_blocks


def costs_of(
    queries: Records | ArrayLike,
    base: Records | ArrayLike,
    metric: Metric,
    pairs: tuple[Ints, Ints],
    *,
    threads: int | None = None,
) -> Floats:
    """The cost of each pair of a row of the queries and a row of the base.

    It is the sum of the attributes' costs, without a root, and the candidate's offset; infinite
    where a pair is impossible.

    >>> from unveil.engines.metric import euclid
    >>> rows = np.array([0, 0]), np.array([0, 1])
    >>> costs_of(np.array([[1.0]]), np.array([[1.0], [4.0]]), euclid(), rows).tolist()
    [0.0, 9.0]
    """
    workers = cores(threads)
    files = check(queries, base, metric)
    prepare("the costs of pairs", _rehearse)
    problem = build_problem(*files, metric, workers)
    left, right = (np.ascontiguousarray(rows, np.int64) for rows in pairs)
    costs = np.empty(len(left))

    def work(start: int, stop: int) -> None:
        here, width = slice(start, stop), problem.queries.shape[1]
        arrays = problem.queries, problem.missing, problem.base, problem.offset
        scratch = np.zeros(width), np.zeros(width, np.int64)
        cost_pairs(problem.terms, *arrays, left[here], right[here], costs[here], *scratch)

    run_blocks(work, thread_blocks(len(left), workers), threads=workers)
    return costs


def _rehearse() -> None:
    row = np.zeros(1, np.int64)
    costs_of(np.zeros((1, 1)), np.zeros((1, 1)), euclid(), (row, row))
