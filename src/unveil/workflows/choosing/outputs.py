"""The files of a choice: what the search found, every plan, the chosen release and its audit.

::

    DIR/choice.json          what the search found
    DIR/plans/17.toml        each plan that was carried out, without a seed
    DIR/release.csv          the chosen release, in the format of the original, if it keeps the
    DIR/release.plan.toml    policy; its plan with the seed, and its schema if that is needed
    DIR/audit.json           the evidence of its audit
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import msgspec

from unveil.errors import FileError
from unveil.files.atomic_write import write_bytes
from unveil.files.documents.evidence import write_evidence
from unveil.files.documents.study_result import is_study, read_study, write_study
from unveil.files.documents.toml import as_policy
from unveil.files.formats.base import Format
from unveil.files.locations import check_outputs, is_uri, locate
from unveil.files.tables import write_release
from unveil.table.schema import Schema
from unveil.values.release.plan import Plan
from unveil.values.release.release import Release
from unveil.values.results.choice import Choice, StudyResult
from unveil.values.results.policy import Policy
from unveil.wording import reason
from unveil.workflows.choosing.job import table_bytes
from unveil.workflows.choosing.limit_shares import told_of_plans
from unveil.workflows.inputs.sources import as_microdata
from unveil.workflows.mask import needs_schema

STUDY, PAGE = "choice.json", "choice.html"
AUDIT, AUDIT_PAGE = "audit.json", "audit.html"
PLANS, STORE = "plans", "study.sqlite"
REDRAWN = (
    "the folder had a choice by the same policy and space from another study, so the seed of the "
    "release was drawn again: to draw until an audit passes is to choose by luck; go on with the "
    "first study (--study)"
)


@dataclass(frozen=True)
class ChoiceFolder:
    """The folder that a choice is written to, and the original that it is made of."""

    folder: Path
    original: str | os.PathLike[str]
    format: Format | None = None  # of the original, if its options matter

    @property
    def release(self) -> Path:
        """The chosen release: a file in the format of the original, CSV for a database."""
        source = (
            "release.csv" if is_uri(self.original) else locate(self.original).with_stem("release")
        )
        return self.folder / source

    @property
    def outputs(self) -> list[Path]:
        """The files that may be written, but for the plans."""
        companions = (self.release.with_suffix(end) for end in (".plan.toml", ".schema.toml"))
        names = (STUDY, PAGE, AUDIT, AUDIT_PAGE)
        return [self.release, *companions, *(self.folder / name for name in names)]

    def _existing(self) -> list[Path]:
        """The files of an earlier choice."""
        plans = sorted((self.folder / PLANS).glob("*.toml"))
        found = [*self.outputs, *(one for one in plans if one.stem.isdecimal())]
        return [one for one in found if one.exists()]

    def prepare(self, inputs: Sequence[object], *, force: bool) -> None:
        """Make the folder before the work; refuse one with an input or another choice in it.

        A choice that was stopped goes on in its folder.
        """
        locate(self.release).check_columns(())  # a format that cannot be written
        try:
            (self.folder / PLANS).mkdir(parents=True, exist_ok=True)
            there = self._existing()
        except OSError as error:
            message = f"the folder cannot be made: {reason(error)}"
            raise FileError(message).at(str(self.folder)) from None
        check_outputs(self.outputs, inputs, force=True)
        if there and not force and not self._was_stopped():
            raise FileError(
                f"the folder already has a choice ({there[0].name}); name another, or add --force"
            ).at(str(self.folder))

    def _was_stopped(self) -> bool:
        earlier = self._earlier
        return earlier is not None and earlier.stopped

    @property
    def _earlier(self) -> StudyResult | None:
        """What the folder's choice found."""
        study = self.folder / STUDY
        return read_study(study) if is_study(study) else None

    def check_study(
        self,
        place: str | os.PathLike[str],
        policy: Policy | str | os.PathLike[str],
        schema: Schema | str | os.PathLike[str] | None,
    ) -> None:
        """Refuse to draw the seed of the release again, where the folder has a choice.

        The study of that choice has its seed. Without the study, another one would be drawn.
        """
        earlier = self._earlier
        if earlier is None or not earlier.study or is_uri(place) or Path(place).exists():
            return
        given = as_policy(policy)
        if given is None or earlier.policy != told_of_plans(given).to_dict():
            return
        data = as_microdata(self.original, schema, format=self.format)
        if sha256(table_bytes(data)).hexdigest() == earlier.original:
            raise FileError(
                f"the folder has a choice of this original by this policy, and {place} is not its "
                "study: another study would draw the seed of the release again, and to draw until "
                "an audit passes is to choose by luck; give the place of that study (--study), or, "
                f"if nothing of it is published, delete {STUDY}"
            ).at(str(self.folder))

    def discard(self) -> None:
        """Remove the folders that were made, if nothing is in them."""
        with suppress(OSError):
            (self.folder / PLANS).rmdir()
            self.folder.rmdir()

    def with_notes(self, choice: Choice) -> Choice:
        """The choice, which says if the folder has one by the same limits from another study.

        One study has one seed of its release. To begin another is to draw again.
        """
        earlier, study = self._earlier, choice.study
        if earlier is None or "" in (earlier.study, study.study) or earlier.study == study.study:
            return choice
        if (earlier.policy, earlier.space, earlier.records) != (
            study.policy, study.space, study.records
        ):  # fmt: skip
            return choice
        return replace(choice, study=msgspec.structs.replace(study, notes=(*study.notes, REDRAWN)))

    def write(
        self, choice: Choice, schema: Schema | str | os.PathLike[str] | None = None
    ) -> tuple[Path, ...]:
        """Write a choice in place of an earlier one; the release only if it keeps the policy."""
        for old in self._existing():  # a release without its own choice beside it would mislead
            old.unlink(missing_ok=True)
        study = self.folder / STUDY
        write_study(choice.study, study, force=True)
        written = [study]
        for tried in choice.study.tried:
            if tried.stage != "refused":
                plan = msgspec.toml.encode({"mask": tried.masks})
                write_bytes(self.folder / PLANS / f"{tried.number}.toml", plan, force=True)
        if choice.audit is not None:
            write_evidence(choice.audit.evidence, self.folder / AUDIT, force=True)
            written.append(self.folder / AUDIT)
        if choice.release is not None and choice.passed:
            written += self._write_release(choice.release, schema)
        return tuple(written)

    def _write_release(
        self, release: Release, schema: Schema | str | os.PathLike[str] | None
    ) -> list[Path]:
        target = locate(self.release)
        format_ = target.output_format(locate(self.original), self.format)
        documents: dict[Path, Plan | Schema] = {target.companion(".plan.toml"): release.plan}
        original = as_microdata(self.original, schema, format=self.format)
        if needs_schema(original, release, format_):
            documents[target.companion(".schema.toml")] = release.schema
        write_release(release, self.release, format=format_, force=True, companions=documents)
        return [self.release, *documents]
