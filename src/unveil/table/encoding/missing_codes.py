"""Missing codes as an attribute: which code a cell has is a category that everybody can read."""

from collections.abc import Mapping, Sequence

import polars as pl

from unveil.table.attribute import Attribute
from unveil.table.cells import STAR
from unveil.table.columns import labels_of
from unveil.table.microdata import Microdata

VALUE = "value"  # the category of a cell without a code; that of a code begins with "code"


def add_code_columns(
    records: Microdata, released: Microdata, columns: Sequence[str]
) -> tuple[Microdata, Microdata, dict[str, str]]:
    """Both files with one more nominal column for each column in which both have missing codes.

    A new cell is the missing code, or that there is a value; it is missing where the cell is empty
    or a star. A single code of the release stands for all codes of the records, since masks with a
    promise write one. The third result gives, for each new column, the column that it describes.

    >>> from unveil.table.schema import Schema
    >>> frame = pl.DataFrame({"age": [31, -8, -9]})
    >>> data = Microdata(frame, Schema(quasi="age", missing={"age": [-8, -9]}))
    >>> records, released, described = add_code_columns(data, data, ["age"])
    >>> described, records.column("age (missing code)").to_list()
    ({'age (missing code)': 'age'}, ['value', 'code -8', 'code -9'])
    """
    described: dict[str, str] = {}
    for name in columns:
        if not (records.has_missing_codes(name) and released.has_missing_codes(name)):
            continue
        theirs = _codes(released, name)
        ours = _as_released(_codes(records, name), theirs)
        if pl.concat([ours, theirs]).drop_nulls().n_unique() < 2:
            continue
        new = f"{name} (missing code)"
        while new in records.columns or new in released.columns:
            new += "'"
        described[new] = name
        records = records.with_column(ours.alias(new), Attribute(level="nominal"))
        released = released.with_column(theirs.alias(new), Attribute(level="nominal"))
    return records, released, described


def add_codes_of(people: Microdata, released: Microdata, described: Mapping[str, str]) -> Microdata:
    """Other people with the columns that `add_code_columns` gave to the release."""
    for new, name in described.items():
        codes = _as_released(_codes(people, name), released.column(new))
        people = people.with_column(codes.alias(new), Attribute(level="nominal"))
    return people


def _as_released(codes: pl.Series, released: pl.Series) -> pl.Series:
    """The codes of records, as the release writes them if it has a single code."""
    listed = released.filter(released != VALUE).unique()
    coded = (codes != VALUE).fill_null(False)
    return codes.set(coded, listed.item()) if len(listed) == 1 else codes


def _codes(data: Microdata, column: str) -> pl.Series:
    """The missing code of each cell, or that it has a value; null where it is empty or a star."""
    cells, code = labels_of(data.column(column)), data.missing_code(column)
    empty = cells.is_null() | (code == "").fill_null(False)
    if data.schema[column].generalised:
        empty |= (cells == STAR).fill_null(False)
    known = pl.Series([VALUE]).new_from_index(0, len(data)).set(empty, None)
    return known.zip_with(code.is_null() | (code == ""), "code " + code)
