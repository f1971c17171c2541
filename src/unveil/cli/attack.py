"""``unveil attack``: a command for each attack, made from its spec."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unveil.cli import options
from unveil.cli.attack_text import print_attack
from unveil.cli.console import print_json, progress, say
from unveil.cli.options import PATH, TABLE
from unveil.cli.parameters import as_usage, attack_of, attack_options, attack_summaries
from unveil.cli.sections import CSV, SectionedCommand
from unveil.errors import UsageError
from unveil.wording import listing, suggest

if TYPE_CHECKING:
    from unveil.files.formats.base import Format
    from unveil.table.microdata import Microdata
    from unveil.table.schema import Schema
    from unveil.values.release.plan import Plan

SECTIONS = {
    "Files and intruder": (
        *("schema", "release_schema", "truths", "knows", "records", "blocks", "direction"),
        *("plans", "also", "key", "outsiders", CSV),
    ),
    "Effort and output": ("sample", "seed", "top", "out", "as_json", "force"),
}


class AttackCommands(click.Group):
    """One command for each attack, which has the common options and those of its spec."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names of the attacks."""
        return list(attack_summaries())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of one attack."""
        summaries = attack_summaries()
        return _command(cmd_name, summaries[cmd_name]) if cmd_name in summaries else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse the attack as an option, with the form that is right."""
        if args and args[0] == "--attack":
            raise UsageError(f"the attack is a word: {_example(*args[1:2])}")
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the attack, or suggest the nearest."""
        names = self.list_commands(ctx)
        if args[0] not in names:
            remedy = suggest(args[0], names) or f"; attacks are: {listing(names)}"
            raise UsageError(
                f"'{args[0]}' is not an attack{remedy}. The attack comes first: {_example()}"
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the attacks, each with its line."""
        with formatter.section("Attacks"):
            formatter.write_dl(list(attack_summaries().items()))


def _example(attack: str = "distance") -> str:
    return f"unveil attack {attack} ORIGINAL RELEASE --schema SCHEMA --truth MAP"


@click.group(name="attack", cls=AttackCommands, subcommand_metavar="ATTACK ORIGINAL RELEASE")
def command() -> None:
    """Link the records of an intruder, from ORIGINAL, with the rows of RELEASE; count the hits.

    \b
        unveil attack rank survey.csv release.csv --schema survey.toml \\
            --truth map.csv --criterion max

    `unveil attack ATTACK --help` has the options of one attack.
    """  # noqa: D301 - click reads the mark


@click.command()
@click.argument("original", type=TABLE)
@click.argument("release", type=TABLE)
@options.schema_option
@click.option("--release-schema", type=PATH, help="Schema of RELEASE, if it differs.")
@click.option("--truth", "truths", multiple=True, help=f"{options.TRUTH}.")
@click.option("--knows", help="Attributes known: age,sex.  [default: the quasi ones]")
@click.option("--records", help="Records held: fraction, count or file.  [default: all]")
@click.option("--blocks", help="Blocking by unmasked attributes: sex,region.")
@click.option(
    "--direction",
    type=click.Choice(["original-to-release", "release-to-original"]),
    default="original-to-release",
    metavar="TEXT",
    help="original-to-release (default) or release-to-original.",
)
@click.option(
    "--plan", "plans", type=PATH, multiple=True, help="Plan of RELEASE, for who knows the masking."
)
@click.option("--also", type=TABLE, multiple=True, help="Another release; repeatable.")
@click.option("--key", help="Column that joins the rows of several releases.")
@click.option("--outsiders", type=TABLE, help="Control: a file of people not in RELEASE.")
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="Attack a random sample of so many records.",
)
@options.seed_option()
@click.option(
    "--top",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    metavar="NUMBER",
    help="Largest k of the top-k curve.",
)
@click.option("--links", "out", type=TABLE, help="Table for the links, as private as ORIGINAL.")
@options.force_option
@options.json_option
@options.csv_options
def _attack(
    name: str,
    original: Path,
    release: Path,
    schema: Path | None,
    release_schema: Path | None,
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
    """Make one attack and print what it found."""
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
    spec = attack_of(name, {k: v for k, v in chosen.items() if k not in options.CSV_OPTIONS})
    dialect = options.format_of(chosen, original, release)
    more = (schema, release_schema, outsiders, records, chosen.get("pairs"), *truths, *plans, *also)
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


def _command(name: str, summary: str) -> click.Command:
    """The command of one attack: the common options, then the parameters of its spec."""
    common = _attack.params
    text = f"""{summary}

    \b
        {_example(name)}

    `unveil methods {name}` explains the parameters. Of several releases (--also) without a
    --key, --truth and --plan may be given for each.
    """
    return SectionedCommand(
        name,
        params=[*common, *attack_options(name, {str(option.name) for option in common})],
        callback=partial(_attack.callback, name),  # type: ignore[arg-type,misc]
        help=text,
        sections=SECTIONS,
        rest=f"Parameters of {name}",
    )


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
