"""How many records parameters can link at most: proven by conflicts between records.

An implicit hitting set (Moreno-Centeno and Karp 2013): some records cannot be linked all together,
and of each such set one must be given up. The least that hits all sets known so far is a bound on
what must be lost; if the others can be linked all together, it is the answer, and if not they
hold further conflicts.
"""

from collections.abc import Callable, Sequence

import numpy as np

from unveil.attacks.supervised.budget import Budget
from unveil.attacks.supervised.constraints import LinkageConstraints
from unveil.attacks.supervised.families import Family
from unveil.attacks.supervised.feasibility import Feasible, Infeasible, MarginProgram
from unveil.attacks.supervised.hitting_set import CLOSE, Conflicts
from unveil.support.arrays import Bools, Floats, Ints

FEW = 16  # records that are looked at together, to begin with
GROWTH = 1.5  # of the conflicts, until the next bound
NODES, LAST_NODES = 20_000, 200  # of an integer program; of the last one
LAST = 2.0  # estimated seconds for the last one, when the budget is spent


class Proof:
    """The best parameters so far and what no parameters exceed: both are there at any time."""

    def __init__(
        self,
        rows: LinkageConstraints,
        family: Family,
        point: Floats,
        budget: Budget,
        conflicts: Conflicts,
    ) -> None:
        self.rows, self.family, self.budget, self.conflicts = rows, family, budget, conflicts
        self.point, self.linked = point, rows.count(point)
        self.bound, self.unclear = rows.total, 0
        self.told: Callable[[float, float], None] = lambda _linked, _bound: None
        # One for many records, one for few: each begins where it was before.
        self._many, self._few = (MarginProgram(rows, family, point) for _ in range(2))
        tightest = rows.least(point)[1]
        for program in (self._many, self._few):
            program.watch(tightest[tightest >= 0])
        self._records = np.flatnonzero(rows.possible)

    @property
    def gap(self) -> float:
        """What may still be there to be found."""
        return self.bound - self.linked

    @property
    def done(self) -> bool:
        """Whether nothing more can be linked."""
        return self.gap <= CLOSE

    def _over(self) -> bool:
        return self.done or self.budget.over

    def extend(self, rng: np.random.Generator) -> None:
        """Link one more record while those linked stay, as long as there is one."""
        linked = self.rows.linked(self.point)
        for record in rng.permutation(np.flatnonzero(self.rows.possible & ~linked)).tolist():
            if self._over() or linked[record]:
                continue
            found = self._try(self._many, [*np.flatnonzero(linked).tolist(), record])
            if isinstance(found, Feasible):
                linked = self.rows.linked(found.point)

    def run(self, rng: np.random.Generator) -> None:
        """Find conflicts until nothing is left to be gained, or the budget is spent."""
        try:
            self._dig_on(rng)
        finally:
            if not self.done:  # what the last conflicts say
                self._give_up(LAST if self.budget.seconds is not None else np.inf, LAST_NODES)

    def _dig_on(self, rng: np.random.Generator) -> None:
        self._dig_in_parts(rng)
        while not self._over():
            # What is known so far makes a bound from time to time, not only in the end.
            self._dig_quickly(rng, int(GROWTH * len(self.conflicts.sets)) + FEW)
            if self._over():
                break
            given_up, before = self._give_up(self.budget.left), self.linked
            if given_up is None or self._over():
                return
            if not self._dig(given_up) and self.linked <= before:
                return  # what is left over is unclear

    def _give_up(self, seconds: float, nodes: int = NODES) -> Bools | None:
        """The records whose loss costs the least; what the others are worth is a bound."""
        if not self.conflicts.sets:
            return None
        limit = self.rows.total - self.linked
        given = self.conflicts.cheapest(limit, seconds=seconds, nodes=nodes)
        self.budget.spend(given.worked)
        self._bounded(self.rows.total - given.least)
        if given.records is None:
            return None
        chosen = np.zeros(len(self.rows), np.bool_)
        chosen[given.records] = True
        return chosen

    def _dig_quickly(self, rng: np.random.Generator, most: int) -> None:
        """Conflicts by sets of records that are soon found, while any would be a gain; so many."""
        chosen = np.zeros(len(self.rows), np.bool_)
        least = self.rows.worth[self._records].min()
        while not self._over() and len(self.conflicts.sets) < most:
            limit = self.rows.total - self.linked - least
            found = self.conflicts.quickly(limit, chosen, rng)
            if found is None or not self._dig(found):
                return
            chosen = found

    def _dig_in_parts(self, rng: np.random.Generator) -> None:
        """Conflicts among few records, then among more of those left: few are soon looked at."""
        left, size = rng.permutation(self._records), FEW
        while size < 4 * len(left):
            parts = np.array_split(left, max(len(left) // size, 1))
            left = np.concatenate([self._without_conflict(part) for part in parts])
            size *= 4

    def _dig(self, given_up: Bools) -> int:
        """Conflicts among the others, none of which share a record; how many were found."""
        before = len(self.conflicts.sets)
        self._without_conflict(self._records[~given_up[self._records]])
        return len(self.conflicts.sets) - before

    def _without_conflict(self, records: Ints) -> Ints:
        """Those that are left when each conflict that is found goes with all its records."""
        program = self._few if len(records) <= FEW else self._many
        while not self.budget.over:
            found = self._try(program, records.tolist())
            if not isinstance(found, Infeasible):
                break
            conflict = self._smallest(found.records)
            self.conflicts.add(conflict)
            records = records[~np.isin(records, conflict)]
        return records

    def _smallest(self, records: tuple[int, ...]) -> tuple[int, ...]:
        """A conflict of which no record can be left out."""
        for record in records:
            if record not in records or len(records) == 1 or self.budget.over:
                continue
            found = self._try(self._few, [one for one in records if one != record])
            if isinstance(found, Infeasible):
                records = found.records
        return records

    def _try(self, program: MarginProgram, records: Sequence[int]) -> Feasible | Infeasible | None:
        """Whether records can be linked all together; if so, it may be the best so far."""
        before = program.worked
        found = program.of(records)
        self.budget.spend(program.worked - before, programs=1)
        if isinstance(found, Feasible):
            self._tried(found.point)
        elif not isinstance(found, Infeasible):
            self.unclear += 1
            if found.point is not None:
                self._tried(found.point)
            return None
        return found

    def _tried(self, point: Floats) -> None:
        count = self.rows.count(point)
        if count > self.linked + CLOSE:
            self.point, self.linked = point, count
            self.told(self.linked, self.bound)

    def _bounded(self, bound: float) -> None:
        if bound < self.bound - CLOSE:
            self.bound = max(bound, self.linked)
            self.told(self.linked, self.bound)
