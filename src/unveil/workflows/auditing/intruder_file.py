"""The intruder's own file in an audit: its people, and the attacks that suit it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from unveil.attacks import Structural
from unveil.attacks.base import Attack, AuditedFiles
from unveil.errors import DataError, UsageError
from unveil.support.arrays import Ints
from unveil.table.microdata import Microdata
from unveil.table.row_identity import rows_of_ids
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Intruder
from unveil.wording import listing
from unveil.workflows.auditing.attack_runs import AttackRun, attack_runs, default_attacks
from unveil.workflows.inputs.intruder_view import personal_attributes
from unveil.workflows.inputs.scenario import Scenario, prepare

STRUCTURAL_RECORDS = 10_000  # records of either file, up to which structural linkage is quick


@dataclass(frozen=True, repr=False, eq=False)
class IntruderFile:
    """A file of the intruder's own about people of the original."""

    scenario: Scenario
    people: Ints  # the original's row of each of its records, -1 for none

    @property
    def records(self) -> Microdata:
        """The file."""
        return self.scenario.pair.original

    @property
    def pair(self) -> FilePair:
        """The file and the release."""
        return self.scenario.pair

    @property
    def in_release(self) -> Ints:
        """The originals of the people who are in the release, too."""
        truth = self.pair.truth
        return self.people[:0] if truth is None else self.people[truth.row_of_record >= 0]

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """The personal attributes; an identifier of the original is one here, too."""
        identifiers = self.scenario.original.schema.with_role("identifier")
        return tuple(name for name in personal_attributes(self.records) if name not in identifiers)

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """The attributes that the release has, too."""
        released = personal_attributes(self.pair.release)
        return tuple(name for name in self.attributes if name in released)


def find_people(records: Microdata, scenario: Scenario, release: Any) -> IntruderFile:
    """Find the people of the intruder's file in the original by the one identifier of both.

    A file without people of the original, or of the release, is refused.
    """
    people, truth = scenario.original, scenario.pair.truth
    if truth is None:
        raise UsageError(
            "intruder file: the release is synthetic, so nobody can be linked; leave it out"
        )
    identifiers = [name for name in people.columns if "identifier" in people.schema[name].role]
    shared = [name for name in identifiers if name in records.columns]
    if len(shared) != 1:
        there = f"{listing(shared)} are in both" if shared else "none is in both"
        raise DataError(
            "intruder file: exactly one identifier of the schema must be in both this file and "
            f"the original, and {there}; identifiers of the original: "
            f"{listing(identifiers) or 'none'}"
        )
    ids = records.column(shared[0])
    rows_of_ids(ids, records, shared[0])  # refuses a person who is there twice
    found = rows_of_ids(ids, people, shared[0])
    if (found < 0).all():
        raise DataError(
            f"intruder file: no identifier in column '{shared[0]}' is in the original; check how "
            "both files write them"
        )
    own = prepare(
        people,
        release,
        intruder=Intruder(records=records),
        truth=truth.record_of_row,
        seed=scenario.seed,
        engine=scenario.engine,
    )
    if own.pair.truth is None or (own.pair.truth.row_of_record < 0).all():
        raise DataError(
            "intruder file: none of its people is in the release, so nobody can be linked; give "
            "another file"
        )
    return IntruderFile(own, found)


def intruder_file_runs(file: IntruderFile, requested: Sequence[Attack] | None) -> list[AttackRun]:
    """The attacks by an intruder who has this file.

    The requested attacks, or those that suit the data, compare the attributes shared with the
    release, in both directions. A file that shares none is linked by structure: once, since a
    matching is the same from both sides.
    """
    if not file.shared:
        _check_structural(file)
    known = file.shared or file.attributes
    specs = [spec for spec in requested or () if _fits(spec, file)]
    if not specs:
        defaults: Sequence[Attack] = [Structural()]
        if file.shared:
            defaults = default_attacks(AuditedFiles(file.pair, known, knows_masking=False))
        specs = [spec for spec in defaults if _fits(spec, file)]
    return [
        AttackRun(
            run.spec,
            msgspec.structs.replace(run.intruder, records=file.records),
            run.number,
            by_file=True,
        )
        for run in attack_runs(specs, file.pair, known, channel=False)
        if file.shared or not run.intruder.reverse
    ]


def _fits(spec: Attack, file: IntruderFile) -> bool:
    """Whether a blind attack can be made with the file."""
    blind = spec.compares_attributes and spec.knows is None
    return blind and spec.needs_common_attributes == bool(file.shared)


def _check_structural(file: IntruderFile) -> None:
    records = max(len(file.records), len(file.pair.release))
    if not file.attributes:
        raise DataError(
            "intruder file: it has no attribute beside the identifier, so nothing can be "
            "compared; add attributes"
        )
    if records > STRUCTURAL_RECORDS:
        raise UsageError(
            "intruder file: it has no attribute in common with the release; such files are "
            f"linked up to {STRUCTURAL_RECORDS:,} records, and one has {records:,}: audit a "
            "sample"
        )
