"""Exact search on this machine's cores: the same integers whatever the number of threads."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from unveil.aggregation.measure import as_floats
from unveil.engines.local.blocking import Base, BlockedBase, everybody, in_pieces, parted
from unveil.engines.local.index import Index, build
from unveil.engines.local.query_blocks import count_closer, find_nearest, sum_up
from unveil.engines.metric import Metric, euclid
from unveil.engines.problem import Problem, build_problem, check, check_truth
from unveil.engines.records import LARGEST_INTEGER, Records
from unveil.errors import UsageError
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import prepare
from unveil.support.options import Progress, whole_number
from unveil.support.threads import cores

MOST_NEIGHBOURS = 1000

# With and without a filter: between them they call every kernel.
_REHEARSAL = (
    Records(np.zeros((2, 1))),
    Records(np.zeros((2, 1)), present=np.array([[True], [False]])),
)


@dataclass(frozen=True, repr=False, eq=False)
class Ranks:
    """For each query, against its true record; -1 where it is not in the base, or impossible."""

    n_closer: Ints  # candidates strictly closer; stopped early, stop_at stands for "or more"
    n_tied: Ints  # ties with the true record, itself left out; -1 where the count stopped
    work: int = 0  # cells compared, as `unveil.support.work` counts them

    @property
    def hits(self) -> Floats:
        """What an intruder who links the closest, ties at random, can expect of each query."""
        found = self.n_closer == 0
        shares: Floats = found / np.where(found, 1 + self.n_tied, 1)
        return shares


@dataclass(frozen=True, repr=False, eq=False)
class Neighbours:
    """For each query its k best candidates; -1 and infinity where there are no more."""

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
    """Two files and a metric, made ready once for several questions.

    A question is of some of the queries, by their rows, or of all. What an answer depends on is
    settled for all queries together: it is the same whoever else is asked about. Parameters as in
    `rank_of_truth`; the parts of a `Parted` base are of all queries, and are made ready each time.

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
        self._files = check(queries, everybody(base), metric)
        self._base, self._metric = base, metric

    @cached_property
    def _problem(self) -> Problem:
        """All queries against the base, in arrays."""
        problem, base = build_problem(*self._files, self._metric, self._threads), self._base
        return (
            parted(problem, base.asking, base.asked) if isinstance(base, BlockedBase) else problem
        )

    @cached_property
    def _index(self) -> Index:
        return build(self._problem, self._threads)

    def _index_of(self, problem: Problem) -> Index:
        """Of the whole base it is kept, of a part of it made."""
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
        asked, given = self._files
        many = len(asked) if rows is None else len(rows)
        true_rows = check_truth(truth, many, len(given))
        prepare("the search", lambda: [rank_of_truth(a, a, [0, 1], euclid()) for a in _REHEARSAL])
        answers, work = np.full((many, 2), -1, np.int64), 0
        for piece, told in in_pieces(self._problem.for_queries(rows), self._base, progress):
            index = self._index_of(piece.problem)
            places = piece.places(true_rows, len(given))
            answers[piece.records], cells = count_closer(
                piece.problem, index, places, limit, self._threads, told
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
        found = Neighbours(np.full((n, k), -1), np.full((n, k), np.inf), np.zeros(n, np.int64))
        work = 0
        for piece, told in in_pieces(problem, self._base, progress):
            index = self._index_of(piece.problem)
            own, cells = find_nearest(piece.problem, index, k, self._threads, told)
            work += cells
            found.rows[piece.records] = np.where(own.rows < 0, -1, piece.candidates[own.rows])
            found.scores[piece.records] = own.scores
            found.n_best[piece.records] = own.n_best
            del index  # before the next is built
        if problem.terms.root and problem.terms.exact:  # these are squares
            np.sqrt(found.scores, out=found.scores)
        return replace(found, work=work)

    def density(
        self, rows: Ints | None, *, error: float = 1e-6, progress: Progress | None = None
    ) -> Densities:
        """The log of the sum of exp(-score) over the base, for each query."""
        share = float(as_floats(error, "error"))
        if not 0 <= share < 1:
            raise UsageError("error: a number from 0 to below 1")
        what = "the sum over all candidates"
        prepare(what, lambda: [density(a, a, euclid()) for a in _REHEARSAL])
        problem = self._problem.for_queries(rows)
        answers = np.zeros((len(problem.queries), 3))
        for piece, told in in_pieces(problem, self._base, progress):
            index = self._index_of(piece.problem)
            answers[piece.records] = sum_up(piece.problem, index, share, self._threads, told)
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
        The intruder's records and the candidates, the same attributes in both. The candidates
        may be `Parted` or `Blocked`, where not everybody is compared with everybody; then a true
        record that is not in its query's part counts as not there.
    truth
        For each query the row of its true record in the base, from 0; -1: not there.
    metric
        What a pair costs; see `unveil.engines.metric`.
    stop_at
        Stop counting closer candidates at this many. With 1, the question is whether the
        record is re-identified: orders of magnitude faster than the count in full.
    threads
        All cores unless told otherwise. The answer does not depend on it.
    progress
        Called with the queries answered so far and all of them, identical ones once.

    >>> from unveil.engines.metric import euclid
    >>> people = np.array([[20.0, 1.0], [30.0, 2.0], [60.0, 3.0]])
    >>> ranks = rank_of_truth(people + [0, 1], people, [0, 1, 1], euclid())
    >>> ranks.n_closer.tolist(), ranks.n_tied.tolist()
    ([0, 0, 1], [0, 0, 0])
    >>> ranks.hits.tolist()
    [1.0, 1.0, 0.0]
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

    >>> from unveil.engines.metric import manhattan
    >>> found = nearest(np.array([[4]]), np.array([[1], [6], [2]]), manhattan(), k=2)
    >>> found.rows.tolist(), found.scores.tolist(), found.n_best.tolist()
    ([[1, 2]], [[2.0, 2.0]], [2])
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

    >>> from unveil.engines.metric import manhattan
    >>> density(np.array([[0.0]]), np.array([[0.0], [0.0]]), manhattan()).log_sum.tolist()
    [0.6931471805599453]
    """
    ready = PreparedSearch(queries, base, metric, threads=threads)
    return ready.density(None, error=error, progress=progress)
