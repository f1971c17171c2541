"""Anybody's linkage: a table of pairs with weights, to be scored like an attack of our own."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta

from unveil.attacks.base import Attack, LinkageFiles
from unveil.engines.local.index import EqualRows
from unveil.errors import DataError, SchemaError
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.options import Progress
from unveil.table.encoding.to_arrays import numbers
from unveil.table.microdata import Microdata
from unveil.table.row_identity import rows_of_ids
from unveil.values.links import ComparisonBlock, Finder, Margins, RankedCandidates, RankOfTruth
from unveil.values.pair_table import PAIR_COLUMNS
from unveil.wording import count, listing


class Pairs(Attack, frozen=True, kw_only=True):
    """Linkage made elsewhere: a table of pairs, as splink writes it.

    Anybody's links are held against the truth as our own are: a record is linked with the best of
    its pairs, and one without a pair with nobody.

    Columns `unique_id_l`, `unique_id_r` and `match_weight` (or `match_probability`): the more,
    the better. What the pairs were made of is not known: no ceiling holds, and weights have no
    margin.

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
        Meta(description="The original's column of ids; if not given, row numbers from 1."),
    ] = None
    release_id: Annotated[
        str | None,
        Meta(description="The release's column of ids; if not given, row numbers from 1."),
    ] = None

    def __repr__(self) -> str:
        given = self.pairs if isinstance(self.pairs, str) else type(self.pairs).__name__
        return f"Pairs({given})"

    def finder(self, files: LinkageFiles) -> Finder:
        """Make ready to score the pairs."""
        table: Microdata = self.pairs  # the workflow has read it
        left, right, weight = _columns_of(table)
        if self.left == "release":
            left, right = right, left
        intruder = _rows_of(table, left, files.intruder_records, self.original_id, "original")
        released = _rows_of(table, right, files.release, self.release_id, "release")
        asking, asked = files.queries_first(intruder, released)
        sizes = files.queries_first(len(files.intruder_records), len(files.release))
        return PairList.of(asking, asked, weight, *sizes, len(files.release))


@dataclass(frozen=True, repr=False, eq=False)
class PairList:
    """Pairs by record, the best first; those of equal weight make a run."""

    asking: Ints
    asked: Ints
    weight: Floats
    records: int
    candidates: int
    released: int
    columns: tuple[str, ...] = ()
    supervised: bool = False
    margins: Margins | None = None
    posterior_model: None = None
    guess: bool = False
    details: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, asking: Ints, asked: Ints, weight: Floats, records: int, candidates: int, released: int
    ) -> PairList:
        """Put pairs in order; a pair that is listed twice counts once, with its best weight."""
        order = np.lexsort((asked, -weight, asking))
        _, first = np.unique(asking[order] * candidates + asked[order], return_index=True)
        order = order[np.sort(first)]
        return cls(asking[order], asked[order], weight[order], records, candidates, released)

    def _runs(self) -> tuple[Ints, Ints]:
        """Where each pair's run begins, and where it ends."""
        new = np.diff(self.asking, prepend=-1).astype(bool)
        new[1:] |= np.diff(self.weight) != 0
        starts = np.append(np.flatnonzero(new), len(new))
        run = np.cumsum(new) - 1
        return starts[run], starts[run + 1]

    def rank_of_truth(
        self, records: Ints, truth: Ints, stop_at: int | None, progress: Progress | None
    ) -> RankOfTruth:
        """Each record against a row of the other file; -1 where that pair is not listed."""
        del progress  # it takes no time
        keys = self.asking * self.candidates + self.asked
        order = np.argsort(keys)
        wanted = np.where(truth < 0, -1, records * self.candidates + truth)
        at = order[np.minimum(np.searchsorted(keys[order], wanted), len(order) - 1)]
        begin, end = self._runs()
        closer = begin[at] - np.searchsorted(self.asking, records)
        tied = end[at] - begin[at] - 1
        if stop_at is not None:
            tied = np.where(closer < stop_at, tied, -1)
            closer = np.minimum(closer, stop_at)
        listed = keys[at] == wanted
        return RankOfTruth(np.where(listed, closer, -1), np.where(listed, tied, -1))

    def nearest(self, records: Ints, k: int, progress: Progress | None) -> RankedCandidates:
        """The best candidates of each record."""
        del progress
        start, end = (np.searchsorted(self.asking, records, side) for side in ("left", "right"))
        at = start[:, None] + np.arange(k)
        there = at < end[:, None]
        at = np.where(there, at, 0)
        best = np.where(start < end, start, 0)
        begin, stop = self._runs()
        return RankedCandidates(
            np.where(there, self.asked[at], -1),
            np.where(there, -self.weight[at], np.inf),
            np.where(start < end, stop[best] - begin[best], 0),
        )

    def log_totals(self, records: Ints) -> Floats | None:
        """Weights of unknown making are no probabilities."""
        del records
        return None

    @property
    def sizes(self) -> tuple[int, int]:
        """How many records there are, and how many candidates."""
        return self.records, self.candidates

    @property
    def degrees(self) -> float | None:
        """A weight is the log of how much likelier a pair is, so there is nothing to fit."""
        return None

    def equal_rows(self) -> tuple[EqualRows, EqualRows]:
        """Everybody by himself: nobody knows what the linkage could tell apart."""
        first, second = (EqualRows(np.arange(many), np.arange(many + 1)) for many in self.sizes)
        return first, second

    def restrict(self, records: Ints, candidates: Ints) -> PairList:
        """The pairs of some records and some candidates, which get new numbers."""
        places = []
        for chosen, many in zip((records, candidates), self.sizes, strict=True):
            place = np.full(many, -1)
            place[chosen] = np.arange(len(chosen))
            places.append(place)
        asking, asked = places[0][self.asking], places[1][self.asked]
        kept = (asking >= 0) & (asked >= 0)
        sizes = len(records), len(candidates)
        return PairList.of(asking[kept], asked[kept], self.weight[kept], *sizes, self.released)

    def scale_costs(self, rate: float) -> PairList:
        """The same pairs, their weights so many times as large."""
        return replace(self, weight=self.weight * rate)

    def with_prices(self, prices: Floats) -> PairList:
        """The same pairs where each candidate costs so much more."""
        weight = self.weight - prices[self.asked]
        return PairList.of(self.asking, self.asked, weight, *self.sizes, self.released)

    def reverse(self) -> PairList:
        """The same pairs, where the candidates look for the records."""
        sizes = self.candidates, self.records
        return PairList.of(self.asked, self.asking, self.weight, *sizes, self.released)

    def costs(self, records: Ints, candidates: Ints) -> Floats:
        """What pairs cost: their weight, its sign turned; those not listed are impossible."""
        keys = self.asking * self.candidates + self.asked
        order = np.argsort(keys)
        wanted = records * self.candidates + candidates
        if not len(keys):
            return np.full(len(wanted), np.inf)
        at = order[np.minimum(np.searchsorted(keys[order], wanted), len(order) - 1)]
        return np.where(keys[at] == wanted, -self.weight[at], np.inf)

    def log_sums(self, records: Ints, error: float) -> Floats:
        """The log of the sum of exp(weight) over the pairs of each record."""
        del error  # there is none
        total = np.full(self.records, -np.inf)
        np.logaddexp.at(total, self.asking, self.weight)
        return total[records]

    def comparison_blocks(self, records: Ints) -> list[ComparisonBlock]:
        """Every record might have been paired with every row of the other file."""
        return [ComparisonBlock(np.arange(len(records)), np.arange(self.candidates))]

    def n_candidates(self, records: Ints) -> Ints:
        """As many candidates as there are."""
        return np.full(len(records), self.candidates)

    def compares(self, records: Ints, candidates: Ints) -> Bools:  # noqa: ARG002
        """Everybody with everybody."""
        return np.ones(len(records), np.bool_)

    def classes(self) -> Ints:
        """Every row by itself: nobody knows what the linkage could tell apart."""
        return np.arange(self.released)


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


def _rows_of(table: Microdata, column: str, file: Microdata, named: str | None, whose: str) -> Ints:
    """The rows that ids stand for."""
    if named is None:
        try:
            ids = numbers(table, [column]).values[:, 0]
        except SchemaError:
            raise DataError(
                f"pairs: {column} holds text, not row numbers: name the column of the {whose} that "
                f"has these ids ({whose}_id)"
            ) from None
        inside = (ids >= 1) & (ids <= len(file)) & (ids == np.rint(ids))
        if not inside.all():
            raise DataError(
                f"pairs: {column} is not a row of the {whose} (from 1) in "
                f"{count(int((~inside).sum()), 'pair')}; where it is an id, name its column"
            )
        return ids.astype(np.int64) - 1
    rows = rows_of_ids(table.column(column), file, named)
    if (rows < 0).any():
        raise DataError(
            f"pairs: {column} is no id of the {whose} in {count(int((rows < 0).sum()), 'pair')}"
        )
    return rows
