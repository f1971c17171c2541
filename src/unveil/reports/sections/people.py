"""People: on whom the risk falls, record by record and group by group."""

from unveil.reports.content import Column, Exhibit, Section, Table, direction, figures, text
from unveil.reports.sections.attacks import attack
from unveil.reports.sections.knowledge import BETWEEN, between
from unveil.support.phrases import Phrase, counted, level, name, percent, phrase
from unveil.values.results.evidence import Evidence
from unveil.values.results.subgroups import RecordRisks, Subgroups

UNEVEN = 1.5  # times their part of the records: below, nobody carries much more than others
LISTED = 200  # subgroups; a column of many categories has thousands


def people(evidence: Evidence) -> Section | None:
    """Who carries the risk."""
    said, exhibits = list[Phrase](), list[Exhibit]()
    if evidence.record_risks is not None:
        exhibits += [_risks(evidence.record_risks), *_rows(evidence.record_risks)]
    if evidence.subgroups is not None and evidence.subgroups.groups:
        exhibits.append(_groups(evidence.subgroups))
    homes = evidence.households
    if homes is not None and homes.share is not None:
        said.append(
            phrase(
                "Of {} [households](household), {} have at least one member who is found.",
                counted(homes.n),
                percent(homes.share),
            )
        )
    if not said and not exhibits:
        return None
    return Section(
        key="people", title="Who is at risk", paragraphs=tuple(said), exhibits=tuple(exhibits)
    )


def _tail(found: RecordRisks) -> list[Phrase]:
    """How the risk is spread."""
    said = [
        phrase(
            "The [risk of a record](record-risk) is the chance that {} ({}) links it rightly; the "
            "mean is over all {} attacks.",
            attack(found.attack),
            direction(found.direction),
            counted(found.attacks),
        )
    ]
    above = [one for one in found.above if one.threshold >= 0.5]
    if above:
        said.append(
            phrase(
                "{} of {} records have a risk above {}.",
                counted(above[0].records),
                counted(found.n),
                level(above[0].threshold),
            )
        )
    some = found.carried[1] if len(found.carried) > 1 else None
    if some is not None and some.share > UNEVEN * some.part:
        said.append(
            phrase(
                "The {} of the records with the highest risk carry {} of the expected links.",
                level(some.part),
                percent(some.share),
            )
        )
    return said


def _risks(found: RecordRisks) -> Exhibit:
    columns: tuple[Column, ...] = (
        figures("low", "risk above"),
        figures("high", "up to"),
        figures("by_worst", "records, by the worst attack"),
        figures("by_mean", "records, by the mean over all attacks"),
    )
    rows = tuple(
        (level(one.low), level(one.high), counted(one.by_worst), counted(one.by_mean))
        for one in found.bins
    )
    return Exhibit(
        name="records",
        title="Records by their risk",
        chart="records",
        lead=tuple(_tail(found)),
        table=Table(columns, rows),
        says=phrase(
            "Bars of how many records have which risk, by the worst attack and by the mean over "
            "all; {} are in the highest range.",
            counted(found.bins[-1].by_worst),
        ),
    )


def _rows(found: RecordRisks) -> list[Exhibit]:
    """Those whom most attacks find; by their rows, as nothing else may be told of them."""
    if not found.riskiest:
        return []
    columns = (
        figures("row", "row of the original"),
        figures("mean", "mean [risk](record-risk)"),
        figures("found_by", "found by so many attacks"),
        figures("made", "of those made on it"),
    )
    rows = tuple(
        (counted(one.row), percent(one.mean), counted(one.found_by), counted(one.made))
        for one in found.riskiest
    )
    return [
        Exhibit(
            name="riskiest",
            title="The records with the highest mean risk",
            table=Table(columns, rows),
            notes=(phrase("Of records with the same risk, the first in the file."),),
        )
    ]


def _worst_group(found: Subgroups) -> list[Phrase]:
    worst = found.highest
    if worst is None:
        return []
    return [
        phrase(
            "Of the [subgroups](subgroup) that are not small, {}, {}, is at the highest risk: {} "
            "of {} are linked.",
            name(worst.column),
            name(worst.group),
            percent(worst.share),
            counted(worst.n),
        )
    ]


def _groups(found: Subgroups) -> Exhibit:
    columns: tuple[Column, ...] = (
        text("column", "attribute"),
        text("group", "[group](subgroup)"),
        figures("n", "attacked"),
        figures("share", "[linked](linked)"),
        *BETWEEN,
        text("attack", "by"),
        text("small", "few"),
    )
    rows = tuple(
        (
            name(one.column),
            name(one.group),
            counted(one.n),
            percent(one.share),
            *between(one.interval),
            attack(one.attack),
            "few" if one.small else "",
        )
        for one in found.groups[:LISTED]
    )
    return Exhibit(
        name="subgroups",
        title="Share linked in each subgroup, by the attack that is worst for it",
        chart="subgroups",
        lead=tuple(_worst_group(found)),
        table=Table(columns, rows).filled(),
        says=phrase("Bars of the share linked in the subgroups at the highest risk, by attribute."),
        notes=(
            phrase(
                "The chart has the groups at the highest risk; {}. Categories that the schema does "
                "not declare have no names here, but numbers, the most frequent first. Groups are "
                "[strata](stratum), categories of [quasi-identifiers](quasi-identifier), and "
                "fifths of the numbers.",
                listed(len(found.groups)),
            ),
        ),
    )


def listed(groups: int) -> Phrase:
    """Whether a table has all of so many groups."""
    if groups <= LISTED:
        return phrase("all are in the table")
    return phrase("of {} the table has the first, and the evidence all", counted(groups))
