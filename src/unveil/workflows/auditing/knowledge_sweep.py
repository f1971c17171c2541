"""The risk against what the intruder knows: how many attributes, and how exactly."""

from collections.abc import Sequence
from dataclasses import replace

import msgspec
import numpy as np
import polars as pl

from unveil.support.arrays import Ints
from unveil.support.options import Progress
from unveil.support.seeds import stream
from unveil.table.encoding.to_arrays import numbers, spread
from unveil.table.encoding.to_columns import as_column, donated
from unveil.table.microdata import Microdata
from unveil.values.file_pair import FilePair
from unveil.values.results.knowledge import ErrorRisk, Knowledge, KnownAttributes, NoisyKnowledge
from unveil.workflows.auditing import sampled_attack
from unveil.workflows.auditing.attack_runs import AttackRun
from unveil.workflows.auditing.sampled_attack import (
    SampledAttack,
    SampledShare,
    split_people,
    with_fewer_candidates,
)
from unveil.workflows.inputs.scenario import Scenario

TRIED_PER_STEP = 12  # attributes tried at each step, the best of the step before


def knowledge_sweep(
    run: AttackRun, chooser: AttackRun, scenario: Scenario, progress: Progress
) -> Knowledge:
    """The worst one, two, ... attributes that an intruder can know, and the risk from them.

    Greedy search on one half of a sample: each step adds the attribute with which the chooser
    links most. The other half estimates the risk. In large files the search uses a sample of the
    candidates. The chooser is another attack where the worst one knows the mask, since that would
    be fitted anew to each set of attributes.
    """
    first, second = split_people(scenario)
    search = with_fewer_candidates(chooser, scenario, first, sampled_attack.CANDIDATES)
    order = _greedy_order(search, run.intruder.knows or (), progress)
    steps, highest = list[KnownAttributes](), 0.0
    for size in range(1, len(order) + 1):
        known = tuple(order[:size])
        shares = (SampledAttack(one, scenario, second).share(known) for one in (run, chooser))
        share, interval = next((s for s in shares if s is not None), SampledShare(0.0, None))
        highest = max(highest, share)
        steps.append(
            KnownAttributes(attributes=known, share=share, interval=interval, highest=highest)
        )
    return Knowledge(
        attack=run.name,
        direction=run.intruder.direction,
        chosen_by=chooser.name,
        chosen_on=len(search.people),
        among=len(search.scenario.pair.release),
        estimated_on=len(second),
        steps=tuple(steps),
        worst=None,
    )


def _greedy_order(
    search: SampledAttack, attributes: Sequence[str], progress: Progress
) -> list[str]:
    """The attributes in the order in which knowing one more helps most."""
    order, left, done = list[str](), list(attributes), 0
    total = sum(
        min(size, TRIED_PER_STEP) if size < len(left) else size for size in range(1, len(left) + 1)
    )
    while left:
        linked = []
        for name in left[: TRIED_PER_STEP if order else None]:
            linked.append((-search.linked([*order, name]), name))
            progress(done := done + 1, total + 1)
        ranked = [name for _, name in sorted(linked, key=lambda one: one[0])]
        order.append(ranked[0])
        left = ranked[1:] + [name for name in left if name not in ranked]
    return order


def worst_knowledge(run: AttackRun, knowledge: Knowledge) -> AttackRun:
    """The attack with the worst set of attributes; the attack itself if that is all of them."""
    worst = max(knowledge.steps, key=lambda step: (step.share, -len(step.attributes))).attributes
    attributes = run.intruder.knows or ()
    if len(worst) == len(attributes):
        return run
    known = tuple(name for name in attributes if name in worst)
    intruder = msgspec.structs.replace(run.intruder, knows=known)
    return replace(run, intruder=intruder, sweeping=True)


def noisy_knowledge(
    run: AttackRun, scenario: Scenario, errors: Sequence[float], progress: Progress
) -> NoisyKnowledge:
    """The risk when the intruder's values contain errors; every error rate on the same people."""
    _, people = split_people(scenario)
    pair, known = scenario.pair, run.intruder.knows or ()
    points = []
    for done, error in enumerate(errors):
        progress(done, len(errors))
        noisy = replace(pair, original=_with_errors(pair, known, error, scenario.seed))
        found = SampledAttack(run, replace(scenario, pair=noisy), people).share(known)
        if found is not None:  # None: the errors hide all that varied, as spellings
            points.append(ErrorRisk(error=error, share=found.share, interval=found.interval))
    return NoisyKnowledge(
        attack=run.name, direction=run.intruder.direction, n=len(people), points=tuple(points)
    )


def _with_errors(pair: FilePair, columns: Sequence[str], error: float, seed: int) -> Microdata:
    """The intruder's records with errors; the content of a row decides its random numbers."""
    people = pair.original
    if not error:
        return people
    noisy = [_noisy_column(people, name, error, pair.original_order, seed) for name in columns]
    return people.replace([one for one in noisy if not one.equals(people.column(one.name))])


def _noisy_column(people: Microdata, name: str, error: float, place: Ints, seed: int) -> pl.Series:
    rng, column, n = stream(seed, "audit", "error", name), people.column(name), len(people)
    if people.level(name) == "numeric" and not people.schema[name].generalised:
        values = numbers(people, [name]).values[:, 0]
        moved = values + error * spread(values)[1] * rng.standard_normal(n)[place]
        return as_column(column, moved, keep_type=False)
    wrong = rng.random(n)[place] < error
    donor = np.argsort(place)[rng.integers(n, size=n)[place]]
    return donated(column, np.where(wrong, donor, np.arange(n))).set(column.is_null(), None)
