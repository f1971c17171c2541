"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unveil.errors import UsageError, listing

if TYPE_CHECKING:
    from collections.abc import Callable

    from unveil.files.formats import Format

PATH = click.Path(path_type=Path, readable=False)  # reading says more than click would

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON to standard output."
)
force_option = click.option("--force", is_flag=True, help="Overwrite files that exist.")
schema_option = click.option(
    "--schema", "-s", type=PATH, help="The TOML file that says what the columns are."
)

_CSV_OPTIONS = (
    click.option("--delimiter", help="CSV: what stands between cells; found by itself."),
    click.option("--encoding", help="CSV: how the text is stored.  [default: utf-8]"),
    click.option("--decimal", help="CSV: the decimal sign, '.' or ','.  [default: .]"),
    click.option("--quote", help="CSV: what encloses text; '' for nothing.  [default: \"]"),
    click.option(
        "--missing", multiple=True, help="CSV: a code that means missing; may be repeated."
    ),
)


def csv_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a CSV file's dialect."""
    for option in reversed(_CSV_OPTIONS):
        command = option(command)
    return command


def csv_format(file: Path, **given: Any) -> Format | None:
    """Make the dialect that the options describe; None where nothing was said."""
    said = {name: value for name, value in given.items() if value not in (None, ())}
    if not said:
        return None
    from unveil.files.csv import Csv
    from unveil.files.formats import formats

    others = [suffix for kind in formats() if kind is not Csv for suffix in kind.suffixes]
    if file.suffix.lower() in others:
        options = listing(f"--{name}" for name in said)
        raise UsageError(f"{file} is not a CSV file: leave out {options}")
    if said.get("delimiter") in ("tab", "\\t"):
        said["delimiter"] = "\t"
    return Csv(**said)
