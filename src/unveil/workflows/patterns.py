"""Mask a file and write the patterns: beside the release, or instead of it where they overlap."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unveil.errors import SpecError, UsageError, errors_at
from unveil.files.atomic_write import complete_files
from unveil.files.documents.toml import to_toml
from unveil.files.locations import check_outputs, locate
from unveil.masks import Mask
from unveil.measures import anonymity_sets
from unveil.support.options import TaskProgress
from unveil.table.schema import Schema
from unveil.values.patterns import AnonymitySets, Patterns
from unveil.values.release.plan import Plan
from unveil.wording import listing
from unveil.workflows.inputs.plans import as_plan
from unveil.workflows.inputs.sources import as_microdata
from unveil.workflows.mask import DEFAULTS, MaskedFile, MaskSettings, mask, mask_file, release_place


@dataclass(frozen=True, kw_only=True)
class PatternFile:
    """Patterns that were written, and the release that they belong to, if one was made."""

    patterns: Patterns
    sets: AnonymitySets
    plan: Plan
    output: str | os.PathLike[str]
    documents: Sequence[Path]  # beside the patterns: their schema and, without a release, the plan
    masked: MaskedFile | None = None

    @property
    def smallest(self) -> int:
        """The smallest support of a pattern."""
        return int(self.patterns.supports.min())

    def to_dict(self) -> dict[str, Any]:
        """The result in plain values, without the seed."""
        release = {} if self.masked is None else self.masked.to_dict()
        written = [*release.get("written", ()), *map(str, (self.output, *self.documents))]
        counts = {
            "patterns": len(self.patterns),
            "records": self.patterns.n,
            "rest": len(self.patterns.rest),
            "smallest": self.smallest,
            "in_several": int((self.sets.patterns > 1).sum()),
            "alike_below_smallest": self.sets.below(self.smallest),
        }
        steps = {"mask": self.plan.to_dict()["mask"]}
        return steps | release | {"patterns": counts, "written": written}


def write_patterns(
    file: str | os.PathLike[str],
    plan_file: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    seed: int | None = None,
    settings: MaskSettings = DEFAULTS,
    progress: TaskProgress | None = None,
) -> PatternFile:
    """Write the patterns of a plan's last step with their supports, and the release, if any.

    Disjoint patterns are the different rows of a release and are written beside it. Overlapping
    patterns make no release: they and the plan are the only output.
    """
    plan = as_plan(plan_file, seed, settings.household, settings.allow)
    masks = [one for one in plan.masks if isinstance(one, Mask) and not one.replaces_identifiers]
    kind = masks[-1].pattern_output if masks else None
    if kind is None:
        raise SpecError(
            "--patterns: the last step of the plan makes no patterns; end the plan with "
            "anti-unification, or leave out --patterns"
        )
    target, alone = locate(output), kind == "instead"
    documents = [target.companion(".schema.toml")]
    if alone:
        _refuse_release(settings)
        documents.append(target.companion(".plan.toml"))
        release = None
    else:
        release = release_place(locate(file), settings.output)
        if locate(release).companion(".schema.toml") == documents[0]:
            raise UsageError(
                f"{output} and {release} would share {documents[0]}; give the patterns another name"
            )
    again = Path(plan_file).resolve() == target.companion(".plan.toml").resolve()
    inputs = [file, schema, None if again else plan_file]
    tables = [output, release, settings.row_map]
    check_outputs([*documents, settings.write_schema], inputs, force=settings.force, tables=tables)
    masked = None
    if alone:
        patterns = _overlapping(file, plan, masks[-1], schema, settings, progress)
    else:
        masked = mask_file(
            file, plan_file, schema=schema, seed=plan.seed, settings=settings, progress=progress
        )
        patterns = masked.release.details[masks[-1].step]
    table = patterns.table
    contents = {documents[0]: to_toml(table.schema)}
    if alone:
        contents[documents[1]] = to_toml(plan)
    with complete_files(contents, force=settings.force) as move:
        format = target.output_format(locate(file), settings.format)  # noqa: A001
        target.save(table, format, force=settings.force, before=move)
    return PatternFile(
        patterns=patterns,
        sets=anonymity_sets(patterns),
        plan=plan,
        output=output,
        documents=documents,
        masked=masked,
    )


def _refuse_release(settings: MaskSettings) -> None:
    """Refuse settings of a release, because overlapping patterns make none."""
    release = {
        "--output": settings.output,
        "--row-map": settings.row_map,
        "--write-schema": settings.write_schema,
        "--household": settings.household,
        "--keep-order": settings.keep_order or None,
    }
    given = [name for name, value in release.items() if value is not None]
    if given:
        raise UsageError(
            f"overlapping patterns are written instead of a release: leave out {listing(given)}, "
            "or choose assignment 'disjoint'"
        )


def _overlapping(
    file: str | os.PathLike[str],
    plan: Plan,
    last: Mask,
    schema: Schema | str | os.PathLike[str] | None,
    settings: MaskSettings,
    progress: TaskProgress | None,
) -> Patterns:
    """The patterns of the table that the steps before the last one make."""
    data = as_microdata(file, schema, format=settings.format)
    earlier = tuple(one for one in plan.masks if one != last)
    with errors_at(str(file)):
        return last.patterns(mask(data, replace(plan, masks=earlier), progress=progress).data)
