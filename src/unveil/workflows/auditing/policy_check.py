"""Check evidence against a policy: limit by limit, with reasons."""

from collections.abc import Callable
from operator import ge, le
from typing import Any

from unveil.measures import wilson
from unveil.values.results.evidence import Evidence
from unveil.values.results.policy import Limit, Policy, Verdict
from unveil.values.results.risk import Interval
from unveil.wording import count, listing

NEARLY_UNCHANGED = 0.95  # share of cells
NO_CONFIDENTIAL = "the release has no confidential attribute beside them"

Measured = tuple[Any, str] | str  # a value and its reason; or why it is not measured


def check_policy(policy: Policy, evidence: Evidence) -> Verdict:
    """Whether the release keeps the policy; a limit that could not be measured is not kept.

    The upper end of the interval counts where an attack was made on a sample of the records.
    """
    checks: dict[str, tuple[Callable[[Evidence], Measured], Callable[[Any, Any], bool]]] = {
        "max_risk": (_risk, le),
        "max_subgroup_risk": (_subgroup, le),
        "max_confirmed": (_confirmed, le),
        "max_interval_disclosure": (_intervals, le),
        "k_anonymity": (_k_anonymity, ge),
        "l_diversity": (_l_diversity, ge),
        "t_closeness": (_t_closeness, le),
        "max_loss": (_loss, le),
        "forbid_row_order": (_row_order, lambda tells, _: not tells),
        "may_stay_unchanged": (
            lambda evidence: _unchanged(evidence, policy.may_stay_unchanged or ()),
            lambda columns, _: not columns,
        ),
    }
    limits = []
    for name in policy.__struct_fields__:
        if name not in policy.to_dict():
            continue
        measure, is_kept = checks[name]
        allowed, measured = getattr(policy, name), measure(evidence)
        if isinstance(measured, str):
            found, reason, kept = None, f"not measured: {measured}", False
        else:
            found, reason = measured
            kept = found is not None and is_kept(found, allowed)
        limits.append(Limit(limit=name, allowed=allowed, found=found, kept=kept, reason=reason))
    return Verdict(passed=all(limit.kept for limit in limits), limits=tuple(limits))


def _of_all(interval: Interval | None) -> str:
    if interval is None:
        return ""
    return f"; of all {interval.low:.1%} to {interval.high:.1%}, of which the upper end counts"


def _risk(evidence: Evidence) -> Measured:
    if not evidence.attacks:
        return "nobody was attacked"
    worst = max(evidence.attacks, key=lambda finding: finding.highest)
    risk = worst.risk
    linked = f"{worst.name}, {risk.direction}, links {risk.expected:,.1f} of {risk.n:,} people"
    return worst.highest, f"{linked} ({risk.share:.1%}){_of_all(risk.interval)}"


def _subgroup(evidence: Evidence) -> Measured:
    groups = () if evidence.subgroups is None else evidence.subgroups.groups
    unjudged = listing(
        f"{count(one.n if one.size is None else one.size, 'record')} by {one.column}"
        for one in groups
        if one.small
    )
    unjudged = f"; in groups too small to judge: {unjudged}" if unjudged else ""
    if evidence.subgroups is None or evidence.subgroups.highest is None:
        return f"no subgroup has enough records{unjudged}"
    worst = evidence.subgroups.highest
    reason = f"{worst.column}, {worst.group}: {worst.share:.1%} of {worst.n:,} by {worst.attack}"
    return worst.highest, reason + _of_all(worst.interval) + unjudged


def _confirmed(evidence: Evidence) -> Measured:
    finding = evidence.most_claimed
    if finding is None or finding.claims is None:
        return "no attack has scores that tell how sure a link is"
    claims = finding.claims
    share = claims.right / max(claims.n, 1)
    reason = (
        f"{finding.name}, {finding.risk.direction}: {claims.claimed:,} of {claims.n:,} claimed, "
        f"{claims.right:,.1f} of them rightly ({share:.1%})"
    )
    if not claims.n:
        return share, reason
    of_all = wilson(claims.right, claims.n, max(claims.n, finding.risk.population))
    return share if of_all is None else of_all.high, reason + _of_all(of_all)


def _intervals(evidence: Evidence) -> Measured:
    if evidence.intervals is None or not evidence.intervals.attributes:
        return "no attribute has ranks in both files"
    worst = evidence.intervals.worst
    inside = worst.by_rank[0]
    return inside.beyond_chance, (
        f"{worst.column}: {inside.share:.1%} of the originals within {inside.width:g} % of the "
        f"ranks; {inside.chance:.1%} by chance"
    )


def _k_anonymity(evidence: Evidence) -> Measured:
    unique = evidence.uniqueness
    if unique is None:
        return "the release has no quasi-identifier"
    smallest = unique.release.smallest
    reason = (
        f"the smallest class of {listing(unique.release.columns)} has "
        f"{count(smallest, 'record')}; {unique.release.uniques:,} records are alone"
    )
    if not unique.meaningful:
        reason += f", which does not mean much ({unique.reason})"
    return smallest, reason


def _l_diversity(evidence: Evidence) -> Measured:
    if not evidence.diversity:
        return NO_CONFIDENTIAL
    worst = min(evidence.diversity, key=lambda one: one.fewest)
    return worst.fewest, (
        f"{worst.column} has {count(worst.fewest, 'value')} only in a class of "
        f"{count(worst.records, 'record')}"
    )


def _t_closeness(evidence: Evidence) -> Measured:
    measured = [one for one in evidence.diversity if one.distance is not None]
    if not measured:
        return NO_CONFIDENTIAL
    worst = max(measured, key=lambda one: one.distance or 0.0)
    reason = f"the values of {worst.column} in a class are {worst.distance:.3f} from those of all"
    return worst.distance, reason


def _loss(evidence: Evidence) -> Measured:
    overall = evidence.loss.overall
    return overall.note if overall.value is None else (overall.value, f"{overall.value:.3f} of 1")


def _row_order(evidence: Evidence) -> Measured:
    found = evidence.by_position
    if found is None or found.row_order is None:
        return "rows were not compared by where they stand"
    return found.order_tells, (
        f"rank correlation of the rows {found.row_order['correlation']:.3f}; "
        f"{found.risk.expected:,.0f} of {found.risk.n:,} stand where they stood, "
        f"{found.row_order['neighbours']:,} beside whom they stood"
    )


def _unchanged(evidence: Evidence, allowed: tuple[str, ...]) -> Measured:
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
    return others, reason + (f"; nearly so: {listing(nearly)}" if nearly else "")
