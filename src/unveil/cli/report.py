"""``unveil report``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unveil.cli.console import progress
from unveil.cli.options import PATH, force_option
from unveil.cli.pages import Pages, page_options
from unveil.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


@click.command(name="report")
@click.argument("evidence", type=PATH)
@page_options
@force_option
def command(evidence: Path, *, force: bool, **given: Any) -> None:
    """Make the page of an audit from its EVIDENCE, without another audit.

    \b
        unveil report audit.json --report audit.html
        unveil report audit.json --report for-others.html --external

    EVIDENCE is the file that `unveil audit ... --evidence FILE` wrote.
    """  # noqa: D301 - click reads the mark
    pages = Pages(**given, force=force)
    if pages.report is None and pages.figures is None:
        raise UsageError("say what to write: --report PAGE, --figures DIR, or both")
    pages.check([evidence])
    with progress(f"reading {evidence}"):
        pages.write(evidence)
    pages.say()
