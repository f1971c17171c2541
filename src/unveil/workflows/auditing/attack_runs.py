"""The attacks of an audit: which fit the data, and each within its budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, get_args

import numpy as np

from unveil.attacks import (
    Attack,
    Compatible,
    Distance,
    Pairs,
    Position,
    Probabilistic,
    Rank,
    Tailored,
)
from unveil.measures import hits
from unveil.measures.disclosure.compatible_rows import truthful
from unveil.support.arrays import Floats, Ints
from unveil.support.options import Progress
from unveil.support.work import CELL_SECONDS
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Direction, Intruder
from unveil.values.links import Links
from unveil.values.results.evidence import Finding, LeftOut
from unveil.values.results.risk import Risk
from unveil.wording import count
from unveil.workflows.auditing.attack_names import attack_name, plain_spec
from unveil.workflows.auditing.attack_summary import describe_attack
from unveil.workflows.inputs.scenario import Scenario

PILOT, GROWTH = 2000, 4  # records whose work is counted first; how fast pilots grow
MATCHED = 20_000  # records up to which a matching of all of them is soon found
WEIGHTED = 5_000  # records up to which numbers are compared by levels, too
FITTED = 5_000  # records up to which an attack that knows the mask is soon fitted anew
TOP = 10  # places of the curve


@dataclass(frozen=True)
class AttackRun:
    """An attack in one direction, by an intruder who knows some attributes."""

    spec: Attack
    intruder: Intruder
    number: int = 1  # among the attacks of this name
    sweeping: bool = False  # whether attributes are left out that it could compare
    by_file: bool = False  # whether it is made with the intruder's own file

    @property
    def name(self) -> str:
        """The attack's name, with what was asked for beyond the defaults: rank-max.

        The second of two that differ in numbers only is rank-max-2; on some attributes only,
        rank-max-knowing-3; with the intruder's own file, rank-max-intruder-file.
        """
        name = attack_name(self.spec)
        name = name if self.number == 1 else f"{name}-{self.number}"
        name = f"{name}-intruder-file" if self.by_file else name
        return f"{name}-knowing-{len(self.intruder.knows or ())}" if self.sweeping else name

    @property
    def step(self) -> str:
        """What the step of an audit is called."""
        return f"attack {self.name} {self.intruder.direction}"

    @property
    def blind(self) -> bool:
        """Whether it knows nothing of how the release was masked."""
        return self.spec.knows is None

    @property
    def compares(self) -> bool:
        """Whether it looks at attributes of the originals, and decides for each by itself."""
        if self.by_file:
            return False
        return not isinstance(self.spec, Position | Pairs) and self.spec.matching == "nearest"


def default_attacks(both: FilePair, known: Sequence[str], *, told: bool) -> list[Attack]:
    """The attacks that fit the data.

    Ranks need numbers or ordered categories, Mahalanobis' distance two numbers, weights single
    values; where cells are ranges and sets, it is asked which rows fit. Whoever is told the plan
    reads it. Matchings of all records are for files that are not too large.
    """
    many = max(len(both.original), len(both.release))
    few, small = many <= WEIGHTED, many <= MATCHED
    numeric = [name for name in known if name in both.plain("numeric")]
    found: list[Attack] = [Distance()]
    if len(numeric) > 1:
        found.append(Distance(metric="mahalanobis"))
    if any(_has_ranks(both, name) for name in known):
        found += [Rank(), Rank(criterion="max")]
    plain = [name for name in known if name in both.plain()]
    if plain and (few or len(numeric) < len(plain)):  # EM's weights are for categories above all
        found.append(Probabilistic())
    if coarser(both, known):
        found.append(Compatible())
    if small:
        found.append(Distance(matching="posterior"))
    if told:
        found.append(Tailored())
    if told and small:
        found.append(Tailored(matching="posterior"))
    return [*found, Position()]


def too_large(
    both: FilePair, known: Sequence[str], attacks: Sequence[Attack], *, told: bool
) -> list[LeftOut]:
    """The default attacks that are not made on files as large as these."""
    others: list[Attack] = [Distance(matching="posterior")]
    others += [Probabilistic()] if set(known) & set(both.plain()) else []
    others += [Tailored(matching="posterior")] if told else []
    many = count(max(len(both.original), len(both.release)), "record")
    return [
        LeftOut(
            name=attack_name(spec),
            direction=direction,
            reason=f"it takes long on {many}; --attack {attack_name(spec)} makes it",
        )
        for spec in others
        if spec not in attacks
        for direction in get_args(Direction)
    ]


def coarser(both: FilePair, known: Sequence[str]) -> tuple[str, ...]:
    """The known attributes that are generalised in the release."""
    return tuple(name for name in known if both.release.schema[name].generalised)


def fitted_by(both: FilePair, known: Sequence[str]) -> tuple[str, ...]:
    """The attributes by which it can be told which rows fit: in which no released cell is false."""
    return tuple(name for name in known if truthful(both, name))


def tasks_of(
    attacks: Sequence[Attack], both: FilePair, known: Sequence[str], channel: Any
) -> list[AttackRun]:
    """Each attack in both directions, on the attributes that it can compare."""
    found, named = [], list[str]()
    for spec in attacks:
        named.append(attack_name(spec))
        number = named.count(named[-1])
        if isinstance(spec, Position | Pairs):
            found.append(AttackRun(spec, Intruder(), number))
            continue
        compared = _compared(spec, both, known)
        for direction in get_args(Direction):
            intruder = Intruder(
                knows=compared,
                direction=direction,
                channel=channel if spec.knows is not None else False,
            )
            found.append(AttackRun(spec, intruder, number))
    return found


def _compared(spec: Attack, both: FilePair, known: Sequence[str]) -> tuple[str, ...]:
    """The attributes that an attack compares: the others it leaves out."""
    kept = tuple(known)
    if isinstance(spec, Rank):
        kept = tuple(name for name in known if _has_ranks(both, name))
    if isinstance(spec, Distance) and spec.metric == "mahalanobis":
        kept = tuple(name for name in known if name in both.plain("numeric"))
    if isinstance(spec, Probabilistic):
        kept = tuple(name for name in known if name in both.plain())
    if isinstance(spec, Compatible):
        kept = fitted_by(both, known)
    return kept or tuple(known)


def _has_ranks(both: FilePair, column: str) -> bool:
    if both.generalised(column):
        return False
    hierarchies = (data.schema[column].hierarchy for data in (both.original, both.release))
    return both.level(column) != "nominal" or all(hierarchies)


class WorkBudget(NamedTuple):
    """How much work an attack may take, in estimated seconds; or the size of its sample."""

    seconds: float | None  # None: no limit
    size: int | None = None

    def shared(self, many: int) -> WorkBudget:
        """An equal share for each of so many attacks."""
        return self if self.seconds is None else self._replace(seconds=self.seconds / many)


def sample_to_budget(links: Links, budget: WorkBudget) -> Links:
    """All records if the attack fits the budget, otherwise a seeded sample that does.

    The work of a pilot, and of larger ones after it, is counted and scaled up to all records.
    A matching links all records together, so a sample would cost as much as the whole file.
    """
    if budget.size is not None:
        return links.sample(budget.size)
    if budget.seconds is None or getattr(links.attack, "matching", "nearest") != "nearest":
        return links
    left, size = budget.seconds / CELL_SECONDS, PILOT
    while size < len(links):
        pilot = links.sample(size)
        work = pilot.rank_of_truth.work
        left -= work
        if work * len(links) / size <= left:
            break
        if work * GROWTH > left:
            return pilot
        size *= GROWTH
    return links


def finding(
    task: AttackRun,
    scene: Scenario,
    budget: WorkBudget,
    told: Progress,
    *,
    people: Ints | None = None,
) -> tuple[Finding, Floats]:
    """What an attack finds, and for each original its risk: NaN where it was not attacked.

    The people are the original's row of each record of the intruder's own file, if it is one.
    """
    links = replace(scene.links(task.spec, task.intruder), progress=told)
    links = sample_to_budget(links, budget)
    found = describe_attack(links, top=TOP)
    return Finding(
        name=task.name,
        spec=plain_spec(task.spec),
        risk=found["risk"],
        top=found["top"],
        at_risk=found["at_risk"],
        precision=found["precision"],
        forecast=found["forecast"],
        details=found["details"],
        row_order=found.get("row_order"),
        sweeping=task.sweeping,
        by_file=task.by_file,
    ), risk_of_each(links, len(scene.original), people)


def risk_of_each(links: Links, originals: int, people: Ints | None = None) -> Floats:
    """For each original the chance that it is linked rightly; NaN where it was not attacked.

    The people are the original's row of each of the intruder's records, if not the same.
    """
    there = links.true_rows >= 0
    rows = (links.true_rows if links.intruder.reverse else links.records)[there]
    each = np.full(originals, np.nan)
    each[rows if people is None else people[rows]] = hits(links)[there]
    return each


@dataclass(frozen=True, repr=False, eq=False)
class AttackResults:
    """What all attacks found, and for each original its risk by each of them."""

    found: list[tuple[AttackRun, Finding, Floats]]
    left_out: tuple[LeftOut, ...]
    in_file: Ints | None = None  # the originals in the intruder's own file and in the release

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, the worst first."""
        ranked = sorted(self.found, key=lambda one: (-one[1].risk.share, one[0].step))
        return tuple(finding for _, finding, _ in ranked)

    def worst(self, fits: Callable[[AttackRun], bool] = lambda _: True) -> AttackRun | None:
        """The worst attack of some that compare attributes, each record by itself."""
        ranked = [
            (-found.risk.share, task.step, task)
            for task, found, _ in self.found
            if task.compares and fits(task)
        ]
        return min(ranked, key=lambda one: one[:2])[2] if ranked else None

    def compared(self, task: AttackRun) -> tuple[str, ...]:
        """All attributes that an attack compares, though a sweep may have left out some."""
        wanted = (task.spec, task.intruder.direction, task.number, False)
        for one, _, _ in self.found:
            if (one.spec, one.intruder.direction, one.number, one.sweeping) == wanted:
                return one.intruder.knows or ()
        return task.intruder.knows or ()

    @property
    def in_full(self) -> list[tuple[AttackRun, Finding, Floats]]:
        """The attacks on attributes that were made on everybody."""
        return [
            one
            for one in self.found
            if one[0].intruder.knows and not one[0].by_file and one[1].risk.interval is None
        ]

    def risk_of(self, task: AttackRun) -> Risk:
        """What one of the attacks found."""
        return next(found.risk for one, found, _ in self.found if one == task)

    def also(self, task: AttackRun, found: Finding, each: Floats) -> AttackResults:
        """The same with one attack more."""
        return replace(self, found=[*self.found, (task, found, each)])

    def columns(self) -> dict[str, Floats]:
        """The risk of each original, by attack and direction."""
        return {f"{task.name} {task.intruder.direction}": each for task, _, each in self.found}
