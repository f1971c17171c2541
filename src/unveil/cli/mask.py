"""``unveil mask``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unveil.cli import options
from unveil.cli.console import note, print_json, print_table, progress, say
from unveil.cli.options import PATH, TABLE
from unveil.wording import count, listing

if TYPE_CHECKING:
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

    Identifiers are left out and the rows are shuffled. The plan beside the masked file
    (NAME.plan.toml) holds the seed and gives the same bytes again. Keep it, like a row map, as
    private as FILE. If cells become ranges, sets or stars, or labels would be lost, the schema
    of the masked file is written, too (NAME.schema.toml, or --write-schema).

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
    note(f"Wrote {written}, and {masked.plan}: it holds the seed, keep it as private as {file}.")
    if row_map is not None:
        note(f"Wrote {row_map}: whoever has it has undone the masking.")
    if masked.schema is not None:
        note(f"Wrote {masked.schema}: what the columns of {written} are; give it with the file.")


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


def _words(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return listing(map(_words, value))
    if isinstance(value, dict):
        return f"({', '.join(f'{name} {_words(one)}' for name, one in value.items())})"
    return f"{value:g}" if isinstance(value, float) else str(value)
