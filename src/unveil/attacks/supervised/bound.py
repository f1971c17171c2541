"""The most records that any parameters link: proven by conflicts between records.

An implicit hitting set (Moreno-Centeno and Karp 2013): some sets of records cannot all be linked
together, and of each such conflict one record must be given up. The cheapest records that hit all
known conflicts bound the loss from below. If the others can all be linked together, the bound is
the optimum; if not, they hold further conflicts.
"""

from collections.abc import Callable, Sequence

import numpy as np

from unveil.attacks.supervised.constraints import LinkageConstraints
from unveil.attacks.supervised.families import Family
from unveil.attacks.supervised.feasibility import Feasibility, MarginProgram
from unveil.attacks.supervised.hitting_set import SAME_HITS, Conflicts
from unveil.attacks.supervised.solver import Budget
from unveil.support.arrays import Bools, Floats, Ints

SMALL_PART = 16  # records that are tested together at first
CONFLICT_GROWTH = 1.5  # of the number of conflicts, until the next bound
NODES, LAST_NODES = 20_000, 200  # of an integer program; of the last one
LAST_SECONDS = 2.0  # estimated, for the last integer program when the budget is spent

OnProgress = Callable[[float, float], None]  # takes the hits so far and their bound


class Proof:
    """The best parameters so far, and the bound; both hold at any time."""

    def __init__(
        self,
        constraints: LinkageConstraints,
        family: Family,
        point: Floats,
        budget: Budget,
        conflicts: Conflicts,
        bound: float,
        on_progress: OnProgress,
    ) -> None:
        self.constraints, self.budget, self.conflicts = constraints, budget, conflicts
        self.point, self.linked = point, constraints.hits(point)
        self.bound, self.undecided = bound, 0  # linear programs without an answer
        self._on_progress = on_progress
        # A program starts where it ended: one is for large sets of records, one for small ones.
        self._large, self._small = (MarginProgram(constraints, family, point) for _ in range(2))
        self._records = np.flatnonzero(constraints.linkable)

    @property
    def closed(self) -> bool:
        """Whether nothing more can be linked."""
        return self.bound - self.linked <= SAME_HITS

    def _over(self) -> bool:
        return self.closed or self.budget.exhausted

    def extend(self, rng: np.random.Generator) -> None:
        """Link one more record while all linked ones stay, as long as that is possible."""
        linked = self.constraints.linked(self.point)
        for record in rng.permutation(np.flatnonzero(self.constraints.linkable & ~linked)).tolist():
            if self._over() or linked[record]:
                continue
            answer = self._test(self._large, [*np.flatnonzero(linked).tolist(), record])
            if answer.decided and answer.point is not None:
                linked = self.constraints.linked(answer.point)

    def run(self, rng: np.random.Generator) -> None:
        """Find conflicts until the bound is reached, or the budget is spent."""
        try:
            self._conflicts_in_parts(rng)
            while not self._over():
                # The known conflicts give a bound from time to time, not only at the end.
                most = int(CONFLICT_GROWTH * len(self.conflicts.sets)) + SMALL_PART
                self._conflicts_by_local_search(rng, most)
                if self._over():
                    break
                given_up, before = self._minimum_loss(self.budget.seconds_left), self.linked
                if given_up is None or self._over():
                    break
                if not self._conflicts_without(given_up) and self.linked <= before:
                    break  # what is left is undecided
        finally:
            if not self.closed:  # what the last conflicts prove
                limited = self.budget.seconds is not None
                self._minimum_loss(LAST_SECONDS if limited else np.inf, LAST_NODES)

    def _minimum_loss(self, seconds: float, nodes: int = NODES) -> Bools | None:
        """The cheapest records to give up; the value of the others is a bound."""
        if not self.conflicts.sets:
            return None
        limit = self.constraints.total - self.linked
        cheapest = self.conflicts.minimum(limit, seconds=seconds, nodes=nodes)
        self.budget.spend(cheapest.used_seconds)
        bound = self.constraints.total - cheapest.least_cost
        if bound < self.bound - SAME_HITS:
            self.bound = max(bound, self.linked)
            self._on_progress(self.linked, self.bound)
        if cheapest.records is None:
            return None
        given_up = np.zeros(len(self.constraints), np.bool_)
        given_up[cheapest.records] = True
        return given_up

    def _conflicts_by_local_search(self, rng: np.random.Generator, most: int) -> None:
        """Conflicts among the records that a local search keeps, while these would be a gain."""
        given_up = np.zeros(len(self.constraints), np.bool_)
        least = self.constraints.hit_value[self._records].min()
        while not self._over() and len(self.conflicts.sets) < most:
            limit = self.constraints.total - self.linked - least
            hitting = self.conflicts.local_search(limit, given_up, rng)
            if hitting is None or not self._conflicts_without(hitting):
                return
            given_up = hitting

    def _conflicts_in_parts(self, rng: np.random.Generator) -> None:
        """Conflicts in small parts of the records, then in larger parts of those left."""
        left, size = rng.permutation(self._records), SMALL_PART
        while size < 4 * len(left):
            parts = np.array_split(left, max(len(left) // size, 1))
            left = np.concatenate([self._remove_conflicts(part) for part in parts])
            size *= 4

    def _conflicts_without(self, given_up: Bools) -> int:
        """Find disjoint conflicts among the other records; returns how many are new."""
        before = len(self.conflicts.sets)
        self._remove_conflicts(self._records[~given_up[self._records]])
        return len(self.conflicts.sets) - before

    def _remove_conflicts(self, records: Ints) -> Ints:
        """The records that are left when every conflict found is removed as a whole."""
        program = self._small if len(records) <= SMALL_PART else self._large
        while not self.budget.exhausted:
            answer = self._test(program, records.tolist())
            if answer.conflict is None:
                break
            conflict = self._shrink(answer.conflict)
            self.conflicts.sets[conflict] = None
            records = records[~np.isin(records, conflict)]
        return records

    def _shrink(self, conflict: tuple[int, ...]) -> tuple[int, ...]:
        """A conflict from which no record can be left out."""
        for record in conflict:
            if record not in conflict or len(conflict) == 1 or self.budget.exhausted:
                continue
            answer = self._test(self._small, [one for one in conflict if one != record])
            conflict = answer.conflict or conflict
        return conflict

    def _test(self, program: MarginProgram, records: Sequence[int]) -> Feasibility:
        """Whether records can all be linked together; the parameters may be the best so far."""
        before = program.used_seconds
        answer = program.test(records)
        self.budget.spend(program.used_seconds - before, programs=1)
        self.undecided += not answer.decided
        if answer.point is not None:
            hits = self.constraints.hits(answer.point)
            if hits > self.linked + SAME_HITS:
                self.point, self.linked = answer.point, hits
                self._on_progress(self.linked, self.bound)
        return answer
