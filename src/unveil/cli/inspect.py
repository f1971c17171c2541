"""``unveil inspect``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from unveil.cli import options
from unveil.cli.console import note, print_json, print_lines, progress
from unveil.cli.options import PATH, TABLE
from unveil.wording import count


@click.command(name="inspect")
@click.argument("file", type=TABLE)
@options.schema_option
@click.option("--write-schema", type=PATH, help="TOML file for the schema, with guessed levels.")
@click.option("--show-values", is_flag=True, help="Show extremes and commonest categories.")
@options.force_option
@options.json_option
@options.csv_options
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
    """Describe the columns of FILE: role, level, missing, distinct and unique values.

    Undeclared levels are guessed. Roles are not guessed, but likely ones are suggested. Write the
    schema with --write-schema and fill in its roles, or write a short one:

    \b
        quasi = ["age", "sex"]          # an intruder may know it; sdcMicro's keyVars
        confidential = ["income"]       # people want to keep it private
        household = "hid"               # hhId
        weight = "weight"               # weightVar
        nominal = ["sex"]               # a code, not a quantity; numeric, ordinal
        per_household = ["roof"]        # describes the household: all members share it
        other = ["interviewer"]         # no intruder can know it

    To answer a question, correct the level or the role in the schema and delete its line
    `question`. Cells of the data are shown only with --show-values.
    """  # noqa: D301 - click reads the mark
    from unveil.reports.lines.inspection import inspection_lines
    from unveil.workflows.inspect import inspect

    with progress(f"reading {file}") as show:
        inspection = inspect(
            file,
            schema,
            format=options.format_of(dialect, file),
            show_values=show_values,
            write_schema=write_schema,
            force=force,
            progress=show,
        )
    if as_json:
        print_json(inspection)
        return
    print_lines(inspection_lines(inspection, title=str(file)))
    if write_schema is not None:
        without = sum(not column.role for column in inspection.columns)
        next_step = f": give a role to {count(without, 'column')} there" if without else ""
        note(f"Wrote the schema to {write_schema}{next_step}.")
