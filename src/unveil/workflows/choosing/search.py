"""The search: which plans to try next, given all that were tried.

A search begins with the declared grid. Then each round tries the middle between two plans on
either side of the limit, and, for the rest, the plans that promise most by a Gaussian process of
risk and loss (`surrogate`), chosen from points that cover the space and points around the frontier
(`points`). The trials and the seed alone decide what is proposed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from unveil.values.search_space import Candidate, SearchSpace
from unveil.workflows.choosing.frontier import frontier
from unveil.workflows.choosing.points import grid, plan_key, pool
from unveil.workflows.choosing.surrogate import Evaluated, Surrogate

FEWEST_MEASURED = 3  # plans, from which on a process can be fitted
POOL_PER_TRIAL = 4  # so that the pool is never used up
AT_LIMIT = 1  # plans of a round that look for the limit


class _Measured(NamedTuple):
    """A candidate with its risk and its loss."""

    candidate: Candidate
    risk: float
    loss: float


class _Round:
    """The candidates of a round, no plan twice and none that was tried."""

    def __init__(self, space: SearchSpace, tried: Sequence[Evaluated], n: int) -> None:
        self._space, self._n = space, n
        self._known = {plan_key(space, one.candidate) for one in tried}
        self.candidates: list[Candidate] = []

    @property
    def full(self) -> bool:
        return len(self.candidates) >= self._n

    def add(self, candidates: Iterable[Candidate], most: int | None = None) -> int:
        """Add those that are new, as long as there is room; returns how many were."""
        before = len(self.candidates)
        for candidate in candidates:
            if self.full or len(self.candidates) - before == most:
                break
            plan = plan_key(self._space, candidate)
            if plan not in self._known:
                self._known.add(plan)
                self.candidates.append(candidate)
        return len(self.candidates) - before


def propose(
    space: SearchSpace, tried: Sequence[Evaluated], n: int, *, seed: int
) -> list[Candidate]:
    """The next n candidates, given all that were tried; fewer if the space has no more plans.

    >>> swap = {"method": "rank-swapping", "p": {"from": 1, "to": 41}, "columns": ["age"]}
    >>> space = SearchSpace(combination=[{"name": "swapped", "mask": [swap]}])
    >>> tried = [Evaluated(one, 2 - 2 * one.point[0], one.point[0]) for one in grid(space)]
    >>> [space.tables(one)[0]["p"] for one in propose(space, tried, 1, seed=7)]
    [14]
    """
    new = _Round(space, tried, n)
    new.add(grid(space))
    if new.full:
        return new.candidates
    measured = [
        _Measured(one.candidate, one.risk, one.loss)
        for one in tried
        if one.risk is not None and one.loss is not None and one.complete
    ]
    best = [one.candidate for one in _on_frontier(measured)]
    others = pool(space, best, POOL_PER_TRIAL * (len(tried) + n), seed=seed)
    if sum(one.loss is not None for one in tried) >= FEWEST_MEASURED:
        new.add(_at_limit(measured), AT_LIMIT)
        _add_most_promising(new, others, space, tried)
    new.add(others)
    return new.candidates


def _add_most_promising(
    new: _Round, others: list[Candidate], space: SearchSpace, tried: Sequence[Evaluated]
) -> None:
    """Fill a round with plans that promise most, each given those before it."""
    surrogate = Surrogate.of(space, tried, others)
    if new.candidates:
        surrogate = surrogate.expecting(new.candidates)
    while not new.full:
        ranked = np.argsort(-surrogate.promise(), kind="stable")
        if not new.add((others[i] for i in ranked), 1):
            return
        surrogate = surrogate.expecting(new.candidates[-1:])


def _at_limit(measured: Sequence[_Measured]) -> list[Candidate]:
    """The middle between neighbours on either side of the limit, in each combination.

    Only where the plan beyond the limit loses less than the best that keeps it: the middle may be
    better. The least loss comes first.
    """
    least = min((one.loss for one in measured if one.risk <= 1), default=np.inf)
    middles = [
        (kept.loss + missed.loss, _middle(kept.candidate, missed.candidate))
        for kept, missed in _neighbours(measured)
        if kept.risk <= 1 < missed.risk and missed.loss < least
    ]
    return [candidate for _, candidate in sorted(middles, key=lambda one: one[0])]


def _neighbours(measured: Sequence[_Measured]) -> list[tuple[_Measured, _Measured]]:
    """Neighbours on the frontier of each combination."""
    found = []
    for name in dict.fromkeys(one.candidate.combination for one in measured):
        own = [one for one in measured if one.candidate.combination == name]
        found += list(pairwise(_on_frontier(own)))
    return found


def _on_frontier(measured: Sequence[_Measured]) -> list[_Measured]:
    """The plans that no other beats, by ascending risk."""
    best = frontier([one.risk for one in measured], [one.loss for one in measured])
    return [measured[i] for i in best]


def _middle(one: Candidate, other: Candidate) -> Candidate:
    places = zip(one.point, other.point, strict=True)
    return Candidate(one.combination, tuple((a + b) / 2 for a, b in places))
