"""The same plan carried out with other seeds: how much of the risk is the luck of one seed."""

from contextlib import suppress

import msgspec
import numpy as np

from unveil.errors import DataError
from unveil.measures import hits, read_off
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
    risk_per_record,
    sample_to_budget,
)
from unveil.workflows.inputs.known_masking import reseeded
from unveil.workflows.inputs.scenario import Scenario, prepare
from unveil.workflows.mask import mask_again, masks_of

FIRST_RUN = 1000  # these seeds differ from those that an attack simulates with
RISK_LEVELS = (0.05, 0.2, 0.5)


def remask(
    run: AttackRun,
    scenario: Scenario,
    plan: Plan,
    repeats: int,
    progress: Progress,
    *,
    budget: WorkBudget,
) -> tuple[Remasking | None, Floats | None]:
    """The risk over new seeds, and the mean risk of each original: NaN where not attacked.

    The budget limits the number of seeds; at least one is tried. A seed with which the plan is
    impossible is left out. Rows are masked in the order of their content, so that the order of
    the file means nothing.
    """
    order = np.argsort(content_order(scenario.original))
    people = scenario.original.take(order)
    intruder = msgspec.structs.replace(run.intruder, channel=run.intruder.channel is not False)
    if budget.seconds is not None and budget.size is None:
        masking = sum(mask.seconds_per_record for mask in masks_of(plan, people))
        seconds = len(people) * (REMASK_SECONDS + masking)
        repeats = min(repeats, max(1, int(budget.seconds / seconds)))
    if budget.seconds is not None:
        budget = budget._replace(seconds=budget.seconds / repeats)
    risks, shares, attacked = [], [], 0
    for repeat in range(repeats):
        progress(repeat, repeats)
        with suppress(DataError):
            release = mask_again(people, reseeded(plan, scenario.seed, FIRST_RUN + repeat))
            again = prepare(
                people,
                release,
                intruder=Intruder(),
                truth=None,
                seed=scenario.seed,
                engine=scenario.engine,
            )
            again = again.on(read_off(again.pair).data)
            links = sample_to_budget(again.links(run.spec, intruder), budget)
            risks.append(risk_per_record(links, len(people)))
            shares.append(float(np.sort(hits(links)[links.true_rows >= 0]).mean()))
            attacked = len(links)
    if not shares:
        return None, None
    times_attacked = (~np.isnan(risks)).sum(axis=0)
    mean = np.nansum(risks, axis=0) / np.where(times_attacked, times_attacked, np.nan)
    known = np.sort(mean[~np.isnan(mean)])
    in_file_order = np.empty(len(mean))
    in_file_order[order] = mean
    return Remasking(
        attack=run.name,
        direction=run.intruder.direction,
        tried=repeats,
        attacked=attacked,
        n=len(known),
        shares=tuple(shares),
        lowest=min(shares),
        highest=max(shares),
        mean=float(np.mean(shares)),
        at_risk={f"above {level:.0%}": float((known > level).mean()) for level in RISK_LEVELS},
    ), in_file_order
