"""The yardstick: when our figure counts as the same as the printed one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm, t

from unveil_papers.framework.published import Published
from unveil_papers.framework.reproduction import Cell, ComparedTable, Mark

Ours = float | Sequence[float] | None  # one figure, or one of each run
Reason = str | Callable[[str, str], str]  # for every cell, or for a row and a column
FEWEST = 5  # runs of which a mark is made: with fewer almost nothing would be different
ENOUGH = 50  # runs from which Student's t is as good as normal
ERRORS = 3  # standard errors that a figure may be away
BEYOND = 2 * norm.sf(ERRORS)  # how seldom a normal variable is farther away
ROUNDING = 1e-9
EXACTLY = "same: equal in every printed digit"
CUT_OFF = f"{EXACTLY}, or cut off there"


def compare_table(
    published: Published,
    name: str,
    ours: Callable[[str, str], Ours],
    *,
    digits: int,
    why: Reason = "",
    impossible: Reason = "",
    within: float = 0.0,
) -> ComparedTable:
    """A published table with our figures, each marked.

    Fewer than five runs have no mark: Student's t would allow hundreds of standard errors.

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
    cells, drawn = [], set[int]()
    for row, column, printed in table.printed():
        found = summarise(ours(row, column), table.runs)
        excuse, few = _reason(impossible, row, column), _too_few(found.runs)
        if printed is None:
            mark, said = "ours", ""
        elif excuse:
            mark, said = "not reproducible", excuse
        elif few:
            mark, said = "ours", few
        else:
            mark = _mark(printed, found, within=within, truncated=table.truncated)
            said = _reason(why, row, column) if mark == "different" else ""
            drawn |= {found.runs} - {0}
        cells.append(_cell(row, column, found, theirs=printed, mark=mark, why=said))
    words = _by_runs(drawn) if drawn else CUT_OFF if table.truncated else EXACTLY
    if not drawn and any(cell.runs for cell in cells):
        words = f"fewer than {FEWEST} runs have no mark"
    return ComparedTable(
        name=name, title=table.title, unit=table.unit, digits=digits, cells=tuple(cells),
        yardstick=f"same: within {within:.0%}" if within else words,
    )  # fmt: skip


def _cell(row: str, column: str, summary: RunSummary, **given: Any) -> Cell:
    return Cell(
        row=row, column=column, ours=summary.value, error=summary.error, runs=summary.runs, **given
    )


def own_table(name: str, title: str, unit: str, rows: Mapping[str, Mapping[str, Ours]], *,
          digits: int, why: Reason = "") -> ComparedTable:  # fmt: skip
    """A table of our figures, where nothing was printed."""
    cells = []
    for row, columns in rows.items():
        for column, figures in columns.items():
            said = _reason(why, row, column)
            cells.append(_cell(row, column, summarise(figures), why=said))
    return ComparedTable(
        name=name, title=title, unit=unit, yardstick="", digits=digits, cells=tuple(cells)
    )


class RunSummary(NamedTuple):
    """The mean of runs, its standard error and their number; no runs where nothing is random."""

    value: float | None
    error: float | None = None
    runs: int = 0

    @property
    def allowed(self) -> float:
        """The distance that chance explains: three standard errors, more if runs are few."""
        return 0.0 if self.error is None else times(self.runs) * self.error


def summarise(ours: Ours, theirs: int | None = None) -> RunSummary:
    """The mean of our runs, with the error of its difference from a mean of `theirs` runs.

    >>> summarise([2.0, 2.0])
    RunSummary(value=2.0, error=0.0, runs=2)
    >>> summarise(2, 100)
    RunSummary(value=2.0, error=None, runs=0)
    """
    if ours is None or isinstance(ours, int | float | np.floating | np.integer):
        return RunSummary(None if ours is None else float(ours))
    runs = np.asarray(ours, dtype=float)
    if len(runs) < 2:
        return RunSummary(float(runs.mean()), None, len(runs))
    per_run = 1 / len(runs) + (1 / theirs if theirs else 0.0)
    return RunSummary(float(runs.mean()), float(runs.std(ddof=1)) * sqrt(per_run), len(runs))


def times(runs: int) -> float:
    """How many standard errors chance exceeds as seldom as a normal variable exceeds three.

    >>> round(times(100), 2), round(times(5), 1)
    (3.08, 6.6)
    """
    return float(t.isf(BEYOND / 2, runs - 1))


def _by_runs(runs: set[int]) -> str:
    """The yardstick of figures that are drawn, in words."""
    fewest = min(runs)
    more = f" ({times(fewest):.1f} where there are {fewest} runs)" if fewest < ENOUGH else ""
    return (
        f"same: within {ERRORS} standard errors of the difference{more} and the rounding of the "
        "printed digits"
    )


def _too_few(runs: int) -> str:
    """Why so many runs have no mark; "" where they have one, and where nothing is drawn."""
    said = "1 run is" if runs == 1 else f"{runs} runs are"
    return f"{said} too few to tell" if 0 < runs < FEWEST else ""


def _mark(printed: str, ours: RunSummary, *, within: float, truncated: bool) -> Mark:
    if ours.value is None:
        return "not reproducible"
    theirs = float(printed)
    digits = (2 if truncated else 1) * half_a_digit(printed)
    allowed = digits + within * abs(theirs) + ours.allowed
    return "same" if abs(ours.value - theirs) <= allowed * (1 + ROUNDING) else "different"


def half_a_digit(printed: str) -> float:
    """Half a unit of the last digit that is printed.

    >>> half_a_digit("98.4"), half_a_digit("1.12E-7")
    (0.05, 5e-10)
    """
    exponent = Decimal(printed).as_tuple().exponent
    return float(Decimal(5).scaleb(int(exponent) - 1))


def _reason(given: Reason, row: str, column: str) -> str:
    return given if isinstance(given, str) else given(row, column)
