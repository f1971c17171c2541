"""Comparison: several releases of one original, side by side."""

from collections.abc import Iterator

import msgspec

from unveil.reports.content import (
    Cell,
    Exhibit,
    Fact,
    Row,
    Section,
    Table,
    direction,
    figures,
    text,
)
from unveil.reports.glossary import loss_key
from unveil.reports.sections.attacks import POSITION, attack
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
from unveil.values.results.comparison import (
    Best,
    ComparedRelease,
    Comparison,
    Difference,
    WorstAttack,
)

CRITERIA = {
    "risk": "risk",
    "subgroup_risk": "risk of the worst subgroup",
    "confirmed": "links that an intruder can be sure of",
    "interval_disclosure": "interval disclosure",
    "loss": "information loss",
}


def unnamed(found: Comparison) -> Comparison:
    """The releases by numbers: the names of files often tell how they were masked.

    Nor is it told that the order of the rows tells, which anybody can use.
    """
    known_as = {one.name: f"release {number}" for number, one in enumerate(found.releases, 1)}

    def each(given: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(known_as[one] for one in given)

    changed = msgspec.structs.replace
    return changed(
        found,
        releases=tuple(
            changed(
                one,
                name=known_as[one.name],
                worst=_unsaid(one.worst),
                attacks=tuple(made for made in one.attacks if made.name != POSITION),
            )
            for one in found.releases
        ),
        best=tuple(
            changed(one, releases=each(one.releases), not_measured=each(one.not_measured))
            for one in found.best
        ),
        front=each(found.front),
        dominated=tuple(
            changed(one, release=known_as[one.release], by=each(one.by)) for one in found.dominated
        ),
        not_placed=each(found.not_placed),
        differences=tuple(
            changed(one, first=known_as[one.first], second=known_as[one.second])
            for one in found.differences
        ),
    )


def _unsaid(worst: WorstAttack | None) -> WorstAttack | None:
    if worst is None or worst.name != POSITION:
        return worst
    return msgspec.structs.replace(worst, name="not told here")


def verdict(found: Comparison) -> Phrase:
    """Between which releases the choice is."""
    said = phrase(
        "{} releases of one original of {} people.",
        counted(len(found.releases)),
        counted(found.records),
    )
    said += _choice(found)
    for one in sorted(found.releases, key=lambda each: each.risk or 0.0):
        if one.risk is not None and one.loss is not None:
            said += phrase(
                " In {} the best attack [links](linked) {}, for a [loss](loss) of {}.",
                name(one.name),
                percent(one.risk),
                decimal(one.loss),
            )
    return said


def _choice(found: Comparison) -> Phrase:
    """Between which of them it is."""
    worse = [one.release for one in found.dominated]
    if not found.front:
        return ()
    if not worse:
        return phrase(" None is [dominated](dominated) by another.")
    if len(found.front) == 1:
        return phrase(" {} alone is [dominated](dominated) by none.", name(found.front[0]))
    return phrase(
        " The choice is between {}: {} [dominated](dominated).",
        names(found.front),
        phrase("{} is", name(worse[0])) if len(worse) == 1 else phrase("{} are", names(worse)),
    )


def facts(found: Comparison) -> tuple[Fact, ...]:
    """Which release is best at what."""
    return tuple(
        Fact(
            phrase("least {}: {}", CRITERIA[one.criterion], names(one.releases)),
            (_least(one),),
        )
        for one in found.best
    )


def _least(best: Best) -> Figure:
    return decimal(best.value) if best.criterion == "loss" else percent(best.value)


def releases(found: Comparison, *, external: bool = False) -> Section:
    """Risk and loss of each."""
    columns = (
        text("release", "release"),
        text("worst", "worst [attack](attack)"),
        figures("n", "of"),
        figures("risk", "[linked](linked)"),
        figures("low", "of all, [at least](interval)"),
        figures("high", "at most"),
        figures("ceiling", "[ceiling](ceiling)"),
        figures("subgroup", "worst [subgroup](subgroup)"),
        figures("confirmed", "[claimed](claims) rightly"),
        figures("inside", "[inside](interval-disclosure), beyond chance"),
        figures("loss", "[loss](loss)"),
        figures("unchanged", "[unchanged](unchanged) columns"),
        text("policy", "[policy](policy)"),
        text("standing", "[standing](dominated)"),
    )
    rows = tuple(_release(one, found) for one in found.releases)
    table = Table(columns, rows).filled()
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
                chart="risk_loss" if len(found.not_placed) < len(found.releases) else None,
                table=table,
                says=phrase(
                    "A dot for each release at its loss, from left to right, and its risk, upwards."
                ),
            ),
        ),
    )


def _release(one: ComparedRelease, found: Comparison) -> Row:
    worst = one.worst
    interval = None if worst is None else worst.interval
    broken = {bad.release for bad in found.dominated}
    standing = "dominated" if one.name in broken else "dominated by none"
    return (
        name(one.name),
        "nobody was attacked" if worst is None else attack(worst.name),
        None if worst is None else counted(worst.n),
        _share(one.risk),
        None if interval is None else percent(interval.low),
        None if interval is None else percent(interval.high),
        None if worst is None else counted(worst.ceiling),
        _share(one.subgroup_risk),
        _share(one.confirmed),
        _share(one.interval_disclosure),
        None if one.loss is None else decimal(one.loss),
        None if one.unchanged is None else counted(one.unchanged),
        _policy(one),
        standing if one.name not in found.not_placed else "not placed",
    )


def _share(value: float | None) -> Cell:
    return None if value is None else percent(value)


def _policy(one: ComparedRelease) -> Cell:
    if one.passed is None:
        return "none given"
    return "kept" if one.passed else phrase("broken: {}", names(_spoken(one.broken)))


def _spoken(limits: tuple[str, ...]) -> list[str]:
    return [limit.replace("_", " ") for limit in limits]


def order(found: Comparison) -> Section:
    """Who is dominated by whom, and who is best at what."""
    return Section(
        key="order",
        title="Which is better, and at what",
        paragraphs=tuple(_order(found)),
        exhibits=() if not found.best else (_best(found),),
    )


def _order(found: Comparison) -> Iterator[Phrase]:
    for one in found.dominated:
        failing = [other for other in one.by if found[other].passed is False]
        kept = phrase(" (but the policy is broken by {})", names(failing)) if failing else ()
        yield phrase(
            "{} is [dominated](dominated) by {}{}: no less risk and no less loss, and more of one "
            "of them.",
            name(one.release),
            names(one.by),
            kept,
        )
    if len(found.front) > 1:
        yield phrase(
            "Dominated by none, the least risk first: {}. Of these each has less risk or less loss "
            "than another; which to take is not decided here, as less loss does not make up for "
            "risk.",
            names(found.front),
        )
    elif found.front:
        yield phrase("Dominated by none: {} only.", name(found.front[0]))
    if found.not_placed:
        yield phrase("Not placed, as risk or loss is not known: {}.", names(found.not_placed))


def _best(found: Comparison) -> Exhibit:
    columns = (
        text("criterion", "least"),
        figures("value", "value"),
        text("releases", "release"),
        text("unknown", "not known of"),
    )
    rows = tuple(
        (CRITERIA[one.criterion], _least(one), names(one.releases), names(one.not_measured))
        for one in found.best
    )
    return Exhibit(name="best", title="The least of each", table=Table(columns, rows))


def differences(found: Comparison, *, external: bool = False) -> Section | None:
    """How much more risk one has than another."""
    if not found.differences:
        return None
    columns = (
        text("which", "difference of risk"),
        figures("gap", "points"),
        figures("low", "[at least](interval)"),
        figures("high", "at most"),
        text("note", "of what"),
    )
    table = Table(columns, tuple(_difference(one) for one in found.differences))
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


def _difference(one: Difference) -> Row:
    paired = one.paired
    interval = None if paired is None else paired.interval
    return (
        phrase("{} less {}", name(one.first), name(one.second)),
        points(one.share if paired is None else paired.difference),
        None if interval is None else points(interval.low),
        None if interval is None else points(interval.high),
        name(one.note),
    )


def by_attack(found: Comparison) -> Section | None:
    """What each attack links of each release."""
    rows = tuple(
        (attack(made.name), direction(made.direction), name(one.name), percent(made.share))
        for one in found.releases
        for made in one.attacks
    )
    if not rows:
        return None
    columns = (
        text("attack", "[attack](attack)"),
        text("direction", "direction"),
        text("release", "release"),
        figures("share", "[linked](linked)"),
    )
    return Section(
        key="attacks",
        title="Attack by attack",
        exhibits=(
            Exhibit(
                name="by-attack",
                title="Share of the people whom each attack links rightly",
                chart="attacks_beside",
                table=Table(columns, rows),
                says=phrase(
                    "Bars of the share linked by each attack, in the direction in which that is "
                    "more, one for each release."
                ),
            ),
        ),
    )


def by_loss(found: Comparison) -> Section | None:
    """What each measure of loss says of each release."""
    rows = tuple(
        (
            Term(lost.name, loss_key(lost.name)),
            name(one.name),
            None if lost.value is None else decimal(lost.value),
            "no end" if lost.worst is None else decimal(lost.worst),
        )
        for one in found.releases
        for lost in one.losses
    )
    if not rows:
        return None
    every = [lost for one in found.releases for lost in one.losses]
    drawn = any(lost.value is not None and lost.worst == 1 for lost in every)
    columns = (
        text("measure", "measure"),
        text("release", "release"),
        figures("value", "value"),
        figures("worst", "worst"),
    )
    return Section(
        key="loss",
        title="Measure by measure",
        exhibits=(
            Exhibit(
                name="by-measure",
                title="Measures of loss",
                chart="losses_beside" if drawn else None,
                table=Table(columns, rows),
                says=phrase("Bars of each measure of loss, one for each release."),
            ),
        ),
    )


def notes(found: Comparison, *, external: bool = False) -> Section | None:
    """Where like is not compared with like."""
    if not found.notes:
        return None
    title = "Where like is not compared with like"
    if external:  # they name files and columns
        told = phrase(
            "The audits are not alike in {} ways: ask for them.", counted(len(found.notes))
        )
        return Section(key="notes", title=title, points=(told,))
    said = tuple(phrase("{}.", name(note[:1].upper() + note[1:])) for note in found.notes)
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
