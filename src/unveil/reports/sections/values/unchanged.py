"""Cells that can be derived, unchanged columns, and the order of the rows."""

from collections.abc import Iterator

from unveil.reports.content import Exhibit, Section
from unveil.reports.tables import counts, figures, labels, tabulate, text
from unveil.support.phrases import (
    Phrase,
    counted,
    decimal,
    expected,
    name,
    names,
    percent,
    phrase,
    several,
)
from unveil.table.schema import Schema
from unveil.values.results.disclosure import Unchanged
from unveil.values.results.evidence import Evidence


def read_off(evidence: Evidence) -> Section | None:
    """The suppressed and generalised cells that can be derived from other cells."""
    found = evidence.read_off
    if found is None:
        return None
    said = phrase(
        "Of {} that were suppressed, {} can be [derived](read-off) from other released cells; of "
        "{} that are ranges or sets, {}. A further {} are narrowed to fewer values. The attacks "
        "use the file with these cells filled in; all other figures use the file as released.",
        several(found.suppressed, "cell"),
        *map(counted, (found.returned, found.generalised, found.resolved, found.narrowed)),
    )
    table = tabulate(
        found.columns,
        labels("column", "column", lambda one: one.column),
        counts("suppressed", "suppressed", lambda one: one.suppressed),
        counts("returned", "[derived](read-off)", lambda one: one.returned),
        counts("generalised", "ranges and sets", lambda one: one.generalised),
        counts("resolved", "of these derived", lambda one: one.resolved),
        counts("narrowed", "narrowed", lambda one: one.narrowed),
        counts("wrong", "derived wrongly", lambda one: one.wrong),
        (text("relations", "relation, cells"), lambda one: _relations(one.relations)),
    )
    title = "Masked cells that can be derived from other cells, by column"
    return Section(
        key="read-off",
        title="Cells that can be derived",
        paragraphs=(said,),
        exhibits=(Exhibit(name="read-off", title=title, table=table),),
    )


def _relations(cells: dict[str, int]) -> Phrase:
    said = phrase("")
    for kind, n in cells.items():
        said += phrase("{}{} {}", "; " if said else "", name(kind), counted(n))
    return said


def unchanged(evidence: Evidence) -> Section:
    """The unchanged columns, and whether the row order identifies people."""
    same = evidence.unchanged
    said = list[Phrase]()
    if evidence.grouping:
        said.append(
            phrase(
                "The release contains the [household number](household-number) {}. Renumbering "
                "does not hide who lives together.",
                names(evidence.grouping),
            )
        )
    if not same.unchanged:
        said.append(phrase("No column was released [unchanged](unchanged)."))
    else:
        said.append(
            phrase(
                "[Unchanged](unchanged) columns: {}. Together they [single out](singled-out) {} of "
                "{} records; unchanged quasi-identifiers alone single out {}.",
                names(same.unchanged),
                counted(same.singled_out),
                counted(same.records),
                counted(same.singled_out_quasi) if same.singled_out_quasi else "none",
            )
        )
    released, declared = [one.column for one in same.columns], Schema.from_dict(evidence.schema)
    if decided := [column for column in declared.with_role("other") if column in released]:
        said.append(
            phrase(
                "Declared as [other](other), so assumed unknown to every intruder: {}.",
                names(decided),
            )
        )
    if not same.known:
        said.append(phrase("The true pairs are not known, so these columns may be unchanged."))
    table = tabulate(
        same.columns,
        labels("column", "column", lambda one: one.column),
        (
            figures("share", "[unchanged](unchanged) cells"),
            lambda one: (
                ("yes" if one.unchanged else "no") if one.share is None else percent(one.share)
            ),
        ),
    )
    return Section(
        key="unchanged",
        title="Unchanged columns",
        paragraphs=(*said, *_row_order(evidence)),
        exhibits=(
            Exhibit(
                name="unchanged",
                title=_most_unchanged(same),
                chart="unchanged" if same.known and same.columns else None,
                table=table,
                says=phrase("A bar for each column: the share of its cells that did not change."),
            ),
        ),
    )


def _most_unchanged(same: Unchanged) -> Phrase:
    """The finding of the chart: how many columns are unchanged."""
    whole = counted(len(same.unchanged)) if same.unchanged else "none"
    return phrase("Unchanged: {} of {}", whole, several(len(same.columns), "column"))


def _row_order(evidence: Evidence) -> Iterator[Phrase]:
    position = evidence.by_position
    if position is None or position.row_order is None:
        return
    yield phrase(
        "An intruder who uses the [row order](row-order) links {} of {} people. The row orders of "
        "both files have a rank correlation of {}.",
        expected(position.risk.expected),
        counted(position.risk.n),
        decimal(position.row_order["correlation"]),
    )
