"""What the trials of the paper on supervised linkage found, by file and column of its table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from unveil.workflows.reproducing.supervised.files import FILES, SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from unveil.workflows.reproducing.experiment import Argument, Figures, Found
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
        self._found = found
        table = published.tables["Table 2"].printed()
        self.printed = {(name, column): float(share or 0) for name, column, share in table}

    def plain(self, name: str, figure: str) -> list[float]:
        """Of distances that learn nothing."""
        return self._found.each("plain", name, figure=figure)

    def learning(self, name: str, column: str) -> list[Figures]:
        """Of a learnt distance: with all its steps or, in a hurry, with few."""
        full = self._found.has("learnt", name, column, STEPS[column])
        steps = STEPS[column] if full else hasty(name, column)
        return self._found.runs("learnt", name, column, steps)

    def learnt(self, name: str, column: str, figure: str = "linked") -> list[float]:
        """One figure of a learnt distance."""
        return [float(run[figure]) for run in self.learning(name, column)]  # type: ignore[arg-type]

    def every(self, column: str, figure: str = "linked") -> list[float]:
        """The same of all files and samples, in one order for all columns."""
        return [one for name in FILES for one in self.learnt(name, column, figure)]

    def runs(self, work: str, *of: Argument, figure: str) -> list[float]:
        """One figure of any other trial, for each run."""
        return self._found.each(work, *of, figure=figure)

    def mean(self, work: str, *of: Argument, figure: str) -> float:
        """Its mean."""
        return float(np.mean(self.runs(work, *of, figure=figure)))

    def one(self, work: str, figure: str) -> float:
        """A figure of a trial that is made once."""
        return float(self._found.of(work)[figure])  # type: ignore[arg-type]

    def several(self, work: str, figure: str) -> list[float]:
        """Several figures of such a trial."""
        return list(self._found.of(work)[figure])  # type: ignore[arg-type]

    def whole(self, work: str, *of: str) -> Figures | None:
        """Of all records; None in a hurry."""
        return self._found.of(work, *of) if self._found.has(work, *of) else None

    def columns(self, *columns: str) -> list[list[float]]:
        """Columns of Table 2, each the means of the files."""

        def of(column: str) -> Callable[[str], list[float]]:
            if column in MODELS:
                return lambda name: self.learnt(name, column)
            return lambda name: self.plain(name, column)

        return [by_file(of(column)) for column in columns]

    def beside(self, figure: str) -> list[float]:
        """What another attack finds, each the mean of a file."""
        return by_file(lambda name: self.runs("beside", name, figure=figure))


def by_file(values: Callable[[str], Sequence[float]]) -> list[float]:
    """For each file the mean of its samples."""
    return [float(np.mean(values(name))) for name in FILES]


def listed(numbers: Iterable[int]) -> str:
    """Numbers in words."""
    return ", ".join(map(str, numbers))


def percent(share: float) -> str:
    """A share as it is read.

    >>> percent(0.932)
    '93.2 %'
    """
    return f"{100 * share:.1f} %"


def span(values: Iterable[float]) -> str:
    """From the least to the most.

    >>> span([0.5, 0.25])
    '0.250 to 0.500'
    """
    every = [f"{one:.3f}" for one in sorted(values)]
    return every[0] if every[0] == every[-1] else f"{every[0]} to {every[-1]}"
