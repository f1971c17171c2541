"""The risk against what the intruder knows: of how many people, which attributes, how exactly."""

from collections.abc import Container, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast, get_args

import msgspec
import numpy as np

from unveil.errors import UnveilError
from unveil.measures import hits, wilson
from unveil.support.arrays import Floats, Ints
from unveil.support.options import Progress
from unveil.support.seeds import stream
from unveil.values.intruder import Direction
from unveil.values.results.knowledge import Held, Knowledge, KnowledgePoint, KnownAttributes
from unveil.workflows.auditing import sampled_attack
from unveil.workflows.auditing.attack_runs import AttackRun
from unveil.workflows.auditing.sampled_attack import (
    SampledAttack,
    SampledShare,
    split_people,
    with_fewer_candidates,
)
from unveil.workflows.inputs.scenario import Scenario
from unveil.workflows.inputs.stale_cells import stale_cells

TRIED_PER_STEP = 12  # attributes tried at each step, the best of the step before
SIZES = (1, 2, 3, 5, 8)  # attributes known in the surface, and all of them
MATCHED_SIZES = (3, 5)  # the same where several records are held
TENTHS = 2  # intruders who hold a tenth of the people, each another one


class SurfacePlace(NamedTuple):
    """A point of the knowledge surface."""

    people: Held
    known: int  # attributes
    error: float


def surface_places(
    attributes: int, errors: Sequence[float], held: Container[str], *, sweep: bool = True
) -> list[SurfacePlace]:
    """The places of the surface; without a sweep those where all attributes are known.

    Matchings are dear: where several records are held, fewer attributes are known exactly only,
    and all of them exactly or with the smallest error.

    >>> len(surface_places(13, (0, 0.1, 0.2, 0.5), ("all",)))
    28
    """
    sizes = [size for size in SIZES if size < attributes and sweep] + [attributes]
    alone = [SurfacePlace("one", size, error) for error in errors for size in sizes]
    together = [
        SurfacePlace(people, size, error)
        for people in get_args(Held)[1:]
        if people in held
        for error in errors[:2]
        for size in sizes
        if size == attributes or (size in MATCHED_SIZES and not error)
    ]
    return alone + together


def knowledge_sweep(
    run: AttackRun,
    chooser: AttackRun,
    scenario: Scenario,
    progress: Progress,
    *,
    errors: Sequence[float] = (0.0,),
    held: Container[str] = (),
    sweep: bool = True,
) -> Knowledge:
    """The worst one, two, ... attributes that an intruder can know, and the risk from them.

    Greedy search on one half of a sample: each step adds the attribute with which the chooser
    links most. The other half estimates the risk. In large files the search uses a sample of the
    candidates. The chooser is another attack where the worst one knows the mask, since that would
    be fitted anew to each set of attributes. Without a sweep, all attributes are known.
    """
    first, second = split_people(scenario)
    search = with_fewer_candidates(chooser, scenario, first, sampled_attack.CANDIDATES)
    attributes = run.intruder.knows or ()
    places = surface_places(len(attributes), errors, held, sweep=sweep)
    order = _greedy_order(search, attributes, len(places), progress) if sweep else attributes
    attacks = RepeatedAttacks(scenario, second, tuple(order))
    steps, highest = list[KnownAttributes](), 0.0
    for size in range(1 if sweep else len(order), len(order) + 1):
        made = (attacks.alone(one, size, 0.0) for one in (run, chooser))
        share, interval = attacks.share(next((one for one in made if one is not None), np.zeros(0)))
        highest = max(highest, share)
        steps.append(
            KnownAttributes(
                attributes=tuple(order[:size]), share=share, interval=interval, highest=highest
            )
        )
    return Knowledge(
        attack=run.name,
        direction=run.intruder.direction,
        chosen_by=chooser.name,
        chosen_on=len(search.people) if sweep else 0,
        among=len(search.scenario.pair.release),
        estimated_on=len(second),
        steps=tuple(steps),
        worst=None,
        surface=_surface(attacks, [_forward(run), _forward(chooser)], places, progress),
    )


def _forward(run: AttackRun) -> AttackRun:
    """The same attack by an intruder who looks for the rows of people: the other holds all."""
    direction: Direction = "original-to-release"
    return replace(run, intruder=msgspec.structs.replace(run.intruder, direction=direction))


def greedy_tries(attributes: int) -> int:
    """The number of attacks of a greedy search."""
    return sum(min(size, TRIED_PER_STEP) for size in range(attributes)) + attributes


def _greedy_order(
    search: SampledAttack, attributes: Sequence[str], later: int, progress: Progress
) -> list[str]:
    """The attributes in the order in which knowing one more helps most; `later` attacks follow."""
    order, left, done = list[str](), list(attributes), 0
    total = greedy_tries(len(left)) + later
    while left:
        linked = []
        for name in left[: TRIED_PER_STEP if order else None]:
            linked.append((-search.linked([*order, name]), name))
            progress(done := done + 1, total)
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


@dataclass(frozen=True, repr=False, eq=False)
class RepeatedAttacks:
    """Attacks on the same people by what is known of them, each made once."""

    scenario: Scenario
    people: Ints  # rows of the original
    order: tuple[str, ...]  # attributes, the most revealing first
    made: dict[tuple[str, int, float], Floats | None] = field(default_factory=dict)
    files: dict[float, Scenario] = field(default_factory=dict)  # by error

    def share(self, found: Floats) -> SampledShare:
        """The share of correct links, with its interval."""
        linked, n = float(np.sort(found).sum()), len(found)
        interval = wilson(linked, n, len(self.scenario.pair.released)) if n else None
        return SampledShare(linked / max(n, 1), interval)

    def alone(self, run: AttackRun, known: int, error: float) -> Floats | None:
        """The hits of people who are linked one by one; None if the attack is impossible."""
        key = run.label, known, error
        if key not in self.made:
            self.made[key] = self._hits(run, self._stale(error), self.people, known, error)
        return self.made[key]

    def together(self, run: AttackRun, rows: Ints, known: int, error: float) -> Floats | None:
        """The hits of people whose records are matched one to one; None if it is impossible."""
        scenario = self._stale(error)
        if len(rows) == len(scenario.pair.released):  # of all people, also of those not released
            return self._hits(run, scenario, rows, known, error)
        return self._hits(run, scenario.holding(rows), np.arange(len(rows)), known, error)

    def held(self, people: Held) -> list[Ints]:
        """The rows that each of several intruders holds: disjoint tenths, or all people."""
        everybody = np.sort(self.scenario.pair.originals)
        if people == "all":
            return [everybody]
        size = max(len(everybody) // 10, 1)
        by_content = self.people[np.argsort(self.scenario.pair.original_order[self.people])]
        drawn = stream(self.scenario.seed, "audit", "tenths").permutation(by_content)
        parts = range(0, min(TENTHS, len(drawn) // size) * size, size)
        return [np.sort(drawn[start : start + size]) for start in parts]

    def _hits(
        self, run: AttackRun, scenario: Scenario, people: Ints, known: int, error: float
    ) -> Floats | None:
        records, allowed = scenario.intruder.records, 0.0 if run.blind else error
        intruder = msgspec.structs.replace(run.intruder, records=records, error=allowed)
        with suppress(UnveilError):
            attack = SampledAttack(replace(run, intruder=intruder), scenario, people)
            return hits(attack.links(self.order[:known]))
        return None

    def _stale(self, error: float) -> Scenario:
        """The scenario with this share of the known cells out of date."""
        if not error:
            return self.scenario
        if error not in self.files:
            pair, seed = self.scenario.pair, self.scenario.seed
            stale = stale_cells(pair.original, self.order, error, pair.original_order, seed)
            self.files[error] = replace(self.scenario, pair=replace(pair, original=stale))
        return self.files[error]


def _surface(
    attacks: RepeatedAttacks,
    runs: Sequence[AttackRun],
    places: Sequence[SurfacePlace],
    progress: Progress,
) -> tuple[KnowledgePoint, ...]:
    """The best attack at each place, by intruders who look for the rows of people they know."""
    points, before = list[KnowledgePoint](), greedy_tries(len(attacks.order))
    for done, place in enumerate(places):
        progress(before + done, before + len(places))
        name, found = _best_attack(attacks, runs, place)
        if not len(found):  # what is known, or its errors, hide all that varied
            continue
        share, interval = attacks.share(found)
        before_it = (one for one in points if one.error == place.error)  # fewer people come first
        smaller = [one.share for one in before_it if one.known <= place.known]
        points.append(
            KnowledgePoint(
                **place._asdict(),
                attack=name,
                share=share,
                interval=interval,
                n=len(found),
                highest=max([share, *smaller]),
            )
        )
    return tuple(points)


def _best_attack(
    attacks: RepeatedAttacks, runs: Sequence[AttackRun], place: SurfacePlace
) -> tuple[str, Floats]:
    """The attack that links most at a place, and its hits: an intruder chooses; empty for none.

    Records held together are also matched one to one, by the attack that links most of them alone.
    """
    people, known, error = place
    made = [(run, attacks.alone(run, known, error)) for run in runs]
    alone = [(run, found) for run, found in made if found is not None]
    if not alone:
        return "", np.zeros(0)
    run, found = max(alone, key=lambda one: attacks.share(one[1]).share)
    if people == "one":
        return run.name, found
    with suppress(UnveilError):  # an attack may link record by record only
        matching = replace(run, spec=msgspec.structs.replace(run.spec, matching="one-to-one"))
        held = attacks.held(people)
        tried = [attacks.together(matching, rows, known, error) for rows in held]
        if any(one is None for one in tried) or not held:
            return run.name, found
        rows, matched = np.concatenate(held), np.concatenate(cast("list[Floats]", tried))
        same = found[np.isin(attacks.people, rows)], matched[np.isin(rows, attacks.people)]
        if attacks.share(same[1]).share > attacks.share(same[0]).share:
            return matching.name, matched
    return run.name, found
