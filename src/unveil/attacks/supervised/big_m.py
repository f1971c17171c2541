"""The paper's integer program, with rows added when they are violated: a fallback for the bound.

Torra, Record linkage approaches for dynamic database integration (2013), Equations 6 to 9: giving
up a record makes up for the largest possible violation of each of its rows. The paper has one
constant for all rows, as large as the largest; here each row has its own. Rows need not be
positive but only not negative, so that the solver's tolerance can only loosen the bound.
"""

import numpy as np

from unveil.attacks.supervised.constraints import LinkageConstraints
from unveil.attacks.supervised.families import Family, PairFeatures
from unveil.attacks.supervised.feasibility import in_units, parameter_scale
from unveil.attacks.supervised.hitting_set import SAME_HITS, proven_cost
from unveil.attacks.supervised.solver import Solver
from unveil.support.arrays import Floats, Ints


class BigMProgram:
    """The integer program over the parameters and the records that are given up."""

    def __init__(self, constraints: LinkageConstraints, family: Family, point: Floats) -> None:
        self.constraints, self.family, self.point = constraints, family, point
        self.linked, self.bound = constraints.hits(point), constraints.total
        self._scale = parameter_scale(point)
        self._solver = Solver(mip_rel_gap=0.0)
        n, linkable = family.size, constraints.linkable
        self._solver.add_columns(np.where(family.signed, -np.inf, 0.0), np.full(n, np.inf))
        lost = (~linkable).astype(np.float64)
        costs = np.where(linkable, constraints.hit_value, 0.0)
        self._solver.add_columns(lost, np.ones(len(constraints)), costs, integer=True)
        self._add_cone(family.normalisation(self._scale)[None] * self._scale, 1.0, 1.0)
        self._add_cone(family.cone * self._scale)
        self._rows: set[int] = set()
        tightest = constraints.tightest(point)[0]
        self.add(tightest[tightest >= 0])

    def _add_cone(self, rows: Floats, low: float = 0.0, high: float = np.inf) -> None:
        records = np.zeros((len(rows), len(self.constraints)))
        self._solver.add_rows(np.hstack([rows, records]), low, high)

    def add(self, rows: Ints) -> int:
        """Add constraints to the program; returns how many are new."""
        constraints = self.constraints
        new = [row for row in np.unique(rows).tolist() if row not in self._rows]
        self._rows.update(new)
        for block in np.array_split(np.array(new, np.int64), len(new) // 1000 + 1):
            features = PairFeatures(constraints.index[block], constraints.value[block])
            given_up = np.zeros((len(block), len(constraints)))
            violation = self.family.max_violation(features, self._scale)
            given_up[np.arange(len(block)), constraints.owners[block]] = violation
            dense = constraints.dense(block, self.family.size) * self._scale
            self._solver.add_rows(in_units(np.hstack([dense, given_up])), 0.0, np.inf)
        return len(new)

    def run(self, seconds: float) -> float:
        """Solve until no kept record has a violated row; returns the estimated seconds used."""
        constraints, used_seconds, n = self.constraints, 0.0, self.family.size
        while self.bound - self.linked > SAME_HITS and used_seconds < seconds:
            used_seconds += self._solver.run_integer(seconds - used_seconds)
            loss = proven_cost(self._solver, constraints.hit_value[constraints.linkable])
            self.bound = max(min(self.bound, constraints.total - loss), self.linked)
            values = self._solver.values()
            if not values.any():
                break
            outside = values[:n] * self._scale
            point = self.family.project(outside)
            rows, slack = constraints.tightest(point)
            kept = (values[n:] < 0.5) & constraints.linkable
            hits = constraints.hits(point)
            if hits > self.linked + SAME_HITS:
                self.linked, self.point = hits, point
            cuts = self.family.cuts(outside)
            self._add_cone(cuts * self._scale)
            if not self.add(rows[kept & (slack[:, 0] < 0)]) and not len(cuts):
                break
        return used_seconds
