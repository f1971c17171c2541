"""Blocks as problems: queries that are compared with some of the candidates only.

Large blocks are searched one by one. Small ones are searched together, the block being one more
attribute in which a gap is impossible: a tree for each of a hundred thousand blocks would take
longer to build than to search. Where a blocking cell is missing, and so fits every block, all
blocking attributes are treated like that.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from unveil.engines.local.kernels import costs as kernel
from unveil.engines.local.problem import Problem
from unveil.support.arrays import Floats, Ints
from unveil.support.options import Progress
from unveil.values.links import ComparisonBlock

Numbers = TypeVar("Numbers", Floats, Ints)

SMALL_BLOCK = 2000  # candidates of a block that is not worth a tree of its own
FEW_BLOCKS = 8  # small blocks that are not worth an attribute of their own


@dataclass(frozen=True, repr=False, eq=False)
class BlockProblem:
    """Some blocks as a problem of their own."""

    problem: Problem
    records: Ints  # the query of each of the problem's queries
    block_of: Ints  # the block of each
    candidates: Ints  # the record of the base of each of the problem's candidates
    keys: Ints  # block and record of each candidate in one number, ascending

    def places(self, truth: Ints, base: int) -> Ints:
        """The places of the true records among the candidates; -1: not in their block."""
        wanted = self.block_of * base + truth[self.records]
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where((truth[self.records] >= 0) & (self.keys[at] == wanted), at, -1)


def block_problems(
    problem: Problem, parts: Sequence[ComparisonBlock] | None, progress: Progress | None
) -> Iterator[tuple[BlockProblem, Progress | None]]:
    """The problem block by block, or as a whole, each with its share of the progress."""
    if parts is None:
        n, rows = len(problem.queries), np.arange(len(problem.base))
        whole = BlockProblem(problem, np.arange(n), np.zeros(n, np.int64), rows, rows)
        yield whole, _share_of(progress, 0, n, n)
        return
    blocks = [block for block in parts if len(block.candidates) and len(block.records)]
    small = [block for block in blocks if len(block.candidates) <= SMALL_BLOCK]
    if len(small) <= FEW_BLOCKS or problem.terms.combine == kernel.CHOQUET:
        small = []
    groups = [[block] for block in blocks if not small or len(block.candidates) > SMALL_BLOCK]
    done, total = 0, len(problem.queries)
    for group in groups + ([small] if small else []):
        part = _block_problem(problem, group)
        yield part, _share_of(progress, done, len(part.records), total)
        done += len(part.records)


def _block_problem(problem: Problem, blocks: Sequence[ComparisonBlock]) -> BlockProblem:
    records = np.concatenate([block.records for block in blocks])
    candidates = np.concatenate([np.sort(block.candidates) for block in blocks])
    of_query, of_candidate = (
        np.repeat(np.arange(len(blocks)), [len(block[side]) for block in blocks]) for side in (0, 1)
    )
    part = replace(
        problem,
        queries=problem.queries[records],
        base=problem.base[candidates],
        missing=problem.missing if len(problem.missing) == 1 else problem.missing[records],
        offset=problem.offset[candidates] if len(problem.offset) else problem.offset,
    )
    if len(blocks) > 1:
        part = with_block_codes(part, of_query[:, None], of_candidate[:, None])
    keys = of_candidate * len(problem.base) + candidates
    return BlockProblem(part, records, of_query, candidates, keys)


def with_block_codes(problem: Problem, query_codes: Ints, base_codes: Ints) -> Problem:
    """The problem with more attributes, codes in which a gap is impossible; -1 is missing."""
    terms, width = problem.terms, query_codes.shape[1]
    first = len(terms.end) + 2 * np.arange(width)

    def more(values: Numbers, *added: float) -> Numbers:
        return np.append(values, np.tile(np.array(added, values.dtype), width))

    return replace(
        problem,
        queries=np.column_stack([problem.queries, np.where(query_codes < 0, np.nan, query_codes)]),
        base=np.column_stack([problem.base, np.where(base_codes < 0, np.nan, base_codes)]),
        missing=np.column_stack([problem.missing, np.zeros((len(problem.missing), width))]),
        terms=terms._replace(
            kind=more(terms.kind, kernel.PIECES),
            side=more(terms.side, kernel.BOTH),
            weight=more(terms.weight, 1.0),
            first=np.append(terms.first, first),
            size=more(terms.size, 2),
            end=more(terms.end, 0.0, np.inf),
            value=more(terms.value, 0.0, np.inf),
            slope=more(terms.slope, 0.0, 0.0),
            least=more(terms.least, 0.0),
            plain=-1,
        ),
        has_missing=problem.has_missing or bool((query_codes < 0).any() or (base_codes < 0).any()),
        block_codes=width,
    )


def _share_of(progress: Progress | None, start: int, part: int, total: int) -> Progress | None:
    """Progress in one block as progress in all of them."""
    if progress is None:
        return None
    return lambda done, of: progress(start + part * done // max(of, 1), total)
