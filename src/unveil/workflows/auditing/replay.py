"""Replay an audit from its evidence, and check that every number is the same."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from unveil import __version__
from unveil.errors import DataError, FileError, UsageError, errors_at
from unveil.files.documents.toml import plan_from
from unveil.files.formats.base import formats
from unveil.files.locations import TrustedPlaces, is_table_path, locate
from unveil.support.options import TaskProgress
from unveil.support.specs import find_method
from unveil.table.schema import Schema
from unveil.values.results.evidence import Evidence, Input
from unveil.values.results.policy import Policy
from unveil.workflows.audit import AuditRun
from unveil.workflows.auditing.attack_names import IN_MEMORY, attack_from
from unveil.workflows.auditing.inputs import INTRUDER_FILE, ROW_NUMBERS, AuditInputs, read_inputs
from unveil.workflows.auditing.settings import AuditSettings
from unveil.workflows.inputs.sources import read_named

NOT_COMPARED = ("format", "version", "software", "digest")  # what notes and the digest tell
OPTIONS = {  # by which an input is given again
    "original": "ORIGINAL, original=",
    "release": "RELEASE, release=",
    "truth": "--truth, truth=",
    INTRUDER_FILE: "--intruder-file, intruder_file=",
}
# Older evidence does not have these settings.
NEW_SETTINGS = {
    "halves": False, "worst_case": False, "measures": (), "engine": "auto", "show_values": False,
    "effort": "normal", "seconds": None,
}  # fmt: skip
LISTED = 1000  # differences


class ChangedNumber(msgspec.Struct, frozen=True):
    """A number that differs from the evidence."""

    where: str  # path in the evidence: attacks[0].risk.expected
    before: Any
    now: Any


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """The comparison of an audit with its replay."""

    same: bool
    numbers: int  # that were compared
    differences: tuple[ChangedNumber, ...]
    notes: tuple[str, ...]


def replay(  # noqa: PLR0913 - the inputs of a verb, by name
    evidence: Evidence,
    *,
    folder: str | os.PathLike[str] | None = None,
    allow: Sequence[str] = (),
    original: str | os.PathLike[str] | None = None,
    release: str | os.PathLike[str] | None = None,
    truth: str | os.PathLike[str] | None = None,
    intruder_file: str | os.PathLike[str] | None = None,
    progress: TaskProgress | None = None,
) -> Replay:
    """Run an audit again, on the same files, and compare every number.

    A file is where it was, or at the path given here, and must be the same byte for byte. Sampled
    attacks take samples of the same size.

    Evidence may come from others. Of the places that it names only files in its `folder` are opened
    by themselves; without a folder, none is. All others are given again: an input by its name, a
    place that an attack or a plan names by `allow`.
    """
    places = TrustedPlaces(None if folder is None else Path(folder), allow, "the evidence")
    given = {"original": original, "release": release, "truth": truth, INTRUDER_FILE: intruder_file}
    _check_replayable(evidence, given)
    files = {
        name: _same_file(name, evidence.inputs[name], path, places)
        for name, path in given.items()
        if name in evidence.inputs
    }
    stated = evidence.statement_digest
    sizes, older = _sample_sizes(evidence), "effort" not in evidence.settings
    evidence = _with_all_settings(evidence)
    settings = _settings(evidence, files.get(INTRUDER_FILE), places)
    inputs = read_inputs(
        files["original"],
        files["release"],
        Schema.from_dict(evidence.schema),
        files.get("truth", evidence.truth),
        settings,
        evidence.seed,
    )
    again = AuditRun(
        _trusting(inputs, places),
        settings,
        None if evidence.policy is None else Policy(**evidence.policy),
        None if evidence.asked is None else [attack_from(one) for one in evidence.asked],
        sizes,
        progress,
        made=sizes if older else None,
    ).run()
    before, now = _plain(evidence), _plain(_as_named(again.evidence, evidence))
    if older:  # it chose attacks by the number of records
        before["left_out"] = now["left_out"]
    differences = list(_differences("", before, now))
    if evidence.digest not in ((None, stated) if evidence.is_older else (stated,)):
        differences.insert(0, ChangedNumber("digest", evidence.digest, stated))
    return Replay(
        same=not differences,
        numbers=_count(before),
        differences=tuple(differences[:LISTED]),
        notes=tuple(_notes(evidence, again.evidence, stated)),
    )


def _check_replayable(evidence: Evidence, given: Mapping[str, Any]) -> None:
    """Refuse an audit that was not of files, and a file that it did not have."""
    if evidence.truth is None:
        raise UsageError(
            "the release of this audit was in memory; write it with its plan and row map "
            "(unveil.write), and audit the files"
        )
    if "truth" not in evidence.inputs:
        if given["truth"] is not None:
            raise UsageError("truth: this audit has no truth file; leave it out")
        columns = Schema.from_dict(evidence.schema)
        if is_table_path(evidence.truth) and evidence.truth not in columns:
            raise DataError("the evidence names a file of the truth without its SHA-256")
    if given[INTRUDER_FILE] is not None and INTRUDER_FILE not in evidence.inputs:
        raise UsageError("intruder file: this audit has none; leave it out")
    if evidence.truth == ROW_NUMBERS:
        raise UsageError("the truth of this audit was given as numbers in memory: audit again")
    if any(IN_MEMORY in one.values() for one in evidence.asked or ()):
        raise UsageError("an attack of this audit uses a table in memory; audit again")


def _notes(evidence: Evidence, again: Evidence, stated: str) -> Iterator[str]:
    """How the evidence and the program of its audit differ from those of the replay."""
    if evidence.digest is None and evidence.is_older:
        yield (
            "this evidence of an older version has no digest, so a change of its version, "
            "settings or policy would not be detected"
        )
    elif evidence.digest is None:
        yield "the evidence was changed after it was written: its digest was removed"
    elif evidence.digest != stated:
        yield (
            "the evidence was changed after it was written: its digest does not fit its "
            "version, inputs, truth, schema, plan, seed, settings, attacks or policy"
        )
    if evidence.is_older:
        yield "some figures of this evidence have another meaning now; if they differ, audit again"
    if evidence.version != __version__:
        yield f"the audit was made by unveil {evidence.version}, this is {__version__}"
    changed = [n for n, number in evidence.software.items() if again.software.get(n) != number]
    if changed:
        yield f"other versions of packages: {', '.join(changed)}"


def _same_file(
    name: str, audited: Input, path: str | os.PathLike[str] | None, places: TrustedPlaces
) -> str:
    if path is None and audited.file is None:
        raise UsageError(f"the {name} of this audit was a table in memory: name its file")
    place = locate(places.find(str(audited.file), name, OPTIONS[name]) if path is None else path)
    with errors_at(str(place)):
        try:
            digest = place.digest()
        except FileError:
            raise DataError(f"the {name} is no longer here; name its file") from None
        if digest != audited.sha256:
            raise DataError(
                f"this is not the {name} that was audited: its SHA-256 differs; name the audited "
                "file"
            )
    return str(place)


def _trusting(inputs: AuditInputs, places: TrustedPlaces) -> AuditInputs:
    """The inputs whose attacks open no place that is not trusted."""
    read = partial(read_named, partial(places.find, what="attack"))
    scenario, file = replace(inputs.scenario, read=read), inputs.file
    if file is not None:
        file = replace(file, scenario=replace(file.scenario, read=read))
    return replace(inputs, scenario=scenario, file=file)


def _as_named(again: Evidence, evidence: Evidence) -> Evidence:
    """The evidence of the replay, with inputs that are the same under their names of before."""
    inputs = {
        name: msgspec.structs.replace(one, file=evidence.inputs[name].file)
        for name, one in again.inputs.items()
    }
    truth = inputs["truth"].file if "truth" in inputs else again.truth
    return msgspec.structs.replace(again, inputs=inputs, truth=truth)


def _settings(
    evidence: Evidence, intruder_file: str | None, places: TrustedPlaces
) -> AuditSettings:
    """The settings of the audit, without its outputs."""
    kept = dict(evidence.settings)
    if set(kept) != set(AuditSettings().to_dict()):
        raise DataError("the settings in this evidence are not those of an audit")
    if kept["plan"] is not None:
        find = partial(places.find, what="plan")
        kept["plan"] = replace(plan_from(kept["plan"]), locate=find)
    if kept["release_schema"] is not None:
        kept["release_schema"] = Schema.from_dict(kept["release_schema"])
    if kept["format"] is not None:
        options = dict(kept["format"])
        kept["format"] = find_method(formats(), options.pop("method", None), "a format")(**options)
    return AuditSettings(**kept, intruder_file=intruder_file)


def _with_all_settings(evidence: Evidence) -> Evidence:
    """The evidence with today's settings.

    Before there was an effort, seconds were those of each attack, and only the number of records
    limited learning.
    """
    settings = NEW_SETTINGS | evidence.settings
    if "effort" not in evidence.settings:
        settings |= {"seconds": None, "worst_case": bool(evidence.worst_cases)}
    return msgspec.structs.replace(evidence, settings=settings)


def _sample_sizes(evidence: Evidence) -> dict[str, int]:
    """The number of records of each attack, by step."""
    sizes = {
        f"attack {one.name} {one.risk.direction}": one.risk.n + one.risk.absent
        for one in evidence.attacks
    }
    for row in evidence.scenarios:
        for one in row.attacks:
            if one.attacked:
                step = f"scenario {row.name} attack {one.name} {one.direction}"
                sizes[step] = one.attacked
    if evidence.remasking is not None:
        sizes["masking again"] = evidence.remasking.attacked
        sizes["seeds"] = evidence.remasking.tried
    return sizes


def _plain(evidence: Evidence) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(evidence))
    return {name: value for name, value in plain.items() if name not in NOT_COMPARED}


def _differences(where: str, before: Any, now: Any) -> Iterator[ChangedNumber]:
    if isinstance(before, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*before, *now)):
            place = f"{where}.{key}" if where else key
            if key == "engine":  # every one gives the same numbers
                continue
            yield from _differences(place, before.get(key), now.get(key))
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for number, pair in enumerate(zip(before, now, strict=True)):
            yield from _differences(f"{where}[{number}]", *pair)
    elif before != now:
        yield ChangedNumber(where, before, now)


def _count(value: Any) -> int:
    """The numbers in a document."""
    if isinstance(value, dict | list):
        return sum(_count(one) for one in (value.values() if isinstance(value, dict) else value))
    return int(isinstance(value, int | float) and not isinstance(value, bool))
