"""The finder of an attack whose records are matched with each other in mind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, cast

import numpy as np

from unveil.attacks.base import Matching
from unveil.attacks.matched.comparer import (
    ClassPairs,
    Comparer,
    MatchProbabilities,
    RecordClasses,
    pair_keys,
)
from unveil.attacks.matched.one_to_one import cheapest_matching
from unveil.attacks.matched.posterior import posterior
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.options import Progress
from unveil.table.row_identity import CanonicalOrder
from unveil.values.links import ComparisonBlock, Finder, Margins, RankedCandidates, RankOfTruth

TIE = 1e-9  # relative: probabilities nearer than this are equal
NOBODY = -1  # the key of no pair


@dataclass(frozen=True, repr=False, eq=False)
class RankedMatches:
    """The outcome by record, the likeliest first, and how each pair stands among those.

    At the end stands a pair of nobody, which place -1 finds.
    """

    starts: Ints
    columns: Ints
    chance: Floats
    closer: Ints  # candidates that are likelier
    tied: Ints  # that are as likely, one of them left out
    upto: Ints  # candidates of the pairs before this one
    keys: Ints  # pairs as numbers, ascending
    place: Ints  # where the pair of each key is

    @classmethod
    def of(
        cls, outcome: MatchProbabilities, records: int, candidates: RecordClasses
    ) -> RankedMatches:
        """Put an outcome in order; of those as likely the one with the lowest row comes first."""
        order = np.lexsort((-outcome.chance, outcome.rows))
        rows, chance = outcome.rows[order], outcome.chance[order]
        new = np.ones(len(rows) + 1, np.bool_)
        new[1:-1] = (rows[1:] != rows[:-1]) | (chance[1:] < chance[:-1] * (1 - TIE))
        begins, runs = np.flatnonzero(new), np.cumsum(new[:-1]) - 1
        order = order[np.lexsort((candidates.first[outcome.columns[order]], runs))]
        columns = outcome.columns[order]
        starts = np.searchsorted(rows, np.arange(records + 1))
        upto = np.append(0, np.cumsum(candidates.size[columns]))
        keys = pair_keys(rows, columns, len(candidates.first))
        place = np.argsort(keys)
        return cls(
            starts,
            np.append(columns, 0),
            np.append(outcome.chance[order], 0.0),
            np.append(upto[begins[runs]] - upto[starts[rows]], 0),
            np.append(upto[begins[runs + 1]] - upto[begins[runs]] - 1, 0),
            upto,
            np.append(keys[place], NOBODY),
            np.append(place, -1),
        )

    def find(self, keys: Ints) -> Ints:
        """Where pairs are; -1: not in the table."""
        at = np.searchsorted(self.keys[:-1], keys)
        return np.where(self.keys[at] == keys, self.place[at], -1)

    def listed(self, rows: Ints) -> Ints:
        """How many candidates the pairs of each row are of."""
        return self.upto[self.starts[rows + 1]] - self.upto[self.starts[rows]]


@dataclass(frozen=True, repr=False, eq=False)
class MatchedFinder:
    """An attack whose records do not choose for themselves."""

    base: Comparer
    order: CanonicalOrder  # of what rows hold
    solve: Callable[[ClassPairs], MatchProbabilities]
    decides: bool  # whether the outcome is the matching itself, not how likely each pair is
    margins: Margins | None = "likelihood"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are compared."""
        return self.base.columns

    @property
    def supervised(self) -> bool:
        """Whether it was made with the truth in hand."""
        return self.base.supervised

    @property
    def details(self) -> dict[str, Any]:
        """What the attack and its matching found out."""
        return self.base.details | self._outcome.details

    @cached_property
    def pairing(self) -> ClassPairs:
        """The classes of records and candidates."""
        return ClassPairs(self.base, self.order)

    @cached_property
    def _outcome(self) -> MatchProbabilities:
        return self.solve(self.pairing)

    @cached_property
    def table(self) -> RankedMatches:
        """How likely each pair is."""
        return RankedMatches.of(self._outcome, self.pairing.shape[0], self.pairing.candidates)

    def rank_of_truth(
        self, records: Ints, truth: Ints, stop_at: int | None, progress: Progress | None
    ) -> RankOfTruth:
        """Each record against a row of the other file; one that was never matched is farther."""
        del progress
        pairing, table = self.pairing, self.table
        there = (truth >= 0) & self.compares(records, np.maximum(truth, 0))
        rows, columns = pairing.records.of[records], pairing.candidates.of[np.maximum(truth, 0)]
        at = table.find(pair_keys(rows, columns, pairing.shape[1]))
        # One that is not listed is farther than those that are; than any, where that is decided.
        last = np.full(len(rows), self.base.sizes[1]) if self.decides else table.listed(rows)
        closer = np.where(at < 0, np.maximum(last, 1), table.closer[at])
        tied = table.tied[at]
        if stop_at is not None:
            tied = np.where(closer < stop_at, tied, -1)
            closer = np.minimum(closer, stop_at)
        chance = np.where(there, table.chance[at], 0.0) if self.decides else None
        return RankOfTruth(np.where(there, closer, -1), np.where(there, tied, -1), chance)

    def nearest(self, records: Ints, k: int, progress: Progress | None) -> RankedCandidates:
        """The likeliest candidates of each record."""
        del progress
        table, classes = self.table, self.pairing.candidates
        rows = self.pairing.records.of[records]
        start, many = table.starts[rows], table.listed(rows)
        place = table.upto[start][:, None] + np.arange(k)  # among the candidates of all pairs
        there = np.arange(k) < many[:, None]
        pair = np.where(there, np.searchsorted(table.upto, place, "right") - 1, -1)
        member = classes.starts[table.columns[pair]] + np.where(there, place - table.upto[pair], 0)
        with np.errstate(divide="ignore"):
            scores = np.abs(np.log(np.where(there, table.chance[pair], 0.0)))
        best = np.where(many > 0, table.tied[start] + 1, 0)
        return RankedCandidates(np.where(there, classes.members[member], -1), scores, best)

    def log_totals(self, records: Ints) -> Floats | None:
        """Scores are minus the log of probabilities; a matching does not say how likely it is.

        Nor does a guess, whatever probabilities it is made of.
        """
        return None if self.margins is None else np.zeros(len(records))

    def distribution(self, records: Ints) -> tuple[Ints, Ints, Floats]:
        """For each record the rows that it may be matched with, and how likely."""
        table, classes = self.table, self.pairing.candidates
        rows = self.pairing.records.of[records]
        pairs = _ranges(table.starts[rows], np.diff(table.starts)[rows])
        sizes = classes.size[table.columns[pairs]]
        members = classes.members[_ranges(classes.starts[table.columns[pairs]], sizes)]
        ends = np.cumsum(table.listed(rows))
        return np.append(0, ends), members, np.repeat(table.chance[pairs], sizes)

    def comparison_blocks(self, records: Ints) -> list[ComparisonBlock]:
        """Which candidates each record is compared with."""
        return self.base.comparison_blocks(records)

    def n_candidates(self, records: Ints) -> Ints:
        """How many they are."""
        return self.base.n_candidates(records)

    def compares(self, records: Ints, candidates: Ints) -> Bools:
        """Whether each record is compared with a candidate."""
        return self.base.compares(records, candidates)

    def classes(self) -> Ints:
        """For each released row its class of rows that the attack cannot tell apart."""
        return self.base.classes()


def matched(finder: Finder, matching: Matching, order: CanonicalOrder, seed: int) -> Finder:
    """The finder whose records are linked in this way."""
    if matching == "nearest":
        return finder
    comparer = cast("Comparer", finder)
    if matching == "posterior":
        model = comparer.posterior_model
        solve = posterior if model is None else model.posterior
        margins: Margins | None = None if comparer.guess else "likelihood"
        return MatchedFinder(comparer, order, solve, decides=False, margins=margins)
    solve = partial(cheapest_matching, seed=seed)
    return MatchedFinder(comparer, order, solve, decides=True, margins=None)


def _ranges(starts: Ints, sizes: Ints) -> Ints:
    """The numbers start, start + 1, ... of each range, one range after another."""
    before: Ints = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes)
