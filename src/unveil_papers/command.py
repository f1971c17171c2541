"""The command ``unveil papers``: an entry point of the group ``unveil.commands``."""

import shutil
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from unveil.cli import (
    PATH,
    complain,
    force_option,
    json_option,
    print_json,
    print_table,
    progress,
    say,
)
from unveil.errors import UsageError
from unveil_papers.framework.reproduction import (
    SIGNS,
    Cell,
    Claim,
    ComparedTable,
    Reproduction,
    Reproductions,
)

WIDTH = 120  # where the output is no terminal
GAP = 3  # between two columns, at most
OURS = "  ours"


@click.command(name="papers")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--quick", is_flag=True, help="A few runs of each trial: under ten minutes on two cores."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed."
)
@click.option("--report", type=PATH, help="Write one page with all tables and figures (HTML).")
@click.option(
    "--figures", type=PATH, metavar="DIR", help="Write each chart as SVG and PNG to a folder."
)
@click.option(
    "--fresh", is_flag=True, help="Run every trial again, also those that the cache holds."
)
@click.option(
    "--import",
    "imports",
    is_flag=True,
    help="Convert downloaded files, named in place of papers, and list what is missing.",
)
@force_option
@json_option
def command(
    names: tuple[str, ...],
    seed: int,
    report: Path | None,
    figures: Path | None,
    *,
    quick: bool,
    fresh: bool,
    imports: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Reproduce the tables of five papers, ours beside theirs.

    \b
        unveil papers --quick --report papers.html
        unveil papers rank-based supervised
        unveil papers --import adult.data adult.test wdbc.data

    NAME is rank-based, categorical, fuzzy-integrals, generalization or supervised; or grid:
    every attack against every mask. Without one, all of them.

    Each table shows the printed figure above ours, with the standard error of their difference.
    A figure is the same (=) within three standard errors (more where runs are few: each table
    says how many) or, where nothing is random, in every printed digit; otherwise it is different
    (≠) or cannot be reproduced (∅), and the reason follows the table. Fewer than five runs have
    no mark. The claims of each paper are numbered and judged.

    The environment variable UNVEIL_DATA names the folder with the papers' data sets. A run uses
    all cores. Ctrl-C stops it, and the same command continues. The user's cache keeps the
    figures of every trial for this version and this seed.

    With --import, each NAME is a file as its host gives it (adult.data, CASCrefmicrodata.rda);
    nothing is downloaded. It is converted, verified by its SHA-256, and written to the folder that
    UNVEIL_DATA names, or to the user's cache.
    """  # noqa: D301 - click reads the mark
    from unveil.reports import check_figures, check_report, publish
    from unveil_papers.page import summary
    from unveil_papers.papers import NAMES, reproduce

    if imports:
        if quick or fresh or report is not None or figures is not None:
            raise UsageError("--import runs no paper: give it no other option but --force, --json")
        _import([Path(name) for name in names], force=force, as_json=as_json)
        return
    if report is not None:
        check_report(report, force=force)
    if figures is not None:
        check_figures(figures, (report,), force=force)
    try:
        with progress("beginning") as show:
            result = reproduce(names or NAMES, quick=quick, seed=seed, fresh=fresh, progress=show)
    except KeyboardInterrupt:
        again = "without --fresh it" if fresh else "the same command"
        complain(f"What was found so far is kept: {again} goes on from here.")
        raise
    publish(summary(result), report, figures, external=False)
    if as_json:
        print_json(result)
        return
    for paper in result.papers:
        _print_paper(paper)
    if result.compared():
        _print_overview(result)
    for path, what in ((report, "the page"), (figures, "the charts")):
        if path is not None:
            say(f"Wrote {what}: {path}")


def _import(files: Sequence[Path], *, force: bool, as_json: bool) -> None:
    from unveil_papers.originals import import_originals

    result = import_originals(files, force=force)
    if as_json:
        print_json(result)
        return
    for path in result.written:
        say(f"Wrote {path}")
    if not result.missing:
        say("No data set is missing.")
        return
    say("Still missing:")
    head = ["data set", "import", "which is"]
    print_table(head, [[one.name, one.original, one.source] for one in result.missing], ())


def _print_paper(paper: Reproduction) -> None:
    _wrap(f"{paper.title}. {paper.source}.")
    for sentence in paper.setting:
        _wrap(sentence, "  ")
    say()
    for table in paper.tables:
        _print(table)
    if paper.claims:
        say("What it says in words")
        for claim in paper.claims:
            _print_claim(claim)
        say()


def _print(table: ComparedTable) -> None:
    _wrap(f"{table.name}: {table.title} ({table.unit})", "    ", first="")
    if table.yardstick:
        _wrap(table.yardstick, "    ")
    for columns in _that_fit(table):
        lines = [line for row in table.rows for line in _lines(table, row, columns)]
        print_table(["", *columns], lines, columns)
    for why, cells in table.reasons().items():
        places = ", ".join(f"{cell.row} {cell.column}" for cell in cells)
        where = f"({len(cells)}: {textwrap.shorten(places, 200, placeholder=' ...')})"
        _wrap(f"{SIGNS[cells[0].mark]} {why} {where}".lstrip())
    say()


def _lines(table: ComparedTable, row: str, columns: Sequence[str]) -> list[list[str]]:
    """The printed figures of a row, if there are any, and ours below them."""
    cells = [table.at(row, column) for column in columns]
    theirs = ["" if cell is None or cell.theirs is None else cell.theirs for cell in cells]
    ours = [_ours(table, cell) for cell in cells]
    return [[row, *theirs], [OURS, *ours]] if any(theirs) else [[row, *ours]]


def _ours(table: ComparedTable, cell: Cell | None) -> str:
    return "" if cell is None else f"{table.written(cell)} {SIGNS[cell.mark]}".rstrip()


def _that_fit(table: ComparedTable) -> Iterator[list[str]]:
    """The columns in parts that fit the width of the terminal."""
    wide = {
        column: max(
            len(column), *(len(_ours(table, cell)) for cell in table.cells if cell.column == column)
        )
        for column in table.columns
    }
    names, most = max(map(len, (OURS, *table.rows))), _width()
    part: list[str] = []
    for column in table.columns:
        if part and names + sum(wide[one] + GAP for one in (*part, column)) > most:
            yield part
            part = []
        part.append(column)
    yield part


def _width() -> int:
    return shutil.get_terminal_size((WIDTH, 1)).columns


def _print_claim(claim: Claim) -> None:
    _wrap(f"{claim.number:3}. {claim.where}: {claim.says}", "     ", first="")
    _wrap(f"{claim.verdict.upper()}: {claim.because}", "     ")


def _wrap(text: str, indent: str = "", first: str | None = None) -> None:
    begin = indent if first is None else first
    for line in textwrap.wrap(text, _width(), initial_indent=begin, subsequent_indent=indent):
        say(line)


def _print_overview(reproductions: Reproductions) -> None:
    compared = reproductions.compared()
    say("Published figures, ours beside theirs")
    _print_counts({paper.name: paper.marks() for paper in compared})
    say("What is said in words")
    _print_counts({paper.name: paper.verdicts() for paper in compared})


def _print_counts(counts: Mapping[str, Mapping[Any, int]]) -> None:
    head = list(next(iter(counts.values())))
    rows = [[name, *map(str, each.values())] for name, each in counts.items()]
    print_table(["", *head], rows, head)
    say()
