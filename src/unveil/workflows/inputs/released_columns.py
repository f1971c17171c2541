"""The columns that a plan releases: no identifiers, and household numbers as the plan says."""

import logging

import msgspec
import numpy as np
import polars as pl

from unveil.errors import DataError
from unveil.masks import Mask
from unveil.masks.base import MaskedTable
from unveil.support.arrays import Ints
from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Unknown
from unveil.values.release.plan import Plan
from unveil.wording import listing

STREAM = ("", "household")  # of the new numbers
GROUPING = (
    "household: the release has %s (%s) and so tells who lives together: an intruder can link "
    "whole households by it, and renumbering does not help against that"
)


def released_columns(data: Microdata, plan: Plan) -> Microdata:
    """A table without its identifiers, and without household numbers if the plan drops them."""
    left_out = {"identifier", "household"} if plan.household == "drop" else {"identifier"}
    kept = [name for name in data.columns if not data.schema[name].role & left_out]
    if not kept:
        raise DataError(
            "every column is an identifier or a household number: nothing is left to release"
        )
    return data.select(kept)


def check_dropped(masks: tuple[Mask, ...], table: Microdata) -> None:
    """Refuse a mask of household numbers where these are left out of the table."""
    for mask in masks:
        try:
            mask.targets(table)
        except DataError as error:
            error.or_else('to release household numbers, set household = "keep" in the plan')
            raise


def with_households(table: Microdata, plan: Plan, *, warn: bool) -> MaskedTable:
    """The table with household numbers as the plan says; a warning where there are any."""
    homes = [name for name in table.columns if "household" in table.schema[name].role]
    if homes and warn:
        done = "renumbered" if plan.household == "renumber" else "as it was"
        logging.getLogger("unveil").warning(GROUPING, listing(homes), done)
    if not homes or plan.household == "keep":
        return MaskedTable(table)
    columns = [_renumbered(table, name, plan) for name in homes]
    plain = {"labels": {}, "order": (), "hierarchy": (), "merged": {}, "generalised": False}
    attributes = {name: msgspec.structs.replace(table.schema[name], **plain) for name in homes}
    renumbered = table.replace(columns, attributes)
    return MaskedTable(renumbered, tuple(Unknown((name,)) for name in homes))


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
