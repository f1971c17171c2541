"""Links: whom an attack takes each record for. Every measure starts from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import polars as pl

from unveil.errors import DataError, UsageError
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.options import Progress, whole_number
from unveil.support.seeds import stream
from unveil.support.specs import Spec, method_name
from unveil.table.row_identity import CanonicalOrder, sample_rows
from unveil.values.intruder import Intruder
from unveil.values.pair_table import pair_table
from unveil.wording import count

Margins = Literal["distance", "likelihood"]  # one may be twice another, or twice as likely
N_TOP = 3  # candidates of each record: the best, the second, and one in case the true one goes
MOST_RECORDS = 10**12


class RankOfTruth(NamedTuple):
    """Each record against its true one; -1 where that is not among the candidates."""

    n_closer: Ints  # strictly closer; where the count was stopped, so many "or more"
    n_tied: Ints  # itself left out; -1 where the count of the closer was stopped
    chance: Floats | None = None  # of the link, where a matching decides it and not its ties
    work: int = 0  # cells compared, as `unveil.support.work` counts them; 0: next to nothing

    def take(self, positions: Ints) -> RankOfTruth:
        """The same of some records."""
        chance = None if self.chance is None else self.chance[positions]
        return RankOfTruth(self.n_closer[positions], self.n_tied[positions], chance)

    @property
    def hits(self) -> Floats:
        """The probability that each record is linked with its true one."""
        if self.chance is not None:
            return self.chance
        found = self.n_closer == 0
        shares: Floats = found / np.where(found, 1 + self.n_tied, 1)
        return shares


class RankedCandidates(NamedTuple):
    """The best candidates of each record, a row each; -1 and infinity: there are no more."""

    rows: Ints  # those that tie with the best by row, the others by score
    scores: Floats  # the less, the better
    n_best: Ints  # all that tie with the best
    work: int = 0  # cells compared


class ComparisonBlock(NamedTuple):
    """Records that have the same candidates."""

    records: Ints  # places among the records asked for
    candidates: Ints


class Finder(Protocol):
    """What an attack hands over: it answers when asked. Records and candidates are rows."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are compared."""

    @property
    def supervised(self) -> bool:
        """Whether it was made with the truth in hand."""

    @property
    def margins(self) -> Margins | None:
        """What scores are, so that one may be set against another; None: nothing to compare."""

    @property
    def details(self) -> dict[str, Any]:
        """How the attack came to its scores, in plain values; empty, if there is nothing to say."""

    def rank_of_truth(
        self, records: Ints, truth: Ints, stop_at: int | None, progress: Progress | None
    ) -> RankOfTruth:
        """Each record against a row of the other file."""

    def nearest(self, records: Ints, k: int, progress: Progress | None) -> RankedCandidates:
        """The best candidates of each record."""

    def comparison_blocks(self, records: Ints) -> list[ComparisonBlock]:
        """Which candidates each record is compared with."""

    def n_candidates(self, records: Ints) -> Ints:
        """How many they are."""

    def compares(self, records: Ints, candidates: Ints) -> Bools:
        """Whether each record is compared with a candidate."""

    def classes(self) -> Ints:
        """For each released row its class of rows that the attack cannot tell apart."""

    def log_totals(self, records: Ints) -> Floats | None:
        """The log of the sum of exp(-score) over each record's candidates, all of them.

        By it a score becomes the probability of a link; None where scores say nothing of that.
        """


@dataclass(frozen=True, repr=False, eq=False)
class Links:
    """Whom an attack takes each of the intruder's records for; each part made when asked for.

    Against the truth: `n_closer` and `n_tied`. Without it, or for margins: `best`, `score`,
    `n_best`, `second`. Rows are counted from 0.

    >>> import unveil
    >>> sample = unveil.households(200, seed=7)
    >>> release = unveil.mask(sample, [unveil.masks.RankSwapping(p=5)], seed=7)
    >>> unveil.attack(sample, release, unveil.attacks.Distance())
    Links(distance: 200 records, 200 candidates, truth known)
    """

    attack: Spec
    intruder: Intruder
    finder: Finder = field(repr=False)
    records: Ints  # the rows that are linked; in the reverse direction, of the release
    truth: Ints | None  # the row that each truly is, of the other file; -1: of none
    population: int  # the records that might be linked rightly, of which these may be a sample
    candidates: int  # the records of the other file
    positions: tuple[Ints, Ints]  # where records and candidates stand in their files
    order: CanonicalOrder = field(repr=False)
    attack_strangers: Callable[[Any], Links] = field(repr=False)  # the same attack on strangers
    seed: int = 0
    progress: Progress | None = None  # told how far a part has come, while it is made
    _samples: dict[int, Links] = field(default_factory=dict, init=False)

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        known = "truth not known" if self.truth is None else "truth known"
        size = f"{count(len(self), 'record')}, {count(self.candidates, 'candidate')}"
        return f"Links({self.name}: {size}, {known})"

    @property
    def name(self) -> str:
        """The attack's name."""
        return method_name(type(self.attack))

    @property
    def origin(self) -> Ints:
        """The row of the original, or of its own file, of each of the intruder's records."""
        return self.positions[1 if self.intruder.reverse else 0]

    @property
    def true_rows(self) -> Ints:
        """The truth, or an error that says how to give it."""
        if self.truth is None:
            raise DataError(
                "it is not known which released row is whose: links can be made, not counted; "
                "give truth=: an identifier that both files have, a row map, or 'row-order' "
                "where the rows of both stand in the same order"
            )
        return self.truth

    def rank_up_to(self, stop_at: int | None) -> RankOfTruth:
        """Each record against its true one, the closer ones counted up to `stop_at`."""
        return self.finder.rank_of_truth(self.records, self.true_rows, stop_at, self.progress)

    def nearest(self, k: int) -> RankedCandidates:
        """The k best candidates of each record."""
        return self.finder.nearest(self.records, k, self.progress)

    @cached_property
    def rank_of_truth(self) -> RankOfTruth:
        """Each record against its true one, as far as needed to say who is linked."""
        return self.rank_up_to(1)

    @cached_property
    def top_candidates(self) -> RankedCandidates:
        """The few best candidates of each record."""
        return self.nearest(N_TOP)

    @property
    def n_closer(self) -> Ints:
        """Candidates strictly closer than the true one: 0, or 1 for "at least one"."""
        return self.rank_of_truth.n_closer

    @property
    def n_tied(self) -> Ints:
        """Candidates that tie with the true one, itself left out; -1 where one is closer."""
        return self.rank_of_truth.n_tied

    @property
    def best(self) -> Ints:
        """The best candidate, the lowest row among ties; -1: there is none."""
        return self.top_candidates.rows[:, 0]

    @property
    def score(self) -> Floats:
        """What the best candidate scores: a distance, say."""
        return self.top_candidates.scores[:, 0]

    @property
    def n_best(self) -> Ints:
        """How many candidates tie for the best."""
        return self.top_candidates.n_best

    @property
    def second(self) -> Floats:
        """What the second best scores: as much as the best where these tie."""
        return self.top_candidates.scores[:, 1]

    def sample(self, n: int) -> Links:
        """The same attack on n of these records, drawn by the seed; all, if there are fewer.

        Ranks, scales and candidates stay those of the whole files. Who is drawn does not
        depend on the order of the rows.

        >>> import unveil
        >>> people = unveil.households(100)
        >>> unveil.attack(people, people, unveil.attacks.Distance()).sample(10)
        Links(distance: 10 records, 100 candidates, truth not known)
        """
        n = whole_number(n, "a sample", 1, MOST_RECORDS)
        if n >= len(self):
            return self
        if n not in self._samples:  # what it has found out is of use to several measures
            rng = stream(self.seed, "attack", "sample")
            chosen = sample_rows(self.order.records[self.records], n, rng)
            truth = None if self.truth is None else self.truth[chosen]
            some = replace(self, records=self.records[chosen], truth=truth)
            if "rank_of_truth" in vars(self):  # what is known need not be asked again
                known = self.rank_of_truth.take(chosen)
                object.__setattr__(some, "rank_of_truth", known)
            self._samples[n] = some
        return self._samples[n]

    def on(self, people: Any) -> Links:
        """The same attack on people who are not in the release: ranks and scales stay.

        The people are a path, a frame or Microdata.

        >>> import unveil
        >>> people = unveil.households(100)
        >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
        >>> links.on(unveil.households(20, seed=1))
        Links(distance: 20 records, 100 candidates, truth known)
        """
        if not self.finder.columns:
            raise UsageError(
                f"{self.name}: this attack compares no attributes, so nothing can be said of "
                "people who are not in the release"
            )
        return self.attack_strangers(people)

    def pairs(self, k: int = 2) -> pl.DataFrame:
        """The k best candidates of each record, as the table of pairs that splink writes.

        And all that tie with the best, up to a thousand. Left is the original, right the
        release, by row numbers from 1. The weight is the score, its sign turned: the more, the
        better. A distance is no probability, so there is none; of likelihoods it is that of
        the link among all that the record may have. `n_best` says how many tie.

        >>> import unveil
        >>> people = unveil.households(100)
        >>> unveil.attack(people, people, unveil.attacks.Distance()).pairs().columns
        ['unique_id_l', 'unique_id_r', 'match_weight', 'match_probability', 'n_best']
        """
        return pair_table(self, k)
