"""One attribute in two files: its common level, unit, categories and cells."""

from collections.abc import Sequence

import msgspec
import numpy as np
import polars as pl

from unveil.errors import SchemaError
from unveil.support.arrays import Bools, Floats, Ints
from unveil.table.columns import (
    LARGEST_EXACT,
    fits_a_float,
    labels_of,
    stored_as,
    text_ranks,
    values_of,
)
from unveil.table.encoding.generalised import code_sets
from unveil.table.encoding.to_arrays import check_computable, codes, numbers
from unveil.table.microdata import Microdata
from unveil.table.roles import Level

SECONDS_PER_DAY = 86_400.0


def common_level(original: Microdata, released: Microdata, column: str) -> Level:
    """The level of an attribute; an error if the files declare different ones."""
    attributes = [data.schema[column] for data in (original, released)]
    declared = [attribute.level for attribute in attributes]
    if None not in declared and declared[0] != declared[1]:
        raise SchemaError(
            f"column '{column}' is {declared[0]} in the original{attributes[0].doubt} and "
            f"{declared[1]} in the release{attributes[1].doubt}; declare one level for both, or "
            "leave it out of the known attributes"
        )
    return declared[0] or declared[1] or original.level(column)


def has_mixed_levels(original: Microdata, released: Microdata, column: str) -> bool:
    """Whether an attribute has declared categories in one file and numbers in the other.

    Categories that are numbers themselves are compared by one level for both files.
    """
    files = original, released
    levels = [data.level(column) for data in files]
    if levels.count("numeric") != 1 or any(data.schema[column].generalised for data in files):
        return False
    named = files[1 - levels.index("numeric")]
    if named.schema[column].level is None:
        return False
    labels = labels_of(named.column(column).drop_nulls().unique())
    return not labels.cast(pl.Float64, strict=False).is_not_null().any()


def common_numbers(*files: Microdata, column: str) -> list[Floats]:
    """The numbers of one column of several files, in one unit; NaN where missing.

    Dates count days and times count seconds; where one file has dates and another times, days
    become seconds.
    """
    for data in files:
        check_computable(numbers(data, [column]))  # which refuses categories
    return _in_one_unit(*files, column=column)


def _in_one_unit(*files: Microdata, column: str) -> list[Floats]:
    kinds = {_unit(data, column) for data in files}
    if len(kinds) > 1 and kinds != {"dates", "times"}:
        raise SchemaError(
            f"column '{column}' holds {' in one file and '.join(sorted(kinds))} in the other: "
            "give both the same type, or leave it out of the known attributes"
        )
    found = []
    for data in files:
        seconds = len(kinds) > 1 and _unit(data, column) == "dates"
        values: Floats = values_of(data.column(column)).to_numpy()
        found.append(values * (SECONDS_PER_DAY if seconds else 1))
    return found


def common_cells(*files: Microdata, column: str) -> list[Ints]:
    """The cells of one column of several files as integers, equal where the cells are.

    Numbers and dates are compared as numbers; text, generalised cells and columns that the files
    store differently by their text. The order is kept. An empty cell is -1, and each missing code
    is another integer below 0: a code is a category that everybody can read.
    """
    kinds = {_kind(data, column) for data in files}
    types = {data.column(column).dtype for data in files}
    if kinds == {"times"} and len(types) == 1:  # to the nanosecond
        times = pl.concat([data.column(column) for data in files]).to_physical()
        cells = _places(times.fill_null(0).to_numpy(), times.is_not_null().to_numpy())
    elif kinds in ({"numbers"}, {"dates"}, {"times"}, {"dates", "times"}):
        values = np.concatenate(_in_one_unit(*files, column=column))
        cells = _places(values, ~np.isnan(values))
    else:
        labels = pl.concat([labels_of(data.column(column)) for data in files])
        cells = text_ranks(labels).to_numpy().astype(np.int64) - 1
    if any(data.has_missing_codes(column) for data in files):
        ranks = text_ranks(pl.concat([data.missing_code(column) for data in files])).to_numpy()
        cells = np.where(ranks > 0, -1 - ranks, cells)
    return np.split(cells, np.cumsum([len(data) for data in files])[:-1])


def written_cells(data: Microdata, column: str) -> Ints:
    """The cells of one column as integers, equal where the cells are written alike.

    They are those of `common_cells`; but of a file that spells a value in several ways, as 1.5 and
    1.50, each spelling is another integer.
    """
    return data.remember(column, "written", lambda: _written_cells(data, column))


def _written_cells(data: Microdata, column: str) -> Ints:
    spelt = data.spellings(column)
    if spelt is None:
        cells = common_cells(data, column=column)[0]
    else:
        cells = spelt.to_physical().cast(pl.Int64).fill_null(-1).to_numpy() + 1
    cells.setflags(write=False)  # the same array for all who ask
    return cells


def _kind(data: Microdata, column: str) -> str:
    """What cells are compared as: integers that are not exact as floats compare as text."""
    cells = data.column(column)
    stored = stored_as(cells)
    if data.schema[column].generalised or not fits_a_float(cells):
        return "text"
    return "numbers" if stored == "whole numbers" else stored


def _places(values: Floats | Ints, present: Bools) -> Ints:
    """Whole numbers from 0 in the order of the values, -1 where missing."""
    cells, there = np.full(len(values), -1), values[present]
    if not len(there):
        return cells
    low, exact = there.min(), np.abs(there).max() < LARGEST_EXACT / 2
    if exact and (there == np.rint(there)).all():
        cells[present] = there - low  # as they are: to sort them would take longer
    else:
        cells[present] = np.unique(there, return_inverse=True)[1]
    return cells


def _unit(data: Microdata, column: str) -> str:
    kind = stored_as(data.column(column))
    return kind if kind in ("dates", "times") else "numbers"


def common_categories(original: Microdata, released: Microdata, column: str) -> tuple[str, ...]:
    """The categories of an attribute: its declared order, else the categories of both files.

    Numbers sort by size, text by its characters, so that the order of the rows does not matter.
    """
    order, other = original.order(column), released.order(column)
    if bool(order) != bool(other):  # numbers are in order without saying so
        order, other = (
            order or _natural(original, column, other),
            other or _natural(released, column, order),
        )
    if order and other and [c for c in order if c in other] != [c for c in other if c in order]:
        raise SchemaError(
            f"column '{column}' has different orders in the original and the release; declare "
            "one for both"
        )
    if order or other:
        if set(other) > set(order):
            return other
        return order if set(order) >= set(other) else _both_orders(order, released, column)
    found = {label for data in (original, released) for label in _categories(data, column)}
    try:
        return tuple(sorted(found, key=lambda label: (float(label), label)))
    except ValueError:
        return tuple(sorted(found))


def _natural(data: Microdata, column: str, other_order: tuple[str, ...]) -> tuple[str, ...]:
    """The order of an ordinal attribute's numbers, if some are not in the other file's order."""
    if data.schema[column].generalised or data.schema[column].level != "ordinal":
        return ()
    own = codes(data, column).categories
    return () if set(own) <= set(other_order) else own


def _both_orders(order: tuple[str, ...], released: Microdata, column: str) -> tuple[str, ...]:
    """Two orders as one: a new category follows those it stands for, or its predecessor."""
    merged, listed, at = released.schema[column].merged, list(order), 0
    if set(order).isdisjoint((*released.order(column), *(c for m in merged.values() for c in m))):
        return order  # which have nothing to do with each other
    for label in released.order(column):
        if label in listed:
            at = listed.index(label) + 1
            continue
        members = [listed.index(one) for one in merged.get(label, ()) if one in listed]
        at = max(members) + 1 if members else at
        listed.insert(at, label)
        at += 1
    return tuple(listed)


def _categories(data: Microdata, column: str) -> tuple[str, ...]:
    if data.schema[column].generalised:
        return code_sets(data, column).categories
    return codes(data, column).categories


def recode_like_release(
    release: Microdata, records: Microdata, columns: Sequence[str]
) -> Microdata:
    """The records with their categories merged as the release's schema says.

    An intruder with a release knows the meaning of its categories and compares accordingly.
    """
    cells, attributes = [], {}
    for name in columns:
        own, theirs = records.schema[name], release.schema[name]
        if not theirs.merged or own.merged == theirs.merged or own.generalised:
            continue
        table = {member: label for label, several in theirs.merged.items() for member in several}
        cells.append(labels_of(records.column(name)).replace(table))
        attributes[name] = msgspec.structs.replace(
            own,
            level=theirs.level,
            order=release.order(name),
            labels={},
            hierarchy=(),
            merged=theirs.merged,
        )
    return records.replace(cells, attributes) if cells else records
