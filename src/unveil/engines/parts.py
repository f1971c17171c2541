"""Records that are compared with some of the candidates only, part by part.

Large parts are searched one by one. Small ones are searched together, the part being one more
attribute, in which a gap is impossible: a tree for each of a hundred thousand parts would take
longer to plant than to search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from unveil.kernels import costs as kernel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike

    from unveil.data.links import Part
    from unveil.data.progress import Progress
    from unveil.engines.problem import Problem
    from unveil.engines.records import Records
    from unveil.kernels.arrays import Floats, Ints

    Numbers = TypeVar("Numbers", Floats, Ints)
    Parts = Sequence[Part] | None

SMALL = 2000  # candidates of a part that is not worth a tree of its own
FEW = 8  # parts that are not worth an attribute of their own


@dataclass(frozen=True, repr=False, eq=False)
class Parted:
    """Candidates, and which of them each query is compared with; no query is in two parts."""

    records: Records | ArrayLike
    parts: Sequence[Part]


def unparted(base: Records | Parted | ArrayLike) -> tuple[Records | ArrayLike, Parts]:
    """The candidates, and their parts if they have any."""
    return (base.records, base.parts) if isinstance(base, Parted) else (base, None)


@dataclass(frozen=True, repr=False, eq=False)
class Piece:
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


def pieces_of(problem: Problem, parts: Parts) -> Iterator[Piece]:
    """The problem in pieces; whole, if there are no parts."""
    n, m = len(problem.queries), len(problem.base)
    if parts is None:
        rows = np.arange(m)
        yield Piece(problem, np.arange(n), np.zeros(n, np.int64), rows, rows)
        return
    parts = [part for part in parts if len(part.candidates) and len(part.records)]
    together = [part for part in parts if len(part.candidates) <= SMALL]
    if len(together) <= FEW or problem.terms.combine == kernel.CHOQUET:
        together = []
    alone = [part for part in parts if not together or len(part.candidates) > SMALL]
    for part in alone:
        yield _piece(problem, [part])
    if together:
        yield _piece(problem, together)


def _piece(problem: Problem, parts: Sequence[Part]) -> Piece:
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
        some = _parted(some, part_of, part_asked)
    keys = part_asked * len(problem.base) + candidates
    return Piece(some, records, part_of, candidates, keys)


def _parted(problem: Problem, asking: Ints, asked: Ints) -> Problem:
    """The problem with the part as one more attribute, in which a gap is impossible."""
    terms = problem.terms

    def more(values: Numbers, *added: float) -> Numbers:
        return np.append(values, np.array(added, values.dtype))

    return replace(
        problem,
        queries=np.column_stack([problem.queries, asking]),
        base=np.column_stack([problem.base, asked]),
        missing=np.column_stack([problem.missing, np.zeros(len(problem.missing))]),
        terms=terms._replace(
            kind=more(terms.kind, kernel.PIECES),
            side=more(terms.side, kernel.BOTH),
            weight=more(terms.weight, 1.0),
            first=more(terms.first, len(terms.end)),
            size=more(terms.size, 2),
            end=more(terms.end, 0.0, np.inf),
            value=more(terms.value, 0.0, np.inf),
            slope=more(terms.slope, 0.0, 0.0),
            least=more(terms.least, 0.0),
            plain=-1,
        ),
        parted=True,
    )


def in_pieces(
    problem: Problem, parts: Parts, progress: Progress | None
) -> Iterator[tuple[Piece, Progress | None]]:
    """The pieces, each with its share of the progress."""
    total = len(problem.queries) if parts is None else sum(len(part.records) for part in parts)
    done = 0
    for piece in pieces_of(problem, parts):
        yield piece, _share_of(progress, done, len(piece.records), total)
        done += len(piece.records)


def _share_of(progress: Progress | None, start: int, many: int, of: int) -> Progress | None:
    """Progress in one piece, told as progress in all of them."""
    if progress is None:
        return None

    def told(done: int, total: int) -> None:
        progress(start + many * done // max(total, 1), of)

    return told
