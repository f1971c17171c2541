"""The columns that a plan releases: no identifiers, and household numbers as the plan says."""

import logging
from collections.abc import Sequence
from dataclasses import replace

import msgspec
import numpy as np
import polars as pl

from unveil.errors import DataError, SchemaError, SpecError
from unveil.masks import Mask
from unveil.masks.base import MaskedTable
from unveil.support.arrays import Ints
from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.households import (
    Homes,
    declared_shared,
    household_numbers,
    households_of,
    varying_columns,
)
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Unknown
from unveil.values.release.plan import Plan
from unveil.wording import listing

STREAM = ("", "household")  # of the new numbers
GROUPING = (
    "household: the release has the household numbers %s (%s). An intruder can link whole "
    "households by them, even if they are renumbered"
)

BY_PERSON = (
    "per_household: %s: %s, so each person is masked alone; declare the column with the number in "
    'the schema (household = "hid")'
)


def released_columns(data: Microdata, plan: Plan) -> Microdata:
    """A table without its identifiers, and without household numbers if the plan drops them."""
    left_out = {"identifier", "household"} if plan.household == "drop" else {"identifier"}
    kept = [name for name in data.columns if not data.schema[name].role & left_out]
    if not kept:
        raise DataError(
            "every column is an identifier or a household number, so nothing can be released; "
            "add other columns"
        )
    return data.select(kept)


def released_names(data: Microdata, plan: Plan) -> tuple[str, ...]:
    """The names of the released columns, those of pseudonyms among them."""
    kept = set(released_columns(data, plan).columns)
    for mask in plan.masks:
        if isinstance(mask, Mask) and mask.replaces_identifiers:
            kept.update(mask.targets(data))
    return tuple(name for name in data.columns if name in kept)


def columns_of_masks(data: Microdata, plan: Plan, masks: Sequence[Mask]) -> Microdata:
    """The input of masks: the released columns, and household numbers where a mask needs them."""
    if any(mask.uses_households for mask in masks):
        plan = replace(plan, household="keep")
    return released_columns(data, plan)


def declared_households(data: Microdata, *, warn: bool) -> Homes | None:
    """The households of a table whose schema declares columns per_household; None: by persons."""
    declared = declared_shared(data)
    if not declared:
        return None
    numbers, homes = household_numbers(data), households_of(data)
    empty = any(data.column(name).null_count() == len(data) for name in numbers)
    if warn and (homes is None or empty):
        what = "every household number is missing" if numbers else "there is no household number"
        logging.getLogger("unveil").warning(BY_PERSON, listing(declared), what)
    varying = {} if homes is None else varying_columns(data, homes, declared)
    if homes is not None and varying:
        found = [f"{name} ({n:,} of {len(homes):,})" for name, n in varying.items()]
        raise SchemaError(
            "the schema says per_household, and in some households members differ: "
            f"{listing(found)}; correct the cells or the household number (which may be of several "
            "columns), or delete per_household there"
        )
    return homes


def with_numbers(table: Microdata, original: Microdata, rows: Ints | None) -> Microdata:
    """A table with the household numbers that it lacks; `rows`: its original rows, if any."""
    for name in household_numbers(original):
        if rows is not None and name not in table.columns:
            cells = original.column(name).gather(rows)
            table = table.with_column(cells, original.schema[name])
    return table


def check_dropped(masks: tuple[Mask, ...], table: Microdata, plan: Plan) -> None:
    """Refuse a mask of household numbers, or one that shows them, where the plan drops them."""
    for mask in masks:
        if mask.shows_households and plan.household == "drop":
            raise SpecError(
                f"{mask.step}: the row order identifies households, and the plan drops the "
                'household number; set household = "renumber" or "keep" in the plan, or '
                'unit = "record" in this step'
            )
        try:
            mask.targets(table)
        except DataError as error:
            error.or_else('to release household numbers, set household = "keep" in the plan')
            raise


def with_households(table: Microdata, plan: Plan, *, warn: bool) -> MaskedTable:
    """The table with household numbers as the plan says; a warning where some live together."""
    if plan.household == "drop":
        return MaskedTable(released_columns(table, plan))
    numbers = household_numbers(table)
    if warn and any(table.column(name).drop_nulls().is_duplicated().any() for name in numbers):
        done = "renumbered" if plan.household == "renumber" else "unchanged"
        logging.getLogger("unveil").warning(GROUPING, listing(numbers), done)
    if not numbers or plan.household == "keep":
        return MaskedTable(table)
    columns = [_renumbered(table, name, plan) for name in numbers]
    plain = {"labels": {}, "order": (), "hierarchy": (), "merged": {}, "generalised": False}
    attributes = {name: msgspec.structs.replace(table.schema[name], **plain) for name in numbers}
    renumbered = table.replace(columns, attributes)
    return MaskedTable(renumbered, tuple(Unknown((name,)) for name in numbers))


def _renumbered(table: Microdata, name: str, plan: Plan) -> pl.Series:
    """The same households under numbers from 1, in an order drawn from the seed.

    A number that the schema declares to mean missing is skipped.
    """
    cells = common_cells(table, column=name)[0]
    homes, codes = np.unique(cells[cells >= 0]), table.schema[name].missing
    free = [n for n in range(1, len(homes) + len(codes) + 1) if str(n) not in codes]
    numbers: Ints = plan.stream(*STREAM, name).permutation(free[: len(homes)])
    drawn = np.zeros(len(cells), np.int64)
    drawn[cells >= 0] = numbers[np.searchsorted(homes, cells[cells >= 0])]
    return pl.Series(name, drawn).set(pl.Series(cells < 0), None)
