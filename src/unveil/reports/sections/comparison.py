"""Comparison: several releases of one original, side by side."""

from collections.abc import Iterator

from unveil.measures.identity.confidence_interval import FEWEST_RECORDS
from unveil.reports.content import Exhibit, Section
from unveil.reports.glossary import loss_key
from unveil.reports.sections.attacks import attack, direction
from unveil.reports.sections.households import beside_persons
from unveil.reports.sections.recommendation import (
    COLUMNS,
    count_of_misses,
    nearest_misses,
    ranked,
    recommendation,
)
from unveil.reports.tables import (
    Cell,
    counts,
    decimals,
    figures,
    high,
    labels,
    low,
    shares,
    tabulate,
    text,
)
from unveil.support.phrases import (
    Phrase,
    Term,
    counted,
    decimal,
    name,
    names,
    percent,
    phrase,
    points,
    several,
)
from unveil.values.results.comparison import ComparedRelease, Comparison, Difference
from unveil.values.results.risk import Interval

CRITERIA = {
    "risk": "people linked by the stress test",
    "household_risk": "households linked by the stress test",
    "subgroup_risk": "highest share linked in a subgroup",
    "confirmed": "links claimed correctly by the stress test",
    "interval_disclosure": "interval disclosure, beyond chance",
    "loss": "information loss, from 0 to 1",
}


def verdict(comparison: Comparison) -> Phrase:
    """Which releases keep the policy, and between which the choice is."""
    said = recommendation(comparison) + phrase(
        " Compared: {} of one original of {}.",
        several(len(comparison.releases), "release"),
        several(comparison.records, "person"),
    )
    return said + _undominated(comparison)


def misses(comparison: Comparison) -> Iterator[Phrase]:
    """The limits that the nearest releases miss, then how many the others miss."""
    yield from nearest_misses(comparison)
    found = comparison.recommendation
    if found is None:
        return
    named = (*found.kept, *found.nearest)
    others = [one for one in ranked(comparison) if one.passed is False and one.name not in named]
    for one in others[:COLUMNS]:
        yield phrase("{}: misses {}", name(one.name), count_of_misses(one))
    if len(others) > COLUMNS:
        yield phrase("{} more miss limits, too", counted(len(others) - COLUMNS))


def _undominated(comparison: Comparison) -> Phrase:
    worse = [one.release for one in comparison.dominated]
    if not comparison.front:
        return ()
    if not worse:
        return phrase(
            " Of any two, the one with less risk loses more (none is [dominated](dominated))."
        )
    if len(comparison.front) == 1:
        return phrase(" Only {} is not [dominated](dominated).", name(comparison.front[0]))
    return phrase(
        " Not [dominated](dominated): {}. Dominated: {}.", names(comparison.front), names(worse)
    )


def releases(comparison: Comparison, *, external: bool = False) -> Section:
    """Risk and loss of each, by the best attack of the audit, which is the stress test's."""
    standing = {one.release: "dominated" for one in comparison.dominated}
    standing |= dict.fromkeys(comparison.not_placed, "not placed")
    table = tabulate(
        comparison.releases,
        labels("release", "release", lambda one: one.name),
        (
            text("worst", "best [attack](attack)"),
            lambda one: "nobody was attacked" if one.worst is None else attack(one.worst.name),
        ),
        counts("n", "people attacked", lambda one: None if one.worst is None else one.worst.n),
        shares("risk", "[linked](linked)", lambda one: one.risk),
        low(_interval, "of all people, [at least](interval)"),
        high(_interval),
        shares("households", "[households](linked-households)", lambda one: one.household_risk),
        counts(
            "ceiling",
            "[ceiling](ceiling), people",
            lambda one: None if one.worst is None else one.worst.ceiling,
        ),
        shares("subgroup", "worst [subgroup](subgroup)", lambda one: one.subgroup_risk),
        shares("confirmed", "[claimed](claims) correctly", lambda one: one.confirmed),
        shares(
            "inside",
            "[interval disclosure](interval-disclosure), beyond chance",
            lambda one: one.interval_disclosure,
        ),
        decimals("loss", "[loss](loss)", lambda one: one.loss),
        counts("unchanged", "[unchanged](unchanged) columns", lambda one: one.unchanged),
        (text("policy", "[policy](policy)"), _kept_briefly),
        (
            text("standing", "[standing](dominated)"),
            lambda one: standing.get(one.name, "not dominated"),
        ),
    ).filled()
    if external:
        table = table.without("unchanged")
    return Section(
        key="releases",
        title="Risk and loss",
        paragraphs=tuple(_about_risk(external=external)),
        exhibits=(
            Exhibit(
                name="risk-loss",
                title=_risk_against_loss(comparison),
                chart="risk_loss"
                if len(comparison.not_placed) < len(comparison.releases)
                else None,
                table=table,
                says=phrase(
                    "A dot for each release: its loss from left to right, the share of the people "
                    "that the stress test links upwards."
                ),
            ),
            *beside_persons(comparison),
        ),
    )


def _interval(release: ComparedRelease) -> Interval | None:
    return None if release.worst is None else release.worst.interval


def _kept_briefly(release: ComparedRelease) -> Cell:
    if release.passed is None:
        return "none given"
    said = phrase("misses {} of {}", counted(len(release.missed)), counted(release.limits))
    return "kept" if release.passed else said


def _about_risk(*, external: bool) -> Iterator[Phrase]:
    yield phrase(
        "The risk here is the share of the people that the best attack of the audit links: the "
        "[stress test](scenario-stress-test), an upper reference. The realistic intruders are in "
        "the table “What each intruder could link and learn in each release”."
    )
    if external:
        yield phrase("The releases are numbered in the order in which they were given.")


def _risk_against_loss(comparison: Comparison) -> Phrase:
    """The finding of the chart: which releases are not dominated."""
    if not comparison.front:
        return phrase("Risk against loss")
    return phrase(
        "Risk against loss, lower is better in both; not dominated: {}", names(comparison.front)
    )


def order(comparison: Comparison) -> Section:
    """Who is dominated by whom, and who is best at what."""
    return Section(
        key="order",
        title="Which release is better at what",
        paragraphs=tuple(_order(comparison)),
        exhibits=() if not comparison.best else (_best(comparison),),
    )


def _order(comparison: Comparison) -> Iterator[Phrase]:
    for one in comparison.dominated:
        failing = [other for other in one.by if comparison[other].passed is False]
        broken = phrase("; the policy is broken by {}", names(failing)) if failing else ()
        yield phrase(
            "{} is [dominated](dominated) by {}: more risk or more loss, and not less of either{}.",
            name(one.release),
            names(one.by),
            broken,
        )
    if len(comparison.front) > 1:
        yield phrase(
            "Not dominated, the lowest risk first: {}. None of these is better than another in "
            "both risk and loss. The comparison does not rank them, because a lower loss does not "
            "offset a higher risk.",
            names(comparison.front),
        )
    elif comparison.front:
        yield phrase("Only {} is not dominated.", name(comparison.front[0]))
    if comparison.not_placed:
        yield phrase(
            "Not compared, because risk or loss is not known: {}.", names(comparison.not_placed)
        )


def _best(comparison: Comparison) -> Exhibit:
    table = tabulate(
        comparison.best,
        (text("criterion", "lowest"), lambda one: CRITERIA[one.criterion]),
        (
            figures("value", "value"),
            lambda one: (decimal if one.criterion == "loss" else percent)(one.value),
        ),
        (text("releases", "release"), lambda one: names(one.releases)),
        (text("unknown", "not known for"), lambda one: names(one.not_measured)),
    )
    return Exhibit(name="best", title="The best release by each criterion", table=table)


def differences(comparison: Comparison, *, external: bool = False) -> Section | None:
    """How much more people the stress test links in one release than in another."""
    if not comparison.differences:
        return None
    table = tabulate(
        comparison.differences,
        (
            text("which", "difference in the share linked"),
            lambda one: phrase("{} minus {}", name(one.first), name(one.second)),
        ),
        (
            figures("gap", "percentage points"),
            lambda one: points(one.share if one.paired is None else one.paired.difference),
        ),
        (figures("low", "[at least](interval)"), lambda one: _interval_end(one, "low")),
        (figures("high", "at most"), lambda one: _interval_end(one, "high")),
        (text("note", "based on"), lambda one: _basis(comparison, one)),
    )
    return Section(
        key="differences",
        title="Differences in risk",
        exhibits=(
            Exhibit(
                name="differences",
                title="Differences in the share linked by the stress test, in percentage points",
                table=table.without("note") if external else table,  # it names files
            ),
        ),
    )


def _interval_end(difference: Difference, end: str) -> Cell:
    if difference.paired is None or difference.paired.interval is None:
        return None
    return points(getattr(difference.paired.interval, end))


def _basis(comparison: Comparison, difference: Difference) -> Phrase:
    """The records that a difference is counted on, and how sure it is."""
    both = [comparison[name].worst for name in (difference.first, difference.second)]
    sampled = [one for one in both if one is not None and one.interval is not None]
    exact = phrase("" if sampled else "; exact for these records")
    paired = difference.paired
    if paired is None:
        return phrase("no interval: {}", difference.note) + exact
    records = several(paired.n, "record")
    if paired.interval is not None:
        said = phrase(
            "{} attacked in both; the interval takes them for a sample of more people", records
        )
    elif paired.n < FEWEST_RECORDS:
        said = phrase("{} attacked in both, too few for an interval", records)
    else:
        said = phrase("the same difference in each of {} attacked in both", records)
    return said + exact


def by_attack(comparison: Comparison) -> Section | None:
    """What each attack links of each release."""
    table = tabulate(
        [(one, run) for one in comparison.releases for run in one.attacks],
        (text("attack", "[attack](attack)"), lambda row: attack(row[1].name)),
        (text("direction", "direction"), lambda row: direction(row[1].direction)),
        labels("release", "release", lambda row: row[0].name),
        shares("share", "[linked](linked)", lambda row: row[1].share),
    )
    if not table.rows:
        return None
    return Section(
        key="attacks",
        title="Attack by attack",
        exhibits=(
            Exhibit(
                name="by-attack",
                title="People linked by each attack of the stress test",
                chart="attacks_beside",
                table=table,
                says=phrase(
                    "A bar for each attack and release: the share of the people linked, in the "
                    "direction in which the attack links more."
                ),
            ),
        ),
    )


def by_loss(comparison: Comparison) -> Section | None:
    """Each measure of loss of each release."""
    losses = [(one, lost) for one in comparison.releases for lost in one.losses]
    if not losses:
        return None
    table = tabulate(
        losses,
        (text("measure", "measure"), lambda row: Term(row[1].name, loss_key(row[1].name))),
        labels("release", "release", lambda row: row[0].name),
        decimals("value", "value", lambda row: row[1].value),
        (
            figures("worst", "worst"),
            lambda row: "no upper end" if row[1].worst is None else decimal(row[1].worst),
        ),
    )
    drawn = any(lost.value is not None and lost.worst == 1 for _, lost in losses)
    return Section(
        key="loss",
        title="Measure by measure",
        exhibits=(
            Exhibit(
                name="by-measure",
                title="Loss by each measure, from 0 to 1" if drawn else "Measures of loss",
                chart="losses_beside" if drawn else None,
                table=table,
                says=phrase("A bar for each measure of loss and release."),
            ),
        ),
    )


def notes(comparison: Comparison, *, external: bool = False) -> Section | None:
    """How the audits differ, and which risks were estimated on a sample."""
    said = list(_sampled(comparison))
    if comparison.notes and external:  # they name files and columns
        said.append(
            phrase(
                "The audits differ in {} settings; ask the author for them.",
                counted(len(comparison.notes)),
            )
        )
    elif comparison.notes:
        said += [phrase("{}.", name(note[:1].upper() + note[1:])) for note in comparison.notes]
    if not said:
        return None
    return Section(key="notes", title="Differences between the audits", points=tuple(said))


def _sampled(comparison: Comparison) -> Iterator[Phrase]:
    """That samples leave open which risk is higher."""
    placed = [one for one in comparison.releases if one.name not in comparison.not_placed]
    sampled = [one.name for one in placed if _interval(one) is not None]
    if sampled and len(placed) > 1:
        yield phrase(
            "The risk of {} is estimated from a sample. The order of the releases uses the "
            "estimates, whose [intervals](interval) may overlap.",
            names(sampled),
        )


def limits() -> tuple[Phrase, ...]:
    """What a comparison does not cover."""
    return (
        phrase(
            "Each figure comes from the audit of one release and its [attacks](attack). The page "
            "of that audit states its assumptions."
        ),
        phrase(
            "A lower [loss](loss) does not offset a higher risk. The comparison overrules no "
            "[policy](policy)."
        ),
    )
