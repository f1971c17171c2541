"""Attacks: the links of each, how strong they are together, and the rank of the true row."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unveil.reports.content import Exhibit, Section
from unveil.reports.glossary import attack_key
from unveil.reports.sections.stress_test import stress_sentence
from unveil.reports.tables import (
    Table,
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
    level,
    name,
    names,
    percent,
    phrase,
    points,
    several,
)
from unveil.values.results.evidence import Evidence, Finding, LeftOut
from unveil.values.results.risk import Risk
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
    """Whom each attack links, in both directions, beside a guess and the ceiling."""
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
                "The audit made {} by [record linkage](record-linkage). In one direction the "
                "intruder searches a person's row, in the other a row's person. {}, {}, links {} "
                "of {}.",
                several(len(shown), "attack"),
                "The strongest" if worst is evidence.attacks[0] else "The strongest shown here",
                attack(worst.name),
                counted(worst.risk.expected),
                several(worst.risk.n, "person"),
            ),
            *_taken_in(evidence),
            *_p_value(worst, external=external),
            *_dependent(shown),
        ),
        exhibits=(_attacks(shown, _strength(evidence, shown[0], external=external)),),
    )


def _taken_in(evidence: Evidence) -> Iterator[Phrase]:
    """That another intruder's attack links more, which the row of the stress test counts."""
    row, own = evidence.stress_test, evidence.attacks[0].risk.share
    if row is not None and row.linked is not None and row.linked.share > own:
        yield phrase(
            "An intruder who knows less links {}; the table of intruders counts these links for "
            "the stress test.",
            percent(row.linked.share),
        )


def _strength(evidence: Evidence, best: Finding, *, external: bool) -> Phrase:
    """How strong the audit is: what its attacks know, how near they come, what is left out."""
    parts = [*_known_masks(evidence, external=external)]
    if best.risk.attributes and best.risk.ceiling is not None:
        parts.append(
            phrase(
                "The strongest attack links {} of the {} people that the [ceiling](ceiling) "
                "allows.",
                counted(best.risk.expected),
                counted(best.risk.ceiling),
            )
        )
    parts += _left_out(evidence, external=external)
    return phrase("Strength of this audit:" + " {}" * len(parts), *parts) if parts else ()


def _known_masks(evidence: Evidence, *, external: bool) -> Iterator[Phrase]:
    """Which attacks know which mask; an external page counts the masks."""
    masks = evidence.mask_knowledge
    known = [one for one in masks if one.attacks]
    if evidence.plan is None:
        yield phrase("no attack knew the masking method, so the risk may be understated.")
    elif external and masks:
        yield phrase("its attacks know {} of {} masks.", counted(len(known)), counted(len(masks)))
    else:
        for one in masks:
            mask = phrase("{} ({})", name(one.mask), names(one.columns))
            if one.attacks:
                form = "The attack {} knows the mask {}."
                if len(one.attacks) > 1:
                    form = "The attacks {} know the mask {}."
                yield phrase(form, names(one.attacks), mask)
            else:
                form = "No attack knows the mask {}, so the risk may be understated."
                yield phrase(form, mask)


def _left_out(evidence: Evidence, *, external: bool) -> Iterator[Phrase]:
    """The attacks that are left out, with the reason, which may name columns."""
    ways = dict[tuple[str, str], list[LeftOut]]()
    for one in evidence.left_out:
        if not (external and uses_row_order(one.name)):
            ways.setdefault((one.name, "" if external else one.reason), []).append(one)
    if not ways:
        return
    listed, long = list[Phrase](), False
    for (left_out, reason), both in ways.items():
        why, effort, _ = reason.partition("; --effort thorough")
        long = long or bool(effort)
        listed.append(
            phrase(
                "{}{}{}",
                attack(left_out),
                phrase(" ({})", direction(both[0].direction)) if len(both) == 1 else (),
                phrase(" ({})", name(_bare_reason(left_out, why))) if why else (),
            )
        )
    remedy = "; `--effort thorough` includes the slow ones" if long else ""
    yield phrase(f"Left out: {', '.join('{}' for _ in listed)}{remedy}.", *listed)


def _bare_reason(attack_name: str, reason: str) -> str:
    """A reason without the words that its sentence already has."""
    return reason.removeprefix(f"{attack_name}: ").removeprefix("it takes ")


def reported_attacks(evidence: Evidence, *, external: bool) -> tuple[Finding, ...]:
    """The attacks of a page; an external page omits the one by row order: anybody can use it."""
    return tuple(one for one in evidence.attacks if one.row_order is None or not external)


def _p_value(worst: Finding, *, external: bool) -> list[Phrase]:
    above = worst.at_risk
    p, exact = worst.risk.p_value, worst.risk.law_of_chance == "matching"
    by_chance = phrase(
        "By chance, this many links would occur with a [probability](p-value) {}{}.",
        "" if p < LEAST_P or exact else "of at most ",  # as few draws can tell
        chance(p),
    )
    if external:  # how the risk is spread is for those who answer for it
        return [by_chance]
    return [
        phrase(
            "Under the strongest attack {} of the people have a [risk](at-risk) above {}; the "
            "highest risk is {}. {}",
            percent(above["above"]),
            level(above["threshold"]),
            percent(above["highest"]),
            by_chance,
        )
    ]


def _dependent(shown: Sequence[Finding]) -> Iterator[Phrase]:
    """What dependence between attributes changes, for each attack that has estimated it."""
    for one in {one.name: one for one in reversed(shown)}.values():
        if "dependence" in one.details:
            yield phrase("{}: {}", attack(one.name), dependence_phrase(one.details))


def dependence_phrase(details: Mapping[str, Any]) -> Phrase:
    """How far match probabilities under dependence differ from those under independence."""
    found = details["dependence"]
    if found["chosen"] == "none":
        return ("no model of dependent attributes has a lower BIC than independence.",)
    unsure = "" if found["converged"] else " EM has not converged: allow more iterations."
    return phrase(
        "the attributes of a pair depend on each other ({}). Assuming independence "
        "changes the match probability of {} by more than 10 points, and of an expected match by "
        "{} points on average.{}",
        found["chosen"],
        several(found["differing_pairs"], "pair"),
        points(found["mean_difference"]),
        unsure,
    )


def risk_table(risks: Sequence[tuple[str, Risk]]) -> Table:
    """The risk by each attack of a name, a guess and the ceiling."""
    return tabulate(
        risks,
        (text("attack", "[attack](attack)"), lambda one: attack(one[0])),
        (text("direction", "direction"), lambda one: direction(one[1].direction)),
        expected_counts("linked", "[linked](linked)", lambda one: one[1].expected),
        counts("n", "of", lambda one: one[1].n),
        shares("share", "share", lambda one: one[1].share),
        low(lambda one: one[1].interval, "of all, [at least](interval)"),
        high(lambda one: one[1].interval),
        counts("guess", "[a guess](guess)", lambda one: one[1].baseline),
        counts(
            "ceiling",
            "[ceiling](ceiling)",
            lambda one: one[1].ceiling if one[1].attributes else None,
        ),
        (figures("chance", "[by chance](p-value), at most"), lambda one: chance(one[1].p_value)),
    ).filled()


def _attacks(shown: tuple[Finding, ...], strength: Phrase) -> Exhibit:
    return Exhibit(
        name="attacks",
        title=phrase(
            "Strongest attack ({}): {} of the people are linked",
            name(shown[0].name),
            percent(shown[0].risk.share),
        ),
        chart="attacks",
        table=risk_table([(one.name, one.risk) for one in shown]),
        says=phrase(
            "Bars of the share linked by each attack in each direction, with marks for a guess "
            "and for the ceiling. The longest is {}, {}.",
            name(shown[0].name),
            percent(shown[0].risk.share),
        ),
        notes=(*([strength] if strength else []), *_name_endings(shown)),
    )


def _name_endings(shown: tuple[Finding, ...]) -> Iterator[Phrase]:
    if any(one.name.endswith(("posterior", "one-to-one")) for one in shown):
        yield phrase(
            "Attacks link each record to its [nearest](matching-nearest) row. Names ending in "
            "[one-to-one](matching-one-to-one) or [posterior](matching-posterior) "
            "[match](matchings) all records together."
        )
    if any(one.sweeping for one in shown):
        yield phrase(
            "A number after knowing in a name: the intruder [knows](knowledge) only so many "
            "attributes, the most revealing ones."
        )
    if any(one.by_file for one in shown):
        yield phrase(
            "The name ending intruder-file: the attack uses the intruder's file that was given; it "
            "counts the people who are in both files."
        )


def rank_of_truth(evidence: Evidence) -> Section | None:
    """The rank of the true row among the candidates."""
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
        counts("k", "k best", lambda row: row[1]),
        shares(
            "share",
            "[true row among them](rank-of-truth)",
            lambda row: row[0].top["share"][row[1] - 1],
        ),
        counts("n", "of", lambda row: row[0].top["n"]),
    )
    best = shown[0].top["share"]
    return Section(
        key="rank-of-truth",
        title="Rank of the true row",
        paragraphs=(
            phrase(
                "An intruder who checks several candidates finds more people. Under {} the true "
                "row is the best candidate for {} of the people and [among the best]"
                "(rank-of-truth) {} for {}.",
                attack(shown[0].name),
                percent(best[0]),
                counted(places),
                percent(best[-1]),
            ),
        ),
        exhibits=(
            Exhibit(
                name="rank-of-truth",
                title=phrase(
                    "The true row is among the {} best candidates for {} of the people",
                    counted(places),
                    percent(best[-1]),
                ),
                chart="rank_of_truth",
                table=table,
                says=phrase(
                    "Rising lines, one for each attack: the share of the people whose true row is "
                    "among the k best candidates. The highest begins at {}.",
                    percent(best[0]),
                ),
            ),
        ),
    )
