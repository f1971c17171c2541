"""Learning the parameters that link the most records, given the truth.

Exact line searches on the number of links itself, from several starts; then a proof that no
parameters link more. Nothing is lost if it ends early: the best so far is kept, with its bound.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np

from unveil.attacks.supervised.big_m import BigM
from unveil.attacks.supervised.bound import Proof
from unveil.attacks.supervised.budget import Budget
from unveil.attacks.supervised.competitors import Competitors, LinkageTargets
from unveil.attacks.supervised.families import Family
from unveil.attacks.supervised.hitting_set import CLOSE, Conflicts
from unveil.support.arrays import Floats, Ints
from unveil.support.work import LINE, NUMBER

Told = Callable[[float, float], None]


LINES, LINES_IN_VAIN = 250, 80  # searches along a line from each start; without a gain
PAIRS = 20_000  # conflicts of identical records that are told at the beginning
STARTS = 6  # the best of them, from which lines go
NEAR = 12  # rows of each record that are looked at
ROUNDS = 12  # of looking for more rivals, where not all are known
PATIENCE = 3  # rounds without a gain

Ended = Literal["proven", "time", "steps", "stopped", "unclear", "sample"]


@dataclass(frozen=True, repr=False, eq=False)
class FittedDistance:
    """What was learnt: the parameters, what they link, and what no parameters exceed."""

    family: Family
    point: Floats
    linked: float
    bound: float
    impossible: int  # records that nothing links
    ended: Ended
    unclear: int  # linear programs that the solver left undecided
    twins: Ints  # for each record the candidates that cost the same as the true one, always
    starts: tuple[Floats, ...]  # where the search began


def learn(
    family: Family,
    questions: LinkageTargets,
    budget: Budget,
    rng: np.random.Generator,
    *,
    prove: bool,
    starts: int | None = None,
    told: Told | None = None,
) -> FittedDistance:
    """The best parameters that are found, and what none exceed.

    From the best so many starts; if that is not said, Ctrl-C ends it early.
    """
    learning = _Learning(family, questions, budget, rng, told)
    return learning.done(starts, prove=prove)


class _Learning:
    """The best so far, and the bound: both are there at any time."""

    def __init__(
        self,
        family: Family,
        questions: LinkageTargets,
        budget: Budget,
        rng: np.random.Generator,
        told: Told | None,
    ) -> None:
        self.family, self.budget, self.rng, self.told = family, budget, rng, told
        self.starts = list(family.starts(questions.records, questions.truth, rng))
        self.rivals = Competitors(questions, family)
        self.point, self.linked = self.starts[0], -1.0
        self.bound, self.unclear = self._most(), 0

    def done(self, starts: int | None, *, prove: bool) -> FittedDistance:
        """Search, then prove."""
        ended: Ended = "steps"
        try:
            self._search(starts or STARTS)
            if prove:
                self._prove()
        except KeyboardInterrupt:
            if starts is not None:
                raise
            ended = "stopped"
        if self.linked < 0:
            self.linked = self.rivals.check(self.point)
        if self.bound - self.linked <= CLOSE:
            ended = "proven"
        elif ended != "stopped" and self.budget.late:
            ended = "time"
        elif ended != "stopped" and prove and not self.budget.over:
            ended = "unclear"
        lost = int((~self.rivals.rows.possible).sum())
        return FittedDistance(
            self.family,
            self.point,
            self.linked,
            self.bound,
            lost,
            ended,
            self.unclear,
            self.rivals.twins,
            tuple(map(self.family.mended, self.starts)),
        )

    def _most(self) -> float:
        """What can be linked at most, as far as single records and identical ones tell."""
        rows = self.rivals.rows
        return self.rivals.questions.most(np.where(rows.possible, rows.worth, 0.0))

    def _take(self, point: Floats) -> bool:
        """Keep a better one, if all candidates say that it is; whether it was."""
        before = self.linked
        self._tried(point)
        return self.linked > before + CLOSE

    def _tried(self, point: Floats) -> float:
        """What is linked by these parameters; they are kept if they are the best."""
        before = self.rivals.worked
        linked = self.rivals.check(point)
        self.budget.spend(self.rivals.worked - before)
        if not self.rivals.complete:
            self.bound = min(self.bound, self._most())
        if linked > self.linked + CLOSE:
            self.point, self.linked = point, linked
        if self.told is not None:
            self.told(self.linked, self.bound)
        return linked

    def _search(self, many: int) -> None:
        """From the best starts; where not all rivals are known, again with those found out."""
        waited = 0
        counts = np.array([self._tried(self.family.mended(start)) for start in self.starts])
        starts = [self.starts[place] for place in np.argsort(-counts, kind="stable")[:many]]
        for _ in range(ROUNDS):
            for start in starts:
                waited = 0 if self._take(self._along_lines(start)) else waited + 1
                if self.budget.late:
                    return
            if self.rivals.complete or waited > PATIENCE:
                return
            starts = [self.point]

    def _along_lines(self, start: Floats) -> Floats:
        """The best along one line after another, each from where the last one ended.

        Of each record few rows are looked at; those that they miss come in when a gain is not
        what it seemed.
        """
        rows, family = self.rivals.rows, self.family
        point = safe = family.mended(start)
        best, waited, few = rows.count(point), 0, rows.tightest(point, NEAR)
        near, whole = rows.only(few), NUMBER * rows.index.size
        self.budget.spend(3 * whole)
        for number in range(LINES):
            waited += 1
            if self.budget.late or best >= rows.total - CLOSE or waited > LINES_IN_VAIN:
                break
            self.budget.spend(LINE + NUMBER * near.index.size)
            direction = family.direction(point, number, self.rng)
            limits = family.limits(point, direction)
            if not limits[1] > limits[0]:
                continue
            found, along = near.along(point, direction, limits)
            if found < best - CLOSE:
                continue
            point = family.mended(point + along * direction)
            if found < best + CLOSE:  # as good: somewhere else to look from
                continue
            found = rows.count(point)  # by all rows, as rounding leaves it
            self.budget.spend(whole)
            if found > best + CLOSE:
                safe, best, waited = point, found, 0
            else:
                few = np.union1d(few, rows.tightest(point, 1))
                near, point = rows.only(few), safe
                self.budget.spend(whole)
        return safe

    def _prove(self) -> None:
        """Until what is linked is all that can be, or the budget is spent."""
        conflicts = Conflicts(self.rivals.rows.worth)
        for pair in islice(self.rivals.questions.rivals_of_their_own_kind(), PAIRS):
            conflicts.add(pair)
        while self.bound - self.linked > CLOSE and not self.budget.over:
            rows = self.rivals.rows
            conflicts.forget(~rows.possible)
            conflicts.worth = rows.worth
            proof = Proof(rows, self.family, self.point, self.budget, conflicts)
            proof.bound, proof.told = self.bound, self._shown
            try:
                proof.extend(self.rng)
                proof.run(self.rng)
            finally:
                self.bound, self.unclear = proof.bound, self.unclear + proof.unclear
                self._take(proof.point)
            if self.rivals.rows is rows:  # no rival was lacking
                break
        limited = self.budget.seconds is not None  # else it might never end
        if self.bound - self.linked > CLOSE and limited and not self.budget.over:
            self._prove_otherwise()

    def _prove_otherwise(self) -> None:
        """Where linear programs stay undecided: by the paper's integer program."""
        program = BigM(self.rivals.rows, self.family, self.point)
        self.budget.spend(program.run(self.budget.left))
        self.bound = min(self.bound, program.bound)
        self._take(program.point)

    def _shown(self, linked: float, bound: float) -> None:
        if self.told is not None:
            self.told(linked if self.rivals.complete else self.linked, bound)
