"""Exact search on this machine's cores: the same integers whatever the number of threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unveil.aggregation.measure import as_floats
from unveil.data.options import whole_number
from unveil.engines.index import build, same_rows
from unveil.engines.metrics import euclid
from unveil.engines.parts import everybody, in_pieces
from unveil.engines.preparing import prepare
from unveil.engines.problem import check, check_truth, pose
from unveil.engines.records import WHOLE, Records
from unveil.engines.threads import blocks_of, cores, run_blocks, shares_of
from unveil.errors import UsageError
from unveil.kernels import density as densities
from unveil.kernels import neighbours, ranking, walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from unveil.data.progress import Progress
    from unveil.engines.metrics import Metric
    from unveil.engines.parts import Base
    from unveil.engines.problem import Problem
    from unveil.kernels.arrays import Floats, Ints

MOST_NEIGHBOURS = 1000
BLOCK = 512  # queries between two looks at progress and Ctrl-C

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


@dataclass(frozen=True, repr=False, eq=False)
class Densities:
    """For each query the log of the sum of exp(-score) over the base, and its error."""

    log_sum: Floats  # a lower bound
    error: Floats  # what is to be added at most


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
        What a pair costs; see `unveil.engines.metrics`.
    stop_at
        Stop counting closer candidates at this many. With 1, the question is whether the
        record is re-identified: orders of magnitude faster than the count in full.
    threads
        All cores unless told otherwise. The answer does not depend on it.
    progress
        Called with the queries answered so far and all of them, identical ones once.

    >>> from unveil.engines.metrics import euclid
    >>> people = np.array([[20.0, 1.0], [30.0, 2.0], [60.0, 3.0]])
    >>> ranks = rank_of_truth(people + [0, 1], people, [0, 1, 1], euclid())
    >>> ranks.n_closer.tolist(), ranks.n_tied.tolist()
    ([0, 0, 1], [0, 0, 0])
    >>> ranks.hits.tolist()
    [1.0, 1.0, 0.0]
    """
    limit = 0 if stop_at is None else whole_number(stop_at, "stop_at", 1, WHOLE)
    workers = cores(threads)
    asked, given = check(queries, everybody(base), metric)
    true_rows = check_truth(truth, len(asked), len(given))
    prepare("the search", lambda: [rank_of_truth(a, a, [0, 1], euclid()) for a in _REHEARSAL])
    problem = pose(asked, given, metric, workers)
    answers = np.full((len(asked), 2), -1, np.int64)
    for piece, told in in_pieces(problem, base, progress):
        places = piece.places(true_rows, len(given))
        answers[piece.records] = _ranks(piece.problem, places, limit, workers, told)
    return Ranks(answers[:, 0], answers[:, 1])


def _ranks(
    problem: Problem, true_rows: Ints, limit: int, workers: int, progress: Progress | None
) -> Ints:
    """For each query how many are closer than its true record, and how many tie."""
    index = build(problem, workers)
    search = index.search(problem)
    position = np.where(true_rows < 0, -1, index.position[true_rows])
    groups = same_rows(problem.queries, position, workers)
    order = groups.firsts[position[groups.firsts] >= 0]
    order = order[np.argsort(position[order])]  # neighbours in the tree share the cache
    answers = np.full((len(position), 2), -1, np.int64)

    def answer(block: Ints, scratch: walk.Scratch) -> None:
        ranking.rank_block(search, position, block, limit, answers, scratch)

    _in_blocks(answer, order, search, workers, progress)
    groups.spread(answers)
    return answers


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

    >>> from unveil.engines.metrics import manhattan
    >>> found = nearest(np.array([[4]]), np.array([[1], [6], [2]]), manhattan(), k=2)
    >>> found.rows.tolist(), found.scores.tolist(), found.n_best.tolist()
    ([[1, 2]], [[2.0, 2.0]], [2])
    """
    k = whole_number(k, "k", 1, MOST_NEIGHBOURS)
    workers = cores(threads)
    asked, given = check(queries, everybody(base), metric)
    prepare("the search for neighbours", lambda: [nearest(a, a, euclid()) for a in _REHEARSAL])
    problem = pose(asked, given, metric, workers)
    n = len(asked)
    found = neighbours.Found(np.full((n, k), -1), np.full((n, k), np.inf), np.zeros(n, np.int64))
    for piece, told in in_pieces(problem, base, progress):
        rows, scores, n_best = _neighbours(piece.problem, k, workers, told)
        found.rows[piece.records] = np.where(rows < 0, -1, piece.candidates[rows])
        found.scores[piece.records] = scores
        found.n_best[piece.records] = n_best
    squares = problem.terms.root and problem.terms.exact
    return Neighbours(found.rows, np.sqrt(found.scores) if squares else found.scores, found.n_best)


def _neighbours(
    problem: Problem, k: int, workers: int, progress: Progress | None
) -> neighbours.Found:
    """The best candidates of each query, by their places in this problem."""
    search = build(problem, workers).search(problem)
    groups = same_rows(problem.queries, np.zeros(0), workers)
    order = _in_tree_order(groups.firsts, search, workers)
    n = len(problem.queries)
    found = neighbours.Found(np.full((n, k), -1), np.full((n, k), np.inf), np.zeros(n, np.int64))

    def answer(block: Ints, scratch: walk.Scratch) -> None:
        short = neighbours.Shortlist(np.zeros(k, np.int64), np.zeros(k), np.zeros(k), np.zeros(k))
        neighbours.nearest_block(search, block, found, short, scratch)

    _in_blocks(answer, order, search, workers, progress)
    for part in found:
        groups.spread(part)
    return found


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

    >>> from unveil.engines.metrics import manhattan
    >>> density(np.array([[0.0]]), np.array([[0.0], [0.0]]), manhattan()).log_sum.tolist()
    [0.6931471805599453]
    """
    share = float(as_floats(error, "error"))
    if not 0 <= share < 1:
        raise UsageError("error: a number from 0 to below 1")
    workers = cores(threads)
    asked, given = check(queries, everybody(base), metric)
    prepare("the sum over all candidates", lambda: [density(a, a, euclid()) for a in _REHEARSAL])
    problem = pose(asked, given, metric, workers)
    answers = np.zeros((len(asked), 3))
    for piece, told in in_pieces(problem, base, progress):
        answers[piece.records] = _sums(piece.problem, share, workers, told)
    least, total, left_out = answers.T
    with np.errstate(divide="ignore", invalid="ignore"):  # where all candidates are impossible
        log_sum = np.where(total > 0, np.log(total) - least, -np.inf)
        bound = np.where(total > 0, np.log1p(left_out / total), 0.0)
    return Densities(log_sum, bound)


def _sums(problem: Problem, share: float, workers: int, progress: Progress | None) -> Floats:
    """For each query the least score, the sum of exp(least - score), and what was left out."""
    search = build(problem, workers).search(problem)
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
) -> None:
    """Answer the queries `asked`, block after block, on all threads."""
    stopped = np.zeros(1, np.bool_)
    run_blocks(
        lambda start, end: answer(asked[start:end], walk.scratch_for(search, stopped)),
        blocks_of(len(asked), BLOCK),
        threads=threads,
        progress=progress,
        stop=stopped if len(asked) > BLOCK else None,  # one block is soon done
    )
