"""Evidence that is compared: read, of one original, and whether like is compared with like."""

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
from unveil.wording import count, listing

SAME_SUM = 1e-6  # per record: what may be lost when a table of risks is written and read


@dataclass(frozen=True, repr=False, eq=False)
class AuditedRelease:
    """The evidence of one release, its file, and the risk of each original."""

    evidence: Evidence
    file: Path | None = None
    each: Mapping[str, Floats] | None = None  # by each attack, where an Audit tells it

    @property
    def original(self) -> str:
        """The file that the release was audited against."""
        return self.evidence.inputs["original"].file or "a table in memory"


def exhibits(evidence: Any) -> list[AuditedRelease]:
    """Read the evidence of two or more releases; refuse releases of different originals."""
    if not isinstance(evidence, Sequence) or isinstance(evidence, str | bytes):
        raise UsageError("evidence: a list of what was found of each release, or of its files")
    if len(evidence) < 2:
        raise UsageError(
            f"{count(len(evidence), 'release')} cannot be compared: give the evidence of two or "
            "more, each made by an audit against the same original"
        )
    found = []
    for one in evidence:
        if isinstance(one, Audit):
            found.append(AuditedRelease(one.evidence, each=one.per_record))
        elif isinstance(one, Evidence):
            found.append(AuditedRelease(one))
        else:
            found.append(AuditedRelease(read_evidence(one), file=Path(one)))
    _check_original(found)
    return found


def _check_original(given: Sequence[AuditedRelease]) -> None:
    """All evidence is of the same original, by its content."""
    first = given[0]
    for number, one in enumerate(given[1:], start=2):
        same = one.evidence.inputs["original"].sha256 == first.evidence.inputs["original"].sha256
        if same and one.evidence.records == first.evidence.records:
            continue
        raise DataError(
            f"{first.file or 'evidence 1'} and {one.file or f'evidence {number}'} are of originals "
            f"whose contents differ ({first.original}, {one.original}), so that their risks and "
            "losses are not of the same people: audit every release against one and the same file"
        )


def called(given: Sequence[AuditedRelease], names: Sequence[str] | None) -> tuple[str, ...]:
    """A name for each release: as asked, else by its file, the evidence's file, or a number."""
    if names is not None:
        asked = () if isinstance(names, str) else tuple(names)
        text = all(isinstance(name, str) for name in asked)
        if not text or not len(asked) == len(set(asked)) == len(given):
            raise UsageError(f"names: one for each release, {len(given)}, and no name twice")
        return asked
    files = [one.evidence.inputs["release"].file for one in given]
    choices: list[list[str | None]] = [
        [None if file is None else Path(file).name for file in files],
        [None if one.file is None else one.file.name for one in given],
        [None if one.file is None else str(one.file) for one in given],
    ]
    for choice in choices:
        found = tuple(name for name in choice if name is not None)
        if len(set(found)) == len(given):
            return found
    return tuple(f"release {number}" for number in range(1, len(given) + 1))


def risks_of(
    given: Sequence[AuditedRelease], worst: Sequence[WorstAttack | None], records: Any
) -> list[Floats | None]:
    """For each release the risk of each original by its worst attack; None where it is not told."""
    attacked = [place for place, one in enumerate(worst) if one is not None]
    tables: dict[int, Any] = {place: given[place].each for place in attacked}
    if records is not None:
        if not isinstance(records, Sequence) or isinstance(records, str | bytes):
            raise UsageError("records: a list of tables of the risk of each record, or of files")
        told = [one for one in records if one]  # rows that are nobody's have an empty table
        if len(told) != len(attacked):
            raise UsageError(
                "records: one table for each release that was attacked, in the same order: "
                f"{len(attacked)}, not {len(told)}"
            )
        tables = dict(zip(attacked, told, strict=True))
    return [
        None
        if one is None or tables[place] is None
        else _risks(tables[place], one, given[place].evidence)
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
            f"records: no column '{worst.column}', which the evidence has as the worst attack: "
            "give the table that was written with this evidence"
        )
    risks = np.asarray(table[worst.column], np.float64)
    if risks.shape != (evidence.records,):
        raise DataError(
            f"records: {count(len(risks), 'row')}, but the evidence is of "
            f"{count(evidence.records, 'record')}: give the table that was written with it"
        )
    told = np.sort(risks[~np.isnan(risks)])
    wrong = len(told) > worst.n or not ((told >= 0) & (told <= 1 + SAME_SUM)).all()
    if len(told) == worst.n:  # fewer, where released rows share an original
        wrong = wrong or abs(float(told.sum()) - worst.share * worst.n) > SAME_SUM * worst.n
    if wrong:
        raise DataError(
            f"records: the risks by {worst.column} do not add up to those of the evidence: give "
            "the table that was written with it, in the same order as the evidence"
        )
    return risks


def unlike(evidence: Mapping[str, Evidence]) -> tuple[str, ...]:
    """What differs in how the releases were audited, so that like is not compared with like."""
    attacked = {name: one for name, one in evidence.items() if one.attacks}
    notes = [
        *_differing(
            "the intruder knows different attributes of them, so that their risks are not of like "
            "with like",
            attacked,
            lambda one: tuple(sorted(one.known)),
        ),
        *_attacked_otherwise(attacked),
        *_differing(
            "their losses are of different columns, so not of like with like",
            evidence,
            lambda one: tuple(sorted(one.loss.columns)),
        ),
        *_differing(
            "they were held against different policies",
            {name: one for name, one in evidence.items() if one.policy is not None},
            lambda one: tuple(f"{limit} = {value}" for limit, value in _limits(one)),
        ),
        *_differing(
            "they were audited by different versions of unveil",
            evidence,
            lambda one: (one.version,),
        ),
    ]
    nobodys = [name for name in evidence if name not in attacked]
    if nobodys:
        notes.append(
            f"nobody was attacked in {listing(nobodys)}: there is no risk by attacks to compare"
        )
    return tuple(notes)


def _limits(evidence: Evidence) -> list[tuple[str, Any]]:
    return sorted((evidence.policy or {}).items())


def _differing(
    what: str, evidence: Mapping[str, Evidence], said: Callable[[Evidence], tuple[str, ...]]
) -> Iterator[str]:
    """A note, if not the same is said of all."""
    found = {name: said(one) for name, one in evidence.items()}
    if len(set(found.values())) > 1:
        yield f"{what}: {'; '.join(f'{name}: {listing(each)}' for name, each in found.items())}"


def attacks_met(evidence: Evidence) -> set[str]:
    """The attacks that a release met; what a sweep comes to is another one for each."""
    return {
        f"{found.name} {found.risk.direction}" for found in evidence.attacks if not found.sweeping
    }


def _attacked_otherwise(evidence: Mapping[str, Evidence]) -> Iterator[str]:
    """A note, if some release did not meet an attack that others met."""
    met = {name: attacks_met(one) for name, one in evidence.items()}
    every = set().union(*met.values())
    spared = {name: sorted(every - own) for name, own in met.items() if every - own}
    if spared:
        yield (
            "they did not meet the same attacks, and a release that met fewer may only look safer: "
            + "; ".join(f"{name} not {listing(attacks)}" for name, attacks in spared.items())
        )
