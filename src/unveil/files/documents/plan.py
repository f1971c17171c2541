"""Plans as TOML files, and row maps as tables."""

import os
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import polars as pl

from unveil.errors import DataError, SpecError, UnveilError
from unveil.files.documents.toml import read_toml
from unveil.masks import Mask
from unveil.support.arrays import Ints
from unveil.support.specs import find_method
from unveil.table.encoding.to_arrays import numbers
from unveil.table.microdata import Microdata
from unveil.values.release.plan import Plan
from unveil.wording import count, listing, suggest

KEYS = ("seed", "version", "keep_order", "mask")


def read_plan(path: str | os.PathLike[str]) -> Plan:
    r"""Read a plan from its TOML file.

    The file has a table ``[[mask]]`` for each step, with the method's name and its
    parameters, and may have a ``seed``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "plan.toml")
    ...     _ = path.write_text('seed = 7\n[[mask]]\nmethod = "rank-swapping"\np = 8')
    ...     read_plan(path).masks[0].p
    8.0
    """
    return read_toml(path, "plan", plan_from, SpecError)


def plan_from(table: Mapping[str, Any]) -> Plan:
    """Make a plan of plain values, as a TOML file holds them."""
    for key in table:
        if key not in KEYS:
            raise SpecError(
                f"'{key}' is not a key of a plan; keys are: {listing(KEYS)}{suggest(key, KEYS)}"
            )
    steps = table.get("mask")
    if not isinstance(steps, list) or not all(isinstance(step, Mapping) for step in steps):
        raise SpecError("a plan has a table [[mask]] for each step, in order")
    masks = []
    for number, step in enumerate(steps, start=1):
        try:
            masks.append(mask_from(step))
        except UnveilError as error:
            error.at(f"step {number}")
            raise
    settings = {key: table[key] for key in ("seed", "keep_order") if key in table}
    return Plan(tuple(masks), **settings, version=str(table.get("version", "")))


def mask_from(table: Mapping[str, Any]) -> Mask:
    """Make a mask of plain values: the method's name and its parameters."""
    from unveil.masks import METHODS

    spec = find_method(METHODS, table.get("method"), "a mask")
    return spec(**{name: value for name, value in table.items() if name != "method"})


def plan_toml(plan: Plan) -> bytes:
    """Return the plan as the bytes of its TOML file."""
    return msgspec.toml.encode(plan.to_dict())


def read_row_map(path: str | os.PathLike[str], originals: int, released: int) -> Ints:
    """Read which original row each released row came from; -1: from none.

    A table with the columns `released` and `original`, rows counted from 1.
    """
    from unveil.files.tables import read

    table = read(path)
    try:
        of_release = _rows_in(table, "released", released)
        of_original = _rows_in(table, "original", originals, blank=True)
        listed = len(np.unique(of_release))
        if listed < len(of_release):
            raise DataError("the row map lists a released row twice")
        if listed < released:
            raise DataError(
                f"the row map lists {listed:,} of {released:,} released rows: list them all, with "
                "no original where they have none"
            )
    except UnveilError as error:
        error.at(str(path))
        raise
    row_map = np.full(released, -1)
    row_map[of_release] = of_original
    return row_map


def _rows_in(table: Microdata, column: str, most: int, *, blank: bool = False) -> Ints:
    """A column of row numbers, from 0; -1 where it is blank."""
    if column not in table.columns:
        raise DataError(
            f"a row map has the columns released and original; this has: {listing(table.columns)}"
        )
    values = numbers(table, [column]).values[:, 0]
    inside = (values >= 1) & (values <= most) & (values == np.rint(values))
    inside |= np.isnan(values) & blank
    if not inside.all():
        raise DataError(
            f"the row map's column '{column}' is no row of its file, from 1 to {most:,}, in "
            f"{count(int((~inside).sum()), 'record')}: is it the map of another release?"
        )
    return np.where(np.isnan(values), 0, values).astype(np.int64) - 1


def row_map_table(rows: Ints) -> Microdata:
    """Which original row each released row came from, rows counted from 1."""
    table = {"released": np.arange(len(rows)) + 1, "original": rows + 1}
    return Microdata(pl.DataFrame(table))
