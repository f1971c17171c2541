"""How much of each limit a release uses: risks of different kinds on one scale."""

from collections.abc import Iterable
from math import inf

import msgspec

from unveil.errors import UsageError
from unveil.values.disclosure_scenario import STRESS_TEST
from unveil.values.results.choice import FigureOverSeeds, MissedLimit
from unveil.values.results.policy import Limit, Policy

LOSS_LIMITS = ("max_loss",)  # of all uses, or of one: what a release must preserve
AT_LEAST = ("k_anonymity", "l_diversity")  # more is safer


def share_of_limit(limit: Limit) -> float:
    """The figure over its limit; up to 1 it is kept, infinite where it is no number.

    Where nothing is allowed, one person stands for the limit.

    >>> share_of_limit(Limit(limit="max_risk", allowed=0.05, found=0.1, kept=False, reason=""))
    2.0
    """
    found, allowed = limit.found, limit.allowed
    if isinstance(allowed, bool | tuple) or isinstance(found, bool | tuple | None):
        return 0.0 if limit.kept else inf
    if limit.limit in AT_LEAST:
        return allowed / found if found else inf
    if allowed:
        return float(found / allowed)
    return 1.0 + found * (limit.people or 1) if found else 0.0


def largest_share(limits: Iterable[Limit]) -> float:
    """The largest share of a limit on risk that is used."""
    return max((share_of_limit(one) for one in limits if one.limit not in LOSS_LIMITS), default=0.0)


def loss_share(limits: Iterable[Limit]) -> float:
    """The largest share of a limit on loss that is used."""
    return max((share_of_limit(one) for one in limits if one.limit in LOSS_LIMITS), default=0.0)


def measured(limits: Iterable[Limit]) -> list[Limit]:
    """The limits that have a figure."""
    return [one for one in limits if one.found is not None]


def limit_key(limit: Limit | FigureOverSeeds | MissedLimit) -> tuple[str, str, str]:
    """Which limit of a policy it is."""
    return limit.scenario, limit.use, limit.limit


def worst_of(*parts: Iterable[Limit]) -> tuple[Limit, ...]:
    """Of each limit the finding that uses most of it, the dearest first.

    What one attack cannot measure, another may: a limit has no figure only where none has.
    """
    worst: dict[tuple[str, str, str], Limit] = {}
    for limit in (one for part in parts for one in part):
        before = worst.get(key := limit_key(limit))
        if (
            before is None
            or before.found is None
            or (limit.found is not None and share_of_limit(limit) > share_of_limit(before))
        ):
            worst[key] = limit
    return tuple(sorted(worst.values(), key=lambda one: -share_of_limit(one)))


def limits_risk(policy: Policy) -> bool:
    """Whether a policy has a limit on risk."""
    limits = {*policy.to_dict()} - {*LOSS_LIMITS, "intruder", "use", "may_stay_unchanged"}
    return bool(limits) or any(one.limits for one in policy.intruder)


def told_of_plans(policy: Policy | None) -> Policy:
    """The policy, whose intruders know the plan unless it says that one does not."""
    if policy is None or not limits_risk(policy):
        raise UsageError(
            "policy: it sets no limit on risk, so the search would choose the original; set one, "
            'such as max_risk, or for an intruder ([[intruder]] name = "register", '
            "max_linked = 0.05)"
        )
    told = tuple(
        msgspec.structs.replace(one, plan=True)
        if one.plan is None and one.name != STRESS_TEST
        else one
        for one in policy.intruder
    )
    return msgspec.structs.replace(policy, intruder=told)


def file_limits(policy: Policy) -> tuple[str, ...]:
    """The limits on risk that no intruder of the policy has."""
    named = {*policy.to_dict()} - {*LOSS_LIMITS, "intruder", "use"}
    return tuple(name for name in policy.__struct_fields__ if name in named)
