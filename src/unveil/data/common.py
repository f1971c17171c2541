"""What two files say of one attribute: its level, its categories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from unveil.data.columns import labels_of, stored_as
from unveil.data.encode import Numbers, check_computable, codes, numbers
from unveil.data.generalised import code_sets
from unveil.errors import SchemaError

if TYPE_CHECKING:
    from unveil.data.encode import Floats, Ints
    from unveil.data.microdata import Microdata
    from unveil.data.vocabulary import Level

SECONDS = 86_400.0  # of a day


def common_level(mine: Microdata, released: Microdata, column: str) -> Level:
    """The level of an attribute, which both files must agree on where both declare it."""
    declared = [data.schema[column].level for data in (mine, released)]
    if None not in declared and declared[0] != declared[1]:
        raise SchemaError(
            f"column '{column}' is {declared[0]} in the original and {declared[1]} in the "
            "release: declare one level for both, or leave it out of what the intruder knows"
        )
    return declared[0] or declared[1] or mine.level(column)


def common_numbers(*files: Microdata, column: str) -> list[Floats]:
    """The numbers of one column of several files, in one unit; a NaN where missing.

    A date counts days and a time seconds: where one file has the one and another the other,
    days are turned into seconds.
    """
    found = _in_one_unit(*files, column=column)
    for values in found:
        check_computable(Numbers((column,), values[:, None], ~np.isnan(values)[:, None]))
    return found


def _in_one_unit(*files: Microdata, column: str) -> list[Floats]:
    kinds = {_unit(data, column) for data in files}
    if len(kinds) > 1 and kinds != {"dates", "times"}:
        raise SchemaError(
            f"column '{column}' holds {' in one file and '.join(sorted(kinds))} in the other: "
            "give both the same type, or leave it out of what the intruder knows"
        )
    found = []
    for data in files:
        encoded = numbers(data, [column])
        seconds = len(kinds) > 1 and _unit(data, column) == "dates"
        found.append(encoded.values[:, 0] * (SECONDS if seconds else 1))
    return found


def common_cells(*files: Microdata, column: str) -> list[Ints]:
    """The cells of one column of several files as whole numbers, the same where cells are.

    Numbers are compared as numbers, categories and generalised cells by their text; -1 where
    missing.

    >>> from unveil.data.samples import households
    >>> sample = households(4)
    >>> [cells.tolist() for cells in common_cells(sample, sample.take([3, 1]), column="age")]
    [[3, 1, 2, 0], [0, 1]]
    """
    if all(_holds_numbers(data, column) for data in files):
        values = np.concatenate(_in_one_unit(*files, column=column))
        cells, present = np.full(len(values), -1), ~np.isnan(values)
        cells[present] = np.unique(values[present], return_inverse=True)[1]
    else:
        labels = pl.concat([labels_of(data.column(column)) for data in files])
        cells = labels.rank("dense").cast(pl.Int64).fill_null(0).to_numpy() - 1
    return np.split(cells, np.cumsum([len(data) for data in files])[:-1])


def _holds_numbers(data: Microdata, column: str) -> bool:
    plain = not data.schema[column].generalised and data.level(column) == "numeric"
    return plain and stored_as(data.column(column)) not in ("text", "truth values")


def _unit(data: Microdata, column: str) -> str:
    kind = stored_as(data.column(column))
    return kind if kind in ("dates", "times") else "numbers"


def common_categories(mine: Microdata, released: Microdata, column: str) -> tuple[str, ...]:
    """The categories of an attribute: in its order, else those of both files.

    Numbers stand by size, text by its characters: whatever the order of the rows.
    """
    order, other = mine.order(column), released.order(column)
    if order and other and [c for c in order if c in other] != [c for c in other if c in order]:
        raise SchemaError(
            f"column '{column}' has one order in the original and another in the release: "
            "declare one for both"
        )
    if order or other:
        return other if set(other) > set(order) else order
    found = {label for data in (mine, released) for label in _categories(data, column)}
    try:
        return tuple(sorted(found, key=lambda label: (float(label), label)))
    except ValueError:
        return tuple(sorted(found))


def _categories(data: Microdata, column: str) -> tuple[str, ...]:
    if data.schema[column].generalised:
        return code_sets(data, column).categories
    return codes(data, column).categories
