"""Confirmation: whether a plan keeps its limits on fresh seeds, with a margin for the next one.

The plan that looks best in a search looks better than it is. So each plan that may be chosen is
carried out again on seeds that the search has not seen, against every attack.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import inf, isfinite, sqrt

import numpy as np

from unveil.values.results.choice import Confirmation, FigureOverSeeds
from unveil.values.results.policy import Limit
from unveil.values.results.study import TriedPlan
from unveil.workflows.choosing.limit_shares import AT_LEAST, LOSS_LIMITS, limit_key, share_of_limit

REPETITIONS, MOST_REPETITIONS = 8, 24  # of one round, and of one plan
COVERAGE, CONFIDENCE = 0.999, 0.9  # the share of the seeds below the bound, and how sure that is
MOST_CONFIRMED = 6  # plans
EXPECTED_FACTOR = 3.5  # deviations between the mean and the bound, before anything is repeated


@cache
def tolerance_factor(n: int) -> float:
    """How many deviations above the mean of n repetitions nearly every further one lies.

    One-sided tolerance factor of the normal distribution (the noncentral t distribution).

    >>> round(tolerance_factor(24), 2)
    3.9
    """
    from scipy.stats import nct, norm

    return float(nct.ppf(CONFIDENCE, n - 1, norm.ppf(COVERAGE) * sqrt(n)) / sqrt(n))


def expected_share(limit: Limit) -> float:
    """The share of a limit that a plan is expected to use on nearly every seed."""
    share, found, people = share_of_limit(limit), limit.found, limit.people
    if limit.limit in LOSS_LIMITS or isinstance(found, bool | tuple | None) or not people:
        return share
    deviation = sqrt(max(found * (1 - found), 0.0) / people)
    allowed = limit.allowed if isinstance(limit.allowed, float) and limit.allowed else 1 / people
    return share + EXPECTED_FACTOR * deviation / allowed


def expected_risk(tried: TriedPlan) -> float | None:
    """The risk of a plan with the margin that further seeds are expected to need."""
    if tried.risk is None:
        return None
    shares = [expected_share(one) for one in tried.limits if one.limit not in LOSS_LIMITS]
    return max(shares, default=0.0)


def confirmation(tried: TriedPlan, repeated: Sequence[TriedPlan]) -> Confirmation:
    """The limits of a plan by its repetitions."""
    figures = sorted(
        (
            _over_seeds(limit, limit.allowed, repeated)
            for limit in tried.limits
            if not isinstance(limit.allowed, bool | tuple)
        ),
        key=lambda one: (one.limit in LOSS_LIMITS, -share_used(one.bound, one)),
    )
    kept = [all(limit.kept for limit in one.limits) and one.complete for one in repeated]
    losses = [inf if one.loss is None else one.loss for one in repeated]
    return Confirmation(
        number=tried.number,
        repetitions=len(repeated),
        kept=sum(kept),
        accepted=all(kept) and all(share_used(one.bound, one) <= 1 for one in figures),
        loss=float(np.mean(losses)),
        figures=tuple(figures),
    )


def is_undecided(found: Confirmation) -> bool:
    """Whether more repetitions could still accept the plan: they lower the tolerance factor."""
    if found.accepted or found.kept < found.repetitions or found.repetitions >= MOST_REPETITIONS:
        return False
    least = tolerance_factor(MOST_REPETITIONS) / tolerance_factor(found.repetitions)
    return all(
        share_used(one.mean + least * (one.bound - one.mean), one) <= 1 for one in found.figures
    )


def is_refused(found: Confirmation) -> bool:
    """Whether the plan is not accepted, however often it is repeated."""
    return not (found.accepted or is_undecided(found))


def _over_seeds(limit: Limit, allowed: float, repeated: Sequence[TriedPlan]) -> FigureOverSeeds:
    by_seed = ({limit_key(one): one.found for one in plan.limits} for plan in repeated)
    at_least = limit.limit in AT_LEAST
    worst = 0.0 if at_least else inf  # where a seed has no figure
    values = [_number(found.get(limit_key(limit)), worst) for found in by_seed]
    mean = bound = float(np.mean(values))
    if isfinite(mean):
        margin = tolerance_factor(len(values)) * float(np.std(values, ddof=1))
        bound += -margin if at_least else margin
    return FigureOverSeeds(
        limit=limit.limit,
        scenario=limit.scenario,
        use=limit.use,
        allowed=float(allowed),
        searched=_number(limit.found, worst),
        fresh=tuple(values),
        mean=mean,
        bound=bound,
    )


def _number(found: object, otherwise: float) -> float:
    return float(found) if isinstance(found, float | int) else otherwise


def shares_with_margin(
    tried: TriedPlan, confirmed: Confirmation | None
) -> dict[tuple[str, str, str], float]:
    """The share of each limit that a plan uses on nearly every seed.

    By the bounds, if the plan was confirmed; else expected by its figures in the search.
    """
    shares = {limit_key(one): expected_share(one) for one in tried.limits}
    if confirmed is not None:
        for one in confirmed.figures:
            shares[limit_key(one)] = share_used(one.bound, one)
    return shares


def share_used(value: float, figure: FigureOverSeeds) -> float:
    """The share of its limit that a value uses."""
    if figure.limit in AT_LEAST:
        return figure.allowed / value if value > 0 else inf
    if figure.allowed:
        return value / figure.allowed
    return inf if value > 0 else 0.0
