"""``unveil mask``."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from unveil.cli import options
from unveil.cli.console import note, print_json, print_table, progress, say
from unveil.cli.options import CSV_OPTIONS, PATH, TABLE
from unveil.wording import count, listing

if TYPE_CHECKING:
    from unveil.values.release.plan import Household
    from unveil.workflows.mask import MaskedFile

DONE: dict[Household, str] = {
    "drop": "left out, because they identify households; --household renumber or keep releases "
    "them",
    "renumber": "renumbered; they still identify households",
    "keep": "released unchanged; they identify households",
}


@click.command(name="mask")
@click.argument("file", type=TABLE)
@options.schema_option
@click.option("--plan", "-p", "plan_file", type=PATH, required=True, help="TOML file of the plan.")
@click.option(
    "--output",
    "-o",
    "out",
    type=TABLE,
    help="Masked file; without an ending, in the format of FILE.  [default: NAME-masked, beside "
    "FILE]",
)
@click.option("--seed", type=int, help="Random seed.  [default: the plan's]")
@click.option("--keep-order", is_flag=True, help="Keep the row order, which may identify people.")
@click.option(
    "--household",
    type=click.Choice(["drop", "renumber", "keep"]),
    help="Household numbers: leave out, renumber, or keep.  [default: the plan's]",
)
@click.option("--row-map", type=TABLE, help="Table for the row map, which undoes the masking.")
@click.option("--write-schema", type=PATH, help="TOML file for the schema of the masked file.")
@options.allow_option
@options.force_option
@options.json_option
@options.csv_options
def command(
    file: str | Path,
    schema: Path | None,
    plan_file: Path,
    out: str | Path | None,
    seed: int | None,
    household: Household | None,
    row_map: str | Path | None,
    write_schema: Path | None,
    allow: tuple[str, ...],
    *,
    keep_order: bool,
    force: bool,
    as_json: bool,
    **dialect: Any,
) -> None:
    """Mask FILE by a plan; write the masked file and the plan with its seed.

    Identifiers and household numbers are left out and the rows are shuffled. The plan beside the
    masked file (NAME.plan.toml) holds the seed and reproduces the same bytes. Keep it, like a row
    map, as private as FILE. If cells become ranges, sets or stars, or labels would be lost, the
    schema of the masked file is also written (NAME.schema.toml, or --write-schema).

    `unveil --help` lists the formats of both files. A plan is a TOML file:

    \b
        [[mask]]
        method = "microaggregation"
        k = 5
        columns = ["income", "tax"]

    `unveil methods` lists the methods, `unveil methods NAME` their parameters.
    """  # noqa: D301 - click reads the mark
    from unveil.workflows.mask import MaskSettings, mask_file

    settings = MaskSettings(
        output=out,
        format=options.format_of(dialect, file),
        keep_order=keep_order,
        household=household,
        row_map=row_map,
        write_schema=write_schema,
        allow=allow,
        force=force,
    )
    with progress(f"reading {file}") as show:
        masked = mask_file(
            file, plan_file, schema=schema, seed=seed, settings=settings, progress=show
        )
    if as_json:
        print_json(masked.to_dict())
        return
    print_release(masked)
    written = masked.output
    note(f"Wrote {written}, and {masked.plan}, which holds the seed: keep it as private as {file}.")
    if row_map is not None:
        note(f"Wrote {row_map}. It undoes the masking: keep it private.")
    if masked.schema is not None:
        note(f"Wrote {masked.schema}: the schema of {written}; pass it on with the file.")
    note(f"Next: {_next_step(masked, file, schema, dialect)}")


def _next_step(
    masked: MaskedFile, file: str | Path, schema: Path | None, dialect: dict[str, Any]
) -> str:
    """The command that audits the release, or what is missing for it."""
    if schema is None:
        return f"declare the columns: unveil inspect {quote(str(file))} --write-schema FILE"
    truth = masked.row_map
    if masked.release.row_map is None:
        truth = "none"
    elif truth is None and masked.release.plan.keep_order:
        truth = "row-order"
    if truth is None:
        return "to audit the release, mask again with --row-map FILE --force; keep the map private"
    options: dict[str, Any] = {"schema": schema, "release-schema": masked.schema, "truth": truth}
    options |= {"plan": masked.plan} | {name: dialect[name] for name in CSV_OPTIONS}
    options = {name: value for name, value in options.items() if value is not None}
    given = [
        f"--{name} {quote(str(value))}"
        for name, values in options.items()
        for value in (values if isinstance(values, tuple) else (values,))
    ]
    files = f"{quote(str(file))} {quote(str(masked.output))}"
    return f"unveil audit {files} {' '.join(given)} --max-risk 0.05 --report audit.html"


def print_release(masked: MaskedFile) -> None:
    """Print the steps and the size of a release."""
    release, originals = masked.release, masked.originals
    steps = release.plan.to_dict()["mask"]
    rows = [
        [
            str(number),
            step.pop("method"),
            ", ".join(f"{name} = {_words(value)}" for name, value in step.items() if value != []),
        ]
        for number, step in enumerate(steps, start=1)
    ]
    print_table(["step", "method", "parameters"], rows, numbers=["step"])
    say()
    many = count(len(release), "record")
    if len(release) < originals and release.row_map is not None:
        many = f"{len(release):,} of {count(originals, 'record')}"
    size = f"{many}, {count(len(release.data.columns), 'column')}"
    gone = f"; left out: {listing(masked.left_out)}" if masked.left_out else ""
    say(f"The release has {size}{gone}.")
    if masked.households:
        say(f"Household numbers ({listing(masked.households)}): {DONE[release.plan.household]}.")
    for step, counts in masked.counts.items():
        say(f"{step}: {counts.sentence}.")
    print_changes(masked)


def print_changes(masked: MaskedFile) -> None:
    """Print how many cells of each column were changed; columns without any are only named."""
    changed = [one for one in masked.changes if one.changed]
    if changed:
        head = ["column", "cells", "changed", "suppressed", "generalised", "another value"]
        rows = [
            [one.column, *(f"{n:,}" for n in (one.n, one.changed, one.suppressed)),
             f"{one.generalised:,}", f"{one.replaced:,}"]
            for one in changed
        ]  # fmt: skip
        say()
        print_table(head, rows, numbers=head[1:])
    same = [one.column for one in masked.changes if not one.changed]
    if same:
        say(f"Unchanged: {listing(same)}.")
    for column, n in masked.one_code.items():
        code = masked.release.data.missing_code(column).drop_nulls()[0]
        say(f"Missing cells of {column} are now all written as {code}: {n:,}.")


def _words(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return listing(map(_words, value))
    if isinstance(value, dict):
        return f"({', '.join(f'{name} {_words(one)}' for name, one in value.items())})"
    return f"{value:g}" if isinstance(value, float) else str(value)
