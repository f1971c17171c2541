"""Attacks: whom they link, what an intruder would claim, and how near the others come."""

from collections.abc import Iterator

from unveil.reports.content import Exhibit, Section, Table, direction, figures, text
from unveil.reports.glossary import attack_key
from unveil.support.phrases import (
    Phrase,
    Term,
    chance,
    counted,
    expected,
    level,
    name,
    percent,
    phrase,
)
from unveil.values.results.evidence import Evidence, Finding

POSITION = "position"
LEAST_P = 0.001  # below, it is told to be under this
CURVES = 4  # attacks whose rank of the truth is drawn
PLACES = (1, 2, 3, 5, 10)  # at which it is


def attack(given: str) -> Term:
    """An attack by its name."""
    return Term(given, attack_key(given))


def attacks(evidence: Evidence, *, external: bool = False) -> Section | None:
    """Whom each attack links, in both directions, and what to hold that against."""
    if not evidence.attacks:
        return None
    shown = told_to(evidence, external=external)
    if not shown:
        return None
    worst = shown[0]
    return Section(
        key="attacks",
        title="Who is linked",
        paragraphs=(
            phrase(
                "Attacks by [record linkage](record-linkage) that were made: {}. Each is by "
                "somebody who has the true values of the people and looks for their rows, or has a "
                "row and looks for its person. {}, {}, links {} of {}.",
                counted(len(shown)),
                "The best" if worst is evidence.attacks[0] else "The best of those told here",
                attack(worst.name),
                expected(worst.risk.expected),
                counted(worst.risk.n),
            ),
            *_found_by_chance(worst, external=external),
        ),
        exhibits=(_attacks(shown),),
        points=tuple(
            phrase(
                "Not made: {} ({}){}.",
                attack(one.name),
                direction(one.direction),
                () if external else phrase(": {}", name(one.reason)),  # it may name columns
            )
            for one in evidence.left_out
            if not (external and one.name == POSITION)
        ),
    )


def told_to(evidence: Evidence, *, external: bool) -> tuple[Finding, ...]:
    """The attacks; to others, not that by the order of the rows, which anybody can use."""
    return tuple(one for one in evidence.attacks if one.row_order is None or not external)


def _found_by_chance(worst: Finding, *, external: bool) -> list[Phrase]:
    above = worst.at_risk
    p = worst.risk.p_value
    by_chance = phrase(
        "So many links or more would come about by chance with a [probability](p-value) {}{}.",
        "" if p < LEAST_P else "of at most ",  # as few draws can tell
        chance(p),
    )
    if external:  # how the risk is spread is for those who answer for it
        return [by_chance]
    return [
        phrase(
            "By the best attack {} of the people have a [risk](at-risk) above {}; the highest is "
            "{}. {}",
            percent(above["above"]),
            level(above["threshold"]),
            percent(above["highest"]),
            by_chance,
        )
    ]


def _attacks(shown: tuple[Finding, ...]) -> Exhibit:
    columns = (
        text("attack", "[attack](attack)"),
        text("direction", "direction"),
        figures("linked", "[linked](linked)"),
        figures("n", "of"),
        figures("share", "share"),
        figures("low", "of all, [at least](interval)"),
        figures("high", "at most"),
        figures("guess", "[a guess](guess)"),
        figures("ceiling", "[ceiling](ceiling)"),
        figures("chance", "[by chance](p-value), at most"),
    )
    rows = tuple(
        (
            attack(one.name),
            direction(one.risk.direction),
            expected(one.risk.expected),
            counted(one.risk.n),
            percent(one.risk.share),
            None if one.risk.interval is None else percent(one.risk.interval.low),
            None if one.risk.interval is None else percent(one.risk.interval.high),
            counted(one.risk.baseline),
            counted(one.risk.ceiling) if one.risk.attributes else None,
            chance(one.risk.p_value),
        )
        for one in shown
    )
    return Exhibit(
        name="attacks",
        title="Share of the people whom each attack links rightly",
        chart="attacks",
        table=Table(columns, rows).filled(),
        says=phrase(
            "Bars of the share linked by each attack in each direction, with marks for what a "
            "guess links and for the ceiling. The longest is {}, {}.",
            name(shown[0].name),
            percent(shown[0].risk.share),
        ),
        notes=tuple(_names(shown)),
    )


def _names(shown: tuple[Finding, ...]) -> Iterator[Phrase]:
    """What the ends of names mean."""
    if any(one.name.endswith(("posterior", "one-to-one")) for one in shown):
        yield phrase(
            "Each record by itself takes the [nearest](matching-nearest) row, unless the name says "
            "how all are [matched](matchings): [one to one](matching-one-to-one), or by the "
            "[posterior](matching-posterior)."
        )
    if any(one.sweeping for one in shown):
        yield phrase(
            "A name that ends in knowing and a number is the attack by somebody who [knows]"
            "(knowledge) so many attributes only, those that help the most."
        )
    if any(one.by_file for one in shown):
        yield phrase(
            "A name that ends in intruder-file is the attack by somebody who has the file that was "
            "given, and of its people those who are in the release."
        )


def claims(evidence: Evidence, *, external: bool = False) -> Section | None:
    """What an intruder would claim, who does not know the truth."""
    made = [one for one in evidence.attacks if one.claims is not None]
    sure = evidence.most_claimed
    if sure is None or sure.claims is None:
        return None
    return Section(
        key="claims",
        title="What an intruder could claim",
        paragraphs=(
            phrase(
                "Links are worth little to somebody who cannot tell which are right. Who "
                "[claims](claims) only what has a clear margin, or is nearly certain, claims by "
                "{} {} of {} people, and is right about {}.",
                attack(sure.name),
                counted(sure.claims.claimed),
                counted(sure.claims.n),
                counted(sure.claims.right),
            ),
            phrase(
                "The [control](control) is the same intruder with the true rows taken out: what "
                "is claimed then is wrong, each time. The [forecast](forecast) is the share that "
                "an intruder holds to be right, without the truth."
            ),
        ),
        # Which margin to demand is of use to an intruder only.
        exhibits=(_claims(made), *([] if external else _precision(sure))),
    )


def _claims(made: list[Finding]) -> Exhibit:
    columns = (
        text("attack", "[attack](attack)"),
        text("direction", "direction"),
        figures("n", "looked at"),
        figures("claimed", "[claimed](claims)"),
        figures("right", "rightly"),
        figures("control", "claimed of [nobody](control)"),
        figures("control_n", "of"),
        figures("forecast", "[forecast](forecast)"),
        figures("share", "linked"),
    )
    rows = []
    for one in made:
        said, control = one.claims, one.risk.control
        if said is None:
            continue
        rows.append(
            (
                attack(one.name),
                direction(one.risk.direction),
                counted(said.n),
                counted(said.claimed),
                expected(said.right),
                None if control is None else counted(control.claimed),
                None if control is None else counted(control.n),
                None if one.forecast is None else percent(one.forecast.share),
                percent(one.risk.share),
            )
        )
    return Exhibit(
        name="claims",
        title="Links that an intruder would claim, right and wrong",
        chart="claims",
        table=Table(columns, tuple(rows)).filled(),
        says=phrase("Bars of the links claimed by each attack, those that are right and wrong."),
    )


def _precision(sure: Finding) -> list[Exhibit]:
    curve = sure.precision
    if curve is None:
        return []
    columns = (
        figures("margin", "margin demanded"),
        figures("coverage", "claimed"),
        figures("precision", "of these right"),
        figures("control", "claimed of [nobody](control)"),
    )
    rows = [
        (
            as_margin,
            percent(coverage),
            None if right is None else percent(right),  # of no claims nothing is right or wrong
            None if of_nobody is None else percent(of_nobody),
        )
        for as_margin, coverage, right, of_nobody in zip(
            map(level, curve["margin"]),
            curve["coverage"],
            curve["precision"],
            curve["control"],
            strict=True,
        )
    ]
    return [
        Exhibit(
            name="margin",
            title="Claims against the margin that is demanded",
            chart="precision",
            table=Table(columns, tuple(rows)),
            says=phrase(
                "By {}: the share of the people claimed, and the share of the claims that are "
                "right, against the margin by which the second best must be farther.",
                name(sure.name),
            ),
        )
    ]


def rank_of_truth(evidence: Evidence) -> Section | None:
    """How near the true row comes, where it is not the first."""
    shown: list[Finding] = []
    for one in evidence.attacks:  # each attack once, in its better direction
        if one.risk.attributes and one.name not in {other.name for other in shown}:
            shown.append(one)
    shown = shown[:CURVES]
    if not shown:
        return None
    places = len(shown[0].top["share"])
    columns = (
        text("attack", "[attack](attack)"),
        text("direction", "direction"),
        figures("k", "among the best"),
        figures("share", "[the true row is there](rank-of-truth)"),
        figures("n", "of"),
    )
    rows = tuple(
        (
            attack(one.name),
            direction(one.risk.direction),
            counted(place),
            percent(one.top["share"][place - 1]),
            counted(one.top["n"]),
        )
        for one in shown
        for place in PLACES
        if place <= places
    )
    best = shown[0].top["share"]
    return Section(
        key="rank-of-truth",
        title="How near the truth comes",
        paragraphs=(
            phrase(
                "A true row that is not the best candidate may be the second best, and whoever "
                "can check a few people by other means finds it. By {} the true row is [among the "
                "best](rank-of-truth) {} for {} of the people.",
                attack(shown[0].name),
                counted(places),
                percent(best[-1]),
            ),
        ),
        exhibits=(
            Exhibit(
                name="rank-of-truth",
                title="How often the true row is among the best candidates",
                chart="rank_of_truth",
                table=Table(columns, rows),
                says=phrase(
                    "Rising lines, one for each attack, of the share of the people whose true row "
                    "is among the k best; the highest begins at {}.",
                    percent(best[0]),
                ),
            ),
        ),
    )
