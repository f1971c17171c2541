"""Comparison: several releases of one original, side by side."""

from collections.abc import Iterator

from unveil.reports.content import Exhibit, Fact, Section
from unveil.reports.glossary import loss_key
from unveil.reports.sections.attacks import attack, direction
from unveil.reports.sections.households import beside_persons
from unveil.reports.sections.recommendation import recommendation
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
    Figure,
    Phrase,
    Term,
    counted,
    decimal,
    name,
    names,
    percent,
    phrase,
    points,
)
from unveil.values.results.comparison import Best, ComparedRelease, Comparison, Difference
from unveil.values.results.risk import Interval

CRITERIA = {
    "risk": "risk",
    "household_risk": "risk of households",
    "subgroup_risk": "risk of the worst subgroup",
    "confirmed": "links that an intruder can be sure of",
    "interval_disclosure": "interval disclosure",
    "loss": "information loss",
}


def verdict(comparison: Comparison) -> Phrase:
    """Which releases keep the policy, and between which the choice is."""
    said = recommendation(comparison)
    said += phrase(
        "{} releases of one original of {} people.",
        counted(len(comparison.releases)),
        counted(comparison.records),
    )
    said += _undominated(comparison)
    for one in sorted(comparison.releases, key=lambda one: one.risk or 0.0):
        if one.risk is not None and one.loss is not None:
            said += phrase(
                " In {} the best attack [links](linked) {}{}, for a [loss](loss) of {}.",
                name(one.name),
                percent(one.risk),
                _and_households(one),
                decimal(one.loss),
            )
    return said


def _and_households(release: ComparedRelease) -> Phrase:
    if release.household_risk is None:
        return ()
    return phrase(
        " of the people and {} of the [households](linked-households)",
        percent(release.household_risk),
    )


def _undominated(comparison: Comparison) -> Phrase:
    worse = [one.release for one in comparison.dominated]
    if not comparison.front:
        return ()
    if not worse:
        return phrase(" None is [dominated](dominated) by another.")
    if len(comparison.front) == 1:
        return phrase(" {} alone is [dominated](dominated) by none.", name(comparison.front[0]))
    return phrase(
        " The choice is between {}: {} [dominated](dominated).",
        names(comparison.front),
        phrase("{} is", name(worse[0])) if len(worse) == 1 else phrase("{} are", names(worse)),
    )


def facts(comparison: Comparison) -> tuple[Fact, ...]:
    """Which release is best at what."""
    return tuple(
        Fact(phrase("least {}: {}", CRITERIA[one.criterion], names(one.releases)), (_least(one),))
        for one in comparison.best
    )


def _least(best: Best) -> Figure:
    return decimal(best.value) if best.criterion == "loss" else percent(best.value)


def releases(comparison: Comparison, *, external: bool = False) -> Section:
    """Risk and loss of each."""
    standing = {one.release: "dominated" for one in comparison.dominated}
    standing |= dict.fromkeys(comparison.not_placed, "not placed")
    table = tabulate(
        comparison.releases,
        labels("release", "release", lambda one: one.name),
        (
            text("worst", "worst [attack](attack)"),
            lambda one: "nobody was attacked" if one.worst is None else attack(one.worst.name),
        ),
        counts("n", "of", lambda one: None if one.worst is None else one.worst.n),
        shares("risk", "[linked](linked)", lambda one: one.risk),
        low(_interval, "of all, [at least](interval)"),
        high(_interval),
        shares("households", "[households](linked-households)", lambda one: one.household_risk),
        counts(
            "ceiling",
            "[ceiling](ceiling)",
            lambda one: None if one.worst is None else one.worst.ceiling,
        ),
        shares("subgroup", "worst [subgroup](subgroup)", lambda one: one.subgroup_risk),
        shares("confirmed", "[claimed](claims) rightly", lambda one: one.confirmed),
        shares(
            "inside",
            "[inside](interval-disclosure), beyond chance",
            lambda one: one.interval_disclosure,
        ),
        decimals("loss", "[loss](loss)", lambda one: one.loss),
        counts("unchanged", "[unchanged](unchanged) columns", lambda one: one.unchanged),
        (text("policy", "[policy](policy)"), _policy),
        (
            text("standing", "[standing](dominated)"),
            lambda one: standing.get(one.name, "dominated by none"),
        ),
    ).filled()
    if external:
        table = table.without("unchanged")
    return Section(
        key="releases",
        title="Risk and loss",
        paragraphs=(phrase("The releases have numbers, as they were given."),) if external else (),
        exhibits=(
            Exhibit(
                name="risk-loss",
                title="Risk against loss: down and to the left is better",
                chart="risk_loss"
                if len(comparison.not_placed) < len(comparison.releases)
                else None,
                table=table,
                says=phrase(
                    "A dot for each release at its loss, from left to right, and its risk, upwards."
                ),
            ),
            *beside_persons(comparison),
        ),
    )


def _interval(release: ComparedRelease) -> Interval | None:
    return None if release.worst is None else release.worst.interval


def _policy(release: ComparedRelease) -> Cell:
    if release.passed is None:
        return "none given"
    limits = [limit.replace("_", " ") for limit in release.broken]
    if release.missed:  # with whose limits they are
        whose = (f"{one.scenario}: " if one.scenario else "" for one in release.missed)
        words = (one.title.replace("_", " ") for one in release.missed)
        limits = [f"{who}{word}" for who, word in zip(whose, words, strict=True)]
    return "kept" if release.passed else phrase("broken: {}", names(limits))


def order(comparison: Comparison) -> Section:
    """Who is dominated by whom, and who is best at what."""
    return Section(
        key="order",
        title="Which is better, and at what",
        paragraphs=tuple(_order(comparison)),
        exhibits=() if not comparison.best else (_best(comparison),),
    )


def _order(comparison: Comparison) -> Iterator[Phrase]:
    for one in comparison.dominated:
        failing = [other for other in one.by if comparison[other].passed is False]
        kept = phrase(" (but the policy is broken by {})", names(failing)) if failing else ()
        yield phrase(
            "{} is [dominated](dominated) by {}{}: no less risk and no less loss, and more of one "
            "of them.",
            name(one.release),
            names(one.by),
            kept,
        )
    if len(comparison.front) > 1:
        yield phrase(
            "Dominated by none, the least risk first: {}. Of these each has less risk or less loss "
            "than another; which to take is not decided here, as less loss does not make up for "
            "risk.",
            names(comparison.front),
        )
    elif comparison.front:
        yield phrase("Dominated by none: {} only.", name(comparison.front[0]))
    if comparison.not_placed:
        yield phrase("Not placed, as risk or loss is not known: {}.", names(comparison.not_placed))


def _best(comparison: Comparison) -> Exhibit:
    table = tabulate(
        comparison.best,
        (text("criterion", "least"), lambda one: CRITERIA[one.criterion]),
        (figures("value", "value"), _least),
        (text("releases", "release"), lambda one: names(one.releases)),
        (text("unknown", "not known of"), lambda one: names(one.not_measured)),
    )
    return Exhibit(name="best", title="The least of each", table=table)


def differences(comparison: Comparison, *, external: bool = False) -> Section | None:
    """How much more risk one has than another."""
    if not comparison.differences:
        return None
    table = tabulate(
        comparison.differences,
        (
            text("which", "difference of risk"),
            lambda one: phrase("{} less {}", name(one.first), name(one.second)),
        ),
        (
            figures("gap", "points"),
            lambda one: points(one.share if one.paired is None else one.paired.difference),
        ),
        (figures("low", "[at least](interval)"), lambda one: _interval_end(one, "low")),
        (figures("high", "at most"), lambda one: _interval_end(one, "high")),
        labels("note", "of what", lambda one: one.note),
    )
    return Section(
        key="differences",
        title="How much they differ",
        exhibits=(
            Exhibit(
                name="differences",
                title="Differences of risk, in percentage points",
                table=table.without("note") if external else table,  # it names files
            ),
        ),
    )


def _interval_end(difference: Difference, end: str) -> Cell:
    if difference.paired is None or difference.paired.interval is None:
        return None
    return points(getattr(difference.paired.interval, end))


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
                title="Share of the people whom each attack links rightly",
                chart="attacks_beside",
                table=table,
                says=phrase(
                    "Bars of the share linked by each attack, in the direction in which that is "
                    "more, one for each release."
                ),
            ),
        ),
    )


def by_loss(comparison: Comparison) -> Section | None:
    """What each measure of loss says of each release."""
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
            lambda row: "no end" if row[1].worst is None else decimal(row[1].worst),
        ),
    )
    drawn = any(lost.value is not None and lost.worst == 1 for _, lost in losses)
    return Section(
        key="loss",
        title="Measure by measure",
        exhibits=(
            Exhibit(
                name="by-measure",
                title="Measures of loss",
                chart="losses_beside" if drawn else None,
                table=table,
                says=phrase("Bars of each measure of loss, one for each release."),
            ),
        ),
    )


def notes(comparison: Comparison, *, external: bool = False) -> Section | None:
    """Where like is not compared with like."""
    if not comparison.notes:
        return None
    title = "Where like is not compared with like"
    if external:  # they name files and columns
        told = phrase(
            "The audits are not alike in {} ways: ask for them.", counted(len(comparison.notes))
        )
        return Section(key="notes", title=title, points=(told,))
    said = tuple(phrase("{}.", name(note[:1].upper() + note[1:])) for note in comparison.notes)
    return Section(key="notes", title=title, points=said)


def limits() -> tuple[Phrase, ...]:
    """What a comparison does not say."""
    return (
        phrase(
            "Each number is that of the audit of one release, by the [attacks](attack) made there; "
            "their pages say what these rest on."
        ),
        phrase(
            "What is won in [loss](loss) does not make up for risk, and no [policy](policy) is "
            "overruled here."
        ),
    )
