"""What two files say of one attribute: its level, its categories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unveil.data.encode import codes
from unveil.data.generalised import code_sets
from unveil.errors import SchemaError

if TYPE_CHECKING:
    from unveil.data.microdata import Microdata
    from unveil.data.vocabulary import Level


def common_level(mine: Microdata, released: Microdata, column: str) -> Level:
    """The level of an attribute, which both files must agree on where both declare it."""
    declared = [data.schema[column].level for data in (mine, released)]
    if None not in declared and declared[0] != declared[1]:
        raise SchemaError(
            f"column '{column}' is {declared[0]} in the original and {declared[1]} in the "
            "release: declare one level for both, or leave it out of what the intruder knows"
        )
    return declared[0] or declared[1] or mine.level(column)


def common_categories(mine: Microdata, released: Microdata, column: str) -> tuple[str, ...]:
    """The categories of an attribute: in its order, else those of both files.

    Numbers stand by size, text by its characters: whatever the order of the rows.
    """
    order = mine.order(column) or released.order(column)
    if order:
        return order
    found = {label for data in (mine, released) for label in _categories(data, column)}
    try:
        return tuple(sorted(found, key=lambda label: (float(label), label)))
    except ValueError:
        return tuple(sorted(found))


def _categories(data: Microdata, column: str) -> tuple[str, ...]:
    if data.schema[column].generalised:
        return code_sets(data, column).categories
    return codes(data, column).categories
