"""The cheapest records to give up so that no conflict is left: a minimum hitting set."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from unveil.attacks.supervised.kernels.hitting_set import hit_cheaply
from unveil.attacks.supervised.solver import Solver
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.compile import prepare

SEARCH_STEPS, SEARCH_STARTS = 2000, 20  # of the local search
SAME_HITS = 1e-6  # numbers of hits that differ by less are equal


class HittingSet(NamedTuple):
    """Records that are given up, and a proven lower bound on their cost."""

    records: Ints | None  # None: none were found within the limit
    least_cost: float
    used_seconds: float  # estimated


@dataclass
class Conflicts:
    """Sets of records that cannot all be linked together, and the hits that each record costs."""

    hit_value: Floats
    sets: dict[tuple[int, ...], None] = field(default_factory=dict)

    def local_search(self, limit: float, start: Bools, rng: np.random.Generator) -> Bools | None:
        """Records that hit every set within a cost limit; None if the search fails."""
        prepare("the search for conflicts", _rehearse)
        starts, members = self._members()
        order = np.argsort(members, kind="stable")
        member_starts = np.searchsorted(members[order], np.arange(len(self.hit_value) + 1))
        member_sets = np.repeat(np.arange(len(self.sets)), np.diff(starts))[order]
        per_set = np.empty((3, len(self.sets)), np.int64)
        weights, touched = np.empty(len(self.sets)), np.empty(len(self.hit_value), np.int64)
        prices = np.maximum(self.hit_value, SAME_HITS)
        for attempt in range(SEARCH_STARTS):
            chosen = start.copy() if attempt == 0 else np.zeros(len(self.hit_value), np.bool_)
            state = rng.integers(1 << 62, size=1)
            goal, scratch = (chosen, limit + SAME_HITS, SEARCH_STEPS), (per_set, weights, touched)
            if hit_cheaply(
                starts, members, member_starts, member_sets, prices, *goal, *scratch, state
            ):
                return chosen
        return None

    def _members(self) -> tuple[Ints, Ints]:
        """Where each set begins, and the records of all sets."""
        starts = np.concatenate([[0], np.cumsum([len(one) for one in self.sets], dtype=np.int64)])
        return starts, np.array([record for one in self.sets for record in one], np.int64)

    def minimum(self, limit: float, *, seconds: float, nodes: int) -> HittingSet:
        """The cheapest hitting set, by an integer program within estimated seconds and nodes.

        The least cost is proven in any case. No records are returned if none were found in time,
        or if they cost more than the limit.
        """
        starts, members = self._members()
        used, columns = np.unique(members, return_inverse=True)
        costs = self.hit_value[used]
        gap = 1 - SAME_HITS if bool((costs == 1).all()) else SAME_HITS
        solver = Solver(mip_max_nodes=nodes, mip_rel_gap=0.0, mip_abs_gap=gap)
        solver.add_columns(np.zeros(len(used)), np.ones(len(used)), costs, integer=True)
        rows = np.zeros((len(self.sets), len(used)))
        rows[np.repeat(np.arange(len(self.sets)), np.diff(starts)), columns] = 1.0
        solver.add_rows(rows, 1.0, np.inf)
        used_seconds = solver.run_integer(seconds)
        records = used[solver.values() > 0.5]
        hit = np.zeros(len(self.hit_value), np.bool_)
        hit[records] = True
        all_hit = np.logical_or.reduceat(hit[members], starts[:-1]).all()
        within = all_hit and self.hit_value[records].sum() <= limit + SAME_HITS
        return HittingSet(records if within else None, proven_cost(solver, costs), used_seconds)


def proven_cost(solver: Solver, costs: Floats) -> float:
    """The cost that an integer program has proven; a whole number if every record costs 1."""
    least = float(solver.highs.getInfo().mip_dual_bound)
    if not np.isfinite(least) or least < 0:
        return 0.0
    return float(np.ceil(least - SAME_HITS)) if bool((costs == 1).all()) else least


def _rehearse() -> None:
    conflicts = Conflicts(np.ones(2), {(0, 1): None})
    conflicts.local_search(1.0, np.zeros(2, np.bool_), np.random.default_rng(0))
