"""Options for pages and figures, which several commands write."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from unveil.cli.console import say
from unveil.cli.options import PATH
from unveil.errors import UsageError

_OPTIONS = (
    click.option(
        "--report", type=PATH, help="Write one page to read, to print and to send (HTML)."
    ),
    click.option(
        "--external",
        is_flag=True,
        help="The page and the figures for others: without what would help an attacker.",
    ),
    click.option(
        "--figures", type=PATH, metavar="DIR", help="Write each chart as SVG and PNG to a folder."
    ),
)
PAGE_OPTIONS = ("report", "external", "figures")


def page_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of pages and figures."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class Pages:
    """The pages and figures that were asked for."""

    report: Path | None
    external: bool
    figures: Path | None
    force: bool

    @property
    def asked(self) -> bool:
        """Whether anything is to be written."""
        return self.report is not None or self.figures is not None

    def check(self, inputs: Sequence[object] = (), outputs: Sequence[Path | None] = ()) -> None:
        """Refuse now what could not be written in the end."""
        from unveil.reports.write import check_figures, check_report

        if self.external and not self.asked:
            raise UsageError("--external does nothing without --report or --figures: leave it out")
        if self.report is not None:
            check_report(self.report, inputs, force=self.force)
        if self.figures is not None:
            files = (self.report, *outputs)
            check_figures(self.figures, files, force=self.force, external=self.external)

    def write(self, found: Any) -> None:
        """Write what was asked for."""
        from unveil.reports.write import publish

        if self.asked:
            publish(found, self.report, self.figures, external=self.external)

    def say(self) -> None:
        """Say what was written, and who may see it."""
        who = "for others; read it before you send it" if self.external else "keep it private"
        if self.report is not None:
            say(f"Wrote {self.report}: the page, {who}.")
        if self.figures is not None:
            say(f"Wrote the charts to {self.figures}, {who}.")
