"""Claims: the links that an intruder would rely on, and how many of them are right."""

from collections.abc import Sequence
from typing import Any

from unveil.reports.content import Exhibit, Section
from unveil.reports.sections.attacks import attack, direction
from unveil.reports.tables import counts, expected_counts, figures, shares, tabulate, text
from unveil.support.phrases import Phrase, counted, level, name, percent, phrase, points, several
from unveil.values.results.evidence import Evidence, Finding


def claims(evidence: Evidence, *, external: bool = False) -> Section | None:
    """What an intruder without the truth would claim."""
    sure = evidence.most_claimed
    if sure is None or sure.claims is None:
        return None
    return Section(
        key="claims",
        title="What an intruder could claim",
        paragraphs=(
            phrase(
                "An intruder does not know which links are right. One who [claims](claims) only "
                "links with a clear margin or a high probability claims {} of {} with {}; {} of "
                "these claims are right.",
                counted(sure.claims.claimed),
                several(sure.claims.n, "person"),
                attack(sure.name),
                counted(sure.claims.right),
            ),
            phrase(
                "The [control](control) repeats the attack with the true rows removed, so every "
                "claim in it is wrong. The [forecast](forecast) is the share of links that the "
                "intruder expects to be right."
            ),
            *_sureness(evidence.attacks),
        ),
        # Which margin to demand is of use to an intruder only.
        exhibits=(
            _claims(evidence.attacks),
            *_reliability(evidence.attacks),
            *([] if external else _precision(sure)),
        ),
    )


def _rated(findings: Sequence[Finding]) -> Finding | None:
    """The strongest attack whose probabilities are compared with the truth."""
    for one in findings:
        known = one.forecast is not None and one.forecast.right is not None
        if known and one.reliability is not None:
            return one
    return None


def _sureness(findings: Sequence[Finding]) -> list[Phrase]:
    """How many of the links with a high probability are right, by the strongest attack."""
    rated = _rated(findings)
    if rated is None or (sure := rated.forecast) is None or sure.right is None:
        return []
    return [
        phrase(
            "{} gives {} a [probability](reliability) of at least {}; {} of them are right{}.",
            attack(rated.name),
            several(sure.claimed, "link"),
            level(sure.above),
            counted(sure.right),
            _calibrated(rated),
        )
    ]


def _calibrated(finding: Finding) -> Phrase:
    if finding.details.get("calibrated"):
        runs = several(finding.details["simulations"], "simulation")
        return phrase(". Its probabilities are calibrated by {} of the masking", runs)
    return phrase(". Its probabilities are not calibrated")


def _reliability(findings: Sequence[Finding]) -> list[Exhibit]:
    rated = _rated(findings)
    if rated is None or (found := rated.reliability) is None:
        return []
    table = tabulate(
        found.bins,
        counts("n", "links", lambda one: one.n),
        shares("claimed", "mean probability", lambda one: one.claimed),
        shares("right", "right links", lambda one: one.right),
    )
    return [
        Exhibit(
            name="reliability",
            title=phrase(
                "Probabilities differ from the share of right links by {} points on average",
                points(found.error),
            ),
            chart="reliability",
            table=table,
            says=phrase(
                "By {}: the share of right links against their [probability](reliability), in "
                "groups of equal size, beside the line where both are equal. The mean difference "
                "is {}.",
                name(rated.name),
                percent(found.error),
            ),
        )
    ]


def _claims(findings: Sequence[Finding]) -> Exhibit:
    table = tabulate(
        [(one, one.claims) for one in findings if one.claims is not None],
        (text("attack", "[attack](attack)"), lambda row: attack(row[0].name)),
        (text("direction", "direction"), lambda row: direction(row[0].risk.direction)),
        counts("n", "people", lambda row: row[1].n),
        counts("claimed", "[claimed](claims)", lambda row: row[1].claimed),
        expected_counts("right", "right claims", lambda row: row[1].right),
        counts(
            "control",
            "claims in the [control](control)",
            lambda row: None if (control := row[0].risk.control) is None else control.claimed,
        ),
        counts(
            "control_n",
            "of people",
            lambda row: None if (control := row[0].risk.control) is None else control.n,
        ),
        shares(
            "forecast",
            "[forecast](forecast)",
            lambda row: None if row[0].forecast is None else row[0].forecast.share,
        ),
        shares("share", "linked", lambda row: row[0].risk.share),
    )
    return Exhibit(
        name="claims",
        title=_most_right(findings),
        chart="claims",
        table=table.filled(),
        says=phrase("Bars of the links that each attack claims, right and wrong."),
    )


def _most_right(findings: Sequence[Finding]) -> Phrase:
    """The finding of the chart: the attack with the most right claims."""
    sure = [(one.claims, one.name) for one in findings if one.claims is not None]
    best, attack_name = max(sure, key=lambda one: one[0].right / max(one[0].n, 1))
    if not best.right:
        return ("No attack claims a right link",)
    return phrase(
        "Most right claims ({}): {} of {}",
        name(attack_name),
        counted(best.right),
        several(best.n, "person"),
    )


def _precision(sure: Finding) -> list[Exhibit]:
    curve = sure.precision
    if curve is None:
        return []
    table = tabulate(
        range(len(curve["margin"])),
        (figures("margin", "required margin"), lambda i: level(curve["margin"][i])),
        shares("coverage", "claimed", lambda i: curve["coverage"][i]),
        # Where nothing is claimed the precision is undefined.
        shares("precision", "right, of the claims", lambda i: curve["precision"][i]),
        shares("control", "claimed in the [control](control)", lambda i: curve["control"][i]),
    )
    return [
        Exhibit(
            name="margin",
            title=_best_margin(curve),
            chart="precision",
            table=table,
            says=phrase(
                "By {}: the share of the people claimed and the share of right claims, by the "
                "margin that the second best candidate must be farther away.",
                name(sure.name),
            ),
        )
    ]


def _best_margin(curve: dict[str, Any]) -> Phrase:
    """The finding of the chart: how reliable claims become by a margin."""
    known = [
        (right, margin)
        for right, margin in zip(curve["precision"], curve["margin"], strict=True)
        if right is not None
    ]
    if not known:
        return phrase("No link has a margin")
    (first, least), (most, margin) = known[0], max(known, key=lambda one: one[0])
    if most <= first:
        return phrase(
            "A larger margin makes claims no more reliable ({} are right)", percent(first)
        )
    return phrase(
        "Right claims: {} at a margin of {}, {} at a margin of {}",
        percent(first),
        level(least),
        percent(most),
        level(margin),
    )
