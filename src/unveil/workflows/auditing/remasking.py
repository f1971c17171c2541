"""The same plan carried out again: how much of the risk is the luck of one seed."""

from contextlib import suppress

import msgspec
import numpy as np

from unveil.errors import DataError
from unveil.support.arrays import Floats
from unveil.support.options import Progress
from unveil.support.work import REMASK_SECONDS
from unveil.table.row_identity import content_order
from unveil.values.intruder import Intruder
from unveil.values.release.plan import Plan
from unveil.values.results.remedies import Remasking
from unveil.workflows.auditing.attack_runs import (
    AttackRun,
    WorkBudget,
    risk_of_each,
    sample_to_budget,
)
from unveil.workflows.inputs.known_masking import reseeded
from unveil.workflows.inputs.scenario import Scenario, prepare
from unveil.workflows.mask import mask_again, steps_of

FIRST = 1000  # the seeds are not those that an attack simulates with
ABOVE = (0.05, 0.2, 0.5)


def remasked(
    task: AttackRun, scene: Scenario, plan: Plan, runs: int, told: Progress, *, budget: WorkBudget
) -> tuple[Remasking | None, Floats | None]:
    """The risk over new seeds, and for each original its mean risk: NaN where not attacked.

    As many runs as their estimated work fits the budget, at least one; with some seeds a plan may
    be impossible, and these are left out.

    The rows are masked in the order of what they hold: which order the file has means nothing.
    """
    order = np.argsort(content_order(scene.original))
    people = scene.original.take(order)
    each, shares = [], []
    intruder = msgspec.structs.replace(task.intruder, channel=task.intruder.channel is not False)
    if budget.seconds is not None and budget.size is None:
        by_mask = sum(mask.seconds_per_record for mask in steps_of(plan, people))
        each_run = len(people) * (REMASK_SECONDS + by_mask)
        runs = min(runs, max(1, int(budget.seconds / each_run)))
    attacked = 0
    for tried in range(runs):
        told(tried, runs)
        with suppress(DataError):
            release = mask_again(people, reseeded(plan, scene.seed, FIRST + tried))
            again = prepare(people, release, intruder=Intruder(), truth=None, seed=scene.seed)
            links = sample_to_budget(again.links(task.spec, intruder), budget.shared(runs))
            found, attacked = risk_of_each(links, len(people)), len(links)
            each.append(found)
            shares.append(float(np.sort(found[~np.isnan(found)]).mean()))
    if not shares:
        return None, None
    mean = _mean(each)
    known = np.sort(mean[~np.isnan(mean)])
    back = np.empty(len(mean))
    back[order] = mean
    return Remasking(
        attack=task.name,
        direction=task.intruder.direction,
        tried=runs,
        attacked=attacked,
        n=len(known),
        shares=tuple(shares),
        lowest=min(shares),
        highest=max(shares),
        mean=float(np.mean(shares)),
        at_risk={f"above {level:.0%}": float((known > level).mean()) for level in ABOVE},
    ), back


def _mean(each: list[Floats]) -> Floats:
    """The mean risk of each record over the runs in which it was attacked."""
    attacked = (~np.isnan(each)).sum(axis=0)
    found: Floats = np.nansum(each, axis=0) / np.where(attacked, attacked, np.nan)
    return found
