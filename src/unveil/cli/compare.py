"""``unveil compare``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unveil.cli.console import print_json, print_table, progress, say
from unveil.cli.options import PATH, json_option
from unveil.errors import count, listing

if TYPE_CHECKING:
    from pathlib import Path

    from unveil.data.comparison import ComparedRelease, Comparison, Difference

CRITERIA = {
    "risk": "risk",
    "subgroup_risk": "risk of the worst subgroup",
    "confirmed": "links that an intruder can be sure of",
    "interval_disclosure": "interval disclosure",
    "loss": "information loss",
}
LEGEND = (
    "risk: the share of the records attacked that the worst attack links rightly; ceiling: what "
    "no attack on its attributes can exceed; subgroup: the risk of the worst subgroup; "
    "confirmed: claimed and rightly so; inside: originals near their released value, beyond "
    "chance, in the worst attribute; loss: overall, 0 is best and 1 is worst; same: columns left "
    "unchanged; -: not known."
)


@click.command(name="compare")
@click.argument("evidence", type=PATH, nargs=-1, required=True)
@click.option(
    "--records",
    type=PATH,
    multiple=True,
    help="The risk of each record, as the audit wrote it: once for each EVIDENCE, in the same "
    "order, but for releases whose rows are nobody's.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Of what is drawn for the intervals.",
)
@json_option
def command(
    evidence: tuple[Path, ...], records: tuple[Path, ...], seed: int, *, as_json: bool
) -> None:
    """Say which of several releases of one original is better, and at what.

    \b
        unveil compare a.json b.json c.json --records a.csv --records b.csv --records c.csv

    Each EVIDENCE is the file that an audit of one release wrote (unveil audit ... --evidence
    FILE), all against the same original. A release is dominated by another with no more risk
    and no more loss, and less of one of them. Among the others nothing is decided: what is won
    in loss does not make up for risk, and no policy is overruled.

    With --records the difference in risk of each two releases is found over the records that
    were attacked in both, with an interval by drawing these records anew 2,000 times.
    """  # noqa: D301 - click reads the mark
    from unveil.workflows.comparing import compare

    with progress("reading the evidence"):
        found = compare(evidence, records=records or None, seed=seed)
    if as_json:
        print_json(found)
        return
    print_comparison(found)


def print_comparison(found: Comparison) -> None:
    """Print a comparison for people."""
    say(
        f"{count(len(found.releases), 'release')} of one original, {count(found.records, 'record')}"
    )
    say()
    head = ["release", "worst attack", "of", "risk", "ceiling", "subgroup", "confirmed", "inside",
            "loss", "same", "policy"]  # fmt: skip
    print_table(head, [_row(one) for one in found.releases], numbers=head[2:-1])
    say()
    say(LEGEND)
    say()
    _print_order(found)
    say()
    _print_best(found)
    if found.differences:
        say()
        _print_differences(found.differences)
    if found.notes:
        say()
    for note in found.notes:
        say(f"! {note}")


def _row(release: ComparedRelease) -> list[str]:
    worst = release.worst
    attack = ["nobody was attacked", "-", "-", "-"]
    if worst is not None:
        sampled = worst.interval
        between = "" if sampled is None else f" ({sampled.low:.1%} to {sampled.high:.1%})"
        most = worst.ceiling / worst.n if worst.n else None
        attack = [worst.column, f"{worst.n:,}", f"{worst.share:.1%}{between}", _percent(most)]
    return [
        release.name,
        *attack,
        _percent(release.subgroup_risk),
        _percent(release.confirmed),
        _percent(release.interval_disclosure),
        "-" if release.loss is None else f"{release.loss:.3f}",
        "-" if release.unchanged is None else str(release.unchanged),
        {None: "-", True: "kept", False: f"broken: {listing(release.broken)}"}[release.passed],
    ]


def _print_order(found: Comparison) -> None:
    """Who is dominated by whom, and between whom nothing is decided."""
    for one in found.dominated:
        failing = [name for name in one.by if found[name].passed is False]
        kept = f" (but the policy is broken by {listing(failing)})" if failing else ""
        say(
            f"{one.release} is dominated by {listing(one.by)}{kept}: no less risk and no less "
            "loss, and more of one of them."
        )
    if len(found.front) > 1:
        say(
            f"Dominated by none, the least risk first: {listing(found.front)}. Of these each has "
            "less risk or less loss than another; which to take is not decided here, as less "
            "loss does not make up for risk."
        )
    elif found.front:
        say(f"Dominated by none: {found.front[0]} only.")
    if found.not_placed:
        say(f"Not placed, as risk or loss is not known: {listing(found.not_placed)}.")


def _print_best(found: Comparison) -> None:
    rows = []
    for one in found.best:
        value = f"{one.value:.3f}" if one.criterion == "loss" else f"{one.value:.1%}"
        rows.append([CRITERIA[one.criterion], value, listing(one.releases)])
    print_table(["least", "value", "release"], rows, numbers=["value"])
    for one in found.best:
        if one.not_measured:
            say(f"Not known of {listing(one.not_measured)}: {CRITERIA[one.criterion]}.")


def _print_differences(differences: tuple[Difference, ...]) -> None:
    rows: list[list[str]] = []
    notes: dict[str, list[str]] = {}
    for one in differences:
        gap, between = one.share, "-"
        if one.paired is not None:
            gap = one.paired.difference
            if one.paired.interval is not None:
                between = f"{_points(one.paired.interval.low)} to "
                between += _points(one.paired.interval.high)
        rows.append([f"{one.first} less {one.second}", _points(gap), between])
        notes.setdefault(one.note, []).append(f"{one.first} less {one.second}")
    print_table(["risk", "points", "95 % interval"], rows, numbers=["points", "95 % interval"])
    for note, pairs in notes.items():
        say(f"{'All' if len(pairs) == len(rows) else listing(pairs)}: {note}.")


def _points(gap: float) -> str:
    """A difference of shares in percentage points."""
    return f"{100 * gap:+.2f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"
