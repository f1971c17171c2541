"""``unveil mask``."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from unveil.cli import options
from unveil.cli.console import note, print_json, print_lines, progress
from unveil.cli.options import CSV_OPTIONS, PATH, TABLE
from unveil.wording import listing

if TYPE_CHECKING:
    from unveil.values.release.plan import Household
    from unveil.workflows.mask import MaskedFile


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
    type=options.Word(["drop", "renumber", "keep"]),
    help="Household numbers: leave out, renumber, or keep.  [default: the plan's]",
)
@click.option("--row-map", type=TABLE, help="Table for the row map, which undoes the masking.")
@click.option("--write-schema", type=PATH, help="TOML file for the schema of the masked file.")
@click.option(
    "--patterns",
    type=TABLE,
    help="Table for the patterns of anti-unification with their counts; overlapping ones are "
    "written instead of a release.",
)
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
    patterns: str | Path | None,
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
    from unveil.reports.lines.mask import pattern_lines, release_lines
    from unveil.workflows.mask import MaskSettings, mask_file
    from unveil.workflows.patterns import write_patterns

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
    how: dict[str, Any] = {"schema": schema, "seed": seed, "settings": settings}
    found = None
    with progress(f"reading {file}") as show:
        if patterns is None:
            masked: MaskedFile | None = mask_file(file, plan_file, **how, progress=show)
        else:
            found = write_patterns(file, plan_file, patterns, **how, progress=show)
            masked = found.masked
    if as_json and (result := found or masked):
        print_json(result.to_dict())
        return
    if masked is not None:
        print_lines(release_lines(masked))
    if found is not None:
        print_lines(pattern_lines(found))
        note(f"Wrote {listing(map(str, (found.output, *found.documents)))}.")
    if masked is None:
        note(f"The plan holds the seed: keep it as private as {file}.")
        return
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
