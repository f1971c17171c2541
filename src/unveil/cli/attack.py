"""``unveil attack``: a command for each attack, made from its spec."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from unveil.cli import options
from unveil.cli.console import note, print_json, print_lines, progress
from unveil.cli.decisions.options import (
    NAMES,
    decision_options,
    decision_outputs,
    draw_decisions,
    show_decisions,
)
from unveil.cli.options import PATH, TABLE
from unveil.cli.parameters import (
    as_usage,
    attack_description,
    attack_names,
    attack_of,
    attack_options,
    attack_summaries,
    method_in,
)
from unveil.cli.sections import CSV, SectionedCommand, complete_names
from unveil.errors import UsageError
from unveil.wording import suggest

SECTIONS = {
    "Files and intruder": (
        *("schema", "release_schema", "truths", "knows", "records", "blocks", "direction", "error"),
        *("plans", "allow", "also", "key", "outsiders", CSV),
    ),
    "Decisions on pairs": NAMES,
    "Effort and output": ("sample", "seed", "engine", "top", "formal", "out", "as_json", "force"),
}


class AttackCommands(click.Group):
    """One command for each attack, which has the common options and those of its spec."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names of the attacks."""
        return list(attack_names())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of one attack."""
        return None if method_in(cmd_name) is None else _command(cmd_name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse the attack as an option, with the form that is right."""
        if args and args[0] == "--attack":
            raise UsageError(f"the attack is a word: {_example(*args[1:2])}")
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the attack, or suggest the nearest."""
        if method_in(args[0]) is None:
            names = self.list_commands(ctx)
            raise UsageError(
                f"the attack is the first word ({_example()}), and '{args[0]}' is not an "
                f"attack{suggest(args[0], names, 'attacks are')}"
            )
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The attacks that begin so, without making their commands."""
        return complete_names(self, ctx, incomplete, dict.fromkeys(attack_names(), ""))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the attacks, each with its line."""
        with formatter.section("Attacks"):
            formatter.write_dl(list(attack_summaries().items()))


def _example(attack: str = "distance") -> str:
    return f"unveil attack {attack} ORIGINAL RELEASE --schema SCHEMA --truth MAP"


@click.group(name="attack", cls=AttackCommands, subcommand_metavar="ATTACK ORIGINAL RELEASE")
def command() -> None:
    """Link an intruder's records, from ORIGINAL, with the rows of RELEASE and count the hits.

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
@click.option(
    "--truth", "truths", multiple=True, help="True links: an identifier, a row map, or row-order."
)
@click.option("--knows", help="Known: age,sex.  [default: the quasi-identifiers]")
@click.option("--records", help="Records held: fraction, count, file.  [default: all]")
@click.option("--blocks", help="Blocking by unmasked attributes: sex,name:soundex.")
@click.option(
    "--direction",
    type=options.Word(["original-to-release", "release-to-original"]),
    default="original-to-release",
    metavar="TEXT",
    help="original-to-release (default) or release-to-original.",
)
@click.option(
    "--error",
    type=float,
    default=0.0,
    metavar="SHARE",
    help="Share of outdated cells to allow for.",
)
@click.option(
    "--plan", "plans", type=PATH, multiple=True, help="Plan of RELEASE, for attacks that know it."
)
@options.allow_option
@click.option("--also", type=TABLE, multiple=True, help="Another release; repeatable.")
@click.option("--key", help="Column that joins the rows of several releases.")
@click.option("--outsiders", type=TABLE, help="Control: a file of people not in RELEASE.")
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="Number of records to attack, at random.",
)
@options.seed_option()
@options.engine_option
@click.option(
    "--top",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    metavar="NUMBER",
    help="Largest k of the top-k curve.",
)
@click.option(
    "--formal", is_flag=True, help="Count the results that are compatible with the truth."
)
@click.option("--links", "out", type=TABLE, help="Table for the links, as private as ORIGINAL.")
@decision_options
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
    allow: tuple[str, ...],
    also: tuple[Path, ...],
    key: str | None,
    direction: str,
    error: float,
    outsiders: Path | None,
    sample: int | None,
    seed: int,
    engine: str,
    top: int,
    out: Path | None,
    *,
    formal: bool = False,
    force: bool,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Make one attack and print its result."""
    from unveil.files.documents.toml import read_plan
    from unveil.files.locations import check_outputs
    from unveil.reports.lines.attack import attack_lines
    from unveil.values.intruder import Intruder
    from unveil.workflows.attack import AttackSettings, attack_summary

    truths = truths if also else truths[-1:]  # of an option given twice the last counts
    figures = chosen.get("figures")
    outputs = decision_outputs(chosen, force=force)
    spec = attack_of(name, chosen)
    dialect = options.format_of(chosen, original, release)
    check_outputs((), plans, force=force, tables=[out])
    settings = AttackSettings(
        release_schema=release_schema,
        format=dialect,
        also=also,
        key=key,
        plans=tuple(read_plan(path, allow=allow) for path in plans),
        outsiders=outsiders,
        sample=sample,
        top=top,
        links=out,
        force=force,
        engine=engine,
        decisions=outputs,
        formal=formal,
    )
    with progress(f"reading {original}") as show, as_usage():
        intruder = Intruder(
            knows=options.split_names(knows),
            records=_records(records),
            blocks=options.split_names(blocks) or (),
            direction=direction,  # type: ignore[arg-type]
            error=error,
        )
        summary = attack_summary(
            original,
            release,
            spec,
            schema=schema,
            intruder=intruder,
            truth=truths if len(truths) > 1 else next(iter(truths), None),
            seed=seed,
            settings=settings,
            progress=show,
        )
    draw_decisions(summary.pair_classes, figures)
    if as_json:
        print_json(summary.to_dict())
        return
    print_lines(attack_lines(summary))
    show_decisions(summary.pair_classes, outputs, figures)
    if out is not None:
        what = "the row linked to each record" if summary.decisions is None else "the pairs"
        note(f"Wrote {out}: {what}. Keep it as private as {original}.")


def _command(name: str) -> click.Command:
    """The command of one attack: the common options, then the parameters of its spec."""
    from unveil.attacks import METHODS

    common, method = _attack.params, str(method_in(name))
    if METHODS.find(method).compares_attributes:  # others judge links of unknown origin
        common = [option for option in common if option.name != "formal"]
    if not METHODS.find(method).classifies_pairs:
        common = [option for option in common if option.name not in NAMES]
    text = f"""{attack_description(method)}

    \b
        {_example(name)}

    `unveil methods {method}` explains the parameters. For several releases (--also) without a
    --key, give --truth and --plan once for each.
    """
    return SectionedCommand(
        name,
        params=[*common, *attack_options(method, {str(option.name) for option in common})],
        callback=partial(_attack.callback, name),  # type: ignore[arg-type,misc]
        help=text,
        sections=SECTIONS,
        rest=f"Parameters of {method}",
    )


def _records(text: str | None) -> int | float | str | None:
    """A fraction, a count, or a file."""
    if text is None:
        return None
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text
