"""Evidence to compare: of one original, and how the audits differ."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unveil.errors import DataError, UnveilError, UsageError
from unveil.files.documents.evidence import read_evidence, read_records
from unveil.support.arrays import Floats
from unveil.values.results.comparison import WorstAttack
from unveil.values.results.evidence import Audit, Evidence
from unveil.values.results.loss import UseLoss
from unveil.wording import count, listing

ROUNDING = 1e-6  # per record, of a table of risks that is written and read


@dataclass(frozen=True, repr=False, eq=False)
class AuditedRelease:
    """The evidence of one release, its file, and the risk of each original."""

    evidence: Evidence
    file: Path | None = None
    per_record: Mapping[str, Floats] | None = None  # by attack, of an Audit

    @property
    def original(self) -> str:
        """The file that the release was audited against."""
        return self.evidence.inputs["original"].file or "a table in memory"


def read_audited(evidence: Any) -> list[AuditedRelease]:
    """Read the evidence of two or more releases; refuse releases of different originals."""
    if not isinstance(evidence, Sequence) or isinstance(evidence, str | bytes):
        raise UsageError("evidence: give a list of audits, of their evidence, or of its files")
    if len(evidence) < 2:
        raise UsageError(
            f"{count(len(evidence), 'release')} cannot be compared: give the evidence of two or "
            "more, each made by an audit against the same original"
        )
    audited = []
    for one in evidence:
        if isinstance(one, Audit):
            audited.append(AuditedRelease(one.evidence, per_record=one.risks))
        elif isinstance(one, Evidence):
            audited.append(AuditedRelease(one))
        else:
            audited.append(AuditedRelease(read_evidence(one), file=Path(one)))
    first = audited[0]
    for number, one in enumerate(audited[1:], start=2):
        same = one.evidence.inputs["original"].sha256 == first.evidence.inputs["original"].sha256
        if same and one.evidence.records == first.evidence.records:
            continue
        raise DataError(
            f"{first.file or 'evidence 1'} and {one.file or f'evidence {number}'} have originals "
            f"with different contents ({first.original}, {one.original}), so their risks and "
            "losses concern different people; audit every release against the same file"
        )
    return audited


def names_of(audited: Sequence[AuditedRelease], names: Sequence[str] | None) -> tuple[str, ...]:
    """A name for each release: as given, else by its file, the evidence's file, or a number."""
    if names is not None:
        chosen = () if isinstance(names, str) else tuple(names)
        text = all(isinstance(name, str) for name in chosen)
        if not text or not len(chosen) == len(set(chosen)) == len(audited):
            raise UsageError(f"names: one for each release, {len(audited)}, and no name twice")
        return chosen
    files = [one.evidence.inputs["release"].file for one in audited]
    choices: list[list[str | None]] = [
        [None if file is None else Path(file).name for file in files],
        [None if one.file is None else one.file.name for one in audited],
        [None if one.file is None else str(one.file) for one in audited],
    ]
    for choice in choices:
        present = tuple(name for name in choice if name is not None)
        if len(set(present)) == len(audited):
            return present
    return tuple(f"release {number}" for number in range(1, len(audited) + 1))


def risks_of(
    audited: Sequence[AuditedRelease], worst: Sequence[WorstAttack | None], records: Any
) -> list[Floats | None]:
    """For each release the risk of each original by its worst attack; None if it is not known."""
    attacked = [place for place, one in enumerate(worst) if one is not None]
    tables: dict[int, Any] = {place: audited[place].per_record for place in attacked}
    if records is not None:
        if not isinstance(records, Sequence) or isinstance(records, str | bytes):
            raise UsageError("records: a list of tables of the risk of each record, or of files")
        filled = [one for one in records if one]  # a synthetic release has an empty table
        if len(filled) != len(attacked):
            raise UsageError(
                "records: one table for each release that was attacked, in the same order: "
                f"{len(attacked)}, not {len(filled)}"
            )
        tables = dict(zip(attacked, filled, strict=True))
    return [
        None
        if one is None or one.of_intruder or tables[place] is None
        else _risks(tables[place], one, audited[place].evidence)
        for place, one in enumerate(worst)
    ]


def _risks(table: Any, worst: WorstAttack, evidence: Evidence) -> Floats:
    """The risk of each original by the worst attack; refused where it is of another audit."""
    if isinstance(table, str | os.PathLike):
        try:
            return _risks(read_records(table), worst, evidence)
        except UnveilError as error:
            error.at(os.fspath(table))
            raise
    if not isinstance(table, Mapping):
        raise UsageError(
            f"records: the risk of each record by attack, or its file, not {type(table).__name__}"
        )
    if worst.column not in table:
        raise DataError(
            f"records: column '{worst.column}', the worst attack of the evidence, is missing; "
            "give the table written with this evidence"
        )
    risks = np.asarray(table[worst.column], np.float64)
    if risks.shape != (evidence.records,):
        raise DataError(
            f"records: {count(len(risks), 'row')}, but the evidence has "
            f"{count(evidence.records, 'record')}; give the table written with it"
        )
    known = np.sort(risks[~np.isnan(risks)])
    wrong = len(known) > worst.n or not ((known >= 0) & (known <= 1 + ROUNDING)).all()
    if len(known) == worst.n:  # fewer, where released rows share an original
        wrong = wrong or abs(float(known.sum()) - worst.share * worst.n) > ROUNDING * worst.n
    if wrong:
        raise DataError(
            f"records: the risks by {worst.column} differ in sum from the evidence; give the "
            "table written with it, in the same order as the evidence"
        )
    return risks


def differences_in_audits(evidence: Mapping[str, Evidence]) -> tuple[str, ...]:
    """Notes on how the audits differ, where figures are not comparable."""
    attacked = {name: one for name, one in evidence.items() if one.attacks}
    notes = [
        *_differing(
            "the intruders know different attributes, so the risks are not comparable",
            attacked,
            lambda one: tuple(sorted(one.known)),
        ),
        *_missing_attacks(attacked),
        *_differing(
            "the losses cover different columns, so they are not comparable",
            evidence,
            lambda one: tuple(sorted(one.loss.columns)),
        ),
        *_differing(
            "the losses measure different uses, so they are not comparable", evidence, uses_measured
        ),
        *_differing(
            "the policies differ",
            {name: one for name, one in evidence.items() if one.policy is not None},
            _settings_of_policy,
        ),
        *_differing(
            "intruders of one name have different knowledge, so they are not comparable",
            attacked,
            _knowledge_of_scenarios,
        ),
        *_differing(
            "the audits were made by different versions of unveil",
            evidence,
            lambda one: (one.version,),
        ),
    ]
    nobodys = [name for name in evidence if name not in attacked]
    if nobodys:
        notes.append(f"no attack was made on {listing(nobodys)}, whose rows are synthetic")
    return tuple(notes)


def _settings_of_policy(evidence: Evidence) -> tuple[str, ...]:
    """The limits of a policy and what it sets of each intruder and use, in one order."""
    limits = dict(evidence.policy or {})
    for intruder in limits.pop("intruder", ()):
        limits |= {f"{intruder['name']}: {k}": v for k, v in intruder.items() if k != "name"}
    for use in limits.pop("use", ()):
        limits |= {f"use {use['name']}: {k}": v for k, v in use.items() if k != "name"}
    return tuple(f"{key} = {value}" for key, value in sorted(limits.items()))


def _knowledge_of_scenarios(evidence: Evidence) -> tuple[str, ...]:
    """The knowledge of each intruder that the policy of an audit sets."""
    return tuple(
        f"{row.name}: {field} = {getattr(row, field)}"
        for row in evidence.scenarios
        for field in row.given
    )


def _differing(
    note: str, evidence: Mapping[str, Evidence], values_of: Callable[[Evidence], tuple[str, ...]]
) -> Iterator[str]:
    """The note with the values of each release, if these differ."""
    values = {name: values_of(one) for name, one in evidence.items()}
    if len(set(values.values())) > 1:
        yield f"{note}: {'; '.join(f'{name}: {listing(own)}' for name, own in values.items())}"


def attacks_met(evidence: Evidence) -> set[str]:
    """The attacks that a release met, without those that a sweep chose for it."""
    return {f"{one.name} {one.risk.direction}" for one in evidence.attacks if not one.sweeping}


def uses_measured(evidence: Evidence) -> tuple[str, ...]:
    """The uses whose largest loss is the overall loss of a release."""
    return tuple(
        f"{one.name} ({one.kind}{_what_of(one)})"
        for one in sorted(evidence.loss.uses, key=lambda one: one.name)
    )


def _what_of(use: UseLoss) -> str:
    """The declarations of a use beside its name and kind."""
    columns = "" if use.columns is None else f" of {listing(use.columns)}"
    target = "" if use.target is None else f" for {use.target}"
    return columns + target + ("" if use.by is None else f" by {use.by}")


def _missing_attacks(evidence: Mapping[str, Evidence]) -> Iterator[str]:
    """A note if a release did not meet an attack that others met."""
    met = {name: attacks_met(one) for name, one in evidence.items()}
    every = set().union(*met.values())
    spared = {name: sorted(every - own) for name, own in met.items() if every - own}
    if spared:
        yield (
            "the releases were not attacked in the same ways, and one with fewer attacks may only "
            "look safer: "
            + "; ".join(f"{name} without {listing(attacks)}" for name, attacks in spared.items())
        )
