"""HiGHS, the solver of linear and integer programs: one thread, no output."""

from typing import Any

import numpy as np

from unveil.support.arrays import Floats
from unveil.support.work import CHECK_SECONDS, PROGRAM_SECONDS

INFINITY = np.inf


def new_solver(**options: Any) -> Any:
    """A program without rows and columns."""
    import highspy

    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for name, value in {"output_flag": False, "threads": 1, **options}.items():
        solver.setOptionValue(name, value)
    return solver


def add_rows(solver: Any, rows: Floats, low: float | Floats, high: float) -> range:
    """Add rows between two limits; returns their numbers in the program."""
    first, n = solver.getNumRow(), len(rows)
    nonzero = rows != 0
    starts = np.concatenate([[0], np.cumsum(nonzero.sum(axis=1))])[:-1]
    solver.addRows(
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
    solver: Any, lows: Floats, highs: Floats, costs: Floats | None = None, *, integer: bool = False
) -> None:
    """Add variables between two limits, with their costs in the objective: none by default."""
    import highspy

    first, n = solver.getNumCol(), len(lows)
    solver.addVars(n, lows, highs)
    columns = np.arange(first, first + n, dtype=np.int32)
    if costs is not None:
        solver.changeColsCost(n, columns, costs)
    if integer:
        solver.changeColsIntegrality(n, columns, np.full(n, highspy.HighsVarType.kInteger))


def run_integer_program(solver: Any, seconds: float) -> float:
    """Solve an integer program within estimated seconds; returns those used.

    The solver checks for an interruption at the same places of the search on every machine; these
    checks are counted. What is proven before an interruption holds.
    """
    if np.isinf(seconds):
        solver.run()
        return 0.0
    per_check, checks = CHECK_SECONDS * int(solver.getNumNz()), 0

    def check(event: Any) -> None:
        nonlocal checks
        checks += 1
        if per_check * checks > seconds:
            event.interrupt()

    solver.cbMipInterrupt += check
    solver.run()
    solver.cbMipInterrupt -= check
    return PROGRAM_SECONDS + per_check * checks


def is_solved(solver: Any) -> bool:
    """Whether the last run found an optimum."""
    import highspy

    return bool(solver.getModelStatus() == highspy.HighsModelStatus.kOptimal)
