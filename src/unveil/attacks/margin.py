"""Whether records can be linked all together: the widest margin, by a linear program.

The margin is the least row of these records, each row in units of its largest number. Rows come
into the program when they are broken, and a record's rows are in force or not. Where the widest
margin is not positive, the program's multipliers say which records are in each other's way; that
this is so is not taken from the solver but computed from them, so that no tolerance of a solver
decides it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unveil.attacks.families import Family
    from unveil.attacks.inequalities import Inequalities
    from unveil.data.encode import Floats, Ints, Mask

ROUNDING = 1e-12  # a margin of this share of a row is none: it is what 64 bits leave
OPTIONS = {
    "output_flag": False,
    "threads": 1,
    "presolve": "off",
    "solver": "simplex",
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}
LEAST_SCALE = 1e-4  # of the greatest parameter: how small one may be taken to be, for the digits
CUTS = 30  # rounds of rows that the cone was lacking


@dataclass(frozen=True)
class Together:
    """Parameters that link all of some records."""

    point: Floats


@dataclass(frozen=True)
class Apart:
    """Some of the records that nothing links all together."""

    records: tuple[int, ...]


@dataclass(frozen=True)
class Unclear:
    """The solver did not say, or not well enough."""

    point: Floats | None = None


class Margin:
    """The widest margin by which records can be linked, for one set of them after another."""

    def __init__(self, rows: Inequalities, family: Family, point: Floats) -> None:
        import highspy

        self.rows, self.family, self.solved = rows, family, 0
        size = np.abs(point)
        self._scale = np.maximum(size, LEAST_SCALE * size.max())
        self._solver = highspy.Highs()
        for name, value in OPTIONS.items():
            self._solver.setOptionValue(name, value)
        self._infinity = highspy.kHighsInf
        self._optimal = highspy.HighsModelStatus.kOptimal
        lower = np.where(family.free, -self._infinity, 0.0)
        for least in lower.tolist():
            self._solver.addVar(least, self._infinity)
        self._solver.addVar(-self._infinity, 1.0)
        self._solver.changeColCost(family.size, -1.0)
        self._normal = family.normal(self._scale) * self._scale
        self._most = family.most(self._scale) / self._scale
        self._cone = np.zeros((0, family.size))
        self._add(self._normal[None], 1.0, 1.0)
        self._places: list[int] = [0]  # of the cone's rows; the first is the normal
        self._extend_cone(family.cone)
        self._row: dict[int, int] = {}  # of the inequality, the program's
        self._numbers: list[Floats] = []  # the rows in the program, scaled
        self._at: list[int] = []  # where they are in it
        self._of: list[list[int]] = [[] for _ in range(len(rows))]  # each record's, in the program
        self._owner: list[int] = []
        self._in_force = np.zeros(len(rows), np.bool_)

    def _add(self, dense: Floats, low: float | Floats, high: float, margin: float = 0.0) -> int:
        """Rows into the program; says where the first is."""
        first = self._solver.getNumRow()
        full = np.hstack([dense, np.full((len(dense), 1), margin)])
        where = full != 0
        starts = np.concatenate([[0], np.cumsum(where.sum(axis=1))])[:-1]
        lows = np.broadcast_to(np.asarray(low, np.float64), len(dense)).copy()
        self._solver.addRows(
            len(dense),
            lows,
            np.full(len(dense), high),
            int(where.sum()),
            starts.astype(np.int32),
            np.nonzero(where)[1].astype(np.int32),
            full[where],
        )
        return int(first)

    def _extend_cone(self, dense: Floats) -> None:
        if not len(dense):
            return
        scaled = dense * self._scale
        scaled /= np.abs(scaled).max(axis=1, keepdims=True)
        first = self._add(scaled, 0.0, self._infinity)
        self._places += range(first, first + len(scaled))
        self._cone = np.vstack([self._cone, scaled])

    def watch(self, which: Ints | list[int]) -> None:
        """Take rows of the inequalities into the program."""
        new = [row for row in dict.fromkeys(np.asarray(which).tolist()) if row not in self._row]
        if not new:
            return
        dense = np.zeros((len(new), self.family.size))
        at = np.arange(len(new))[:, None]
        np.add.at(dense, (at, self.rows.index[new]), self.rows.value[new])
        dense *= self._scale
        largest = np.abs(dense).max(axis=1, keepdims=True)
        dense /= np.where(largest > 0, largest, 1.0)
        owners = self.rows.owners[new].tolist()
        low = np.where(self._in_force[owners], 0.0, -self._infinity)
        first = self._add(dense, low, self._infinity, margin=-1.0)
        for place, (row, owner) in enumerate(zip(new, owners, strict=True)):
            self._row[row] = first + place
            self._of[owner].append(first + place)
        self._numbers += list(dense)
        self._at += range(first, first + len(new))
        self._owner += owners

    def of(self, records: Iterable[int]) -> Together | Apart | Unclear:
        """Whether these records can be linked all together."""
        wanted = np.zeros(len(self.rows), np.bool_)
        wanted[list(records)] = True
        self._enforce(wanted)
        cut = 0
        while True:
            found = self._solve()
            if found is None:
                return Unclear()
            point, margin, dual = found
            if margin <= ROUNDING:
                return self._blamed(dual, point)
            if margin <= 1e-9 and isinstance(blame := self._blamed(dual, point), Apart):
                return blame
            inside = self.family.mended(point)
            least, rows = self.rows.least(inside)
            broken = rows[wanted & (least <= 0)].tolist()
            if not broken:
                return Together(inside)
            outside = self.family.cuts(point)
            new = [row for row in broken if row not in self._row]
            if not new and (not len(outside) or cut >= CUTS):
                return Unclear(inside)  # too little room for 64 bits, or for the cone's cuts
            self.watch(new)
            self._extend_cone(outside)
            cut += 1

    def _enforce(self, wanted: Mask) -> None:
        """Put the rows of these records in force, and no others'."""
        rows: list[int] = []
        lows: list[float] = []
        for record in np.flatnonzero(wanted != self._in_force).tolist():
            rows += self._of[record]
            lows += [0.0 if wanted[record] else -self._infinity] * len(self._of[record])
        if rows:
            high = np.full(len(rows), self._infinity)
            self._solver.changeRowsBounds(len(rows), np.array(rows, np.int32), np.array(lows), high)
        self._in_force = wanted

    def _solve(self) -> tuple[Floats, float, Floats] | None:
        """The parameters, their margin, and the multipliers of all rows."""
        self.solved += 1
        for _ in range(2):
            self._solver.run()
            if self._solver.getModelStatus() == self._optimal:
                found: Any = self._solver.getSolution()
                values = np.array(found.col_value)
                return values[:-1] * self._scale, float(values[-1]), np.array(found.row_dual)
            self._solver.clearSolver()  # and once more, from the beginning
        return None

    def _blamed(self, dual: Floats, point: Floats) -> Apart | Unclear:
        """The records that the multipliers set against each other, where they prove it.

        Any multipliers give a bound on the margin: the sum of the rows is at most as positive
        as what it comes to where parameters are as large as they can be.
        """
        if not self._at:
            return Unclear(point)
        weights = np.maximum(dual[self._at], 0.0)
        weights[~self._in_force[self._owner]] = 0.0
        total = weights.sum()
        if not total > 0:
            return Unclear(point)
        weights /= total
        blamed = np.flatnonzero(weights)
        summed = weights[blamed] @ np.array([self._numbers[row] for row in blamed])
        if len(self._cone):
            summed = summed + np.maximum(dual[self._places[1:]] / total, 0.0) @ self._cone
        margin = -float(dual[0]) / total
        over = summed - margin * self._normal
        over = np.where(self.family.free, np.abs(over), np.maximum(over, 0.0))
        if margin + float((over * self._most).sum()) > ROUNDING:
            return Unclear(point)
        return Apart(tuple(sorted({self._owner[row] for row in blamed.tolist()})))
