"""Replay an audit: run it again from its evidence, and say whether every number is the same."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from unveil import __version__
from unveil.errors import DataError, FileError, UsageError
from unveil.files.documents.toml import plan_from
from unveil.files.formats.base import formats
from unveil.files.locations import locate
from unveil.support.specs import find_method
from unveil.table.schema import Schema
from unveil.values.results.evidence import Evidence, Input
from unveil.values.results.policy import Policy
from unveil.workflows.audit import AuditRun
from unveil.workflows.auditing.attack_names import IN_MEMORY, attack_from
from unveil.workflows.auditing.inputs import GIVEN, OWN_FILE, case_of
from unveil.workflows.auditing.settings import AuditSettings

NOT_FOUND = ("version", "software", "inputs", "truth")  # what is said of an audit, not found by it
# Settings that older evidence of this format does not name.
LATER = {"halves": False, "worst_case": False}
SHOWN = 1000  # differences that are kept


class ChangedNumber(msgspec.Struct, frozen=True):
    """A number that is not what it was."""

    where: str  # as in the evidence: attacks[0].risk.expected
    before: Any
    now: Any


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """What running an audit again came to."""

    same: bool
    numbers: int  # that were compared
    differences: tuple[ChangedNumber, ...]
    notes: tuple[str, ...]


def replay(
    evidence: Evidence,
    *,
    original: str | os.PathLike[str] | None = None,
    release: str | os.PathLike[str] | None = None,
    truth: str | os.PathLike[str] | None = None,
    intruder_file: str | os.PathLike[str] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Replay:
    """Run an audit again, on the same files, and compare everything that it found.

    Files are looked for where they were, or where it is said; they must be the same, byte for
    byte. Attacks on samples take samples of the same size, however fast this machine is.
    """
    if evidence.truth is None:
        raise UsageError(
            "the release of this audit was in memory, with its plan and its row map: write these "
            "(unveil.write), and audit the files"
        )
    given = {"original": original, "release": release, "truth": truth, OWN_FILE: intruder_file}
    files = {
        name: _same_file(name, evidence.inputs[name], path)
        for name, path in given.items()
        if name in evidence.inputs
    }
    if truth is not None and "truth" not in evidence.inputs:
        raise UsageError("truth: this audit was not told the truth by a file: leave it out")
    if intruder_file is not None and OWN_FILE not in evidence.inputs:
        raise UsageError("intruder file: this audit was made without one: leave it out")
    if evidence.truth == GIVEN:
        raise UsageError("the truth of this audit was given as numbers in memory: audit again")
    if any(IN_MEMORY in one.values() for one in evidence.asked or ()):
        raise UsageError("an attack of this audit was made of a table in memory: audit again")
    evidence = msgspec.structs.replace(evidence, settings=LATER | evidence.settings)
    settings = _settings(evidence, files.get(OWN_FILE), progress)
    told = files.get("truth", evidence.truth)
    schema = Schema.from_dict(evidence.schema)
    again = AuditRun(
        case_of(files["original"], files["release"], schema, told, settings, evidence.seed),
        settings,
        None if evidence.policy is None else Policy(**evidence.policy),
        None if evidence.asked is None else [attack_from(one) for one in evidence.asked],
        _sizes(evidence),
    ).run()
    before, now = _plain(evidence), _plain(again.evidence)
    found = list(_differences("", before, now))
    notes = []
    if evidence.version != __version__:
        notes.append(f"the audit was made by unveil {evidence.version}, this is {__version__}")
    changed = [
        name
        for name, number in evidence.software.items()
        if again.evidence.software.get(name) != number
    ]
    if changed:
        notes.append(f"other versions than then: {', '.join(changed)}")
    return Replay(
        same=not found,
        numbers=_count(before),
        differences=tuple(found[:SHOWN]),
        notes=tuple(notes),
    )


def _same_file(name: str, was: Input, given: str | os.PathLike[str] | None) -> str:
    if given is None and was.file is None:
        raise UsageError(f"the {name} of this audit was a table in memory: name its file")
    place = locate(str(was.file) if given is None else given)
    try:
        if place.digest() != was.sha256:
            raise DataError(f"this is not the {name} that was audited: its SHA-256 is another").at(
                str(place)
            )
    except FileError:
        raise DataError(f"the {name} is not here any more: say where it is").at(
            str(place)
        ) from None
    return str(place)


def _settings(evidence: Evidence, intruder_file: str | None, progress: Any) -> AuditSettings:
    """The settings of then; what an audit writes, and where, is not among them."""
    kept = dict(evidence.settings)
    if set(kept) != set(AuditSettings().to_dict()):
        raise DataError("the settings in this evidence are not those of an audit")
    if kept["plan"] is not None:
        kept["plan"] = plan_from(kept["plan"])
    if kept["release_schema"] is not None:
        kept["release_schema"] = Schema.from_dict(kept["release_schema"])
    if kept["format"] is not None:
        options = dict(kept["format"])
        kept["format"] = find_method(formats(), options.pop("method", None), "a format")(**options)
    return AuditSettings(**kept, intruder_file=intruder_file, progress=progress)


def _sizes(evidence: Evidence) -> dict[str, int]:
    """How many records each attack was made on."""
    sizes = {
        f"attack {one.name} {one.risk.direction}": one.risk.n + one.risk.absent
        for one in evidence.attacks
    }
    if evidence.remasking is not None:
        sizes["masking again"] = evidence.remasking.attacked
        sizes["seeds"] = evidence.remasking.tried
    return sizes


def _plain(evidence: Evidence) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(evidence))
    return {name: value for name, value in plain.items() if name not in NOT_FOUND}


def _differences(where: str, before: Any, now: Any) -> Iterator[ChangedNumber]:
    if isinstance(before, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*before, *now)):
            place = f"{where}.{key}" if where else key
            yield from _differences(place, before.get(key), now.get(key))
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for number, pair in enumerate(zip(before, now, strict=True)):
            yield from _differences(f"{where}[{number}]", *pair)
    elif before != now:
        yield ChangedNumber(where, before, now)


def _count(value: Any) -> int:
    """How many numbers a document holds."""
    if isinstance(value, dict | list):
        return sum(_count(one) for one in (value.values() if isinstance(value, dict) else value))
    return int(isinstance(value, int | float) and not isinstance(value, bool))
