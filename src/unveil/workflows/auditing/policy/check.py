"""Check evidence against a policy: limit by limit, with reasons."""

from collections.abc import Callable
from functools import partial
from operator import ge, le
from typing import Any

from unveil.measures import wilson
from unveil.support.options import part_of
from unveil.support.phrases import lower_end, percent
from unveil.values.disclosure_scenario import STRESS_TEST
from unveil.values.results.disclosure import PolicyClasses
from unveil.values.results.evidence import Evidence
from unveil.values.results.policy import (
    ALWAYS,
    CLASS_LIMITS,
    POPULATION_LIMITS,
    TABLES,
    ClassLimit,
    Limit,
    Policy,
    Verdict,
)
from unveil.values.results.risk import Interval
from unveil.wording import count, listing
from unveil.workflows.auditing.scenarios.limits import (
    claimed_in_words,
    excess_of,
    linked_in_words,
    scenario_limits,
    use_limits,
)

NO_CONFIDENTIAL = "the release has no confidential attribute beside them"
UNPERTURBED = "not perturbed"  # the default keys of a limit
STRESS_LIMITS = (  # limits on the attacks of the audit itself
    *("max_risk", "max_subgroup_risk", "max_household_risk", "max_confirmed"),
    "max_wrong_certainty",
)

Measured = tuple[Any, str] | str  # a value and its reason; or why it is not measured


def check_policy(policy: Policy, evidence: Evidence) -> Verdict:
    """Whether the release keeps the policy; a limit that could not be measured is not kept.

    Released columns without a role, and released identifiers, break every policy.

    The upper end of the interval counts where an attack was made on a sample of the records.
    """
    checks: dict[str, tuple[Callable[[Evidence], Measured], Callable[[Any, Any], bool]]] = {
        "max_risk": (_risk, le),
        "max_subgroup_risk": (_subgroup, le),
        "max_household_risk": (_household_risk, le),
        "max_confirmed": (_confirmed, le),
        "max_wrong_certainty": (_wrong_certainty, le),
        "max_interval_disclosure": (_intervals, le),
        "max_population_risk": (partial(_population_risk, policy), le),
        "max_expected_matches": (partial(_expected_matches, policy), le),
        "k_anonymity": (partial(_in_classes, "k_anonymity", _k_anonymity), ge),
        "l_diversity": (partial(_in_classes, "l_diversity", _l_diversity), ge),
        "t_closeness": (partial(_in_classes, "t_closeness", _t_closeness), le),
        "max_loss": (_loss, le),
        "forbid_row_order": (_row_order, lambda tells, _: not tells),
        "may_stay_unchanged": (
            lambda evidence: _unchanged(evidence, policy.may_stay_unchanged or ()),
            lambda columns, _: not columns,
        ),
    }
    limits = []
    for name in policy.__struct_fields__:
        if name in TABLES or name not in policy.to_dict():
            continue
        measure, is_kept = checks[name]
        allowed, measured = getattr(policy, name), measure(evidence)
        keys: tuple[str, ...] = ()
        if name in POPULATION_LIMITS and evidence.in_population is not None:
            keys = evidence.in_population.known
        if name in CLASS_LIMITS:
            keys = next((one.keys for one in evidence.policy_classes if one.limit == name), ())
            if isinstance(allowed, ClassLimit):
                allowed = getattr(allowed, allowed.parameter)
        if isinstance(measured, str):
            found, reason, kept = None, f"not measured: {measured}", False
        else:
            found, reason = measured
            kept = found is not None and is_kept(found, allowed)
        limits.append(
            Limit(
                limit=name,
                allowed=allowed,
                found=found,
                kept=kept,
                reason=reason,
                keys=keys,
                **_in_people(name, allowed, found, evidence),
            )
        )
    limits.extend(use_limits(policy, evidence.loss.uses))
    attacked = bool(evidence.attacks)
    limits.extend(scenario_limits(policy, evidence.scenarios, attacked=attacked))
    undecided = evidence.unchanged.without_role
    said = ((), "") if undecided is None else (undecided.every, undecided.sentence)
    # The identifier that states the truth is in the audited copy only, as the caution asks.
    identifiers = [name for name in evidence.identifiers if name != evidence.truth]
    always = (said, (identifiers, f"the release contains identifiers ({listing(identifiers)})"))
    limits.extend(
        Limit(limit=name, allowed=0, found=len(columns), kept=False, reason=reason)
        for name, (columns, reason) in zip(ALWAYS, always, strict=True)
        if columns
    )
    return Verdict(passed=all(limit.kept for limit in limits), limits=tuple(limits))


def _in_people(name: str, allowed: Any, found: Any, evidence: Evidence) -> dict[str, Any]:
    """The people of a limit on a share, and the limit in people of this file."""
    if name == "max_population_risk" and evidence.in_population is not None:
        people = evidence.in_population.n
        excess = None if found is None else excess_of(found, allowed)
        return {"excess": excess, "people": people, "allowed_people": part_of(people, allowed)}
    if name not in STRESS_LIMITS:
        return {}
    people = evidence.pairs or 0
    if name == "max_household_risk":
        homes = [one.risk.n for _, one in evidence.household_attacks]
        people = homes[0] if homes else 0
    elif name == "max_subgroup_risk":
        groups = evidence.subgroups
        people = 0 if groups is None or groups.highest is None else groups.highest.n
    return {
        "scenario": STRESS_TEST,
        "excess": None if found is None else excess_of(found, allowed),
        "people": people,
        "allowed_people": part_of(people, allowed),
    }


def _of_all(interval: Interval | None) -> str:
    if interval is None:
        return ""
    low, high = lower_end(interval.low), percent(interval.high)
    return f"; of all {low} to {high} (the upper end is compared with the limit)"


def _risk(evidence: Evidence) -> Measured:
    if not evidence.attacks:
        return "no attack was made"
    worst, row = max(evidence.attacks, key=lambda finding: finding.highest), evidence.stress_test
    if row is not None and row.linked is not None and row.linked.highest > worst.highest:
        return row.linked.highest, linked_in_words(row, row.linked)
    risk = worst.risk
    linked = f"{worst.name}, {risk.direction}, links {risk.expected:,.1f} of {risk.n:,} people"
    return worst.highest, f"{linked} ({percent(risk.share)}){_of_all(risk.interval)}"


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
    reason = (
        f"{worst.column}, {worst.group}: {percent(worst.share)} of {worst.n:,} by {worst.attack}"
    )
    return worst.highest, reason + _of_all(worst.interval) + unjudged


def _household_risk(evidence: Evidence) -> Measured:
    if not evidence.household_attacks:
        return f"no household was attacked: {_why_no_household(evidence)}"
    finding, homes = evidence.household_attacks[0]
    risk = homes.risk
    linked = f"{finding.name}, {risk.direction}, links {risk.expected:,.1f} of {risk.n:,} "
    alone = "" if homes.together else "; persons are linked one by one"
    if not any(one.together for _, one in evidence.household_attacks):
        alone += ", as the release shows no grouping"
    return (
        homes.highest,
        f"{linked}households ({percent(risk.share)}){_of_all(risk.interval)}{alone}",
    )


def _why_no_household(evidence: Evidence) -> str:
    left_out = [one.reason for one in evidence.left_out if one.name.startswith("households")]
    if left_out:
        return left_out[0]
    if not evidence.attacks:
        return "every row is synthetic"
    if evidence.households is None:
        return "declare the household number in the schema (household)"
    return "no attack on households was chosen: add households to the attacks"


def _confirmed(evidence: Evidence) -> Measured:
    finding, row = evidence.most_claimed, evidence.stress_test
    if finding is None or finding.claims is None:
        return "no attack has scores from which the intruder can claim links"
    claims = finding.claims
    share = claims.right / max(claims.n, 1)
    if row is not None and row.confirmed is not None and row.confirmed.share > share:
        return row.confirmed.highest, claimed_in_words(row, row.confirmed, "rightly")
    reason = (
        f"{finding.name}, {finding.risk.direction}: {claims.claimed:,} of {claims.n:,} claimed, "
        f"{claims.right:,.1f} of them correctly ({percent(share)})"
    )
    if not claims.n:
        return share, reason
    of_all = wilson(claims.right, claims.n, max(claims.n, finding.risk.population))
    return share if of_all is None else of_all.high, reason + _of_all(of_all)


def _wrong_certainty(evidence: Evidence) -> Measured:
    """The most links that an attack is sure of and that are wrong."""
    shares = []
    for finding in evidence.attacks:
        claims = finding.forecast
        if claims is None or claims.right is None or not claims.n:
            continue
        wrong = claims.claimed - claims.right
        of_all = wilson(wrong, claims.n, max(claims.n, finding.risk.population))
        share = wrong / claims.n
        reason = (
            f"{finding.name}, {finding.risk.direction}: {claims.claimed:,} of {claims.n:,} links "
            f"have a probability above {claims.above:.0%}, {wrong:,.1f} of them are wrong "
            f"({percent(share)})"
        )
        highest = share if of_all is None else of_all.high
        shares.append((highest, reason + _of_all(of_all)))
    return max(shares) if shares else "no attack gives the probability that a link is right"


def _intervals(evidence: Evidence) -> Measured:
    if evidence.intervals is None or not evidence.intervals.attributes:
        return "no attribute has ranks in both files"
    worst = evidence.intervals.worst
    inside = worst.by_rank[0]
    return inside.beyond_chance, (
        f"{worst.column}: {percent(inside.share)} of the originals within {inside.width:g} % of "
        f"the ranks; {percent(inside.chance)} by chance"
    )


def _population_risk(policy: Policy, evidence: Evidence) -> Measured:
    measured = _expected_matches(policy, evidence)
    if isinstance(measured, str) or evidence.in_population is None:
        return measured
    return measured[0] / max(evidence.in_population.n, 1), measured[1]


def _expected_matches(policy: Policy, evidence: Evidence) -> Measured:
    """The upper end of the expected correct matches, by the log-linear model."""
    found, limit = evidence.in_population, policy.class_limit("k_anonymity")
    if found is None:
        return "the audit has no risk in the population: audit the release with this policy"
    keys = None if limit is None else limit.keys
    others = {one.column for one in found.left_out}
    if (keys is not None) != (found.source == "policy") or (
        keys is not None and set(keys) != {*found.known, *others}
    ):
        return "the audit measured other keys: audit the release with this policy"
    if found.missing:
        return found.missing
    model = found.of("log-linear")
    if model is None or model.matches is None:
        return "the log-linear model was left out: audit with this policy, or --effort thorough"
    matches = model.matches
    reason = (
        f"log-linear model: {matches.value:,.1f} correct matches of {found.n:,} records are "
        f"expected (at most {matches.highest:,.1f}, which is compared with the limit); keys by the "
        f"{found.source}"
    )
    before = [one.column for one in found.keys if one.before_masking]
    if before:
        reason += f"; {listing(before)} as before the masking, an upper bound"
    beyond = [one.column for one in found.left_out]
    beyond += [f"exact values of {name}" for name in found.in_ranges]
    if beyond:
        reason += f"; an intruder who also knows {listing(beyond)} is not covered"
    if not model.valid:
        reason += f"; not reliable: {model.reason}"
    return matches.highest, reason


def _in_classes(
    limit: str, measure: Callable[[PolicyClasses], Measured], evidence: Evidence
) -> Measured:
    """A figure of the classes that the limit is counted on, and whose keys these are."""
    classes = next((one for one in evidence.policy_classes if one.limit == limit), None)
    if classes is None:
        return "no classes were counted"
    measured = classes.meaningless or measure(classes)
    if isinstance(measured, str):
        return measured
    by = {"policy": "the policy", UNPERTURBED: "default, as they were not perturbed"}
    reason = f"{measured[1]}; keys by {by.get(classes.source, classes.source)}"
    if classes.left_out:
        reason += f"; an intruder who also knows {listing(classes.left_out)} is not covered"
    return measured[0], reason


def _k_anonymity(classes: PolicyClasses) -> Measured:
    if classes.release is None:
        return "no classes were counted"
    smallest, uniques = classes.release.smallest, classes.release.uniques
    alone = f"{count(uniques, 'record')} {'is' if uniques == 1 else 'are'} alone"
    reason = f"the smallest class has {count(smallest, 'record')}; {alone}"
    if classes.filled is not None and classes.filled < smallest:
        reason += f"; {classes.filled:,} after derivable cells are filled in"
    return smallest, reason


def _l_diversity(classes: PolicyClasses) -> Measured:
    if not classes.diversity:
        return NO_CONFIDENTIAL
    worst = min(classes.diversity, key=lambda one: one.fewest)
    return worst.fewest, (
        f"{worst.column} has {count(worst.fewest, 'value')} only in a class of "
        f"{count(worst.records, 'record')}"
    )


def _t_closeness(classes: PolicyClasses) -> Measured:
    measured = [one for one in classes.diversity if one.distance is not None]
    if not measured:
        return NO_CONFIDENTIAL
    worst = max(measured, key=lambda one: one.distance or 0.0)
    reason = f"the values of {worst.column} in a class are {worst.distance:.3f} from those of all"
    return worst.distance, reason


def _loss(evidence: Evidence) -> Measured:
    overall = evidence.loss.overall
    if overall.value is None:
        return overall.note
    return overall.value, f"{overall.value:.3f} of 1; {overall.note}"


def _row_order(evidence: Evidence) -> Measured:
    found = evidence.by_position
    if found is None or found.row_order is None:
        return "the row order was not tested"
    return found.order_tells, (
        f"rank correlation of the rows {found.row_order['correlation']:.3f}; "
        f"{found.risk.expected:,.0f} of {found.risk.n:,} are in their original position, "
        f"{found.row_order['neighbours']:,} next to an original neighbour"
    )


def _unchanged(evidence: Evidence, allowed: tuple[str, ...]) -> Measured:
    same = (*evidence.identifiers, *evidence.unchanged.unchanged)
    others = tuple(column for column in same if column not in allowed)
    nearly = [
        f"{one.column} ({percent(one.share or 0.0)})"
        for one in evidence.unchanged.columns
        if one.nearly and not one.unchanged and one.column not in allowed
    ]
    reason = f"released unchanged: {listing(others)}" if others else "no other column is unchanged"
    return others, reason + (f"; nearly so: {listing(nearly)}" if nearly else "")
