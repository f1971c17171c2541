"""Exact search on this machine's cores: the same integers whatever the number of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from unveil.aggregation.measure import as_floats
from unveil.engines.base import MOST_NEIGHBOURS, Codes
from unveil.engines.blocks import Blocks
from unveil.engines.local.block_problems import BlockProblem, block_problems, with_block_codes
from unveil.engines.local.index import Index, build
from unveil.engines.local.kernels.costs import cost_pairs
from unveil.engines.local.patterns import pattern_counts
from unveil.engines.local.problem import Problem, build_problem
from unveil.engines.local.query_blocks import count_closer, find_nearest, sum_exponentials
from unveil.engines.metric import Metric, euclid
from unveil.engines.problem import check, check_truth
from unveil.engines.records import LARGEST_INTEGER, Records
from unveil.errors import UsageError
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import prepare
from unveil.support.equal_rows import EqualRows, same_rows
from unveil.support.options import Progress, whole_number
from unveil.support.threads import cores, run_lines
from unveil.values.search_results import Densities, Neighbours, RankOfTruth


@dataclass(frozen=True, repr=False, eq=False)
class LocalEngine:
    """The engine on this machine's cores; the answers do not depend on the number of threads.

    >>> from unveil.engines.metric import euclid
    >>> people = np.array([[20.0, 1.0], [30.0, 2.0], [60.0, 3.0]])
    >>> search = LocalEngine().prepare(people + [0, 1], people, euclid())
    >>> search.rank_of_truth(np.array([2]), [1]).n_closer.tolist()
    [1]
    >>> search.nearest(np.array([0, 2])).rows.tolist()
    [[0], [2]]
    """

    threads: int | None = None  # all cores by default
    name = "local"

    def prepare(
        self,
        queries: Records | ArrayLike,
        base: Records | ArrayLike,
        metric: Metric,
        *,
        blocks: Blocks | None = None,
    ) -> LocalSearch:
        """Check two files, and prepare their comparison."""
        files = check(queries, base, metric)
        return LocalSearch(*files, metric, blocks, cores(self.threads))

    def pattern_counts(self, a: Codes, b: Codes) -> Ints:
        """Count the pairs, one record of each file, by the attributes on which they agree."""
        return pattern_counts(a, b, threads=self.threads)

    def distinct_rows(self, values: Floats) -> EqualRows:
        """Group the rows whose cells are all equal."""
        return same_rows(np.ascontiguousarray(values), np.zeros(0), cores(self.threads))

    def supports(self, metric: Metric) -> bool:  # noqa: ARG002 - as of every engine
        """Whether the engine can search by this metric: by every one."""
        return True


@dataclass(frozen=True, repr=False, eq=False)
class LocalSearch:
    """Two files and a metric, prepared for the kernels when first needed (a `Prepared`)."""

    queries: Records
    base: Records
    metric: Metric
    blocks: Blocks | None
    threads: int
    other: LocalSearch | None = None  # the same but for the offset
    engine = LocalEngine.name

    def rank_of_truth(
        self,
        rows: Ints | None,
        truth: ArrayLike,
        *,
        stop_at: int | None = None,
        progress: Progress | None = None,
    ) -> RankOfTruth:
        """How many candidates are closer to each query than its true record, and how many tie."""
        limit = 0 if stop_at is None else whole_number(stop_at, "stop_at", 1, LARGEST_INTEGER)
        n = len(self.queries) if rows is None else len(rows)
        true_rows = check_truth(truth, n, len(self.base))
        _rehearse("the search", lambda search: search.rank_of_truth(None, [0, 1]))
        answers, work = np.full((n, 2), -1, np.int64), 0
        for block, share in self._blocks_of(rows, progress):
            places = block.places(true_rows, len(self.base))
            answers[block.records], cells = count_closer(
                block.problem, self._index_of(block), places, limit, self.threads, share
            )
            work += cells
        return RankOfTruth(answers[:, 0], answers[:, 1], work=work)

    def nearest(
        self, rows: Ints | None, *, k: int = 1, progress: Progress | None = None
    ) -> Neighbours:
        """The k best candidates of each query, and how many tie with the best."""
        k, work = whole_number(k, "k", 1, MOST_NEIGHBOURS), 0
        _rehearse("the search for neighbours", lambda search: search.nearest(None))
        result = Neighbours.none_yet(len(self.queries) if rows is None else len(rows), k)
        for block, share in self._blocks_of(rows, progress):
            best = find_nearest(block.problem, self._index_of(block), k, self.threads, share)
            work += best.work
            result.rows[block.records] = np.where(best.rows < 0, -1, block.candidates[best.rows])
            result.scores[block.records] = best.scores
            result.n_best[block.records] = best.n_best
        if self._problem.terms.root and self._problem.terms.exact:  # these are squares
            np.sqrt(result.scores, out=result.scores)
        return result._replace(work=work)

    def density(
        self, rows: Ints | None, *, error: float = 1e-6, progress: Progress | None = None
    ) -> Densities:
        """The log of the sum of exp(-score) over the candidates of each query."""
        error = float(as_floats(error, "error"))
        if not 0 <= error < 1:
            raise UsageError("error: a number from 0 to below 1")
        _rehearse("the sum over all candidates", lambda search: search.density(None))
        answers = np.zeros((len(self.queries) if rows is None else len(rows), 3))
        for block, share in self._blocks_of(rows, progress):
            answers[block.records] = sum_exponentials(
                block.problem, self._index_of(block), error, self.threads, share
            )
        least, total, left_out = answers.T
        with np.errstate(divide="ignore", invalid="ignore"):  # where all are impossible
            log_sum = np.where(total > 0, np.log(total) - least, -np.inf)
            bound = np.where(total > 0, np.log1p(left_out / total), 0.0)
        return Densities(log_sum, bound)

    def costs(self, rows: Ints, candidates: Ints) -> Floats:
        """The cost of each pair of a query and a candidate: the score before the root."""
        one = np.zeros(1, np.int64)
        _rehearse("the costs of pairs", lambda search: search.costs(one, one))
        problem = self._problem
        left, right = (np.ascontiguousarray(part, np.int64) for part in (rows, candidates))
        costs, width = np.empty(len(left)), problem.queries.shape[1]

        def work(start: int, stop: int) -> None:
            here = slice(start, stop)
            arrays = problem.queries, problem.missing, problem.base, problem.offset
            scratch = np.zeros(width), np.zeros(width, np.int64)
            cost_pairs(problem.terms, *arrays, left[here], right[here], costs[here], *scratch)

        run_lines(work, len(left), len(left) * width, threads=self.threads)
        if self.blocks is None:
            return costs
        return np.where(self.blocks.compares(left, right), costs, np.inf)

    def with_offset(self, offset: Floats | None) -> LocalSearch:
        """The same with other offsets of the candidates; what missing cells cost stays."""
        return replace(self, base=replace(self.base, offset=offset), other=self)

    @cached_property
    def _problem(self) -> Problem:
        if self.other is None or self.base.offset is None:
            return build_problem(self.queries, self.base, self.metric, self.threads)
        return self.other._problem.with_offset(self.base.offset)

    @cached_property
    def _coded_blocks(self) -> bool:
        """Whether blocks are more attributes, in which a missing cell has no gap."""
        blocks = self.blocks
        return blocks is not None and blocks.has_missing and self.metric.measure is None

    @cached_property
    def _searched(self) -> Problem:
        blocks = self.blocks
        if blocks is None or not self._coded_blocks:
            return self._problem
        codes = (blocks.cells[own] for own in (blocks.queries, blocks.base))
        return with_block_codes(self._problem, *codes)

    @cached_property
    def _index(self) -> Index:
        return build(self._searched, self.threads)

    def _index_of(self, block: BlockProblem) -> Index:
        """The index of the whole base is kept, that of a block is built for each search."""
        whole = block.problem.base is self._searched.base
        return self._index if whole else build(block.problem, self.threads)

    def _blocks_of(
        self, rows: Ints | None, progress: Progress | None
    ) -> Iterator[tuple[BlockProblem, Progress | None]]:
        """The problem of some queries, block by block or as a whole."""
        problem, parts = self._searched.for_queries(rows), None
        if self.blocks is not None and not self._coded_blocks:
            every = np.arange(len(self.queries)) if rows is None else rows
            parts = self.blocks.comparison_blocks(every)
        return block_problems(problem, parts, progress)


def _rehearse(what: str, ask: Callable[[LocalSearch], object]) -> None:
    """Compile the kernels of a question: with and without a filter, all of them are called."""

    def on_two_records() -> None:
        gappy = Records(np.zeros((2, 1)), present=np.array([[True], [False]]))
        for records in (Records(np.zeros((2, 1))), gappy):
            ask(LocalEngine().prepare(records, records, euclid()))

    prepare(what, on_two_records)
