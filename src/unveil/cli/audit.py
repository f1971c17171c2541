"""``unveil audit``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from unveil.cli import options
from unveil.cli.console import FAILED, has_flag, note, print_json, progress
from unveil.cli.options import PATH, TABLE
from unveil.cli.pages import PAGE_OPTIONS, Pages, page_options
from unveil.cli.parameters import WithAuditSettings, as_usage, attack_in, complete_attacks
from unveil.cli.sections import CSV
from unveil.cli.verdict_text import print_audit, print_replay
from unveil.errors import UsageError

if TYPE_CHECKING:
    from unveil.values.results.evidence import Audit
    from unveil.values.results.policy import Policy

SECTIONS = {
    "Files": ("schema", "release_schema", "truth", "renames", "plan", "allow", CSV),
    "Intruder": ("knows", "intruder_file", "attacks", "errors", "worst_case", "halves"),
    "Limits": ("policy", "max_risk"),
    "Output": (
        *(
            "report",
            "external",
            "title",
            "figures",
            "evidence",
            "per_record",
            "as_json",
            "show_values",
        ),
        *("force", "replay", "resume"),
    ),
    "Effort": (
        *("effort", "seconds", "exact", "memory", "engine", "sweep", "remask", "remedies"),
        *("measures", "seed"),
    ),
}


@click.command(name="audit", cls=WithAuditSettings, sections=SECTIONS)
@click.argument("original", type=TABLE, required=False)
@click.argument("release", type=TABLE, required=False)
@options.schema_option
@click.option("--truth", help=f"{options.TRUTH}; none for synthetic rows.")
@click.option(
    "--rename",
    "renames",
    multiple=True,
    metavar="NEW=OLD",
    help="Column of RELEASE and its name in ORIGINAL.",
)
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    shell_complete=complete_attacks,
    help="Attack (rank-max), or a JSON table; repeatable.  [default: all suitable]",
)
@options.allow_option
@click.option("--policy", type=PATH, help="TOML file of the limits.")
@click.option(
    "--max-risk",
    type=click.FloatRange(0, 1),
    metavar="NUMBER",
    help="Largest share that an attack may link.",
)
@page_options
@options.seed_option()
@click.option("--replay", type=PATH, help="Repeat the audit of this evidence and compare.")
@options.force_option
@options.json_option
@options.csv_options
def command(
    original: str | Path | None,
    release: str | Path | None,
    replay: Path | None,
    *,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Audit RELEASE: attack it, measure it, and check it against a policy.

    \b
        unveil audit survey.csv release.csv --schema survey.toml --truth map.csv \\
            --max-risk 0.05 --report audit.html --evidence audit.json

    Attacks look for each person's row, and for each row's person. Exit code 1: the
    release breaks the policy.

    A policy is a TOML file with any of max_risk, max_subgroup_risk, max_household_risk,
    max_confirmed, max_wrong_certainty, max_interval_disclosure, k_anonymity, l_diversity,
    t_closeness, max_population_risk, max_expected_matches, max_loss, forbid_row_order = true,
    may_stay_unchanged = ["sex"]. [[intruder]] (name, max_linked, ...) and [[use]] (name, kind,
    max_loss) limit one intruder, one use. --evidence is as private as ORIGINAL.
    """  # noqa: D301 - click reads the mark
    if replay is not None:
        _replay(replay, original, release, chosen, as_json=as_json)
        return
    if original is None or release is None:
        raise UsageError("name ORIGINAL and RELEASE; `unveil audit --help` has an example")
    evidence = chosen["evidence"] or ""
    resumed = chosen["resume"] and os.path.exists(evidence)  # noqa: PTH110 - of a name too long
    pages = Pages(**{name: chosen[name] for name in PAGE_OPTIONS}, force=chosen["force"] or resumed)
    result = _audit(original, release, chosen, pages)
    if as_json:
        print_json(result.evidence)
    else:
        if result.was_finished:
            note(f"{chosen['evidence']}: this audit is finished; nothing was run again.")
        print_audit(result, whole=has_flag("verbose"))
        pages.say()
        for option, what in (("evidence", "all numbers"), ("per_record", "risk of each record")):
            if chosen[option] is not None and not result.was_finished:
                note(f"Wrote {chosen[option]}: {what}; keep it as private as {original}.")
        _print_next_command(original, chosen)
    if result.verdict is not None and not result.verdict.passed:
        raise SystemExit(FAILED)


def _print_next_command(original: str | Path, chosen: dict[str, Any]) -> None:
    """Print the command for what is not on the screen."""
    if has_flag("verbose"):
        return
    if chosen["report"] is None and chosen["evidence"] is not None:
        note(f"Next: unveil report {quote(str(chosen['evidence']))} --report audit.html")
    elif chosen["policy"] is not None and chosen["schema"] is not None:
        schema, policy = quote(str(chosen["schema"])), quote(str(chosen["policy"]))
        data = quote(str(original))
        note(f"Next: unveil choose {data} --schema {schema} --policy {policy} -o chosen")
    note("All tables: the same command with --verbose.")


def _audit(
    original: str | Path, release: str | Path, chosen: dict[str, Any], pages: Pages
) -> Audit:
    from unveil.files.documents.toml import read_plan
    from unveil.files.locations import check_outputs
    from unveil.support.specs import from_texts
    from unveil.workflows.audit import audit
    from unveil.workflows.auditing.settings import AuditSettings

    plan, file = chosen["plan"], chosen["intruder_file"]
    if plan is None and chosen["remask"] not in (None, "0"):
        raise UsageError("--remask does nothing without --plan: leave it out")
    outputs = chosen["evidence"], chosen["per_record"]
    check_outputs((*outputs, pages.report), (plan, chosen["policy"]), force=pages.force)
    inputs = (chosen[name] for name in ("schema", "release_schema", "truth"))
    pages.check((original, release, *inputs, file), outputs)
    tables = (original, release) if file is None else (original, release, file)
    settings = {
        name: chosen[name] for name in AuditSettings.__struct_fields__ if name in chosen
    } | {
        "knows": options.split_names(chosen["knows"]),
        "measures": options.split_names(chosen["measures"]),
        "plan": None if plan is None else read_plan(plan, allow=chosen["allow"]),
        "rename": _renames(chosen["renames"]),
        "errors": None if chosen["errors"] is None else _numbers(chosen["errors"]),
        "format": options.format_of(chosen, *tables),
    }
    policy = _policy(chosen["policy"], chosen["max_risk"])
    with progress(f"reading {original}") as show, as_usage():
        result = audit(
            original,
            release,
            schema=chosen["schema"],
            attacks=[attack_in(one) for one in chosen["attacks"]] or None,
            truth=chosen["truth"],
            policy=policy,
            seed=chosen["seed"],
            settings=AuditSettings(**from_texts(AuditSettings, settings)),
            progress=show,
        )
        pages.write(result)
    return result


def _replay(
    file: Path,
    original: str | Path | None,
    release: str | Path | None,
    chosen: dict[str, Any],
    *,
    as_json: bool,
) -> None:
    from unveil.files.documents.evidence import read_evidence
    from unveil.workflows.auditing.replay import replay

    context = click.get_current_context()
    kept = {"original", "release", "replay", "truth", "intruder_file", "allow", "as_json"}
    others = [
        f"--{name.replace('_', '-')}"
        for name in context.params
        if name not in kept
        and context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    ]
    if others:
        raise UsageError(
            f"--replay takes its settings from the evidence; leave out {', '.join(others)}"
        )
    evidence = read_evidence(file)
    with progress(f"replaying {file}") as show:
        result = replay(
            evidence,
            folder=file.parent,
            allow=chosen["allow"],
            original=original,
            release=release,
            truth=chosen["truth"],
            intruder_file=chosen["intruder_file"],
            progress=show,
        )
    if as_json:
        print_json(result)
    else:
        print_replay(result)
    if not result.same:
        raise SystemExit(FAILED)


def _policy(file: Path | None, max_risk: float | None) -> Policy | None:
    """The limits of a file and of --max-risk."""
    import msgspec

    from unveil.files.documents.toml import read_policy
    from unveil.values.results.policy import Policy

    policy = None if file is None else read_policy(file)
    if max_risk is None:
        return policy
    if policy is None:
        return Policy(max_risk=max_risk)
    if policy.max_risk is not None:
        raise UsageError("--max-risk: the policy also sets max_risk; leave one out")
    return msgspec.structs.replace(policy, max_risk=max_risk)


def _renames(options: Sequence[str]) -> dict[str, str]:
    pairs = [option.partition("=") for option in options]
    if not all(old and new and sign for new, sign, old in pairs):
        raise UsageError(
            "--rename: give NEW=OLD, the column's name in the release and in the original"
        )
    return {new: old for new, _, old in pairs}


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(number) for number in text.split(",") if number.strip())
    except ValueError:
        raise UsageError("--errors: numbers, separated by commas") from None
