"""Options of decisions on pairs, for the commands that link."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unveil.cli.console import note, print_lines
from unveil.cli.options import PATH, TABLE, split_names
from unveil.errors import UsageError

if TYPE_CHECKING:
    from unveil.values.results.pair_classes import PairClasses
    from unveil.workflows.auditing.decision_outputs import DecisionOutputs

NAMES = ("link_classes", "review", "review_pairs", "show_values", "pair", "figures")
_OPTIONS = (
    click.option("--link-classes", help="Classes in --links.  [default: linked,clerical]"),
    click.option("--review", type=TABLE, help="Table of clerical pairs, to answer yes or no."),
    click.option(
        "--review-pairs",
        type=click.IntRange(min=1),
        metavar="NUMBER",
        help="Most pairs of --review.  [default: 200]",
    ),
    click.option("--show-values", is_flag=True, help="Show cells in --review."),
    click.option("--pair", metavar="ROW,ROW", help="Pair to explain, by the rows of both files."),
    click.option("--figures", type=PATH, help="Folder for the charts of the match weights."),
)


def decision_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of decisions on pairs to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def decision_outputs(chosen: dict[str, Any], *, force: bool) -> DecisionOutputs:
    """The outputs that the options name, which are taken out of them; checked before the work."""
    from unveil.reports.write import check_figures
    from unveil.workflows.auditing.decision_outputs import DecisionOutputs

    given: dict[str, Any] = {name: chosen.pop(name, None) for name in NAMES}
    figures = given.pop("figures")
    if figures is not None:
        check_figures(figures, force=force)
    given |= {"pair": _pair(given["pair"]), "classes": split_names(given.pop("link_classes"))}
    known = {name: value for name, value in given.items() if value is not None}
    return DecisionOutputs(**known, figures=figures is not None)


def _pair(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    rows = text.split(",")
    if len(rows) != 2 or not all(row.strip().isdecimal() for row in rows):
        raise UsageError("--pair: the row of the first file and that of the second: 17,23")
    return int(rows[0]), int(rows[1])


def draw_decisions(classes: PairClasses | None, figures: Path | None) -> None:
    """Write the charts, if they are asked for."""
    if classes is None or figures is None:
        return
    from unveil.reports.sections.linkage.pair_classes import charts
    from unveil.reports.write import write_figures

    write_figures(charts(classes), figures)


def show_decisions(
    classes: PairClasses | None, outputs: DecisionOutputs, figures: Path | None
) -> None:
    """Print the classes of pairs, and what was written."""
    if classes is None:
        return
    from unveil.reports.lines.decisions import class_lines, step_lines

    print_lines(class_lines(classes))
    if outputs.pair is not None:
        print_lines(step_lines(classes))
    if figures is not None:
        note(f"Wrote {figures}: the charts of the match weights.")
    if outputs.review is not None:
        cells = " It has cells of both files." if outputs.show_values else ""
        note(
            f"Wrote {outputs.review}: fill in `answer` with yes or no, and give the file as "
            f"--answers.{cells}"
        )
