"""The paper's integer program, with rows that come in when they are broken: a bound as a fallback.

Torra, Record linkage approaches for dynamic database integration (2013), Equations 6 to 9: a record
that is given up makes up for the most by which each of its rows can be broken. The paper's one
constant for all rows is as large as the largest of these; here each row has its own. Rows need
not be positive but only not negative, so that the solver's tolerance can but loosen the bound.
"""

import numpy as np

from unveil.attacks.supervised.constraints import LinkageConstraints
from unveil.attacks.supervised.families import Family, PairFeatures
from unveil.attacks.supervised.feasibility import in_unit, usual_size
from unveil.attacks.supervised.hitting_set import CLOSE, least_loss
from unveil.attacks.supervised.solver import (
    INFINITY,
    add_columns,
    add_rows,
    new_solver,
    run_integer_program,
)
from unveil.support.arrays import Floats, Ints


class BigM:
    """The integer program over parameters and records that are given up."""

    def __init__(self, rows: LinkageConstraints, family: Family, point: Floats) -> None:
        self.rows, self.family, self.point = rows, family, point
        self.linked, self.bound = rows.count(point), rows.total
        self._scale = usual_size(point)
        self._solver = new_solver(mip_rel_gap=0.0)
        many = family.size
        add_columns(self._solver, np.where(family.free, -INFINITY, 0.0), np.full(many, INFINITY))
        lost = (~rows.possible).astype(np.float64)
        costs = np.where(rows.possible, rows.worth, 0.0)
        add_columns(self._solver, lost, np.ones(len(rows)), costs, whole=True)
        self._add(family.normal(self._scale)[None] * self._scale, 1.0, 1.0)
        self._add(family.cone * self._scale, 0.0, INFINITY)
        self._watched: set[int] = set()
        tightest = rows.least(point)[1]
        self.watch(tightest[tightest >= 0])

    def _add(self, rows: Floats, low: float, high: float) -> None:
        """Rows of the parameters alone."""
        add_rows(self._solver, np.hstack([rows, np.zeros((len(rows), len(self.rows)))]), low, high)

    def watch(self, which: Ints) -> int:
        """Take in rows; how many are new. To give a record up makes up for all that they lack."""
        new = [row for row in np.unique(which).tolist() if row not in self._watched]
        self._watched.update(new)
        for some in np.array_split(np.array(new, np.int64), len(new) // 1000 + 1):
            features = PairFeatures(self.rows.index[some], self.rows.value[some])
            given_up = np.zeros((len(some), len(self.rows)))
            owners = self.rows.owners[some]
            given_up[np.arange(len(some)), owners] = self.family.deepest(features, self._scale)
            dense = self.rows.dense(some, self.family.size) * self._scale
            add_rows(self._solver, in_unit(np.hstack([dense, given_up])), 0.0, INFINITY)
        return len(new)

    def run(self, seconds: float) -> float:
        """Until nothing is broken that was not given up, or the estimated seconds are spent.

        Returns those that it took.
        """
        worked, many = 0.0, self.family.size
        while self.bound - self.linked > CLOSE and worked < seconds:
            worked += run_integer_program(self._solver, seconds - worked)
            loss = least_loss(self._solver, self.rows.worth[self.rows.possible])
            self.bound = max(min(self.bound, self.rows.total - loss), self.linked)
            values = np.array(self._solver.getSolution().col_value)
            if not values.any():
                break
            outside = values[:many] * self._scale
            point = self.family.mended(outside)
            least, rows = self.rows.least(point)
            kept = (values[many:] < 0.5) & self.rows.possible
            count = self.rows.count(point)
            if count > self.linked + CLOSE:
                self.linked, self.point = count, point
            cuts = self.family.cuts(outside)
            self._add(cuts * self._scale, 0.0, INFINITY)
            if not self.watch(rows[kept & (least < 0)]) and not len(cuts):
                break
        return worked
