"""The worst case of an audit: what a distance links if the truth chooses its parameters."""

from dataclasses import replace
from functools import partial
from typing import get_args

import msgspec

from unveil.attacks import Supervised
from unveil.attacks.supervised.attack import Model
from unveil.errors import UnveilError
from unveil.values.results.evidence import LeftOut
from unveil.values.results.supervised_bound import SupervisedBound
from unveil.wording import count
from unveil.workflows.auditing.attack_runs import AttackRun, attack_runs
from unveil.workflows.auditing.checkpoints import Checkpoints, quietly
from unveil.workflows.auditing.inputs import AuditInputs
from unveil.workflows.auditing.resources import WorkPlan
from unveil.workflows.inputs.scenario import Scenario

# Linear programs of a proof: a count, since time differs between machines.
PROGRAMS: dict[Model, int] = {"weights": 500, "choquet": 200, "bilinear": 100}
SPLITS = 3  # halvings of the people, to learn on one half and attack the other
PROVEN_ATTRIBUTES, LEARNT_ATTRIBUTES = 6, 10  # of a Choquet integral, whose programs grow as 2^n


def supervised_runs(inputs: AuditInputs) -> tuple[dict[str, AttackRun], tuple[LeftOut, ...]]:
    """Every family of distances in both directions, by step; and those that cannot be learnt."""
    runs, refused, attributes = dict[str, AttackRun](), list[LeftOut](), len(inputs.known)
    if inputs.pair.truth is None:  # no released row belongs to anybody
        return runs, ()
    for model in get_args(Model):
        specs = [_spec(model, attributes)]
        for run in attack_runs(specs, inputs.pair, inputs.known, channel=False):
            direction = run.intruder.direction
            if model != "choquet" or attributes <= LEARNT_ATTRIBUTES:
                runs[f"worst case {model} {direction}"] = run
                continue
            reason = (
                f"{count(attributes, 'attribute')} have too many subsets to learn a weight for "
                f"each; at most {LEARNT_ATTRIBUTES} are supported (--knows)"
            )
            refused.append(LeftOut(name=run.name, direction=direction, reason=reason))
    return runs, tuple(refused)


def supervised_bounds(
    inputs: AuditInputs, plan: WorkPlan, steps: Checkpoints
) -> tuple[tuple[SupervisedBound, ...], tuple[LeftOut, ...]]:
    """The worst case of each family of distances, in both directions; and what is left out.

    Work limits it and no clock, so that a replay finds the same on every machine. It does not
    depend on the attacks that the user requested.
    """
    runs, refused = supervised_runs(inputs)
    bounds, left_out = list[SupervisedBound](), list(refused)
    for step, run in runs.items():
        if not plan.makes(step):
            continue
        spec = msgspec.structs.replace(run.spec, budget=plan.limits.get(step))
        work = partial(_bound, replace(run, spec=spec), inputs.scenario)
        try:
            bounds.append(steps.run(step, SupervisedBound, work))
        except UnveilError as error:
            direction = run.intruder.direction
            left_out.append(LeftOut(name=run.name, direction=direction, reason=str(error)))
    return tuple(sorted(bounds, key=lambda one: (-one.share, -one.bound))), tuple(left_out)


def _spec(model: Model, attributes: int) -> Supervised:
    provable = model != "choquet" or attributes <= PROVEN_ATTRIBUTES
    programs = PROGRAMS[model] if provable else 0
    return Supervised(model=model, budget=None, steps=programs, splits=SPLITS)


def _bound(run: AttackRun, scenario: Scenario, _progress: object) -> SupervisedBound:
    with quietly():  # the bound says what the solver left open
        links = scenario.links(run.spec, run.intruder)
    bound = msgspec.convert(links.finder.details["learnt"], SupervisedBound)
    if bound.ended == "stopped":  # Ctrl-C ends an audit: no part of it is evidence
        raise KeyboardInterrupt
    return bound
