"""``unveil choose``."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from unveil.cli import options
from unveil.cli.console import FAILED, note, print_json, progress
from unveil.cli.options import PATH, TABLE
from unveil.cli.sections import CSV, SectionedCommand
from unveil.cli.verdict_text import print_choice
from unveil.errors import UsageError

if TYPE_CHECKING:
    from unveil.values.results.choice import Choice
    from unveil.workflows.choosing.outputs import ChoiceFolder

STOPPED = 130  # exit code of Ctrl-C
SECTIONS = {
    "Input": ("schema", "policy", "space", CSV),
    "Effort": ("trials", "effort", "workers", "study", "engine", "seed"),
    "Output": ("folder", "title", "as_json", "force"),
}


@click.command(name="choose", cls=SectionedCommand, sections=SECTIONS)
@click.argument("original", type=TABLE)
@options.schema_option
@click.option("--policy", type=PATH, required=True, help="TOML file of the limits.")
@click.option(
    "--space", type=PATH, help="TOML file of the masks to search.  [default: all suitable]"
)
@click.option("--trials", type=int, metavar="NUMBER", help="Number of plans to try; or --effort.")
@click.option(
    "--effort",
    type=options.Word(["quick", "normal", "thorough"]),
    help="Effort of the search.  [default: normal]",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="NUMBER",
    help="Number of parallel processes.",
)
@click.option(
    "--study",
    type=TABLE,
    metavar="PLACE",
    help="Storage of the search: a file or a shared database.  [default: DIR/study.sqlite]",
)
@options.engine_option
@options.seed_option()
@click.option(
    "--output", "-o", "folder", type=PATH, required=True, metavar="DIR", help="Folder of the files."
)
@click.option("--title", help="Title of the page.")
@options.force_option
@options.json_option
@options.csv_options
def command(
    original: str | Path,
    schema: Path | None,
    folder: Path,
    title: str | None,
    *,
    as_json: bool,
    force: bool,
    **given: Any,
) -> None:
    """Choose how to mask ORIGINAL: the plan of the least loss that keeps a policy.

    \b
        unveil choose survey.csv --schema survey.toml --policy policy.toml -o chosen
        unveil choose survey.csv --policy policy.toml --trials 60 --workers 4 -o chosen

    The search masks ORIGINAL by each plan and attacks it with knowledge of the plan. It confirms
    the plan of the least loss on fresh seeds, carries it out once more, and audits the release. DIR
    gets choice.html and choice.json, each plan (plans/17.toml), audit.html and audit.json, and, if
    the audit keeps the policy, the release and its plan. The plan holds the seed: keep it as
    private as ORIGINAL.

    A space lists combinations of masks, with ranges of parameters:

    \b
        unchanged = ["region"]              # columns that stay as they are
        forbid = ["microaggregation"]       # methods that no plan uses
        [[combination]]
        name = "swapping"
        [[combination.mask]]
        method = "rank-permutation"
        p = { from = 1, to = 40 }           # or any = [5, 10]; log = true; or_none = true
        columns = ["age", "income"]

    Steps [[fixed]] begin every plan. Ctrl-C stops with the best plan so far; the same
    command continues.
    The study (--study) fixes the seed of the release: keep one, as another one draws again.
    Exit code 1: no plan keeps the policy, or the audit of the chosen one does not.
    """  # noqa: D301 - click reads the mark
    from unveil.files.documents.study_result import study_values
    from unveil.workflows.choosing.outputs import STORE, ChoiceFolder

    if given["trials"] is not None and given["effort"] is not None:
        raise UsageError("--trials and --effort both limit the search: leave one out")
    given["effort"] = given["effort"] or "normal"
    given["format"] = options.format_of(given, original)
    given = {name: value for name, value in given.items() if name not in options.CSV_OPTIONS}
    target = ChoiceFolder(folder, original, given["format"])
    target.prepare((original, schema, given["policy"], given["space"]), force=force)
    given["study"] = given["study"] or folder / STORE
    target.check_study(given["study"], given["policy"], schema)
    try:
        choice = target.with_notes(_choose(original, schema, given))
    except BaseException:
        target.discard()
        raise
    with progress("writing the files"):
        target.write(choice, schema)
        _write_pages(target, choice, title)
    if as_json:
        print_json(study_values(choice.study))
    else:
        print_choice(choice)
        _say(target, choice, schema)
    if choice.study.stopped:
        raise SystemExit(STOPPED)
    if not choice.passed:
        raise SystemExit(FAILED)


def _choose(original: str | Path, schema: Path | None, given: dict[str, Any]) -> Choice:
    from unveil.files.documents.toml import read_policy, read_space
    from unveil.workflows.choose import choose

    policy = read_policy(given.pop("policy"))
    space = given.pop("space")
    with progress(f"reading {original}") as show:
        return choose(
            original,
            schema=schema,
            policy=policy,
            space=None if space is None else read_space(space),
            progress=show,
            **given,
        )


def _write_pages(target: ChoiceFolder, choice: Choice, title: str | None) -> None:
    from unveil.reports.write import publish
    from unveil.workflows.choosing.outputs import AUDIT_PAGE, PAGE

    publish(choice, target.folder / PAGE, None, external=False, title=title)
    if choice.audit is not None:
        publish(choice.audit, target.folder / AUDIT_PAGE, None, external=False)


def _say(target: ChoiceFolder, choice: Choice, schema: Path | None) -> None:
    """Print the written files and the next command."""
    from unveil.workflows.choosing.outputs import AUDIT_PAGE, PAGE, PLANS

    note(f"Wrote {target.folder / PAGE}: the page. Keep it private.")
    if choice.audit is not None:
        note(f"Wrote {target.folder / AUDIT_PAGE}: the audit of the chosen release.")
    if choice.release is not None and choice.passed:
        note(
            f"Wrote {target.release}, and beside it its plan, which holds the seed: keep it "
            "private."
        )
    number = choice.study.chosen or choice.study.nearest
    if number is not None:
        given = "" if schema is None else f" --schema {quote(str(schema))}"
        plan = quote(str(target.folder / PLANS / f"{number}.toml"))
        note(
            f"To carry out another plan: unveil mask {quote(str(target.original))}{given} --plan "
            f"{plan}"
        )
