"""The worst case of an audit: what a distance links if the truth chooses its parameters."""

from functools import partial
from typing import get_args

import msgspec

from unveil.attacks import Supervised
from unveil.attacks.supervised.attack import Model
from unveil.errors import UnveilError
from unveil.values.intruder import Direction
from unveil.values.results.evidence import LeftOut
from unveil.values.results.supervised_bound import SupervisedBound
from unveil.wording import count
from unveil.workflows.auditing.attack_names import attack_name
from unveil.workflows.auditing.attack_runs import AttackRun, attack_runs
from unveil.workflows.auditing.checkpoints import Checkpoints, quietly
from unveil.workflows.auditing.inputs import AuditInputs
from unveil.workflows.inputs.scenario import Scenario

LEARNT_RECORDS = 2_000  # records up to which parameters are learnt
# Linear programs of a proof: a count, since time differs between machines.
PROGRAMS: dict[Model, int] = {"weights": 500, "choquet": 200, "bilinear": 100}
SPLITS = 3  # halvings of the people, to learn on one half and attack the other
PROVEN_ATTRIBUTES, LEARNT_ATTRIBUTES = 6, 10  # of a Choquet integral, whose programs grow as 2^n
BOUND_STEPS = len(get_args(Model)) * len(get_args(Direction))


def supervised_bounds(
    inputs: AuditInputs, steps: Checkpoints
) -> tuple[tuple[SupervisedBound, ...], tuple[LeftOut, ...]]:
    """What each family of distances links at worst, in both directions; and what is left out.

    No clock limits it, so that a replay finds the same on every machine. It does not depend on
    the attacks that the user requested.
    """
    if inputs.pair.truth is None:  # no released row belongs to anybody
        return (), ()
    bounds, left_out = list[SupervisedBound](), list[LeftOut]()
    for model in get_args(Model):
        too_large = _too_large(model, inputs)
        specs = [_spec(model, len(inputs.known))]
        for run in attack_runs(specs, inputs.pair, inputs.known, channel=False):
            direction = run.intruder.direction
            work, step = partial(_bound, run, inputs.scenario), f"worst case {model} {direction}"
            try:
                if too_large is None:
                    bounds.append(steps.run(step, SupervisedBound, work))
                    continue
                reason = too_large
            except UnveilError as error:
                reason = str(error)
            left_out.append(LeftOut(name=run.name, direction=direction, reason=reason))
    return tuple(sorted(bounds, key=lambda one: (-one.share, -one.bound))), tuple(left_out)


def _spec(model: Model, attributes: int) -> Supervised:
    provable = model != "choquet" or attributes <= PROVEN_ATTRIBUTES
    programs = PROGRAMS[model] if provable else 0
    return Supervised(model=model, budget=None, steps=programs, splits=SPLITS)


def _too_large(model: Model, inputs: AuditInputs) -> str | None:
    """Why a family is not learnt, where that would take too long."""
    pair, attributes = inputs.pair, len(inputs.known)
    records = max(len(pair.original), len(pair.release))
    if records > LEARNT_RECORDS:
        name = attack_name(Supervised(model=model))
        return f"it takes long on {count(records, 'record')}; --attack {name} makes it"
    if model == "choquet" and attributes > LEARNT_ATTRIBUTES:
        return (
            f"{count(attributes, 'attribute')} have too many sets to weigh each of them; it is "
            f"learnt of at most {LEARNT_ATTRIBUTES} (--knows)"
        )
    return None


def _bound(run: AttackRun, scenario: Scenario, _progress: object) -> SupervisedBound:
    with quietly():  # the bound says what the solver left open
        links = scenario.links(run.spec, run.intruder)
    bound = msgspec.convert(links.finder.details["learnt"], SupervisedBound)
    if bound.ended == "stopped":  # Ctrl-C ends an audit: no part of it is evidence
        raise KeyboardInterrupt
    return bound
