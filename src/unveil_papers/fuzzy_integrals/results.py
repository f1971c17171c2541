"""What the trials of the paper on fuzzy integrals come to, and why that is not as printed."""

from itertools import product
from typing import NamedTuple

import numpy as np

from unveil import measures
from unveil_papers.framework.contests import contest
from unveil_papers.framework.experiment import TrialLog
from unveil_papers.framework.published import Published
from unveil_papers.framework.reproduction import Verdict
from unveil_papers.framework.verdicts import verdict_of
from unveil_papers.framework.yardstick import FEWEST, summarise
from unveil_papers.fuzzy_integrals.files import FILES, RECORDS, WAYS
from unveil_papers.fuzzy_integrals.operators import distinct

TABLES = {
    "abalone": "Table V",
    "ionosphere": "Table VI",
    "census": "Table VII",
    "wdbc": "Table VIII",
}
WORK_OF = {"DBRL": "distance", "PRL": "probability"}
TEN = 10  # runs of the paper, and representatives
ONE = {"N1", "SI", "Qt"}  # a cell that is that of OWA: both are the same order statistics
CAUSES = {
    "wdbc": "how the diagnosis was coded is not printed, and decides the level: see Readings of "
    "WDBC",
    "census": "which records of the survey the paper had is not printed; ours are CASC's 1,080",
}


class Ahead(NamedTuple):
    """In how many pairs of cells the first has more than the second, in how many it has less.

    In the others no difference shows. Pairs that are equal in every run are left out.

    >>> Ahead(2, 1, 4, 0.5).in_general
    'holds in part'
    >>> print(Ahead(2, 1, 4, 0.5))
    2 of 4 pairs of cells, fewer in 1, no difference shows in 1 (+0.5 on average)
    """

    more: int
    less: int
    pairs: int
    by: float  # on average

    @property
    def in_general(self) -> Verdict:
        """Whether it has more "in general": in most of the pairs, and far oftener than less.

        Where runs are few, no difference shows in most; then it may still be the latter.
        """
        return verdict_of(2 * self.more > self.pairs, self.more >= max(2 * self.less, 1))

    def __str__(self) -> str:
        even = self.pairs - self.more - self.less
        words = f"{self.more} of {self.pairs} pairs of cells, fewer in {self.less}"
        words += f", no difference shows in {even}" if even else ""
        return f"{words} ({self.by:+.1f} on average)"


class FuzzyIntegralResults(NamedTuple):
    """What was found, beside what was printed."""

    log: TrialLog
    published: Published

    def runs(self, name: str, row: str, column: str) -> list[float] | None:
        """One cell of a file: the records linked in each run; none where it was not run."""
        normalised, kind = row.split()
        if not self.log.has(WORK_OF[kind], name):
            return None
        return self.log.by_run(WORK_OF[kind], name, figure=f"{normalised} {column}")

    def mean(self, name: str, kind: str, way: str) -> float:
        """The average of one cell."""
        return self.log.mean(WORK_OF[kind], name, figure=way)

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

    def in_words(self, table: str, row: str, column: str) -> float:
        """A figure that is printed in the text of Section 4.4."""
        return float(self.published.tables[f"Section 4.4, {table}"].figures()[row, column])

    def maxima(self, name: str) -> list[float]:
        """The most records linked in any way by either linkage, in each ten runs.

        By distance alone where the other was run on too few of the draws.
        """
        kinds = [
            np.array([self.log.by_run(work, name, figure=way) for way in WAYS]).max(0)
            for work in WORK_OF.values()
        ]
        both = [runs for runs in kinds if len(runs) >= FEWEST * TEN] or kinds[:1]
        draws = min(map(len, both))
        most = np.max([runs[:draws] for runs in both], axis=0)
        return [float(most[k : k + TEN].max()) for k in range(0, draws - TEN + 1, TEN)]

    def reached(self, name: str) -> tuple[float, int, int]:
        """What is printed of one run, in how many tens of runs one has as many, and of how many."""
        printed, tens = self.in_words("one run", name, "linked"), self.maxima(name)
        return printed, sum(one >= printed for one in tens), len(tens)

    def why_fewer(self, name: str, _: str) -> str:
        """Why the most of ten runs is not as printed."""
        printed, so, of = self.reached(name)
        own = f"{printed:.0f} or more are linked in {so} of {of} times ten runs"
        if name == "wdbc":
            return f"{own}: its averages are below the printed ones too, see Table VIII"
        return f"{own}; which of the ways and of the draws it was is not printed"

    def structure(self, name: str, figure: str) -> list[float] | None:
        """A figure of the attack as it is by default; none where it was not run."""
        if not self.log.has("structure", name):
            return None
        return self.log.by_run("structure", name, figure=figure)

    def ahead(self, first: str, second: str, *kinds: str, printed: bool = False) -> Ahead:
        """Cells whose names hold one word against those that hold another in its place.

        Of all cells, or of those by some linkage; on the draws that both have.
        """
        rows = {}
        for name, kind, way in product(TABLES, kinds or WORK_OF, WAYS):
            cell = f"{kind} {way}".split()
            other = [second if word == first else word for word in cell]
            if first not in cell or (ONE.issubset(cell) and ONE.issubset(other)):
                continue
            pair = [self._figures(name, one, printed=printed) for one in (cell, other)]
            draws = min(map(len, pair))
            one, two = (runs[:draws] for runs in pair)
            if one != two:
                rows[f"{name} {cell}"] = one, two
        held = contest(rows)
        gaps = [np.mean(one) - np.mean(two) for one, two in rows.values()]
        return Ahead(len(held.more), len(held.less), len(rows), float(np.mean(gaps)))

    def _figures(self, name: str, cell: list[str], *, printed: bool) -> list[float]:
        kind, way = cell[0], " ".join(cell[1:])
        return [self.printed(name, kind, way)] if printed else self.cell(name, f"{kind} {way}")

    def cell(self, name: str, best: str) -> list[float]:
        """The runs of a cell that `best` has named."""
        kind, way = best.split(maxsplit=1)
        return self.log.by_run(WORK_OF[kind], name, figure=way)

    def best_of(self, normalised: str, name: str) -> float:
        """The best average of a file with one way to normalise."""
        return max(
            self.mean(name, kind, way)
            for kind, way in product(WORK_OF, WAYS)
            if way.startswith(normalised)
        )

    def is_same(self, printed: float, ours: list[float], theirs: int = 1) -> bool:
        """Whether ours are as a printed figure of so many runs, by the yardstick of the tables."""
        half = 0.05 if theirs > 1 else 0.5  # of the last digit that is printed
        return abs(float(np.mean(ours)) - printed) <= summarise(ours, theirs).allowed + half

    def chance_of(self, mean: float) -> float:
        """How likely a random matching links as many."""
        return measures.random_matching(RECORDS, RECORDS).at_least(mean)

    def gap(self, name: str, kind: str, way: str) -> float:
        """How many more records are linked in a cell than is printed."""
        return self.mean(name, kind, way) - self.printed(name, kind, way)

    def collapsed(self, name: str, kind: str, way: str) -> bool:
        """Whether representatives repeat each other, and fewer are printed than by distance."""
        if kind != "PRL" or not way.endswith("Qt") or distinct("threshold", widths(name)) == TEN:
            return False
        return self.printed(name, "PRL", way) < self.printed(name, "DBRL", way)

    def reason(self, name: str, row: str, column: str) -> str:
        """Why a cell of a file is not as printed."""
        normalised, kind = row.split()
        way = f"{normalised} {column}"
        if self.collapsed(name, kind, way):
            first, second = widths(name)
            many = distinct("threshold", (first, second))
            return (
                f"with {first} and {second} attributes only {many} of the ten threshold "
                "representatives differ, and here each counts once; EM that takes repeats for "
                "independent evidence may drive u to 0: the likely cause of the printed collapse, "
                "which is not shown"
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


def widths(name: str) -> tuple[int, int]:
    """How many attributes both files have."""
    first, second = (len(listed.split()) for listed in FILES[name])
    return first, second
