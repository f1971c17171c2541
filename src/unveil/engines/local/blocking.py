"""Records that are compared with some of the candidates only.

Large parts are searched one by one. Small ones are searched together, the part being one more
attribute, in which a gap is impossible: a tree for each of a hundred thousand parts would take
longer to plant than to search. Where a cell that parts them is missing, and so fits every
part, all that parts them are attributes like that.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from unveil.engines.local.kernels import costs as kernel
from unveil.engines.problem import Problem
from unveil.engines.records import Records
from unveil.support.arrays import Floats, Ints
from unveil.support.options import Progress
from unveil.values.links import ComparisonBlock

Numbers = TypeVar("Numbers", Floats, Ints)

SMALL = 2000  # candidates of a part that is not worth a tree of its own
FEW = 8  # parts that are not worth an attribute of their own


@dataclass(frozen=True, repr=False, eq=False)
class PartitionedBase:
    """Candidates, and which of them each query is compared with; no query is in two parts."""

    records: Records | ArrayLike
    parts: Sequence[ComparisonBlock]


@dataclass(frozen=True, repr=False, eq=False)
class BlockedBase:
    """Candidates that a query is compared with where all codes are equal; -1 equals any."""

    records: Records | ArrayLike
    asking: Ints  # queries x codes
    asked: Ints  # candidates x codes


Base = Records | PartitionedBase | BlockedBase | ArrayLike


def everybody(base: Base) -> Records | ArrayLike:
    """The candidates, whoever is compared with them."""
    return base.records if isinstance(base, PartitionedBase | BlockedBase) else base


@dataclass(frozen=True, repr=False, eq=False)
class BlockProblem:
    """Some parts as a problem of their own."""

    problem: Problem
    records: Ints  # the query of each of the problem's queries
    part_of: Ints  # the part of each
    candidates: Ints  # the record of the base of each of the problem's candidates
    keys: Ints  # part and record of each candidate in one number, ascending

    def places(self, truth: Ints, base: int) -> Ints:
        """Where the problem's candidates have the true records; -1: not in their part."""
        wanted = self.part_of * base + truth[self.records]
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where((truth[self.records] >= 0) & (self.keys[at] == wanted), at, -1)


def pieces_of(problem: Problem, base: Base) -> Iterator[BlockProblem]:
    """The problem in pieces; whole, if there are no parts, or if it has been parted."""
    if not isinstance(base, PartitionedBase):
        n, rows = len(problem.queries), np.arange(len(problem.base))
        yield BlockProblem(problem, np.arange(n), np.zeros(n, np.int64), rows, rows)
        return
    parts = [part for part in base.parts if len(part.candidates) and len(part.records)]
    together = [part for part in parts if len(part.candidates) <= SMALL]
    if len(together) <= FEW or problem.terms.combine == kernel.CHOQUET:
        together = []
    alone = [part for part in parts if not together or len(part.candidates) > SMALL]
    for part in alone:
        yield _piece(problem, [part])
    if together:
        yield _piece(problem, together)


def _piece(problem: Problem, parts: Sequence[ComparisonBlock]) -> BlockProblem:
    records = np.concatenate([part.records for part in parts])
    candidates = np.concatenate([np.sort(part.candidates) for part in parts])
    part_of, part_asked = (
        np.repeat(np.arange(len(parts)), [len(part[side]) for part in parts]) for side in (0, 1)
    )
    some = replace(
        problem,
        queries=problem.queries[records],
        base=problem.base[candidates],
        missing=problem.missing if len(problem.missing) == 1 else problem.missing[records],
        offset=problem.offset[candidates] if len(problem.offset) else problem.offset,
    )
    if len(parts) > 1:
        some = parted(some, part_of[:, None], part_asked[:, None])
    keys = part_asked * len(problem.base) + candidates
    return BlockProblem(some, records, part_of, candidates, keys)


def parted(problem: Problem, asking: Ints, asked: Ints) -> Problem:
    """The problem with more attributes, codes in which a gap is impossible; -1 is missing."""
    terms, width = problem.terms, asking.shape[1]
    first = len(terms.end) + 2 * np.arange(width)

    def more(values: Numbers, *added: float) -> Numbers:
        return np.append(values, np.tile(np.array(added, values.dtype), width))

    return replace(
        problem,
        queries=np.column_stack([problem.queries, np.where(asking < 0, np.nan, asking)]),
        base=np.column_stack([problem.base, np.where(asked < 0, np.nan, asked)]),
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
        has_missing=problem.has_missing or bool((asking < 0).any() or (asked < 0).any()),
        block_codes=width,
    )


def in_pieces(
    problem: Problem, base: Base, progress: Progress | None
) -> Iterator[tuple[BlockProblem, Progress | None]]:
    """The pieces, each with its share of the progress."""
    done, total = 0, len(problem.queries)
    for piece in pieces_of(problem, base):
        yield piece, _share_of(progress, done, len(piece.records), total)
        done += len(piece.records)


def _share_of(progress: Progress | None, start: int, many: int, of: int) -> Progress | None:
    """Progress in one piece, told as progress in all of them."""
    if progress is None:
        return None

    def told(done: int, total: int) -> None:
        progress(start + many * done // max(total, 1), of)

    return told
