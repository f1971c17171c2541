"""``unveil attack``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unveil.cli import options
from unveil.cli.attack_text import print_attack
from unveil.cli.console import print_json, progress, say
from unveil.cli.options import PATH, TABLE
from unveil.cli.parameters import WithAttackParameters, as_usage, attack_of
from unveil.errors import UsageError

if TYPE_CHECKING:
    from unveil.files.formats.base import Format
    from unveil.table.microdata import Microdata
    from unveil.table.schema import Schema
    from unveil.values.release.plan import Plan


@click.command(name="attack", cls=WithAttackParameters)
@click.argument("original", type=TABLE)
@click.argument("release", type=TABLE)
@options.schema_option
@click.option("--release-schema", type=PATH, help="Schema of RELEASE, if it differs.")
@click.option("--attack", required=True, help="Attack; `unveil methods` lists them.")
@click.option(
    "--truth",
    "truths",
    multiple=True,
    help="Which released row belongs to which person: an identifier of both files, the file of a "
    "row map, or row-order. One row map for each of several releases without a key.",
)
@click.option(
    "--knows",
    help="Attributes the intruder knows, separated by commas.  [default: the quasi-identifiers]",
)
@click.option(
    "--records", help="Records the intruder holds: a fraction, a count, or a file.  [default: all]"
)
@click.option("--blocks", help="Blocking: attributes known to be unmasked, separated by commas.")
@click.option(
    "--plan",
    "plans",
    type=PATH,
    multiple=True,
    help="Plan of RELEASE, for an attack that knows the masking; one for each of several releases.",
)
@click.option(
    "--also", type=TABLE, multiple=True, help="Another release of the same people; repeatable."
)
@click.option("--key", help="Column that identifies the rows of several releases.")
@click.option(
    "--direction",
    type=click.Choice(["original-to-release", "release-to-original"]),
    default="original-to-release",
    show_default=True,
    help="Direction of linkage.",
)
@click.option("--outsiders", type=TABLE, help="Control: a file of people not in the release.")
@click.option("--sample", type=click.IntRange(min=1), help="Size of a random sample to attack.")
@options.seed_option()
@click.option(
    "--top",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    help="Largest k of the top-k curve.",
)
@click.option("--links", "out", type=TABLE, help="Table for the links of each record.")
@options.force_option
@options.json_option
@options.csv_options
def command(
    original: Path,
    release: Path,
    schema: Path | None,
    release_schema: Path | None,
    attack: str,
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
    **chosen: Any,
) -> None:
    """Link the records of an intruder, from ORIGINAL, with the rows of RELEASE; count the hits.

    \b
        unveil attack survey.csv release.csv --schema survey.toml \\
            --attack rank --criterion max --truth map.csv

    By default the intruder knows the quasi-identifiers of all records (--knows, --records).
    Without --truth, links are made and written, but not counted. The last options below are the
    parameters of the attacks; `unveil methods NAME` explains them. Weights are given as
    age=2,income=0.5, lists and tables as JSON. --links writes splink's table of pairs, rows
    counted from 1: as private as ORIGINAL.

    An intruder who knows the masking (--attack tailored) reads the --plan, without its seed.
    --matching posterior assigns each row to one record only. Several releases (--also) are
    attacked together if a --key joins their rows, otherwise one after another.
    """  # noqa: D301 - click reads the mark
    from dataclasses import replace

    import msgspec

    from unveil.files.documents.toml import as_schema, read_plan
    from unveil.files.locations import check_outputs
    from unveil.files.tables import write
    from unveil.values.intruder import Intruder
    from unveil.workflows.auditing.attack_summary import describe_attack, risk_by_releases
    from unveil.workflows.inputs.scenario import check_kinds, prepare
    from unveil.workflows.inputs.sources import schema_for_others

    truths = truths if also else truths[-1:]  # of an option given twice the last counts
    spec = attack_of(attack, {k: v for k, v in chosen.items() if k not in options.CSV_OPTIONS})
    dialect = options.format_of(chosen, original, release)
    more = (schema, release_schema, outsiders, records, chosen["pairs"], *truths, *plans, *also)
    check_outputs((), (original, release, *more), force=force, tables=[out])
    with progress(f"reading {original}") as show:
        people = options.read_table(original, schema, dialect)
        show(f"reading {release}")
        declared = schema_for_others(people, as_schema(schema))
        released = [
            options.read_table(
                file, release_schema or declared, dialect, part=release_schema is None
            )
            for file in (release, *also)
        ]
        known_plans = tuple(read_plan(path) for path in plans)
        with as_usage():
            intruder = Intruder(
                knows=options.split_names(knows),
                records=_records(records, declared, dialect),
                blocks=options.split_names(blocks) or (),
                direction=direction,  # type: ignore[arg-type]
            )

        def show_links(done: int, total: int) -> None:
            show(f"{spec.name}: {done:,} of {total:,}")

        def show_bound(linked: float, bound: float) -> None:
            show(
                f"{spec.name}: {linked:,.6g} linked, at most {bound:,.6g}; Ctrl-C to leave it there"
            )

        _check_releases(plans, truths, also, key)
        per_release = []
        for target, plan, truth in _targets(released, key, known_plans, truths):
            informed = msgspec.structs.replace(intruder, channel=plan)
            with as_usage():
                check_kinds(spec, informed, truth)
                scenario = prepare(people, target, intruder=informed, truth=truth, seed=seed)
                links = replace(scenario, on_bound=show_bound).links(spec, informed)
            links = replace(links, progress=show_links)
            per_release.append(links if sample is None else links.sample(sample))
        links = per_release[-1] if key else per_release[0]
        control = None
        if outsiders is not None:
            control = links.on(options.read_table(outsiders, declared, dialect, part=True))
        summary = describe_attack(links, top=top, outsiders=control)
        if also and links.truth is not None:
            summary["several"] = risk_by_releases(per_release, keyed=key is not None)
        if out is not None:
            write(links, out, force=force)
    if as_json:
        print_json(summary)
        return
    print_attack(links, summary)
    if out is not None:
        say(f"Wrote {out}: whom each record was taken for; keep it as private as {original}.")


def _check_releases(
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
    released: Sequence[Microdata], key: str | None, plans: tuple[Plan, ...], truths: tuple[str, ...]
) -> Iterator[tuple[Any, Any, str | None]]:
    """The releases to attack, each with its plan and its truth: joined by a key, or one by one."""
    from unveil.values.release.release import Releases

    several, channel = len(plans) > 1, plans[0] if plans else False
    for number, release in enumerate(released):
        truth = truths[number] if len(truths) > 1 else next(iter(truths), None)
        if key is None or number == 0:
            yield release, plans[number] if several else channel, truth
        else:
            joined = Releases(tuple(released[: number + 1]), key)
            yield joined, plans[: number + 1] if several else channel, truth


def _records(text: str | None, schema: Schema | None, dialect: Format | None) -> Any:
    """A fraction, a count, or a file."""
    if text is None:
        return None
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return options.read_table(text, schema, dialect, part=True)
