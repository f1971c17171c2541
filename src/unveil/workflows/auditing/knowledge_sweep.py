"""The risk against what the intruder knows: how many attributes, and how well."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

import msgspec
import numpy as np
import polars as pl

from unveil.errors import UnveilError
from unveil.measures import hits, wilson
from unveil.support.arrays import Ints
from unveil.support.options import Progress
from unveil.support.seeds import stream
from unveil.table.encoding.to_arrays import numbers, spread
from unveil.table.encoding.to_columns import as_column, donated
from unveil.table.microdata import Microdata
from unveil.table.row_identity import RowIdentity, sample_rows
from unveil.values.intruder import Intruder
from unveil.values.links import Links
from unveil.values.results.knowledge import ErrorRisk, Knowledge, KnownAttributes, NoisyKnowledge
from unveil.values.results.risk import Interval
from unveil.workflows.auditing.attack_runs import PILOT, AttackRun
from unveil.workflows.inputs.scenario import Scenario, prepare

AMONG = 20_000  # candidates among whom attributes are chosen; all count when risks are estimated
CHOSEN_ON = 1000  # records on which attributes are chosen, many times over
TRIED = 12  # attributes at each step, the best so far


class SampledShare(NamedTuple):
    """The share that is linked rightly, and how sure it is."""

    share: float
    interval: Interval | None


@dataclass(frozen=True, repr=False, eq=False)
class SampledAttack:
    """A scene, an attack, and the people on whom it is tried."""

    task: AttackRun
    scene: Scenario
    people: Ints

    def links(self, known: Sequence[str]) -> Links:
        """The attack on these people, by somebody who knows these attributes."""
        intruder = msgspec.structs.replace(self.task.intruder, knows=tuple(known))
        links = self.scene.links(self.task.spec, intruder)
        rows = self.people
        if intruder.reverse:
            rows = pairs_of(self.scene)[self.people]
        return replace(links, records=links.records[rows], truth=links.true_rows[rows])

    def linked(self, known: Sequence[str]) -> float:
        """How many are linked rightly; none, if the attack cannot be made on so few attributes."""
        try:
            return float(np.sort(hits(self.links(known))).sum())
        except UnveilError:
            return 0.0

    def share(self, known: Sequence[str]) -> SampledShare | None:
        """The share that is linked rightly; None, if the attack cannot be made on these."""
        with suppress(UnveilError):
            return share_of(self.links(known)) if known else None
        return None


def knowledge(task: AttackRun, chooser: AttackRun, scene: Scenario, told: Progress) -> Knowledge:
    """The worst one, two, ... attributes that an intruder can know, and the risk from them.

    One after another is added, the one that makes the chooser link the most, on one half of a
    sample; the other half says what the risk is then. Of large files the choice is made
    among some candidates only. The chooser is another attack where the worst one, knowing the
    mask, has to be fitted anew to each set of attributes.
    """
    first, second = halves(scene)
    stage = smaller(chooser, scene, first)
    order = _greedy(stage, task.intruder.knows or (), told)
    steps, highest = list[KnownAttributes](), 0.0
    for many in range(1, len(order) + 1):
        share, interval = _estimated((task, chooser), scene, second, order[:many])
        highest = max(highest, share)
        known = tuple(order[:many])
        steps.append(
            KnownAttributes(attributes=known, share=share, interval=interval, highest=highest)
        )
    return Knowledge(
        attack=task.name,
        direction=task.intruder.direction,
        chosen_by=chooser.name,
        chosen_on=len(stage.people),
        among=len(stage.scene.places.release),
        estimated_on=len(second),
        steps=tuple(steps),
        worst=None,
    )


def winner(task: AttackRun, found: Knowledge) -> AttackRun:
    """The worst set of attributes, as an attack; the attack itself, if it is all of them."""
    worst = max(found.steps, key=lambda step: (step.share, -len(step.attributes))).attributes
    every = task.intruder.knows or ()
    if len(worst) == len(every):
        return task
    known = tuple(name for name in every if name in worst)
    intruder = msgspec.structs.replace(task.intruder, knows=known)
    return replace(task, intruder=intruder, sweeping=True)


def halves(scene: Scenario) -> tuple[Ints, Ints]:
    """Two samples of people whose row is known, none in both: of one to choose, one to tell."""
    people = np.flatnonzero(pairs_of(scene) >= 0)
    rng = stream(scene.seed, "audit", "halves")
    some = people[sample_rows(scene.places.record_order[people], min(2 * PILOT, len(people)), rng)]
    half = sample_rows(scene.places.record_order[some], (len(some) + 1) // 2, rng)
    first, second = some[half], np.delete(some, half)
    few = sample_rows(scene.places.record_order[first], min(CHOSEN_ON, len(first)), rng)
    return first[few], second if len(second) else first


def smaller(
    task: AttackRun, scene: Scenario, chosen: Ints, *, among: int | None = None
) -> SampledAttack:
    """The chosen people among some others, with their rows, and no other rows.

    Of files that are small already it is all of them.
    """
    pairs = pairs_of(scene)
    people = np.flatnonzero(pairs >= 0)
    many = max(len(scene.places.intruder_records), len(scene.places.release))
    most = AMONG if among is None else among
    if many <= most or not task.blind:  # channels are of the whole file's rows
        return SampledAttack(task, scene, chosen)
    others = np.setdiff1d(people, chosen)
    rng = stream(scene.seed, "audit", "among")
    few = min(max(most - len(chosen), 0), len(others))
    more = others[sample_rows(scene.places.record_order[others], few, rng)]
    kept = np.sort(np.concatenate([chosen, more]))
    small = prepare(
        scene.places.intruder_records.take(kept),
        scene.places.release.take(pairs[kept]),
        intruder=Intruder(),
        truth=np.arange(len(kept)),
        seed=scene.seed,
    )
    return SampledAttack(task, small, np.searchsorted(kept, chosen))


def _greedy(stage: SampledAttack, every: Sequence[str], told: Progress) -> list[str]:
    """The attributes in the order in which knowing one more helps the most."""
    order, left, done = list[str](), list(every), 0
    total = sum(min(many, TRIED) if many < len(left) else many for many in range(1, len(left) + 1))
    while left:
        found = []
        for name in left[: TRIED if order else None]:
            found.append((-stage.linked([*order, name]), name))
            told(done := done + 1, total + 1)
        ranked = [name for _, name in sorted(found, key=lambda one: one[0])]
        order.append(ranked[0])
        left = ranked[1:] + [name for name in left if name not in ranked]
    return order


def pairs_of(scene: Scenario) -> Ints:
    """The released row of each person, -1 for none."""
    pairs = scene.places.pairs
    return np.full(len(scene.places.intruder_records), -1) if pairs is None else pairs


def _estimated(
    tasks: Sequence[AttackRun], scene: Scenario, people: Ints, known: Sequence[str]
) -> SampledShare:
    """The share linked by the first attack that can be made on these attributes; else none."""
    found = (SampledAttack(task, scene, people).share(known) for task in tasks)
    return next((one for one in found if one is not None), SampledShare(0.0, None))


def share_of(links: Links) -> SampledShare:
    """The share of these records that is linked rightly, and how sure it is."""
    found, n = float(np.sort(hits(links)).sum()), len(links)
    return SampledShare(found / max(n, 1), wilson(found, n, links.population) if n else None)


def noisy_knowledge(
    task: AttackRun, scene: Scenario, errors: Sequence[float], told: Progress
) -> NoisyKnowledge:
    """The risk when the intruder's values are wrong; the same people, whatever the error."""
    _, people = halves(scene)
    points = []
    for done, error in enumerate(errors):
        told(done, len(errors))
        erring = _erring(scene.places, task.intruder.knows or (), error, scene.seed)
        places = RowIdentity(erring, scene.places.release, scene.places.pairs)
        links = SampledAttack(task, replace(scene, places=places), people).links(
            task.intruder.knows or ()
        )
        share, interval = share_of(links)
        points.append(ErrorRisk(error=error, share=share, interval=interval))
    return NoisyKnowledge(
        attack=task.name,
        direction=task.intruder.direction,
        n=len(people),
        points=tuple(points),
    )


def _erring(places: RowIdentity, columns: Sequence[str], error: float, seed: int) -> Microdata:
    """People whose values are wrong by so much; what is drawn goes by what rows hold."""
    people = places.intruder_records
    if not error:
        return people
    return people.replace(
        [_erring_column(people, name, error, places.record_order, seed) for name in columns]
    )


def _erring_column(people: Microdata, name: str, error: float, place: Ints, seed: int) -> pl.Series:
    rng, column, n = stream(seed, "audit", "error", name), people.column(name), len(people)
    if people.level(name) == "numeric" and not people.schema[name].generalised:
        values = numbers(people, [name]).values[:, 0]
        moved = values + error * spread(values)[1] * rng.standard_normal(n)[place]
        return as_column(column, moved, keep_type=False)
    wrong = rng.random(n)[place] < error
    somebody = np.argsort(place)[rng.integers(n, size=n)[place]]
    return donated(column, np.where(wrong, somebody, np.arange(n))).set(column.is_null(), None)
