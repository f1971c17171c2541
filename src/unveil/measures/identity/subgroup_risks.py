"""The risk of each subgroup, by the attack that is worst for it; rare categories are one group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from unveil.measures.category_names import SMALLEST_GROUP
from unveil.measures.identity.confidence_interval import wilson
from unveil.measures.identity.subgroups import Subgrouping, rare_group
from unveil.support.arrays import Floats, Ints
from unveil.values.results.risk import Interval
from unveil.values.results.subgroups import GroupRisk, Subgroups

POOLED = f"fewer than {SMALLEST_GROUP} attacked each"


class AttackedRecords(NamedTuple):
    """The risk of each original by one attack; NaN where it was not attacked."""

    attack: str
    sampled: Floats  # the records that stand for all
    with_rare: Floats  # the same, and rare subgroups in full
    people: Ints  # originals that have a true row


def rare_records(groupings: Sequence[Subgrouping], sampled: Ints, people: Ints) -> Ints:
    """The originals that a sample lacks of subgroups with fewer than ten records in it.

    The smallest subgroups come first, as long as all are no more than the records of the sample.

    >>> import unveil
    >>> regions = unveil.measures.subgroups(unveil.households(100), ["region"])
    >>> rest = rare_records(regions, np.arange(20), np.arange(100))
    >>> 0 < len(rest) <= 20
    True
    """
    rest = np.setdiff1d(people, sampled)
    lacking = list[Ints]()
    for grouping in groupings:
        n_groups, codes = len(grouping.names), grouping.codes
        few = np.bincount(codes[sampled], minlength=n_groups) < SMALLEST_GROUP
        in_order = rest[np.argsort(codes[rest], kind="stable")]
        parts = np.split(in_order, np.searchsorted(codes[in_order], np.arange(1, n_groups)))
        lacking += [part for part, rare in zip(parts, few.tolist(), strict=True) if rare]
    chosen = rest[:0]
    for part in sorted(lacking, key=len):
        more = np.union1d(chosen, part)
        if len(more) > len(sampled):
            break
        chosen = more
    return chosen


def subgroup_risks(
    groupings: Sequence[Subgrouping], attacks: Sequence[AttackedRecords]
) -> Subgroups:
    """The risk of each subgroup, by the attack that is worst for it; the highest first.

    Of a subgroup with fewer than ten attacked records a share says little, and of none nothing.
    Such subgroups of one attribute are one group, with the rare categories. If it has fewer than
    ten, too, it is `small`: it is listed, and no limit is checked on it, unless another attack has
    enough of its people.

    >>> import unveil
    >>> sexes = unveil.measures.subgroups(unveil.households(100), ["sex"])
    >>> risks = sexes[0].codes * 1.0
    >>> one = AttackedRecords("distance", risks, risks, np.arange(100))
    >>> [group.share for group in subgroup_risks(sexes, [one]).groups]
    [1.0, 0.0]
    """
    risks = list[GroupRisk]()
    ascending = [[_ascending(part) for part in (one.sampled, one.with_rare)] for one in attacks]
    for grouping in groupings:
        parts = [
            part
            for one, both in zip(attacks, ascending, strict=True)
            for part in _by_attack(grouping, one, *(_sums(grouping, *part) for part in both))
        ]
        judged = set[int]().union(*(places for risk, places in parts if not risk.small))
        worst = dict[tuple[int, ...], GroupRisk]()
        for risk, places in parts:
            group = places if len(places) == 1 else ()  # names may be the same
            if not risk.small and (group not in worst or risk.highest > worst[group].highest):
                worst[group] = risk
        risks += worst.values()
        small = [risk for risk, places in parts if risk.small and not judged.issuperset(places)]
        risks += sorted(small, key=lambda one: (one.size or 0, -one.highest))[:1]
    ranked = sorted(risks, key=lambda one: (one.small, -one.highest))
    return Subgroups(
        groups=tuple(ranked), highest=next((one for one in ranked if not one.small), None)
    )


def _ascending(risks: Floats) -> tuple[Ints, Floats]:
    """The attacked records by their risk: so sums do not depend on the order of the rows."""
    records = np.argsort(risks)[: np.count_nonzero(~np.isnan(risks))]  # NaN stands last
    return records, risks[records]


def _sums(grouping: Subgrouping, records: Ints, risks: Floats) -> tuple[Ints, Floats]:
    """The attacked records of each group, and the sum of their risks."""
    codes, groups = grouping.codes[records], len(grouping.names)
    sums = np.bincount(codes, risks, groups).astype(np.float64)
    return np.bincount(codes, minlength=groups), sums


def _by_attack(
    grouping: Subgrouping,
    attacked: AttackedRecords,
    sampled: tuple[Ints, Floats],
    with_rare: tuple[Ints, Floats],
) -> Iterator[tuple[GroupRisk, tuple[int, ...]]]:
    """The risk of each group, with its place; those with fewer than ten attacked are one."""
    sizes = np.bincount(grouping.codes[attacked.people], minlength=len(grouping.names))
    in_full = with_rare[0] == sizes  # otherwise only the sample stands for the group
    n, sums = (np.where(in_full, *both) for both in zip(with_rare, sampled, strict=True))
    few = (sizes > 0) & (n < SMALLEST_GROUP)
    if few.any():
        few |= (sizes > 0) & (np.array(grouping.names) == rare_group(SMALLEST_GROUP))
    alone = [(place,) for place in np.flatnonzero((sizes > 0) & ~few).tolist()]
    for places in (*alone, tuple(np.flatnonzero(few).tolist())):
        if not places:
            continue
        at = list(places)
        share, interval = _estimate(n[at], sums[at], sizes[at])
        yield (
            GroupRisk(
                column=grouping.column,
                group=grouping.names[places[0]] if len(places) == 1 else POOLED,
                attack=attacked.attack,
                n=int(n[at].sum()),
                share=share or 0.0,
                interval=interval,
                small=share is None or bool(n[at].sum() < SMALLEST_GROUP),
                size=int(sizes[at].sum()),
            ),
            places,
        )


def _estimate(n: Ints, sums: Floats, sizes: Ints) -> tuple[float | None, Interval | None]:
    """The share linked of several groups: those attacked in full as it is, others by a sample."""
    full, size = n == sizes, int(sizes.sum())
    known, drawn = float(sums[full].sum()) / size, int(n[~full].sum())
    left = int(sizes[~full].sum())
    share = float(sums[~full].sum()) / max(drawn, 1)
    interval = wilson(min(share * drawn, drawn), drawn, left) if drawn else None
    if interval is None:  # no sample: all were attacked, or there is a group of which nobody was
        return known if full.all() else None, None
    share, low, high = (known + left / size * one for one in (share, interval.low, interval.high))
    return share, Interval(low, high, interval.confidence)
