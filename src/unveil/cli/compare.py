"""``unveil compare``."""

from pathlib import Path
from typing import Any

import click

from unveil.cli.console import print_json, progress
from unveil.cli.options import PATH, TABLE, force_option, json_option
from unveil.cli.pages import Pages, page_options
from unveil.cli.verdict_text import print_comparison


@click.command(name="compare")
@click.argument("evidence", type=PATH, nargs=-1, required=True)
@click.option(
    "--records",
    type=TABLE,
    multiple=True,
    help="The risk of each record, as the audit wrote it: once for each EVIDENCE, in the same "
    "order, but for releases whose rows are nobody's.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Of what is drawn for the intervals.",
)
@page_options
@force_option
@json_option
def command(
    evidence: tuple[Path, ...],
    records: tuple[str | Path, ...],
    seed: int,
    *,
    as_json: bool,
    force: bool,
    **given: Any,
) -> None:
    """Say which of several releases of one original is better, and at what.

    \b
        unveil compare a.json b.json c.json --report comparison.html
        unveil compare a.json b.json --records a.csv --records b.csv

    Each EVIDENCE is the file that an audit of one release wrote (unveil audit ... --evidence
    FILE), all against the same original. A release is dominated by another with no more risk
    and no more loss, and less of one of them. Among the others nothing is decided: what is won
    in loss does not make up for risk, and no policy is overruled.

    With --records the difference in risk of each two releases is found over the records that
    were attacked in both, with an interval by drawing these records anew 2,000 times.
    """  # noqa: D301 - click reads the mark
    from unveil.workflows.compare import compare

    pages = Pages(**given, force=force)
    pages.check((*evidence, *records))
    with progress("reading the evidence") as show:
        found = compare(evidence, records=records or None, seed=seed)
        show("writing the page")
        pages.write(found)
    if as_json:
        print_json(found)
        return
    print_comparison(found)
    pages.say()
