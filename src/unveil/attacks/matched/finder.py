"""The finder of an attack that links all records at once, by a matching."""

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
from unveil.values.file_pair import CanonicalOrder
from unveil.values.links import ComparisonBlock, Finder, Margins
from unveil.values.search_results import Neighbours, RankOfTruth

TIE = 1e-9  # relative: probabilities nearer than this are equal
NO_PAIR = -1  # a key


@dataclass(frozen=True, repr=False, eq=False)
class RankedMatches:
    """The pairs of each record class, the most probable first.

    The last entry is no pair: index -1 refers to it.
    """

    starts: Ints
    columns: Ints
    chance: Floats
    n_closer: Ints  # candidates that are more probable
    n_tied: Ints  # other candidates that are as probable
    n_before: Ints  # candidates of all pairs before this one
    keys: Ints  # ascending
    place: Ints  # of the pair of each key

    @classmethod
    def of(cls, matches: MatchProbabilities, rows: int, candidates: RecordClasses) -> RankedMatches:
        """Sort the pairs; among ties the one with the lowest row comes first."""
        order = np.lexsort((-matches.chance, matches.rows))
        row, chance = matches.rows[order], matches.chance[order]
        new = np.ones(len(row) + 1, np.bool_)
        new[1:-1] = (row[1:] != row[:-1]) | (chance[1:] < chance[:-1] * (1 - TIE))
        begins, run = np.flatnonzero(new), np.cumsum(new[:-1]) - 1
        order = order[np.lexsort((candidates.first[matches.columns[order]], run))]
        columns = matches.columns[order]
        starts = np.searchsorted(row, np.arange(rows + 1))
        n_before = np.append(0, np.cumsum(candidates.size[columns]))
        keys = pair_keys(row, columns, len(candidates.first))
        place = np.argsort(keys)
        return cls(
            starts,
            np.append(columns, 0),
            np.append(matches.chance[order], 0.0),
            np.append(n_before[begins[run]] - n_before[starts[row]], 0),
            np.append(n_before[begins[run + 1]] - n_before[begins[run]] - 1, 0),
            n_before,
            np.append(keys[place], NO_PAIR),
            np.append(place, -1),
        )

    def find(self, keys: Ints) -> Ints:
        """The place of each pair; -1 if it is not there."""
        at = np.searchsorted(self.keys[:-1], keys)
        return np.where(self.keys[at] == keys, self.place[at], -1)

    def n_candidates(self, rows: Ints) -> Ints:
        """The number of candidates in the pairs of each row."""
        return self.n_before[self.starts[rows + 1]] - self.n_before[self.starts[rows]]


@dataclass(frozen=True, repr=False, eq=False)
class MatchedFinder:
    """An attack whose records are linked by a matching of all of them (a `Finder`)."""

    base: Comparer
    order: CanonicalOrder
    solve: Callable[[ClassPairs], MatchProbabilities]
    decides: bool  # the result is a matching itself, not the probabilities of pairs
    margins: Margins | None = "likelihood"

    @property
    def columns(self) -> tuple[str, ...]:
        return self.base.columns

    @property
    def supervised(self) -> bool:
        return self.base.supervised

    @property
    def details(self) -> dict[str, Any]:
        """The details of the attack and of the matching."""
        return self.base.details | self._matches.details

    @property
    def engine(self) -> str | None:
        return self.base.engine

    @cached_property
    def pairs(self) -> ClassPairs:
        """The classes of equal records and candidates."""
        return ClassPairs(self.base, self.order)

    @cached_property
    def _matches(self) -> MatchProbabilities:
        return self.solve(self.pairs)

    @cached_property
    def table(self) -> RankedMatches:
        """The matched pairs by record class."""
        return RankedMatches.of(self._matches, self.pairs.shape[0], self.pairs.candidates)

    def rank_of_truth(
        self, records: Ints, truth: Ints, stop_at: int | None, progress: Progress | None
    ) -> RankOfTruth:
        """The rank of the true row of each record; pairs never matched come last."""
        del progress
        pairs, table = self.pairs, self.table
        there = (truth >= 0) & self.compares(records, np.maximum(truth, 0))
        rows, columns = pairs.records.of[records], pairs.candidates.of[np.maximum(truth, 0)]
        at = table.find(pair_keys(rows, columns, pairs.shape[1]))
        # An unlisted row comes after the listed ones; after all rows, if a matching decides.
        n_listed = (
            np.full(len(rows), self.base.sizes[1]) if self.decides else table.n_candidates(rows)
        )
        closer = np.where(at < 0, np.maximum(n_listed, 1), table.n_closer[at])
        tied = table.n_tied[at]
        if stop_at is not None:
            tied = np.where(closer < stop_at, tied, -1)
            closer = np.minimum(closer, stop_at)
        chance = np.where(there, table.chance[at], 0.0) if self.decides else None
        return RankOfTruth(np.where(there, closer, -1), np.where(there, tied, -1), chance)

    def nearest(self, records: Ints, k: int, progress: Progress | None) -> Neighbours:
        del progress
        table, classes = self.table, self.pairs.candidates
        rows = self.pairs.records.of[records]
        start, n_listed = table.starts[rows], table.n_candidates(rows)
        place = table.n_before[start][:, None] + np.arange(k)  # among the candidates of all pairs
        there = np.arange(k) < n_listed[:, None]
        pair = np.where(there, np.searchsorted(table.n_before, place, "right") - 1, -1)
        within = np.where(there, place - table.n_before[pair], 0)
        member = classes.members[classes.starts[table.columns[pair]] + within]
        with np.errstate(divide="ignore"):
            scores = np.abs(np.log(np.where(there, table.chance[pair], 0.0)))
        n_best = np.where(n_listed > 0, table.n_tied[start] + 1, 0)
        return Neighbours(np.where(there, member, -1), scores, n_best)

    def log_totals(self, records: Ints) -> Floats | None:
        """0, since scores are log-probabilities; None for a single matching and for a guess."""
        return None if self.margins is None else np.zeros(len(records))

    def distribution(self, records: Ints) -> tuple[Ints, Ints, Floats]:
        """For each record the rows that it may be matched with, and their probabilities."""
        table, classes = self.table, self.pairs.candidates
        rows = self.pairs.records.of[records]
        pairs = _ranges(table.starts[rows], np.diff(table.starts)[rows])
        sizes = classes.size[table.columns[pairs]]
        members = classes.members[_ranges(classes.starts[table.columns[pairs]], sizes)]
        ends = np.cumsum(table.n_candidates(rows))
        return np.append(0, ends), members, np.repeat(table.chance[pairs], sizes)

    def comparison_blocks(self, records: Ints) -> list[ComparisonBlock]:
        return self.base.comparison_blocks(records)

    def n_candidates(self, records: Ints) -> Ints:
        return self.base.n_candidates(records)

    def compares(self, records: Ints, candidates: Ints) -> Bools:
        return self.base.compares(records, candidates)

    def classes(self) -> Ints:
        return self.base.classes()


def matched(finder: Finder, matching: Matching, order: CanonicalOrder, seed: int) -> Finder:
    """The finder that links records by this matching."""
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
