"""``unveil demo``."""

from __future__ import annotations

from pathlib import Path

import click

from unveil.cli.console import progress, say, say_lines
from unveil.cli.findings import print_attack
from unveil.cli.inspect import print_inspection
from unveil.cli.mask import print_release
from unveil.cli.options import PATH, force_option
from unveil.errors import FileError, reason


@click.command(name="demo")
@click.option(
    "--folder", type=PATH, default=Path("demo"), show_default=True, help="Where files are written."
)
@click.option(
    "--records",
    "-n",
    type=click.IntRange(min=20),
    default=1000,
    show_default=True,
    help="How many persons.",
)
@click.option("--seed", default=7, show_default=True, help="The seed of the sample.")
@force_option
def command(folder: Path, records: int, seed: int, *, force: bool) -> None:
    """Write the embedded sample and its schema, inspect them, mask the sample and attack it."""
    from unveil.attacks import Distance
    from unveil.data.release import Plan
    from unveil.data.samples import households
    from unveil.files.tables import read, write
    from unveil.files.whole import check_target
    from unveil.masks import Microaggregation, Pram, RankSwapping
    from unveil.workflows.attacking import attack
    from unveil.workflows.inspecting import inspect
    from unveil.workflows.masking import mask
    from unveil.workflows.measuring import measure

    data_file, schema_file = folder / "households.csv", folder / "households.toml"
    plan_file, release_file = folder / "plan.toml", folder / "release.csv"
    map_file = folder / "map.csv"
    plan = Plan(
        (
            Microaggregation(k=5, columns=("income", "tax", "savings", "rent")),
            RankSwapping(p=8, columns=("age", "hours")),
            Pram(theta=0.2, columns=("region", "occupation")),
        ),
        seed=seed,
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"the folder cannot be made: {reason(error)}").at(str(folder)) from None
    for file in (data_file, schema_file, plan_file, release_file, map_file):
        check_target(file, force=force)
    with progress(f"making {records:,} records") as show:
        data = households(records, seed=seed)
        write(data.schema, schema_file, force=force)
        write(data, data_file, force=force)
        found = inspect(original := read(data_file, schema_file))
        show("masking")
        release = mask(original, plan)
        write(plan, plan_file, force=force)
        write(release, release_file, force=force, row_map=map_file)
        show("attacking")
        released = read(release_file, release.schema)
        links = attack(original, released, Distance(), truth=map_file, seed=seed)
        measured = measure(links)
    say("A made-up survey of persons in households; nobody in it is anybody.")
    say()
    print_inspection(found, title=str(data_file))
    say()
    say(f"The schema, {schema_file}:")
    say()
    say_lines(schema_file.read_text(encoding="utf-8"))
    say()
    say(f"The sample masked by {plan_file}, {release_file}:")
    say()
    print_release(release, left_out=["person"])
    say()
    say("The release attacked by an intruder who knows the quasi-identifiers of everybody:")
    say()
    print_attack(links, measured)
    say()
    _say_what_next(data_file, schema_file, plan_file, release_file, map_file)


def _say_what_next(data: Path, schema: Path, plan: Path, release: Path, row_map: Path) -> None:
    say(f"Try: unveil inspect {data} --schema {schema} --show-values")
    say(f"     unveil mask {data} --schema {schema} --plan {plan} -o masked.csv")
    say(f"     unveil attack {data} {release} --schema {schema} \\")
    say(f"         --truth {row_map} --attack rank --criterion max --knows age,hours,income")
    say(f"     unveil audit {data} {release} --schema {schema} \\")
    say(f"         --truth {row_map} --plan {plan} --max-risk 0.05 --evidence audit.json")
