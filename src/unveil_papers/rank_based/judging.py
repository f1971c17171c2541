"""How claims on rank-based record linkage are judged: by contests, row by row."""

from collections.abc import Iterable, Sequence
from functools import partial
from math import ceil, floor
from typing import NamedTuple

import numpy as np

from unveil_papers.framework.contests import Contest, Runs, contest
from unveil_papers.framework.experiment import TrialLog
from unveil_papers.framework.published import Published
from unveil_papers.framework.reproduction import ComparedTable, Verdict
from unveil_papers.framework.verdicts import Judged
from unveil_papers.framework.yardstick import Ours, Reason, compare_table, half_a_digit
from unveil_papers.rank_based.work import FILES, GROUPING, GROUPS, LEVELS, known_rows

DISTANCE, SUM, MAX = "DBRL", "RBRL-Sum", "RBRL-Max"
THREE = (DISTANCE, SUM, MAX)
CENSUS, EIA, BOTH = ("census",), ("eia",), tuple(FILES)
TABLES = {
    "Table 1": "noise",
    "Table 2": "swapping",
    "Table 3": "p-distribution",
    "Table 4": "multiplicative",
}
TEXT = "In the text"  # what is printed there only
MARGIN = 5.0  # points that are a considerable margin
GUESSES = 10  # times what a guess links, which is a threat


class Paper(NamedTuple):
    """What was found and what was printed, by mask, file and level."""

    log: TrialLog
    published: Published

    def runs(self, mask: str, file: str, level: float, attack: str) -> Runs:
        """What an attack links, in percent."""
        if mask == GROUPING:
            return self.log.one("grouped", file, int(level), figure=attack)
        return self.log.by_run("linked", mask, file, level, figure=attack)

    def mean(self, mask: str, file: str, level: float, attack: str) -> float:
        """The mean of the runs."""
        return float(np.mean(self.runs(mask, file, level, attack)))

    def printed(self, table: str, row: str, column: str) -> str:
        """A figure of the paper."""
        return self.published.tables[table].figures()[row, column]

    def table(self, name: str, why: Reason = "") -> ComparedTable:
        """Ours beside theirs."""
        return compare_table(self.published, name, partial(self._ours, name), digits=2, why=why)

    def same(self, name: str, row: str, columns: Iterable[str]) -> bool:
        """Whether some cells of a row are as they were printed."""
        cells = [self.table(name).at(row, column) for column in columns]
        return all(cell is not None and cell.mark == "same" for cell in cells)

    def _ours(self, name: str, row: str, column: str) -> Ours:
        if name in TABLES:
            file, attack = column.split(" ")
            return self.runs(TABLES[name], file.lower(), float(row.rstrip("%")), attack)
        file = name.rpartition(" ")[2].lower()
        return self.runs(GROUPING, file, int(row), column)

    def between(
        self, masks: str | Sequence[str], first: str, second: str, files: Iterable[str] = FILES
    ) -> Contest:
        """One attack against another, on the same releases of a mask or of several."""
        several = [masks] if isinstance(masks, str) else masks
        return contest(
            {
                f"{'' if isinstance(masks, str) else mask + ' '}{FILES[file]} {level:g}": (
                    self.runs(mask, file, level, first),
                    self.runs(mask, file, level, second),
                )
                for mask in several
                for file in files
                for level in (GROUPS[file] if mask == GROUPING else LEVELS[mask])
            }
        )

    def apart(self, first: tuple[str, str], second: tuple[str, str]) -> Contest:
        """All attacks on a mask of a file against the same on another: drawn apart."""
        return contest(
            {
                f"{attack} {level:g}": (
                    self.runs(*first, level, attack),
                    self.runs(*second, level, attack),
                )
                for attack in THREE
                for level in LEVELS[first[0]]
            },
            paired=False,
        )

    def files(self, mask: str) -> Contest:
        """All attacks on Census against the same on EIA."""
        return self.apart((mask, "census"), (mask, "eia"))

    def known(
        self, figure: str, masks: Sequence[str] = (), files: Iterable[str] = FILES
    ) -> Contest:
        """An intruder who knows more against the best attack of the paper."""

        def of(mask: str, file: str, level: float, figure: str) -> Runs:
            runs = self.log.by_run("known", mask, file, level, figure=figure)
            return runs[0] if mask == GROUPING else runs  # in which nothing is drawn

        return contest(
            {
                f"{FILES[file]} {mask} {level:g}": (
                    of(mask, file, level, figure),
                    of(mask, file, level, "paper"),
                )
                for file in files
                for mask, level in known_rows(self.log, file)
                if not masks or mask in masks
            }
        )

    def moved(self, mask: str, level: float, figure: str) -> float:
        """How far ranks of Census moved."""
        return self.log.mean("moved", mask, "census", level, figure=figure)

    def placed(self, mask: str, figure: str, of: Sequence[float]) -> list[float]:
        """How far values of Census moved in positions, level by level."""
        return [self.log.mean("placed", mask, "census", level, figure=figure) for level in of]

    def guess(self, file: str) -> float:
        """What a guess links, in percent."""
        return 100 / self.log.one("described", file, figure="records")


def best_of(
    paper: Paper, mask: str, first: str, files: tuple[str, ...], *, always: bool = False
) -> Judged:
    """One attack against both others."""
    others = [attack for attack in THREE if attack != first]
    contests = [paper.between(mask, first, other, files) for other in others]
    names = (f"{first} over {others[0]}", f"over {others[1]}")
    return both(contests[0], contests[1], names, always=always)


def over_distance(
    paper: Paper, masks: str | Sequence[str], files: tuple[str, ...] = BOTH, *, always: bool = False
) -> Judged:
    """Both rank criteria against distance."""
    contests = [paper.between(masks, by, DISTANCE, files) for by in (SUM, MAX)]
    return both(contests[0], contests[1], (f"{SUM} over {DISTANCE}", f"{MAX}"), always=always)


def both(
    first: Contest, second: Contest, names: tuple[str, str], *, always: bool = False
) -> Judged:
    """Judge by two contests."""
    verdict = joint(*(by_rows(one, always=always) for one in (first, second)))
    return verdict, f"{names[0]}: {first}; {names[1]}: {second}."


def joint(*verdicts: Verdict) -> Verdict:
    """One verdict of several; what is undecided leaves it so, unless it holds in part anyhow.

    >>> joint("holds", "does not hold"), joint("holds", "cannot be tested")
    ('holds in part', 'cannot be tested')
    """
    known = {one for one in verdicts if one != "cannot be tested"}
    if not known:
        return "cannot be tested"
    verdict: Verdict = known.pop() if len(known) == 1 else "holds in part"
    decided = "cannot be tested" not in verdicts or verdict == "holds in part"
    return verdict if decided else "cannot be tested"


def judged_by(result: Contest, who: str, *, always: bool = False) -> Judged:
    """Judge by one contest."""
    return by_rows(result, always=always), f"{who}: {result}."


def by_attack(
    paper: Paper, mask: str, first: str, second: str, who: str, *, always: bool = False
) -> Judged:
    """Judge one attack against another."""
    return judged_by(paper.between(mask, first, second), who, always=always)


def by_file(paper: Paper, mask: str, *, always: bool = False) -> Judged:
    """Judge all attacks on Census against the same on EIA."""
    return judged_by(paper.files(mask), "Of Census", always=always)


def either_way(result: Contest) -> Verdict:
    """Whether the first has more somewhere, and less elsewhere."""
    if result.more and result.less:
        return "holds"
    return "cannot be tested" if result.open else "does not hold"


def not_so(result: Contest) -> Verdict:
    """Whether the first has more nowhere."""
    if result.more:
        return "does not hold"
    return "cannot be tested" if result.verdict == "cannot be tested" else "holds"


def by_rows(result: Contest, *, always: bool) -> Verdict:
    """Whether it holds in every row, or on the whole."""
    return result.verdict if always else result.on_the_whole


def below_distance(paper: Paper, table: str) -> list[str]:
    """Where the paper's own table has a rank criterion below distance."""
    figures = paper.published.tables[table].figures()
    return [
        f"{column} {row} ({figure} and {by_distance})"
        for (row, column), figure in figures.items()
        if float(figure) < float(by_distance := figures[row, f"{column.split(' ')[0]} {DISTANCE}"])
    ]


def known_at(paper: Paper, mask: str, level: float) -> float:
    """What an intruder links of Census who knows the mask, and that nobody has two rows."""
    return paper.log.mean("known", mask, "census", level, figure="posterior")


def if_so(holds: bool, because: str, otherwise: Verdict = "does not hold") -> Judged:
    """Judge by one question."""
    return "holds" if holds else otherwise, because


def levels(values: Iterable[float]) -> str:
    """Levels in a row."""
    return ", ".join(f"{value:g}" for value in values)


def counts(paper: Paper, file: str, k: int, column: str) -> tuple[int, int]:
    """How many records, at least and at most, would print as a cell of Table 5."""
    printed = paper.printed(f"Table 5, {FILES[file]}", str(k), column)
    records = paper.log.one("described", file, figure="records") / 100
    middle, half = float(printed) * records, half_a_digit(printed) * records
    return ceil(middle - half), floor(middle + half)
