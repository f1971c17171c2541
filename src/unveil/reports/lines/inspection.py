"""The columns of a file, by counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from unveil.reports.content import Line, TextTable
from unveil.wording import count

if TYPE_CHECKING:
    from unveil.workflows.inspect import Inspection


def inspection_lines(inspection: Inspection, *, title: str) -> Iterator[Line]:
    """Say an inspection."""
    columns = count(len(inspection.columns), "column")
    yield f"{title}: {count(inspection.records, 'record')}, {columns}"
    yield ""
    more = {
        "label": [column.label for column in inspection.columns],
        "values": [", ".join(column.values or ()) for column in inspection.columns],
    }
    more = {name: cells for name, cells in more.items() if any(cells)}
    head = ["column", "role", "level", "stored as", "missing", "distinct", "unique"]
    rows = [
        [
            column.name,
            ", ".join(column.role) or "-",
            column.level,
            column.stored,
            f"{column.missing:,}",
            f"{column.distinct:,}",
            f"{column.unique:,}",
            *(cells[place] for cells in more.values()),
        ]
        for place, column in enumerate(inspection.columns)
    ]
    yield TextTable([*head, *more], rows, ("missing", "distinct", "unique"))
    yield ""
    for column in inspection.columns:
        if column.question:
            yield f"? {column.name}: {column.question}"
        if column.likely_role:
            yield f'? {column.name}: the likely role is "{column.likely_role}", by name and content'
    for remark in inspection.notes:
        yield f"! {remark}"
