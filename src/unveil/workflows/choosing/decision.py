"""The decision: which plan to confirm next, which to choose, and what each limit costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf, isinf
from typing import NamedTuple

from unveil.values.results.choice import Confirmation, LimitCost, MethodReach, MissedLimit
from unveil.values.results.policy import Limit
from unveil.values.results.study import TriedPlan
from unveil.values.search_space import SearchSpace
from unveil.workflows.choosing.confirmation import (
    MOST_CONFIRMED,
    expected_risk,
    is_refused,
    is_undecided,
    share_used,
    shares_with_margin,
)
from unveil.workflows.choosing.frontier import frontier as places_on_frontier
from unveil.workflows.choosing.limit_shares import AT_LEAST, LOSS_LIMITS, limit_key

STEP = 1.5  # a limit is loosened by half as much again


def frontier(tried: Iterable[TriedPlan]) -> list[TriedPlan]:
    """The plans that met every attack and that no other dominates, the least loss first."""
    complete = [one for one in tried if one.complete]
    found = places_on_frontier([_risk(one) for one in complete], [_loss(one) for one in complete])
    return [complete[place] for place in found[::-1]]


def keeps_limits(tried: TriedPlan) -> bool:
    """Whether a plan met every attack and keeps every limit, on the seeds of the search."""
    return tried.complete and all(limit.kept for limit in tried.limits)


def next_to_confirm(
    tried: Sequence[TriedPlan], confirmed: Sequence[Confirmation]
) -> TriedPlan | None:
    """The plan whose repetitions decide most; None: the choice is made.

    Along the frontier less loss means more risk. The first is the plan of the least loss that is
    expected to keep its limits on nearly every seed. Once one is accepted, the next with less loss
    is tried; once one is refused, the next that is safer by as much as this one lacked.
    """
    by_number = {one.number: one for one in tried}
    if confirmed and is_undecided(confirmed[-1]):
        return by_number[confirmed[-1].number]
    last = {one.number: one for one in confirmed}
    open_plans = frontier(one for one in tried if keeps_limits(one))
    if len(last) >= MOST_CONFIRMED or not open_plans:
        return None
    accepted = [by_number[n] for n, one in last.items() if one.accepted]
    refused = [by_number[n] for n, one in last.items() if not one.accepted]
    safe = [_expected(one) / max(_excess(last[one.number]), 1.0) for one in refused]
    if accepted:
        least = min(_loss(one) for one in accepted)
        better = [one for one in open_plans if _loss(one) < least and one.number not in last]
        better = [one for one in better if all(_risk(one) < _risk(other) for other in refused)]
        return better[-1] if better else None
    safer = [one for one in open_plans if one.number not in last]
    fitting = [one for one in safer if _expected(one) <= min([1.0, *safe])]
    if fitting:
        return fitting[0]
    untested = [one for one in safer if all(_risk(one) < _risk(other) for other in refused)]
    return untested[-1] if untested else None  # the safest of all


def chosen_plan(confirmed: Sequence[Confirmation]) -> int | None:
    """The accepted plan of the least loss on fresh seeds."""
    last = {one.number: one for one in confirmed}
    accepted = [one for one in last.values() if one.accepted]
    return min(accepted, key=lambda one: (one.loss, one.number)).number if accepted else None


class _JudgedPlan(NamedTuple):
    """A plan, and its share of each limit on nearly every seed."""

    number: int
    loss: float
    shares: dict[tuple[str, str, str], float]
    confirmed: bool  # else by its figures in the search, with a margin

    def breaks(self) -> dict[tuple[str, str, str], float]:
        """The limits that it breaks, with its shares of them."""
        return {key: share for key, share in self.shares.items() if share > 1}


def _judged(tried: Iterable[TriedPlan], confirmed: Sequence[Confirmation]) -> list[_JudgedPlan]:
    last = {one.number: one for one in confirmed}
    return [
        _JudgedPlan(
            one.number,
            last[one.number].loss if one.number in last else _loss(one),
            shares_with_margin(one, last.get(one.number)),
            one.number in last,
        )
        for one in tried
    ]


def _comparable(tried: Sequence[TriedPlan]) -> list[TriedPlan]:
    """The plans that met every attack; if none did, those that were not attacked for their loss."""
    complete = [one for one in tried if one.complete]
    return complete or [one for one in tried if one.loss is not None and one.risk is None]


def nearest_plan(
    tried: Sequence[TriedPlan], confirmed: Sequence[Confirmation] = (), *, stopped: bool = False
) -> int | None:
    """The plan with the fewest missed limits, then the least miss, then the least loss.

    A search that was stopped has not confirmed every plan that may be chosen: one that keeps every
    limit so far is nearer than one that misses any.
    """
    hopeful = {one.number for one in tried if stopped and keeps_limits(one)}
    hopeful -= {one.number for one in confirmed if is_refused(one)}

    def distance(one: _JudgedPlan) -> tuple[bool, int, float, float]:
        missed = one.breaks()
        worst = max(missed.values(), default=0.0)
        return one.number not in hopeful, len(missed), worst, one.loss

    nearest = min(_judged(_comparable(tried), confirmed), key=distance, default=None)
    return None if nearest is None else nearest.number


def missed_limits(
    tried: Sequence[TriedPlan], confirmed: Sequence[Confirmation], nearest: int | None
) -> tuple[MissedLimit, ...]:
    """The limits that the nearest plan misses, and whether any plan keeps them."""
    plans = _judged(_comparable(tried), confirmed)
    of_plan = next((one for one in plans if one.number == nearest), None)
    if of_plan is None:
        return ()
    limits = {limit_key(one): one for plan in tried if plan.number == nearest
              for one in plan.limits}  # fmt: skip
    bounds = {limit_key(figure): figure.bound for one in confirmed if one.number == nearest
              for figure in one.figures}  # fmt: skip
    broken = sorted(of_plan.breaks().items(), key=lambda one: -one[1])
    return tuple(
        MissedLimit(
            limit=limits[key].limit,
            scenario=limits[key].scenario,
            use=limits[key].use,
            allowed=_number(limits[key].allowed),
            searched=_number(limits[key].found),
            bound=bounds.get(key),
            never=all(key in one.breaks() for one in plans),
        )
        for key, _ in broken
    )


def _number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else None  # type: ignore[arg-type]


def limit_costs(
    tried: Sequence[TriedPlan], confirmed: Sequence[Confirmation], chosen: int | None
) -> tuple[LimitCost, ...]:
    """The cost of each limit on risk, by the plans that met every attack."""
    plans = _judged((one for one in tried if one.complete), confirmed)
    by_number = {one.number: one for one in plans}
    kept = [one.loss for one in plans if not one.breaks()]
    least = by_number[chosen].loss if chosen is not None else min(kept, default=inf)
    first = next((one for one in tried if one.complete), None)
    costs = []
    for limit in () if first is None else first.limits:
        if isinstance(limit.allowed, bool | tuple) or limit.limit in LOSS_LIMITS:
            continue
        key, loosened = limit_key(limit), _loosened(limit)
        step = STEP if limit.allowed else 2.0  # one person stands for a limit of nobody
        alone = [
            one
            for one in plans
            if one.loss < least and {*one.breaks()} == {key} and one.shares[key] <= step
        ]
        best = min(alone, key=lambda one: (one.loss, one.number), default=None)
        costs.append(
            LimitCost(
                limit=limit.limit,
                scenario=limit.scenario,
                allowed=float(limit.allowed),
                binds=best is not None,
                loosened=loosened,
                plan=None if best is None else best.number,
                loss=None if best is None else best.loss,
                saves=None if best is None or isinf(least) else least - best.loss,
                estimated=best is not None and not best.confirmed,
            )
        )
    return tuple(sorted(costs, key=lambda one: -(one.saves or 0.0)))


def reach(tried: Sequence[TriedPlan], space: SearchSpace) -> tuple[MethodReach, ...]:
    """The best of each combination: the least loss that keeps every limit, and the least risk."""
    found = []
    for combination in space.combination:
        of_it = [one for one in tried if one.candidate.combination == combination.name]
        kept = min((one for one in of_it if keeps_limits(one)), key=_loss, default=None)
        safest = min((one for one in of_it if one.complete), key=_risk, default=None)
        found.append(
            MethodReach(
                combination=combination.name,
                tried=len(of_it),
                kept=None if kept is None else kept.number,
                loss=None if kept is None else kept.loss,
                safest=None if safest is None else safest.number,
                risk=None if safest is None else safest.risk,
            )
        )
    return tuple(found)


def _loss(one: TriedPlan) -> float:
    return inf if one.loss is None else one.loss


def _risk(one: TriedPlan) -> float:
    return inf if one.risk is None else one.risk


def _expected(one: TriedPlan) -> float:
    found = expected_risk(one)
    return inf if found is None else found


def _excess(one: Confirmation) -> float:
    """How many times its limit the worst bound of a risk is."""
    risks = (figure for figure in one.figures if figure.limit not in LOSS_LIMITS)
    return max((share_used(figure.bound, figure) for figure in risks), default=1.0)


def _loosened(limit: Limit) -> float:
    allowed = 0.0 if isinstance(limit.allowed, tuple) else float(limit.allowed)
    if limit.limit in AT_LEAST:
        return allowed / STEP
    return min(allowed * STEP, 1.0) if allowed else 1 / (limit.people or 1)
