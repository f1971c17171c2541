"""Queries answered by walks through the tree, block by block, on all threads."""

from collections.abc import Callable

import numpy as np

from unveil.engines.local.index import Index
from unveil.engines.local.kernels import density as densities
from unveil.engines.local.kernels import filters, neighbours, ranking, walk
from unveil.engines.local.problem import Problem
from unveil.support.arrays import Floats, Ints
from unveil.support.equal_rows import same_rows
from unveil.support.options import Progress
from unveil.support.threads import block_bounds, run_blocks, thread_blocks
from unveil.support.work import EXACT_CELLS, QUERY_CELLS
from unveil.values.search_results import Neighbours

QUERIES_AT_ONCE = 512  # between two looks at progress and Ctrl-C


def count_closer(
    problem: Problem,
    index: Index,
    true_rows: Ints,
    limit: int,
    workers: int,
    progress: Progress | None,
) -> tuple[Ints, int]:
    """For each query how many candidates are closer than its true record or tie; the work."""
    search = index.search(problem)
    position = np.where(true_rows < 0, -1, index.position[true_rows])
    groups = same_rows(problem.queries, position, workers)
    order = groups.firsts[position[groups.firsts] >= 0]
    order = order[np.argsort(position[order])]  # neighbours in the tree share the cache
    answers = np.full((len(position), 2), -1, np.int64)

    def answer(block: Ints, scratch: walk.WalkScratch) -> None:
        ranking.rank_block(search, position, block, limit, answers, scratch)

    work = _answer_in_blocks(answer, order, search, workers, progress)
    groups.spread(answers)
    return answers, work


def find_nearest(
    problem: Problem, index: Index, k: int, workers: int, progress: Progress | None
) -> Neighbours:
    """The best candidates of each query, by their places in this problem."""
    search = index.search(problem)
    groups = same_rows(problem.queries, np.zeros(0), workers)
    order = _in_tree_order(groups.firsts, search, workers)
    found = Neighbours.none_yet(len(problem.queries), k)

    def answer(block: Ints, scratch: walk.WalkScratch) -> None:
        short = neighbours.Shortlist(np.zeros(k, np.int64), np.zeros(k), np.zeros(k), np.zeros(k))
        neighbours.nearest_block(search, block, found, short, scratch)

    work = _answer_in_blocks(answer, order, search, workers, progress)
    for part in (found.rows, found.scores, found.n_best):
        groups.spread(part)
    return found._replace(work=work)


def sum_exponentials(
    problem: Problem, index: Index, share: float, workers: int, progress: Progress | None
) -> Floats:
    """For each query the least score, the sum of exp(least - score), and what was left out."""
    search = index.search(problem)
    groups = same_rows(problem.queries, np.zeros(0), workers)
    order = _in_tree_order(groups.firsts, search, workers)
    answers = np.zeros((len(problem.queries), 3))

    def answer(block: Ints, scratch: walk.WalkScratch) -> None:
        densities.density_block(search, block, share, answers, scratch)

    _answer_in_blocks(answer, order, search, workers, progress)
    groups.spread(answers)
    return answers


def _in_tree_order(queries: Ints, search: walk.SearchArrays, threads: int) -> Ints:
    """The queries in the order of the tree, so that neighbours share the cache."""
    leaf, never = np.empty(len(queries), np.int64), np.zeros(1, np.bool_)
    run_blocks(
        lambda start, stop: walk.leaf_of(
            search, queries[start:stop], leaf[start:stop], walk.scratch_for(search, never)
        ),
        thread_blocks(len(queries), threads),
        threads=threads,
    )
    return queries[np.argsort(leaf, kind="stable")]


def _answer_in_blocks(
    answer: Callable[[Ints, walk.WalkScratch], object],
    queries: Ints,
    search: walk.SearchArrays,
    threads: int,
    progress: Progress | None,
) -> int:
    """Answer the queries; returns the number of cells compared.

    Each query counts by itself, so that the number does not depend on the threads.
    """
    stopped = np.zeros(1, np.bool_)
    compared: list[int] = []

    def answer_block(start: int, end: int) -> None:
        scratch = walk.scratch_for(search, stopped)
        answer(queries[start:end], scratch)
        compared.append(int(scratch.work[0]))

    run_blocks(
        answer_block,
        block_bounds(len(queries), QUERIES_AT_ONCE),
        threads=threads,
        progress=progress,
        stop=stopped if len(queries) > QUERIES_AT_ONCE else None,  # one block is soon done
    )
    cells = int(search.queries.rows.shape[1]) * (
        EXACT_CELLS if search.frame.filter == filters.NONE else 1
    )
    return len(queries) * QUERY_CELLS + sum(compared) * cells
