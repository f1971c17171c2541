"""External linkage: a table of weighted pairs, scored like an attack of our own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Literal, Self

import msgspec
import numpy as np
from msgspec import Meta

from unveil.attacks.base import Attack, LinkageFiles
from unveil.errors import DataError, SchemaError, SpecError
from unveil.support.arrays import Bools, Floats, Ints, consecutive
from unveil.support.equal_rows import EqualRows
from unveil.support.options import Progress
from unveil.table.encoding.to_arrays import numbers
from unveil.table.microdata import Microdata
from unveil.table.row_identity import rows_of_ids
from unveil.values.intruder import Intruder
from unveil.values.links import ComparisonBlock, Finder, Margins
from unveil.values.pair_table import PAIR_COLUMNS
from unveil.values.search_results import Neighbours, RankOfTruth
from unveil.wording import count, listing


class Pairs(Attack, frozen=True, kw_only=True):
    """External linkage: score a table of pairs that another program made, as splink writes it.

    Each record is linked to the best of its pairs; a record without a pair is not linked.

    The columns are `unique_id_l`, `unique_id_r` and `match_weight` (or `match_probability`), the
    higher the better. How the pairs were made is not known: there is no ceiling, and weights have
    no margin. Probabilities are kept for :func:`unveil.measures.formal`.

    >>> import unveil
    >>> sample = unveil.households(50)
    >>> links = unveil.attack(sample, sample, unveil.attacks.Distance(), truth="person")
    >>> scored = unveil.attack(sample, sample, Pairs(pairs=links.pairs()), truth="person")
    >>> unveil.measures.risk(scored).expected == unveil.measures.risk(links).expected
    True
    """

    pairs: Annotated[
        Any, Meta(description="The table: the path of its file, a frame or Microdata.")
    ]
    left: Annotated[
        Literal["original", "release"], Meta(description="The file of `unique_id_l`.")
    ] = "original"
    original_id: Annotated[
        str | None,
        Meta(description="The original's column of ids. If not given, row numbers from 1."),
    ] = None
    release_id: Annotated[
        str | None,
        Meta(description="The release's column of ids. If not given, row numbers from 1."),
    ] = None

    compares_attributes: ClassVar[bool] = False
    accepts_blocks: ClassVar[bool] = False

    def __repr__(self) -> str:
        given = self.pairs if isinstance(self.pairs, str) else type(self.pairs).__name__
        return f"Pairs({given})"

    def check(self, intruder: Intruder, *, ordered_truth: bool) -> None:
        """Raise an error for a sample of the records: the pairs say which are linked."""
        super().check(intruder, ordered_truth=ordered_truth)
        if not (intruder.has_all or intruder.has_file):
            raise SpecError("pairs: the table of pairs determines the records; leave out records")

    def read_inputs(self, read: Callable[[Any], Microdata]) -> Self:
        return msgspec.structs.replace(self, pairs=read(self.pairs))

    def finder(self, files: LinkageFiles) -> Finder:
        table: Microdata = self.pairs
        left, right, weight = _columns_of(table)
        if self.left == "release":
            left, right = right, left
        intruder = _rows_of(table, left, files.intruder_records, self.original_id, "original")
        released = _rows_of(table, right, files.release, self.release_id, "release")
        query, candidate = files.queries_first(intruder, released)
        sizes = files.queries_first(*map(len, files.pair))
        pairs = PairList.of(query, candidate, weight, sizes, len(files.release))
        chance = _probabilities_of(table)
        if chance is None:
            return pairs
        best = PairList.of(query, candidate, chance, sizes, len(files.release))
        return ProbablePairs(**vars(pairs), probability=-best.costs(pairs.query, pairs.candidate))


@dataclass(frozen=True, repr=False, eq=False)
class PairList:
    """Pairs by record, the best first; pairs of equal weight make a run (a `Comparer`).

    How the weights were made is not known: they are no probabilities, and every row may be
    distinguished from every other.
    """

    query: Ints
    candidate: Ints
    weight: Floats
    sizes: tuple[int, int]  # the numbers of records and of candidates
    released: int
    columns: tuple[str, ...] = ()
    supervised: bool = False
    margins: Margins | None = None
    details: dict[str, Any] = field(default_factory=dict)
    engine: None = None
    degrees: None = None
    posterior_model: None = None
    guess: bool = False

    @classmethod
    def of(
        cls, query: Ints, candidate: Ints, weight: Floats, sizes: tuple[int, int], released: int
    ) -> PairList:
        """Sort the pairs; one that is listed twice counts once, with its best weight."""
        order = np.lexsort((candidate, -weight, query))
        _, first = np.unique(query[order] * sizes[1] + candidate[order], return_index=True)
        order = order[np.sort(first)]
        return cls(query[order], candidate[order], weight[order], sizes, released)

    def _runs(self) -> tuple[Ints, Ints]:
        new = np.diff(self.query, prepend=-1).astype(bool)
        new[1:] |= np.diff(self.weight) != 0
        starts = np.append(np.flatnonzero(new), len(new))
        run = np.cumsum(new) - 1
        return starts[run], starts[run + 1]

    def _find(self, records: Ints, candidates: Ints) -> tuple[Ints, Bools]:
        """The place of each pair, and whether it is listed; a negative candidate never is."""
        if not len(self.query):
            return np.zeros(len(records), np.int64), np.zeros(len(records), np.bool_)
        keys = self.query * self.sizes[1] + self.candidate
        order = np.argsort(keys)
        wanted = np.where(candidates < 0, -1, records * self.sizes[1] + candidates)
        at = order[np.minimum(np.searchsorted(keys[order], wanted), len(order) - 1)]
        return at, keys[at] == wanted

    def rank_of_truth(
        self, records: Ints, truth: Ints, stop_at: int | None, progress: Progress | None
    ) -> RankOfTruth:
        """The rank of the true row of each record; -1 where that pair is not listed."""
        del progress
        at, listed = self._find(records, truth)
        begin, end = self._runs()
        closer = begin[at] - np.searchsorted(self.query, records)
        tied = end[at] - begin[at] - 1
        if stop_at is not None:
            tied = np.where(closer < stop_at, tied, -1)
            closer = np.minimum(closer, stop_at)
        return RankOfTruth(np.where(listed, closer, -1), np.where(listed, tied, -1))

    def nearest(self, records: Ints, k: int, progress: Progress | None) -> Neighbours:
        del progress
        start, end = (np.searchsorted(self.query, records, side) for side in ("left", "right"))
        at = start[:, None] + np.arange(k)
        there = at < end[:, None]
        at = np.where(there, at, 0)
        best = np.where(start < end, start, 0)
        begin, stop = self._runs()
        return Neighbours(
            np.where(there, self.candidate[at], -1),
            np.where(there, -self.weight[at], np.inf),
            np.where(start < end, stop[best] - begin[best], 0),
        )

    def log_totals(self, records: Ints) -> None:
        """None: weights of unknown origin are no probabilities."""

    def equal_rows(self) -> tuple[EqualRows, EqualRows]:
        first, second = (EqualRows(np.arange(size), np.arange(size + 1)) for size in self.sizes)
        return first, second

    def restrict(self, records: Ints, candidates: Ints) -> PairList:
        """The pairs of some records and some candidates, which are numbered anew."""
        numbers = []
        for chosen, size in zip((records, candidates), self.sizes, strict=True):
            number = np.full(size, -1)
            number[chosen] = np.arange(len(chosen))
            numbers.append(number)
        query, candidate = numbers[0][self.query], numbers[1][self.candidate]
        kept = (query >= 0) & (candidate >= 0)
        sizes = len(records), len(candidates)
        return PairList.of(query[kept], candidate[kept], self.weight[kept], sizes, self.released)

    def scale_costs(self, rate: float) -> PairList:
        return replace(self, weight=self.weight * rate)

    def with_prices(self, prices: Floats) -> PairList:
        weight = self.weight - prices[self.candidate]
        return PairList.of(self.query, self.candidate, weight, self.sizes, self.released)

    def reverse(self) -> PairList:
        sizes = self.sizes[1], self.sizes[0]
        return PairList.of(self.candidate, self.query, self.weight, sizes, self.released)

    def costs(self, records: Ints, candidates: Ints) -> Floats:
        """The negative weight of each pair; infinite where it is not listed."""
        at, listed = self._find(records, candidates)
        costs = np.full(len(records), np.inf)
        costs[listed] = -self.weight[at[listed]]
        return costs

    def log_sums(self, records: Ints, error: float) -> Floats:
        del error
        total = np.full(self.sizes[0], -np.inf)
        np.logaddexp.at(total, self.query, self.weight)
        return total[records]

    def comparison_blocks(self, records: Ints) -> list[ComparisonBlock]:
        return [ComparisonBlock(np.arange(len(records)), np.arange(self.sizes[1]))]

    def n_candidates(self, records: Ints) -> Ints:
        return np.full(len(records), self.sizes[1])

    def compares(self, records: Ints, candidates: Ints) -> Bools:  # noqa: ARG002
        return np.ones(len(records), np.bool_)

    def classes(self) -> Ints:
        return np.arange(self.released)


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class ProbablePairs(PairList):
    """Pairs with stated probabilities; what a record's do not sum to is that of no partner."""

    probability: Floats

    def distribution(self, records: Ints) -> tuple[Ints, Ints, Floats]:
        """The pairs of each record, and their probabilities."""
        outside = ~((self.probability >= 0) & (self.probability <= 1))
        if outside.any():
            raise DataError(
                f"pairs: {PAIR_COLUMNS[3]} is not from 0 to 1 in "
                f"{count(int(outside.sum()), 'pair')}; correct the table"
            )
        start, end = (np.searchsorted(self.query, records, side) for side in ("left", "right"))
        at = consecutive(start, end - start)
        return np.append(0, np.cumsum(end - start)), self.candidate[at], self.probability[at]


def _probabilities_of(table: Microdata) -> Floats | None:
    """The probabilities of all pairs; None where some are missing."""
    name = PAIR_COLUMNS[3]
    if name not in table.columns or table.level(name) != "numeric":
        return None
    found = numbers(table, [name])
    return found.values[:, 0] if found.present.all() else None


def _columns_of(table: Microdata) -> tuple[str, str, Floats]:
    left, right, weight, probability = PAIR_COLUMNS
    absent = [name for name in (left, right) if name not in table.columns]
    score = next((name for name in (weight, probability) if name in table.columns), None)
    if absent or score is None:
        raise DataError(
            f"pairs: the table has columns {left}, {right} and {weight} or {probability}; "
            f"it has: {listing(table.columns)}"
        )
    found = numbers(table, [score])
    if not found.present.all():
        raise DataError(
            f"pairs: {score} is missing in {count(int((~found.present).sum()), 'pair')}"
        )
    return left, right, found.values[:, 0]


def _rows_of(
    table: Microdata, column: str, file: Microdata, id_column: str | None, side: str
) -> Ints:
    """The rows of a file that the ids of a column refer to."""
    if id_column is None:
        try:
            ids = numbers(table, [column]).values[:, 0]
        except SchemaError:
            raise DataError(
                f"pairs: {column} holds text, not row numbers: name the column of the {side} that "
                f"has these ids ({side}_id)"
            ) from None
        inside = (ids >= 1) & (ids <= len(file)) & (ids == np.rint(ids))
        if not inside.all():
            raise DataError(
                f"pairs: {column} is not a row of the {side} (from 1) in "
                f"{count(int((~inside).sum()), 'pair')}; where it is an id, name its column"
            )
        return ids.astype(np.int64) - 1
    rows = rows_of_ids(table.column(column), file, id_column)
    if (rows < 0).any():
        raise DataError(
            f"pairs: {column} is not an id of the {side} in "
            f"{count(int((rows < 0).sum()), 'pair')}; correct the table"
        )
    return rows
