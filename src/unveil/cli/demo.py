"""``unveil demo``."""

from __future__ import annotations

from pathlib import Path

import click

from unveil.cli.console import progress, say, say_lines
from unveil.cli.inspect import print_inspection
from unveil.cli.options import PATH, force_option
from unveil.errors import FileError, reason


@click.command(name="demo")
@click.option(
    "--folder", type=PATH, default=Path("demo"), show_default=True, help="Where files are written."
)
@click.option("--records", "-n", default=1000, show_default=True, help="How many persons.")
@click.option("--seed", default=7, show_default=True, help="The seed of the sample.")
@force_option
def command(folder: Path, records: int, seed: int, *, force: bool) -> None:
    """Write the embedded sample and its schema, read them back and inspect them."""
    from unveil.data.samples import households
    from unveil.files.tables import read, write
    from unveil.files.whole import check_target
    from unveil.workflows.inspecting import inspect

    data_file, schema_file = folder / "households.csv", folder / "households.toml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"the folder cannot be made: {reason(error)}").at(str(folder)) from None
    for file in (data_file, schema_file):
        check_target(file, force=force)
    with progress(f"making {records:,} records"):
        data = households(records, seed=seed)
        write(data.schema, schema_file, force=force)
        write(data, data_file, force=force)
        found = inspect(read(data_file, schema_file))
    say("A made-up survey of persons in households; nobody in it is anybody.")
    say()
    print_inspection(found, title=str(data_file))
    say()
    say(f"The schema, {schema_file}:")
    say()
    say_lines(schema_file.read_text(encoding="utf-8"))
    say()
    say(f"Try: unveil inspect {data_file} --schema {schema_file} --show-values")
