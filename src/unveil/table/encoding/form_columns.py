"""Written forms as attributes: a missing code and a spelling are read by everybody."""

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import polars as pl

from unveil.table.attribute import Attribute
from unveil.table.cells import STAR
from unveil.table.columns import labels_of
from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.microdata import Microdata

VALUE = "value"  # the category of a cell without a code or another spelling
CODE, SPELT = "code ", "spelt "  # how the category of a cell with one begins
CODE_COLUMN, SPELLING_COLUMN = "(missing code)", "(spelling)"
Pair = tuple[pl.Series, pl.Series]  # the records and the release


def add_form_columns(
    records: Microdata, released: Microdata, columns: Sequence[str], *, spellings: bool = True
) -> tuple[Microdata, Microdata, dict[str, str]]:
    """Both files with more nominal columns: the missing codes, and spellings, of some columns.

    Where both files have missing codes, a new cell is the code, or that there is a value. A single
    code of the release stands for all codes of the records, since masks with a promise write one.
    Where both spell values in several ways, a new cell is the text of such a value, as 1.5 or 1.50,
    or that it is a value with one spelling. A new cell is missing where the cell is empty or a
    star. The third result gives, for each new column, the column that it describes.

    >>> from unveil.table.schema import Schema
    >>> texts = pl.DataFrame({"x": ["1.50", "1.5", "-8", "-9"]})
    >>> data = Microdata.from_text(texts, Schema(numeric="x", missing={"x": [-8, -9]}))
    >>> records, released, described = add_form_columns(data, data, ["x"])
    >>> for new in described:
    ...     print(new, records.column(new).to_list())
    x (missing code) ['value', 'value', 'code -8', 'code -9']
    x (spelling) ['spelt 1.50', 'spelt 1.5', 'value', 'value']
    """
    described: dict[str, str] = {}
    kinds = {CODE_COLUMN: _codes_of_both, SPELLING_COLUMN: _spellings_of_both}
    for name, kind in product(columns, kinds if spellings else [CODE_COLUMN]):
        forms = kinds[kind](records, released, name)
        if forms is None or pl.concat(forms).drop_nulls().n_unique() < 2:
            continue
        new = f"{name} {kind}"
        while new in records.columns or new in released.columns:
            new += "'"
        described[new] = name
        records = records.with_column(forms[0].alias(new), Attribute(level="nominal"))
        released = released.with_column(forms[1].alias(new), Attribute(level="nominal"))
    return records, released, described


def add_forms_of(people: Microdata, released: Microdata, described: Mapping[str, str]) -> Microdata:
    """Other people with the columns that `add_form_columns` gave to the release."""
    for new, name in described.items():
        theirs = released.column(new)
        if new.startswith(f"{name} {SPELLING_COLUMN}"):
            texts = SPELT + _texts(people, name)
            value = pl.Series([VALUE]).new_from_index(0, len(people))
            forms = texts.zip_with(texts.is_null() | texts.is_in(theirs.unique().implode()), value)
        else:
            forms = _as_released(_codes(people, name), theirs)
        people = people.with_column(forms.alias(new), Attribute(level="nominal"))
    return people


def _codes_of_both(records: Microdata, released: Microdata, name: str) -> Pair | None:
    if not (records.has_missing_codes(name) and released.has_missing_codes(name)):
        return None
    theirs = _codes(released, name)
    return _as_released(_codes(records, name), theirs), theirs


def _spellings_of_both(records: Microdata, released: Microdata, name: str) -> Pair | None:
    """The text of each cell whose value has several spellings in the two files together."""
    files = records, released
    if any(data.spellings(name) is None or data.schema[name].generalised for data in files):
        return None
    cell = pl.Series("cell", np.concatenate(common_cells(*files, column=name)))
    text = pl.concat([_texts(data, name) for data in files]).alias("text")
    several = pl.col("text").is_null() | (pl.col("text").n_unique().over("cell") > 1)
    forms = pl.DataFrame([cell, text]).select(
        pl.when(several).then(SPELT + pl.col("text")).otherwise(pl.lit(VALUE))
    )
    return forms.to_series()[: len(records)], forms.to_series()[len(records) :]


def _texts(data: Microdata, column: str) -> pl.Series:
    """The text of each cell, as it is in its file if a value has several spellings there."""
    spelt = data.spellings(column)
    return labels_of(data.column(column)) if spelt is None else spelt.cast(pl.String)


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
    return known.zip_with(code.is_null() | (code == ""), CODE + code)
