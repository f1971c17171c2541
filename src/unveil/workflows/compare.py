"""Compare releases of one original by their evidence: risk against loss."""

import os
from collections.abc import Mapping, Sequence
from itertools import combinations
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np

from unveil.files.documents.toml import as_policy
from unveil.measures.identity.confidence_interval import paired_difference
from unveil.support.arrays import Floats
from unveil.support.options import TaskProgress
from unveil.values.release.plan import check_seed
from unveil.values.results.comparison import (
    AttackShare,
    Best,
    ComparedHouseholds,
    ComparedRelease,
    ComparedScenario,
    Comparison,
    Difference,
    Dominated,
    LossValue,
    Recommendation,
    WorstAttack,
)
from unveil.values.results.evidence import Audit, Evidence
from unveil.values.results.policy import Policy
from unveil.workflows.auditing.policy.check import check_policy
from unveil.workflows.inputs.audited_releases import (
    attacks_met,
    differences_in_audits,
    names_of,
    read_audited,
    risks_of,
    uses_measured,
)

CRITERIA = (  # less is better
    *("risk", "household_risk", "subgroup_risk", "confirmed", "interval_disclosure", "loss"),
)
UNCOMPARED: dict[str, Any] = {  # parts of a scenario that only the page of its audit shows
    "subgroups": None,
    "record_risks": None,
    "households": None,
    "attacks": (),
    "left_out": (),
}
TIE = 1e-12  # difference of shares or losses below which they are equal


def compare(
    evidence: Sequence[Evidence | Audit | str | os.PathLike[str]],
    *,
    records: Sequence[Mapping[str, Floats] | str | os.PathLike[str]] | None = None,
    names: Sequence[str] | None = None,
    policy: Policy | str | os.PathLike[str] | None = None,
    seed: int = 0,
    progress: TaskProgress | None = None,
) -> Comparison:
    """Compare several releases of one original, criterion by criterion.

    A release is dominated by another that is no worse in risk (the share that the best attack
    links) and in overall loss, better in one of them, and was attacked at least by the same
    attacks and an intruder who knows as much. The others are not ranked, because a lower loss does
    not offset a higher risk.

    Parameters
    ----------
    evidence
        The result of :func:`unveil.audit` for each release, or its file: two or more.
    records
        The risk of each original by each attack, or its file, for each release that was
        attacked, in the same order; an Audit has it. With it the differences in risk have
        intervals, by a bootstrap over the records.
    names
        Names of the releases; default: their files.
    policy
        Limits that apply to every release, or their TOML file; default: those of its audit.
        Limits on classes of equal records need an audit that counted these classes.
    seed
        Random seed of the intervals.
    progress
        Called with the task, the work done, and the total.

    Examples
    --------
    >>> import unveil
    >>> people = unveil.households(100, seed=7)
    >>> def audit_of(p):
    ...     release = unveil.mask(people, [unveil.masks.RankSwapping(p=p)], seed=7)
    ...     quick = unveil.AuditSettings(sweep=False, remedies=False, worst_case=False)
    ...     return unveil.audit(people, release, attacks=["distance"], settings=quick)
    >>> comparison = compare([audit_of(2), audit_of(30)], names=["light", "strong"])
    >>> {best.criterion: best.releases for best in comparison.best}["risk"]
    ('strong',)
    """
    seed = check_seed(seed)
    limits = as_policy(policy)
    tell = progress or (lambda _task, _done, _total: None)
    tell("reading the evidence", 0, 2)
    audited = read_audited(evidence)
    judged = [_judged(one.evidence, limits) for one in audited]
    by_name = dict(zip(names_of(audited, names), judged, strict=True))
    releases = tuple(describe_release(name, one) for name, one in by_name.items())
    risks = risks_of(audited, [one.worst for one in releases], records)
    tell("comparing the releases", 1, 2)
    placed = [one for one in releases if one.risk is not None and one.loss is not None]
    dominated = _dominated(placed, by_name)
    worse = {one.release for one in dominated}
    return Comparison(
        records=audited[0].evidence.records,
        releases=releases,
        best=tuple(best for name in CRITERIA if (best := _best(name, releases)) is not None),
        front=tuple(one.name for one in sorted(placed, key=_place) if one.name not in worse),
        dominated=dominated,
        not_placed=tuple(one.name for one in releases if one not in placed),
        differences=tuple(
            _difference(releases[a], releases[b], risks[a], risks[b], seed)
            for a, b in combinations(range(len(releases)), 2)
            if releases[a].worst is not None and releases[b].worst is not None
        ),
        recommendation=recommend(releases),
        policy=judged[0].policy if all(o.policy == judged[0].policy for o in judged) else None,
        notes=differences_in_audits(by_name),
        seed=seed,
    )


def _judged(evidence: Evidence, policy: Policy | None) -> Evidence:
    """The evidence with the verdict of this policy; without one, with its own verdict."""
    if policy is None:
        return evidence
    verdict = check_policy(policy, evidence)
    return msgspec.structs.replace(evidence, verdict=verdict, policy=policy.to_dict())


def recommend(releases: Sequence[ComparedRelease]) -> Recommendation | None:
    """The releases that keep every limit, else the nearest; None without a policy."""
    judged = [one for one in releases if one.passed is not None]
    if not judged:
        return None
    kept = sorted(
        (one for one in judged if one.passed), key=lambda one: (one.loss is None, one.loss or 0.0)
    )
    nearest = list[str]()
    if not kept:
        least = min(_distance(one) for one in judged)
        nearest = [one.name for one in judged if _distance(one) == least]
    return Recommendation(kept=tuple(one.name for one in kept), nearest=tuple(nearest))


def _distance(release: ComparedRelease) -> tuple[int, list[float], list[float]]:
    """How far a release is from its policy: the limits missed, then by how much, largest first.

    Any miss of a limit of 0 is infinite, relative to it. Where all misses tie, the figures beyond
    their limits decide, not relative to them.
    """
    relative, absolute = (
        sorted((how_far(one) for one in release.missed), reverse=True)
        for how_far in (attrgetter("miss"), attrgetter("beyond"))
    )
    return len(release.missed), relative, absolute


def describe_release(name: str, evidence: Evidence) -> ComparedRelease:
    """The part of the evidence that is compared with that of other releases."""
    groups, intervals, verdict = evidence.subgroups, evidence.intervals, evidence.verdict
    claims = None if evidence.most_claimed is None else evidence.most_claimed.claims
    most = None if intervals is None or not intervals.attributes else intervals.worst
    row = None if evidence.stress_test is None else evidence.stress_test.confirmed
    by_row = 0.0 if row is None else row.share
    return ComparedRelease(
        name=name,
        worst=_worst(evidence),
        subgroup_risk=None if groups is None or groups.highest is None else groups.highest.highest,
        confirmed=None if claims is None else max(claims.right / max(claims.n, 1), by_row),
        interval_disclosure=None if most is None else most.by_rank[0].beyond_chance,
        interval_column=None if most is None else most.column,
        loss=evidence.loss.overall.value,
        unchanged=len(evidence.unchanged.unchanged),
        older=evidence.is_older,
        passed=None if verdict is None else verdict.passed,
        broken=() if verdict is None else tuple(limit.title for limit in verdict.broken),
        missed=() if verdict is None else verdict.misses,
        limits=0 if verdict is None else len(verdict.limits),
        attacks=tuple(
            AttackShare(name=one.name, direction=one.risk.direction, share=one.risk.share)
            for one in evidence.attacks
            if not one.sweeping
        ),
        losses=tuple(
            LossValue(name=one.name, value=one.value, worst=one.worst)
            for one in evidence.loss.measures
        ),
        households=_households(evidence),
        max_household_risk=(evidence.policy or {}).get("max_household_risk"),
        scenarios=tuple(
            ComparedScenario(
                result=msgspec.structs.replace(one, **UNCOMPARED),
                limits=() if verdict is None else verdict.of_scenario(one.name),
            )
            for one in evidence.scenarios
        ),
    )


def _worst(evidence: Evidence) -> WorstAttack | None:
    """The attack of the stress test that links most; None where nobody was attacked."""
    if not evidence.attacks:
        return None
    risk, row = evidence.attacks[0].risk, evidence.stress_test
    if row is not None and row.linked is not None and row.linked.share > risk.share:
        return WorstAttack(
            name=row.attack or "",
            direction=row.direction,
            share=row.linked.share,
            interval=row.linked.interval,
            n=row.linked.of,
            ceiling=row.ceiling,
            of_intruder=True,
        )
    return WorstAttack(
        name=evidence.attacks[0].name,
        direction=risk.direction,
        share=risk.share,
        interval=risk.interval,
        n=risk.n,
        ceiling=risk.ceiling,
    )


def _households(evidence: Evidence) -> ComparedHouseholds | None:
    """The attack that links the most households; None if there is none."""
    if not evidence.household_attacks:
        return None
    finding, homes = evidence.household_attacks[0]
    return ComparedHouseholds(
        attack=finding.name,
        direction=homes.risk.direction,
        grouping=homes.grouping,
        expected=homes.risk.expected,
        n=homes.risk.n,
        share=homes.risk.share,
        interval=homes.risk.interval,
    )


def _best(criterion: str, releases: Sequence[ComparedRelease]) -> Best | None:
    """The releases with the least; None where fewer than two are measured."""
    values: dict[str, float] = {
        one.name: value for one in releases if (value := getattr(one, criterion)) is not None
    }
    if len(values) < 2:
        return None
    least = min(values.values())
    return Best(
        criterion=criterion,
        value=least,
        releases=tuple(name for name, value in values.items() if value <= least + TIE),
        not_measured=tuple(one.name for one in releases if one.name not in values),
    )


def _place(release: ComparedRelease) -> tuple[float, float]:
    return release.risk or 0.0, release.loss or 0.0


def _dominated(
    placed: Sequence[ComparedRelease], evidence: Mapping[str, Evidence]
) -> tuple[Dominated, ...]:
    """The dominated releases; one with fewer attacks or uses may only look better."""
    met = {
        name: {*attacks_met(one), *uses_measured(one), *(f"knows {known}" for known in one.known)}
        for name, one in evidence.items()
    }
    dominated = []
    for one in placed:
        others = [other for other in placed if met[other.name] >= met[one.name]]
        gaps = {other.name: np.array(_place(other)) - np.array(_place(one)) for other in others}
        by = tuple(n for n, gap in gaps.items() if (gap <= TIE).all() and (gap < -TIE).any())
        if by:
            dominated.append(Dominated(release=one.name, by=by))
    return tuple(dominated)


def _difference(
    first: ComparedRelease,
    second: ComparedRelease,
    risks: Floats | None,
    others: Floats | None,
    seed: int,
) -> Difference:
    """How much higher the first's risk is, over the same records where these are known."""
    paired, note = None, "the risk of each record is not given (records, --records)"
    if any(one.worst is not None and one.worst.of_intruder for one in (first, second)):
        note = "no risk of each record is recorded for the intruder whose attack links most"
    if risks is not None and others is not None:
        paired = paired_difference(risks, others, seed=seed, names=(first.name, second.name))
        note = "no record was attacked in both"
    return Difference(
        first=first.name,
        second=second.name,
        share=(first.risk or 0.0) - (second.risk or 0.0),
        paired=paired,
        note=note if paired is None else "",
    )
