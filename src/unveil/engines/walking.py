"""Queries walked through the tree, block after block, on all threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unveil.data.work import QUERY, SLOW
from unveil.engines.index import same_rows
from unveil.engines.threads import blocks_of, run_blocks, shares_of
from unveil.kernels import density as densities
from unveil.kernels import neighbours, ranking, walk
from unveil.kernels.filters import NONE

if TYPE_CHECKING:
    from collections.abc import Callable

    from unveil.data.progress import Progress
    from unveil.engines.index import Index
    from unveil.engines.problem import Problem
    from unveil.kernels.arrays import Floats, Ints

BLOCK = 512  # queries between two looks at progress and Ctrl-C


def count_closer(
    problem: Problem,
    index: Index,
    true_rows: Ints,
    limit: int,
    workers: int,
    progress: Progress | None,
) -> tuple[Ints, int]:
    """For each query how many are closer than its true record, and how many tie; the work."""
    search = index.search(problem)
    position = np.where(true_rows < 0, -1, index.position[true_rows])
    groups = same_rows(problem.queries, position, workers)
    order = groups.firsts[position[groups.firsts] >= 0]
    order = order[np.argsort(position[order])]  # neighbours in the tree share the cache
    answers = np.full((len(position), 2), -1, np.int64)

    def answer(block: Ints, scratch: walk.Scratch) -> None:
        ranking.rank_block(search, position, block, limit, answers, scratch)

    work = _in_blocks(answer, order, search, workers, progress)
    groups.spread(answers)
    return answers, work


def find_nearest(
    problem: Problem, index: Index, k: int, workers: int, progress: Progress | None
) -> tuple[neighbours.Found, int]:
    """The best candidates of each query, by their places in this problem; the work."""
    search = index.search(problem)
    groups = same_rows(problem.queries, np.zeros(0), workers)
    order = _in_tree_order(groups.firsts, search, workers)
    n = len(problem.queries)
    found = neighbours.Found(np.full((n, k), -1), np.full((n, k), np.inf), np.zeros(n, np.int64))

    def answer(block: Ints, scratch: walk.Scratch) -> None:
        short = neighbours.Shortlist(np.zeros(k, np.int64), np.zeros(k), np.zeros(k), np.zeros(k))
        neighbours.nearest_block(search, block, found, short, scratch)

    work = _in_blocks(answer, order, search, workers, progress)
    for part in found:
        groups.spread(part)
    return found, work


def sum_up(
    problem: Problem, index: Index, share: float, workers: int, progress: Progress | None
) -> Floats:
    """For each query the least score, the sum of exp(least - score), and what was left out."""
    search = index.search(problem)
    groups = same_rows(problem.queries, np.zeros(0), workers)
    order = _in_tree_order(groups.firsts, search, workers)
    answers = np.zeros((len(problem.queries), 3))

    def answer(block: Ints, scratch: walk.Scratch) -> None:
        densities.density_block(search, block, share, answers, scratch)

    _in_blocks(answer, order, search, workers, progress)
    groups.spread(answers)
    return answers


def _in_tree_order(asked: Ints, search: walk.Search, threads: int) -> Ints:
    """The queries as the tree orders them, so that those near each other share the cache."""
    leaf, never = np.empty(len(asked), np.int64), np.zeros(1, np.bool_)
    run_blocks(
        lambda start, stop: walk.leaf_of(
            search, asked[start:stop], leaf[start:stop], walk.scratch_for(search, never)
        ),
        shares_of(len(asked), threads),
        threads=threads,
    )
    return asked[np.argsort(leaf, kind="stable")]


def _in_blocks(
    answer: Callable[[Ints, walk.Scratch], object],
    asked: Ints,
    search: walk.Search,
    threads: int,
    progress: Progress | None,
) -> int:
    """Answer the queries `asked`, block after block, on all threads; how many cells it took.

    Each query counts by itself, so that the number does not depend on the threads.
    """
    stopped = np.zeros(1, np.bool_)
    compared: list[int] = []

    def answer_block(start: int, end: int) -> None:
        scratch = walk.scratch_for(search, stopped)
        answer(asked[start:end], scratch)
        compared.append(int(scratch.work[0]))

    run_blocks(
        answer_block,
        blocks_of(len(asked), BLOCK),
        threads=threads,
        progress=progress,
        stop=stopped if len(asked) > BLOCK else None,  # one block is soon done
    )
    cells = int(search.queries.rows.shape[1]) * (SLOW if search.frame.filter == NONE else 1)
    return len(asked) * QUERY + sum(compared) * cells
