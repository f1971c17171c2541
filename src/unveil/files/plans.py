"""Plans as TOML files, and row maps as CSV files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import polars as pl

from unveil.data.release import Plan
from unveil.data.specs import method_name
from unveil.errors import FileError, SpecError, UnveilError, listing, nearest, reason
from unveil.files.schemas import as_path

if TYPE_CHECKING:
    import os
    from typing import BinaryIO

    from unveil.data.encode import Ints
    from unveil.masks import Mask

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
    path = as_path(path)
    try:
        return plan_from(msgspec.toml.decode(path.read_text(encoding="utf-8-sig")))
    except OSError as error:
        raise FileError(f"the plan cannot be read: {reason(error)}").at(str(path)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SpecError(f"this is not TOML: {error}").at(str(path)) from None
    except UnveilError as error:
        error.at(str(path))
        raise


def plan_from(table: Mapping[str, Any]) -> Plan:
    """Make a plan of plain values, as a TOML file holds them."""
    for key in table:
        if key not in KEYS:
            raise SpecError(
                f"'{key}' is not a key of a plan; keys are: {listing(KEYS)}{nearest(key, KEYS)}"
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

    known = {method_name(spec): spec for spec in METHODS}
    given = table.get("method")
    if not isinstance(given, str) or given not in known:
        word = "" if given is None else f"'{given}' is not a mask; "
        raise SpecError(f"{word}method: one of {listing(known)}{nearest(str(given or ''), known)}")
    return known[given](**{name: value for name, value in table.items() if name != "method"})


def plan_toml(plan: Plan) -> bytes:
    """Return the plan as the bytes of its TOML file."""
    return msgspec.toml.encode(plan.to_dict())


def save_row_map(rows: Ints, file: BinaryIO) -> None:
    """Write which original row each released row came from, rows counted from 1."""
    table = {"released": np.arange(len(rows)) + 1, "original": rows + 1}
    pl.DataFrame(table).write_csv(file)
