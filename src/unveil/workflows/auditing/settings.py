"""Settings of an audit: what is asked for beyond the files, the attacks and the policy."""

from __future__ import annotations

import os
import re
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from unveil.errors import SpecError
from unveil.files.documents.toml import as_schema, read_plan
from unveil.files.formats.base import Format
from unveil.support.specs import Spec, method_name
from unveil.table.schema import Schema
from unveil.values.release.plan import Plan

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
# How it is done, and which files: these are among what goes in.
_PRIVATE = ("evidence", "per_record", "force", "resume", "progress", "intruder_file")


class AuditSettings(Spec, frozen=True, kw_only=True):
    """What an audit does beyond the files, the attacks and the policy.

    >>> AuditSettings(memory="4G").bytes
    4294967296
    >>> AuditSettings(seconds=5).to_dict()["seconds"]
    5.0
    """

    knows: Annotated[
        tuple[str, ...] | None,
        Meta(description="What an intruder may know; if not given, all quasi-identifiers."),
    ] = None
    plan: Annotated[
        Any,
        Meta(
            description="How the release was masked, a plan or its file, for attacks that know "
            "the method and for masking again; a Release has its own."
        ),
    ] = None
    rename: Annotated[
        dict[str, str],
        Meta(description="For columns of the release that are called otherwise, the original's."),
    ] = msgspec.field(default_factory=dict)
    release_schema: Annotated[
        Any, Meta(description="The release's own schema, or its file, where it differs.")
    ] = None
    format: Annotated[Any, Meta(description="The format of files, where its options matter.")] = (
        None
    )
    seconds: Annotated[
        Annotated[float, Meta(gt=0, le=1e9)],
        Meta(
            description="About how long each attack may take on an ordinary laptop, counted in "
            "work: every machine takes the same sample. An attack that would take longer is made "
            "on a sample of the records, against all candidates."
        ),
    ] = 60.0
    exact: Annotated[
        bool, Meta(description="Whether every attack is made on all records, however long.")
    ] = False
    memory: Annotated[
        str | int | None,
        Meta(description="The most memory that may be used: 4G, 500M, or bytes."),
    ] = None
    sweep: Annotated[
        bool, Meta(description="Whether the risk is found against what the intruder knows.")
    ] = True
    errors: Annotated[
        tuple[Annotated[float, Meta(ge=0, le=10)], ...],
        Meta(description="The errors in the intruder's values for which the risk is found."),
    ] = (0.0, 0.1, 0.2, 0.5)
    remask: Annotated[
        Annotated[int, Meta(ge=0, le=1000)],
        Meta(description="How often the plan, where it is known, is carried out anew."),
    ] = 5
    remedies: Annotated[
        bool, Meta(description="Whether masks are tried on the release that would help.")
    ] = True
    worst_case: Annotated[
        bool,
        Meta(
            description="Whether to learn, with the truth in hand, how many a distance could link "
            "at worst: of at most 5,000 records."
        ),
    ] = True
    halves: Annotated[
        bool,
        Meta(
            description="Whether to test if somebody who knows one half of the attributes could "
            "find the released other half: of at most 2,000 people, it may take minutes."
        ),
    ] = False
    intruder_file: Annotated[
        Any,
        Meta(
            description="A file that an intruder has about the same people, a path, a frame or "
            "Microdata, with an identifier that the original has, too: attacked with as well."
        ),
    ] = None
    evidence: Annotated[
        Any,
        Meta(
            description="The file to write everything to that was found, as JSON; until all is "
            "done, what is finished is kept beside it."
        ),
    ] = None
    per_record: Annotated[
        Any, Meta(description="The file to write the risk of each record to, a private table.")
    ] = None
    force: Annotated[bool, Meta(description="Whether to overwrite these files.")] = False
    resume: Annotated[
        bool, Meta(description="Whether to go on where a killed audit with this evidence ended.")
    ] = False
    progress: Annotated[
        Any, Meta(description="Called with what is done, how much of it, and of how much.")
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, kinds in (
            ("plan", (Plan, str, os.PathLike)),
            ("release_schema", (Schema, str, os.PathLike)),
            ("format", (Format,)),
            ("evidence", (str, os.PathLike)),
            ("per_record", (str, os.PathLike)),
        ):
            value = getattr(self, name)
            if value is not None and not isinstance(value, kinds):
                raise SpecError(f"settings: {name}: not {type(value).__name__}")
        if self.knows == ():
            raise SpecError("settings: knows: name at least one attribute")
        if self.progress is not None and not callable(self.progress):
            raise SpecError("settings: progress: something that can be called")
        if self.resume and self.evidence is None:
            raise SpecError(
                "settings: resume: name the evidence (--evidence) that a killed audit was to write"
            )
        if len(set(self.rename.values())) < len(self.rename):
            raise SpecError("settings: rename: two columns would have one name")
        self.bytes  # noqa: B018 - which refuses what it cannot read

    @property
    def bytes(self) -> int | None:
        """The memory in bytes."""
        if self.memory is None:
            return None
        found = re.fullmatch(r"\s*([\d.]+)\s*([kmgt]?)(i?b)?\s*", str(self.memory).lower())
        try:
            size = int(float(found[1]) * _UNITS[found[2]]) if found else 0
        except (ValueError, OverflowError):
            size = 0
        if size < 1:
            raise SpecError("settings: memory: a size such as 4G, 500M, or a number of bytes")
        return size

    def resolved(self) -> AuditSettings:
        """The same, with what their files say in place of the files."""
        plan, own = self.plan, as_schema(self.release_schema)
        if isinstance(plan, str | os.PathLike):
            plan = read_plan(plan)
        return msgspec.structs.replace(self, plan=plan, release_schema=own)

    def to_dict(self) -> dict[str, Any]:
        """The settings in plain values, without how they are carried out."""
        kept = {n: getattr(self, n) for n in self.__struct_fields__ if n not in _PRIVATE}
        if self.plan is not None:
            kept["plan"] = self.plan.to_dict()
        if self.release_schema is not None:
            kept["release_schema"] = self.release_schema.to_dict()
        if self.format is not None:
            name = method_name(type(self.format))
            kept["format"] = {"method": name, **msgspec.to_builtins(self.format)}
        plain: dict[str, Any] = msgspec.to_builtins(kept)
        return plain
