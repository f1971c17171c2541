"""Which attributes carry the risk: what an attack links without each of them."""

from collections.abc import Iterable, Sequence
from functools import cache

from unveil.support.options import Progress
from unveil.values.results.knowledge import AttributeRisks, RiskWithout
from unveil.workflows.auditing.attack_runs import AttackRun
from unveil.workflows.auditing.sampled_attack import (
    SampledAttack,
    highest,
    split_people,
    with_fewer_candidates,
)
from unveil.workflows.inputs.scenario import Scenario

Sets = tuple[tuple[str, ...], ...]  # of attributes

LEFT_OUT = 20  # attributes that are left out in turn
ALL_CANDIDATES = 4_000_000  # candidates over all attacks, up to which none is left out


def attribute_risks(
    run: AttackRun,
    scenario: Scenario,
    progress: Progress,
    *,
    compared: Sequence[str],
    worst: Sequence[str] = (),
) -> AttributeRisks | None:
    """The links of a blind attack with all attributes, and with all but one, on the same people.

    An intruder may ignore an attribute: where a sweep found that fewer attributes link more, both
    sets are tried, and the better counts. Of more than 20 compared attributes those are left out
    that a sweep found worst. An attribute without which the attack is impossible is not listed;
    None if fewer than two attributes are compared.
    """
    _, people = split_people(scenario)
    if len(compared) < 2 or not len(people):
        return None
    records = max(len(scenario.pair.original), len(scenario.pair.release))
    attack = SampledAttack(run, scenario, people)
    quick = records * min(len(compared) + 1, LEFT_OUT + 1) <= ALL_CANDIDATES
    if not quick or run.spec.costly_to_repeat:
        attack = with_fewer_candidates(run, scenario, people)
    sets = known_sets(run, compared)
    share = cache(attack.share)
    everything = highest(map(share, sets))
    if everything is None:
        return None
    ranked = [name for name in worst if name in compared]
    ranked += [name for name in compared if name not in ranked]
    without = []
    for done, name in enumerate(ranked[:LEFT_OUT], start=1):
        progress(done, len(ranked[:LEFT_OUT]) + 1)
        rest = highest(map(share, leaving_out(sets, name)))
        if rest is not None:
            without.append(RiskWithout(attribute=name, share=rest.share, interval=rest.interval))
    if not without:
        return None
    return AttributeRisks(
        attack=run.name,
        direction=run.intruder.direction,
        n=len(people),
        among=attack.candidates,
        share=everything.share,
        interval=everything.interval,
        without=tuple(sorted(without, key=lambda one: (one.share, compared.index(one.attribute)))),
    )


def known_sets(run: AttackRun, compared: Sequence[str]) -> Sets:
    """The compared sets: the best one of a sweep, and all comparable attributes."""
    return tuple(dict.fromkeys((tuple(run.intruder.knows or ()), tuple(compared))))


def leaving_out(sets: Iterable[Sequence[str]], *names: str) -> Sets:
    """The same sets without some attributes."""
    return tuple(tuple(name for name in known if name not in names) for known in sets)
