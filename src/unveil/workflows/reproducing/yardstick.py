"""When a figure is the same as the printed one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import norm, t

from unveil.data.reproduction import Cell, Table

if TYPE_CHECKING:
    from unveil.data.reproduction import Mark
    from unveil.workflows.reproducing.published import Published

Ours = float | Sequence[float] | None  # one figure, or one of each run
Reason = str | Callable[[str, str], str]  # for every cell, or for a row and a column
FEWEST = 4  # runs of which a mark is made: with fewer almost nothing would be different
ERRORS = 3  # standard errors that a figure may be away
BEYOND = 2 * norm.sf(ERRORS)  # how seldom a normal variable is farther away
ROUNDING = 1e-9
BY_RUNS = (
    f"same: within {ERRORS} standard errors of the difference (of Student's t where runs are few) "
    "and the rounding of the printed digits"
)
EXACTLY = "same: equal in every printed digit"


def compared(
    published: Published,
    name: str,
    ours: Callable[[str, str], Ours],
    *,
    digits: int,
    why: Reason = "",
    impossible: Reason = "",
    within: float = 0.0,
) -> Table:
    """Our figures beside the printed ones, each marked.

    Fewer than four runs have no mark: Student's t would allow hundreds of standard errors.

    Parameters
    ----------
    published, name
        The paper, and which of its tables.
    ours
        Our figure for a row and a column, or those of all runs; None: none.
    digits
        Of our figures.
    why
        Why a cell is different, for those that are.
    impossible
        Why a cell cannot be reproduced; "" where it can.
    within
        Where nothing is drawn: how far a figure may be away, as a share of the printed one.
    """
    table = published.tables[name]
    cells, drawn = [], False
    for row, column, printed in table.printed():
        figures = ours(row, column)
        value, error, times = summed_up(figures, table.runs)
        drawn |= error is not None
        few = _too_few(figures) if printed is not None else ""
        excuse = _reason(impossible, row, column) if printed is not None else ""
        allowed = _allowed(printed, within=within, truncated=table.truncated)
        mark = "ours" if few else _mark(printed, value, allowed + times * (error or 0.0))
        if printed is not None and excuse:
            mark = "not reproducible"
        cells.append(
            Cell(
                row=row, column=column, theirs=printed, ours=value, error=error, mark=mark,
                why=excuse or few or (_reason(why, row, column) if mark == "different" else ""),
            )
        )  # fmt: skip
    words = BY_RUNS if drawn else EXACTLY if not within else f"same: within {within:.0%}"
    return Table(
        name=name, title=table.title, unit=table.unit, yardstick=words, digits=digits,
        cells=tuple(cells),
    )  # fmt: skip


def alone(name: str, title: str, unit: str, rows: Mapping[str, Mapping[str, Ours]], *,
          digits: int, why: Reason = "") -> Table:  # fmt: skip
    """A table of ours, where nothing was printed: rows of columns, and what is said of cells."""
    cells = []
    for row, columns in rows.items():
        for column, figures in columns.items():
            value, error, _ = summed_up(figures, None)
            said = _reason(why, row, column)
            cells.append(Cell(row=row, column=column, ours=value, error=error, why=said))
    return Table(name=name, title=title, unit=unit, yardstick="", digits=digits, cells=tuple(cells))


def summed_up(ours: Ours, theirs: int | None) -> tuple[float | None, float | None, float]:
    """The mean, its standard error (with that of `theirs` runs), and how many of it are allowed.

    >>> summed_up([2.0, 2.0], None)[:2]
    (2.0, 0.0)
    >>> summed_up(2, 100)
    (2.0, None, 0.0)
    """
    if ours is None or isinstance(ours, int | float | np.floating | np.integer):
        return None if ours is None else float(ours), None, 0.0
    runs = np.asarray(ours, dtype=float)
    if len(runs) < 2:
        return float(runs.mean()), None, 0.0
    per_run = 1 / len(runs) + (1 / theirs if theirs else 0.0)
    error = float(runs.std(ddof=1)) * sqrt(per_run)
    return float(runs.mean()), error, float(t.isf(BEYOND / 2, len(runs) - 1))


def _too_few(ours: Ours) -> str:
    """Why runs have no mark; "" where they have one, and where nothing is drawn."""
    if ours is None or isinstance(ours, int | float | np.floating | np.integer):
        return ""
    many = len(ours)
    said = "1 run is" if many == 1 else f"{many} runs are"
    return f"{said} too few to tell" if many < FEWEST else ""


def _allowed(printed: str | None, *, within: float, truncated: bool) -> float:
    """How far a figure may be away from the printed one, but for chance."""
    if printed is None:
        return 0.0
    return (2 if truncated else 1) * half_a_digit(printed) + within * abs(float(printed))


def _mark(printed: str | None, ours: float | None, allowed: float) -> Mark:
    if printed is None:
        return "ours"
    if ours is None:
        return "not reproducible"
    away = abs(ours - float(printed))
    return "same" if away <= allowed * (1 + ROUNDING) else "different"


def half_a_digit(printed: str) -> float:
    """Half a unit of the last digit that is printed.

    >>> half_a_digit("98.4"), half_a_digit("1.12E-7")
    (0.05, 5e-10)
    """
    exponent = Decimal(printed).as_tuple().exponent
    return float(Decimal(5).scaleb(int(exponent) - 1))


def _reason(given: Reason, row: str, column: str) -> str:
    return given if isinstance(given, str) else given(row, column)
