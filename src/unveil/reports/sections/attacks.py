"""Attacks: the links of each, the claims an intruder would make, and the rank of the true row."""

from collections.abc import Iterator, Sequence

from unveil.reports.content import Exhibit, Section
from unveil.reports.glossary import attack_key
from unveil.reports.sections.stress_test import stress_sentence
from unveil.reports.tables import (
    counts,
    expected_counts,
    figures,
    high,
    low,
    shares,
    tabulate,
    text,
)
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
    several,
)
from unveil.values.results.evidence import Evidence, Finding, LeftOut
from unveil.workflows.auditing.attack_names import uses_row_order

LEAST_P = 0.001  # smaller p-values are written as under this
MAX_CURVES = 4  # attacks in the chart of the rank of the truth
RANKS = (1, 2, 3, 5, 10)  # the k of this chart


def attack(short_name: str) -> Term:
    """The name of an attack, with its entry in the glossary."""
    return Term(short_name, attack_key(short_name))


def direction(key: str) -> Term:
    """The direction of an attack: which file is searched for the records of the other."""
    return Term(key.replace("-", " "), key)


def attacks(evidence: Evidence, *, external: bool = False) -> Section | None:
    """Whom each attack links, in both directions, and what to hold that against."""
    shown = reported_attacks(evidence, external=external)
    if not shown:
        return None
    worst = shown[0]
    return Section(
        key="attacks",
        title="The stress test: who is linked" if evidence.scenarios else "Who is linked",
        paragraphs=(
            *((stress_sentence(evidence, external=external),) if evidence.scenarios else ()),
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
            *_p_value(worst, external=external),
        ),
        exhibits=(_attacks(shown),),
        points=tuple(_not_made(evidence, external=external)),
    )


def _not_made(evidence: Evidence, *, external: bool) -> Iterator[Phrase]:
    """The attacks that are left out, with the reason, which may name columns."""
    ways = dict[tuple[str, str], list[LeftOut]]()
    for one in evidence.left_out:
        if not (external and uses_row_order(one.name)):
            ways.setdefault((one.name, "" if external else one.reason), []).append(one)
    for (left_out, reason), both in ways.items():
        yield phrase(
            "Not made: {}{}{}.",
            attack(left_out),
            phrase(" ({})", direction(both[0].direction)) if len(both) == 1 else (),
            phrase(": {}", name(reason)) if reason else (),
        )


def reported_attacks(evidence: Evidence, *, external: bool) -> tuple[Finding, ...]:
    """The attacks of a page; an external page omits the one by row order: anybody can use it."""
    return tuple(one for one in evidence.attacks if one.row_order is None or not external)


def _p_value(worst: Finding, *, external: bool) -> list[Phrase]:
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
    table = tabulate(
        shown,
        (text("attack", "[attack](attack)"), lambda one: attack(one.name)),
        (text("direction", "direction"), lambda one: direction(one.risk.direction)),
        expected_counts("linked", "[linked](linked)", lambda one: one.risk.expected),
        counts("n", "of", lambda one: one.risk.n),
        shares("share", "share", lambda one: one.risk.share),
        low(lambda one: one.risk.interval, "of all, [at least](interval)"),
        high(lambda one: one.risk.interval),
        counts("guess", "[a guess](guess)", lambda one: one.risk.baseline),
        counts(
            "ceiling",
            "[ceiling](ceiling)",
            lambda one: one.risk.ceiling if one.risk.attributes else None,
        ),
        (figures("chance", "[by chance](p-value), at most"), lambda one: chance(one.risk.p_value)),
    )
    return Exhibit(
        name="attacks",
        title="Share of the people whom each attack links rightly",
        chart="attacks",
        table=table.filled(),
        says=phrase(
            "Bars of the share linked by each attack in each direction, with marks for what a "
            "guess links and for the ceiling. The longest is {}, {}.",
            name(shown[0].name),
            percent(shown[0].risk.share),
        ),
        notes=tuple(_name_endings(shown)),
    )


def _name_endings(shown: tuple[Finding, ...]) -> Iterator[Phrase]:
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


def rank_of_truth(evidence: Evidence) -> Section | None:
    """How near the true row comes, where it is not the first."""
    shown: list[Finding] = []
    for one in evidence.attacks:  # each attack once, in its better direction
        if one.risk.attributes and one.name not in {other.name for other in shown}:
            shown.append(one)
    shown = shown[:MAX_CURVES]
    if not shown:
        return None
    places = len(shown[0].top["share"])
    table = tabulate(
        [(one, k) for one in shown for k in RANKS if k <= places],
        (text("attack", "[attack](attack)"), lambda row: attack(row[0].name)),
        (text("direction", "direction"), lambda row: direction(row[0].risk.direction)),
        counts("k", "among the best", lambda row: row[1]),
        shares(
            "share",
            "[the true row is there](rank-of-truth)",
            lambda row: row[0].top["share"][row[1] - 1],
        ),
        counts("n", "of", lambda row: row[0].top["n"]),
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
                table=table,
                says=phrase(
                    "Rising lines, one for each attack, of the share of the people whose true row "
                    "is among the k best; the highest begins at {}.",
                    percent(best[0]),
                ),
            ),
        ),
    )
