"""People: the risk of single records and of subgroups."""

from collections.abc import Iterator

import msgspec

from unveil.reports.content import Exhibit, Section, View
from unveil.reports.sections.attacks import attack, direction
from unveil.reports.sections.scenarios import scenario_name
from unveil.reports.tables import counts, figures, high, labels, low, shares, tabulate, text
from unveil.support.phrases import Phrase, counted, level, name, percent, phrase, plain, several
from unveil.values.disclosure_scenario import STRESS_TEST
from unveil.values.results.evidence import Evidence
from unveil.values.results.scenarios import ScenarioResult
from unveil.values.results.subgroups import RecordRisks, Subgroups

UNEVEN = 1.5  # ratio of the share of the risk to the share of the records that is worth a sentence
LISTED = 200  # subgroups; a column of many categories has thousands


def people(evidence: Evidence) -> Section | None:
    """The people at risk, for the intruder that the reader picks."""
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
                "In {} of {} [households](household) the intruder links at least one member.",
                percent(homes.share),
                counted(homes.n),
            )
        )
    named = (msgspec.structs.replace(one, name=f"{one.name}{suffix}") for one in exhibits)
    return View(title=plain(scenario_name(scenario)), paragraphs=tuple(said), exhibits=tuple(named))


def _risk_distribution(risks: RecordRisks) -> Iterator[Phrase]:
    mean = phrase("; the mean is over all {} attacks", counted(risks.attacks))
    yield phrase(
        "The [risk of a record](record-risk) is the probability that {} ({}) links it correctly{}.",
        attack(risks.attack),
        direction(risks.direction),
        mean if risks.attacks > 1 else (),
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
            "The {} of the records with the highest risk account for {} of the expected links.",
            level(some.part),
            percent(some.share),
        )


def _record_risks(risks: RecordRisks) -> Exhibit:
    mean = "records, mean over all attacks"
    table = tabulate(
        risks.bins,
        (figures("low", "risk above"), lambda one: level(one.low)),
        (figures("high", "up to"), lambda one: level(one.high)),
        counts("by_worst", "records, best attack", lambda one: one.by_worst),
        counts("by_mean", mean, lambda one: one.by_mean),
    )
    return Exhibit(
        name="records",
        title=_highest_risks(risks),
        chart="records",
        lead=tuple(_risk_distribution(risks)),
        table=table,
        says=phrase(
            "Bars: the number of records in each range of risk, under the best attack and on "
            "average over all attacks."
        ),
    )


def _highest_risks(risks: RecordRisks) -> Phrase:
    """The finding of the chart: how many records are in the highest range of risk."""
    last = risks.bins[-1]
    return phrase(
        "Records with a risk above {}: {} of {}",
        level(last.low),
        counted(last.by_worst),
        counted(risks.n),
    )


def _riskiest(risks: RecordRisks) -> list[Exhibit]:
    """The records that most attacks link, by row number, since nothing else may be disclosed."""
    if not risks.riskiest:
        return []
    table = tabulate(
        risks.riskiest,
        counts("row", "row of the original", lambda one: one.row),
        shares("mean", "mean [risk](record-risk)", lambda one: one.mean),
        counts("found_by", "attacks that link it", lambda one: one.found_by),
        counts("made", "attacks made on it", lambda one: one.made),
    )
    return [
        Exhibit(
            name="riskiest",
            title="Records with the highest mean risk",
            table=table,
            notes=(phrase("Records with the same risk are listed in file order."),),
        )
    ]


def _worst_subgroup(subgroups: Subgroups) -> tuple[Phrase, tuple[Phrase, ...]]:
    """The finding of the chart and a sentence on it; groups that are small are left out."""
    worst = subgroups.highest
    if worst is None:
        return phrase("Share linked in each subgroup"), ()
    group = phrase("{}, {}", name(worst.column), name(worst.group))
    lead = phrase(
        "Of the [subgroups](subgroup) with at least ten people attacked, {}, has the highest risk: "
        "{} of {} linked.",
        group,
        percent(worst.share),
        several(worst.n, "person"),
    )
    title = phrase("Subgroups at the highest risk: {} ({} linked)", group, percent(worst.share))
    return title, (lead,)


def _subgroups(subgroups: Subgroups, undeclared: Phrase) -> Exhibit:
    table = tabulate(
        subgroups.groups[:LISTED],
        labels("column", "attribute", lambda one: one.column),
        labels("group", "[group](subgroup)", lambda one: one.group),
        counts("n", "people attacked", lambda one: one.n),
        counts("size", "of", lambda one: one.size),
        shares("share", "[linked](linked)", lambda one: one.share),
        low(lambda one: one.interval),
        high(lambda one: one.interval),
        (text("attack", "best attack"), lambda one: attack(one.attack)),
        (text("small", "few"), lambda one: "few" if one.small else ""),
    )
    title, lead = _worst_subgroup(subgroups)
    return Exhibit(
        name="subgroups",
        title=title,
        chart="subgroups",
        lead=lead,
        table=table.filled(),
        says=phrase("A bar for each subgroup at the highest risk: the share linked."),
        notes=(
            phrase(
                "The chart shows the groups at the highest risk; {}. {} [Groups](subgroup) are "
                "[strata](stratum), categories of [quasi-identifiers](quasi-identifier), and "
                "fifths of numeric ones. Groups with fewer than ten attacked people are combined. "
                'If the combined group has fewer than ten, it is marked "few" and no limit '
                "applies.",
                listed(len(subgroups.groups)),
                undeclared,
            ),
        ),
    )


def undeclared(evidence: Evidence) -> Phrase:
    """How undeclared categories are named."""
    if evidence.settings.get("show_values"):
        return phrase("Undeclared categories are shown by their codes.")
    return phrase(
        "Undeclared categories are shown as letters by frequency (A is the most frequent); "
        "`--show-values` shows their codes."
    )


def listed(groups: int) -> Phrase:
    """Whether the table lists all groups or only the first ones."""
    if groups <= LISTED:
        return phrase("all are in the table")
    return phrase("the table lists the first of {}, the evidence all", counted(groups))
