"""HiGHS, the solver of linear and integer programs: one thread, and not a word on the terminal."""

from typing import Any

import numpy as np

from unveil.support.arrays import Floats
from unveil.support.work import CHECK, PROGRAM

INFINITY = np.inf


def new_solver(**options: Any) -> Any:
    """A program without rows and columns.

    >>> new_solver().getNumRow()
    0
    """
    import highspy

    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for name, value in {"output_flag": False, "threads": 1, **options}.items():
        solver.setOptionValue(name, value)
    return solver


def add_rows(solver: Any, rows: Floats, low: float | Floats, high: float) -> range:
    """Rows between two limits; says which they are in the program."""
    first, many = solver.getNumRow(), len(rows)
    there = rows != 0
    starts = np.concatenate([[0], np.cumsum(there.sum(axis=1))])[:-1]
    solver.addRows(
        many,
        np.broadcast_to(np.asarray(low, np.float64), many).copy(),
        np.full(many, high),
        int(there.sum()),
        starts.astype(np.int32),
        np.nonzero(there)[1].astype(np.int32),
        rows[there],
    )
    return range(first, first + many)


def add_columns(
    solver: Any, lows: Floats, highs: Floats, costs: Floats | None = None, *, whole: bool = False
) -> None:
    """Variables between two limits, and what each costs: nothing, if that is not said."""
    import highspy

    first, many = solver.getNumCol(), len(lows)
    solver.addVars(many, lows, highs)
    columns = np.arange(first, first + many, dtype=np.int32)
    if costs is not None:
        solver.changeColsCost(many, columns, costs)
    if whole:
        kinds = np.full(many, highspy.HighsVarType.kInteger)
        solver.changeColsIntegrality(many, columns, kinds)


def run_integer_program(solver: Any, seconds: float) -> float:
    """Solve an integer program within estimated seconds; returns those that it took.

    The solver checks for an interruption at the same places of the search on every machine; these
    checks are counted. What it has proven when it is interrupted holds.
    """
    if np.isinf(seconds):
        solver.run()
        return 0.0
    each, checks = CHECK * int(solver.getNumNz()), 0

    def check(event: Any) -> None:
        nonlocal checks
        checks += 1
        if each * checks > seconds:
            event.interrupt()

    solver.cbMipInterrupt += check
    solver.run()
    solver.cbMipInterrupt -= check
    return PROGRAM + each * checks


def is_solved(solver: Any) -> bool:
    """Whether the last run came to an end."""
    import highspy

    return bool(solver.getModelStatus() == highspy.HighsModelStatus.kOptimal)
