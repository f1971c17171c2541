"""The least that must be given up so that no conflict is left: a minimum hitting set."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from unveil.attacks.supervised.kernels.hitting_set import hit_cheaply
from unveil.attacks.supervised.solver import (
    INFINITY,
    add_columns,
    add_rows,
    new_solver,
    run_integer_program,
)
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.compile import prepare

STEPS, TRIES = 2000, 20  # of the local search
CLOSE = 1e-6  # costs that differ by less are the same


class HittingSet(NamedTuple):
    """Records that are given up, and the least that any that leave no conflict cost."""

    records: Ints | None  # None: there are none that cost as little as was asked for
    least: float
    worked: float  # estimated seconds


@dataclass
class Conflicts:
    """Sets of records that cannot be linked all together; and what each record is worth."""

    worth: Floats
    sets: dict[tuple[int, ...], None] = field(default_factory=dict)

    def add(self, records: tuple[int, ...]) -> None:
        """One more."""
        self.sets[records] = None

    def forget(self, lost: Bools) -> None:
        """Those that hold a record which is lost anyway."""
        self.sets = {one: None for one in self.sets if not lost[list(one)].any()}

    def quickly(self, limit: float, begin: Bools, rng: np.random.Generator) -> Bools | None:
        """Records whose loss leaves no conflict, worth at most the limit, if any are soon found."""
        prepare("the search for conflicts", _rehearse)
        starts, members = self._listed()
        order = np.argsort(members, kind="stable")
        own_starts = np.searchsorted(members[order], np.arange(len(self.worth) + 1))
        own = np.repeat(np.arange(len(self.sets)), np.diff(starts))[order]
        sets = np.empty((3, len(self.sets)), np.int64)
        weights, touched = np.empty(len(self.sets)), np.empty(len(self.worth), np.int64)
        prices = np.maximum(self.worth, CLOSE)
        for attempt in range(TRIES):
            chosen = begin.copy() if attempt == 0 else np.zeros(len(self.worth), np.bool_)
            if hit_cheaply(
                starts,
                members,
                own_starts,
                own,
                prices,
                chosen,
                limit + CLOSE,
                STEPS,
                sets[0],
                weights,
                touched,
                sets[1],
                sets[2],
                rng.integers(1 << 62, size=1),
            ):
                return chosen
        return None

    def _listed(self) -> tuple[Ints, Ints]:
        starts = np.concatenate([[0], np.cumsum([len(one) for one in self.sets], dtype=np.int64)])
        members = np.array([record for one in self.sets for record in one], np.int64)
        return starts, members

    def cheapest(self, limit: float, *, seconds: float, nodes: int) -> HittingSet:
        """The records whose loss leaves no conflict at the least cost, by an integer program.

        Within so many estimated seconds and nodes; the least cost is proven in any case. None are
        named where none cost as little as the limit, or none were found by then.
        """
        starts, members = self._listed()
        used, places = np.unique(members, return_inverse=True)
        solver = new_solver(
            mip_max_nodes=nodes,
            mip_rel_gap=0.0,
            mip_abs_gap=1 - CLOSE if _whole(self.worth[used]) else CLOSE,
        )
        none, one = np.zeros(len(used)), np.ones(len(used))
        add_columns(solver, none, one, self.worth[used], whole=True)
        sets = np.zeros((len(self.sets), len(used)))
        sets[np.repeat(np.arange(len(self.sets)), np.diff(starts)), places] = 1.0
        add_rows(solver, sets, 1.0, INFINITY)
        worked = run_integer_program(solver, seconds)
        found = used[np.array(solver.getSolution().col_value) > 0.5]
        hit = np.zeros(len(self.worth), np.bool_)
        hit[found] = True
        every = np.logical_or.reduceat(hit[members], starts[:-1]).all()
        good = every and self.worth[found].sum() <= limit + CLOSE
        return HittingSet(found if good else None, least_loss(solver, self.worth[used]), worked)


def least_loss(solver: Any, worth: Floats) -> float:
    """What an integer program has proven to be lost at least; whole records are a whole number."""
    least = float(solver.getInfo().mip_dual_bound)
    if not np.isfinite(least) or least < 0:
        return 0.0
    return float(np.ceil(least - CLOSE)) if _whole(worth) else least


def _whole(worth: Floats) -> bool:
    return bool((worth == 1).all())


def _rehearse() -> None:
    conflicts = Conflicts(np.ones(2))
    conflicts.sets[0, 1] = None
    conflicts.quickly(1.0, np.zeros(2, np.bool_), np.random.default_rng(0))
