"""Exact search on this machine's cores: the same integers whatever the number of threads."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from unveil.aggregation.measure import as_floats
from unveil.engines.local.blocking import (
    Base,
    BlockedBase,
    all_candidates,
    block_problems,
    with_block_codes,
)
from unveil.engines.local.index import Index, build
from unveil.engines.local.kernels.costs import cost_pairs
from unveil.engines.local.query_blocks import count_closer, find_nearest, sum_exponentials
from unveil.engines.metric import Metric, euclid
from unveil.engines.problem import Problem, build_problem, check, check_truth
from unveil.engines.records import LARGEST_INTEGER, Records
from unveil.errors import UsageError
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import prepare
from unveil.support.options import Progress, whole_number
from unveil.support.threads import cores, run_blocks, thread_blocks

MOST_NEIGHBOURS = 1000

_ONE_PAIR = np.zeros(1, np.int64), np.zeros(1, np.int64)
# With and without a filter: between them they call every kernel.
_REHEARSAL = (
    Records(np.zeros((2, 1))),
    Records(np.zeros((2, 1)), present=np.array([[True], [False]])),
)


@dataclass(frozen=True, repr=False, eq=False)
class Ranks:
    """Ranks of the true records; -1 where a query's is not in the base, or impossible."""

    n_closer: Ints  # candidates strictly closer; stopped early, stop_at stands for "or more"
    n_tied: Ints  # ties with the true record, itself left out; -1 where the count stopped
    work: int = 0  # cells compared, as `unveil.support.work` counts them

    @property
    def hits(self) -> Floats:
        """The expected hit of each query: the closest candidate is linked, ties at random."""
        first = self.n_closer == 0
        shares: Floats = first / np.where(first, 1 + self.n_tied, 1)
        return shares


@dataclass(frozen=True, repr=False, eq=False)
class Neighbours:
    """The k best candidates of each query; -1 and infinity where there are no more."""

    rows: Ints  # queries x k: those tied with the best by row, then by score and row
    scores: Floats
    n_best: Ints  # all candidates tied with the best
    work: int = 0  # cells compared, as `unveil.support.work` counts them


@dataclass(frozen=True, repr=False, eq=False)
class Densities:
    """For each query the log of the sum of exp(-score) over the base, and its error."""

    log_sum: Floats  # a lower bound
    error: Floats  # what is to be added at most


class PreparedSearch:
    """Two files and a metric, prepared once for several searches.

    A search is for some of the queries, by their rows, or for all. An answer depends on the two
    files only, not on the other rows of the same search. Parameters as in `rank_of_truth`; the
    blocks of a `PartitionedBase` are of all queries and are indexed for each search.

    >>> from unveil.engines.metric import euclid
    >>> people = np.array([[20.0, 1.0], [30.0, 2.0], [60.0, 3.0]])
    >>> ready = PreparedSearch(people + [0, 1], people, euclid())
    >>> ready.rank_of_truth(np.array([2]), [1]).n_closer.tolist()
    [1]
    >>> ready.nearest(np.array([0, 2])).rows.tolist()
    [[0], [2]]
    """

    def __init__(
        self,
        queries: Records | ArrayLike,
        base: Base,
        metric: Metric,
        *,
        threads: int | None = None,
    ) -> None:
        self._threads = cores(threads)
        self._files = check(queries, all_candidates(base), metric)
        self._base, self._metric = base, metric

    @cached_property
    def _problem(self) -> Problem:
        problem, base = build_problem(*self._files, self._metric, self._threads), self._base
        if isinstance(base, BlockedBase):
            return with_block_codes(problem, base.query_codes, base.base_codes)
        return problem

    @cached_property
    def _index(self) -> Index:
        return build(self._problem, self._threads)

    def _index_of(self, problem: Problem) -> Index:
        """The index of the whole base is kept, that of a block is built anew."""
        whole = problem.base is self._problem.base
        return self._index if whole else build(problem, self._threads)

    def rank_of_truth(
        self,
        rows: Ints | None,
        truth: ArrayLike,
        *,
        stop_at: int | None = None,
        progress: Progress | None = None,
    ) -> Ranks:
        """How many candidates are closer to each query than its true record, and how many tie."""
        limit = 0 if stop_at is None else whole_number(stop_at, "stop_at", 1, LARGEST_INTEGER)
        queries, base = self._files
        n = len(queries) if rows is None else len(rows)
        true_rows = check_truth(truth, n, len(base))
        prepare("the search", lambda: [rank_of_truth(a, a, [0, 1], euclid()) for a in _REHEARSAL])
        answers, work = np.full((n, 2), -1, np.int64), 0
        problem = self._problem.for_queries(rows)
        for block, share in block_problems(problem, self._base, progress):
            index, places = self._index_of(block.problem), block.places(true_rows, len(base))
            answers[block.records], cells = count_closer(
                block.problem, index, places, limit, self._threads, share
            )
            work += cells
            del index  # before the next is built
        return Ranks(answers[:, 0], answers[:, 1], work)

    def nearest(
        self, rows: Ints | None, *, k: int = 1, progress: Progress | None = None
    ) -> Neighbours:
        """The k best candidates of each query, and how many tie with the best."""
        k = whole_number(k, "k", 1, MOST_NEIGHBOURS)
        prepare("the search for neighbours", lambda: [nearest(a, a, euclid()) for a in _REHEARSAL])
        problem = self._problem.for_queries(rows)
        n = len(problem.queries)
        result = Neighbours(np.full((n, k), -1), np.full((n, k), np.inf), np.zeros(n, np.int64))
        work = 0
        for block, share in block_problems(problem, self._base, progress):
            index = self._index_of(block.problem)
            best, cells = find_nearest(block.problem, index, k, self._threads, share)
            work += cells
            result.rows[block.records] = np.where(best.rows < 0, -1, block.candidates[best.rows])
            result.scores[block.records] = best.scores
            result.n_best[block.records] = best.n_best
            del index  # before the next is built
        if problem.terms.root and problem.terms.exact:  # these are squares
            np.sqrt(result.scores, out=result.scores)
        return replace(result, work=work)

    def density(
        self, rows: Ints | None, *, error: float = 1e-6, progress: Progress | None = None
    ) -> Densities:
        """The log of the sum of exp(-score) over the base, for each query."""
        error = float(as_floats(error, "error"))
        if not 0 <= error < 1:
            raise UsageError("error: a number from 0 to below 1")
        prepare(
            "the sum over all candidates", lambda: [density(a, a, euclid()) for a in _REHEARSAL]
        )
        problem = self._problem.for_queries(rows)
        answers = np.zeros((len(problem.queries), 3))
        for block, share in block_problems(problem, self._base, progress):
            index = self._index_of(block.problem)
            answers[block.records] = sum_exponentials(
                block.problem, index, error, self._threads, share
            )
            del index  # before the next is built
        least, total, left_out = answers.T
        with np.errstate(divide="ignore", invalid="ignore"):  # where all are impossible
            log_sum = np.where(total > 0, np.log(total) - least, -np.inf)
            bound = np.where(total > 0, np.log1p(left_out / total), 0.0)
        return Densities(log_sum, bound)


def rank_of_truth(
    queries: Records | ArrayLike,
    base: Base,
    truth: ArrayLike,
    metric: Metric,
    *,
    stop_at: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Ranks:
    """How many candidates are closer to each query than its true record, and how many tie.

    Parameters
    ----------
    queries, base
        The intruder's records and the candidates, the same attributes in both. With a
        `PartitionedBase` or a `BlockedBase`, a true record outside its query's block counts as
        not in the base.
    truth
        For each query the row of its true record in the base, from 0; -1: not there.
    metric
        The cost of a pair; see `unveil.engines.metric`.
    stop_at
        Stop counting closer candidates at this many. With 1, the question is whether the
        record is re-identified: orders of magnitude faster than the count in full.
    threads
        All cores by default. The answer does not depend on it.
    """
    ready = PreparedSearch(queries, base, metric, threads=threads)
    return ready.rank_of_truth(None, truth, stop_at=stop_at, progress=progress)


def nearest(
    queries: Records | ArrayLike,
    base: Base,
    metric: Metric,
    *,
    k: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Neighbours:
    """The k best candidates of each query, and how many tie with the best.

    Candidates at infinite cost are never among them. Parameters as in `rank_of_truth`.
    """
    return PreparedSearch(queries, base, metric, threads=threads).nearest(
        None, k=k, progress=progress
    )


def density(
    queries: Records | ArrayLike,
    base: Base,
    metric: Metric,
    *,
    error: float = 1e-6,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Densities:
    """The log of the sum of exp(-score) over the base, for each query.

    What is too far to matter is left out; `error` bounds what that adds up to, relative
    to the sum, and the answer has the bound that was reached. A query to which every
    candidate is impossible has minus infinity. Other parameters as in `rank_of_truth`.
    """
    ready = PreparedSearch(queries, base, metric, threads=threads)
    return ready.density(None, error=error, progress=progress)


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
    """
    workers = cores(threads)
    files = check(queries, base, metric)
    prepare("the costs of pairs", lambda: costs_of(*_REHEARSAL[:1] * 2, euclid(), _ONE_PAIR))
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
