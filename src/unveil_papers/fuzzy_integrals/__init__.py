"""Torra and Nin, Record linkage for database integration using fuzzy integrals (2008).

Eight files are split into two that share no attribute. A hundred people are drawn, each record is
turned into ten representatives by OWA or Sugeno integrals of its values, and these are linked by
distance and by probabilistic linkage (Tables V to VIII). What the paper proves of its operators and
of chance is tried out (Tables III and IV). Beside them: the structural attack, which has no choice
to make.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from unveil import aggregation, measures
from unveil_papers.framework.experiment import PaperTrial, TrialLog
from unveil_papers.framework.published import Published
from unveil_papers.framework.reproduction import ComparedTable, LineChart
from unveil_papers.framework.yardstick import compare_table, own_table
from unveil_papers.fuzzy_integrals.files import FILES, READINGS, RECORDS, WAYS, WORK
from unveil_papers.fuzzy_integrals.operators import FAMILIES, table_3
from unveil_papers.fuzzy_integrals.results import TABLES, FuzzyIntegralResults

__all__ = ["DATA", "WORK", "curves", "results", "tables", "trials"]

DATA = tuple(FILES)
results = FuzzyIntegralResults  # what the judges of claims are given
OTHERS = tuple(name for name in FILES if name not in TABLES)
COSTLY = ("ionosphere", "dermatology")  # left out of the default attack in a hurry
SECONDS = {  # of the default attack
    "abalone": 1.3, "ionosphere": 5.3, "census": 6.4, "wdbc": 7.5, "water-treatment": 7.5,
    "housing": 3.7, "dermatology": 5.8, "iris": 1.7,
}  # fmt: skip
RUNS = (  # what, on which files, how often in a hurry and else, seconds
    ("distance", FILES, 20, 300, 0.12),
    ("probability", TABLES, 8, 100, 0.5),
    ("probability", OTHERS, 1, 40, 0.6),
    ("few", TABLES, 10, 300, 0.03),
    ("errors", TABLES, 2, 10, 0.3),
)
DRAWN = 30  # right links up to which the law is drawn
MARKS = 50  # points of a drawn quantifier


def trials(*, quick: bool) -> Iterator[PaperTrial]:
    """What is to be run; in a hurry, some of the same."""
    for name in FILES:
        yield PaperTrial("split", (name,), 0.1)
    for work, names, few, many, cost in RUNS:
        for name in names:
            for run in range(few if quick else many):
                yield PaperTrial(work, (name, run), cost)
    for run in range(20 if quick else 300):
        yield PaperTrial("ranking", (run,), 0.03)
    for run in range(5 if quick else 100):
        yield PaperTrial("readings", (run,), 0.1)
    for name, cost in SECONDS.items():
        few = 0 if name in COSTLY else 1
        for run in range(few if quick else 10):
            yield PaperTrial("structure", (name, run), cost)


def tables(log: TrialLog, published: Published) -> list[ComparedTable]:
    """Ours beside theirs, and ours alone."""
    results = FuzzyIntegralResults(log, published)
    return [
        *exact_tables(published),
        *(file_table(name, results) for name in TABLES),
        *_in_words(results),
        _others(results),
        _readings(results),
        _beside(results),
    ]


def exact_tables(published: Published) -> list[ComparedTable]:
    """The two tables of which nothing is drawn."""
    made, law = table_3(), measures.random_matching(RECORDS, RECORDS)
    columns = published.tables["Table III"].columns

    def average(row: str, column: str) -> float:
        return float(made[int(row[1:]) - 1, columns.index(column)])

    def probability(row: str, column: str) -> float:
        return (law.exactly if column == "exactly r" else law.at_least)(int(row))

    return [
        compare_table(
            published,
            "Table III",
            average,
            digits=5,
            why=lambda row, column: (
                f"{average(row, column):.5f} was cut off after three digits where all others were "
                "rounded: a misprint"
            ),
        ),
        compare_table(published, "Table IV", probability, digits=8),
    ]


def file_table(name: str, results: FuzzyIntegralResults) -> ComparedTable:
    """The table of one file."""
    ours, why = partial(results.runs, name), partial(results.reason, name)
    return compare_table(results.published, TABLES[name], ours, digits=1, why=why)


def _in_words(results: FuzzyIntegralResults) -> Iterator[ComparedTable]:
    """The figures that Section 4.4 has in its text."""
    published, law = results.published, measures.random_matching(RECORDS, RECORDS)
    yield compare_table(
        published,
        "Section 4.4, averages",
        lambda row, _: results.cell(row, results.best(row)[0]),
        digits=1,
        why="some 10 are printed, and not by which way",
    )
    yield compare_table(
        published,
        "Section 4.4, one run",
        lambda row, _: results.maxima(row),
        digits=1,
        why=results.why_fewer,
    )
    yield compare_table(
        published,
        "Section 4.4, baselines",
        lambda row, _: results.log.by_run("ranking", figure=row),
        digits=1,
        why="theirs is of one draw of 90 records, which is not known",
    )
    yield compare_table(
        published, "Section 4.4, by chance", lambda row, _: law.at_least(int(row)), digits=8
    )
    yield compare_table(
        published,
        "Section 4.4, standard linkage",
        lambda *_: None,
        digits=2,
        impossible="it is of another paper's experiments, which are not described here",
    )


def _others(results: FuzzyIntegralResults) -> ComparedTable:
    rows = {}
    for name in OTHERS:
        for kind in ("DBRL", "PRL"):
            for normalised in ("N1", "N2"):
                rows[f"{name} {normalised} {kind}"] = {
                    way[3:]: results.runs(name, f"{normalised} {kind}", way[3:])
                    for way in WAYS
                    if way.startswith(normalised)
                }
    title = "The files that the paper does not tabulate: records linked, of 100"
    return own_table("Other files", title, "records", rows, digits=1)


def _readings(results: FuzzyIntegralResults) -> ComparedTable:
    found, ways = results.log, [way for way in WAYS if "OWA" in way]
    rows = {
        "malignant 0, benign 1": {way: found.by_run("distance", "wdbc", figure=way) for way in ways}
    }
    for reading in READINGS:
        rows[reading] = {way: found.by_run("readings", figure=f"{reading} {way}") for way in ways}
    title = "WDBC by distance: how the diagnosis is read decides how many are linked, of 100"
    return own_table("Readings of WDBC", title, "records", rows, digits=1)


def _beside(results: FuzzyIntegralResults) -> ComparedTable:
    rows = {}
    for name in FILES:
        own = {figure: results.structure(name, figure) for figure in ("linked", "sure", "guess")}
        rows[name] = {
            "best average in the paper": results.best_printed(name),
            "best average of ours, as in the paper": results.best(name)[1],
            "Structural()": own["linked"],
            "how sure it is": own["sure"],
            "share of runs in which it guesses": own["guess"],
        }
    title = (
        "Without the truth: the attack as it is by default, which knows nothing of the paper's "
        "choices, beside the best of the paper's ways, chosen with the truth; records linked, of "
        "100"
    )
    return own_table("Structural linkage", title, "records", rows, digits=2)


def curves(log: TrialLog, published: Published) -> list[LineChart]:
    """Figures 3 to 5, and the law of random links with what was found."""
    return [
        *(_quantifiers(number, letters) for number, letters in enumerate(FAMILIES, 3)),
        _chance(FuzzyIntegralResults(log, published)),
    ]


def _quantifiers(number: int, letters: str) -> LineChart:
    every = aggregation.published_quantifiers(FAMILIES[letters])
    shares = np.linspace(0, 1, MARKS + 1)
    points = [
        (f"{q.alpha:.1f}", float(x), float(y))
        for q in every
        for x, y in zip(shares, q(shares), strict=True)
    ]
    return LineChart(
        name=f"Figure {number}",
        title=f"The quantifiers {letters}, ten alphas",
        x="share of the attributes",
        y="weight",
        says=f"Ten nondecreasing lines from a share of 0 to one of 1, for alphas from "
        f"{every[0].alpha:.1f} to {every[-1].alpha:.1f}; the larger alpha, the later they rise.",
        points=tuple(points),
    )


def _chance(results: FuzzyIntegralResults) -> LineChart:
    law = measures.random_matching(RECORDS, RECORDS)
    rows = {int(row) for row, *_ in results.published.tables["Table IV"].printed()}
    counted = sorted(row for row in rows if row <= DRAWN)
    points = [("exactly r", float(r), law.exactly(r)) for r in counted]
    points += [("r or more", float(r), law.at_least(r)) for r in range(DRAWN + 1)]
    best = sorted(results.best(name)[1] for name in TABLES)
    down = [int(mean) for mean in best]
    points += [("our best averages, rounded down", float(r), law.at_least(r)) for r in down]
    return LineChart(
        name="Random links",
        title="The probability of r right links of 100 by a random matching",
        x="r",
        y="probability",
        says=f"It falls faster than exponentially, from {law.exactly(0):.2f} for none and for one "
        f"to {law.at_least(DRAWN):.1e} for {DRAWN} or more; at our best averages, {best[0]:.1f} to "
        f"{best[-1]:.1f} links, it is {law.at_least(down[0]):.0e} to {law.at_least(down[-1]):.0e}.",
        points=tuple(points),
        logarithmic=True,
    )
