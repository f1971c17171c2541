"""What the trials of the paper on supervised linkage found, by file and column of its table."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from unveil.workflows.reproducing.supervised.files import FILES, SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from unveil.workflows.reproducing.experiment import Figures, Found
    from unveil.workflows.reproducing.published import Published

MODELS: dict[str, Literal["weights", "choquet", "bilinear"]] = {
    "d2WM": "weights",
    "d2CI": "choquet",
    "d2MD*": "bilinear",
}
STEPS = {"d2WM": 12_000, "d2CI": 12_000, "d2MD*": 4_000}  # linear programs for a proof
WHOLE_STEPS = 2_000  # of all 1,080 records
HASTE = 100  # of those that take long, in a hurry
HARD = "M5-38"
IMPORTANT = 0.05  # a difference of shares that is called important
SMALL = 0.02  # and one that is called small
GUESS = 1 / SIZE


def hasty(name: str, column: str) -> int:
    """The linear programs for a proof, in a hurry."""
    return HASTE if name == HARD or column == "d2MD*" else STEPS[column]


class Results:
    """What was found, as lists with a figure for each sample."""

    def __init__(self, found: Found, published: Published) -> None:
        self.found = found
        table = published.tables["Table 2"].figures()
        self.printed = {cell: float(share) for cell, share in table.items()}

    def plain(self, name: str, figure: str) -> list[float]:
        """Of distances that learn nothing."""
        return self.found.each("plain", name, figure=figure)

    def steps(self, name: str, column: str) -> int:
        """The linear programs that a learnt distance had: all or, in a hurry, few."""
        full = self.found.has("learnt", name, column, STEPS[column])
        return STEPS[column] if full else hasty(name, column)

    def learning(self, name: str, column: str) -> list[Figures]:
        """All figures of a learnt distance."""
        return self.found.runs("learnt", name, column, self.steps(name, column))

    def learnt(self, name: str, column: str, figure: str = "linked") -> list[float]:
        """One figure of a learnt distance."""
        steps = self.steps(name, column)
        return self.found.each("learnt", name, column, steps, figure=figure)

    def of(self, name: str, column: str) -> list[float]:
        """A cell of Table 2."""
        return self.learnt(name, column) if column in MODELS else self.plain(name, column)

    def every(self, column: str, figure: str = "linked") -> list[float]:
        """The same of all files and samples, in one order for all columns."""
        return [one for name in FILES for one in self.learnt(name, column, figure)]

    def once(self, work: str, *figures: str) -> list[float]:
        """Figures of a trial that is made once."""
        return [self.found.one(work, figure=figure) for figure in figures]

    def columns(self, *columns: str) -> list[list[float]]:
        """Columns of Table 2, each the means of the files."""
        return [by_file(partial(self.of, column=column)) for column in columns]

    def beside(self, figure: str) -> list[float]:
        """What another attack finds, each the mean of a file."""
        return by_file(lambda name: self.found.each("beside", name, figure=figure))


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
