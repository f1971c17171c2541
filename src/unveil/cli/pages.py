"""Pages and figures, which several commands write."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from unveil.cli.console import note
from unveil.cli.options import PATH
from unveil.errors import UsageError

_OPTIONS = (
    click.option("--report", type=PATH, help="HTML page of the results."),
    click.option("--external", is_flag=True, help="Omit details that would help an attacker."),
    click.option("--title", help="Title of the page."),
    click.option("--figures", type=PATH, metavar="DIR", help="Folder for the charts, SVG and PNG."),
)
PAGE_OPTIONS = ("report", "external", "title", "figures")


def page_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of pages and figures to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class Pages:
    """The requested page and figures."""

    report: Path | None
    external: bool
    figures: Path | None
    force: bool
    title: str | None = None

    @property
    def requested(self) -> bool:
        """Whether anything is to be written."""
        return self.report is not None or self.figures is not None

    def check(self, inputs: Sequence[object] = (), outputs: Sequence[Path | None] = ()) -> None:
        """Refuse outputs that could not be written at the end."""
        from unveil.reports.write import check_figures, check_report

        if self.external and not self.requested:
            raise UsageError("--external does nothing without --report or --figures: leave it out")
        if self.title is not None and self.report is None:
            raise UsageError("--title needs a page: give --report, or leave the title out")
        if self.report is not None:
            check_report(self.report, inputs, force=self.force)
        if self.figures is not None:
            files = (self.report, *outputs)
            check_figures(self.figures, files, force=self.force, external=self.external)

    def write(self, result: Any) -> None:
        """Write the requested page and figures."""
        from unveil.reports.write import publish

        if self.requested:
            publish(result, self.report, self.figures, external=self.external, title=self.title)

    def say(self) -> None:
        """Print the written files and who may see them."""
        who = "for others; read it before you send it" if self.external else "keep it private"
        if self.report is not None:
            note(f"Wrote {self.report}: the page, {who}.")
        if self.figures is not None:
            note(f"Wrote the charts to {self.figures}, {who}.")
