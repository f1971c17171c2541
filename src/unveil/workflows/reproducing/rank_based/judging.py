"""How claims on rank-based record linkage are judged: by contests, row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from unveil.workflows.reproducing.contests import Contest, contest
from unveil.workflows.reproducing.rank_based.work import (
    FILES,
    GROUPING,
    GROUPS,
    LEVELS,
    known_rows,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from unveil.data.reproduction import Verdict
    from unveil.workflows.reproducing.contests import Runs
    from unveil.workflows.reproducing.experiment import Found
    from unveil.workflows.reproducing.published import Published
    from unveil.workflows.reproducing.verdicts import Judged

    Judge = Callable[["Paper"], Judged]

DISTANCE, SUM, MAX = "DBRL", "RBRL-Sum", "RBRL-Max"
CENSUS, EIA, BOTH = ("census",), ("eia",), tuple(FILES)
ELSEWHERE = "It is about other papers, whose figures are not at hand."


class Paper(NamedTuple):
    """What was found, by mask, file and level."""

    found: Found
    published: Published

    def runs(self, mask: str, file: str, level: float, attack: str) -> Runs:
        """What an attack links, in percent."""
        if mask == GROUPING:
            return self.found.one("grouped", file, int(level), figure=attack)
        return self.found.each("linked", mask, file, level, figure=attack)

    def mean(self, mask: str, file: str, level: float, attack: str) -> float:
        """The mean of the runs."""
        return float(np.mean(self.runs(mask, file, level, attack)))

    def rows(
        self, mask: str, first: str, second: str, files: Iterable[str] = FILES
    ) -> dict[str, tuple[Runs, Runs]]:
        """What two attacks link of the same releases, by file and level."""
        return {
            f"{FILES[file]} {level:g}": (
                self.runs(mask, file, level, first),
                self.runs(mask, file, level, second),
            )
            for file in files
            for level in (GROUPS[file] if mask == GROUPING else LEVELS[mask])
        }

    def between(self, mask: str, first: str, second: str, files: Iterable[str] = FILES) -> Contest:
        """One attack against another."""
        return contest(self.rows(mask, first, second, files))

    def better(self, masks: Iterable[str], first: str, second: str) -> Contest:
        """One attack against another, under several masks."""
        return contest(
            {
                f"{mask} {row}": runs
                for mask in masks
                for row, runs in self.rows(mask, first, second).items()
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
                for attack in (DISTANCE, SUM, MAX)
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
        return contest(
            {
                f"{FILES[file]} {mask} {level:g}": (
                    self.found.each("known", mask, file, level, figure=figure),
                    self.found.each("known", mask, file, level, figure="paper"),
                )
                for file in files
                for mask, level in known_rows(self.found, file)
                if not masks or mask in masks
            }
        )

    def moved(self, mask: str, level: float, figure: str) -> float:
        """How far ranks of Census moved."""
        return self.found.mean("moved", mask, "census", level, figure=figure)


def best_of(
    paper: Paper, mask: str, first: str, files: tuple[str, ...], *, always: bool = False
) -> Judged:
    """One attack against both others."""
    others = [attack for attack in (DISTANCE, SUM, MAX) if attack != first]
    contests = [paper.between(mask, first, other, files) for other in others]
    names = (f"{first} over {others[0]}", f"over {others[1]}")
    return both(contests[0], contests[1], names, always=always)


def over_distance(
    paper: Paper, mask: str, files: tuple[str, ...], *, always: bool = False
) -> Judged:
    """Both rank criteria against distance."""
    contests = [paper.between(mask, by, DISTANCE, files) for by in (SUM, MAX)]
    return both(contests[0], contests[1], (f"{SUM} over {DISTANCE}", MAX), always=always)


def both(
    first: Contest, second: Contest, names: tuple[str, str], *, always: bool = False
) -> Judged:
    """Judge by two contests."""
    verdicts = {by_rows(one, always=always) for one in (first, second)}
    verdict: Verdict = verdicts.pop() if len(verdicts) == 1 else "holds in part"
    return verdict, f"{names[0]}: {first}; {names[1]}: {second}."


def judged_by(result: Contest, who: str, *, always: bool = False) -> Judged:
    """Judge by one contest."""
    return by_rows(result, always=always), f"{who}: {result}."


def by_rows(result: Contest, *, always: bool) -> Verdict:
    """Whether it holds in every row, or on the whole."""
    return result.verdict if always else result.on_the_whole


def known_at(paper: Paper, mask: str, level: float) -> float:
    """What an intruder links of Census who knows the mask, and that nobody has two rows."""
    return paper.found.mean("known", mask, "census", level, figure="posterior")


def if_so(holds: bool, because: str, otherwise: Verdict = "does not hold") -> Judged:
    """Judge by one question."""
    return "holds" if holds else otherwise, because


def levels(values: Iterable[float]) -> str:
    """Levels in a row."""
    return ", ".join(f"{value:g}" for value in values)
