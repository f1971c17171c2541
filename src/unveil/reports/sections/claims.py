"""Claims: what an intruder would hold to be right, and how often that is so."""

from collections.abc import Sequence

from unveil.reports.content import Exhibit, Section
from unveil.reports.sections.attacks import attack, direction
from unveil.reports.tables import counts, expected_counts, figures, shares, tabulate, text
from unveil.support.phrases import Phrase, counted, level, name, percent, phrase, several
from unveil.values.results.evidence import Evidence, Finding


def claims(evidence: Evidence, *, external: bool = False) -> Section | None:
    """What an intruder would claim, who does not know the truth."""
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
    """How often links that the strongest attack is sure of are right."""
    rated = _rated(findings)
    if rated is None or (sure := rated.forecast) is None or sure.right is None:
        return []
    return [
        phrase(
            "Of the links that {} holds to be {} [sure](reliability) or more, {} of {} are "
            "right{}.",
            attack(rated.name),
            level(sure.above),
            counted(sure.right),
            counted(sure.claimed),
            _calibrated(rated),
        )
    ]


def _calibrated(finding: Finding) -> Phrase:
    if finding.details.get("calibrated"):
        runs = several(finding.details["simulations"], "simulation")
        return phrase("; its probabilities are calibrated by {} of the masking", runs)
    return phrase("; its probabilities are not calibrated")


def _reliability(findings: Sequence[Finding]) -> list[Exhibit]:
    rated = _rated(findings)
    if rated is None or (found := rated.reliability) is None:
        return []
    table = tabulate(
        found.bins,
        counts("n", "links", lambda one: one.n),
        shares("claimed", "held to be right", lambda one: one.claimed),
        shares("right", "right", lambda one: one.right),
    )
    return [
        Exhibit(
            name="reliability",
            title="How far the probabilities of links can be trusted",
            chart="reliability",
            table=table,
            says=phrase(
                "By {}: the share of links that are right against the probability that is "
                "[claimed](reliability), in groups of equal size, beside the line on which both "
                "are the same. The mean difference is {}.",
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
        counts("n", "looked at", lambda row: row[1].n),
        counts("claimed", "[claimed](claims)", lambda row: row[1].claimed),
        expected_counts("right", "rightly", lambda row: row[1].right),
        counts(
            "control",
            "claimed of [nobody](control)",
            lambda row: None if (control := row[0].risk.control) is None else control.claimed,
        ),
        counts(
            "control_n",
            "of",
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
        title="Links that an intruder would claim, right and wrong",
        chart="claims",
        table=table.filled(),
        says=phrase("Bars of the links claimed by each attack, those that are right and wrong."),
    )


def _precision(sure: Finding) -> list[Exhibit]:
    curve = sure.precision
    if curve is None:
        return []
    table = tabulate(
        range(len(curve["margin"])),
        (figures("margin", "margin demanded"), lambda i: level(curve["margin"][i])),
        shares("coverage", "claimed", lambda i: curve["coverage"][i]),
        # Where nothing is claimed the precision is undefined.
        shares("precision", "of these right", lambda i: curve["precision"][i]),
        shares("control", "claimed of [nobody](control)", lambda i: curve["control"][i]),
    )
    return [
        Exhibit(
            name="margin",
            title="Claims against the margin that is demanded",
            chart="precision",
            table=table,
            says=phrase(
                "By {}: the share of the people claimed, and the share of the claims that are "
                "right, against the margin by which the second best must be farther.",
                name(sure.name),
            ),
        )
    ]
