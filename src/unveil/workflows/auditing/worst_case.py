"""The worst case of an audit: what a distance could link if the truth had chosen its parameters."""

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
from unveil.workflows.auditing.attack_runs import AttackRun, tasks_of
from unveil.workflows.auditing.checkpoints import Checkpoints, quietly
from unveil.workflows.auditing.inputs import AuditInputs
from unveil.workflows.inputs.scenario import Scenario

MOST = 2_000  # records up to which parameters are learnt
# Linear programs of a proof: a number, since time differs from machine to machine. Those of
# weights are the quickest.
STEPS: dict[Model, int] = {"weights": 500, "choquet": 200, "bilinear": 100}
SPLITS = 3  # halvings of the people, to learn on one half and attack the other
QUICK, WHOLE = 6, 10  # attributes whose sets are few enough to prove anything of, and to learn
LEARNT = len(get_args(Model)) * len(get_args(Direction))  # steps of an audit


def worst_cases(
    case: AuditInputs, steps: Checkpoints
) -> tuple[tuple[SupervisedBound, ...], tuple[LeftOut, ...]]:
    """What each family of distances links at worst, in both directions; what was left out, and why.

    No clock decides how far it goes, so that a replay finds the same on any machine. It is made
    whatever attacks were asked for: it is none of them.

    Parameters
    ----------
    case
        The files, whose rows are whose, and what an intruder may know.
    steps
        Of the audit: each family in each direction is one.

    >>> import unveil
    >>> from unveil.workflows.auditing.inputs import case_of
    >>> from unveil.workflows.auditing.settings import AuditSettings
    >>> from unveil.workflows.auditing.checkpoints import Checkpoints
    >>> people = unveil.households(40)
    >>> case = case_of(people, people, None, "person", AuditSettings(knows=("age", "rent")), 1)
    >>> learnt, left_out = worst_cases(case, Checkpoints(LEARNT))
    >>> sorted({one.model for one in learnt}), left_out
    (['bilinear', 'choquet', 'weights'], ())
    """
    if case.both.rows is None:  # nobody's row is there to be found
        return (), ()
    found, left_out = list[SupervisedBound](), list[LeftOut]()
    for model in get_args(Model):
        why = _too_much(model, case)
        for task in tasks_of([_spec(model, len(case.known))], case.both, case.known, False):
            direction = task.intruder.direction
            work, step = partial(_learnt, task, case.scene), f"worst case {model} {direction}"
            try:
                if why is None:
                    found.append(steps.do(step, SupervisedBound, work))
                    continue
                reason = why
            except UnveilError as error:
                reason = str(error)
            left_out.append(LeftOut(name=task.name, direction=direction, reason=reason))
    return tuple(sorted(found, key=lambda one: (-one.share, -one.bound))), tuple(left_out)


def _spec(model: Model, attributes: int) -> Supervised:
    """How a family is learnt, the same on every machine."""
    large = model == "choquet" and attributes > QUICK  # its linear programs have 2^n unknowns
    return Supervised(model=model, budget=None, steps=0 if large else STEPS[model], splits=SPLITS)


def _too_much(model: Model, case: AuditInputs) -> str | None:
    """Why a family is not learnt, where that would take too long."""
    many, attributes = max(len(case.both.original), len(case.both.release)), len(case.known)
    if many > MOST:
        named = attack_name(Supervised(model=model))
        return f"it takes long on {count(many, 'record')}; --attack {named} makes it"
    if model == "choquet" and attributes > WHOLE:
        return (
            f"{count(attributes, 'attribute')} have too many sets to weigh each of them; it is "
            f"learnt of at most {WHOLE} (--knows)"
        )
    return None


def _learnt(task: AttackRun, scene: Scenario, _told: object) -> SupervisedBound:
    """What one family links at worst."""
    with quietly():  # what the solver left open is in the bound
        links = scene.links(task.spec, task.intruder)
    found = msgspec.convert(links.finder.details["learnt"], SupervisedBound)
    if found.ended == "stopped":  # Ctrl-C ends an audit: no part of it is evidence
        raise KeyboardInterrupt
    return found
