"""``unveil demo``."""

from __future__ import annotations

import textwrap
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from unveil.cli import options
from unveil.cli.console import has_flag, print_table, progress, say
from unveil.cli.options import PATH
from unveil.cli.verdict_text import WIDTH, print_comparison
from unveil.errors import FileError
from unveil.support.phrases import plain
from unveil.wording import reason

if TYPE_CHECKING:
    from unveil.workflows.demo import Demonstration

PAGES = 0.04  # duration of the pages, beside all else


@click.command(name="demo")
@click.option(
    "--folder", type=PATH, default=Path("demo"), show_default=True, help="Folder for the files."
)
@click.option(
    "--records",
    "-n",
    type=click.IntRange(min=100),
    default=1000,
    show_default=True,
    help="Number of people.",
)
@options.seed_option(default=7)
@options.force_option
def command(folder: Path, records: int, seed: int, *, force: bool) -> None:
    """Demonstrate masking, auditing, comparing and choosing on the embedded sample.

    The demo masks the sample in three ways, audits each release against a policy, compares the
    releases, and chooses another release by a small search. It writes all files and a page for each
    step to the folder.
    """
    from unveil.reports.write import report
    from unveil.workflows.choosing.outputs import PAGE
    from unveil.workflows.demo import CHOICE, COMPARISON, demonstrate

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"the folder cannot be made: {reason(error)}").at(str(folder)) from None
    with progress("beginning") as show:
        result = demonstrate(
            folder,
            records=records,
            seed=seed,
            force=force,
            progress=lambda step, done, total: show(step, done, round((1 + PAGES) * total)),
        )
        show("writing the pages", 100, round(100 * (1 + PAGES)))
        for name, audit in result.audits.items():
            report(audit, folder / f"{name}.html", force=force)
        report(result.comparison, folder / COMPARISON, force=force)
        report(result.choice, folder / CHOICE / PAGE, force=force)
    _print_releases(folder, result, whole=has_flag("verbose"))
    pages = {folder / COMPARISON: "comparison of all releases (start here)"}
    pages |= {folder / f"{name}.html": f"audit of {name}" for name in result.audits}
    pages |= {folder / CHOICE / PAGE: "search and chosen release"}
    print_table(["page", "content"], [[str(path), content] for path, content in pages.items()])
    say()
    _print_next_commands(folder, whole=has_flag("verbose"))


def _print_releases(folder: Path, result: Demonstration, *, whole: bool) -> None:
    """Print the masks, the audits and the choice: one screen, or everything."""
    from unveil.reports.lines.demo import audited_sentence, chosen_sentence, masked_sentence
    from unveil.reports.summary import comparison_summary, summary
    from unveil.values.release.plan import Plan
    from unveil.workflows.demo import CHOSEN_PEOPLE, DATA, LIMITS, PLANS

    say(masked_sentence(folder / DATA, len(PLANS)))
    say()
    rows = [
        [name if step == 0 else "", _effect(mask), ", ".join(mask["columns"])]
        for name, masks in PLANS.items()
        for step, mask in enumerate(Plan(masks).to_dict()["mask"])
    ]
    head = ["release", "masking", "to"]
    shown = len(head) if whole else 2
    print_table(head[:shown], [row[:shown] for row in rows])
    say()
    say(audited_sentence(folder / LIMITS))
    say()
    for name, audit in result.audits.items():
        _say_wrapped(f"{name}: {plain(summary(audit.evidence).verdict)}")
    say()
    if whole:
        print_comparison(result.comparison, whole=True)
    else:
        _say_wrapped(plain(comparison_summary(result.comparison).verdict))
    say()
    _say_wrapped(chosen_sentence(result.choice, CHOSEN_PEOPLE))
    say()


def _effect(mask: dict[str, Any]) -> str:
    """What a step of a plan does, in words."""
    from unveil.reports.mask_words import effect_in_words

    said = effect_in_words(mask)
    return mask["method"] if said is None else plain(said[0])


def _say_wrapped(text: str) -> None:
    """Print a sentence in lines that fit a terminal of 80 columns."""
    for line in textwrap.wrap(text, WIDTH, subsequent_indent="  "):
        say(line)


def _print_next_commands(folder: Path, *, whole: bool) -> None:
    from unveil.workflows.demo import DATA, LIMITS, PLANS, SCHEMA

    def path(name: str) -> str:
        return quote(str(folder / name))

    survey = f"{path(DATA)} --schema {path(SCHEMA)}"
    if whole:
        say(f"Try: unveil inspect {survey}")
        say(f"     unveil mask {survey} \\")
        say(f"         --plan {path('medium.plan.toml')} -o masked.csv")
        say(f"     unveil audit {path(DATA)} {path('strong.csv')} --schema {path(SCHEMA)} \\")
        say(f"         --truth {path('strong.map.csv')} \\")
        say(f"         --plan {path('strong.plan.toml')} \\")
        say(f"         --policy {path(LIMITS)} --report audit.html")
        evidence = " ".join(path(f"{name}.json") for name in PLANS)
        say(f"     unveil compare {evidence} --report comparison.html")
    say(f"{'    ' if whole else 'Try:'} unveil choose {survey} \\")
    say(f"         --policy {path(LIMITS)} -o chosen")
    if not whole:
        say("`unveil demo --force --verbose` prints every table and more commands.")
