"""Inspect a table: the level, role and counts of each column."""

import os
from typing import Any, cast

import msgspec
import polars as pl

from unveil.files.atomic_write import write_bytes
from unveil.files.documents.schema_stub import schema_stub
from unveil.files.formats.base import Format
from unveil.files.formats.csv.header import DELIMITERS
from unveil.files.locations import as_path, check_outputs
from unveil.support.options import TaskProgress
from unveil.table.attribute import Attribute
from unveil.table.columns import labels_of, stored_as
from unveil.table.households import household_numbers, households_of, likely_shared
from unveil.table.likely_roles import likely_role
from unveil.table.roles import ROLES, Role
from unveil.table.schema import Schema
from unveil.wording import count, listing
from unveil.workflows.inputs.household_notes import household_notes
from unveil.workflows.inputs.sources import as_microdata

SHOWN_CATEGORIES = 8


class ColumnSummary(msgspec.Struct, frozen=True):
    """The role, level and counts of one column.

    ``unique`` counts the records whose value no other record has; ``values`` is None unless
    requested.
    """

    name: str
    role: tuple[str, ...]
    level: str
    stored: str
    missing: int
    distinct: int
    unique: int
    question: str
    values: tuple[str, ...] | None = None
    label: str = ""
    likely_role: str = ""  # by name and content, of a column without a role; a person decides


class Inspection(msgspec.Struct, frozen=True):
    """The columns of a table in counts, and what is still to be declared."""

    records: int
    columns: tuple[ColumnSummary, ...]
    notes: tuple[str, ...]


def inspect(
    source: Any,
    schema: Schema | str | os.PathLike[str] | None = None,
    *,
    format: Format | None = None,  # noqa: A002 - the word users know
    show_values: bool = False,
    write_schema: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: TaskProgress | None = None,
) -> Inspection:
    """Describe each column: level, role, missing, distinct and unique values.

    Undeclared levels are guessed; a role is only suggested, by name and content. No cell is
    shown, unless ``show_values`` requests the extremes of numbers and the commonest categories.
    ``write_schema`` is a TOML file for the schema with the guessed levels, and a line for each
    role that is not declared; columns that all members of a household share are per_household
    there. An existing file is replaced only with ``force``. ``progress`` is called with the task,
    how much is done, and the total.

    Examples
    --------
    >>> import unveil
    >>> inspection = unveil.inspect(unveil.households(1000))
    >>> inspection.records, inspection.columns[4].name, inspection.columns[4].level
    (1000, 'age', 'numeric')
    """
    check_outputs([write_schema], [source], force=force)
    data = as_microdata(source, schema, format=format)
    inferred, columns = Schema.infer(data), list[ColumnSummary]()
    for done, name in enumerate(data.columns):
        if progress is not None:
            progress("describing the columns", done, len(data.columns))
        columns.append(_summary(data.column(name), inferred[name], show_values=show_values))
    likely = {one.name: cast("Role", one.likely_role) for one in columns if one.likely_role}
    numbers = household_numbers(data) or tuple(n for n, r in likely.items() if r == "household")
    if write_schema is not None:
        homes = households_of(data, numbers)
        shared = () if homes is None else likely_shared(data, homes, numbers)
        write_bytes(as_path(write_schema), schema_stub(inferred, likely, shared), force=force)
    notes = (*_notes(inferred), *household_notes(data, numbers))
    return Inspection(len(data), tuple(columns), notes)


def _summary(column: pl.Series, attribute: Attribute, *, show_values: bool) -> ColumnSummary:
    present = column.drop_nulls()
    return ColumnSummary(
        name=column.name,
        role=tuple(role for role in ROLES if role in attribute.role),
        level=attribute.level or "",
        stored="generalised cells" if attribute.generalised else stored_as(column),
        missing=column.null_count(),
        distinct=present.n_unique(),
        unique=int(present.is_unique().sum()),
        question=attribute.question,
        values=_values(present, attribute) if show_values else None,
        label=attribute.label,
        likely_role="" if attribute.role else likely_role(column) or "",
    )


def _values(present: pl.Series, attribute: Attribute) -> tuple[str, ...]:
    """The extremes and the median of numbers, else the commonest categories."""
    if present.is_empty():
        return ()
    if attribute.level == "numeric" and not attribute.generalised:
        sample = present.sort().gather([0, (len(present) - 1) // 2, len(present) - 1])
        return tuple(labels_of(sample))
    counted = (
        labels_of(present).value_counts().sort(["count", present.name], descending=[True, False])
    )
    return tuple(counted[present.name].head(SHOWN_CATEGORIES))


def _notes(schema: Schema) -> tuple[str, ...]:
    notes = []
    if len(schema) == 1 and any(mark in next(iter(schema)) for mark in DELIMITERS):
        notes.append(
            "the file has one column whose name contains a delimiter; name the delimiter "
            "(--delimiter)"
        )
    without = [name for name in schema if not schema[name].role]
    if without:
        notes.append(
            f"{count(len(without), 'column')} without a role: {listing(without)}; such a column is "
            "neither attacked nor protected, and once released it breaks every policy: give "
            'each a role in the schema, "other" if no intruder can know it'
        )
    if not schema.with_role("quasi"):
        notes.append(
            "no attribute has the role quasi; declare the attributes that an intruder may know"
        )
    if not schema.with_role("confidential"):
        notes.append(
            "no attribute has the role confidential; declare the attributes that people want to "
            "keep private"
        )
    if schema.questions:
        notes.append(
            f"{count(len(schema.questions), 'question')} to answer in the schema: "
            f"{listing(schema.questions)}; correct the level there, or confirm it by deleting the "
            "line `question`"
        )
    return tuple(notes)
