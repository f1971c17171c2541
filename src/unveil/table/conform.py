"""Conform columns to the schema: missing codes, numbers, categories, generalised cells."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
import polars as pl

from unveil.errors import DataError, MalformedCellError, SchemaError
from unveil.table.attribute import Attribute
from unveil.table.cells import Cell, OneOf, Prefix, Range, Star, parse_cell
from unveil.table.columns import (
    NUMBER,
    cell_of,
    first_row,
    fits_a_float,
    labels_of,
    not_numbers,
    numbers_from_text,
    stored_as,
    typed_from_text,
    without_minus_zero,
)
from unveil.table.hierarchies import Hierarchy
from unveil.table.infer import guess_attribute
from unveil.table.schema import Schema
from unveil.table.written_forms import spellings
from unveil.wording import absent_column, count

_NUMBER = re.compile(NUMBER)
IDENTIFYING_ROLES = {"identifier", "household"}  # never quantities


def check_columns(schema: Schema, columns: Sequence[str]) -> None:
    """Refuse a schema that names a column which is not there."""
    for name in schema:
        if name not in columns and not schema.lenient:
            raise SchemaError(absent_column(name, columns))


class ConformedColumn(NamedTuple):
    """A column that conforms to its attribute."""

    column: pl.Series
    attribute: Attribute
    codes: pl.Series | None  # the number of the missing code of each cell, 0 for none
    spellings: pl.Series | None  # each cell's text, if a value has several spellings

    def spelt_as(self, text: pl.Series) -> ConformedColumn:
        """The same column, with the spellings of another text of its cells."""
        return self._replace(spellings=spellings(text.cast(pl.String), self.column, self.codes))


def conform_column(
    raw: pl.Series, attribute: Attribute, decimal: str | None, *, ordered: bool
) -> ConformedColumn:
    """Conform one declared column to its attribute: missing codes, level, categories.

    ``ordered``: the column's type has an order, used where the schema gives none. ``decimal``: the
    column is from a text file and its type is yet to be found; whole numbers then stand for their
    text.
    """
    is_open = _type_is_open(attribute)
    as_numbers = is_open or (attribute.level == "numeric" and not attribute.generalised)
    if decimal is not None and (attribute.missing or not as_numbers):  # their spelling matters
        raw = raw.cast(pl.String)
    column, numbers = _mark_missing(raw, attribute.missing)
    if decimal is not None and is_open:
        column = typed_from_text(column, decimal)
    attribute = _fill_in(attribute, column, ordered=ordered)
    if attribute.level == "ordinal" and not (attribute.order or ordered):
        _check_natural_order(column, attribute)
    if attribute.generalised:
        _check_generalised(column, attribute)
    else:
        if attribute.level == "numeric":
            column = _as_numbers(column, decimal or ".")
        column = _check_categories(column, attribute)
    if attribute.missing and column.dtype != raw.dtype:  # "9.0" in a text file is the code 9
        column, more = _mark_missing(column, attribute.missing)
        numbers = numbers.zip_with(numbers > 0, more)
    _check_finite(column)
    column, codes = without_minus_zero(column), numbers if attribute.missing else None
    return ConformedColumn(column, attribute, codes, spellings(raw, column, codes))


def conform_undeclared(raw: pl.Series, decimal: str | None) -> ConformedColumn:
    """Find the type of an undeclared column of a text file."""
    column = raw if decimal is None else typed_from_text(raw, decimal)
    _check_finite(column)
    column = without_minus_zero(column)
    return ConformedColumn(column, Attribute(), None, spellings(raw, column, None))


def _type_is_open(attribute: Attribute) -> bool:
    """Whether a column of a text file may become numbers; codes like 007 stay text."""
    return not attribute.generalised and (
        attribute.level is None or (attribute.level == "ordinal" and not attribute.order)
    )


def _fill_in(attribute: Attribute, column: pl.Series, *, ordered: bool) -> Attribute:
    if attribute.level is not None:
        return attribute
    if attribute.role & IDENTIFYING_ROLES:
        return msgspec.structs.replace(attribute, level="nominal")
    guess = guess_attribute(column, ordered=ordered)
    question = attribute.question or guess.question
    return msgspec.structs.replace(attribute, level=guess.level, question=question)


def _mark_missing(column: pl.Series, codes: tuple[str, ...]) -> tuple[pl.Series, pl.Series]:
    """Make cells with a missing code null; return the number of the code in each."""
    marks = pl.zeros(len(column), pl.UInt16, eager=True).alias(column.name)
    if not codes:
        return column, marks
    labels = labels_of(column)
    for number, code in enumerate(codes, start=1):
        cell = cell_of(code, column.dtype)  # -9.0 is -9 among whole numbers
        if cell is not None:
            marks = marks.set((labels == labels_of(cell).item()).fill_null(False), number)
    return column.set(marks > 0, None), marks


def without_cells(column: pl.Series, texts: Sequence[str]) -> pl.Series:
    """A column in which the cells with some texts are empty; itself, if it has none of them."""
    if not texts or not (here := column.cast(pl.String).is_in(list(texts))).any():
        return column
    return column.set(here.fill_null(False), None)


def mark_tags(conformed: ConformedColumn, tags: pl.Series) -> ConformedColumn:
    """Mark missing cells by their tags (.a, .b), which are kept apart from the cells."""
    codes = conformed.codes
    if codes is None:
        return conformed
    for number, code in enumerate(conformed.attribute.missing, start=1):
        codes = codes.set((tags == code).fill_null(False), number)
    return conformed._replace(codes=codes)


def _check_finite(column: pl.Series) -> None:
    if column.dtype.is_float() and (infinite := column.is_infinite().fill_null(False)).any():
        raise DataError(
            f"column '{column.name}' has {count(int(infinite.sum()), 'infinite number')} "
            f"(first in row {first_row(infinite)}); correct them or make them missing"
        )


def _as_numbers(column: pl.Series, decimal: str) -> pl.Series:
    if stored_as(column) == "text":
        typed = typed_from_text(column, decimal)
        cells = column.set(column == "", None)
        words = not_numbers(cells, decimal)
        if stored_as(typed) != "text":
            column = typed
        elif words.any():
            raise DataError(
                f"column '{column.name}' is numeric and some cells are not numbers: "
                f"{int(words.sum()):,}, the first in row {first_row(words)}; correct them, "
                f"declare a missing code, or declare another level{_comma_hint(column)}"
            )
        else:  # 007 is declared to be a number
            column = numbers_from_text(cells, decimal)
    if not fits_a_float(column):
        raise DataError(
            f"column '{column.name}' is numeric and has whole numbers beyond 2^53, which "
            "arithmetic cannot distinguish; declare it nominal, or rescale it"
        )
    return column


def _comma_hint(column: pl.Series) -> str:
    for decimal, name in ((",", "comma"), (".", "point")):
        if not not_numbers(column, decimal).any():
            return f"; they look like numbers with a decimal {name}: read the file with that"
    return ""


def _check_natural_order(column: pl.Series, attribute: Attribute) -> None:
    if attribute.generalised or stored_as(column) == "text":  # a file has generalised cells as text
        what = "and generalised" if attribute.generalised else "text"
        raise SchemaError(
            f"attribute '{column.name}' is ordinal {what} without an order; "
            "list its categories in order, lowest first"
        )


def _check_categories(column: pl.Series, attribute: Attribute) -> pl.Series:
    """Refuse categories outside the order or the hierarchy, where there is one."""
    leaves = tuple(row[0] for row in attribute.hierarchy)
    for name, categories in (("order", attribute.order), ("hierarchy", leaves)):
        if categories:
            column = _as_listed(column, categories)
            part = "the order" if name == "order" else "level 0 of the hierarchy"
            where = f"{part} of attribute '{column.name}'"
            report_unlisted(labels_of(column), categories, where)
    return column


def _as_listed(column: pl.Series, categories: Sequence[str]) -> pl.Series:
    """Text "1.0" is the category 1 where that is what the list has."""
    if column.dtype != pl.String:
        return column
    as_number = labels_of(column.cast(pl.Float64, strict=False))
    listed = list(categories)
    swap = ~column.is_in(listed) & as_number.is_in(listed)
    return column.zip_with(~swap.fill_null(False), as_number)


def report_unlisted(labels: pl.Series, categories: Sequence[str], where: str) -> None:
    """Refuse labels that are not among the categories, without naming one."""
    unlisted = ~labels.is_in(list(categories)).fill_null(True)
    if unlisted.any():
        raise unlisted_categories(unlisted, where)


def unlisted_categories(records: pl.Series, where: str) -> SchemaError:
    """The error for categories that are not listed: how many records, and the first."""
    return SchemaError(
        f"{where} misses a category found in {count(int(records.sum()), 'record')} (first in row "
        f"{first_row(records)}); list every category, or declare a missing code"
    )


def _check_generalised(column: pl.Series, attribute: Attribute) -> None:
    labels = labels_of(column)
    fits = _fitting(attribute)
    bad = [cell for cell in labels.drop_nulls().unique() if not fits(cell)]
    if bad:
        malformed = labels.is_in(bad).fill_null(False)
        raise DataError(
            f"column '{column.name}' is generalised and some cells do not fit: "
            f"{int(malformed.sum()):,}, the first in row {first_row(malformed)}; write "
            f"{_CELLS[attribute.level or 'nominal']}"
        )


_CELLS = {
    "numeric": "a number, a range from low to high (20..24) or *",
    "ordinal": "a category, a range of them (low..mid), a set ({low|high}) or *, as in its order, "
    "or a group of its hierarchy",
    "nominal": "a category, a set of them ({a|b}), a beginning (010*), a group of its hierarchy, "
    "where it has one, or *",
}


def _fitting(attribute: Attribute) -> Callable[[str], bool]:
    """The test whether a cell fits a generalised attribute."""
    place = {category: code for code, category in enumerate(attribute.order)}
    groups = Hierarchy.of(attribute.hierarchy)

    def fits(text: str) -> bool:
        try:
            cell = parse_cell(text)
        except MalformedCellError:
            return False
        if attribute.level == "numeric":
            return _fits_numbers(cell)
        if isinstance(cell, Range):
            places = [place[end] for end in cell if end in place]
            return len(places) == 2 - cell.count(None) and places == sorted(places)
        if isinstance(cell, Prefix):
            return attribute.level == "nominal"
        if isinstance(cell, Star) or not (place or groups.leaves):
            return True
        return all(value in place or value in groups for value in cell.values)

    return fits


def _fits_numbers(cell: Cell) -> bool:
    if isinstance(cell, Prefix) or (isinstance(cell, OneOf) and len(cell.values) > 1):
        return False
    ends = cell.values if isinstance(cell, OneOf) else [end for end in cell if end is not None]
    if not all(_NUMBER.fullmatch(end) and math.isfinite(float(end)) for end in ends):
        return False
    numbers = [float(end) for end in ends]
    return numbers == sorted(numbers)


def conforming_cells(columns: Sequence[pl.Series], schema: Schema) -> list[pl.Series]:
    """Masked columns without minus zero, checked against their attributes."""
    columns = [without_minus_zero(column) for column in columns]
    for column in columns:
        _check_cells(column, schema[column.name])
    return columns


def _check_cells(column: pl.Series, attribute: Attribute) -> None:
    _, marks = _mark_missing(column, attribute.missing)
    if (marks > 0).any():
        raise DataError(
            f"column '{column.name}' has {count(int((marks > 0).sum()), 'masked value')} equal "
            "to a missing code, which would be read as missing; declare a missing code that no "
            "value can have, or leave missing cells blank"
        )
    if attribute.generalised:
        _check_generalised(column, attribute)
    else:
        _check_categories(column, attribute)
    _check_finite(column)


def restore_codes(
    column: pl.Series, marks: pl.Series, codes: tuple[str, ...], decimal: str | None
) -> pl.Series:
    """Put missing codes back where the column's type can hold them.

    ``decimal``: the column may become text, which can hold every code.
    """
    for number, code in enumerate(codes, start=1):
        here = marks == number
        if not here.any():
            continue
        cell = cell_of(code, column.dtype)
        if cell is None and decimal is not None:
            column = labels_of(column).str.replace(".", decimal, literal=True)
            cell = pl.Series([code])
        if cell is not None:
            column = column.zip_with(~here, cell.new_from_index(0, len(column)))
    return column
