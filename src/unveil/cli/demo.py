"""``unveil demo``."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from unveil.cli.console import bar, print_table, say
from unveil.cli.options import PATH, force_option
from unveil.cli.verdict_text import print_comparison
from unveil.errors import FileError
from unveil.wording import listing, reason

if TYPE_CHECKING:
    from unveil.workflows.demo import Demonstration, Folder


PAGES = 0.04  # of the time that all else takes


@click.command(name="demo")
@click.option(
    "--folder", type=PATH, default=Path("demo"), show_default=True, help="Where files are written."
)
@click.option(
    "--records",
    "-n",
    type=click.IntRange(min=100),
    default=1000,
    show_default=True,
    help="How many persons.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=7,
    show_default=True,
    help="Of the sample, the masking and the audits.",
)
@force_option
def command(folder: Path, records: int, seed: int, *, force: bool) -> None:
    """Go the whole way on the embedded sample.

    It is masked in three ways; each release is audited and held against a policy; they are
    compared; and there is a page of each and of all together. Everything is in the folder.
    """
    from unveil.workflows.demo import Folder, demonstrate

    place = Folder(folder)
    _make(folder)
    with bar("beginning") as show:
        found = demonstrate(
            place,
            records=records,
            seed=seed,
            force=force,
            progress=lambda doing, done, total: show(doing, done, round((1 + PAGES) * total)),
        )
        show("writing the pages", 100, round(100 * (1 + PAGES)))
        _write_pages(found, place, force=force)
    say("A made-up survey of persons in households; nobody in it is anybody.")
    say()
    _print_plans(place)
    say()
    _print_verdicts(found, place)
    print_comparison(found.comparison)
    say()
    _print_pages(found, place)
    say()
    _print_next(place)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"the folder cannot be made: {reason(error)}").at(str(folder)) from None


def _write_pages(found: Demonstration, folder: Folder, *, force: bool) -> None:
    from unveil.reports.write import report

    for name, audit in found.audits.items():
        report(audit, folder.of(name, "html"), force=force)
    report(found.comparison, folder.comparison, force=force)


def _print_plans(folder: Folder) -> None:
    from unveil.workflows.demo import PLANS, WORDS

    say(f"{folder.data} was masked in {len(PLANS)} ways:")
    say()
    rows = [
        [name if step == 0 else "", words, _columns(mask.columns or ())]
        for name, masks in PLANS.items()
        for step, (mask, words) in enumerate(zip(masks, WORDS[name], strict=True))
    ]
    print_table(["release", "what is done", "to"], rows)


def _columns(names: tuple[str, ...]) -> str:
    from unveil.table.sample import SCHEMA

    every = set(names) == set(SCHEMA.with_role("quasi"))
    return "every quasi-identifier" if every else ", ".join(names)


def _print_verdicts(found: Demonstration, folder: Folder) -> None:
    for name, audit in found.audits.items():
        verdict = audit.verdict
        kept = verdict is None or verdict.passed
        broken = "" if verdict is None else listing(limit.limit for limit in verdict.broken)
        say(f"{name}: {audit}")
        say(f"The policy, {folder.policy}, is {'kept' if kept else f'NOT kept: {broken}'}.")
        say()


def _print_pages(found: Demonstration, folder: Folder) -> None:
    say(f"The pages: {folder.comparison}   all releases beside each other; open this one")
    for name in found.audits:
        say(f"           {folder.of(name, 'html')}   the audit of {name}")


def _print_next(folder: Folder) -> None:
    def of(name: str, kind: str) -> str:
        return quote(str(folder.of(name, kind)))

    data, schema = quote(str(folder.data)), quote(str(folder.schema))
    say(f"Try: unveil inspect {data} --schema {schema}")
    say(f"     unveil mask {data} --schema {schema} \\")
    say(f"         --plan {of('medium', 'plan.toml')} -o masked.csv")
    say(f"     unveil audit {data} {of('strong', 'csv')} --schema {schema} \\")
    say(f"         --truth {of('strong', 'map.csv')} \\")
    say(f"         --plan {of('strong', 'plan.toml')} \\")
    say(f"         --policy {quote(str(folder.policy))} --report audit.html")
    names = " ".join(of(name, "json") for name in ("light", "medium", "strong"))
    say(f"     unveil compare {names} --report comparison.html")
