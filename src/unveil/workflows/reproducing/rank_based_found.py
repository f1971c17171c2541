"""What was found on rank-based record linkage, by mask, file and level."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from unveil.workflows.reproducing.contests import contest
from unveil.workflows.reproducing.rank_based_trials import (
    FILES,
    GROUPING,
    GROUPS,
    LEVELS,
    known_rows,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unveil.workflows.reproducing.contests import Contest, Runs
    from unveil.workflows.reproducing.experiment import Found
    from unveil.workflows.reproducing.published import Published

DISTANCE, SUM, MAX = "DBRL", "RBRL-Sum", "RBRL-Max"


class Paper(NamedTuple):
    """What was found, by mask, file and level."""

    found: Found
    published: Published

    def runs(self, mask: str, file: str, level: float, attack: str) -> Runs:
        """What an attack links, in percent."""
        if mask == GROUPING:
            return self.figure("grouped", file, int(level), name=attack)
        return self.found.each("linked", mask, file, level, figure=attack)

    def mean(self, mask: str, file: str, level: float, attack: str) -> float:
        """The mean of the runs."""
        return float(np.mean(self.runs(mask, file, level, attack)))

    def figure(self, work: str, *of: str | int | float, name: str) -> float:
        """One figure of one trial."""
        value = self.found.of(work, *of)[name]
        if isinstance(value, list):
            raise TypeError(f"'{name}' is a list of figures")
        return value

    def between(self, mask: str, first: str, second: str, files: Iterable[str] = FILES) -> Contest:
        """One attack against another, on the same releases."""
        return contest(
            {
                f"{FILES[file]} {level:g}": (
                    self.runs(mask, file, level, first),
                    self.runs(mask, file, level, second),
                )
                for file in files
                for level in levels_of(mask, file)
            }
        )

    def files(self, mask: str) -> Contest:
        """All attacks on Census against the same on EIA."""
        return contest(
            {
                f"{attack} {level:g}": (
                    self.runs(mask, "census", level, attack),
                    self.runs(mask, "eia", level, attack),
                )
                for attack in (DISTANCE, SUM, MAX)
                for level in LEVELS[mask]
            },
            paired=False,
        )

    def masks(self, first: str, second: str, file: str) -> Contest:
        """All attacks on one mask against the same on another."""
        return contest(
            {
                f"{attack} {level:g}": (
                    self.runs(first, file, level, attack),
                    self.runs(second, file, level, attack),
                )
                for attack in (DISTANCE, SUM, MAX)
                for level in LEVELS[first]
            },
            paired=False,
        )

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

    def moved(self, mask: str, level: float, figure: str, file: str = "census") -> float:
        """How far ranks moved."""
        return float(np.mean(self.found.each("moved", mask, file, level, figure=figure)))


def levels_of(mask: str, file: str) -> Sequence[float]:
    """The levels of a mask in its table."""
    return GROUPS[file] if mask == GROUPING else LEVELS[mask]
