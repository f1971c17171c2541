"""``unveil attack``."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unveil.cli.console import print_json, print_table, progress, say
from unveil.cli.options import (
    CSV_OPTIONS,
    PATH,
    csv_format,
    csv_options,
    force_option,
    json_option,
    maybe_csv,
    schema_option,
)
from unveil.cli.parameters import WithParameters, as_usage, attack_of
from unveil.errors import UsageError, count, listing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unveil.data.links import Links
    from unveil.data.microdata import Microdata
    from unveil.data.risk import Claims, Risk
    from unveil.files.formats import Format


@click.command(name="attack", cls=WithParameters)
@click.argument("original", type=PATH)
@click.argument("release", type=PATH)
@schema_option
@click.option("--release-schema", type=PATH, help="The release's own schema, where it differs.")
@click.option(
    "--attack", "method", required=True, help="The attack; `unveil methods` lists them all."
)
@click.option(
    "--truth",
    help="Which row is whose: an identifier that both files have, the file of a row map, or "
    "row-order.",
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
    "--direction",
    type=click.Choice(["original-to-release", "release-to-original"]),
    default="original-to-release",
    show_default=True,
    help="Who looks for whom.",
)
@click.option(
    "--outsiders", type=PATH, help="A file of people who are not in the release, as a control."
)
@click.option("--sample", type=click.IntRange(min=1), help="Attack so many records, at random.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of what is drawn."
)
@click.option(
    "--top", type=click.IntRange(1, 1000), default=5, show_default=True, help="Places of the curve."
)
@click.option("--links", "out", type=PATH, help="Write whom each record was taken for.")
@force_option
@json_option
@csv_options
def command(
    original: Path,
    release: Path,
    schema: Path | None,
    release_schema: Path | None,
    method: str,
    truth: str | None,
    knows: str | None,
    records: str | None,
    blocks: str | None,
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
    """  # noqa: D301 - click reads the mark
    from dataclasses import replace

    from unveil.data.intruder import Intruder
    from unveil.files.tables import write
    from unveil.workflows.attacking import attack
    from unveil.workflows.measuring import measure

    spec = attack_of(method, {k: v for k, v in given.items() if k not in CSV_OPTIONS})
    dialect = csv_format(original, release, **{name: given[name] for name in CSV_OPTIONS})
    more = (schema, release_schema, outsiders, truth, records, given["pairs"])
    _check_output(out, (original, release, *more), force=force)
    with progress(f"reading {original}") as show:
        people = _read(original, schema, dialect)
        show(f"reading {release}")
        released = _read(release, release_schema or schema, dialect, part=release_schema is None)
        with as_usage():
            intruder = Intruder(
                knows=_names(knows),
                records=_records(records, schema, dialect),
                blocks=_names(blocks) or (),
                direction=direction,  # type: ignore[arg-type]
            )

        def told(done: int, total: int) -> None:
            show(f"{spec.method}: {done:,} of {total:,}")

        with as_usage():
            links = attack(people, released, spec, intruder=intruder, truth=truth, seed=seed)
        links = replace(links, progress=told)
        if sample is not None:
            links = links.sample(sample)
        others = None
        if outsiders is not None:
            others = links.on(_read(outsiders, schema, dialect, part=True))
        found = measure(links, top=top, outsiders=others)
        if out is not None:
            write(links, out, force=force)
    if as_json:
        print_json(found)
        return
    print_attack(links, found)
    if out is not None:
        say(f"Wrote {out}: whom each record was taken for; keep it as private as {original}.")


def _check_output(out: Path | None, inputs: Sequence[Path | str | None], *, force: bool) -> None:
    """The links can be written, and over nothing that they are made of."""
    from unveil.files.whole import check_target

    if out is None:
        return
    if out.resolve() in {Path(path).resolve() for path in inputs if path is not None}:
        raise UsageError(f"{out} would be overwritten by what is made of it")
    check_target(out, force=force)


def print_attack(links: Links, found: dict[str, Any]) -> None:
    """Print what an attack found, for people."""
    knows = listing([*links.finder.columns, *links.intruder.blocks])
    of_whom = links.intruder.to_dict()["records"]
    say(f"{links.name}: {f'the intruder knows {knows}, of {of_whom}' if knows else of_whom}")
    inside = listing(links.intruder.blocks)
    say(
        f"{links.intruder.direction}, {count(links.candidates, 'candidate')}"
        f"{f', compared only where equal in {inside}' if inside else ''}"
    )
    say()
    if found["risk"] is None:
        _print_uncounted(found)
        return
    risk: Risk = found["risk"]
    rows = {
        "linked rightly, expected": risk.expected,
        "  of these without a tie": risk.unique,
        "a guess links": risk.baseline,
    }
    if risk.attributes:
        rows["no attack on these attributes links more than"] = risk.ceiling
    print_table(
        ["", f"of {risk.n:,}", "share"],
        [[name, _number(value), _percent(value, risk.n)] for name, value in rows.items()],
        numbers=[f"of {risk.n:,}", "share"],
    )
    say()
    _print_more(risk, found)


def _print_more(risk: Risk, found: dict[str, Any]) -> None:
    if risk.interval is not None:
        found_in = risk.interval
        say(
            f"{risk.n:,} of {risk.population:,} were attacked: of all, {found_in.low:.1%} to "
            f"{found_in.high:.1%} ({found_in.confidence:.0%} confidence)."
        )
    if risk.absent:
        say(f"{count(risk.absent, 'record')} attacked had no row to be found, and are not counted.")
    if risk.supervised:
        say("This attack was made with the truth in hand: no intruder has it.")
    chance = f"{risk.p_value:.2g}" if risk.p_value else "below 1e-300"
    say(f"So many hits or more by chance: probability {chance}.")
    at_risk = found["at_risk"]
    say(
        f"Records with a risk above {at_risk['threshold']:.0%}: {at_risk['above']:.1%}; highest "
        f"risk {at_risk['highest']:.0%}, mean {at_risk['mean']:.1%}."
    )
    curve = found["top"]
    places = ", ".join(f"{k}: {share:.1%}" for k, share in enumerate(curve["share"], start=1))
    say(f"The true row among the k best{_of(curve['n'], curve['population'])}: {places}.")
    if risk.confirmed is not None and risk.control is not None:
        say(
            f"With a clear margin the intruder would claim {_claims(risk.confirmed)}; "
            f"{risk.confirmed.right:,.1f} of these links are right. "
            f"{'Of the outsiders' if found['outsiders'] else 'With the true ones not there'}, "
            f"{_claims(risk.control)}, all wrong."
        )
    if "row_order" in found:
        order = found["row_order"]
        say(
            f"Rank correlation of the rows of both files: {order['correlation']:.3f} "
            f"(by chance: probability {order['p_value']:.2g})."
        )


def _print_uncounted(found: dict[str, Any]) -> None:
    clear = found["clear"]
    say(
        f"{count(found['records'], 'record')} linked. Of {found['looked_at']:,} looked at, "
        f"{found['tied']:,} have several best candidates, {found['unlinked']:,} none"
        f"{'' if clear is None else f'; {clear:,} have a clear margin over the second best'}."
    )
    say(
        "It is not known which released row is whose, so right links cannot be counted: give "
        "--truth, an identifier that both files have or the row map of the release."
    )


def _number(value: float) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.1f}" if value >= 1 or value == 0 else f"{value:.2g}"


def _percent(value: float, n: int) -> str:
    return f"{value / n:.1%}" if n else "-"


def _claims(claims: Claims) -> str:
    return f"{claims.claimed:,} of {claims.n:,}"


def _of(n: int, population: int) -> str:
    return f" ({n:,} of {population:,} looked at)" if n < population else ""


def _names(given: str | None) -> tuple[str, ...] | None:
    return None if given is None else tuple(n.strip() for n in given.split(",") if n.strip())


def _records(given: str | None, schema: Path | None, dialect: Format | None) -> Any:
    """A share, a number, or a file."""
    if given is None:
        return None
    for kind in (int, float):
        with suppress(ValueError):
            return kind(given)
    return _read(Path(given), schema, dialect, part=True)


def _read(
    file: Path, schema: Path | None, dialect: Format | None, *, part: bool = False
) -> Microdata:
    """Read a file; in part, the schema may name columns that it does not have."""
    from unveil.files.schemas import as_schema
    from unveil.workflows.sources import as_microdata

    declared = as_schema(schema)
    if part and declared is not None:
        declared = declared.where_there()
    return as_microdata(file, declared, format=dialect if maybe_csv(file) else None)
