"""``unveil report``."""

from pathlib import Path
from typing import Any

import click

from unveil.cli import options
from unveil.cli.console import print_json, progress
from unveil.cli.options import PATH
from unveil.cli.pages import Pages, page_options
from unveil.errors import UsageError


@click.command(name="report")
@click.argument("evidence", type=PATH)
@page_options
@options.force_option
@options.json_option
def command(evidence: Path, *, force: bool, as_json: bool, **page: Any) -> None:
    """Write the page of an audit from its EVIDENCE.

    \b
        unveil report audit.json --report audit.html
        unveil report audit.json --report for-others.html --external

    EVIDENCE is the file of `unveil audit ... --evidence FILE`. --json prints the sentences of
    the page and the tables behind its charts.
    """  # noqa: D301 - click reads the mark
    from unveil.reports.write import summary_of

    pages = Pages(**page, force=force)
    if not (pages.requested or as_json):
        raise UsageError("name an output: --report PAGE, --figures DIR, or --json")
    if pages.requested:
        pages.check([evidence])
    with progress(f"reading {evidence}"):
        pages.write(evidence)
    if as_json:
        print_json(summary_of(evidence, external=pages.external).to_dict())
    else:
        pages.say()
