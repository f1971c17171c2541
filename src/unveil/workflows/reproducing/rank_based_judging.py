"""How claims on rank-based record linkage are judged: by contests, row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unveil.workflows.reproducing.rank_based_found import DISTANCE, MAX, SUM
from unveil.workflows.reproducing.rank_based_trials import FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from unveil.data.reproduction import Verdict
    from unveil.workflows.reproducing.contests import Contest
    from unveil.workflows.reproducing.rank_based_found import Paper

    Judged = tuple[Verdict, str]
    Judge = Callable[[], Judged]

CENSUS, EIA, BOTH = ("census",), ("eia",), tuple(FILES)
ELSEWHERE = "It is about other papers, whose figures are not at hand."


def better(paper: Paper, masks: tuple[str, ...], first: str, second: str) -> Contest:
    """One attack against another, under several masks."""
    every = [paper.between(mask, first, second) for mask in masks]
    return type(every[0])(
        *(
            tuple((f"{mask} {row[0]}", *row[1:]) for mask, one in zip(masks, every, strict=True)
                  for row in one[side])
            for side in range(3)
        )
    )  # fmt: skip


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
    return both(contests[0], contests[1], (f"{SUM} over {DISTANCE}", f"{MAX}"), always=always)


def both(
    first: Contest, second: Contest, names: tuple[str, str], *, always: bool = False
) -> Judged:
    """Judge by two contests."""
    verdicts = {verdict_of(one, always=always) for one in (first, second)}
    verdict: Verdict = verdicts.pop() if len(verdicts) == 1 else "holds in part"
    return verdict, f"{names[0]}: {first}; {names[1]}: {second}."


def judged_by(result: Contest, who: str, *, always: bool = False) -> Judged:
    """Judge by one contest."""
    return verdict_of(result, always=always), f"{who}: {result}."


def verdict_of(result: Contest, *, always: bool) -> Verdict:
    """Whether it holds in every row, or on the whole."""
    return result.verdict if always else result.on_the_whole


def known_at(paper: Paper, mask: str, level: float) -> float:
    """What an intruder links of Census who knows the mask, and that nobody has two rows."""
    return float(np.mean(paper.found.each("known", mask, "census", level, figure="posterior")))


def if_so(holds: bool, because: str, otherwise: Verdict = "does not hold") -> Judged:
    """Judge by one question."""
    return "holds" if holds else otherwise, because


def untestable(because: str) -> Judge:
    """Judge what cannot be tested."""
    return lambda: ("cannot be tested", because)


def listed(values: list[float], digits: int = 1) -> str:
    """Figures in a row."""
    return ", ".join(f"{value:.{digits}f}" for value in values)


def levels(values: Iterable[float]) -> str:
    """Levels in a row."""
    return ", ".join(f"{value:g}" for value in values)
