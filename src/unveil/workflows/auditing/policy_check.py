"""Check evidence against a policy: limit by limit, with reasons."""

from collections.abc import Callable
from typing import Any

from unveil.measures import wilson
from unveil.values.results.evidence import Evidence
from unveil.values.results.policy import Limit, Policy, Verdict
from unveil.values.results.risk import Interval
from unveil.wording import count, listing

NEARLY_UNCHANGED = 0.95  # share of cells


def check_policy(policy: Policy, evidence: Evidence) -> Verdict:
    """Whether the release keeps the policy; a limit that could not be measured is not kept.

    The upper end of the interval counts where an attack was made on a sample of the records.
    """
    checks: dict[str, Callable[[str, Any, Evidence], Limit]] = {
        "max_risk": _risk,
        "max_subgroup_risk": _subgroup,
        "max_confirmed": _confirmed,
        "max_interval_disclosure": _intervals,
        "k_anonymity": _k_anonymity,
        "l_diversity": _l_diversity,
        "t_closeness": _t_closeness,
        "max_loss": _loss,
        "forbid_row_order": _row_order,
        "may_stay_unchanged": _unchanged,
    }
    named = [name for name in policy.__struct_fields__ if name in policy.to_dict()]
    limits = tuple(checks[name](name, getattr(policy, name), evidence) for name in named)
    return Verdict(passed=all(limit.kept for limit in limits), limits=limits)


def _at_most(name: str, allowed: float, found: float | None, reason: str) -> Limit:
    kept = found is not None and found <= allowed
    return Limit(limit=name, allowed=allowed, found=found, kept=kept, reason=reason)


def _at_least(name: str, allowed: int, found: int, reason: str) -> Limit:
    return Limit(limit=name, allowed=allowed, found=found, kept=found >= allowed, reason=reason)


def _unmeasured(name: str, allowed: Any, why: str) -> Limit:
    return Limit(limit=name, allowed=allowed, found=None, kept=False, reason=f"not measured: {why}")


def _of_all(interval: Interval | None) -> str:
    if interval is None:
        return ""
    return f"; of all {interval.low:.1%} to {interval.high:.1%}, of which the upper end counts"


def _risk(name: str, allowed: float, evidence: Evidence) -> Limit:
    if not evidence.attacks:
        return _unmeasured(name, allowed, "nobody was attacked")
    worst = max(evidence.attacks, key=lambda finding: finding.highest)
    risk = worst.risk
    linked = f"{worst.name}, {risk.direction}, links {risk.expected:,.1f} of {risk.n:,} people"
    reason = f"{linked} ({risk.share:.1%}){_of_all(risk.interval)}"
    return _at_most(name, allowed, worst.highest, reason)


def _subgroup(name: str, allowed: float, evidence: Evidence) -> Limit:
    if evidence.subgroups is None or evidence.subgroups.highest is None:
        return _unmeasured(name, allowed, "no subgroup has enough records")
    worst = evidence.subgroups.highest
    reason = f"{worst.column}, {worst.group}: {worst.share:.1%} of {worst.n:,} by {worst.attack}"
    return _at_most(name, allowed, worst.highest, reason + _of_all(worst.interval))


def _confirmed(name: str, allowed: float, evidence: Evidence) -> Limit:
    finding = evidence.most_claimed
    if finding is None or finding.claims is None:
        return _unmeasured(name, allowed, "no attack has scores that tell how sure a link is")
    most = finding.claims
    share = most.right / max(most.n, 1)
    reason = (
        f"{finding.name}, {finding.risk.direction}: {most.claimed:,} of {most.n:,} claimed, "
        f"{most.right:,.1f} of them rightly ({share:.1%})"
    )
    of_all = wilson(most.right, most.n, max(most.n, finding.risk.population)) if most.n else None
    found = share if of_all is None else of_all.high
    return _at_most(name, allowed, found, reason + _of_all(of_all))


def _intervals(name: str, allowed: float, evidence: Evidence) -> Limit:
    found = evidence.intervals
    if found is None or not found.attributes:
        return _unmeasured(name, allowed, "no attribute has ranks in both files")
    worst = found.worst
    inside = worst.by_rank[0]
    reason = (
        f"{worst.column}: {inside.share:.1%} of the originals within {inside.width:g} % of the "
        f"ranks; {inside.chance:.1%} by chance"
    )
    return _at_most(name, allowed, inside.beyond_chance, reason)


def _k_anonymity(name: str, allowed: int, evidence: Evidence) -> Limit:
    found = evidence.uniqueness
    if found is None:
        return _unmeasured(name, allowed, "the release has no quasi-identifier")
    smallest = found.release.smallest
    reason = (
        f"the smallest class of {listing(found.release.columns)} has "
        f"{count(smallest, 'record')}; {found.release.uniques:,} records are alone"
    )
    if not found.meaningful:
        reason += f", which does not mean much ({found.reason})"
    return _at_least(name, allowed, smallest, reason)


def _l_diversity(name: str, allowed: int, evidence: Evidence) -> Limit:
    if not evidence.diversity:
        return _unmeasured(name, allowed, "the release has no confidential attribute beside them")
    worst = min(evidence.diversity, key=lambda one: one.fewest)
    reason = (
        f"{worst.column} has {count(worst.fewest, 'value')} only in a class of "
        f"{count(worst.records, 'record')}"
    )
    return _at_least(name, allowed, worst.fewest, reason)


def _t_closeness(name: str, allowed: float, evidence: Evidence) -> Limit:
    measured = [one for one in evidence.diversity if one.distance is not None]
    if not measured:
        return _unmeasured(name, allowed, "the release has no confidential attribute beside them")
    worst = max(measured, key=lambda one: one.distance or 0.0)
    reason = f"the values of {worst.column} in a class are {worst.distance:.3f} from those of all"
    return _at_most(name, allowed, worst.distance, reason)


def _loss(name: str, allowed: float, evidence: Evidence) -> Limit:
    overall = evidence.loss.overall
    if overall.value is None:
        return _unmeasured(name, allowed, overall.note)
    return _at_most(name, allowed, overall.value, f"{overall.value:.3f} of 1")


def _row_order(name: str, allowed: bool, evidence: Evidence) -> Limit:
    found = evidence.by_position
    if found is None or found.row_order is None:
        return _unmeasured(name, allowed, "rows were not compared by where they stand")
    order, tells = found.row_order, found.order_tells
    reason = (
        f"rank correlation of the rows {order['correlation']:.3f}; "
        f"{found.risk.expected:,.0f} of {found.risk.n:,} stand where they stood, "
        f"{order['neighbours']:,} beside whom they stood"
    )
    return Limit(limit=name, allowed=allowed, found=tells, kept=not tells, reason=reason)


def _unchanged(name: str, allowed: tuple[str, ...], evidence: Evidence) -> Limit:
    same = (*evidence.identifiers, *evidence.unchanged.unchanged)
    others = tuple(column for column in same if column not in allowed)
    nearly = [
        f"{one.column} ({one.share:.1%})"
        for one in evidence.unchanged.columns
        if not one.unchanged
        and (one.share or 0.0) >= NEARLY_UNCHANGED
        and one.column not in allowed
    ]
    reason = f"released unchanged: {listing(others)}" if others else "no other column is unchanged"
    if nearly:
        reason += f"; nearly so: {listing(nearly)}"
    return Limit(limit=name, allowed=allowed, found=others, kept=not others, reason=reason)
