"""Links: the candidates that an attack finds for each record. Every measure starts from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, Self

import numpy as np
import polars as pl

from unveil.errors import DataError, UsageError
from unveil.support import display
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.checked_calls import checked_class
from unveil.support.options import Progress, whole_number
from unveil.support.seeds import stream
from unveil.table.frames import Origin
from unveil.table.row_identity import sample_rows
from unveil.values.file_pair import CanonicalOrder, FilePair
from unveil.values.intruder import Intruder
from unveil.values.search_results import Neighbours, RankOfTruth
from unveil.wording import count, fitted

if TYPE_CHECKING:
    from unveil.values.household_links import HouseholdLinks

Margins = Literal["distance", "likelihood"]  # scores that can be compared with each other
N_TOP = 3  # candidates of each record: the best, the second, and one in reserve
MOST_RECORDS = 10**12


class ComparisonBlock(NamedTuple):
    """Records with the same candidates."""

    records: Ints  # positions among the queried records
    candidates: Ints


class TrueLinks(NamedTuple):
    """Links that are right, and what each counts."""

    records: Ints
    rows: Ints
    counts: Floats


class LinkageMethod(Protocol):
    """The part of `Attack` that measures and workflows use of the attack behind the links."""

    excludes_only: ClassVar[bool]
    uses_row_order: ClassVar[bool]
    needs_common_attributes: ClassVar[bool]
    links_households: ClassVar[bool]

    @property
    def name(self) -> str:
        """The attack's name."""

    @property
    def row_by_row(self) -> bool:
        """Whether each record is linked without regard to the others."""

    @property
    def compares_mixed_levels(self) -> bool:
        """Whether it compares categories in one file with numbers in the other."""

    @property
    def compared_as_written(self) -> tuple[str, ...]:
        """Columns whose cells are compared as text, whatever the type that each file has."""

    def comparable(self, pair: FilePair, known: Sequence[str]) -> tuple[str, ...]:
        """The known attributes that the attack can compare."""

    def parts_of(self, finder: Finder) -> tuple[Finder, ...]:
        """The finders of the attacks that are combined."""


class Finder(Protocol):
    """A prepared attack: it answers queries about records and candidates, given as rows."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are compared."""

    @property
    def supervised(self) -> bool:
        """Whether the attack was trained with the truth."""

    @property
    def margins(self) -> Margins | None:
        """The kind of score; None if scores cannot be compared with each other."""

    @property
    def details(self) -> dict[str, Any]:
        """How the attack computes its scores, as plain values; may be empty."""

    @property
    def engine(self) -> str | None:
        """The name of the engine that compares the files; None if none does."""

    def rank_of_truth(
        self, records: Ints, truth: Ints, stop_at: int | None, progress: Progress | None
    ) -> RankOfTruth:
        """The rank of the true row of each record."""

    def nearest(self, records: Ints, k: int, progress: Progress | None) -> Neighbours:
        """The best candidates of each record."""

    def comparison_blocks(self, records: Ints) -> list[ComparisonBlock]:
        """The candidates that each record is compared with, by block."""

    def n_candidates(self, records: Ints) -> Ints:
        """The number of candidates of each record."""

    def compares(self, records: Ints, candidates: Ints) -> Bools:
        """Whether each record is compared with the given candidate."""

    def classes(self) -> Ints:
        """The class of each released row; the attack cannot distinguish the rows of a class."""

    def log_totals(self, records: Ints) -> Floats | None:
        """The log of the sum of exp(-score) over all candidates of each record.

        It turns a score into the probability of a link; None where scores are no likelihoods.
        """


@checked_class
@dataclass(frozen=True, repr=False, eq=False)
class Links:
    """The candidates that an attack finds for each of the intruder's records, computed on demand.

    With the truth: `n_closer` and `n_tied`. Without it, or for margins: `best`, `score`,
    `n_best`, `second`. Rows are counted from 0.

    >>> import unveil
    >>> sample = unveil.households(200, seed=7)
    >>> release = unveil.mask(sample, [unveil.masks.RankSwapping(p=5)], seed=7)
    >>> unveil.attack(sample, release, unveil.attacks.Distance())
    Links(distance: 200 records, 200 candidates, truth known)
    """

    attack: LinkageMethod
    intruder: Intruder
    finder: Finder = field(repr=False)
    pair: FilePair  # the intruder's records and the release
    records: Ints  # the rows to link; in the reverse direction, rows of the release
    positions: tuple[Ints, Ints]  # of records and candidates in their files
    compared: tuple[str, ...]  # the columns that the intruder knows of both files
    attack_strangers: Callable[[Any], Links] = field(repr=False)  # the same attack on strangers
    seed: int = 0
    progress: Progress | None = None
    _samples: dict[int, Self] = field(default_factory=dict, init=False)

    def __len__(self) -> int:
        return len(self.records)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "progress": None}  # a callback stays in its process

    def __repr__(self) -> str:
        known = "truth not known" if self.truth is None else "truth known"
        size = f"{count(len(self), 'record')}, {count(self.candidates, 'candidate')}"
        return fitted(f"Links({self.name}: {size}, {known})")

    _repr_html_ = display.html

    @property
    def name(self) -> str:
        """The attack's name."""
        return self.attack.name

    @property
    def origin(self) -> Ints:
        """The row of each of the intruder's records in the original, or in the intruder's file."""
        return self.positions[1 if self.intruder.reverse else 0]

    @property
    def order(self) -> CanonicalOrder:
        """The content ranks of the rows to link and of their candidates."""
        return CanonicalOrder(self.pair, self.intruder.reverse)

    @property
    def candidates(self) -> int:
        """The number of records of the other file."""
        return len(self.pair.original if self.intruder.reverse else self.pair.release)

    @property
    def population(self) -> int:
        """The number of records with a true row, of which these may be a sample."""
        if (rows := self._all_true_rows) is not None:
            return int((rows >= 0).sum())
        return len(self.pair.release if self.intruder.reverse else self.pair.original)

    @property
    def n_with_truth(self) -> int:
        """The number of these records that have a true row."""
        return int((self.true_rows >= 0).sum())

    @property
    def true_links(self) -> TrueLinks:
        """Each record that has a true row, with this row."""
        known = self.true_rows >= 0
        rows = self.true_rows[known]
        return TrueLinks(self.records[known], rows, np.ones(len(rows)))

    @property
    def _all_true_rows(self) -> Ints | None:
        truth = self.pair.truth
        if truth is None:
            return None
        return truth.record_of_row if self.intruder.reverse else truth.row_of_record

    @cached_property
    def truth(self) -> Ints | None:
        """The true row of each record in the other file, -1 for none; None: not known."""
        rows = self._all_true_rows
        return None if rows is None else rows[self.records]

    @property
    def true_rows(self) -> Ints:
        """The truth, or an error that says how to give it."""
        if self.truth is None:
            raise DataError(
                "the true links are not known, so hits cannot be counted; give truth= "
                "(--truth): an identifier of both files, a row map, or 'row-order' if both "
                "files have the same row order"
            )
        return self.truth

    def rank_up_to(self, stop_at: int | None) -> RankOfTruth:
        """The rank of the true row of each record, counting closer ones up to `stop_at`."""
        return self.finder.rank_of_truth(self.records, self.true_rows, stop_at, self.progress)

    def nearest(self, k: int) -> Neighbours:
        """The k best candidates of each record."""
        return self.finder.nearest(self.records, k, self.progress)

    @cached_property
    def rank_of_truth(self) -> RankOfTruth:
        """The rank of the true row of each record, as far as needed to count the hits."""
        return self.rank_up_to(1)

    @property
    def hits(self) -> Floats:
        """The expected hit of each record; see `unveil.measures.hits`."""
        return self.rank_of_truth.hits

    @cached_property
    def top_candidates(self) -> Neighbours:
        """The best few candidates of each record."""
        return self.nearest(N_TOP)

    @property
    def n_closer(self) -> Ints:
        """Candidates strictly closer than the true row: 0, or 1 for at least one."""
        return self.rank_of_truth.n_closer

    @property
    def n_tied(self) -> Ints:
        """Other candidates that tie with the true row; -1 where one is closer."""
        return self.rank_of_truth.n_tied

    @property
    def best(self) -> Ints:
        """The best candidate, the lowest row among ties; -1 if there is none."""
        return self.top_candidates.rows[:, 0]

    @property
    def score(self) -> Floats:
        """The score of the best candidate, such as a distance."""
        return self.top_candidates.scores[:, 0]

    @property
    def n_best(self) -> Ints:
        """The number of candidates that tie for the best."""
        return self.top_candidates.n_best

    @property
    def second(self) -> Floats:
        """The score of the second best candidate, which may tie with the best."""
        return self.top_candidates.scores[:, 1]

    def sample(self, n: int) -> Self:
        """The same attack on n of these records, drawn by the seed; all, if there are fewer.

        Ranks, scales and candidates stay those of the whole files. The draw does not depend on
        the order of the rows.
        """
        n = whole_number(n, "a sample", 1, MOST_RECORDS)
        if n >= len(self):
            return self
        if n not in self._samples:  # several measures share the answers
            rng = stream(self.seed, "attack", "sample")
            chosen = sample_rows(self.order.records[self.records], n, rng)
            sample = replace(self, records=self.records[chosen])
            if "rank_of_truth" in vars(self):  # already computed
                object.__setattr__(sample, "rank_of_truth", self.rank_of_truth.take(chosen))
            self._samples[n] = sample
        return self._samples[n]

    def on(self, people: Any) -> Links:
        """The same attack on people who are not in the release (a path, a frame or Microdata).

        Ranks and scales stay those of the attacked files.
        """
        if not self.finder.columns:
            raise UsageError(
                f"{self.name}: this attack compares no attributes, so it gives no result for "
                "people outside the release"
            )
        return self.attack_strangers(people)

    @property
    def households(self) -> HouseholdLinks:
        """The links of households, where the attack links these first."""
        of_households = getattr(self.finder, "household_links", None)
        if of_households is None:
            raise UsageError(
                f"{self.name}: this attack links persons one by one; use "
                "unveil.attacks.Households for households"
            )
        linked: HouseholdLinks = of_households(self)
        return linked

    def pairs(self, k: int = 2) -> pl.DataFrame:
        """The k best candidates of each record, as the table of pairs that splink writes.

        Ties with the best are listed as well, up to a thousand. Left is the original, right the
        release, by row numbers from 1. The match weight is the negative score. The match
        probability is that of the link among all candidates of the record; distances have none.
        `n_best` counts the ties.

        >>> import unveil
        >>> people = unveil.households(100)
        >>> unveil.attack(people, people, unveil.attacks.Distance()).pairs().columns
        ['unique_id_l', 'unique_id_r', 'match_weight', 'match_probability', 'n_best']
        """
        from unveil.values.pair_table import pair_table

        return pair_table(self, k)

    def to_frame(self, k: int = 1) -> Any:
        """The pairs in the kind of frame that the original came in (polars for a file).

        One row for each record, and one more for each candidate that ties with its best: row
        numbers and scores, no cell.
        """
        return Origin(self.pair.original.frame_kind).to_frame(self.pairs(k))
