"""What the trials of the paper on supervised linkage found, by file and column of its table."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import numpy as np

from unveil import measures
from unveil_papers.framework.experiment import Figures, TrialLog
from unveil_papers.framework.published import Published
from unveil_papers.supervised.files import FILES, SIZE

MODELS: dict[str, Literal["weights", "choquet", "bilinear"]] = {
    "d2WM": "weights",
    "d2CI": "choquet",
    "d2MD*": "bilinear",
}
UNTAUGHT = ("d2AM", "d2MD", "each", "groups")  # distances that learn nothing
STEPS = {"d2WM": 12_000, "d2CI": 12_000, "d2MD*": 4_000}  # linear programs for a proof
WHOLE_STEPS = 2_000  # of all 1,080 records
HASTE = 100  # of those that take long, in a hurry
HARD = "M5-38"
IMPORTANT = 0.05  # a difference of shares that is called important
SMALL = 0.02  # and one that is called small
GUESS = 1 / SIZE
SELDOM = 0.001  # what chance does so seldom is not chance


def hasty(name: str, column: str) -> int:
    """The linear programs for a proof, in a hurry."""
    return HASTE if name == HARD or column == "d2MD*" else STEPS[column]


class SupervisedResults:
    """What was found, as lists with a figure for each sample."""

    def __init__(self, log: TrialLog, published: Published) -> None:
        self.log = log
        table = published.tables["Table 2"].figures()
        self.printed = {cell: float(share) for cell, share in table.items()}

    def plain(self, name: str, figure: str) -> list[float]:
        """Of distances that learn nothing."""
        return self.log.by_run("plain", name, figure=figure)

    def steps(self, name: str, column: str) -> int:
        """The linear programs that a learnt distance had: all or, in a hurry, few."""
        full = self.log.has("learnt", name, column, STEPS[column])
        return STEPS[column] if full else hasty(name, column)

    def learning(self, name: str, column: str) -> list[Figures]:
        """All figures of a learnt distance."""
        return self.log.runs("learnt", name, column, self.steps(name, column))

    def learnt(self, name: str, column: str, figure: str = "linked") -> list[float]:
        """One figure of a learnt distance."""
        steps = self.steps(name, column)
        return self.log.by_run("learnt", name, column, steps, figure=figure)

    def every(self, *columns: str, figure: str = "linked") -> list[tuple[float, ...]]:
        """The same of all files and samples, side by side on those that all columns have."""
        return [
            one
            for name in FILES
            for one in zip(*(self.learnt(name, c, figure) for c in columns), strict=False)
        ]

    def total(self, column: str, figure: str) -> tuple[float, int]:
        """The sum of one figure of a learnt distance, and of how many files and samples."""
        runs = self.every(column, figure=figure)
        return sum(one for (one,) in runs), len(runs)

    def once(self, work: str, *figures: str) -> list[float]:
        """Figures of a trial that is made once."""
        return [self.log.one(work, figure=figure) for figure in figures]

    def of(self, name: str, column: str) -> list[float]:
        """What a column of Table 2 links, or another attack; a figure for each sample."""
        if column in MODELS:
            return self.learnt(name, column)
        if column in UNTAUGHT:
            return self.plain(name, column)
        work, figure = {"raw": ("unscaled", "raw"), "turned": ("turned", "linked")}.get(
            column, ("beside", column)
        )
        return self.log.by_run(work, name, figure=figure)

    def columns(self, *columns: str) -> list[list[float]]:
        """Columns of Table 2 and other attacks, each the means of the files.

        Of each file those samples are taken that all have: what is compared is of the same ones.
        """
        found: list[list[float]] = [[] for _ in columns]
        for name in FILES:
            runs = list(zip(*(self.of(name, column) for column in columns), strict=False))
            for means, mean in zip(found, np.mean(runs, axis=0), strict=True):
                means.append(float(mean))
        return found

    def published(self, *columns: str) -> list[list[float]]:
        """Columns of Table 2 as they are printed."""
        return [[self.printed[name, column] for name in FILES] for column in columns]

    def left_open(self, *columns: str) -> list[float]:
        """What few linear programs, for each of them as many, leave open of the hard file."""
        bounds, linked = (
            zip(
                *(self.log.by_run("learnt", HARD, c, HASTE, figure=one) for c in columns),
                strict=False,
            )
            for one in ("bound", "linked")
        )
        gaps = np.subtract(list(bounds), list(linked)).mean(axis=0)
        return [float(gap) for gap in gaps]


def beyond_chance(share: float, many: int = SIZE) -> bool:
    """Whether guesses hit as many as this less than once in a thousand times.

    >>> beyond_chance(5 / 400), beyond_chance(6 / 400)
    (False, True)
    """
    return measures.random_links(many, many).at_least(round(share * many, 6)) < SELDOM


def by_file(values: Callable[[str], Sequence[float]]) -> list[float]:
    """For each file the mean of its samples."""
    return [float(np.mean(values(name))) for name in FILES]


def more_in(first: Iterable[float], second: Iterable[float]) -> list[bool]:
    """Where the first has more than the second.

    >>> more_in([2, 1], [1, 1])
    [True, False]
    """
    return [a > b for a, b in zip(first, second, strict=True)]


def percent(share: float) -> str:
    """A share as it is read.

    >>> percent(0.932)
    '93.2 %'
    """
    return f"{100 * share:.1f} %"
