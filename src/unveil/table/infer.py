"""Guess the levels of undeclared columns, never roles; a doubt is left as a question."""

import polars as pl

from unveil.table.attribute import Attribute
from unveil.table.columns import first_row, fits_a_float, is_whole, not_numbers, stored_as
from unveil.table.roles import Level

FEW_DISTINCT = 20  # whole numbers with at most this many values may well be codes
_LEVEL: dict[str, Level] = {"text": "nominal", "truth values": "nominal"}


def guess_attribute(column: pl.Series, *, ordered: bool = False) -> Attribute:
    """Guess one column's level; ``ordered``: its type has an order of its own.

    That order is not written into the schema: it is not declared, and it may list cells.
    """
    if ordered:
        question = (
            "the column's type lists its categories in an order: is the order meaningful (ordinal)?"
        )
        return Attribute(level="ordinal", question=question)
    return Attribute(level=guess_level(column), question=_question(column))


def propose_attribute(column: pl.Series, *, ordered: bool = False) -> Attribute:
    """The guess for a schema file that is yet to be written: two whole numbers are a code."""
    guess = guess_attribute(column, ordered=ordered)
    whole = column.dtype.is_integer()  # 1.0 is written as such, which is another text than 1
    if guess.level == "numeric" and whole and column.drop_nulls().n_unique() == 2:
        return Attribute(level="nominal")
    return guess


def guess_level(column: pl.Series, *, ordered: bool = False) -> Level:
    """The level alone, from the type of the column."""
    if ordered:
        return "ordinal"
    return _LEVEL.get(stored_as(column), "numeric") if fits_a_float(column) else "nominal"


def _question(column: pl.Series) -> str:
    present = column.drop_nulls()
    if present.is_empty():
        return "every cell is missing: is the column needed?"
    distinct = present.n_unique()
    if distinct == 1:
        return "one value in every record: is the column needed?"
    if is_whole(column) and distinct <= FEW_DISTINCT:
        return (
            f"{distinct} distinct whole numbers: a quantity (numeric), "
            "or a code (ordinal, nominal)?"
        )
    return _question_of_text(column) if stored_as(column) == "text" else ""


def _question_of_text(column: pl.Series) -> str:
    others, n = not_numbers(column), len(column.drop_nulls())
    wrong = int(others.sum())
    if not wrong:
        return "numbers that are written like codes (007): a code (nominal), or a quantity?"
    if 2 * wrong < n:
        return (
            f"not numbers: {wrong:,} of {n:,} cells, the first in row {first_row(others)}: "
            "errors or missing codes?"
        )
    return ""
