"""``unveil attack``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unveil.cli.attack_text import print_attack
from unveil.cli.console import print_json, progress, say
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
    schema_option,
)
from unveil.cli.parameters import WithParameters, as_usage, attack_of
from unveil.errors import UsageError

if TYPE_CHECKING:
    from unveil.files.formats.base import Format
    from unveil.table.microdata import Microdata
    from unveil.table.schema import Schema


@click.command(name="attack", cls=WithParameters)
@click.argument("original", type=TABLE)
@click.argument("release", type=TABLE)
@schema_option
@click.option("--release-schema", type=PATH, help="The release's own schema, where it differs.")
@click.option(
    "--attack", "chosen", required=True, help="The attack; `unveil methods` lists them all."
)
@click.option(
    "--truth",
    "truths",
    multiple=True,
    help="Which row is whose: an identifier that both files have, the file of a row map, or "
    "row-order. Of several releases without a key, one for each, if they are row maps.",
)
@click.option(
    "--knows",
    help="What the intruder knows, separated by commas.  [default: the quasi-identifiers]",
)
@click.option(
    "--records",
    help="Whose: a share (0.1), a number (100), or a file of the intruder's own.  [default: all]",
)
@click.option("--blocks", help="Attributes known to be unmasked, separated by commas.")
@click.option(
    "--plan",
    "plans",
    type=PATH,
    multiple=True,
    help="How RELEASE was masked, for an attack that knows it; for several, each in turn.",
)
@click.option(
    "--also",
    type=TABLE,
    multiple=True,
    help="Another release of the same people; may be given again.",
)
@click.option("--key", help="The column by which the rows of several releases are known.")
@click.option(
    "--direction",
    type=click.Choice(["original-to-release", "release-to-original"]),
    default="original-to-release",
    show_default=True,
    help="Who looks for whom.",
)
@click.option(
    "--outsiders", type=TABLE, help="A file of people who are not in the release, as a control."
)
@click.option("--sample", type=click.IntRange(min=1), help="Attack so many records, at random.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of what is drawn."
)
@click.option(
    "--top", type=click.IntRange(1, 1000), default=5, show_default=True, help="Places of the curve."
)
@click.option("--links", "out", type=TABLE, help="Write whom each record was taken for.")
@force_option
@json_option
@csv_options
def command(
    original: Path,
    release: Path,
    schema: Path | None,
    release_schema: Path | None,
    chosen: str,
    truths: tuple[str, ...],
    knows: str | None,
    records: str | None,
    blocks: str | None,
    plans: tuple[Path, ...],
    also: tuple[Path, ...],
    key: str | None,
    direction: str,
    outsiders: Path | None,
    sample: int | None,
    seed: int,
    top: int,
    out: Path | None,
    *,
    force: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Link what an intruder knows of ORIGINAL with the rows of RELEASE, and count the hits.

    \b
        unveil attack survey.csv release.csv --schema survey.toml \\
            --attack rank --criterion max --truth map.csv

    The intruder knows the quasi-identifiers of all records, unless --knows and --records say
    otherwise. Without --truth links can be made and written, but not counted. The last
    options below are the parameters of the attacks; `unveil methods NAME` explains them.
    Weights are given as age=2,income=0.5, lists and tables as JSON. --links writes splink's
    table of pairs, rows counted from 1: as private as ORIGINAL.

    An intruder who knows how RELEASE was masked, --attack tailored, reads its --plan, but for
    the seed. --matching posterior lets everybody have one row only. Several releases, --also,
    are attacked together if a --key says whose rows are whose, else one after another.
    """  # noqa: D301 - click reads the mark
    from dataclasses import replace

    import msgspec

    from unveil.files.documents.toml import as_schema
    from unveil.files.locations import check_outputs
    from unveil.files.tables import write
    from unveil.values.intruder import Intruder
    from unveil.workflows.auditing.attack_summary import describe_attack, risk_by_releases
    from unveil.workflows.inputs.scenario import check_kinds, prepare
    from unveil.workflows.inputs.sources import schema_for_others

    truths = truths if also else truths[-1:]  # as of other options, the last one counts
    spec = attack_of(chosen, {k: v for k, v in given.items() if k not in CSV_OPTIONS})
    dialect = format_given(original, release, **{name: given[name] for name in CSV_OPTIONS})
    more = (schema, release_schema, outsiders, records, given["pairs"], *truths, *plans, *also)
    check_outputs((), (original, release, *more), force=force, tables=[out])
    with progress(f"reading {original}") as show:
        people = read_table(original, schema, dialect)
        show(f"reading {release}")
        others = schema_for_others(people, as_schema(schema))
        released = [
            read_table(one, release_schema or others, dialect, part=release_schema is None)
            for one in (release, *also)
        ]
        channel = _channel(plans)
        with as_usage():
            intruder = Intruder(
                knows=names(knows),
                records=_records(records, others, dialect),
                blocks=names(blocks) or (),
                direction=direction,  # type: ignore[arg-type]
            )

        def told(done: int, total: int) -> None:
            show(f"{spec.name}: {done:,} of {total:,}")

        def learning(linked: float, bound: float) -> None:
            show(
                f"{spec.name}: {linked:,.6g} linked, at most {bound:,.6g}; Ctrl-C to leave it there"
            )

        _check_several(plans, truths, also, key)
        every = []
        for target, plan, truth in _targets(released, key, channel, truths):
            own = msgspec.structs.replace(intruder, channel=plan)
            with as_usage():
                check_kinds(spec, own, truth)
                scenario = prepare(people, target, intruder=own, truth=truth, seed=seed)
                made = replace(scenario, on_bound=learning).links(spec, own)
            made = replace(made, progress=told)
            every.append(made if sample is None else made.sample(sample))
        links = every[-1] if key else every[0]
        strangers = None
        if outsiders is not None:
            strangers = links.on(read_table(outsiders, others, dialect, part=True))
        found = describe_attack(links, top=top, outsiders=strangers)
        if also and links.truth is not None:
            found["several"] = risk_by_releases(every, keyed=key is not None)
        if out is not None:
            write(links, out, force=force)
    if as_json:
        print_json(found)
        return
    print_attack(links, found)
    if out is not None:
        say(f"Wrote {out}: whom each record was taken for; keep it as private as {original}.")


def _channel(plans: tuple[Path, ...]) -> Any:
    """What the intruder knows of the masking: nothing, one plan, or one for each release."""
    from unveil.files.documents.toml import read_plan

    read = tuple(read_plan(path) for path in plans)
    return (read[0] if len(read) == 1 else read) if read else False


def _check_several(
    plans: tuple[Path, ...], truths: tuple[str, ...], also: tuple[Path, ...], key: str | None
) -> None:
    from unveil.files.locations import is_table_path

    if key is not None and not also:
        raise UsageError("--key is of several releases: name the others by --also")
    if len(truths) > 1 and (key is not None or len(truths) != 1 + len(also)):
        raise UsageError("--truth: one, or, of several releases without a key, one for each")
    if also and key is None and len(truths) == 1 and is_table_path(truths[0]):
        raise UsageError(
            "--truth: a row map is of one release: give one for each, or a --key that all have"
        )
    if len(plans) not in (0, 1, 1 + len(also)):
        raise UsageError("--plan: one for all releases, or one for each")


def _targets(
    released: Sequence[Microdata], key: str | None, channel: Any, truths: tuple[str, ...]
) -> Iterator[tuple[Any, Any, str | None]]:
    """What is attacked, by which plan and with which truth: together, or each by itself."""
    from unveil.values.release.release import Releases

    several = isinstance(channel, tuple)
    for number, one in enumerate(released):
        truth = truths[number] if len(truths) > 1 else next(iter(truths), None)
        if key is None or number == 0:
            yield one, channel[number] if several else channel, truth
        else:
            some = Releases(tuple(released[: number + 1]), key)
            yield some, channel[: number + 1] if several else channel, truth


def _records(given: str | None, schema: Schema | None, dialect: Format | None) -> Any:
    """A share, a number, or a file."""
    if given is None:
        return None
    for kind in (int, float):
        with suppress(ValueError):
            return kind(given)
    return read_table(given, schema, dialect, part=True)
