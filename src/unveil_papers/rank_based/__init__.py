"""Muralidhar and Domingo-Ferrer, Rank-based record linkage (2016).

Two files of numbers, Census and EIA, are masked by noise, swapping and microaggregation, a hundred
times where anything is drawn. Everybody's row is looked for by distance and by the sum and the
largest of the differences of ranks (Tables 1 to 5). Beside them: correlated noise and the
p-distribution swapping of the paper's words, distances between logarithms, and an intruder who
knows the mask.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

from unveil_papers.framework.experiment import PaperTrial, TrialLog
from unveil_papers.framework.published import Published
from unveil_papers.framework.reproduction import ComparedTable
from unveil_papers.framework.verdicts import span
from unveil_papers.framework.yardstick import Ours, own_table
from unveil_papers.rank_based import words, work
from unveil_papers.rank_based.judging import DISTANCE, TABLES, Paper, counts
from unveil_papers.rank_based.work import (
    FILES,
    GROUPING,
    IN_WORDS,
    NOISE,
    PUBLISHED,
    SWAPPED,
    known_rows,
)

__all__ = ["DATA", "WORK", "results", "tables", "trials"]

DATA = tuple(FILES)
results = Paper  # what the judges of claims are given
CALLED = {
    "noise": "noise a =",
    "correlated-evenly": "correlated noise a =",
    "swapping": "swapping p =",
    "p-distribution": "p-distribution p =",
    "multiplicative": "multiplicative b =",
    GROUPING: "individual ranking k =",
}
COLUMNS = {
    "paper": "best of the paper",
    "one to one": "the same, one to one",
    "likelihood": "knowing the mask",
    "posterior": "and matching",
}


WORK = {**work.WORK, **words.WORK}


def trials(*, quick: bool) -> Iterator[PaperTrial]:
    """What is run for the tables, and for the words."""
    return chain(work.trials(quick=quick), words.trials(quick=quick))


def tables(log: TrialLog, published: Published) -> list[ComparedTable]:
    """Ours beside theirs, and ours alone."""
    paper = Paper(log, published)
    drawn = [paper.table(name, partial(_far, paper, name)) for name in TABLES]
    known = [_known(log, file) for file in FILES if any(known_rows(log, file))]
    return [*drawn, *table_5(log, published), *_beside(log), *known]


def table_5(log: TrialLog, published: Published) -> list[ComparedTable]:
    """The table in which nothing is drawn: both files, each by its own k."""
    paper = Paper(log, published)
    names = {file: f"Table 5, {called}" for file, called in FILES.items()}
    return [paper.table(name, partial(_counted, paper, file)) for file, name in names.items()]


# What was inferred from the table, and may be the reason why a cell is far from the printed one.
INFERRED = {
    "Table 2": "which partners are open to a record is inferred, by what fits this table best",
    "Table 3": "the mask is inferred, by what fits this table best: the words describe another",
}


def _far(paper: Paper, name: str, row: str, column: str) -> str:
    """How far a drawn figure is from the printed one, and how often chance does that."""
    cell = paper.table(name).at(row, column)
    if cell is None or cell.ours is None or cell.theirs is None or not cell.error:
        return "no run differs from another, and all from what is printed"
    away = abs(cell.ours - float(cell.theirs)) / cell.error
    chance = f"{away:.1f} standard errors away; three or more are so by chance for one in 370"
    return "; ".join([chance, *([INFERRED[name]] if name in INFERRED else [])])


def _counted(paper: Paper, file: str, row: str, column: str) -> str:
    """Why a figure is not the printed one where nothing is drawn."""
    found, k = paper.log, int(row)
    printed = counts(paper, file, k, column)
    would = (
        f"{span(printed, 0)} would print {paper.printed(f'Table 5, {FILES[file]}', row, column)}"
    )
    if column != DISTANCE or not found.has("reordered", file, k):
        return f"{would}; not explained"
    least, most = (found.by_run("reordered", file, k, figure=name) for name in ("least", "most"))
    orders = span((min(least), max(most)), 0)
    said = [
        f"{found.one('grouped', file, k, figure='hits'):g} records; {would}",
        f"{len(least) * words.ORDERS} orders of equal values at random give {orders}",
    ]
    if found.has("regrouped", file, k):
        last = found.one("regrouped", file, k, figure="last of tied rows")
        said.append(f"the last of tied rows in place of the first gives {last:g}")
    if not min(least) <= printed[1] or not max(most) >= printed[0]:
        said.append("none of which explains it")
    return "; ".join(said)


def _beside(log: TrialLog) -> list[ComparedTable]:
    """What the paper has in words only, and another scale."""
    of = partial(_rows, log)
    return [
        own_table(
            "Correlated noise, a times the covariance",
            "Records linked, as the paper writes the noise; it prints no figures",
            "%", of("correlated", NOISE, FILES), digits=2,
        ),
        own_table(
            "Correlated noise, a squared times the covariance",
            "Records linked, with as much noise on each attribute as in Table 1",
            "%", of("correlated-evenly", NOISE, FILES), digits=2,
        ),
        own_table(
            "Table 3 in words",
            "Records linked, p-distribution swapping as the paper's words describe it",
            "%", of(IN_WORDS, SWAPPED, ["census"], "%"), digits=2,
        ),
        own_table(
            "Table 4 on logarithms",
            "Records linked by DBRL between the logarithms of values, multiplicative noise by b",
            "%",
            {
                f"{level:.2f}": {
                    f"{called} {attack}": log.by_run(work, "multiplicative", file, level, figure=of)
                    for file, called in FILES.items()
                    for attack, work, of in (
                        ("DBRL", "linked", "DBRL"),
                        ("DBRL, logarithms", "bent", "DBRL"),
                        ("RBRL-Sum", "linked", "RBRL-Sum"),
                    )
                }
                for level in NOISE
            },
            digits=2,
        ),
    ]  # fmt: skip


def _rows(
    log: TrialLog, mask: str, levels: Sequence[float], files: Iterable[str], sign: str = ""
) -> dict[str, dict[str, Ours]]:
    return {
        f"{level:g}%" if sign else f"{level:.2f}": {
            f"{FILES[file]} {attack}": log.by_run("linked", mask, file, level, figure=attack)
            for file in files
            for attack in PUBLISHED
        }
        for level in levels
    }


def _known(log: TrialLog, file: str) -> ComparedTable:
    """Who knows the mask beside the best attack of the paper, of the releases that were tried."""
    rows: dict[str, dict[str, Ours]] = {}
    for mask, level in known_rows(log, file):
        runs = log.runs("known", mask, file, level)
        rows[f"{CALLED[mask]} {level:g}"] = {
            called: log.by_run("known", mask, file, level, figure=figure)
            for figure, called in COLUMNS.items()
            if figure in runs[0]
        }
    return own_table(
        f"Knowing the mask, {FILES[file]}",
        "Records linked by the best attack of the paper, the same one to one, an intruder who "
        "knows the mask, and one who also knows that nobody has two rows; ties count by their "
        "share",
        "%", rows, digits=1,
    )  # fmt: skip
