"""The page of a reproduction: published tables with ours beside them, claims and charts."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, get_args

from unveil.reports import (
    Column,
    Exhibit,
    Fact,
    Mark,
    Phrase,
    Row,
    Section,
    Summary,
    Table,
    as_given,
    counted,
    phrase,
    register_chart,
)
from unveil_papers.charts import curve, ours_and_theirs
from unveil_papers.framework.reproduction import (
    SIGNS,
    Cell,
    Claim,
    ComparedTable,
    LineChart,
    Reproduction,
    Reproductions,
    Verdict,
)
from unveil_papers.framework.reproduction import Mark as Marked

MARKS = tuple(mark for mark in get_args(Marked) if mark != "ours")
VERDICTS = get_args(Verdict)
GLUE = "\N{NO-BREAK SPACE}"  # between a figure, its error and its mark
MANY = 3  # figures of one unit that make a chart

register_chart("ours_and_theirs", ours_and_theirs)
register_chart("curve", curve)
register_chart("curve_logarithmic", partial(curve, logarithmic=True))


def summary(reproductions: Reproductions) -> Summary:
    """The page of papers whose tables were reproduced."""
    sections = [overview(reproductions), *(paper(one) for one in reproductions.papers)]
    return Summary(
        kind="Reproduction: of data that anybody can get",
        title="Published tables, ours beside theirs",
        subject=subject(reproductions),
        verdict=verdict(reproductions),
        passed=None,
        facts=facts(reproductions),
        sections=tuple(section for section in sections if section is not None),
        limits=limits(),
        version=reproductions.version,
    )


def subject(reproductions: Reproductions) -> Phrase:
    """The papers, the number of runs and the seed."""
    many, runs = len(reproductions.papers), "a few runs" if reproductions.quick else "all runs"
    word = "part" if many == 1 else "parts"
    return phrase(f"{{}} {word}, {runs}, seed {{}}", counted(many), as_given(reproductions.seed))


def verdict(reproductions: Reproductions) -> Phrase:
    """How many published figures are reproduced."""
    marks = _sum(paper.marks() for paper in reproductions.papers)
    if not any(marks.values()):
        return phrase("There are no published figures to compare with.")
    return phrase(
        "Of {} published figures {} are the same, {} are different, and {} cannot be reproduced.",
        counted(sum(marks.values())),
        *(counted(marks[mark]) for mark in MARKS),
    )


def facts(reproductions: Reproductions) -> tuple[Fact, ...]:
    """The counts at the top of the page."""
    if not reproductions.compared():
        return ()
    marks = _sum(paper.marks() for paper in reproductions.papers)
    verdicts = _sum(paper.verdicts() for paper in reproductions.papers)
    of_cells = [Fact(phrase(f"figures: {mark}"), (counted(marks[mark]),)) for mark in MARKS]
    of_claims = [Fact(phrase(f"claims: {one}"), (counted(verdicts[one]),)) for one in VERDICTS]
    return (*of_cells, *of_claims)


def _sum(counts: Iterable[Mapping[Any, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return total


def overview(reproductions: Reproductions) -> Section | None:
    """One row per paper; None if no paper has anything to compare with."""
    if not reproductions.compared():
        return None
    heads = [*MARKS, *VERDICTS]
    rows: list[Row] = [
        (
            phrase(paper.name),
            *(counted(paper.marks()[mark]) for mark in MARKS),
            *(counted(paper.verdicts()[one]) for one in VERDICTS),
        )
        for paper in reproductions.compared()
    ]
    columns = (_words("paper", "paper"), *(_numbers(head) for head in heads))
    return Section(
        key="overview",
        title="Overview",
        exhibits=(
            Exhibit(
                name="overview",
                title="Figures and claims",
                table=Table(columns, tuple(rows)),
                notes=(phrase("The first three are figures, the others claims in words."),),
            ),
        ),
    )


def paper(reproduction: Reproduction) -> Section:
    """One paper: its setting, tables, claims and charts."""
    exhibits = [
        *_scatters(reproduction),
        *(_table(reproduction.name, table) for table in reproduction.tables),
    ]
    if reproduction.claims:
        exhibits.append(_claims(reproduction.name, reproduction.claims))
    return Section(
        key=reproduction.name,
        title=reproduction.title,
        paragraphs=((reproduction.source,), *((one,) for one in reproduction.setting)),
        exhibits=(*exhibits, *(_curve(reproduction.name, curve) for curve in reproduction.curves)),
    )


def _table(paper: str, table: ComparedTable) -> Exhibit:
    """Each cell: the printed figure, ours below it, and its mark."""
    columns = (_words("row", ""), *(_numbers(head) for head in table.columns))
    rows: tuple[Row, ...] = tuple(
        (row, *(_cell(table, table.at(row, column)) for column in table.columns))
        for row in table.rows
    )
    lead = f"Unit: {table.unit}."
    if table.yardstick:
        lead += f" Above what was printed, below it ours; {table.yardstick}."
    elif any(cell.error is not None for cell in table.cells):
        lead += " After ± the standard error."
    return Exhibit(
        name=_key(paper, table.name),
        title=f"{table.name}: {table.title}",
        table=Table(columns, rows),
        lead=((lead,),),
        notes=tuple((f"{_places(cells)}: {why}",) for why, cells in table.reasons().items()),
    )


def _cell(table: ComparedTable, cell: Cell | None) -> Phrase:
    if cell is None:
        return ()
    ours = table.written(cell).replace(" ", GLUE)
    if cell.theirs is None:  # on the line of ours
        return (f"\n{ours}" if table.yardstick else ours,)
    if cell.mark == "ours":
        return (f"{cell.theirs}\n{ours}",)
    return (f"{cell.theirs}\n{ours}{GLUE}", Mark(SIGNS[cell.mark], cell.mark))


def _places(cells: list[Cell], most: int = 6) -> str:
    """The rows and columns of some cells, cut short where there are many."""
    said = ", ".join(f"{cell.row} {cell.column}" for cell in cells[:most])
    return said if len(cells) <= most else f"{said} and {len(cells) - most} more"


def _scatters(reproduction: Reproduction) -> list[Exhibit]:
    """Published figures against ours: one chart per unit."""
    rows: dict[str, list[Row]] = {}
    for table in reproduction.tables:
        for cell in table.cells:
            if cell.theirs is None or cell.ours is None or cell.mark == "ours":
                continue
            place = f"{table.name}, {cell.row}, {cell.column}"
            both = as_given(float(cell.theirs)), as_given(cell.ours)
            rows.setdefault(table.unit, []).append((place, *both, cell.mark))
    columns = (_words("cell", "cell"), _numbers("theirs"), _numbers("ours"), _words("mark", "mark"))
    return [
        Exhibit(
            name=_key(reproduction.name, f"ours and theirs {unit}"),
            title=f"Ours against theirs ({unit})",
            chart="ours_and_theirs",
            table=Table(columns, tuple(each)),
            says=phrase("Every printed figure against ours; those on the line are equal."),
        )
        for unit, each in rows.items()
        if len(each) >= MANY
    ]


def _claims(paper: str, claims: tuple[Claim, ...]) -> Exhibit:
    rows: tuple[Row, ...] = tuple(
        (as_given(one.number), one.where, one.says, (Mark(one.verdict, one.verdict),), one.because)
        for one in claims
    )
    columns = (
        _numbers("number", ""),
        _words("where", "where"),
        _words("says", "what it says"),
        _words("verdict", "verdict"),
        _words("because", "because"),
    )
    return Exhibit(
        name=_key(paper, "claims"), title="What it says in words", table=Table(columns, rows)
    )


def _curve(paper: str, curve: LineChart) -> Exhibit:
    rows: tuple[Row, ...] = tuple((line, as_given(x), as_given(y)) for line, x, y in curve.points)
    columns = _words("line", "line"), _numbers(curve.x), _numbers(curve.y)
    return Exhibit(
        name=_key(paper, curve.name),
        title=curve.title,
        chart="curve_logarithmic" if curve.logarithmic else "curve",
        table=Table(columns, rows),
        says=(curve.says,),
    )


def _words(key: str, head: str) -> Column:
    return Column(key, phrase(head))


def _numbers(key: str, head: str | None = None) -> Column:
    return Column(key, phrase(key if head is None else head), number=True)


def _key(paper: str, name: str) -> str:
    """The name of a chart in files and pages."""
    return re.sub(r"[^a-z0-9]+", "-", f"{paper} {name}".lower()).strip("-")


def limits() -> tuple[Phrase, ...]:
    """The limits of what a mark says."""
    return (
        phrase(
            "Same means that chance and rounding explain the difference, not that the authors did "
            "what we do. Where a paper does not tell how something was done, the reading was found "
            "by what fits, and the setting says so."
        ),
        phrase(
            "Of figures that are compared at three standard errors one in 370 is marked different "
            "where nothing is."
        ),
        phrase("Figures without a printed one above are ours alone: nothing vouches for them."),
    )
