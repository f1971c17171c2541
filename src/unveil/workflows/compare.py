"""Compare releases of one original by their evidence: which is better, and at what."""

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from unveil.measures.identity.confidence_interval import FEWEST_RECORDS, paired_difference
from unveil.support.arrays import Floats
from unveil.values.release.plan import check_seed
from unveil.values.results.comparison import (
    AttackShare,
    Best,
    ComparedRelease,
    Comparison,
    Difference,
    Dominated,
    LossValue,
    Paired,
    WorstAttack,
)
from unveil.values.results.evidence import Audit, Evidence
from unveil.wording import count, listing
from unveil.workflows.inputs.audited_releases import attacks_met, called, exhibits, risks_of, unlike

CRITERIA = ("risk", "subgroup_risk", "confirmed", "interval_disclosure", "loss")  # less is better
EQUAL = 1e-12  # shares and losses that are nearer than this tie


def compare(
    evidence: Sequence[Evidence | Audit | str | os.PathLike[str]],
    *,
    records: Sequence[Mapping[str, Floats] | str | os.PathLike[str]] | None = None,
    names: Sequence[str] | None = None,
    seed: int = 0,
) -> Comparison:
    """Say which of several releases of one original is better, and at what.

    A release is dominated by another that is no worse in risk (what the worst attack links) and
    in overall loss, better in one of them, and met the same attacks at least, by an intruder who
    knows as much. Among the others nothing is decided: no loss makes up for a risk.

    Parameters
    ----------
    evidence
        What :func:`unveil.audit` found of each release, or its files: two or more.
    records
        The risk of each original by each attack, or its files, one for each release that was
        attacked, in the same order; an Audit has it. With it the differences in risk, of the
        same records in both, have intervals, by
        :func:`~unveil.measures.identity.confidence_interval.paired_difference`.
    names
        What the releases are called; if not given, as their files.
    seed
        Of what is drawn for the intervals.

    Examples
    --------
    >>> import unveil
    >>> people = unveil.households(100, seed=7)
    >>> def audit_of(p):
    ...     release = unveil.mask(people, [unveil.masks.RankSwapping(p=p)], seed=7)
    ...     quick = {"sweep": False, "remedies": False, "worst_case": False}
    ...     return unveil.audit(people, release, attacks=["distance"], **quick)
    >>> found = compare([audit_of(2), audit_of(30)], names=["light", "strong"])
    >>> {best.criterion: best.releases for best in found.best}["risk"]
    ('strong',)
    """
    seed = check_seed(seed)
    given = exhibits(evidence)
    known_as = called(given, names)
    releases = tuple(
        described(name, one.evidence) for name, one in zip(known_as, given, strict=True)
    )
    risks = risks_of(given, [one.worst for one in releases], records)
    placed = [one for one in releases if one.risk is not None and one.loss is not None]
    met = {name: _met(one.evidence) for name, one in zip(known_as, given, strict=True)}
    dominated = _dominated(placed, met)
    worse = {one.release for one in dominated}
    return Comparison(
        records=given[0].evidence.records,
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
        notes=(
            *unlike({name: one.evidence for name, one in zip(known_as, given, strict=True)}),
            *_sampled(placed),
        ),
        seed=seed,
    )


def described(name: str, evidence: Evidence) -> ComparedRelease:
    """What of the evidence of one release is compared with that of others."""
    worst = None
    if evidence.attacks:
        found = evidence.attacks[0]
        worst = WorstAttack(
            name=found.name,
            direction=found.risk.direction,
            share=found.risk.share,
            interval=found.risk.interval,
            n=found.risk.n,
            ceiling=found.risk.ceiling,
        )
    groups, intervals, verdict = evidence.subgroups, evidence.intervals, evidence.verdict
    sure = None if evidence.most_claimed is None else evidence.most_claimed.claims
    most = None if intervals is None or not intervals.attributes else intervals.worst
    return ComparedRelease(
        name=name,
        worst=worst,
        subgroup_risk=None if groups is None or groups.highest is None else groups.highest.highest,
        confirmed=None if sure is None else sure.right / max(sure.n, 1),
        interval_disclosure=None if most is None else most.by_rank[0].beyond_chance,
        interval_column=None if most is None else most.column,
        loss=evidence.loss.overall.value,
        unchanged=len(evidence.unchanged.unchanged),
        passed=None if verdict is None else verdict.passed,
        broken=() if verdict is None else tuple(limit.limit for limit in verdict.broken),
        attacks=tuple(
            AttackShare(name=one.name, direction=one.risk.direction, share=one.risk.share)
            for one in evidence.attacks
            if not one.sweeping
        ),
        losses=tuple(
            LossValue(name=one.name, value=one.value, worst=one.worst)
            for one in evidence.loss.measures
        ),
    )


def _best(criterion: str, releases: Sequence[ComparedRelease]) -> Best | None:
    """Who has the least; None where fewer than two are measured."""
    values: dict[str, float] = {
        one.name: value for one in releases if (value := getattr(one, criterion)) is not None
    }
    if len(values) < 2:
        return None
    least = min(values.values())
    return Best(
        criterion=criterion,
        value=least,
        releases=tuple(name for name, value in values.items() if value <= least + EQUAL),
        not_measured=tuple(one.name for one in releases if one.name not in values),
    )


def _place(release: ComparedRelease) -> tuple[float, float]:
    """Risk and loss, of a release of which both are known."""
    return release.risk or 0.0, release.loss or 0.0


def _met(evidence: Evidence) -> set[str]:
    """What a release stood up to: attacks, and what is known to the intruder."""
    return attacks_met(evidence) | {f"knows {name}" for name in evidence.known}


def _dominated(
    placed: Sequence[ComparedRelease], met: Mapping[str, set[str]]
) -> tuple[Dominated, ...]:
    """Who is no better than whom; a release that met less may only look safer."""
    found = []
    for one in placed:
        own = np.array(_place(one))
        others = [other for other in placed if met[other.name] >= met[one.name]]
        gaps = {other.name: np.array(_place(other)) - own for other in others}
        by = tuple(n for n, gap in gaps.items() if (gap <= EQUAL).all() and (gap < -EQUAL).any())
        if by:
            found.append(Dominated(release=one.name, by=by))
    return tuple(found)


def _sampled(placed: Sequence[ComparedRelease]) -> Iterator[str]:
    """A note, if it is not certain which risk is higher."""
    names = [one.name for one in placed if one.worst is not None and one.worst.interval is not None]
    if names and len(placed) > 1:
        yield (
            f"the risk of {listing(names)} was found on a sample: which is best at it, and which "
            "is dominated, goes by the shares found, whose intervals may overlap"
        )


def _difference(
    first: ComparedRelease,
    second: ComparedRelease,
    risks: Floats | None,
    others: Floats | None,
    seed: int,
) -> Difference:
    """How much higher the first's risk is, over the same records where these are told."""
    told = risks is not None and others is not None
    paired = None
    if risks is not None and others is not None:
        paired = paired_difference(risks, others, seed=seed, names=(first.name, second.name))
    return Difference(
        first=first.name,
        second=second.name,
        share=(first.risk or 0.0) - (second.risk or 0.0),
        paired=paired,
        note=_note(first, second, paired, told=told),
    )


def _note(
    first: ComparedRelease, second: ComparedRelease, paired: Paired | None, *, told: bool
) -> str:
    """What can be said of a difference, and what cannot."""
    own = {
        one.name: one.worst.interval
        for one in (first, second)
        if one.worst is not None and one.worst.interval is not None
    }
    whole = "" if own else "; of these very records the difference is exact"
    if paired is None:
        alone = "".join(f"; {n} alone {one.low:.1%} to {one.high:.1%}" for n, one in own.items())
        why = (
            "no record was attacked in both"
            if told
            else "the records are not paired (give the risk of each by records, --records)"
        )
        return f"no interval can be given for the difference, as {why}{alone}{whole}"
    many = count(paired.n, "record")
    if paired.interval is not None:
        return f"over {many} attacked in both, if these stand for more of their kind{whole}"
    if paired.n < FEWEST_RECORDS:
        return f"only {many} attacked in both: too few for an interval{whole}"
    return f"the same in each of {many} attacked in both{whole}"
