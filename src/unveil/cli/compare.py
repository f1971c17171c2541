"""``unveil compare``."""

from pathlib import Path
from typing import Any

import click

from unveil.cli import options
from unveil.cli.console import FAILED, has_flag, print_json, progress
from unveil.cli.options import PATH, TABLE
from unveil.cli.pages import Pages, page_options
from unveil.cli.verdict_text import print_choice, print_comparison
from unveil.errors import UsageError


@click.command(name="compare")
@click.argument("evidence", type=PATH, nargs=-1, required=True)
@click.option(
    "--records",
    type=TABLE,
    multiple=True,
    help="Risk of each record (audit --per-record): one file for each EVIDENCE, in the same order; "
    "none for a synthetic release.",
)
@click.option(
    "--policy",
    type=PATH,
    help="TOML file of the limits for every release.  [default: those of its audit]",
)
@options.seed_option()
@page_options
@options.force_option
@options.json_option
def command(
    evidence: tuple[Path, ...],
    records: tuple[str | Path, ...],
    policy: Path | None,
    seed: int,
    *,
    as_json: bool,
    force: bool,
    **page: Any,
) -> None:
    """Compare several releases of one original: risk against loss.

    \b
        unveil compare a.json b.json c.json --report comparison.html
        unveil compare a.json b.json --records a.csv --records b.csv
        unveil compare a.json b.json --policy policy.toml

    Each EVIDENCE is the file of an audit (unveil audit ... --evidence FILE) of the same original.
    A release is dominated by another with no more risk and no more loss, and less of one of them.
    The others are not ranked, because a lower loss does not compensate for a higher risk.

    The output starts with the releases that keep every limit of the policy, or with the nearest
    one and its misses. With --policy, exit code 1: no release keeps it.

    With --records each difference in risk has a bootstrap interval over the records attacked in
    both releases.

    To show the plans of a search: unveil compare DIR/choice.json (of unveil choose).
    """  # noqa: D301 - click reads the mark
    from unveil.files.documents.study_result import is_study
    from unveil.workflows.compare import compare

    pages = Pages(**page, force=force)
    if any(is_study(one) for one in evidence):
        if len(evidence) > 1 or records or policy is not None:
            raise UsageError(
                "a search (choice.json) is shown alone, against its own policy: name no other "
                "file and no --policy; to compare releases, name the evidence of their audits "
                "(audit.json)"
            )
        _show_study(evidence[0], pages, as_json=as_json)
        return
    pages.check((*evidence, *records, *([] if policy is None else [policy])))
    with progress("reading the evidence") as show:
        comparison = compare(
            evidence, records=records or None, policy=policy, seed=seed, progress=show
        )
        show("writing the page", 0, 0)
        pages.write(comparison)
    if as_json:
        print_json(comparison)
    else:
        print_comparison(comparison, whole=has_flag("verbose"))
        pages.say()
    found = comparison.recommendation
    if policy is not None and (found is None or not found.kept):
        raise SystemExit(FAILED)


def _show_study(file: Path, pages: Pages, *, as_json: bool) -> None:
    """Print the plans of a search, and write its page."""
    from unveil.files.documents.study_result import read_study, study_values

    pages.check([file])
    with progress(f"reading {file}"):
        study = read_study(file)
        pages.write(file)
    if as_json:
        print_json(study_values(study))
    else:
        print_choice(study)
        pages.say()
