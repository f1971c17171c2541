"""The values of a reproduction: tables, claims and charts of a paper, ours beside theirs."""

from collections import Counter
from typing import Literal, get_args

import msgspec

Mark = Literal["same", "different", "not reproducible", "ours"]
Verdict = Literal["holds", "holds in part", "does not hold", "cannot be tested"]
TINY = 1e-4  # a figure below it is written with its exponent
SIGNS: dict[Mark, str] = {"same": "=", "different": "≠", "not reproducible": "∅", "ours": ""}


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One figure, ours beside theirs."""

    row: str
    column: str
    theirs: str | None = None  # as printed; None: the paper prints nothing
    ours: float | None = None
    error: float | None = None  # standard error, of the difference where a figure is printed
    runs: int = 0  # whose mean ours is; 0: nothing is drawn
    mark: Mark = "ours"  # also where nothing is printed, or our runs are too few
    why: str = ""  # it is not the same


class ComparedTable(msgspec.Struct, frozen=True, kw_only=True):
    """A published table, or one of ours beside it."""

    name: str
    title: str
    unit: str
    yardstick: str  # when a cell is the same, in words; nothing to compare with: ""
    digits: int  # of our figures
    cells: tuple[Cell, ...]

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of the rows, in order."""
        return tuple(dict.fromkeys(cell.row for cell in self.cells))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(dict.fromkeys(cell.column for cell in self.cells))

    def written(self, cell: Cell) -> str:
        """Our figure of a cell, with its standard error.

        >>> table = ComparedTable(name="", title="", unit="%", yardstick="", digits=1, cells=())
        >>> table.written(Cell(row="", column="", ours=98.47, error=0.25))
        '98.5 ± 0.2'
        >>> table.written(Cell(row="", column="", ours=1.0138e-7))
        '1.01e-07'
        """
        if cell.ours is None:
            return ""
        said = _written(cell.ours, self.digits)
        return said if cell.error is None else f"{said} ± {_written(cell.error, self.digits)}"

    def at(self, row: str, column: str) -> Cell | None:
        """The cell of a row and a column; None: there is none."""
        found = (cell for cell in self.cells if (cell.row, cell.column) == (row, column))
        return next(found, None)

    def reasons(self) -> dict[str, list[Cell]]:
        """Why cells are as they are, each with those that it is said of."""
        found: dict[str, list[Cell]] = {}
        for cell in self.cells:
            if cell.why:
                found.setdefault(cell.why, []).append(cell)
        return found


def _written(value: float, digits: int) -> str:
    return f"{value:.3g}" if 0 < abs(value) < TINY else f"{value:.{digits}f}"


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """What a paper says in words, and whether it holds."""

    number: int
    where: str
    says: str
    verdict: Verdict
    because: str


class LineChart(msgspec.Struct, frozen=True, kw_only=True):
    """A figure: named lines through points."""

    name: str
    title: str
    x: str
    y: str
    says: str  # for those who do not see it
    points: tuple[tuple[str, float, float], ...]  # line, x, y
    logarithmic: bool = False


class Reproduction(msgspec.Struct, frozen=True, kw_only=True):
    """One paper, reproduced."""

    name: str
    title: str
    source: str  # who, where, when
    setting: tuple[str, ...]  # how everything was run, in sentences
    tables: tuple[ComparedTable, ...]
    claims: tuple[Claim, ...] = ()
    curves: tuple[LineChart, ...] = ()

    def marks(self) -> dict[Mark, int]:
        """How many cells have each mark, but for those that are ours alone."""
        found = Counter(cell.mark for table in self.tables for cell in table.cells)
        return {mark: found[mark] for mark in get_args(Mark) if mark != "ours"}

    def verdicts(self) -> dict[Verdict, int]:
        """How many claims hold, and how many do not."""
        found = Counter(claim.verdict for claim in self.claims)
        return {verdict: found[verdict] for verdict in get_args(Verdict)}


class Reproductions(msgspec.Struct, frozen=True, kw_only=True):
    """Several papers, reproduced with one seed."""

    papers: tuple[Reproduction, ...]
    seed: int
    quick: bool
    version: str

    def __getitem__(self, name: str) -> Reproduction:
        """One paper by its name."""
        return next(paper for paper in self.papers if paper.name == name)

    def compared(self) -> list[Reproduction]:
        """Those that have anything to compare with: claims, or printed figures."""
        return [one for one in self.papers if one.claims or any(one.marks().values())]
