"""Which attributes carry the risk: what an attack links without each of them."""

from collections.abc import Iterable, Sequence
from functools import cache

from unveil.attacks import Combined, Probabilistic
from unveil.support.arrays import Ints
from unveil.support.options import Progress
from unveil.values.results.knowledge import AttributeRisks, RiskWithout
from unveil.workflows.auditing.attack_runs import WEIGHTED, AttackRun
from unveil.workflows.auditing.knowledge_sweep import SampledAttack, SampledShare, halves, smaller
from unveil.workflows.inputs.scenario import Scenario

MOST = 20  # attributes that are left out in turn
WORK = 4_000_000  # candidates, over all attacks, up to which all are there


def attribute_risks(
    task: AttackRun,
    scene: Scenario,
    told: Progress,
    *,
    every: Sequence[str],
    worst: Sequence[str] = (),
) -> AttributeRisks | None:
    """What an attack links knowing all attributes, and all but one, on the same people.

    Who knows more may ignore it: where a sweep found that fewer attributes link more, both
    are tried, what is left of these and what is left of all, and the better counts. Of many
    attributes those are left out that a sweep found worst; in large files the attack is among
    some candidates only. An attribute without which the attack cannot be made is not listed;
    None: there are no two of them.

    Parameters
    ----------
    task
        An attack that knows no mask.
    scene
        The files.
    told
        How far it has come.
    every
        All attributes that the attack compares.
    worst
        The attributes in the order in which a sweep found that they help.
    """
    _, people = halves(scene)
    if len(every) < 2 or not len(people):
        return None
    stage = _stage(task, scene, people, attacks=len(every) + 1)
    sets = known_sets(task, every)
    share = cache(stage.share)
    whole = highest(share(known) for known in sets)
    if whole is None:
        return None
    ranked = [name for name in worst if name in every]
    ranked += [name for name in every if name not in ranked]
    without = []
    for done, name in enumerate(ranked[:MOST], start=1):
        told(done, len(ranked[:MOST]) + 1)
        found = highest(share(left) for left in leaving(sets, name))
        if found is not None:
            without.append(RiskWithout(attribute=name, share=found.share, interval=found.interval))
    if not without:
        return None
    return AttributeRisks(
        attack=task.name,
        direction=task.intruder.direction,
        n=len(people),
        among=len(
            stage.scene.places.intruder_records
            if task.intruder.reverse
            else stage.scene.places.release
        ),
        share=whole.share,
        interval=whole.interval,
        without=tuple(sorted(without, key=lambda one: (one.share, every.index(one.attribute)))),
    )


def known_sets(task: AttackRun, every: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """What the intruder compares: what a sweep found best, and all that the attack can compare."""
    return tuple(dict.fromkeys((tuple(task.intruder.knows or ()), tuple(every))))


def leaving(sets: Iterable[Sequence[str]], *names: str) -> tuple[tuple[str, ...], ...]:
    """The same without some attributes.

    >>> leaving([("age", "sex"), ("sex",)], "sex")
    (('age',), ())
    """
    return tuple(tuple(one for one in known if one not in names) for known in sets)


def highest(found: Iterable[SampledShare | None]) -> SampledShare | None:
    """The largest of some shares; None, if there is none.

    >>> highest([None]) is None
    True
    """
    there = (one for one in found if one is not None)
    return max(there, key=lambda one: one.share, default=None)


def few_for(task: AttackRun) -> int | None:
    """Among how many an attack is made, that is made many times; None: as any other."""
    return WEIGHTED if isinstance(task.spec, Probabilistic | Combined) else None


def _stage(task: AttackRun, scene: Scenario, people: Ints, *, attacks: int) -> SampledAttack:
    """All candidates, if so many attacks among them do not take long."""
    many = max(len(scene.places.intruder_records), len(scene.places.release))
    if many * min(attacks, MOST + 1) <= WORK and few_for(task) is None:
        return SampledAttack(task, scene, people)
    return smaller(task, scene, people, among=few_for(task))
