"""Advice: what carries the risk, and which remedies lower it, as far as this was measured."""

from collections.abc import Iterator

from unveil.reports.content import Exhibit, Section
from unveil.reports.sections.attacks import attack, direction
from unveil.reports.sections.knowledge import among, fewer_rows
from unveil.reports.sections.verdict import limit_names
from unveil.reports.tables import decimals, high, low, shares, tabulate, text
from unveil.support.phrases import (
    Phrase,
    counted,
    decimal,
    level,
    name,
    names,
    percent,
    phrase,
    several,
)
from unveil.values.results.evidence import Evidence
from unveil.values.results.knowledge import Knowledge, KnowledgePoint, KnownAttributes
from unveil.values.results.remedies import Remedies, Remedy

MAX_NAMED = 3  # attributes named in a sentence


def advice(evidence: Evidence) -> Section:
    """What to do next."""
    tried = evidence.remedies
    return Section(
        key="next",
        title="What to do next",
        paragraphs=(_introduction(evidence),),
        points=tuple(_points(evidence)),
        exhibits=() if tried is None or not tried.tried else (_remedies(tried, evidence),),
    )


def _introduction(evidence: Evidence) -> Phrase:
    verdict = evidence.verdict
    if not evidence.attacks:
        return phrase(
            "All rows are synthetic, so no attack was made. Other disclosure is reported above."
        )
    if verdict is None:
        return phrase(
            "Set limits (`--policy`) to get a verdict from the next audit. The following points "
            "carry most of the risk."
        )
    if verdict.passed:
        return phrase(
            "Every limit holds: this policy requires nothing more. The following points carry most "
            "of the remaining risk."
        )
    broken = limit_names(verdict.broken)
    return phrase("Broken limits: {}. The following points carry most of the risk.", broken)


def _points(evidence: Evidence) -> Iterator[Phrase]:
    if evidence.identifiers:
        yield phrase("[Identifiers](identifier): remove {}.", names(evidence.identifiers))
    yield from _households(evidence)
    yield from _row_order(evidence)
    yield from _attributes(evidence)
    yield from _unchanged_columns(evidence)
    yield from _riskiest_record(evidence)
    yield from _worst_subgroup(evidence)
    yield from _best_remedy(evidence)


def _households(evidence: Evidence) -> Iterator[Phrase]:
    """How the release shows who lives together, if an attack used it."""
    together = [homes for _, homes in evidence.household_attacks if homes.together]
    if not together:
        return
    remedy = (
        "leave out or coarsen what only its members share, such as a weight, and mask other shared "
        "columns once per household (per_household)"
    )
    if evidence.grouping:
        remedy = 'leave the household number out (household = "drop")'
    yield phrase(
        f"Households: the release shows who lives together, which links {{}} of {{}} "
        f"[households](linked-households): {remedy}.",
        counted(together[0].risk.expected),
        counted(together[0].risk.n),
    )


def _row_order(evidence: Evidence) -> Iterator[Phrase]:
    position = evidence.by_position
    if position is not None and position.order_tells and position.row_order is not None:
        yield phrase(
            "[Row order](row-order): {} of {} rows kept their position and {} a neighbour, so the "
            "order re-identifies people. [Shuffle](mask-shuffle) the rows.",
            counted(position.risk.expected),
            counted(position.risk.n),
            counted(position.row_order["neighbours"]),
        )


def _attributes(evidence: Evidence) -> Iterator[Phrase]:
    """Which attributes are the most revealing: without them, or with nothing else."""
    parts = evidence.attribute_risks
    if parts is not None:
        # Only those without which the risk is lower even at the upper end of its interval.
        most = [
            one
            for one in parts.without
            if (one.share if one.interval is None else one.interval.high) < parts.share
        ][:MAX_NAMED]
        if most:
            yield phrase(
                "Attributes: the [most revealing](attribute-risk) {} {}. Without {}, {} links {} "
                "instead of {}{}. Mask {} more strongly, or leave {} out.",
                "is" if len(most) == 1 else "are",
                names([one.attribute for one in most]),
                name(most[0].attribute),
                attack(parts.attack),
                percent(most[0].share),
                percent(parts.share),
                among(parts.among, evidence),
                *(("it", "it") if len(most) == 1 else ("these", "them")),
            )
    if evidence.knowledge is not None:
        yield from _half_of_the_most(evidence.knowledge)


def _half_of_the_most(knowledge: Knowledge) -> Iterator[Phrase]:
    """How many attributes link half of what all attributes link, of one person at a time.

    Without a surface, by the steps of the sweep, which search in the direction of its attack.
    """
    alone = [one for one in knowledge.surface if one.people == "one" and not one.error]
    steps: list[tuple[int, KnowledgePoint | KnownAttributes]] = [(one.known, one) for one in alone]
    of_whom = "of one person, known exactly,"
    if len(steps) < 2:
        of_whom = f"known exactly ({knowledge.direction.replace('-', ' ')})"
        steps = [(len(one.attributes), one) for one in knowledge.steps]
    if len(steps) < 2:
        return
    last = steps[-1][1]
    known, half = next((one for one in steps if one[1].share >= last.highest / 2), steps[-1])
    yield phrase(
        f"[Knowledge](knowledge): {{}} {of_whom} {'links' if known == 1 else 'link'} {{}} ({{}}).",
        several(known, "attribute"),
        percent(half.share),
        names(knowledge.steps[-1].attributes[:known]),
    )


def _unchanged_columns(evidence: Evidence) -> Iterator[Phrase]:
    same = evidence.unchanged
    if same.quasi and same.singled_out_quasi:
        yield phrase(
            "Unchanged attributes: {} can be compared exactly. Together they "
            "[single out](singled-out) {} of {} records. [Permute](mask-rank-permutation) or "
            "[recode](mask-global-recoding) them, or use [PRAM](mask-pram).",
            names(same.quasi),
            counted(same.singled_out_quasi),
            counted(same.records),
        )


def _riskiest_record(evidence: Evidence) -> Iterator[Phrase]:
    risks = evidence.record_risks
    if risks is None or not risks.riskiest:
        return
    top = risks.riskiest[0]
    yield phrase(
        "Records: {} of {} find row {} of the original. More are listed above; `--per-record` "
        "writes all of them. Remove outlying records, or [top-code](mask-top-coding) their extreme "
        "values.",
        counted(top.found_by),
        several(top.made, "attack"),
        counted(top.row),
    )


def _worst_subgroup(evidence: Evidence) -> Iterator[Phrase]:
    worst = None if evidence.subgroups is None else evidence.subgroups.highest
    if worst is not None and evidence.attacks and worst.share > evidence.attacks[0].risk.share:
        yield phrase(
            "[Subgroup](subgroup): {}, {}, has the highest risk. The attack links {} of it, and {} "
            "of all people. Mask the attributes that distinguish this group more strongly.",
            name(worst.column),
            name(worst.group),
            percent(worst.share),
            percent(evidence.attacks[0].risk.share),
        )


def _best_remedy(evidence: Evidence) -> Iterator[Phrase]:
    remedies, best = evidence.remedies, best_remedy(evidence)
    if remedies is None:
        return
    if best is None:
        yield phrase("[Remedies](remedy): no further mask that was tried lowers the risk.")
        return
    loss: Phrase = ()
    if best.loss is not None and remedies.loss is not None:
        before, after = decimal(remedies.loss), decimal(best.loss)
        loss = phrase(" The [loss](loss) changes from {} to {}.", before, after)
    reached: Phrase = ()
    if best.holds is not None:
        form = " This {}." if best.holds else " Even the strongest setting does not {}."
        reached = phrase(form, _goal(remedies, best.holds))
    apart = ""
    if any(homes.together for _, homes in evidence.household_attacks):
        apart = " Only attacks on single persons were tried: whole households may still be linked."
    knows = "knows" if best.knows_remedy else "does not know"
    yield phrase(
        "[Remedies](remedy): {}. The share linked changes from {} to {}{}{}.{}{} The intruder of "
        f"this attack {knows} the remedy.{apart}",
        name(best.does),
        percent(remedies.share),
        percent(best.share),
        () if best.interval is None else phrase(" (upper end {})", percent(best.interval.high)),
        among(remedies.among, evidence),
        reached,
        loss,
    )


def best_remedy(evidence: Evidence) -> Remedy | None:
    """The remedy that lowers the risk most, as the list has it; None if none does."""
    remedies = evidence.remedies
    if remedies is None:
        return None
    return next((one for one in remedies.tried if one.share < remedies.share), None)


def _goal(remedies: Remedies, holds: bool) -> Phrase:
    """What a remedy is to do: keep the limit of the policy, or link half of those linked now."""
    s = "s" if holds else ""
    if remedies.limit and remedies.target is not None:
        return phrase(f"keep{s} the limit of {{}}", level(remedies.target))
    return phrase(f"halve{s} the risk")


def _remedies(remedies: Remedies, evidence: Evidence) -> Exhibit:
    steps: list[Remedies | Remedy] = [remedies, *remedies.tried]
    others = several(len(remedies.not_searched), "other limit")
    table = tabulate(
        steps,
        (
            text("does", "[remedy](remedy) on top of this release"),
            lambda one: "as it is" if isinstance(one, Remedies) else name(one.does),
        ),
        shares("share", "[linked](linked)", lambda one: one.share),
        low(lambda one: one.interval),
        high(lambda one: one.interval),
        (
            text("outcome", "limit" if remedies.limit else "half the risk"),
            lambda one: None if isinstance(one, Remedies) else _outcome(one, remedies),
        ),
        decimals("loss", "[loss](loss)", lambda one: one.loss),
        (
            text("attack", "by [attack](attack)"),
            lambda one: attack(one.attack) if one.attack else None,
        ),
    )
    return Exhibit(
        name="remedies",
        title=_finding(remedies),
        chart="remedies",
        table=table.filled(),
        says=phrase(
            "Bars of the share that is still linked after each remedy; without one it is {}.",
            percent(remedies.share),
        ),
        notes=(
            phrase(
                "Measured on {} people and {} rows.{} Without a "
                "remedy {} ({}) links most. {} The loss counts an attribute that is left out as "
                "missing in every record. Each remedy is the weakest setting that reaches the "
                "target, or the strongest one tried. The loss is given for remedies that reach "
                "the target, otherwise for the best one. {}{}Audit the new release before you "
                "rely on it.",
                counted(remedies.n),
                counted(remedies.among),
                fewer_rows(remedies.among, evidence),
                attack(remedies.attack),
                direction(remedies.direction),
                _knowledge_of(remedies),
                _too_dear(remedies),
                phrase("The search covers only what the stress test links, not {}. ", others)
                if remedies.not_searched
                else (),
            ),
        ),
    )


def _finding(remedies: Remedies) -> Phrase:
    """The finding of the chart: how far the strongest remedy lowers the risk."""
    best = min(remedies.tried, key=lambda one: one.share)
    if best.share >= remedies.share:
        return phrase("No remedy lowers the share linked ({})", percent(remedies.share))
    return phrase(
        "The strongest remedy lowers the share linked from {} to {}",
        percent(remedies.share),
        percent(best.share),
    )


def _too_dear(remedies: Remedies) -> Phrase:
    """Which attacks were not made on remedies, though they may link more."""
    listed = ", ".join("{}" for _ in remedies.too_dear)
    said = f"Left out, though they may link more (`--effort thorough`): {listed}. "
    return phrase(said if listed else "", *map(attack, remedies.too_dear))


def _outcome(remedy: Remedy, remedies: Remedies) -> str:
    if remedy.share >= remedies.share:
        return "no effect"
    return {
        True: "kept" if remedies.limit else "reached",
        False: "not kept" if remedies.limit else "not reached",
        None: "",
    }[remedy.holds]


def _knowledge_of(remedies: Remedies) -> str:
    """Whether the intruder knows the remedies."""
    if all(one.knows_remedy for one in remedies.tried):
        return "The intruder knows the plan and the remedy."
    return "The intruder does not know every mask; one who does may link more."
