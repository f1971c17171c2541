"""What the trials of the paper on fuzzy integrals come to, and why that is not as printed."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from unveil import measures
from unveil.workflows.reproducing.fuzzy_integrals.files import FILES, RECORDS, WAYS
from unveil.workflows.reproducing.fuzzy_integrals.theory import distinct
from unveil.workflows.reproducing.yardstick import summed_up

if TYPE_CHECKING:
    from unveil.workflows.reproducing.experiment import Found
    from unveil.workflows.reproducing.published import Published

TABLES = {
    "abalone": "Table V",
    "ionosphere": "Table VI",
    "census": "Table VII",
    "wdbc": "Table VIII",
}
WORK_OF = {"DBRL": "distance", "PRL": "probability"}
TEN = 10  # runs of the paper
COLLAPSED = 6  # different representatives, with which the printed figures of PRL and Qt collapse
CAUSES = {
    "wdbc": "how the diagnosis was coded is not printed, and decides the level: see Readings of "
    "WDBC",
    "census": "which records of the survey the paper had is not printed; ours are CASC's 1,080",
}


class Ahead(NamedTuple):
    """In how many of so many pairs of cells the first has more than the second, and by how much.

    Pairs that are equal are left out.

    >>> print(Ahead(2, 3, 0.5))
    2 of 3 pairs of cells (+0.5 on average)
    """

    more: int
    pairs: int
    by: float  # on average

    def __str__(self) -> str:
        return f"{self.more} of {self.pairs} pairs of cells ({self.by:+.1f} on average)"


class Results(NamedTuple):
    """What was found, beside what was printed."""

    found: Found
    published: Published

    def runs(self, name: str, row: str, column: str) -> list[float] | None:
        """One cell of a file: the records linked in each run; none where it was not run."""
        normalised, kind = row.split()
        if not self.found.has(WORK_OF[kind], name):
            return None
        return self.found.each(WORK_OF[kind], name, figure=f"{normalised} {column}")

    def mean(self, name: str, kind: str, way: str) -> float:
        """The average of one cell."""
        return self.found.mean(WORK_OF[kind], name, figure=way)

    def best(self, name: str, *kinds: str) -> tuple[str, float]:
        """The best average of a file by any way, or by any of some linkage, and which it is."""
        every = {
            f"{kind} {way}": self.mean(name, kind, way)
            for kind, way in product(kinds or WORK_OF, WAYS)
        }
        return max(every.items(), key=lambda one: one[1])

    def best_printed(self, name: str) -> float | None:
        """The best average in the paper's table of a file."""
        table = self.published.tables.get(TABLES.get(name, ""))
        return None if table is None else max(map(float, table.figures().values()))

    def printed(self, name: str, kind: str, way: str) -> float:
        """A printed average."""
        row, column = f"{way[:2]} {kind}", way[3:]
        return float(self.published.tables[TABLES[name]].figures()[row, column])

    def maxima(self, name: str) -> list[float]:
        """The most records linked by distance in any way, in each ten runs."""
        runs = np.array([self.found.each("distance", name, figure=way) for way in WAYS])
        most = runs.max(0)
        return [float(most[k : k + TEN].max()) for k in range(0, len(most) - TEN + 1, TEN)]

    def most(self, name: str, kind: str) -> float:
        """The most records linked in any run, by any way."""
        return max(max(self.found.each(WORK_OF[kind], name, figure=way)) for way in WAYS)

    def why_fewer(self, name: str, _: str) -> str:
        """Why the most of ten runs is not as printed."""
        runs = len(self.found.each("distance", name, figure=next(iter(WAYS))))
        own = f"the most of all {runs} runs by distance is {self.most(name, 'DBRL'):.0f}"
        if name == "wdbc":
            return f"{own}: its averages are below the printed ones too, see Table VIII"
        return f"{own}; which of the ways and of the draws it was is not printed"

    def structure(self, name: str, figure: str) -> list[float] | None:
        """A figure of the attack as it is by default; none where it was not run."""
        if not self.found.has("structure", name):
            return None
        return self.found.each("structure", name, figure=figure)

    def ahead(self, first: str, second: str, *, printed: bool = False) -> Ahead:
        """Cells whose names hold one word against those that hold another in its place."""
        gaps = []
        for name, kind, way in product(TABLES, WORK_OF, WAYS):
            cell = f"{kind} {way}".split()
            if first not in cell:
                continue
            other = [second if word == first else word for word in cell]
            value = self.printed if printed else self.mean
            one, two = (value(name, words[0], " ".join(words[1:])) for words in (cell, other))
            gaps += [one - two] if one != two else []
        return Ahead(sum(gap > 0 for gap in gaps), len(gaps), float(np.mean(gaps)))

    def cell(self, name: str, best: str) -> list[float]:
        """The runs of a cell that `best` has named."""
        kind, way = best.split(maxsplit=1)
        return self.found.each(WORK_OF[kind], name, figure=way)

    def best_of(self, normalised: str, name: str) -> float:
        """The best average of a file with one way to normalise."""
        return max(
            self.mean(name, kind, way)
            for kind, way in product(WORK_OF, WAYS)
            if way.startswith(normalised)
        )

    def is_same(self, printed: float, ours: list[float], theirs: int = 1) -> bool:
        """Whether ours are as a printed figure of so many runs, by the yardstick of the tables."""
        mean, error, times = summed_up(ours, theirs)
        half = 0.05 if theirs > 1 else 0.5  # of the last digit that is printed
        return abs((mean or 0.0) - printed) <= times * (error or 0.0) + half

    def chance(self, name: str) -> float:
        """How likely a random matching links as many as the best average."""
        return measures.random_matching(RECORDS, RECORDS).at_least(self.best(name)[1])

    def gap(self, name: str, kind: str, way: str) -> float:
        """How many more records are linked in a cell than is printed."""
        return self.mean(name, kind, way) - self.printed(name, kind, way)

    def reason(self, name: str, row: str, column: str) -> str:
        """Why a cell of a file is not as printed."""
        normalised, kind = row.split()
        way = f"{normalised} {column}"
        widths = len(FILES[name][0].split()), len(FILES[name][1].split())
        many = distinct("threshold", widths)
        if kind == "PRL" and column.endswith("Qt") and many <= COLLAPSED:
            return (
                f"with {widths[0]} and {widths[1]} attributes only {many} of the ten threshold "
                "representatives differ, and here each counts once; EM that takes repeats for "
                "independent evidence drives u to 0, the likely cause of the printed collapse"
            )
        away = self.gap(name, kind, way)
        told = f"{abs(away):.1f} {'more' if away > 0 else 'fewer'}"
        if kind == "DBRL":
            level = float(np.mean([self.gap(name, kind, one) for one in WAYS]))
            cause = CAUSES.get(name, "the draws of the paper are not known")
            return f"{told}, the twelve cells by DBRL being {level:+.1f} on average: {cause}"
        other = self.gap(name, "DBRL", way)
        if name in CAUSES and other * away > 0:
            return f"{told}, as the same cell by DBRL is {other:+.1f}: {CAUSES[name]}"
        return (
            f"{told}: up to which difference representatives agree, and how weights are prorated, "
            "is not printed"
        )
