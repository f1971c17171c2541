"""What the trials of Armengol and Torra (2015) found, by the names of their tables."""

from collections.abc import Sequence

import numpy as np

from unveil_papers.framework.experiment import TrialLog
from unveil_papers.framework.published import Published
from unveil_papers.framework.verdicts import listed
from unveil_papers.generalization.work import RELEASES, SIZES

ORDERS = {"(<,>)": "<>", "(>,<)": "><"}
OF_PATTERNS = ("patterns", "learnt", "records", "splits", "united")
FEW, MANY = ORDERS  # few values first, many values first
ORIGINAL = "DB"  # the row of the original's tree
WITHIN = 0.04  # a share of the printed figure, of how many satisfy no pattern
NEAR = 1.0  # points of accuracy that are not much
FAR = 3.0  # and that are
REST = "Table 2, rest"


class GeneralizationResults:
    """Figures of the original, of a combination (as the paper writes it) and K, of a release."""

    def __init__(self, log: TrialLog, published: Published) -> None:
        self.log, self.published = log, published

    def printed(self, table: str, row: str, column: str) -> str:
        """A figure as the paper has it."""
        return self.published.tables[table].figures()[row, column]

    def theirs(self, row: str, k: int) -> float:
        """What the paper has of a tree on uci."""
        return float(self.printed("Table 1, uci", row, f"K = {k}"))

    def text(self, row: str, place: int = 0) -> float:
        """A figure of the text."""
        table = self.published.tables["Text"]
        return float(table.figures()[row, table.columns[place]])

    def near(self, row: str, k: int) -> bool:
        """Whether about as many satisfy no pattern as is printed."""
        printed = float(self.printed(REST, row, f"K = {k}"))
        return abs(self.of(row, k, "rest") - printed) <= WITHIN * printed

    def linked(self, k: int, figure: str) -> float:
        """A figure of an attack on a k-anonymous file."""
        return self.log.one("linked", k, figure=figure)

    def original(self, figure: str) -> float:
        """A figure of the original file."""
        return self.log.one("original", figure=figure)

    def originals(self, figure: str) -> list[float]:
        """Several such figures."""
        return self.log.series("original", figure=figure)

    def some(self, figure: str) -> float:
        """A figure of files that are anonymised in another way."""
        return self.log.one("some", figure=figure)

    def of(self, row: str, k: int, figure: str) -> float:
        """A figure of the patterns of a combination."""
        return self.log.one(self._work(row, k, figure), ORDERS[row], k, figure=figure)

    def series(self, row: str, k: int, figure: str) -> list[float]:
        """Several such figures."""
        return self.log.series(self._work(row, k, figure), ORDERS[row], k, figure=figure)

    def by_size(self, row: str, figure: str) -> list[float]:
        """A figure for every K."""
        return [self.of(row, k, figure) for k in SIZES]

    def every(self, figure: str) -> list[float]:
        """A figure of both combinations and every K."""
        return [each for row in ORDERS for each in self.by_size(row, figure)]

    def gaps(self, row: str, figure: str = "uci") -> list[float]:
        """By how many points each K is below the original, on uci."""
        return [self.original("uci") - each for each in self.by_size(row, figure)]

    def pair(self, figure: str, digits: int = 0) -> str:
        """A figure of both combinations and every K, in words."""
        return "; ".join(f"{row} {listed(self.by_size(row, figure), digits)}" for row in ORDERS)

    def listed(self, row: str, k: int) -> float:
        """How many patterns there are, each once for every way on which it is found."""
        return self.log.one("ways", ORDERS[row], k, figure="listed")

    def left(self, row: str, k: int) -> list[float]:
        """How many records have no pattern after the first condition, and after both."""
        return self.log.series("ways", ORDERS[row], k, figure="rest")

    def released(self) -> list[int]:
        """The K of which releases were made."""
        return [k for k in SIZES if self.log.has("release", next(iter(RELEASES)), k)]

    def release(self, name: str, k: int, figure: str) -> float:
        """A figure of a release."""
        return self.log.one("release", name, k, figure=figure)

    def groups(self, name: str, k: int) -> list[float]:
        """Of each group how many percent a release discards."""
        return self.log.series("release", name, k, figure="groups")

    def _work(self, row: str, k: int, figure: str) -> str:
        """The trial that has a figure."""
        of = ORDERS[row], k
        run = (work for work in OF_PATTERNS if self.log.has(work, *of))
        return next(work for work in run if figure in self.log.of(work, *of))


def rising(figures: Sequence[float]) -> bool:
    """Whether each is above the one before it.

    >>> rising([1, 2, 3]), rising([1, 1])
    (True, False)
    """
    return bool((np.diff(figures) > 0).all())


def falling(figures: Sequence[float]) -> bool:
    """Whether each is below the one before it.

    >>> falling([3, 2, 1]), falling([1, 1])
    (True, False)
    """
    return rising(figures[::-1])
