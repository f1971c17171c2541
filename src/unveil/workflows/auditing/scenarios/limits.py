"""The limits of each intruder and each use, checked against what he achieves and it lost."""

from collections.abc import Iterator
from typing import Any

from unveil.measures import wilson
from unveil.support.options import part_of
from unveil.support.phrases import lower_end, percent
from unveil.values.disclosure_scenario import SCENARIO_LIMITS, DisclosureScenario
from unveil.values.results.disclosure import Inference
from unveil.values.results.loss import UseLoss
from unveil.values.results.policy import Limit, Policy
from unveil.values.results.scenarios import ScenarioResult, SharedCount
from unveil.values.use import Use
from unveil.wording import listing

ANY_NUMBER = 10**12  # people of whom those attacked are a sample
NO_CLAIMS = "no attack has scores that tell how sure a link is"
NOT_IN_EVIDENCE = "the audit has no such intruder: audit the release with this policy"
NOBODY_ATTACKED = "nobody was attacked"
NO_SUCH_USE = "the audit has no such use: audit the release with this policy"
OTHER_KNOWLEDGE = (
    "the audit measured an intruder of this name with other knowledge ({}): audit the release with "
    "this policy"
)


def scenario_limits(
    policy: Policy, results: tuple[ScenarioResult, ...], *, attacked: bool = True
) -> Iterator[Limit]:
    """Every limit of every intruder of a policy; what was not measured is not kept."""
    absent = NOT_IN_EVIDENCE if attacked else NOBODY_ATTACKED
    by_name = {one.name: one for one in results}
    for scenario in policy.intruder:
        result = by_name.get(scenario.name)
        for name in SCENARIO_LIMITS:
            allowed = scenario.limits.get(name)
            if allowed is not None:
                yield _limit(scenario, name, allowed, absent if result is None else result)


def _limit(
    scenario: DisclosureScenario, name: str, allowed: float, result: ScenarioResult | str
) -> Limit:
    why = result if isinstance(result, str) else _other_knowledge(scenario, result)
    measured = why if isinstance(result, str) or why else _measured(name, result)
    of: dict[str, Any] = {"limit": name, "allowed": allowed, "scenario": scenario.name}
    if isinstance(measured, str):
        return Limit(**of, found=None, kept=False, reason=f"not measured: {measured}")
    found, people, reason = measured
    return Limit(
        **of,
        found=found,
        kept=found <= allowed,
        reason=reason,
        excess=excess_of(found, allowed),
        people=people,
        allowed_people=part_of(people, allowed),
    )


def excess_of(found: float, allowed: float) -> float | None:
    """How far a share is above its limit; None if it is not."""
    return found - allowed if found > allowed else None


def _other_knowledge(scenario: DisclosureScenario, result: ScenarioResult) -> str:
    """What the audit's intruder of this name knows otherwise; empty if it is the same."""
    differ = [
        field
        for field in scenario.knowledge
        if getattr(scenario, field) != getattr(result, field)
        and not (field == "knows" and set(scenario.knows or ()) == set(result.knows))
        and not (field == "plan" and scenario.plan)  # without a plan nobody knows it
    ]
    differ += [field for field in result.given if field not in scenario.knowledge]
    return OTHER_KNOWLEDGE.format(", ".join(differ)) if differ else ""


def _measured(name: str, result: ScenarioResult) -> tuple[float, int, str] | str:
    """A figure, the people whom it is of, and its reason; or why it was not measured."""
    if name == "max_learned":
        return _learned(result)
    if result.linked is None:
        return f"no attack was possible: {'; '.join(result.left_out)}"
    if name == "max_linked":
        return result.linked.highest, result.linked.of, linked_in_words(result, result.linked)
    counted = result.confirmed if name == "max_confirmed" else result.wrongly_confirmed
    if counted is None:
        return NO_CLAIMS
    kind = "rightly" if name == "max_confirmed" else "wrongly"
    return counted.highest, counted.of, claimed_in_words(result, counted, kind)


def linked_in_words(result: ScenarioResult, linked: SharedCount) -> str:
    """What the best attack of an intruder links, as the reason of a limit."""
    return f"{result.attack}, {result.direction}, links {_in_words(linked)}"


def claimed_in_words(result: ScenarioResult, claimed: SharedCount, kind: str) -> str:
    """What an intruder claims rightly or wrongly, as the reason of a limit."""
    return f"{result.claimed_by} claims {kind} {_in_words(claimed)}"


def _in_words(counted: SharedCount) -> str:
    said = f"{counted.count:,.1f} of {counted.of:,} people ({percent(counted.share)})"
    if counted.interval is None:
        return said
    low, high = lower_end(counted.interval.low), percent(counted.interval.high)
    return f"{said}; {low} to {high} (the upper end is compared with the limit)"


def _learned(result: ScenarioResult) -> tuple[float, int, str] | str:
    if not result.learned:
        if result.knows_all:
            return 0.0, result.released, result.not_learned
        return result.not_learned
    highest, most = max(
        ((most_of(one, drawn=result.drawn), one) for one in result.learned),
        key=lambda pair: pair[0],
    )
    reason = (
        f"{most.column}: correct from the linked row for {percent(most.linked)} of {most.n:,} "
        f"people, with the own row removed for {percent(most.control)}"
    )
    if highest > most.learned:
        reason += f"; at most {percent(highest)}, which is compared with the limit"
    if result.not_counted:
        reason += f"; not counted, as generalised or empty: {listing(result.not_counted)}"
    return highest, most.n, reason


def most_of(column: Inference, *, drawn: bool) -> float:
    """What is learned of a column; where people or cells are drawn, the upper end."""
    if not (drawn or column.sampled):
        return column.learned
    interval = column.gain  # of few people, or the same for all, that of a share
    if interval is None:
        interval = wilson(column.learned * column.n, column.n, ANY_NUMBER)
    return max(column.learned, 0.0 if interval is None else interval.high)


def use_limits(policy: Policy, losses: tuple[UseLoss, ...]) -> Iterator[Limit]:
    """The limit of each use of a policy; what was not measured is not kept."""
    by_name = {one.name: one for one in losses}
    for use in policy.use:
        if use.max_loss is None:
            continue
        lost = by_name.get(use.name)
        found, reason = None, f"not measured: {NO_SUCH_USE}"
        if lost is not None and _is_loss_of(use, lost):
            found, reason = lost.value, f"not measured: {lost.note}"
        if found is not None and lost is not None:
            reason = f"{found:.3f} of 1" + (f"; most: {lost.worst}" if lost.worst else "")
        yield Limit(
            limit="max_loss",
            allowed=use.max_loss,
            found=found,
            kept=found is not None and found <= use.max_loss,
            reason=reason,
            use=use.name,
        )


def _is_loss_of(use: Use, lost: UseLoss) -> bool:
    """Whether the loss is of this very use, whatever loss is allowed."""
    columns = [None if one.columns is None else set(one.columns) for one in (use, lost)]
    same = (use.kind, use.target, use.by) == (lost.kind, lost.target, lost.by)
    return same and columns[0] == columns[1]
