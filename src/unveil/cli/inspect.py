"""``unveil inspect``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unveil.cli.console import print_json, print_table, progress, say
from unveil.cli.options import (
    PATH,
    TABLE,
    csv_options,
    force_option,
    format_given,
    json_option,
    schema_option,
)
from unveil.wording import count

if TYPE_CHECKING:
    from unveil.workflows.inspect import Inspection


@click.command(name="inspect")
@click.argument("file", type=TABLE)
@schema_option
@click.option("--write-schema", type=PATH, help="Write the schema, guesses included, to this file.")
@click.option("--show-values", is_flag=True, help="Show values: extremes, commonest categories.")
@force_option
@json_option
@csv_options
def command(
    file: str | Path,
    schema: Path | None,
    write_schema: Path | None,
    *,
    show_values: bool,
    force: bool,
    as_json: bool,
    **dialect: Any,
) -> None:
    """Say what FILE holds: for each column its role, level, missing and distinct values.

    Levels are guessed where the schema does not declare them, roles never are: write the
    schema with --write-schema, then declare the roles in it. No cell of the data is shown
    unless you ask with --show-values.
    """
    from unveil.files.locations import check_outputs
    from unveil.files.tables import write
    from unveil.table.schema import Schema
    from unveil.workflows.inputs.sources import as_microdata
    from unveil.workflows.inspect import inspect

    if write_schema is not None:
        check_outputs([write_schema], [file], force=force)
    with progress(f"reading {file}"):
        data = as_microdata(file, schema, format=format_given(file, **dialect))
        found = inspect(data, show_values=show_values)
    if write_schema is not None:
        write(Schema.infer(data), write_schema, force=force)
    if as_json:
        print_json(found)
        return
    print_inspection(found, title=str(file))
    if write_schema is not None:
        say(f"Wrote the schema to {write_schema}: declare the roles in it.")


def print_inspection(found: Inspection, *, title: str) -> None:
    """Print an inspection for people."""
    say(f"{title}: {count(found.records, 'record')}, {count(len(found.columns), 'column')}")
    say()
    more = {
        "label": [column.label for column in found.columns],
        "values": [", ".join(column.values or ()) for column in found.columns],
    }
    more = {name: cells for name, cells in more.items() if any(cells)}
    head = ["column", "role", "level", "stored as", "missing", "distinct", "unique"]
    rows = [
        [
            column.name,
            ", ".join(column.role) or "-",
            column.level,
            column.stored,
            f"{column.missing:,}",
            f"{column.distinct:,}",
            f"{column.unique:,}",
            *(cells[place] for cells in more.values()),
        ]
        for place, column in enumerate(found.columns)
    ]
    print_table([*head, *more], rows, ("missing", "distinct", "unique"))
    say()
    for column in found.columns:
        if column.question:
            say(f"? {column.name}: {column.question}")
    for note in found.notes:
        say(f"! {note}")
