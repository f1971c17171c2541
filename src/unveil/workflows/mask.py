"""Mask a table: a list of masks in order, each to its columns."""

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from unveil.errors import DataError, UsageError, errors_at
from unveil.files.formats.base import Format
from unveil.files.locations import TableLocation, as_path, check_outputs, is_uri, locate
from unveil.files.tables import write_release
from unveil.masks import METHODS, Mask
from unveil.masks.base import Guarantee
from unveil.masks.generalisation.base import refuse_broken
from unveil.masks.per_household import apply_mask, check_mask
from unveil.measures import changed_cells
from unveil.measures.disclosure.unchanged import without_role
from unveil.measures.information_loss.broken_households import broken_households
from unveil.models import check
from unveil.support.arrays import Ints
from unveil.support.options import TaskProgress
from unveil.table.microdata import Microdata
from unveil.table.row_identity import fingerprints
from unveil.table.schema import Schema
from unveil.values.file_pair import FilePair
from unveil.values.release.channels import Channel
from unveil.values.release.plan import Household, Plan
from unveil.values.release.release import Release
from unveil.values.results.loss import BrokenHouseholds, ColumnChanges
from unveil.workflows.inputs.plans import as_plan
from unveil.workflows.inputs.pseudonyms import pseudonym_columns, with_pseudonyms
from unveil.workflows.inputs.released_columns import (
    check_dropped,
    declared_households,
    released_columns,
    released_names,
    with_households,
    with_numbers,
)
from unveil.workflows.inputs.sources import as_microdata, read_named
from unveil.workflows.inputs.step_warnings import warn_of_step

logger = logging.getLogger("unveil")


def mask(
    data: Any,
    masks: Mask | Iterable[Mask | str | Mapping[str, Any]] | Plan | str | os.PathLike[str],
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    seed: int | None = None,
    household: Household | None = None,
    progress: TaskProgress | None = None,
) -> Release:
    """Mask a table: apply masks in order, each to its columns.

    Identifiers and household numbers are left out, unless the plan replaces them. Missing cells
    stay missing and change no rank or mean. Each mask has a random stream of its own, from the
    seed, its name and the column: the same seed gives the same release, whatever other masks are in
    the plan.

    Parameters
    ----------
    data
        A path, a frame or Microdata.
    masks
        Masks in order, a :class:`~unveil.Plan`, or the path of its TOML file. In a list, a mask
        may be its name, or a table as in the file: ``{"method": "rank-permutation", "p": 5}``.
    schema
        The roles and levels of the columns of a path or a frame.
    seed
        Random seed, from 0. Default: the plan's; else a random one, kept in the release's plan.
    household
        Household numbers: "drop" leaves them out, "renumber" keeps only who lives together,
        "keep" releases them as they are. Default: the plan's, which drops them.
    progress
        Called with the step, how much is done, and the total.

    Examples
    --------
    >>> import unveil
    >>> sample = unveil.households(1000, seed=7)
    >>> release = unveil.mask(
    ...     sample,
    ...     [
    ...         unveil.masks.Microaggregation(k=5, columns=["income", "tax"]),
    ...         unveil.masks.RankPermutation(p=8, columns=["age"]),
    ...     ],
    ...     seed=7,
    ... )
    >>> release
    Release(1,000 records, 13 columns; microaggregation, rank-permutation)
    >>> release.channels
    (Groups(income, tax), Swap(age))
    """
    plan, original = as_plan(masks, seed, household), as_microdata(data, schema)
    pseudonyms = pseudonym_columns(original, plan)
    return with_pseudonyms(_apply(original, plan, progress, warn=True), pseudonyms)


@dataclass(frozen=True, kw_only=True)
class MaskSettings:
    """Settings of masking a file: what is written, and how."""

    output: str | os.PathLike[str] | None = None  # masked file; by default beside the file
    format: Format | None = None  # of the file, if its options matter
    keep_order: bool = False  # keep the row order, which may identify people
    household: Household | None = None  # what becomes of household numbers; None: as the plan says
    row_map: str | os.PathLike[str] | None = None  # table for the row map
    write_schema: str | os.PathLike[str] | None = None  # TOML file for the release's schema
    allow: Sequence[str] = ()  # places outside of the plan's folder that the plan may open
    force: bool = False  # overwrite files that exist


@dataclass(frozen=True, kw_only=True)
class MaskedFile:
    """A release, and the files that it was written to."""

    release: Release
    originals: int  # records of the file
    left_out: list[str]  # its columns that are not released
    changes: tuple[ColumnChanges, ...]  # of the released cells, by column; none if synthetic
    broken_households: tuple[BrokenHouseholds, ...]  # whose members no longer share a cell
    one_code: dict[str, int]  # missing cells of columns whose several codes became one
    households: list[str]  # its known household numbers; the plan says what became of them
    output: str | os.PathLike[str]
    plan: Path
    row_map: str | os.PathLike[str] | None
    schema: str | os.PathLike[str] | None

    @property
    def counts(self) -> dict[str, Any]:
        """The counts of steps that have a sentence."""
        return {step: n for step, n in self.release.details.items() if hasattr(n, "sentence")}

    def to_dict(self) -> dict[str, Any]:
        """The result in plain values, without the seed."""
        written = (self.output, self.row_map, self.plan, self.schema)
        return {
            "records": len(self.release),
            "columns": self.release.data.columns,
            "mask": self.release.plan.to_dict()["mask"],
            "originals": self.originals,
            "left_out": self.left_out,
            "changes": msgspec.to_builtins(self.changes),
            "broken_households": msgspec.to_builtins(self.broken_households),
            "one_code": self.one_code,
            "counts": msgspec.to_builtins(self.counts),
            "household": {"columns": self.households, "done": self.release.plan.household},
            "written": [str(file) for file in written if file],
        }


DEFAULTS = MaskSettings()


def mask_file(
    file: str | os.PathLike[str],
    masks: Mask | Iterable[Mask | str | Mapping[str, Any]] | Plan | str | os.PathLike[str],
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    seed: int | None = None,
    settings: MaskSettings = DEFAULTS,
    progress: TaskProgress | None = None,
) -> MaskedFile:
    """Mask a file as :func:`mask` does, and write the release, its plan and, if needed, its schema.

    The schema is written if cells become ranges, sets or stars, or if labels would be lost.
    """
    out = release_place(source := locate(file), settings.output)
    target = locate(out)
    plan_path, schema_path = target.companion(".plan.toml"), settings.write_schema
    tables = [out, settings.row_map]
    again = isinstance(masks, str | os.PathLike) and Path(masks).resolve() == plan_path.resolve()
    inputs = [file, schema, None if again else masks]  # a plan that is run again is written again
    check_outputs([plan_path, schema_path], inputs, force=settings.force, tables=tables)
    plan = as_plan(masks, seed, settings.household, settings.allow)
    if settings.keep_order:
        plan = replace(plan, keep_order=True)
    data = as_microdata(file, schema, format=settings.format)
    target.check_columns(released_names(data, plan))
    target_format = target.output_format(source, settings.format)
    with errors_at(str(file)):
        release = mask(data, plan, progress=progress)
    if schema_path is None and needs_schema(data, release, target_format):
        schema_path = target.companion(".schema.toml")
        check_outputs([plan_path, schema_path], inputs, force=settings.force, tables=tables)
    pair = FilePair.of(data, release.data, release.row_map)
    changes, broken = changed_cells(pair), broken_households(pair)
    if progress is not None:
        progress(f"writing {out}", 0, 0)
    documents: dict[Path, Plan | Schema] = {plan_path: release.plan}
    if schema_path is not None:
        documents[as_path(schema_path)] = release.schema
    write_release(
        release,
        out,
        format=target_format,
        force=settings.force,
        row_map=settings.row_map,
        companions=documents,
    )
    return MaskedFile(
        release=release,
        originals=len(data),
        left_out=[name for name in data.columns if name not in release.data.columns],
        changes=changes,
        broken_households=broken,
        one_code=_one_code(data, release.data),
        households=[
            name
            for name in data.schema.with_role("household")
            if data.column(name).null_count() < len(data)
        ],
        output=out,
        plan=plan_path,
        row_map=settings.row_map,
        schema=schema_path,
    )


def _one_code(original: Microdata, released: Microdata) -> dict[str, int]:
    """The missing cells of columns in which they were written differently, and now are alike."""
    found = {}
    for name in filter(released.has_missing_codes, released.columns):
        before, after = (
            data.missing_code(name).filter(data.column(name).is_null())
            for data in (original, released)
        )
        if before.n_unique() > 1 == after.n_unique():
            found[name] = len(after)
    return found


def release_place(
    source: TableLocation, out: str | os.PathLike[str] | None
) -> str | os.PathLike[str]:
    """The masked file: in the format of the source, unless it has an ending of its own."""
    if out is None:
        return source.sibling("masked")
    if str(out) == "-":
        raise UsageError("--output: name a file; a table is not written to the screen")
    is_folder = os.path.isdir(out)  # noqa: PTH112 - no error for a name that is too long
    if is_uri(out) or Path(out).suffix or is_folder:
        return out
    return source.with_stem(str(out))


def needs_schema(data: Microdata, release: Release, target: Format | None) -> bool:
    """Whether the release loses labels, or has new ranges, sets, stars, categories or roles."""
    before, after = data.schema, release.data.schema
    if data.codebook is not None and not (target is not None and target.keeps_labels(release.data)):
        return True
    return any(
        (after[name].generalised, after[name].merged, after[name].role)
        != (before[name].generalised, before[name].merged, before[name].role)
        for name in release.data.columns
    )


def mask_again(original: Microdata, plan: Plan) -> Release:
    """Mask as :func:`mask` does, without warnings, which the first time gave, and pseudonyms."""
    return _apply(original, as_plan(plan), None, warn=False)


def _apply(
    original: Microdata, plan: Plan, progress: TaskProgress | None, *, warn: bool
) -> Release:
    masks = masks_of(plan, original)
    homes = declared_households(original, warn=warn)
    not_checked = check_masks(plan, masks, original)
    table = released_columns(original, plan).with_one_spelling()
    check_dropped(masks, table, plan)
    row_map: Ints | None = np.arange(len(table))  # None: synthetic
    channels, details = list[Channel](), dict[str, Any]()
    guarantees: dict[str, tuple[Guarantee, ...]] = {}
    places = _places(plan)
    for mask in masks:
        left = None if homes is None or row_map is None else homes.take(row_map)
        seen = with_numbers(table, original, row_map) if mask.uses_households else table
        if mask in not_checked:
            with errors_at(places[mask.step]):
                check_mask(mask, seen, left)
        guarantees[mask.step] = mask.guarantees(table)
        draw = partial(plan.stream, mask.step)
        with METHODS.blame(type(mask)):
            step_progress = None if progress is None else partial(progress, mask.step)
            masked = apply_mask(mask, seen, left, draw, step_progress)
        if masked.details is not None:
            details[mask.step] = masked.details
        if warn:
            people = None if row_map is None else original.take(row_map)
            warn_of_step(mask, table, masked, guarantees[mask.step], people)
        promised = [key for guarantee in guarantees[mask.step] for key in guarantee.keys]
        kept = [name for name in masked.data.columns if name in table.columns]
        table = masked.data.select(kept).with_one_missing_code(promised)
        channels.extend(masked.channels)
        if masked.synthetic:
            row_map = None
        elif masked.rows is not None and row_map is not None:
            row_map = row_map[masked.rows]
    # The last has checked its own guarantee.
    _check_again(with_numbers(table, original, row_map), masks[:-1], guarantees)
    finished = with_households(table, plan, warn=warn)
    channels.extend(finished.channels)
    if warn:
        pair = FilePair.of(original, finished.data, row_map)
        for one in (without_role(pair), *broken_households(pair)):
            if one is not None:
                logger.warning("%s", one.sentence)
    return Release(finished.data, plan, tuple(channels), row_map, fingerprints(original), details)


def _check_again(
    table: Microdata, masks: Sequence[Mask], guarantees: Mapping[str, tuple[Guarantee, ...]]
) -> None:
    """Count the guarantees of masks again, after later steps."""
    for mask in masks:
        for models, keys in guarantees[mask.step]:
            try:
                refuse_broken(mask.step, check(table, models, keys=keys))
            except DataError as error:
                raise DataError(
                    f"{error}; a later step broke the guarantee: put {mask.step} last"
                ) from None


def masks_of(plan: Plan, original: Microdata) -> tuple[Mask, ...]:
    """The masks of a plan but for those of identifiers, with their own input files read."""
    masks = [mask for mask in plan.masks if isinstance(mask, Mask)]
    read = partial(read_named, plan.locate, schema=original.schema.where_there())
    return tuple(mask.read_inputs(read) for mask in masks if not mask.replaces_identifiers)


def _places(plan: Plan) -> dict[str, str]:
    """The place of each step in the plan's file, to begin a message with."""
    masks: tuple[Any, ...] = plan.masks
    return {mask.step: plan.place(number) for number, mask in enumerate(masks, start=1)}


def check_masks(plan: Plan, masks: tuple[Mask, ...], table: Microdata) -> list[Mask]:
    """Refuse an impossible mask before any is applied.

    Returns the masks of columns that an earlier one will have changed: they are checked in turn.
    """
    changed, later, homes = set[str](), [], declared_households(table, warn=False)
    places = _places(plan)
    for mask in masks:
        with errors_at(places[mask.step]):
            if changed.isdisjoint(targets := mask.targets(table)):
                check_mask(mask, table, homes)
            else:
                later.append(mask)
        changed.update(targets)
    return later
