"""Hold the columns to the schema: what is missing, what is a number, what is a category."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import polars as pl

from unveil.data.attribute import Attribute  # noqa: TC001 - a field of Settled
from unveil.data.cells import MalformedCellError, OneOf, Range, parse_cell
from unveil.data.columns import (
    NUMBER,
    cell_of,
    first_row,
    fits_a_float,
    labels_of,
    not_numbers,
    numbers_from_text,
    stored_as,
    typed_from_text,
)
from unveil.data.guess import guess_attribute
from unveil.errors import DataError, SchemaError, count, listing, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unveil.data.schema import Schema

_NUMBER = re.compile(NUMBER)
NAMES_SOMEONE = {"identifier", "household"}  # whatever they look like, not quantities


def check_columns(schema: Schema, columns: Sequence[str]) -> None:
    """Every column that the schema names is there."""
    for name in schema:
        if name not in columns:
            raise SchemaError(
                f"column '{name}' is not in the data; it has: {listing(columns)}"
                f"{nearest(name, columns)}"
            )


class Settled(NamedTuple):
    """A column held to its attribute."""

    column: pl.Series
    attribute: Attribute
    marks: pl.Series | None  # which missing code a cell held, 0 for none


def settle(
    raw: pl.Series, attribute: Attribute, order: tuple[str, ...], decimal: str | None
) -> Settled:
    """Hold one declared column to its attribute: missing codes, level, categories.

    ``order`` is that of an ordered categorical type, used when the schema gives none;
    ``decimal`` is given for a column of a text file, whose types are yet to be found.
    """
    column, marks = _mark_missing(raw, attribute.missing)
    if decimal is not None and _type_is_open(attribute):
        column = typed_from_text(column, decimal)
    attribute = _fill_in(attribute, column, order)
    if attribute.generalised:
        _check_cells(column, attribute)
    elif attribute.level == "numeric":
        column = _as_numbers(column, decimal or ".")
    if not attribute.generalised:
        _check_categories(column, attribute)
    if attribute.missing and column.dtype != raw.dtype:  # "9.0" in a text file is the code 9
        column, more = _mark_missing(column, attribute.missing)
        marks = marks.zip_with(marks > 0, more)
    _check_finite(column)
    return Settled(column, attribute, marks if attribute.missing else None)


def settle_undeclared(column: pl.Series, decimal: str | None) -> pl.Series:
    """Find the type of a text file's column that nothing is declared of."""
    if decimal is not None:
        column = typed_from_text(column, decimal)
    _check_finite(column)
    return column


def _type_is_open(attribute: Attribute) -> bool:
    """Whether a text file's column may turn out to be numbers; codes like 007 stay text."""
    return not attribute.generalised and (
        attribute.level is None or (attribute.level == "ordinal" and not attribute.order)
    )


def _fill_in(attribute: Attribute, column: pl.Series, order: tuple[str, ...]) -> Attribute:
    """Guess a level that was left open."""
    if attribute.level is None and attribute.role & NAMES_SOMEONE:
        return msgspec.structs.replace(attribute, level="nominal")
    if attribute.level is None:
        guess = guess_attribute(column, order)
        question = attribute.question or guess.question
        return msgspec.structs.replace(
            attribute, level=guess.level, order=guess.order, question=question
        )
    if attribute.level == "ordinal" and not attribute.order:
        return msgspec.structs.replace(attribute, order=order)
    return attribute


def _mark_missing(column: pl.Series, codes: tuple[str, ...]) -> tuple[pl.Series, pl.Series]:
    """Make cells that hold a missing code null; say which code each held."""
    marks = pl.zeros(len(column), pl.UInt16, eager=True).alias(column.name)
    if not codes:
        return column, marks
    labels = labels_of(column)
    for number, code in enumerate(codes, start=1):
        cell = cell_of(code, column.dtype)  # -9.0 is -9 among whole numbers
        if cell is not None:
            marks = marks.set((labels == labels_of(cell).item()).fill_null(False), number)
    return column.set(marks > 0, None), marks


def _check_finite(column: pl.Series) -> None:
    """No number is infinite."""
    if column.dtype.is_float() and (infinite := column.is_infinite().fill_null(False)).any():
        raise DataError(
            f"column '{column.name}' has {count(int(infinite.sum()), 'infinite number')} "
            f"(first in row {first_row(infinite)}); correct them or make them missing"
        )


def _as_numbers(column: pl.Series, decimal: str) -> pl.Series:
    if stored_as(column) == "text":
        words = not_numbers(column, decimal)
        if words.any():
            raise DataError(
                f"column '{column.name}' is numeric and some cells do not read as a number: "
                f"{int(words.sum()):,}, the first in row {first_row(words)}; correct them, "
                f"declare what means missing, or declare another level{_comma_hint(column)}"
            )
        column = numbers_from_text(column, decimal)
    if not fits_a_float(column):
        raise DataError(
            f"column '{column.name}' is numeric and has whole numbers beyond 2^53, which "
            "cannot be told apart in arithmetic; declare it nominal, or rescale it"
        )
    return column


def _comma_hint(column: pl.Series) -> str:
    for decimal, name in ((",", "comma"), (".", "point")):
        if not not_numbers(column, decimal).any():
            return f"; they look like numbers with a decimal {name}: read the file with that"
    return ""


def _check_categories(column: pl.Series, attribute: Attribute) -> None:
    if attribute.level == "ordinal" and not attribute.order and stored_as(column) == "text":
        raise SchemaError(
            f"attribute '{column.name}' is ordinal text without an order; "
            "list its categories in order, lowest first"
        )
    listed = [("order", attribute.order), ("hierarchy", [row[0] for row in attribute.hierarchy])]
    labels = labels_of(column)
    for name, categories in listed:
        if categories:
            report_unlisted(labels, categories, f"the {name} of attribute '{column.name}'")


def report_unlisted(labels: pl.Series, categories: Sequence[str], where: str) -> None:
    """Refuse labels that are not among the categories, without naming one."""
    unlisted = ~labels.is_in(list(categories)).fill_null(True)
    if unlisted.any():
        raise unlisted_categories(unlisted, where)


def unlisted_categories(records: pl.Series, where: str) -> SchemaError:
    """Say how many records hold a category that is not listed, and where the first is."""
    return SchemaError(
        f"{where} misses a category found in {count(int(records.sum()), 'record')} "
        f"(first in row {first_row(records)}); list every category, or declare what means missing"
    )


def _check_cells(column: pl.Series, attribute: Attribute) -> None:
    labels = labels_of(column)
    bad = [cell for cell in labels.drop_nulls().unique() if not _fits(cell, attribute)]
    if bad:
        malformed = labels.is_in(bad).fill_null(False)
        raise DataError(
            f"column '{column.name}' is generalised and some cells do not fit: "
            f"{int(malformed.sum()):,}, the first in row {first_row(malformed)}; write a value, "
            "a range (20..24), a set ({a|b}) or *, with the categories that the schema declares"
        )


def _fits(text: str, attribute: Attribute) -> bool:
    try:
        cell = parse_cell(text)
    except MalformedCellError:
        return False
    numeric = attribute.level == "numeric"
    if isinstance(cell, Range):
        ends = [end for end in cell if end is not None]
        if numeric:
            numbers = [float(end) for end in ends if _NUMBER.fullmatch(end)]
            return len(numbers) == len(ends) and numbers == sorted(numbers)
        places = [attribute.order.index(end) for end in ends if end in attribute.order]
        return len(places) == len(ends) and places == sorted(places)
    if isinstance(cell, OneOf):
        if numeric:
            return len(cell.values) == 1 and bool(_NUMBER.fullmatch(cell.values[0]))
        return not attribute.order or set(cell.values) <= set(attribute.order)
    return True


def restore_codes(
    column: pl.Series, marks: pl.Series, codes: tuple[str, ...], decimal: str | None
) -> pl.Series:
    """Put missing codes back where the column's type can hold them.

    ``decimal`` is given where the column may become text, in which every code can stand.
    """
    for number, code in enumerate(codes, start=1):
        here = (marks == number) & column.is_null()
        if not here.any():
            continue
        cell = cell_of(code, column.dtype)
        if cell is None and decimal is not None:
            column = labels_of(column).str.replace(".", decimal, literal=True)
            cell = pl.Series([code])
        if cell is not None:
            column = column.zip_with(~here, cell.new_from_index(0, len(column)))
    return column
