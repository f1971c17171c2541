"""Whether records can be linked all together: the widest margin, by a linear program.

The margin is the least row of these records, each row in units of its largest number. Rows come
into the program when they are broken, and a record's rows are in force or not. Where the widest
margin is not positive, the program's multipliers say which records are in each other's way; that
this is so is not taken from the solver but computed from them, so that no tolerance of a solver
decides it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from unveil.attacks.supervised.constraints import CLEAR, LinkageConstraints
from unveil.attacks.supervised.families import Family
from unveil.attacks.supervised.solver import INFINITY, add_columns, add_rows, is_solved, new_solver
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.work import NUMBER, PIVOT, PROGRAM

NARROW = 1e-6  # a margin of this share of a row may be none
OPTIONS = {
    "presolve": "off",
    "solver": "simplex",
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}
ROUNDS = 200  # of rows that were lacking, of the records or of the cone


@dataclass(frozen=True)
class Feasible:
    """Parameters that link all of some records."""

    point: Floats


@dataclass(frozen=True)
class Infeasible:
    """Some of the records that nothing links all together."""

    records: tuple[int, ...]


@dataclass(frozen=True)
class Undecided:
    """The solver did not say, or not well enough."""

    point: Floats | None = None


class MarginProgram:
    """The widest margin by which records can be linked, for one set of them after another."""

    def __init__(self, rows: LinkageConstraints, family: Family, point: Floats) -> None:
        self.rows, self.family = rows, family
        self._scale = usual_size(point)
        self._normal = family.normal(self._scale) * self._scale
        self._solver = new_solver(**OPTIONS)
        many = family.size
        lows = np.where(family.free, -INFINITY, 0.0)
        add_columns(self._solver, lows, np.full(many, INFINITY))
        margin = np.array([-INFINITY]), np.ones(1)
        add_columns(self._solver, *margin, np.array([-1.0]))
        add_rows(self._solver, self._normal[None], 1.0, 1.0)
        self._cone, self._cone_at = np.zeros((0, many)), list[int]()  # its rows, in the program
        self._widen(family.cone)
        self._row: set[int] = set()  # the inequalities that are in the program
        self._numbers: list[Floats] = []  # these, scaled
        self._at: list[int] = []  # where they are in it
        self._owner: list[int] = []
        self._of: list[list[int]] = [[] for _ in range(len(rows))]  # each record's, in the program
        self._in_force = np.zeros(len(rows), np.bool_)
        self.worked = 0.0  # estimated seconds of all programs

    def _widen(self, rows: Floats) -> None:
        """Take in rows of the family's cone."""
        if len(rows):
            scaled = in_unit(rows * self._scale)
            self._cone_at += add_rows(self._solver, scaled, 0.0, INFINITY)
            self._cone = np.vstack([self._cone, scaled])

    def watch(self, which: Ints | list[int]) -> None:
        """Take in rows of the inequalities."""
        new = [row for row in dict.fromkeys(np.asarray(which).tolist()) if row not in self._row]
        if not new:
            return
        dense = in_unit(self.rows.dense(new, self.family.size) * self._scale)
        owners = self.rows.owners[new].tolist()
        low = np.where(self._in_force[owners], 0.0, -INFINITY)
        less_margin = np.hstack([dense, np.full((len(new), 1), -1.0)])
        for place, owner in zip(
            add_rows(self._solver, less_margin, low, INFINITY), owners, strict=True
        ):
            self._at.append(place)
            self._of[owner].append(place)
        self._row.update(new)
        self._numbers += list(dense)
        self._owner += owners

    def of(self, records: Iterable[int]) -> Feasible | Infeasible | Undecided:
        """Whether these records can be linked all together."""
        wanted = np.zeros(len(self.rows), np.bool_)
        wanted[list(records)] = True
        self._enforce(wanted)
        for _ in range(ROUNDS):
            found = self._solve()
            if found is None:
                return Undecided()
            point, margin, multipliers = found
            if margin <= NARROW and (apart := self._blamed(multipliers)) is not None:
                return apart
            inside = self.family.mended(point)
            self.worked += NUMBER * self.rows.index.size
            least, rows = self.rows.least(inside)
            broken = rows[wanted & (least <= CLEAR)].tolist()
            if not broken:
                return Feasible(inside)
            outside = self.family.cuts(point)
            if self._row.issuperset(broken) and not len(outside):
                break
            self.watch(broken)
            self._widen(outside)
        return Undecided(inside)  # too little room for 64 bits, or for the cone's cuts

    def _enforce(self, wanted: Bools) -> None:
        """Put the rows of these records in force, and no others'."""
        rows: list[int] = []
        lows: list[float] = []
        for record in np.flatnonzero(wanted != self._in_force).tolist():
            rows += self._of[record]
            lows += [0.0 if wanted[record] else -INFINITY] * len(self._of[record])
        if rows:
            high = np.full(len(rows), INFINITY)
            self._solver.changeRowsBounds(len(rows), np.array(rows, np.int32), np.array(lows), high)
        self._in_force = wanted

    def _solve(self) -> tuple[Floats, float, Floats] | None:
        """The parameters, their margin, and the multipliers of all rows."""
        for _ in range(2):
            self._solver.run()
            pivots = self._solver.getInfo().simplex_iteration_count
            self.worked += PROGRAM + PIVOT * pivots * self._solver.getNumNz()
            if is_solved(self._solver):
                found = self._solver.getSolution()
                values = np.array(found.col_value)
                return values[:-1] * self._scale, float(values[-1]), np.array(found.row_dual)
            self._solver.clearSolver()  # and once more, from the beginning
        return None

    def _blamed(self, multipliers: Floats) -> Infeasible | None:
        """The records that the multipliers set against each other, where they prove it.

        Where rows are all positive so is their sum; and the family says whether parameters make
        this sum positive, whatever the solver thought of it.
        """
        weights = np.maximum(multipliers[self._at], 0.0)
        blamed = np.flatnonzero(weights)
        if not len(blamed):
            return None
        rows = np.array([self._numbers[row] for row in blamed]) / self._scale
        summed, size = weights[blamed] @ rows, weights[blamed] @ np.abs(rows)
        cone = np.maximum(multipliers[self._cone_at], 0.0) @ self._cone / self._scale
        if not self.family.excludes(summed, summed + cone, size):
            return None
        return Infeasible(tuple(sorted({self._owner[row] for row in blamed.tolist()})))


def usual_size(point: Floats) -> Floats:
    """The size of each parameter, none next to nothing: the unit that programs count it in."""
    size = np.abs(point)
    least: Floats = np.maximum(size, 1e-4 * size.max())
    return least


def in_unit(rows: Floats) -> Floats:
    """Each row in units of its largest number."""
    largest = np.abs(rows).max(axis=1, keepdims=True)
    scaled: Floats = rows / np.where(largest > 0, largest, 1.0)
    return scaled
