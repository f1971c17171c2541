"""Finders over another finder: of an attack that links all records at once, by a matching."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, cast

import numpy as np

from unveil.attacks.base import Matching
from unveil.attacks.matched.calibration import Calibration, Simulation
from unveil.attacks.matched.comparer import ClassPairs, Comparer
from unveil.attacks.matched.matches import Matches, Ranking
from unveil.attacks.matched.one_to_one import cheapest_matching
from unveil.attacks.matched.posterior import posterior
from unveil.support.arrays import Bools, Floats, Ints, consecutive
from unveil.support.options import Progress
from unveil.values.file_pair import CanonicalOrder
from unveil.values.links import ComparisonBlock, Finder, Margins
from unveil.values.pair_decisions import PairDecider
from unveil.values.search_results import Neighbours, RankOfTruth


class FinderOver:
    """A finder that answers as its base does, unless it says otherwise (a `Finder`)."""

    base: Finder

    @property
    def columns(self) -> tuple[str, ...]:
        return self.base.columns

    @property
    def supervised(self) -> bool:
        return self.base.supervised

    @property
    def margins(self) -> Margins | None:
        return self.base.margins

    @property
    def details(self) -> dict[str, Any]:
        return self.base.details

    @property
    def engine(self) -> str | None:
        return self.base.engine

    @property
    def pair_decisions(self) -> PairDecider | None:
        """The decisions of the attack on pairs; None if it makes none."""
        return getattr(self.base, "pair_decisions", None)

    def rank_of_truth(
        self, records: Ints, truth: Ints, stop_at: int | None, progress: Progress | None
    ) -> RankOfTruth:
        return self.base.rank_of_truth(records, truth, stop_at, progress)

    def nearest(self, records: Ints, k: int, progress: Progress | None) -> Neighbours:
        return self.base.nearest(records, k, progress)

    def log_totals(self, records: Ints) -> Floats | None:
        return self.base.log_totals(records)

    def comparison_blocks(self, records: Ints) -> list[ComparisonBlock]:
        return self.base.comparison_blocks(records)

    def n_candidates(self, records: Ints) -> Ints:
        return self.base.n_candidates(records)

    def compares(self, records: Ints, candidates: Ints) -> Bools:
        return self.base.compares(records, candidates)

    def classes(self) -> Ints:
        return self.base.classes()


@dataclass(frozen=True, repr=False, eq=False)
class MatchedFinder(FinderOver):
    """An attack whose records are linked by a matching of all of them (a `Finder`)."""

    base: Comparer
    order: CanonicalOrder
    solve: Callable[[ClassPairs], Matches]
    decides: bool  # the result is a matching itself, not the probabilities of pairs
    margins: Margins | None = "likelihood"
    simulation: Simulation | None = None  # of the same attack, by which links are calibrated

    @property
    def details(self) -> dict[str, Any]:
        """The details of the attack and of the matching."""
        curve = {} if self.decides else {"calibrated": False}
        if self.calibration is not None:
            curve = self.calibration.as_dict()
        return self.base.details | self._matches.details | curve

    @cached_property
    def calibration(self) -> Calibration | None:
        """The calibration of claimed probabilities; None if it is not known."""
        return None if self.simulation is None else self.simulation.calibration(self.base.sizes)

    @cached_property
    def pairs(self) -> ClassPairs:
        """The classes of equal records and candidates."""
        return ClassPairs(self.base, self.order)

    @cached_property
    def _matches(self) -> Matches:
        return self.solve(self.pairs)

    @cached_property
    def ranking(self) -> Ranking:
        """The candidates of each record class by rank."""
        return self._matches.ranked(self.pairs.shape[0], self.pairs.candidates)

    def rank_of_truth(
        self, records: Ints, truth: Ints, stop_at: int | None, progress: Progress | None
    ) -> RankOfTruth:
        """The rank of the true row of each record; pairs never matched come last."""
        del progress
        pairs = self.pairs
        there = (truth >= 0) & self.compares(records, np.maximum(truth, 0))
        rows, columns = pairs.records.of[records], pairs.candidates.of[np.maximum(truth, 0)]
        closer, tied, chance = self.ranking.ranks(rows, columns)
        if self.decides:  # a row that is not matched comes after all rows
            closer = np.where(chance > 0, closer, max(self.base.sizes[1], 1))
        if stop_at is not None:
            tied = np.where(closer < stop_at, tied, -1)
            closer = np.minimum(closer, stop_at)
        decided = np.where(there, chance, 0.0) if self.decides else None
        return RankOfTruth(np.where(there, closer, -1), np.where(there, tied, -1), decided)

    def nearest(self, records: Ints, k: int, progress: Progress | None) -> Neighbours:
        del progress
        classes = self.pairs.candidates
        table, rows = self.ranking.best(self.pairs.records.of[records], k)
        start, n_listed = table.starts[rows], table.n_candidates(rows)
        place = table.n_before[start][:, None] + np.arange(k)  # among the candidates of all pairs
        there = np.arange(k) < n_listed[:, None]
        pair = np.where(there, np.searchsorted(table.n_before, place, "right") - 1, -1)
        within = np.where(there, place - table.n_before[pair], 0)
        member = classes.members[classes.starts[table.columns[pair]] + within]
        chance = np.where(there, table.chance[pair], 0.0)
        n_best = np.where(n_listed > 0, table.n_tied[start] + 1, 0)
        if self.calibration is not None:
            best = np.where(n_listed > 0, table.chance[start], 0.0)[:, None]
            chance = self.calibration.among_candidates(chance, best, n_best[:, None])
        with np.errstate(divide="ignore"):
            scores = np.abs(np.log(chance))
        return Neighbours(np.where(there, member, -1), scores, n_best)

    def log_totals(self, records: Ints) -> Floats | None:
        """0, since scores are log-probabilities; None for a single matching and for a guess."""
        return None if self.margins is None else np.zeros(len(records))

    def distribution(self, records: Ints) -> tuple[Ints, Ints, Floats]:
        """For each record the rows that it may be matched with, and their probabilities.

        Of a matrix in 32 bits, those below a millionth are left out.
        """
        classes = self.pairs.candidates
        table, rows = self.ranking.listed(self.pairs.records.of[records])
        pairs = consecutive(table.starts[rows], np.diff(table.starts)[rows])
        sizes = classes.size[table.columns[pairs]]
        members = classes.members[consecutive(classes.starts[table.columns[pairs]], sizes)]
        ends, chance = np.cumsum(table.n_candidates(rows)), table.chance[pairs]
        if self.calibration is not None:
            first = np.repeat(table.starts[rows], np.diff(table.starts)[rows])
            best, n_best = table.chance[first], table.n_tied[first] + 1
            chance = self.calibration.among_candidates(chance, best, n_best)
        return np.append(0, ends), members, np.repeat(chance, sizes)


def matched(
    finder: Finder,
    matching: Matching,
    order: CanonicalOrder,
    seed: int,
    simulation: Simulation | None = None,
    *,
    roots: bool = False,
) -> Finder:
    """The finder that links records by this matching; a posterior is calibrated by simulation.

    With `roots`, a one-to-one matching adds up the roots of costs.
    """
    if matching == "nearest":
        return finder
    comparer = cast("Comparer", finder)
    if matching == "posterior":
        model = comparer.posterior_model
        solve = posterior if model is None else model.posterior
        margins: Margins | None = None if comparer.guess else "likelihood"
        simulation = simulation if model is None else None
        return MatchedFinder(
            comparer, order, solve, decides=False, margins=margins, simulation=simulation
        )
    solve = partial(cheapest_matching, seed=seed, roots=roots)
    return MatchedFinder(comparer, order, solve, decides=True, margins=None)
