"""Whether some records can all be linked together: the widest margin, by a linear program.

The margin is the least row of these records, each row in units of its largest coefficient. Rows
enter the program when they are violated. Where the widest margin is not positive, the multipliers
of the program name the records in conflict. The conflict is recomputed from the multipliers, so
that no tolerance of the solver decides it.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from unveil.attacks.supervised.constraints import ROW_ROUNDING, LinkageConstraints
from unveil.attacks.supervised.families import Family
from unveil.attacks.supervised.solver import Solver
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.work import COEFFICIENT_SECONDS

NARROWEST_MARGIN = 1e-6  # of a row: a smaller margin may be none
SOLVER_OPTIONS = {
    "presolve": "off",
    "solver": "simplex",
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}
ROUNDS = 200  # of adding violated rows, of the records or of the cone


class Feasibility(NamedTuple):
    """Parameters that link all of some records, or a conflict among them; neither: undecided."""

    point: Floats | None = None  # links all of them, unless it is undecided
    conflict: tuple[int, ...] | None = None
    decided: bool = True


class MarginProgram:
    """The widest margin by which records can be linked, for one set of records after another."""

    def __init__(self, constraints: LinkageConstraints, family: Family, point: Floats) -> None:
        self.constraints, self.family = constraints, family
        self.used_seconds = 0.0  # estimated, of all programs
        self._scale = parameter_scale(point)
        self._solver = Solver(**SOLVER_OPTIONS)
        lows, highs = np.where(family.signed, -np.inf, 0.0), np.full(family.size, np.inf)
        self._solver.add_columns(lows, highs)
        self._solver.add_columns(np.array([-np.inf]), np.ones(1), np.array([-1.0]))  # the margin
        normalisation = family.normalisation(self._scale) * self._scale
        self._solver.add_rows(normalisation[None], 1.0, 1.0)
        self._cone = np.zeros((0, family.size))
        self._cone_numbers: list[int] = []  # of the cone's rows in the program
        self._add_cone(family.cone)
        self._number_of: dict[int, int] = {}  # a constraint's row in the program
        self._in_force = np.zeros(len(constraints), np.bool_)
        tightest = constraints.tightest(point)[0]
        self.add(tightest[tightest >= 0])

    def _add_cone(self, rows: Floats) -> None:
        if len(rows):
            scaled = in_units(rows * self._scale)
            self._cone_numbers += self._solver.add_rows(scaled, 0.0, np.inf)
            self._cone = np.vstack([self._cone, scaled])

    def _scaled(self, rows: list[int]) -> Floats:
        return in_units(self.constraints.dense(rows, self.family.size) * self._scale)

    def add(self, rows: Ints | list[int]) -> None:
        """Add rows of the constraints to the program."""
        unique = dict.fromkeys(np.asarray(rows).tolist())
        new = [row for row in unique if row not in self._number_of]
        if new:
            low = np.where(self._in_force[self.constraints.owners[new]], 0.0, -np.inf)
            less_margin = np.hstack([self._scaled(new), np.full((len(new), 1), -1.0)])
            numbers = self._solver.add_rows(less_margin, low, np.inf)
            self._number_of.update(zip(new, numbers, strict=True))

    def test(self, records: Iterable[int]) -> Feasibility:
        """Whether these records can all be linked together."""
        required = np.zeros(len(self.constraints), np.bool_)
        required[list(records)] = True
        self._enforce(required)
        places = np.flatnonzero(required)
        for _ in range(ROUNDS):
            solution = self._solve()
            if solution is None:
                return Feasibility(decided=False)
            point, margin, multipliers = solution
            if margin <= NARROWEST_MARGIN and (conflict := self._conflict(multipliers)):
                return Feasibility(conflict=conflict)
            inside = self.family.project(point)
            self.used_seconds += COEFFICIENT_SECONDS * self.constraints.index.size
            rows, slack = self.constraints.tightest_of(places, inside)
            violated = rows[slack <= ROW_ROUNDING].tolist()
            if not violated:
                return Feasibility(inside)
            cuts = self.family.cuts(point)
            if self._number_of.keys() >= set(violated) and not len(cuts):
                break
            self.add(violated)
            self._add_cone(cuts)
        return Feasibility(inside, decided=False)  # too narrow for 64 bits, or for the cone's cuts

    def _enforce(self, required: Bools) -> None:
        """Put the rows of these records in force, and no others."""
        owners = self.constraints.owners[list(self._number_of)]
        changed = np.flatnonzero(required[owners] != self._in_force[owners])
        if len(changed):
            numbers = np.array(list(self._number_of.values()), np.int32)[changed]
            low = np.where(required[owners[changed]], 0.0, -np.inf)
            high = np.full(len(changed), np.inf)
            self._solver.highs.changeRowsBounds(len(changed), numbers, low, high)
        self._in_force = required

    def _solve(self) -> tuple[Floats, float, Floats] | None:
        """The parameters, their margin, and the multipliers of all rows."""
        for _ in range(2):
            self.used_seconds += self._solver.run_linear()
            if self._solver.is_solved():
                values = self._solver.values()
                multipliers = np.array(self._solver.highs.getSolution().row_dual)
                return values[:-1] * self._scale, float(values[-1]), multipliers
            self._solver.highs.clearSolver()  # and once more, from the beginning
        return None

    def _conflict(self, multipliers: Floats) -> tuple[int, ...]:
        """The records that the multipliers prove to be in conflict; empty: they prove nothing.

        If all rows are positive, so is their sum. The family decides whether any parameters make
        this sum positive.
        """
        weights = {
            row: multipliers[number]
            for row, number in self._number_of.items()
            if multipliers[number] > 0.0
        }
        if not weights:
            return ()
        used, values = list(weights), np.array(list(weights.values()))
        rows = self._scaled(used) / self._scale
        row_sum, magnitude = values @ rows, values @ np.abs(rows)
        cone = np.maximum(multipliers[self._cone_numbers], 0.0) @ self._cone / self._scale
        if not self.family.never_positive(row_sum, row_sum + cone, magnitude):
            return ()
        return tuple(np.unique(self.constraints.owners[used]).tolist())


def parameter_scale(point: Floats) -> Floats:
    """The unit of each parameter in a program: its size, or a small share of the largest."""
    size = np.abs(point)
    scale: Floats = np.maximum(size, 1e-4 * size.max())
    return scale


def in_units(rows: Floats) -> Floats:
    """Each row in units of its largest coefficient."""
    largest = np.abs(rows).max(axis=1, keepdims=True)
    scaled: Floats = rows / np.where(largest > 0, largest, 1.0)
    return scaled
