"""Settings of an audit beyond the files, the attacks and the policy."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from unveil.engines.select import AUTO
from unveil.engines.select import engine as select_engine
from unveil.errors import SpecError
from unveil.files.documents.toml import as_schema, read_plan
from unveil.files.formats.base import Format
from unveil.support.specs import Spec, method_name
from unveil.support.work import EFFORT_SECONDS, Effort
from unveil.table.schema import Schema
from unveil.values.release.plan import Plan

ERROR_RATES, SEEDS = (0.0, 0.1, 0.2, 0.5), 5  # where the effort decides
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
# How the audit runs, and which files: evidence lists its input files elsewhere.
_NOT_IN_EVIDENCE = ("evidence", "per_record", "force", "resume", "intruder_file")


def _about(description: str) -> Meta:
    return Meta(description=description)


class AuditSettings(Spec, frozen=True, kw_only=True):
    """Settings of an audit beyond the files, the attacks and the policy.

    A plan and a schema may be given by their files; a Release has its own plan. Optional
    analyses (sweep, errors, remask, remedies, worst_case) that are None run if the effort allows;
    those set explicitly always run.

    >>> AuditSettings(memory="4G").bytes
    4294967296
    """

    knows: Annotated[
        tuple[str, ...] | None,
        _about("Attributes an intruder may know. By default the quasi-identifiers."),
    ] = None
    plan: Annotated[
        Any, _about("Plan of the release. For attacks that know the masking, and for remasking.")
    ] = None
    rename: Annotated[
        dict[str, str], _about("Columns of the release: their names in the original.")
    ] = msgspec.field(default_factory=dict)
    release_schema: Annotated[Any, _about("Schema of the release, if it differs.")] = None
    format: Annotated[Any, _about("Format of the files, if its options matter.")] = None
    effort: Annotated[
        Effort,
        _about(
            "Amount of work. quick: the strongest attacks; normal: everything for a file of a "
            "thousand records; thorough: everything, however long it takes."
        ),
    ] = "normal"
    seconds: Annotated[
        Annotated[float, Meta(gt=0, le=1e9)] | None,
        _about(
            "Work of the whole audit, in laptop seconds. It replaces the effort. Work is "
            "counted, not timed, so the result is the same on every machine."
        ),
    ] = None
    engine: Annotated[str, _about("Engine: auto, local, or an installed one.")] = AUTO
    exact: Annotated[bool, _about("Attack all records, however long it takes.")] = False
    memory: Annotated[str | int | None, _about("Memory limit: 4G, 500M, or bytes.")] = None
    sweep: Annotated[bool | None, _about("Measure the risk by number of known attributes.")] = None
    errors: Annotated[
        tuple[Annotated[float, Meta(ge=0, le=1)], ...] | None,
        _about("Error rates of the intruder's values to test. By default 0.1, 0.2 and 0.5."),
    ] = None
    remask: Annotated[
        Annotated[int, Meta(ge=0, le=1000)] | None,
        _about("Number of further seeds to mask with. Needs the plan. By default 5."),
    ] = None
    remedies: Annotated[
        bool | None, _about("Try further masks and report how far each lowers the risk.")
    ] = None
    worst_case: Annotated[bool | None, _about("Learn the worst-case distance from the truth.")] = (
        None
    )
    halves: Annotated[
        bool,
        _about(
            "Test linkage between two halves of the attributes (slow). The halves have no "
            "common attribute. It may take minutes."
        ),
    ] = False
    measures: Annotated[tuple[str, ...], _about("Further loss measures, by name.")] = ()
    show_values: Annotated[
        bool, _about("Show undeclared categories by their codes. Evidence and internal page only.")
    ] = False
    intruder_file: Annotated[
        Any,
        _about("File of an intruder about the same people. It has an identifier of the original."),
    ] = None
    evidence: Annotated[Any, _about("JSON file for every number with its inputs and settings.")] = (
        None
    )
    per_record: Annotated[
        Any, _about("Table for the risk of each record. As private as the original.")
    ] = None
    force: Annotated[bool, _about("Overwrite files that exist.")] = False
    resume: Annotated[bool, _about("Resume a killed audit that writes this evidence.")] = False

    def __post_init__(self) -> None:
        with suppress(ValueError, TypeError, OverflowError):  # it is a word
            raise SpecError(
                "--effort is quick, normal or thorough; for a time use --seconds "
                f"{float(self.effort):g}"
            )
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
        select_engine(self.engine)
        if self.seconds is not None and self.effort != "normal":
            raise SpecError("give --effort or --seconds, not both")
        if self.knows == ():
            raise SpecError("settings: knows: name at least one attribute")
        if self.resume and self.evidence is None:
            raise SpecError("settings: resume: name the evidence (--evidence) of the killed audit")
        if len(set(self.rename.values())) < len(self.rename):
            raise SpecError(
                "settings: rename: two columns would have the same name; give each another"
            )
        self.bytes  # noqa: B018 - refuses a size that it cannot read

    @property
    def error_rates(self) -> tuple[float, ...]:
        """The shares of the intruder's values that are out of date; exact knowledge first."""
        return ERROR_RATES if self.errors is None else tuple(sorted({0.0, *self.errors}))

    @property
    def seeds(self) -> int:
        """The number of other seeds to mask with."""
        return SEEDS if self.remask is None else self.remask

    @property
    def work(self) -> float:
        """The work of the whole audit, in laptop seconds."""
        return EFFORT_SECONDS[self.effort] if self.seconds is None else self.seconds

    @property
    def bytes(self) -> int | None:
        """The memory limit in bytes."""
        if self.memory is None:
            return None
        try:
            text = str(self.memory).lower()  # fails for a number of thousands of digits
            match = re.fullmatch(r"\s*([\d.]+)\s*([kmgt]?)(i?b)?\s*", text)
            size = int(float(match[1]) * _UNITS[match[2]]) if match else 0
        except (ValueError, OverflowError):
            size = 0
        if size < 1:
            raise SpecError("settings: memory: a size such as 4G, 500M, or a number of bytes")
        return size

    @property
    def overwrites(self) -> bool:
        """Whether files that exist are replaced: on request, or by the audit that wrote them."""
        return self.force or (self.resume and os.path.exists(self.evidence))  # noqa: PTH110

    def resolved(self) -> AuditSettings:
        """The same settings with the plan and the schema read from their files."""
        plan = read_plan(self.plan) if isinstance(self.plan, str | os.PathLike) else self.plan
        schema = as_schema(self.release_schema)
        return msgspec.structs.replace(self, plan=plan, release_schema=schema)

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values, as evidence records them."""
        kept = {n: getattr(self, n) for n in self.__struct_fields__ if n not in _NOT_IN_EVIDENCE}
        if self.plan is not None:
            kept["plan"] = self.plan.to_dict()
        if self.release_schema is not None:
            kept["release_schema"] = self.release_schema.to_dict()
        if self.format is not None:
            name = method_name(type(self.format))
            kept["format"] = {"method": name, **msgspec.to_builtins(self.format)}
        plain: dict[str, Any] = msgspec.to_builtins(kept)
        return plain
