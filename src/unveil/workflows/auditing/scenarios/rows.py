"""The rows of an audit: every scenario planned, attacked, and summed up."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from functools import partial

from unveil.attacks.base import Attack
from unveil.values.results.disclosure import Inference
from unveil.values.results.policy import Policy
from unveil.values.results.scenarios import ScenarioResult
from unveil.workflows.auditing.attack_runs import AttackResults
from unveil.workflows.auditing.checkpoints import Checkpoints
from unveil.workflows.auditing.inputs import AuditInputs
from unveil.workflows.auditing.scenarios.attacks import ScenarioPlan, plan_scenario
from unveil.workflows.auditing.scenarios.definitions import scenarios_of
from unveil.workflows.auditing.scenarios.results import scenario_result
from unveil.workflows.auditing.scenarios.stress_test import stress_test, with_weaker_intruders
from unveil.workflows.auditing.settings import AuditSettings


def plan_scenarios(
    inputs: AuditInputs,
    policy: Policy | None,
    settings: AuditSettings,
    requested: Sequence[Attack] | None,
    sizes: Mapping[str, int] | None,
    rows: Container[str] | None = None,
) -> list[ScenarioPlan]:
    """The scenarios beside the stress test, each with its attacks; only `rows`, if given."""
    given = {one.name: one.knowledge for one in (() if policy is None else policy.intruder)}
    return [
        replace(
            plan_scenario(one, inputs, settings, requested),
            sizes=sizes,
            given=given.get(one.name, ()),
        )
        for one in scenarios_of(inputs, policy)
        if rows is None or one.name in rows
    ]


def scenario_rows(
    plans: Sequence[ScenarioPlan],
    inputs: AuditInputs,
    settings: AuditSettings,
    attacked: AttackResults,
    learned: tuple[Inference, ...],
    steps: Checkpoints,
) -> tuple[ScenarioResult, ...]:
    """What each intruder achieves, the stress test first; nothing where nobody was attacked."""
    if not attacked.results:
        return ()
    rows = list[ScenarioResult]()
    for plan in plans:
        work = partial(scenario_result, plan, inputs, settings)
        rows.append(steps.run(plan.step, ScenarioResult, work))
    return with_weaker_intruders(stress_test(inputs, attacked, learned), rows), *rows
