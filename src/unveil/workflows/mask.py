"""Mask a table: a list of masks in order, each to its columns."""

import logging
import os
import secrets
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec
import numpy as np

from unveil import __version__
from unveil.errors import DataError, SpecError, UsageError
from unveil.files.documents.toml import read_plan
from unveil.masks import Mask
from unveil.masks.base import Guarantee
from unveil.masks.generalisation.base import refuse_broken
from unveil.measures import discards, every_subgroup, uneven_discards
from unveil.models import KMap, check
from unveil.support.arrays import Ints
from unveil.support.phrases import plain
from unveil.table.microdata import Microdata
from unveil.table.row_identity import fingerprints
from unveil.table.schema import Schema
from unveil.values.release.channels import Channel
from unveil.values.release.plan import SEED_BITS, Plan
from unveil.values.release.release import Release
from unveil.wording import listing
from unveil.workflows.inputs.sources import as_microdata

MANY = 0.1  # a share of the records that is not discarded without a word


def mask(
    data: Any,
    masks: Mask | Iterable[Mask] | Plan | str | os.PathLike[str],
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    seed: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Release:
    """Mask a table: apply masks in order, each to its columns.

    Identifiers are left out. Missing cells stay missing, and move no rank and no mean. Every
    mask draws from a stream of its own, made of the seed, its name and the column: the same
    seed gives the same release, whatever other masks are in the plan.

    Parameters
    ----------
    data
        A path, a frame or Microdata.
    masks
        Masks in order, a :class:`~unveil.Plan`, or the path of its TOML file.
    schema
        What the columns are, for a path or a frame.
    seed
        A whole number from 0. Without one, here and in the plan, a seed is drawn that nobody
        can guess, and kept in the release's plan.
    progress
        Called with the step's name, how much of it is done, and how much there is.

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
    return _carried_out(as_microdata(data, schema), as_plan(masks, seed), progress, tell=True)


def mask_again(original: Microdata, plan: Plan) -> Release:
    """Mask as :func:`mask` does, to see what a plan does: what to warn of was told the first time.

    >>> import unveil
    >>> plan = unveil.Plan((unveil.masks.Shuffle(),), seed=7)
    >>> mask_again(unveil.households(5), plan).row_map.tolist()
    [2, 4, 1, 0, 3]
    """
    return _carried_out(original, as_plan(plan), None, tell=False)


def _carried_out(
    original: Microdata,
    plan: Plan,
    progress: Callable[[str, int, int], None] | None,
    *,
    tell: bool,
) -> Release:
    steps = steps_of(plan, original)
    later = check_steps(steps, original)
    table = without_identifiers(original)
    row_map, channels, synthetic = np.arange(len(table)), list[Channel](), False
    promised: dict[str, tuple[Guarantee, ...]] = {}
    details: dict[str, Any] = {}
    for step in steps:
        if step in later:
            step.check(table)
        told = None if progress is None else partial(progress, step.step)
        promised[step.step] = step.guarantees(table)
        made = step.apply(table, partial(plan.stream, step.step), told)
        if made.details is not None:
            details[step.step] = made.details
        if tell:
            tell_uncovered(step, table, promised[step.step])
        if tell and made.rows is None and not made.synthetic and not promised[step.step]:
            tell_unchanged(step, table, made.data)
        if tell and made.rows is not None and not synthetic and not step.is_random:
            tell_discards(step, original.take(row_map), made.rows)
        table = made.data
        channels.extend(made.channels)
        synthetic |= made.synthetic
        if made.rows is not None and not synthetic:
            row_map = row_map[made.rows]
    check_promises(table, promised, steps)
    rows = None if synthetic else row_map
    return Release(table, plan, tuple(channels), rows, fingerprints(original), details)


def steps_of(plan: Plan, original: Microdata) -> tuple[Mask, ...]:
    """The masks of a plan, with all that they need in hand."""
    return tuple(with_population(step, original) for step in plan.masks)


def with_population(step: Any, original: Microdata) -> Mask:
    """A mask whose k-map has the records of the population, read where only its file is named.

    Its columns are what those of the original are.
    """
    models = [
        msgspec.structs.replace(
            model, population=as_microdata(model.population, original.schema.where_there())
        )
        if isinstance(model, KMap) and not isinstance(model.population, Microdata | None)
        else model
        for model in getattr(step, "models", ())
    ]
    changed = any(isinstance(model, KMap) for model in models)
    found: Mask = msgspec.structs.replace(step, models=tuple(models)) if changed else step
    return found


def check_promises(
    table: Microdata, promised: dict[str, tuple[Guarantee, ...]], steps: tuple[Mask, ...]
) -> None:
    """Refuse a release in which a later step has broken what an earlier one promised."""
    for step in steps[:-1]:  # the last has counted for itself
        for models, keys in promised[step.step]:
            try:
                refuse_broken(step.step, check(table, models, keys=keys))
            except DataError as error:
                raise DataError(f"{error}; a later step changed it: put {step.step} last") from None


def check_steps(steps: tuple[Mask, ...], table: Microdata) -> list[Mask]:
    """Refuse what can be refused before anything is done.

    Returns the steps that mask what an earlier one will have changed: they are checked
    when their turn comes.
    """
    changed, later = set[str](), []
    for step in steps:
        if changed.isdisjoint(targets := step.targets(table)):
            step.check(table)
        else:
            later.append(step)
        changed.update(targets)
    return later


def tell_unchanged(step: Mask, before: Microdata, after: Microdata) -> None:
    """Warn of columns that a step left as they were: nobody is protected by it there."""
    same = [name for name in step.targets(before) if after.column(name).equals(before.column(name))]
    if same:
        logging.getLogger("unveil").warning(
            "%s: nothing changed in %s: are the parameters meant?", step.step, listing(same)
        )


def tell_uncovered(step: Mask, table: Microdata, promised: tuple[Guarantee, ...]) -> None:
    """Warn of quasi-identifiers that a promise is not about: by these people can be told apart."""
    quasi = [name for name in table.columns if "quasi" in table.schema[name].role]
    for _, keys in promised:
        others = [name for name in quasi if name not in keys]
        if others:
            logging.getLogger("unveil").warning(
                "%s: what it promises is of %s; nothing is promised of who knows %s, too",
                step.step,
                listing(keys),
                listing(others),
            )


def tell_discards(step: Mask, people: Microdata, kept: Ints) -> None:
    """Warn where the records that a step has decided to discard are many, or a minority's.

    The groups are by what people are, not by what an earlier step has made of it. What a sample
    leaves out is by chance, and not looked at.
    """
    if len(np.unique(kept)) == len(people):
        return
    said = uneven_discards(discards(len(people), kept, every_subgroup(people)))
    gone = len(people) - len(np.unique(kept))
    if said:
        logging.getLogger("unveil").warning("%s: %s", step.step, plain(said))
    elif gone >= MANY * len(people):
        logging.getLogger("unveil").warning(
            "%s: %s of %s records are not released (%.1f %%)",
            step.step,
            f"{gone:,}",
            f"{len(people):,}",
            100 * gone / len(people),
        )


def as_plan(
    given: Mask | Iterable[Mask] | Plan | str | os.PathLike[str], seed: int | None = None
) -> Plan:
    """A plan that can be carried out: masks of different names, and a seed."""
    if isinstance(given, str | os.PathLike):
        given = read_plan(given)
    elif isinstance(given, Mask):
        given = Plan((given,))
    elif not isinstance(given, Plan):
        try:
            given = Plan(tuple(given))
        except TypeError:
            raise UsageError(
                f"masks are a list of masks, a plan or its path, not {type(given).__name__}"
            ) from None
    check_names(given.masks)
    if given.version not in ("", __version__):
        logging.getLogger("unveil").warning(
            "the plan was made by version %s, this is %s: the result may differ from that of then",
            given.version,
            __version__,
        )
    chosen = given.seed if seed is None else seed
    return replace(
        given,
        seed=secrets.randbits(SEED_BITS) if chosen is None else chosen,
        version=__version__,
    )


def check_names(steps: tuple[Any, ...]) -> None:
    """Every step is a mask with a name of its own."""
    for step in steps:
        if not isinstance(step, Mask):
            raise UsageError(f"a mask is one of unveil.masks, not {type(step).__name__}")
    names = [step.step for step in steps]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SpecError(
            f"two steps of the plan are called {listing(twice)}: random numbers are made of "
            "the name, so give each step a name of its own"
        )


def without_identifiers(data: Microdata) -> Microdata:
    """What of a table may be released."""
    secret = data.schema.with_role("identifier")
    kept = [name for name in data.columns if name not in secret]
    if not kept:
        raise DataError("every column is an identifier: nothing is left to release")
    return data.select(kept) if secret else data
