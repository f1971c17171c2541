"""``unveil mask``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unveil.cli import options
from unveil.cli.console import note, print_json, print_table, progress, say
from unveil.cli.options import PATH, TABLE
from unveil.errors import UsageError
from unveil.wording import count, listing

if TYPE_CHECKING:
    from unveil.files.formats.base import Format
    from unveil.files.locations import TableLocation
    from unveil.table.microdata import Microdata
    from unveil.values.release.release import Release


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
    from dataclasses import replace

    from unveil.files.locations import check_outputs, locate
    from unveil.files.tables import write
    from unveil.workflows.inputs.sources import as_microdata
    from unveil.workflows.mask import as_plan, mask, without_identifiers

    out = _output(source := locate(file), out)
    target = locate(out)
    written = target.companion(".plan.toml")
    outputs, tables = [written, write_schema], [out, row_map]
    # A plan that is run again is written again.
    inputs = [file, schema, None if plan_file.resolve() == written.resolve() else plan_file]
    check_outputs(outputs, inputs, force=force, tables=tables)
    plan = as_plan(plan_file, seed)
    if keep_order:
        plan = replace(plan, keep_order=True)
    source_format = options.format_of(dialect, file)
    with progress(f"reading {file}") as show:
        data = as_microdata(file, schema, format=source_format)
        target.check_columns(without_identifiers(data).columns)
        target_format = target.output_format(source, source_format)
        release = mask(data, plan, progress=show)
        if write_schema is None and _needs_schema(data, release, target_format):
            write_schema = outputs[-1] = target.companion(".schema.toml")
            check_outputs(outputs, inputs, force=force, tables=tables)
        show(f"writing {out}", 0, 0)
        write(release, out, format=target_format, force=force, row_map=row_map)
        write(release.plan, written, force=force)
        if write_schema is not None:
            write(release.schema, write_schema, force=force)
    left_out = [name for name in data.columns if name not in release.data.columns]
    if as_json:
        print_json(
            {
                "records": len(release),
                "columns": release.data.columns,
                "mask": release.plan.to_dict()["mask"],  # without the seed
                "originals": len(data),
                "left_out": left_out,
                "written": [str(file) for file in (*tables, *outputs) if file],
            }
        )
        return
    print_release(release, left_out, len(data))
    note(f"Wrote {out}, and {written}: it holds the seed, keep it as private as {file}.")
    if row_map is not None:
        note(f"Wrote {row_map}: whoever has it has undone the masking.")
    if write_schema is not None:
        note(f"Wrote {write_schema}: what the columns of {out} are; give it with the file.")


def _needs_schema(data: Microdata, release: Release, target: Format | None) -> bool:
    """Whether the release loses labels, or has new ranges, sets, stars or merged categories."""
    before, after = data.schema, release.data.schema
    if data.codebook is not None and not (target is not None and target.keeps_labels(release.data)):
        return True
    return any(
        (after[name].generalised, after[name].merged)
        != (before[name].generalised, before[name].merged)
        for name in release.data.columns
    )


def print_release(release: Release, left_out: list[str], originals: int) -> None:
    """Print the steps and the size of a release."""
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
    gone = f"; left out: {listing(left_out)}" if left_out else ""
    say(f"The release has {size}{gone}.")


def _words(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return listing(map(_words, value))
    if isinstance(value, dict):
        return f"({', '.join(f'{name} {_words(one)}' for name, one in value.items())})"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _output(source: TableLocation, out: str | Path | None) -> str | Path:
    """The masked file: in the format of the source, unless it has an ending of its own."""
    from unveil.files.locations import is_uri

    if out is None:
        return source.sibling("masked")
    if str(out) == "-":
        raise UsageError("--output: a table is written whole, to a file and not to the screen")
    if is_uri(out) or Path(out).suffix or Path(out).is_dir():
        return out
    return source.with_stem(str(out))
