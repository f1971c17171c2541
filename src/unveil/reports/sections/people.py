"""People: on whom the risk falls, record by record and group by group."""

from collections.abc import Iterator

import msgspec

from unveil.reports.content import Exhibit, Section, View
from unveil.reports.sections.attacks import attack, direction
from unveil.reports.sections.scenarios import scenario_name
from unveil.reports.tables import counts, figures, high, labels, low, shares, tabulate, text
from unveil.support.phrases import Phrase, counted, level, name, percent, phrase, plain
from unveil.values.disclosure_scenario import STRESS_TEST
from unveil.values.results.evidence import Evidence
from unveil.values.results.scenarios import ScenarioResult
from unveil.values.results.subgroups import RecordRisks, Subgroups

UNEVEN = 1.5  # ratio of the share of the risk to the share of the records that is worth a sentence
LISTED = 200  # subgroups; a column of many categories has thousands


def people(evidence: Evidence) -> Section | None:
    """Who carries the risk, for the scenario that the reader picks."""
    others = [one for one in evidence.scenarios if one.name != STRESS_TEST]
    choices = [_risk_of(STRESS_TEST, evidence, evidence, "")]
    choices += [_risk_of(one.name, one, evidence, f"-{n}") for n, one in enumerate(others, 1)]
    choices = [one for one in choices if one.paragraphs or one.exhibits]
    if not choices:
        return None
    title = "Who is at risk"
    if not others:
        only = choices[0]
        return Section(
            key="people", title=title, paragraphs=only.paragraphs, exhibits=only.exhibits
        )
    return Section(key="people", title=title, choices=tuple(choices))


def _risk_of(
    scenario: str, risks: Evidence | ScenarioResult, evidence: Evidence, suffix: str
) -> View:
    """The risk of single records, subgroups and households, by one intruder."""
    said, exhibits = list[Phrase](), list[Exhibit]()
    if risks.record_risks is not None:
        exhibits += [_record_risks(risks.record_risks), *_riskiest(risks.record_risks)]
    if risks.subgroups is not None and risks.subgroups.groups:
        exhibits.append(_subgroups(risks.subgroups, undeclared(evidence)))
    homes = risks.households
    if homes is not None and homes.share is not None:
        said.append(
            phrase(
                "Of {} [households](household), {} have at least one member who is found.",
                counted(homes.n),
                percent(homes.share),
            )
        )
    named = (msgspec.structs.replace(one, name=f"{one.name}{suffix}") for one in exhibits)
    return View(title=plain(scenario_name(scenario)), paragraphs=tuple(said), exhibits=tuple(named))


def _risk_distribution(risks: RecordRisks) -> Iterator[Phrase]:
    yield phrase(
        "The [risk of a record](record-risk) is the chance that {} ({}) links it rightly; the "
        "mean is over all {} attacks.",
        attack(risks.attack),
        direction(risks.direction),
        counted(risks.attacks),
    )
    above = [one for one in risks.above if one.threshold >= 0.5]
    if above:
        yield phrase(
            "{} of {} records have a risk above {}.",
            counted(above[0].records),
            counted(risks.n),
            level(above[0].threshold),
        )
    some = risks.carried[1] if len(risks.carried) > 1 else None
    if some is not None and some.share > UNEVEN * some.part:
        yield phrase(
            "The {} of the records with the highest risk carry {} of the expected links.",
            level(some.part),
            percent(some.share),
        )


def _record_risks(risks: RecordRisks) -> Exhibit:
    mean = "records, by the mean over all attacks"
    table = tabulate(
        risks.bins,
        (figures("low", "risk above"), lambda one: level(one.low)),
        (figures("high", "up to"), lambda one: level(one.high)),
        counts("by_worst", "records, by the worst attack", lambda one: one.by_worst),
        counts("by_mean", mean, lambda one: one.by_mean),
    )
    return Exhibit(
        name="records",
        title="Records by their risk",
        chart="records",
        lead=tuple(_risk_distribution(risks)),
        table=table,
        says=phrase(
            "Bars of how many records have which risk, by the worst attack and by the mean over "
            "all; {} are in the highest range.",
            counted(risks.bins[-1].by_worst),
        ),
    )


def _riskiest(risks: RecordRisks) -> list[Exhibit]:
    """Those whom most attacks find; by their rows, as nothing else may be told of them."""
    if not risks.riskiest:
        return []
    table = tabulate(
        risks.riskiest,
        counts("row", "row of the original", lambda one: one.row),
        shares("mean", "mean [risk](record-risk)", lambda one: one.mean),
        counts("found_by", "found by so many attacks", lambda one: one.found_by),
        counts("made", "of those made on it", lambda one: one.made),
    )
    return [
        Exhibit(
            name="riskiest",
            title="The records with the highest mean risk",
            table=table,
            notes=(phrase("Of records with the same risk, the first in the file."),),
        )
    ]


def _worst_subgroup(subgroups: Subgroups) -> Iterator[Phrase]:
    worst = subgroups.highest
    if worst is None:
        return
    yield phrase(
        "Of the [subgroups](subgroup) that are not small, {}, {}, is at the highest risk: {} "
        "of {} are linked.",
        name(worst.column),
        name(worst.group),
        percent(worst.share),
        counted(worst.n),
    )


def _subgroups(subgroups: Subgroups, undeclared: Phrase) -> Exhibit:
    table = tabulate(
        subgroups.groups[:LISTED],
        labels("column", "attribute", lambda one: one.column),
        labels("group", "[group](subgroup)", lambda one: one.group),
        counts("n", "attacked", lambda one: one.n),
        counts("size", "of", lambda one: one.size),
        shares("share", "[linked](linked)", lambda one: one.share),
        low(lambda one: one.interval),
        high(lambda one: one.interval),
        (text("attack", "by"), lambda one: attack(one.attack)),
        (text("small", "few"), lambda one: "few" if one.small else ""),
    )
    return Exhibit(
        name="subgroups",
        title="Share linked in each subgroup, by the attack that is worst for it",
        chart="subgroups",
        lead=tuple(_worst_subgroup(subgroups)),
        table=table.filled(),
        says=phrase("Bars of the share linked in the subgroups at the highest risk, by attribute."),
        notes=(
            phrase(
                "The chart has the groups at the highest risk; {}. {} Groups are "
                "[strata](stratum), categories of [quasi-identifiers](quasi-identifier), and "
                "fifths of the numbers. Groups with fewer than ten attacked people are judged "
                "together; if that makes fewer than ten in all, they are marked few, and no limit "
                "is checked on them.",
                listed(len(subgroups.groups)),
                undeclared,
            ),
        ),
    )


def undeclared(evidence: Evidence) -> Phrase:
    """How categories are named that the schema does not declare."""
    if evidence.settings.get("show_values"):
        return phrase("Categories that the schema does not declare are shown as they are.")
    return phrase(
        "Categories that the schema does not declare have letters, A for the most frequent "
        "(audit with --show-values to see their codes)."
    )


def listed(groups: int) -> Phrase:
    """Whether the table lists all groups, or the first only."""
    if groups <= LISTED:
        return phrase("all are in the table")
    return phrase("of {} the table has the first, and the evidence all", counted(groups))
