"""``unveil link``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unveil.cli.console import print_json, progress, say
from unveil.cli.link_text import print_linkage
from unveil.cli.options import (
    CSV_OPTIONS,
    PATH,
    TABLE,
    csv_options,
    force_option,
    format_given,
    json_option,
    names,
    read_table,
)
from unveil.cli.parameters import WithParameters, as_usage, attack_of
from unveil.errors import UsageError

if TYPE_CHECKING:
    from unveil.attacks import Attack
    from unveil.workflows.inputs.scenario import Scenario


@click.command(name="link", cls=WithParameters)
@click.argument("first", type=TABLE, metavar="A")
@click.argument("second", type=TABLE, metavar="B")
@click.option(
    "--schema", "-s", type=PATH, help="What the columns of A are; of both, without --other-schema."
)
@click.option("--other-schema", type=PATH, help="What the columns of B are.")
@click.option(
    "--attack",
    "chosen",
    help="How to link; `unveil methods` lists the attacks.  [default: probabilistic, or distance, "
    "by the attributes that both have; structural, if there are none]",
)
@click.option(
    "--knows",
    help="The attributes of A to link by, separated by commas.  [default: all that suit]",
)
@click.option(
    "--truth",
    help="Who is who, to count right links: an identifier that both files have, the file of a row "
    "map, or row-order.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.9,
    show_default=True,
    help="A link that is right with more than this probability is claimed.",
)
@click.option("--links", "out", type=TABLE, help="Write the pairs, with weight and probability.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of what is drawn."
)
@force_option
@json_option
@csv_options
def command(
    first: str | Path,
    second: str | Path,
    schema: Path | None,
    other_schema: Path | None,
    chosen: str | None,
    knows: str | None,
    truth: str | None,
    confidence: float,
    out: str | Path | None,
    seed: int,
    *,
    force: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Link the records of A with those of B: two files about the same people, or some of them.

    \b
        unveil link bank.csv health.csv --links pairs.csv
        unveil link bank.csv health.csv --truth person

    Attributes of one name are compared; no role need be declared, but identifiers, weights,
    households and strata are never compared, nor is the column of --truth. Where the files have
    no attribute in common they are linked by how the attributes of each go together: whoever is
    unusual in one is often unusual in the other. What is printed then says how sure it is
    that this is more than chance, and which columns of both seem to say the same.

    No truth is needed. Each record of A gets the record of B that it is most likely, and how
    likely; with more than --confidence the link is claimed, else the record stays unlinked.
    --links writes splink's table of pairs (unique_id_l: row of A, unique_id_r: row of B, from
    1): all records' best two, claimed or not, so that match_probability can be cut elsewhere. It is
    as private as A and B. With --truth the right links are counted.

    Messages call A the original, or the intruder's file, and B the release. The last options
    below are the parameters of the attacks, also of the one that is chosen where --attack is
    not given; `unveil methods NAME` explains them.
    """  # noqa: D301 - click reads the mark
    from dataclasses import replace

    from unveil.files.documents.toml import read_schema
    from unveil.files.locations import check_outputs
    from unveil.files.tables import write
    from unveil.values.intruder import Intruder
    from unveil.workflows.inputs.scenario import prepare
    from unveil.workflows.link import check_named, link_scenario, linkage

    if confidence != confidence:  # noqa: PLR0124 - which NaN is not
        raise UsageError("--confidence: a number from 0 to 1")
    parameters = {name: value for name, value in given.items() if name not in CSV_OPTIONS}
    spec = None if chosen is None else attack_of(chosen, parameters)
    dialect = format_given(first, second, **{name: given[name] for name in CSV_OPTIONS})
    more = (schema, other_schema, truth, given["pairs"])
    check_outputs((), (first, second, *more), force=force, tables=[out])
    with progress(f"reading {first}") as show:
        both = schema is not None and other_schema is None
        people = read_table(first, schema, dialect, part=both)
        show(f"reading {second}")
        others = read_table(second, schema if both else other_schema, dialect, part=both)
        if schema is not None and other_schema is None:
            check_named(read_schema(schema), people, others)
        show("linking")
        scenario = prepare(people, others, intruder=Intruder(), truth=truth, seed=seed)
        asked = names(knows)
        with as_usage():
            links = link_scenario(scenario, spec or _suitable(scenario, asked, parameters), asked)

        def told(done: int, total: int) -> None:
            show(f"{links.name}: {done:,} of {total:,}")

        links = replace(links, progress=told)
        found = linkage(links, scenario, confidence=confidence)
        if out is not None:
            write(links, out, force=force)
    if as_json:
        print_json(found)
        return
    print_linkage(found, first, second)
    if out is not None:
        say(f"Wrote {out}: the pairs; keep it as private as {first} and {second}.")


def _suitable(
    scenario: Scenario, knows: tuple[str, ...] | None, parameters: dict[str, Any]
) -> Attack:
    """The attack that suits the files, with the parameters that were given."""
    import msgspec

    from unveil.workflows.link import default_attack

    spec = default_attack(scenario, knows)
    asked = {name: value for name, value in parameters.items() if value is not None}
    defaults = {field.name: field.default for field in msgspec.structs.fields(type(spec))}
    kept = {n: v for n in defaults if (v := getattr(spec, n)) != defaults[n] and n not in asked}
    return attack_of(spec.name, kept | asked)
