"""Advice: what carries the risk, and what would help, as far as it was measured."""

from collections.abc import Iterator

from unveil.reports.content import Exhibit, Section
from unveil.reports.sections.attacks import attack, direction
from unveil.reports.sections.knowledge import among
from unveil.reports.tables import decimals, high, low, shares, tabulate, text
from unveil.support.phrases import (
    Phrase,
    counted,
    decimal,
    expected,
    level,
    name,
    names,
    percent,
    phrase,
    several,
)
from unveil.values.results.evidence import Evidence
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
        exhibits=() if tried is None or not tried.tried else (_remedies(tried),),
    )


def _introduction(evidence: Evidence) -> Phrase:
    verdict = evidence.verdict
    if not evidence.attacks:
        return phrase(
            "Nobody was attacked, as the rows are nobody's: what they tell all the same is above."
        )
    if verdict is None:
        return phrase(
            "Set limits (`--policy`), so that the next audit can say whether they are kept. Where "
            "the risk is too high, what follows carries it."
        )
    if verdict.passed:
        return phrase(
            "Every limit is kept: by this policy nothing has to be done. What follows is what "
            "carries the risk that is left."
        )
    broken = names([one.title.replace("_", " ") for one in verdict.broken])
    return phrase("Not kept: {}. What follows is what carries the risk.", broken)


def _points(evidence: Evidence) -> Iterator[Phrase]:
    if evidence.identifiers:
        yield phrase("Take out what [names people](identifier): {}.", names(evidence.identifiers))
    yield from _households(evidence)
    yield from _row_order(evidence)
    yield from _attributes(evidence)
    yield from _unchanged_columns(evidence)
    yield from _riskiest_record(evidence)
    yield from _worst_subgroup(evidence)
    yield from _best_remedy(evidence)


def _households(evidence: Evidence) -> Iterator[Phrase]:
    """What tells who lives together, if an attack has used it."""
    together = [homes for _, homes in evidence.household_attacks if homes.together]
    if not together:
        return
    remedy = "mask what its members share once per household (per_household)"
    if evidence.grouping:
        remedy = 'leave the household number out (household = "drop")'
    yield phrase(
        f"Households: the release tells who lives together, by which {{}} of {{}} "
        f"[households](linked-households) are linked: {remedy}.",
        counted(together[0].risk.expected),
        counted(together[0].risk.n),
    )


def _row_order(evidence: Evidence) -> Iterator[Phrase]:
    position = evidence.by_position
    if position is not None and position.order_tells and position.row_order is not None:
        yield phrase(
            "Rows: their [order](row-order) tells who is who: {} of {} stand where they stood, {} "
            "beside whom they stood. [Shuffle](mask-shuffle) them.",
            expected(position.risk.expected),
            counted(position.risk.n),
            counted(position.row_order["neighbours"]),
        )


def _attributes(evidence: Evidence) -> Iterator[Phrase]:
    """Which attributes tell the most: without them, or with nothing else."""
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
                "Attributes: {} [tell the most](attribute-risk). Without {} {} links {} instead "
                "of {}{}. Mask these first, or do not release them.",
                names([one.attribute for one in most]),
                name(most[0].attribute),
                attack(parts.attack),
                percent(most[0].share),
                percent(parts.share),
                among(parts.among, evidence),
            )
    swept = evidence.knowledge
    if swept is not None and len(swept.steps) > 1:
        last = swept.steps[-1]
        half = next((one for one in swept.steps if one.share >= last.highest / 2), last)
        yield phrase(
            "[Knowledge](knowledge): {} ({}) link {}.",
            several(len(half.attributes), "attribute"),
            names(half.attributes),
            percent(half.share),
        )


def _unchanged_columns(evidence: Evidence) -> Iterator[Phrase]:
    same = evidence.unchanged
    if same.quasi and same.singled_out_quasi:
        yield phrase(
            "Unchanged: {} can be compared exactly, and [single out](singled-out) {} of {} "
            "records. [Permute](mask-rank-permutation) or [recode](mask-global-recoding) them, or "
            "use [PRAM](mask-pram).",
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
        "Records: row {} of the original is found by {} of the {} attacks made on it; more are "
        "listed above, and all in what `--per-record` writes. Leave out those that stand out, or "
        "use [top-coding](mask-top-coding) on what makes them do so.",
        counted(top.row),
        counted(top.found_by),
        counted(top.made),
    )


def _worst_subgroup(evidence: Evidence) -> Iterator[Phrase]:
    worst = None if evidence.subgroups is None else evidence.subgroups.highest
    if worst is not None and evidence.attacks and worst.share > evidence.attacks[0].risk.share:
        yield phrase(
            "[Subgroup](subgroup): {}, {}, is at {}, all people together at {}. Look at what makes "
            "them stand out, and mask that more.",
            name(worst.column),
            name(worst.group),
            percent(worst.share),
            percent(evidence.attacks[0].risk.share),
        )


def _best_remedy(evidence: Evidence) -> Iterator[Phrase]:
    remedies = evidence.remedies
    if remedies is None:
        return
    best = next((one for one in remedies.tried if one.share < remedies.share), None)
    if best is None:
        yield phrase("[Masks](remedy): none of those tried on top of this release helps.")
        return
    cost, none = phrase(""), phrase("")
    if best.loss is not None and remedies.loss is not None:
        cost = phrase(
            ", for a [loss](loss) of {} (now {})", decimal(best.loss), decimal(remedies.loss)
        )
    if best.holds is False:
        none = phrase("no strength of those tried {}; at the strongest, ", _goal(remedies))
    apart = ""
    if any(homes.together for _, homes in evidence.household_attacks):
        apart = " Persons are linked one by one here: whole households may still be found."
    yield phrase(
        "[Masks](remedy): {}to {} lowers the share linked from {} to {}{}{}{}{}. "
        f"{'An' if best.knows_remedy else 'No'} intruder who knows of it is assumed.{apart}",
        none,
        name(best.does),
        percent(remedies.share),
        percent(best.share),
        () if best.interval is None else phrase(" (at most {})", percent(best.interval.high)),
        among(remedies.among, evidence),
        phrase(", which {} against the attacks made again", _goal(remedies)) if best.holds else (),
        cost,
    )


def _goal(remedies: Remedies) -> Phrase:
    """What a remedy is to do: keep the limit of the policy, or link half of those linked now."""
    if remedies.limit and remedies.target is not None:
        return phrase("keeps the limit of {}", level(remedies.target))
    return phrase("halves the risk")


def _remedies(remedies: Remedies) -> Exhibit:
    steps: list[Remedies | Remedy] = [remedies, *remedies.tried]
    others = several(len(remedies.not_searched), "further limit")
    table = tabulate(
        steps,
        (
            text("does", "[remedy](remedy), on top of this release"),
            lambda one: "as it is" if isinstance(one, Remedies) else name(one.does),
        ),
        shares("share", "[linked](linked)", lambda one: one.share),
        low(lambda one: one.interval),
        high(lambda one: one.interval),
        (
            text("outcome", "limit" if remedies.limit else "half of it"),
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
        title="What would help: risk and loss of remedies that were tried",
        chart="remedies",
        table=table.filled(),
        says=phrase(
            "Bars of the share that is still linked after each remedy; as it is, {} are.",
            percent(remedies.share),
        ),
        notes=(
            phrase(
                "On {} people among {} rows; among fewer rows more are linked. As it is, {} ({}) "
                "links most. {} An attribute that is left out counts in the loss as missing in "
                "every record. Each remedy is as weak as it can be, or the strongest that was "
                "tried; the loss is of those that reach the aim, else of the best. {}{}Audit the "
                "new release before you rely on it.",
                counted(remedies.n),
                counted(remedies.among),
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


def _too_dear(remedies: Remedies) -> Phrase:
    """Which attacks were not made on remedies, though they may link more."""
    listed = ", ".join("{}" for _ in remedies.too_dear)
    said = f"Left out, though they may link more (`--effort thorough`): {listed}. "
    return phrase(said if listed else "", *map(attack, remedies.too_dear))


def _outcome(remedy: Remedy, remedies: Remedies) -> str:
    if remedy.share >= remedies.share:
        return "without effect"
    return {True: "kept", False: "not kept", None: ""}[remedy.holds]


def _knowledge_of(remedies: Remedies) -> str:
    """Whether the intruder is told of remedies."""
    if all(one.knows_remedy for one in remedies.tried):
        return "The intruder knows the plan and the remedy."
    return "The intruder does not know of every mask: who does may link more."
