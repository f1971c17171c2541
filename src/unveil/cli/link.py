"""``unveil link``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from unveil.cli import options
from unveil.cli.console import note, print_json, print_lines, progress
from unveil.cli.decisions.options import (
    NAMES,
    decision_options,
    decision_outputs,
    draw_decisions,
    show_decisions,
)
from unveil.cli.options import PATH, TABLE
from unveil.cli.parameters import (
    WithAttackParameters,
    as_usage,
    attack_of,
    complete_attacks,
    offered_attacks,
    parameters_in,
)
from unveil.cli.sections import CSV
from unveil.errors import UsageError

SECTIONS = {
    "Files": ("schema", "other_schema", "truth", CSV),
    "Linkage": ("attack", "knows", "blocks", "confidence", "seed", "engine"),
    "Decisions on pairs": NAMES,
    "Output": ("out", "as_json", "force"),
}


@click.command(
    name="link", cls=WithAttackParameters, sections=SECTIONS, rest="Parameters of the attack"
)
@click.argument("first", type=TABLE, metavar="A")
@click.argument("second", type=TABLE, metavar="B")
@click.option("--schema", "-s", type=PATH, help="Schema of A; of both without --other-schema.")
@click.option("--other-schema", type=PATH, help="Schema of B.")
@click.option(
    "--attack",
    shell_complete=complete_attacks,
    help="Attack.  [default: probabilistic or distance with common attributes, else structural]",
)
@click.option("--knows", help="Attributes of A to link by: age,sex.  [default: all suitable]")
@click.option(
    "--blocks", help="Columns, or keys of them, in which compared records are equal: sex,code:3."
)
@click.option("--truth", help=f"{options.TRUTH}.")
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.9,
    show_default=True,
    metavar="NUMBER",
    help="Probability above which a link is claimed.",
)
@click.option("--links", "out", type=TABLE, help="Table for the pairs, with probabilities.")
@decision_options
@options.seed_option()
@options.engine_option
@options.force_option
@options.json_option
@options.csv_options
def command(
    first: str | Path,
    second: str | Path,
    schema: Path | None,
    other_schema: Path | None,
    attack: str | None,
    knows: str | None,
    blocks: str | None,
    truth: str | None,
    confidence: float,
    out: str | Path | None,
    seed: int,
    engine: str,
    *,
    force: bool,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Link the records of A and B: two files about the same people, or some of them.

    \b
        unveil link bank.csv health.csv --links pairs.csv
        unveil link bank.csv health.csv --truth person
        unveil link bank.csv health.csv --blocks sex,region

    Common attributes are compared. Roles need not be declared, but identifiers, weights,
    households, strata and the column of --truth are never compared. Files without a common
    attribute are linked by structure: a person who is unusual in one is often unusual in the
    other. The result then states the confidence that the links are more than chance, and the
    corresponding columns of both files.

    --blocks compares records only where they are equal in these columns, by any attack that
    compares records; a missing cell equals any. That is faster, and right if the columns have no
    errors. name:soundex, code:3 and born:year are equal in sound, first characters, and year.

    No truth is needed. Each record of A is linked with its most probable record of B. A link
    with a probability above --confidence is claimed, otherwise the record stays unlinked.
    --links writes splink's table of pairs (unique_id_l: row of A, unique_id_r: row of B, from
    1): the best two of all records, claimed or not. It is as private as A and B. With --truth
    the correct links are counted.

    Messages call A the original, or the intruder's file, and B the release. The parameters of
    an attack are options, too: `unveil link --attack NAME --help` shows them.
    """  # noqa: D301 - click reads the mark
    from unveil.reports.lines.link import linkage_lines
    from unveil.workflows.link import LinkSettings, link_summary

    if confidence != confidence:  # noqa: PLR0124 - which NaN is not
        raise UsageError("--confidence: a number from 0 to 1")
    figures = chosen.get("figures")
    outputs = decision_outputs(chosen, force=force)
    spec = None if attack is None else attack_of(attack, chosen)
    settings = LinkSettings(
        knows=options.split_names(knows),
        blocks=options.split_names(blocks) or (),
        parameters=parameters_in(chosen, offered_attacks(attack)),
        confidence=confidence,
        format=options.format_of(chosen, first, second),
        links=out,
        force=force,
        engine=engine,
        decisions=outputs,
    )
    with progress(f"reading {first}") as show, as_usage():
        result = link_summary(
            first,
            second,
            spec,
            schema=schema,
            other_schema=other_schema,
            truth=truth,
            seed=seed,
            settings=settings,
            progress=show,
        )
    draw_decisions(result.pair_classes, figures)
    if as_json:
        print_json(result)
        return
    print_lines(linkage_lines(result, first, second))
    show_decisions(result.pair_classes, outputs, figures)
    if out is not None:
        note(f"Wrote {out}: the pairs; keep it as private as {first} and {second}.")
