"""Mask a table: a list of masks in order, each to its columns."""

import logging
import os
import secrets
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from unveil import __version__
from unveil.errors import DataError, SpecError, UsageError
from unveil.files.documents.toml import read_plan
from unveil.masks import Mask
from unveil.masks.base import Guarantee
from unveil.masks.generalisation.base import refuse_broken
from unveil.measures import discards, every_subgroup, uneven_discards
from unveil.models import check
from unveil.support.arrays import Ints
from unveil.support.options import TaskProgress
from unveil.support.phrases import plain
from unveil.table.microdata import Microdata
from unveil.table.row_identity import fingerprints
from unveil.table.schema import Schema
from unveil.values.release.channels import Channel
from unveil.values.release.plan import SEED_BITS, Plan
from unveil.values.release.release import Release
from unveil.wording import listing
from unveil.workflows.inputs.sources import as_microdata

logger = logging.getLogger("unveil")
MANY_DISCARDED = 0.1  # share of the records from which a warning is due


def mask(
    data: Any,
    masks: Mask | Iterable[Mask] | Plan | str | os.PathLike[str],
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    seed: int | None = None,
    progress: TaskProgress | None = None,
) -> Release:
    """Mask a table: apply masks in order, each to its columns.

    Identifiers are left out. Missing cells stay missing and change no rank or mean. Each mask
    has a random stream of its own, from the seed, its name and the column: the same seed gives
    the same release, whatever other masks are in the plan.

    Parameters
    ----------
    data
        A path, a frame or Microdata.
    masks
        Masks in order, a :class:`~unveil.Plan`, or the path of its TOML file.
    schema
        The roles and levels of the columns of a path or a frame.
    seed
        Random seed, from 0. Default: the plan's; else a random one, kept in the release's plan.
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
    ...         unveil.masks.RankSwapping(p=8, columns=["age"]),
    ...     ],
    ...     seed=7,
    ... )
    >>> release
    Release(1,000 records, 14 columns; microaggregation, rank-swapping)
    >>> release.channels
    (Groups(income, tax), Swap(age))
    """
    return _apply(as_microdata(data, schema), as_plan(masks, seed), progress, warn=True)


def mask_again(original: Microdata, plan: Plan) -> Release:
    """Mask as :func:`mask` does, without warnings: the first time gave them."""
    return _apply(original, as_plan(plan), None, warn=False)


def _apply(
    original: Microdata, plan: Plan, progress: TaskProgress | None, *, warn: bool
) -> Release:
    masks = masks_of(plan, original)
    not_checked = check_masks(masks, original)
    table = without_identifiers(original)
    row_map, channels, synthetic = np.arange(len(table)), list[Channel](), False
    guarantees: dict[str, tuple[Guarantee, ...]] = {}
    details: dict[str, Any] = {}
    for mask in masks:
        if mask in not_checked:
            mask.check(table)
        guarantees[mask.step] = mask.guarantees(table)
        draw = partial(plan.stream, mask.step)
        masked = mask.apply(table, draw, None if progress is None else partial(progress, mask.step))
        if masked.details is not None:
            details[mask.step] = masked.details
        if warn:
            _warn_of_uncovered(mask, table, guarantees[mask.step])
            if masked.rows is None and not masked.synthetic and not guarantees[mask.step]:
                _warn_of_unchanged(mask, table, masked.data)
            if masked.rows is not None and not synthetic and not mask.is_random:
                _warn_of_discards(mask, original.take(row_map), masked.rows)
        table = masked.data
        channels.extend(masked.channels)
        synthetic |= masked.synthetic
        if masked.rows is not None and not synthetic:
            row_map = row_map[masked.rows]
    for mask in masks[:-1]:  # the last has checked its own guarantee
        for models, keys in guarantees[mask.step]:
            try:
                refuse_broken(mask.step, check(table, models, keys=keys))
            except DataError as error:
                raise DataError(f"{error}; a later step changed it: put {mask.step} last") from None
    rows = None if synthetic else row_map
    return Release(table, plan, tuple(channels), rows, fingerprints(original), details)


def masks_of(plan: Plan, original: Microdata) -> tuple[Mask, ...]:
    """The masks of a plan, with their own input files read."""
    schema = original.schema.where_there()
    masks: tuple[Any, ...] = plan.masks
    return tuple(mask.read_inputs(lambda source: as_microdata(source, schema)) for mask in masks)


def check_masks(masks: tuple[Mask, ...], table: Microdata) -> list[Mask]:
    """Refuse an impossible mask before any is applied.

    Returns the masks of columns that an earlier one will have changed: they are checked in turn.
    """
    changed, later = set[str](), []
    for mask in masks:
        if changed.isdisjoint(targets := mask.targets(table)):
            mask.check(table)
        else:
            later.append(mask)
        changed.update(targets)
    return later


def _warn_of_unchanged(mask: Mask, before: Microdata, after: Microdata) -> None:
    same = [name for name in mask.targets(before) if after.column(name).equals(before.column(name))]
    if same:
        logger.warning(
            "%s: nothing changed in %s: are the parameters meant?", mask.step, listing(same)
        )


def _warn_of_uncovered(mask: Mask, table: Microdata, guarantees: tuple[Guarantee, ...]) -> None:
    """Warn of quasi-identifiers that a guarantee does not cover."""
    quasi = [name for name in table.columns if "quasi" in table.schema[name].role]
    for _, keys in guarantees:
        others = [name for name in quasi if name not in keys]
        if others:
            logger.warning(
                "%s: what it promises is of %s; nothing is promised of who knows %s, too",
                mask.step,
                listing(keys),
                listing(others),
            )


def _warn_of_discards(mask: Mask, people: Microdata, kept: Ints) -> None:
    """Warn where a mask discards many records, or those of a minority.

    Subgroups are of the original values, not of those that an earlier mask changed.
    """
    gone = len(people) - len(np.unique(kept))
    if not gone:
        return
    uneven = uneven_discards(discards(len(people), kept, every_subgroup(people)))
    if uneven:
        logger.warning("%s: %s", mask.step, plain(uneven))
    elif gone >= MANY_DISCARDED * len(people):
        share = f"{gone:,} of {len(people):,} records are not released"
        logger.warning("%s: %s (%.1f %%)", mask.step, share, 100 * gone / len(people))


def as_plan(
    masks: Mask | Iterable[Mask] | Plan | str | os.PathLike[str], seed: int | None = None
) -> Plan:
    """A plan that can be carried out: masks with different names, and a seed."""
    if isinstance(masks, str | os.PathLike):
        plan = read_plan(masks)
    elif isinstance(masks, Plan):
        plan = masks
    else:
        try:
            plan = Plan((masks,) if isinstance(masks, Mask) else tuple(masks))
        except TypeError:
            raise UsageError(
                f"masks are a list of masks, a plan or its path, not {type(masks).__name__}"
            ) from None
    _check_names(plan.masks)
    if plan.version not in ("", __version__):
        logger.warning(
            "the plan was made by version %s, this is %s: the result may differ from that of then",
            plan.version,
            __version__,
        )
    seed = plan.seed if seed is None else seed
    seed = secrets.randbits(SEED_BITS) if seed is None else seed
    return replace(plan, seed=seed, version=__version__)


def _check_names(masks: tuple[Any, ...]) -> None:
    for mask in masks:
        if not isinstance(mask, Mask):
            raise UsageError(f"a mask is one of unveil.masks, not {type(mask).__name__}")
    names = [mask.step for mask in masks]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SpecError(
            f"two steps of the plan are called {listing(twice)}: random numbers are made of "
            "the name, so give each step a name of its own"
        )


def without_identifiers(data: Microdata) -> Microdata:
    """A table without its identifiers."""
    identifiers = data.schema.with_role("identifier")
    kept = [name for name in data.columns if name not in identifiers]
    if not kept:
        raise DataError("every column is an identifier: nothing is left to release")
    return data.select(kept) if identifiers else data
