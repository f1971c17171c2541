"""``unveil audit``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unveil.cli.console import bar, print_json, say
from unveil.cli.options import (
    CSV_OPTIONS,
    PATH,
    TABLE,
    csv_options,
    force_option,
    format_given,
    json_option,
    names,
    schema_option,
)
from unveil.cli.pages import PAGE_OPTIONS, Pages, page_options
from unveil.cli.parameters import as_usage
from unveil.cli.verdict_text import print_audit, print_replay
from unveil.errors import UsageError

if TYPE_CHECKING:
    from unveil.values.results.evidence import Audit
    from unveil.values.results.policy import Policy


FAILED = 1


@click.command(name="audit")
@click.argument("original", type=TABLE, required=False)
@click.argument("release", type=TABLE, required=False)
@schema_option
@click.option("--release-schema", type=PATH, help="The release's own schema, where it differs.")
@click.option(
    "--truth",
    help="Which row is whose: an identifier that both files have, the file of a row map, "
    "row-order, or none if every row is made up.",
)
@click.option("--plan", type=PATH, help="How RELEASE was masked: then attacks know it, too.")
@click.option(
    "--rename",
    "renamed",
    multiple=True,
    metavar="NEW=OLD",
    help="A column that RELEASE calls otherwise; may be repeated.",
)
@click.option(
    "--knows",
    help="What an intruder may know, separated by commas.  [default: the quasi-identifiers]",
)
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    help="An attack, such as rank-max or tailored-posterior; may be repeated.  [default: those "
    "that fit the data]",
)
@click.option(
    "--intruder-file",
    type=TABLE,
    help="A file that an intruder has about the same people, with an identifier that ORIGINAL has, "
    "too: attacked with as well, even where it shares no attribute with RELEASE.",
)
@click.option("--policy", type=PATH, help="The TOML file with the limits that must be kept.")
@click.option(
    "--max-risk",
    type=click.FloatRange(0, 1),
    help="The share of the people that the best attack may link: a policy of one limit.",
)
@click.option("--evidence", type=PATH, help="Write everything that was found, as JSON.")
@click.option(
    "--per-record",
    type=TABLE,
    help="Write the risk of each record, a table as private as ORIGINAL.",
)
@page_options
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    help="Budget of each attack: about this long on an ordinary laptop, counted in work, so that "
    "every machine gives the same answer. An attack beyond it samples the records.",
)
@click.option("--exact", is_flag=True, help="Attack all records, however long it takes.")
@click.option("--memory", help="The most memory to use, such as 4G.")
@click.option(
    "--sweep/--no-sweep",
    default=True,
    help="Whether to find the risk against what the intruder knows.",
)
@click.option(
    "--errors",
    default="0,0.1,0.2,0.5",
    show_default=True,
    help="Errors in the intruder's values for which to find the risk.",
)
@click.option(
    "--remask",
    type=click.IntRange(0, 1000),
    default=5,
    show_default=True,
    help="With a plan: how often to mask anew, with other seeds.",
)
@click.option("--remedies/--no-remedies", default=True, help="Whether to try what would help.")
@click.option(
    "--worst-case/--no-worst-case",
    default=True,
    help="Whether to learn, with the truth in hand, how many a distance could link at worst: of at "
    "most 2,000 records.",
)
@click.option(
    "--halves",
    is_flag=True,
    help="Test whether somebody who knows one half of the attributes could find the released other "
    "half, so that a file that shares none would do: of at most 2,000 people, maybe minutes.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of what is drawn."
)
@click.option(
    "--resume", is_flag=True, help="Go on where a killed audit with this --evidence ended."
)
@click.option(
    "--replay",
    type=PATH,
    help="Run the audit of this evidence again, and say whether every number is the same.",
)
@force_option
@json_option
@csv_options
def command(
    original: str | Path | None,
    release: str | Path | None,
    replay: Path | None,
    *,
    as_json: bool,
    **given: Any,
) -> None:
    """Audit RELEASE: attack it, measure it, and hold it against a policy.

    \b
        unveil audit survey.csv release.csv --schema survey.toml --truth map.csv \\
            --max-risk 0.05 --report audit.html --evidence audit.json

    The attacks that fit the data are made in both directions, each record answered exactly.
    The verdict comes first; then who links how many, what else is disclosed, and what the
    masking cost. Exit code 1 says that the policy is not kept.

    A policy is a TOML file with any of these lines:

    \b
        max_risk = 0.05                  max_subgroup_risk = 0.1
        max_confirmed = 0.01             max_interval_disclosure = 0.4
        k_anonymity = 3                  l_diversity = 2
        t_closeness = 0.3                max_loss = 0.3
        forbid_row_order = true          may_stay_unchanged = ["sex"]

    --evidence holds the plan and its seed, and is as private as ORIGINAL. While an audit
    runs, what is finished is kept beside it, for --resume.
    """  # noqa: D301 - click reads the mark
    if replay is not None:
        _replay(replay, original, release, given, as_json=as_json)
        return
    if original is None or release is None:
        raise UsageError("name ORIGINAL and RELEASE; `unveil audit --help` has an example")
    pages = Pages(**{name: given[name] for name in (*PAGE_OPTIONS, "force")})
    found = _audited(original, release, given, pages)
    if as_json:
        print_json(found.evidence)
    else:
        print_audit(found)
        pages.say()
        for option, what in (("evidence", "all that was found"), ("per_record", "each risk")):
            if given[option] is not None:
                say(f"Wrote {given[option]}: {what}; keep it as private as {original}.")
    if found.verdict is not None and not found.verdict.passed:
        raise SystemExit(FAILED)


def _audited(
    original: str | Path, release: str | Path, given: dict[str, Any], pages: Pages
) -> Audit:
    from unveil.files.documents.toml import read_plan
    from unveil.files.locations import check_outputs
    from unveil.workflows.audit import audit

    if given["exact"] and _was_said("seconds"):
        raise UsageError("--seconds does nothing with --exact: leave it out")
    if given["plan"] is None and given["remask"] and _was_said("remask"):
        raise UsageError("--remask does nothing without --plan: leave it out")
    evidence, records = given["evidence"], given["per_record"]
    inputs = [given[name] for name in ("plan", "policy")]  # which audit does not see
    check_outputs((evidence, records, pages.report), inputs, force=given["force"])
    own = given["intruder_file"]
    files = (original, release, given["schema"], given["release_schema"], given["truth"], own)
    pages.check(files, (evidence, records))
    tables = (original, release) if own is None else (original, release, own)
    dialect = format_given(*tables, **{name: given[name] for name in CSV_OPTIONS})
    policy = _policy(given["policy"], given["max_risk"])
    plan = None if given["plan"] is None else read_plan(given["plan"])
    with bar(f"reading {original}") as show, as_usage():
        found = audit(
            original,
            release,
            schema=given["schema"],
            attacks=given["attacks"] or None,
            truth=given["truth"],
            policy=policy,
            seed=given["seed"],
            knows=names(given["knows"]),
            plan=plan,
            rename=_renamed(given["renamed"]),
            release_schema=given["release_schema"],
            format=dialect,
            seconds=given["seconds"],
            exact=given["exact"],
            memory=given["memory"],
            sweep=given["sweep"],
            errors=_numbers(given["errors"]),
            remask=given["remask"],
            remedies=given["remedies"],
            worst_case=given["worst_case"],
            halves=given["halves"],
            intruder_file=own,
            evidence=evidence,
            per_record=records,
            force=given["force"],
            resume=given["resume"],
            progress=show,
        )
        pages.write(found)
    return found


def _replay(
    file: Path,
    original: str | Path | None,
    release: str | Path | None,
    given: dict[str, Any],
    *,
    as_json: bool,
) -> None:
    from unveil.files.documents.evidence import read_evidence
    from unveil.workflows.auditing.replay import replay

    kept = {"original", "release", "replay", "truth", "intruder_file", "as_json"}
    said = [
        f"--{name.replace('_', '-')}"
        for name in click.get_current_context().params
        if name not in kept and _was_said(name)
    ]
    if said:
        raise UsageError(f"--replay does what the evidence says: leave out {', '.join(said)}")
    evidence = read_evidence(file)
    with bar(f"replaying {file}") as show:
        found = replay(
            evidence,
            original=original,
            release=release,
            truth=given["truth"],
            intruder_file=given["intruder_file"],
            progress=show,
        )
    if as_json:
        print_json(found)
    else:
        print_replay(found)
    if not found.same:
        raise SystemExit(FAILED)


def _was_said(option: str) -> bool:
    """Whether an option was given, and is not at its default."""
    source = click.get_current_context().get_parameter_source(option)
    return source is click.core.ParameterSource.COMMANDLINE


def _policy(file: Path | None, max_risk: float | None) -> Policy | None:
    """The limits of a file, or the one that the short form gives; that is the narrower one."""
    import msgspec

    from unveil.files.documents.toml import read_policy
    from unveil.values.results.policy import Policy

    policy = None if file is None else read_policy(file)
    if max_risk is None:
        return policy
    if policy is None:
        return Policy(max_risk=max_risk)
    if policy.max_risk is not None:
        raise UsageError("--max-risk: the policy has a max_risk of its own: leave one out")
    return msgspec.structs.replace(policy, max_risk=max_risk)


def _renamed(given: Sequence[str]) -> dict[str, str]:
    pairs = [one.partition("=") for one in given]
    if not all(old and new and sign for new, sign, old in pairs):
        raise UsageError("--rename: NEW=OLD, the release's name and the original's")
    return {new: old for new, _, old in pairs}


def _numbers(given: str) -> tuple[float, ...]:
    try:
        return tuple(float(one) for one in given.split(",") if one.strip())
    except ValueError:
        raise UsageError("--errors: numbers, separated by commas") from None
