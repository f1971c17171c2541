"""The parameters that link the most records, given the truth.

Exact line searches on the number of hits, from several starting points; then a proof that no
parameters link more. Training can end early: the best parameters so far are kept with their bound.
"""

from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np

from unveil.attacks.supervised.big_m import BigMProgram
from unveil.attacks.supervised.bound import OnProgress, Proof
from unveil.attacks.supervised.competitors import Competitors, LinkageTargets
from unveil.attacks.supervised.families import Family
from unveil.attacks.supervised.hitting_set import SAME_HITS, Conflicts
from unveil.attacks.supervised.solver import Budget
from unveil.support.arrays import Floats, Ints
from unveil.support.work import COEFFICIENT_SECONDS, LINE_SECONDS

LINES, LINES_WITHOUT_GAIN = 250, 80  # line searches from each starting point
STARTS = 6  # the best starting points, from which line searches go
TIGHTEST_ROWS = 12  # of each record, in a line search
ROUNDS, ROUNDS_WITHOUT_GAIN = 12, 3  # of finding competitors, where not all are known
IDENTICAL_PAIRS = 20_000  # conflicts of identical records at the beginning of the proof

Ended = Literal["proven", "time", "steps", "stopped", "unclear", "sample"]


@dataclass(frozen=True, repr=False, eq=False)
class FittedDistance:
    """Learnt parameters, their hits, and the bound that no parameters exceed."""

    family: Family
    point: Floats
    linked: float
    bound: float
    impossible: int  # records that no parameters link
    ended: Ended
    undecided: int  # linear programs that the solver left undecided
    twins: Ints  # for each record the candidates that always cost the same as the true one
    starts: tuple[Floats, ...]  # where the search began


class Training:
    """The best parameters so far, and the bound; both hold at any time."""

    def __init__(
        self,
        family: Family,
        targets: LinkageTargets,
        budget: Budget,
        rng: np.random.Generator,
        on_progress: OnProgress | None = None,
    ) -> None:
        self.family, self.budget, self.rng, self._on_progress = family, budget, rng, on_progress
        self._starts = list(family.starting_points(rng))
        self._competitors = Competitors(targets, family)
        self._point, self._linked = self._starts[0], -1.0
        self._bound, self._undecided = self._max_hits(), 0

    def run(self, *, prove: bool, starts: int | None = None) -> FittedDistance:
        """Search from the best starts, then prove; without a number of starts Ctrl-C ends it."""
        ended: Ended = "steps"
        try:
            self._search(starts or STARTS)
            if prove:
                self._prove()
        except KeyboardInterrupt:
            if starts is not None:
                raise
            ended = "stopped"
        if self._linked < 0:
            self._linked = self._competitors.count_hits(self._point)
        if self._closed:
            ended = "proven"
        elif ended != "stopped" and self.budget.out_of_seconds:
            ended = "time"
        elif ended != "stopped" and prove and not self.budget.exhausted:
            ended = "unclear"
        return FittedDistance(
            family=self.family,
            point=self._point,
            linked=self._linked,
            bound=self._bound,
            impossible=int((~self._competitors.constraints.linkable).sum()),
            ended=ended,
            undecided=self._undecided,
            twins=self._competitors.twins,
            starts=tuple(map(self.family.project, self._starts)),
        )

    @property
    def _closed(self) -> bool:
        return self._bound - self._linked <= SAME_HITS

    def _max_hits(self) -> float:
        """The most hits as far as single records and identical ones tell."""
        rows = self._competitors.constraints
        return self._competitors.targets.max_hits(np.where(rows.linkable, rows.hit_value, 0.0))

    def _try(self, point: Floats) -> float:
        """The hits of these parameters among all candidates; the best are kept."""
        before = self._competitors.used_seconds
        hits = self._competitors.count_hits(point)
        self.budget.spend(self._competitors.used_seconds - before)
        if not self._competitors.complete:
            self._bound = min(self._bound, self._max_hits())
        if hits > self._linked + SAME_HITS:
            self._point, self._linked = point, hits
        self._report(self._linked, self._bound)
        return hits

    def _report(self, linked: float, bound: float) -> None:
        if self._on_progress is not None:
            self._on_progress(linked if self._competitors.complete else self._linked, bound)

    def _search(self, n_starts: int) -> None:
        """Line searches from the best starts; again as long as new competitors are found."""
        in_vain = 0
        hits = np.array([self._try(self.family.project(start)) for start in self._starts])
        starts = [self._starts[place] for place in np.argsort(-hits, kind="stable")[:n_starts]]
        for _ in range(ROUNDS):
            for start in starts:
                before = self._linked
                self._try(self._line_searches(start))
                in_vain = 0 if self._linked > before + SAME_HITS else in_vain + 1
                if self.budget.out_of_seconds:
                    return
            if self._competitors.complete or in_vain > ROUNDS_WITHOUT_GAIN:
                return
            starts = [self._point]

    def _line_searches(self, start: Floats) -> Floats:
        """The best point of one line after another, each from where the last one ended.

        A line search sees the tightest rows of each record only. If a gain proves to be none by
        all rows, the rows that it missed are added.
        """
        rows, family, budget = self._competitors.constraints, self.family, self.budget
        point = safe = family.project(start)
        best, in_vain = rows.hits(point), 0
        tightest = rows.tightest(point, TIGHTEST_ROWS)[0]
        seen = tightest[tightest >= 0]
        near, all_rows = rows.restrict(seen), COEFFICIENT_SECONDS * rows.index.size
        budget.spend(3 * all_rows)
        for number in range(LINES):
            in_vain += 1
            done = best >= rows.total - SAME_HITS or in_vain > LINES_WITHOUT_GAIN
            if budget.out_of_seconds or done:
                break
            budget.spend(LINE_SECONDS + COEFFICIENT_SECONDS * near.index.size)
            direction = family.direction(point, number, self.rng)
            limits = family.line_limits(point, direction)
            if not limits[1] > limits[0]:
                continue
            hits, at = near.best_on_line(point, direction, limits)
            if hits < best - SAME_HITS:
                continue
            point = family.project(point + at * direction)
            if hits < best + SAME_HITS:  # as good: another point to search from
                continue
            hits = rows.hits(point)  # by all rows, after rounding
            budget.spend(all_rows)
            if hits > best + SAME_HITS:
                safe, best, in_vain = point, hits, 0
            else:
                tightest = rows.tightest(point)[0]
                seen = np.union1d(seen, tightest[tightest >= 0])
                near, point = rows.restrict(seen), safe
                budget.spend(all_rows)
        return safe

    def _prove(self) -> None:
        """Search and prove until the bound is reached, or the budget is spent."""
        competitors = self._competitors
        pairs = islice(competitors.targets.conflicting_pairs(), IDENTICAL_PAIRS)
        sets: dict[tuple[int, ...], None] = dict.fromkeys(pairs)
        while not (self._closed or self.budget.exhausted):
            rows = competitors.constraints
            # A conflict with a record that is lost anyway says nothing.
            sets = {one: None for one in sets if rows.linkable[list(one)].all()}
            conflicts = Conflicts(rows.hit_value, sets)
            proof = Proof(
                rows, self.family, self._point, self.budget, conflicts, self._bound, self._report
            )
            try:
                proof.extend(self.rng)
                proof.run(self.rng)
            finally:
                self._bound, self._undecided = proof.bound, self._undecided + proof.undecided
                self._try(proof.point)
            if competitors.constraints is rows:  # no competitor was missing
                break
        limited = self.budget.seconds is not None  # the integer program might never end
        if limited and not (self._closed or self.budget.exhausted):
            program = BigMProgram(competitors.constraints, self.family, self._point)
            self.budget.spend(program.run(self.budget.seconds_left))
            self._bound = min(self._bound, program.bound)
            self._try(program.point)
