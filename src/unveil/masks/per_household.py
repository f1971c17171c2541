"""Columns that describe a household: each is masked once, and all members get the masked cell.

A mask of single columns, or of sets of them, is parted: its household-level columns are masked on
a table with one row per household, so that ranks, groups and noise count households; the others on
the table of persons. A mask that keeps privacy models on all columns together cannot be parted:
members whose cells then differ get a star, and the models are kept again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from unveil.errors import errors_at
from unveil.masks.base import Draw, Mask, MaskedTable
from unveil.masks.generalisation.local_suppression import LocalSuppression
from unveil.models.base import Model
from unveil.models.compliance import check
from unveil.support.arrays import Ints
from unveil.support.options import Progress
from unveil.table.cells import STAR
from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.households import Homes, varying_columns
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Channel


class _Parts(NamedTuple):
    """A mask in two parts, and the table of the second."""

    persons: Mask | None  # None: every column is of households
    households: Mask
    columns: tuple[str, ...]  # of households
    homes: Homes  # in the order of the table
    table: Microdata  # one row per household


def check_mask(mask: Mask, data: Microdata, homes: Homes | None) -> None:
    """Raise an error if a mask cannot be applied to the persons or to the households of a table."""
    parts = _parts(mask, data, homes)
    if parts is None:
        mask.check(data)
        return
    if parts.persons is not None:
        parts.persons.check(data)
    with errors_at("once per household"):
        parts.households.check(parts.table)


def apply_mask(
    mask: Mask, data: Microdata, homes: Homes | None, draw: Draw, progress: Progress | None
) -> MaskedTable:
    """Mask a table; the columns that the schema declares per_household once per household."""
    parts = _parts(mask, data, homes)
    if parts is not None:
        nested = mask.apply_nested(data, parts.homes, parts.columns, progress)
        if nested is not None:
            return nested
        persons = MaskedTable(data)
        if parts.persons is not None:
            persons = parts.persons.apply(data, draw, progress)
        households = parts.households.apply(parts.table, draw, progress)
        if all(one.rows is None and not one.synthetic for one in (persons, households)):
            return _joined(data, parts, persons, households)
    columns = () if homes is None else _shared(data, mask.targets(data), homes)
    if homes is None or not columns:
        return mask.apply(data, draw, progress)
    # Of persons with equal cells, which get stars is arbitrary, and their households differ.
    order = np.arange(len(data)) if mask.is_random else _by_content(data, homes)
    ordered, left = data.take(order), homes.take(order)
    masked = _with_shared_cells(mask, ordered, left, columns, draw, progress)
    if not mask.is_random and not masked.synthetic:
        rows = order if masked.rows is None else order[masked.rows]
        back = np.argsort(rows, kind="stable")
        kept = None if masked.rows is None else rows[back]
        masked = replace(masked, data=masked.data.take(back), rows=kept)
    return replace(masked, details=mask.details_of(data, masked))


def _by_content(data: Microdata, homes: Homes) -> Ints:
    """The records in an order that does not depend on the file's, members one after another."""
    cells = (common_cells(data, column=name)[0] for name in sorted(data.columns))
    several = np.where(homes.sizes > 1, np.arange(len(homes)), -1)
    return np.lexsort((*cells, several[homes.of_record]))


def _with_shared_cells(
    mask: Mask,
    data: Microdata,
    homes: Homes,
    columns: Sequence[str],
    draw: Draw,
    progress: Progress | None,
) -> MaskedTable:
    """A masked table in which members share generalised cells, and the models are kept."""
    masked = mask.apply(data, draw, progress)
    if masked.synthetic:
        return masked
    left = homes if masked.rows is None else homes.take(masked.rows)
    table = masked.data
    while True:
        table, before = _closed(table, columns, left), table
        for models, keys in mask.guarantees(data) if table is not before else ():
            if not all(promise.kept for promise in check(table, models, keys=keys)):
                table = _repaired(mask, table, models, keys, draw)
        if table is before:
            return replace(masked, data=table)


def _shared(data: Microdata, columns: Sequence[str], homes: Homes) -> tuple[str, ...]:
    """The columns that are declared per_household and in which no members differ."""
    declared = [name for name in columns if data.schema[name].per_household]
    varying = varying_columns(data, homes, declared)
    return tuple(name for name in declared if name not in varying)


def _parts(mask: Mask, data: Microdata, homes: Homes | None) -> _Parts | None:
    if homes is None or len(homes) == len(data):
        return None
    targets = mask.targets(data)
    columns = _shared(data, targets, homes)
    of_households = mask.only(columns) if columns else None
    if of_households is None:
        return None
    others = [name for name in targets if name not in columns]
    ordered = homes.in_file_order()
    filled = [  # a cell may be missing for the first member and known for another
        cells.gather(ordered.known_members(cells.is_not_null().to_numpy()))
        for cells in map(data.column, columns)
    ]
    table = data.take(ordered.firsts).replace(filled)
    return _Parts(mask.only(others) if others else None, of_households, columns, ordered, table)


def _joined(
    data: Microdata, parts: _Parts, persons: MaskedTable, households: MaskedTable
) -> MaskedTable:
    """The masked persons with the cells of their masked households; missing cells stay missing."""
    known = {name: data.column(name).is_not_null() for name in parts.columns}
    columns = [
        households.data.column(name).gather(parts.homes.of_record).set(~known[name], None)
        for name in parts.columns
    ]
    attributes = {name: households.data.schema[name] for name in parts.columns}
    channels: list[Channel] = [*persons.channels]
    for channel in households.channels:
        members = parts.homes.of_record[known[channel.columns[0]].to_numpy()]
        sizes = np.bincount(members, minlength=len(parts.homes))
        channels.append(channel.of_members(parts.table, sizes))
    details = persons.details if households.details is None else households.details
    return MaskedTable(persons.data.replace(columns, attributes), tuple(channels), details=details)


def _closed(table: Microdata, columns: Sequence[str], homes: Homes) -> Microdata:
    """The table with a star for all members where their generalised cells differ."""
    for name in columns:
        cells = common_cells(table, column=name)[0]
        differs = homes.varies(cells)[homes.of_record] & (cells >= 0)
        if table.schema[name].generalised and differs.any():
            table = table.replace([table.column(name).set(pl.Series(differs), STAR)])
    return table


def _repaired(
    mask: Mask, table: Microdata, models: tuple[Model, ...], keys: tuple[str, ...], draw: Draw
) -> Microdata:
    """The table with more stars, so that the models hold.

    A star moves a record into another class, which may leave too few behind.
    """
    if not mask.adds_stars:
        mask = LocalSuppression(k=1, models=models, columns=keys)
        mask.check(table)
    return mask.apply(table, draw).data
