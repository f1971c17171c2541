"""HiGHS, the solver of linear and integer programs: one thread, no output."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from unveil.support.arrays import Floats
from unveil.support.work import CHECK_SECONDS, PIVOT_SECONDS, PROGRAM_SECONDS


class Solver:
    """A program of HiGHS, at first without rows and columns."""

    def __init__(self, **options: Any) -> None:
        import highspy

        self.highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        for name, value in {"output_flag": False, "threads": 1, **options}.items():
            self.highs.setOptionValue(name, value)

    def add_rows(self, rows: Floats, low: float | Floats, high: float) -> range:
        """Add rows between two limits; returns their numbers in the program."""
        first, n = self.highs.getNumRow(), len(rows)
        nonzero = rows != 0
        starts = np.concatenate([[0], np.cumsum(nonzero.sum(axis=1))])[:-1]
        self.highs.addRows(
            n,
            np.broadcast_to(np.asarray(low, np.float64), n).copy(),
            np.full(n, high),
            int(nonzero.sum()),
            starts.astype(np.int32),
            np.nonzero(nonzero)[1].astype(np.int32),
            rows[nonzero],
        )
        return range(first, first + n)

    def add_columns(
        self, lows: Floats, highs: Floats, costs: Floats | None = None, *, integer: bool = False
    ) -> None:
        """Add variables between two limits, with their costs in the objective: none by default."""
        import highspy

        first, n = self.highs.getNumCol(), len(lows)
        self.highs.addVars(n, lows, highs)
        columns = np.arange(first, first + n, dtype=np.int32)
        if costs is not None:
            self.highs.changeColsCost(n, columns, costs)
        if integer:
            kinds = np.full(n, highspy.HighsVarType.kInteger)
            self.highs.changeColsIntegrality(n, columns, kinds)

    def run_linear(self) -> float:
        """Solve a linear program; returns the estimated seconds used."""
        self.highs.run()
        pivots = self.highs.getInfo().simplex_iteration_count
        return PROGRAM_SECONDS + PIVOT_SECONDS * int(pivots) * int(self.highs.getNumNz())

    def run_integer(self, seconds: float) -> float:
        """Solve an integer program within estimated seconds; returns those used.

        HiGHS checks for an interruption at the same places of the search on every machine; these
        checks are counted. What is proven before an interruption holds.
        """
        if np.isinf(seconds):
            self.highs.run()
            return 0.0
        per_check, checks = CHECK_SECONDS * int(self.highs.getNumNz()), 0

        def check(event: Any) -> None:
            nonlocal checks
            checks += 1
            if per_check * checks > seconds:
                event.interrupt()

        self.highs.cbMipInterrupt += check
        self.highs.run()
        self.highs.cbMipInterrupt -= check
        return PROGRAM_SECONDS + per_check * checks

    def is_solved(self) -> bool:
        """Whether the last run found an optimum."""
        return bool(self.highs.modelStatusToString(self.highs.getModelStatus()) == "Optimal")

    def values(self) -> Floats:
        """The variables after the last run."""
        return np.array(self.highs.getSolution().col_value)


@dataclass
class Budget:
    """Limits on estimated seconds of counted work and on linear programs; None: no limit."""

    seconds: float | None
    programs: int | None
    used_seconds: float = 0.0
    used_programs: int = 0

    def spend(self, seconds: float, *, programs: int = 0) -> None:
        """Count work that was done."""
        self.used_seconds += seconds
        self.used_programs += programs

    @property
    def seconds_left(self) -> float:
        """Estimated seconds; infinite without a limit."""
        return float("inf") if self.seconds is None else self.seconds - self.used_seconds

    @property
    def out_of_seconds(self) -> bool:
        """Whether the seconds are spent."""
        return self.seconds_left <= 0

    @property
    def exhausted(self) -> bool:
        """Whether the seconds or the linear programs are spent."""
        too_many = self.programs is not None and self.used_programs >= self.programs
        return too_many or self.out_of_seconds
