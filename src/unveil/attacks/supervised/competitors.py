"""Rivals: the candidates that a true record has to be nearer than, found all at once or one by one.

Candidates that are identical are one. Where all pairs can be looked at, rivals are those that no
other candidate dominates. Else they are found by the exact search: whoever is as near as the true
record by the parameters at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from unveil.attacks.supervised.constraints import LinkageConstraints
from unveil.attacks.supervised.families import Family, TrainingFiles
from unveil.attacks.supervised.undominated import NEARER, Skyline
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.work import CELL, DOMINANCE, NUMBER, RIVAL

PAIRS = 30_000_000  # up to which all pairs are looked at
ROWS = 2_000_000  # up to which all rivals that matter are kept
LOOKED_AT = 50  # records that say how many those will be
NEAREST = 8  # rivals of a record that are looked for at a time


@dataclass(frozen=True, repr=False, eq=False)
class LinkageTargets:
    """Records that look for their true ones, in the order of what they hold."""

    ground: TrainingFiles
    records: Ints
    partners: Ints  # the true candidate of each
    truth: Ints  # the candidate that stands for the true one and all that are identical to it
    sharing: Ints  # how many those are
    askers: Ints  # the kind of each record: those that are identical ask the same
    kind_of: Ints  # the candidate that stands for each, and for all that are identical to it
    sizes: Ints  # how many a candidate stands for
    patience: float | None  # estimated seconds that it may take to find all rivals
    strict: bool  # whether a record whose true one has twins counts nothing, or its share

    def __len__(self) -> int:
        return len(self.records)

    def of(self, some: Ints) -> LinkageTargets:
        """Some of them; what is known of their rivals need not be found out again."""
        found = replace(
            self,
            records=self.records[some],
            partners=self.partners[some],
            truth=self.truth[some],
            sharing=self.sharing[some],
            askers=self.askers[some],
        )
        if "skyline" in vars(self):
            known = None if self.skyline is None else self.skyline.of(some)
            object.__setattr__(found, "skyline", known)
        return found

    def worth(self, twins: Ints) -> Floats:
        """What it counts to link each record, if so many other kinds are twins of the true one."""
        shares: Floats = 1 / (self.sharing + twins)
        return (shares == 1).astype(np.float64) if self.strict else shares

    @cached_property
    def _alike(self) -> Ints:
        """The truth of each record by what it costs: twins cost the same, but for rounding."""
        costs = self.ground.contest.costs(self.records, self.truth)
        with np.errstate(divide="ignore"):
            size = 10.0 ** (np.floor(np.log10(costs)) - 6)
        rounded = np.where(costs > 0, np.rint(costs / np.where(costs > 0, size, 1.0)) * size, 0.0)
        _, found = np.unique(rounded, axis=0, return_inverse=True)
        return found.ravel()

    def most(self, worth: Floats) -> float:
        """What can be linked at most: of identical records those that have one truth."""
        pairs, of = np.unique(np.stack([self.askers, self._alike]), axis=1, return_inverse=True)
        by_truth = np.bincount(of.ravel(), worth)
        _, starts = np.unique(pairs[0], return_index=True)
        return float(np.sort(np.maximum.reduceat(by_truth, starts)).sum())

    def rivals_of_their_own_kind(self) -> Iterator[tuple[int, int]]:
        """Two identical records that have different truths: not both are linked."""
        order = np.lexsort((self._alike, self.askers))
        for same in np.split(order, np.flatnonzero(np.diff(self.askers[order])) + 1):
            for one, other in combinations(same.tolist(), 2):
                if self._alike[one] != self._alike[other]:
                    yield (min(one, other), max(one, other))

    @cached_property
    def skyline(self) -> Skyline | None:
        """The rivals that no other candidate dominates; None where they are too many."""
        if len(self.records) * len(self.kind_of) > PAIRS:
            return None
        some = np.linspace(0, len(self) - 1, min(LOOKED_AT, len(self))).astype(np.int64)
        few = self._skyline(some)
        rows = len(few.rows) * len(self) / len(some)
        seconds = DOMINANCE * (rows + len(self)) * len(self.kind_of)
        late = self.patience is not None and seconds > self.patience
        if late or rows > ROWS:
            return None
        return few if len(some) == len(self) else self._skyline(np.arange(len(self)))

    def _skyline(self, some: Ints) -> Skyline:
        among: list[Ints] = [np.unique(self.kind_of)] * len(some)
        if self.ground.files.blocks.columns:
            for part in self.ground.search(self.ground.metric).comparison_blocks(
                self.records[some]
            ):
                rows = np.unique(self.kind_of[part.candidates])
                for place in part.records.tolist():
                    among[place] = rows
        pair = self.records[some], self.truth[some]
        return self.ground.contest.skyline(*pair, among, self.sizes)


class Competitors:
    """The inequalities of some records: those known so far, or all that matter."""

    def __init__(self, questions: LinkageTargets, family: Family) -> None:
        self.questions, self.family = questions, family
        self.worked = 0.0  # estimated seconds of all checks
        skyline = questions.skyline
        self.complete = family.monotone and skyline is not None
        self.twins = np.zeros(len(questions), np.int64)
        if skyline is not None and family.monotone:  # others tell gaps of one size apart by sign
            self.twins = skyline.twins
        self.rows = LinkageConstraints(
            index=np.zeros((0, family.width), np.int32),
            value=np.zeros((0, family.width)),
            starts=np.zeros(len(questions) + 1, np.int64),
            rivals=np.zeros(0, np.int64),
            worth=questions.worth(self.twins),
            possible=np.ones(len(questions), np.bool_),
        )
        many = len(questions.kind_of)  # pairs that were looked at, each as one number
        self._known = np.arange(len(questions)) * many + questions.truth
        if skyline is not None:
            owners = np.repeat(np.arange(len(questions)), np.diff(skyline.starts))
            self._join(owners, skyline.rows)
            self._known = np.concatenate([self._known, owners * many + skyline.rows])
            if family.monotone:
                self._exclude(skyline.dominated)
        if questions.strict:
            self._exclude(self.rows.worth == 0)

    def _exclude(self, lost: Bools) -> None:
        self.rows = replace(self.rows, possible=self.rows.possible & ~lost)

    def _join(self, owners: Ints, rivals: Ints) -> None:
        """Rows of these pairs, which are new."""
        records, truth = self.questions.records[owners], self.questions.truth[owners]
        found = self.family.rows(records, truth, rivals)
        self.rows = self.rows.joined(owners, rivals, found.index, found.value)

    def check(self, point: Floats) -> float:
        """What is linked by these parameters, all candidates being asked; rivals become rows."""
        self.worked += NUMBER * self.rows.index.size
        if self.complete:
            return self.rows.count(point)
        asked, search = self.questions, self.family.search(point)
        nearest = search.nearest(asked.records, NEAREST, None)
        rows = nearest.rows
        owners = np.repeat(np.arange(len(asked)), NEAREST)[rows.ravel() >= 0]
        rivals = asked.kind_of[rows[rows >= 0]]
        self._add(owners, rivals)
        found = search.rank_of_truth(asked.records, asked.truth, 1, None)
        self.worked += CELL * (nearest.work + found.work) + RIVAL * len(self._known)
        twins = self.twins + asked.sharing - 1
        linked = (found.n_closer == 0) & (found.n_tied == twins) & self.rows.possible
        return float(self.rows.worth[linked].sum())

    def _add(self, owners: Ints, rivals: Ints) -> None:
        """Take in those that are not known; who is dominated by one cannot be linked."""
        many = len(self.questions.kind_of)
        new = np.setdiff1d(owners * many + rivals, self._known)
        if not len(new):
            return
        self._known = np.union1d(self._known, new)
        owners, rivals = np.divmod(new, many)
        own, other = self._parts(owners, rivals)
        matter = ~self._twins_among(owners, rivals, own, other)
        if self.family.monotone:
            lost = np.zeros(len(self.questions), np.bool_)
            lost[owners[(NEARER * other <= own).all(axis=1) & matter]] = True
            self._exclude(lost)
            matter &= ~(NEARER * other > own).all(axis=1)
        if matter.any():
            self._join(owners[matter], rivals[matter])

    def _parts(self, owners: Ints, rivals: Ints) -> tuple[Floats, Floats]:
        """What the true one and a rival cost, part by part: attributes, where more is farther."""
        records, truth = self.questions.records[owners], self.questions.truth[owners]
        if self.family.monotone:
            contest = self.questions.ground.contest
            return contest.costs(records, truth), contest.costs(records, rivals)
        own, other = (self.family.features(records, who).value for who in (truth, rivals))
        return own, other

    def _twins_among(self, owners: Ints, rivals: Ints, own: Floats, other: Floats) -> Bools:
        """Which rivals no parameters tell apart from the true one; they share its worth."""
        nearer = np.maximum(np.abs(own), np.abs(other)) * (1 - NEARER)
        found: Bools = np.all(np.abs(own - other) <= nearer, axis=1)
        if found.any():
            sizes = self.questions.sizes[rivals[found]]
            self.twins = self.twins + np.bincount(owners[found], sizes, len(self.twins)).astype(int)
            self.rows = replace(self.rows, worth=self.questions.worth(self.twins))
            if self.questions.strict:
                self._exclude(self.rows.worth == 0)
        return found
