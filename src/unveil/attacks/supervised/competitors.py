"""Competitors: the candidates that a true one must be nearer than, as linear constraints.

Where all pairs can be compared, these are the candidates that no other one dominates. Otherwise
the exact search finds them: the candidates that are as near as the true one by the parameters at
hand.
"""

from dataclasses import replace

import numpy as np

from unveil.attacks.supervised.constraints import LinkageConstraints
from unveil.attacks.supervised.families import Family
from unveil.attacks.supervised.skyline import NEARER
from unveil.attacks.supervised.targets import LinkageTargets
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.work import CELL_SECONDS, COEFFICIENT_SECONDS, COMPETITOR_SECONDS

NEAREST_COMPETITORS = 8  # of each record, added by a search


class Competitors:
    """The constraints of some targets: those known so far, or all that matter."""

    def __init__(self, targets: LinkageTargets, family: Family) -> None:
        self.targets, self.family = targets, family
        self.used_seconds = 0.0  # estimated, of all counts
        skyline = targets.skyline
        self.complete = family.monotone and skyline is not None
        self.twins = np.zeros(len(targets), np.int64)
        if skyline is not None and family.monotone:  # a matrix tells differences apart by sign
            self.twins = skyline.twins
        self.constraints = LinkageConstraints(
            index=np.zeros((0, family.row_width), np.int32),
            value=np.zeros((0, family.row_width)),
            starts=np.zeros(len(targets) + 1, np.int64),
            competitors=np.zeros(0, np.int64),
            hit_value=targets.hit_value(self.twins),
            linkable=np.ones(len(targets), np.bool_),
        )
        n = len(targets.representative)  # a known pair is one number
        self._known = np.arange(len(targets)) * n + targets.truth
        if skyline is not None:
            owners = np.repeat(np.arange(len(targets)), np.diff(skyline.starts))
            self._add_rows(owners, skyline.rows)
            self._known = np.concatenate([self._known, owners * n + skyline.rows])
            if family.monotone:
                self._exclude(skyline.dominated)
        if targets.strict:
            self._exclude(self.constraints.hit_value == 0)

    def _exclude(self, lost: Bools) -> None:
        self.constraints = replace(self.constraints, linkable=self.constraints.linkable & ~lost)

    def _add_rows(self, owners: Ints, competitors: Ints) -> None:
        records, truth = self.targets.records[owners], self.targets.truth[owners]
        rows = self.family.rows(records, truth, competitors)
        self.constraints = self.constraints.extend(owners, competitors, rows)

    def count_hits(self, point: Floats) -> float:
        """The hits of these parameters among all candidates; new competitors become rows."""
        self.used_seconds += COEFFICIENT_SECONDS * self.constraints.index.size
        if self.complete:
            return self.constraints.hits(point)
        targets, search = self.targets, self.family.search(point)
        nearest = search.nearest(targets.records, NEAREST_COMPETITORS, None)
        rows = nearest.rows
        owners = np.repeat(np.arange(len(targets)), NEAREST_COMPETITORS)[rows.ravel() >= 0]
        self._add(owners, targets.representative[rows[rows >= 0]])
        ranks = search.rank_of_truth(targets.records, targets.truth, 1, None)
        cells, known = nearest.work + ranks.work, len(self._known)
        self.used_seconds += CELL_SECONDS * cells + COMPETITOR_SECONDS * known
        inseparable = self.twins + targets.n_identical - 1
        linked = (ranks.n_closer == 0) & (ranks.n_tied == inseparable) & self.constraints.linkable
        return float(self.constraints.hit_value[linked].sum())

    def _add(self, owners: Ints, competitors: Ints) -> None:
        """Add unknown competitors; a record whose truth is dominated by one cannot be linked."""
        n = len(self.targets.representative)
        new = np.setdiff1d(owners * n + competitors, self._known)
        if not len(new):
            return
        self._known = np.union1d(self._known, new)
        owners, competitors = np.divmod(new, n)
        true, other = self._costs(owners, competitors)
        matter = ~self._count_twins(owners, competitors, true, other)
        if self.family.monotone:
            lost = np.zeros(len(self.targets), np.bool_)
            lost[owners[(NEARER * other <= true).all(axis=1) & matter]] = True
            self._exclude(lost)
            matter &= ~(NEARER * other > true).all(axis=1)
        if matter.any():
            self._add_rows(owners[matter], competitors[matter])

    def _costs(self, owners: Ints, competitors: Ints) -> tuple[Floats, Floats]:
        """The costs of the true candidate and of a competitor, by attribute or by feature."""
        records, truth = self.targets.records[owners], self.targets.truth[owners]
        if self.family.monotone:
            costs = self.targets.training.competition.costs
            return costs(records, truth), costs(records, competitors)
        true, other = (self.family.features(records, rows).value for rows in (truth, competitors))
        return true, other

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
