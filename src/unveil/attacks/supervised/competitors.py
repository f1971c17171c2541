"""Competitors: the candidates that a true one must be nearer than, as linear constraints.

Where all pairs can be compared, these are the candidates that no other one dominates. Otherwise
the exact search finds them: the candidates that are as near as the true one by the parameters at
hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from unveil.attacks.supervised.constraints import LinkageConstraints
from unveil.attacks.supervised.families import Family, TrainingFiles
from unveil.attacks.supervised.skyline import NEARER, Skyline
from unveil.errors import DataError
from unveil.support import work
from unveil.support.arrays import Bools, Floats, Ints

MAX_PAIRS = 30_000_000  # up to which all pairs are compared
MAX_ROWS = 2_000_000  # undominated competitors that are kept
PILOT_RECORDS = 50  # from which the number of undominated competitors is estimated
NEAREST_COMPETITORS = 8  # of each record, added by a search


@dataclass(frozen=True, repr=False, eq=False)
class LinkageTargets:
    """Records and their true candidates, sorted by their cells.

    Identical candidates are one: the first of their class represents them.
    """

    training: TrainingFiles
    records: Ints
    partners: Ints  # the true candidate of each record
    truth: Ints  # the representative of the true candidate
    n_identical: Ints  # candidates identical to the true one, and this one
    record_class: Ints  # the class of identical records
    representative: Ints  # of each candidate
    class_size: Ints  # of each candidate
    strict: bool  # whether a record whose true candidate has twins counts nothing, or its share
    skyline_seconds: float | None  # estimated seconds that finding all competitors may take

    @classmethod
    def between(
        cls, training: TrainingFiles, truth: Ints, *, strict: bool, seconds: float | None = None
    ) -> LinkageTargets:
        """The targets of two files, given the released row of each person, -1 for none."""
        known = np.flatnonzero(truth >= 0)
        records, partners = training.files.queries_first(known, truth[known])
        search = training.search(training.metric)
        compared = search.compares(records, partners)
        records, partners = records[compared], partners[compared]
        if not len(records):
            raise DataError("supervised: no record can be compared with its true row")
        queries, base = (side.cells() for side in training.sides)
        order = np.lexsort(np.hstack([base[partners], queries[records]]).T)
        records, partners = records[order], partners[order]
        record_classes, classes = search.equal_rows()
        representative = classes.firsts[classes.of_record()]
        class_size = np.diff(classes.starts)[classes.of_record()]
        return cls(
            training=training,
            records=records,
            partners=partners,
            truth=representative[partners],
            n_identical=class_size[partners],
            record_class=record_classes.of_record()[records],
            representative=representative,
            class_size=class_size,
            strict=strict,
            skyline_seconds=seconds,
        )

    def __len__(self) -> int:
        return len(self.records)

    def subset(self, rows: Ints) -> LinkageTargets:
        """Some of the targets; known competitors are kept."""
        per_record = ("records", "partners", "truth", "n_identical", "record_class")
        subset = replace(self, **{name: getattr(self, name)[rows] for name in per_record})
        if "skyline" in vars(self):
            known = None if self.skyline is None else self.skyline.subset(rows)
            object.__setattr__(subset, "skyline", known)
        return subset

    def hit_value(self, twins: Ints) -> Floats:
        """The expected hit of each record if it is linked and its truth has so many twins."""
        shares: Floats = 1 / (self.n_identical + twins)
        return (shares == 1).astype(np.float64) if self.strict else shares

    @cached_property
    def _truth_class(self) -> Ints:
        """The truth of each record by its costs: twins cost the same, up to rounding."""
        costs = self.training.competition.costs(self.records, self.truth)
        with np.errstate(divide="ignore"):
            size = 10.0 ** (np.floor(np.log10(costs)) - 6)
        rounded = np.where(costs > 0, np.rint(costs / np.where(costs > 0, size, 1.0)) * size, 0.0)
        return np.unique(rounded, axis=0, return_inverse=True)[1].ravel()

    def max_hits(self, hit_value: Floats) -> float:
        """The most hits of any parameters: identical records are linked with one truth only."""
        classes = np.stack([self.record_class, self._truth_class])
        pairs, of = np.unique(classes, axis=1, return_inverse=True)
        by_truth = np.bincount(of.ravel(), hit_value)
        _, starts = np.unique(pairs[0], return_index=True)
        return float(np.sort(np.maximum.reduceat(by_truth, starts)).sum())

    def conflicting_pairs(self) -> Iterator[tuple[int, int]]:
        """Pairs of identical records with different truths: not both can be linked."""
        truth = self._truth_class
        order = np.lexsort((truth, self.record_class))
        ends = np.flatnonzero(np.diff(self.record_class[order])) + 1
        for identical in np.split(order, ends):
            for one, other in combinations(identical.tolist(), 2):
                if truth[one] != truth[other]:
                    yield (min(one, other), max(one, other))

    @cached_property
    def skyline(self) -> Skyline | None:
        """The competitors that no other candidate dominates; None where they are too many."""
        n, candidates = len(self), len(self.representative)
        if n * candidates > MAX_PAIRS:
            return None
        pilot = np.linspace(0, n - 1, min(PILOT_RECORDS, n)).astype(np.int64)
        skyline = self._skyline(pilot)
        rows = len(skyline.rows) * n / len(pilot)
        seconds = work.DOMINANCE_SECONDS * (rows + n) * candidates
        too_long = self.skyline_seconds is not None and seconds > self.skyline_seconds
        if too_long or rows > MAX_ROWS:
            return None
        return skyline if len(pilot) == n else self._skyline(np.arange(n))

    def _skyline(self, targets: Ints) -> Skyline:
        records, files = self.records[targets], self.training.files
        candidates: list[Ints] = [np.unique(self.representative)] * len(targets)
        if files.blocks.columns:
            search = self.training.search(self.training.metric)
            for block in search.comparison_blocks(records):
                rows = np.unique(self.representative[block.candidates])
                for place in block.records.tolist():
                    candidates[place] = rows
        competition = self.training.competition
        return competition.skyline(records, self.truth[targets], candidates, self.class_size)


class Competitors:
    """The constraints of some targets: those known so far, or all that matter."""

    def __init__(self, targets: LinkageTargets, family: Family) -> None:
        self.targets, self.family = targets, family
        self.used_seconds = 0.0  # estimated, of all counts
        # A matrix tells differences apart by sign: for it, no candidate dominates another.
        n, skyline = len(targets), targets.skyline if family.monotone else None
        self.complete = skyline is not None
        self.twins, linkable = np.zeros(n, np.int64), np.ones(n, np.bool_)
        starts, competitors = np.zeros(n + 1, np.int64), np.zeros(0, np.int64)
        if skyline is not None:
            starts, competitors = skyline.starts, skyline.rows
            self.twins, linkable = skyline.twins, ~skyline.dominated
        owners = np.repeat(np.arange(n), np.diff(starts))
        rows = family.rows(targets.records[owners], targets.truth[owners], competitors)
        self.constraints = LinkageConstraints(
            index=rows.index,
            value=rows.value,
            starts=starts,
            competitors=competitors,
            hit_value=targets.hit_value(self.twins),
            linkable=linkable,
        )
        self._known = np.concatenate(
            [self._pairs(np.arange(n), targets.truth), self._pairs(owners, competitors)]
        )
        if targets.strict:
            self._exclude(self.constraints.hit_value == 0)

    def _pairs(self, owners: Ints, candidates: Ints) -> Ints:
        """Each pair as one number."""
        return owners * len(self.targets.representative) + candidates

    def _exclude(self, lost: Bools) -> None:
        self.constraints = replace(self.constraints, linkable=self.constraints.linkable & ~lost)

    def count_hits(self, point: Floats) -> float:
        """The hits of these parameters among all candidates; new competitors become rows."""
        self.used_seconds += work.COEFFICIENT_SECONDS * self.constraints.index.size
        if self.complete:
            return self.constraints.hits(point)
        targets, search = self.targets, self.family.search(point)
        nearest = search.nearest(targets.records, NEAREST_COMPETITORS, None)
        rows = nearest.rows
        owners = np.repeat(np.arange(len(targets)), NEAREST_COMPETITORS)[rows.ravel() >= 0]
        self._add(owners, targets.representative[rows[rows >= 0]])
        ranks = search.rank_of_truth(targets.records, targets.truth, 1, None)
        cells, known = nearest.work + ranks.work, len(self._known)
        self.used_seconds += work.CELL_SECONDS * cells + work.COMPETITOR_SECONDS * known
        inseparable = self.twins + targets.n_identical - 1
        linked = (ranks.n_closer == 0) & (ranks.n_tied == inseparable) & self.constraints.linkable
        return float(self.constraints.hit_value[linked].sum())

    def _add(self, owners: Ints, competitors: Ints) -> None:
        """Add unknown competitors; a record whose truth is dominated by one cannot be linked."""
        new = np.setdiff1d(self._pairs(owners, competitors), self._known)
        if not len(new):
            return
        self._known = np.union1d(self._known, new)
        owners, competitors = np.divmod(new, len(self.targets.representative))
        records, truth = self.targets.records[owners], self.targets.truth[owners]
        if self.family.monotone:
            costs = self.targets.training.competition.costs
            true, other = costs(records, truth), costs(records, competitors)
        else:
            true = self.family.features(records, truth).value
            other = self.family.features(records, competitors).value
        matter = ~self._count_twins(owners, competitors, true, other)
        if self.family.monotone:
            lost = np.zeros(len(self.targets), np.bool_)
            lost[owners[(NEARER * other <= true).all(axis=1) & matter]] = True
            self._exclude(lost)
            matter &= ~(NEARER * other > true).all(axis=1)
        if matter.any():
            competitors = competitors[matter]
            rows = self.family.rows(records[matter], truth[matter], competitors)
            self.constraints = self.constraints.extend(owners[matter], competitors, rows)

    def _count_twins(self, owners: Ints, competitors: Ints, true: Floats, other: Floats) -> Bools:
        """Which competitors no parameters tell apart from the true one; they share its hit."""
        tolerance = np.maximum(np.abs(true), np.abs(other)) * (1 - NEARER)
        twins: Bools = np.all(np.abs(true - other) <= tolerance, axis=1)
        if twins.any():
            sizes = self.targets.class_size[competitors[twins]]
            counts = np.bincount(owners[twins], sizes, len(self.twins)).astype(int)
            self.twins = self.twins + counts
            hit_value = self.targets.hit_value(self.twins)
            self.constraints = replace(self.constraints, hit_value=hit_value)
            if self.targets.strict:
                self._exclude(hit_value == 0)
        return twins
