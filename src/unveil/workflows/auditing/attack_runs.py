"""The attacks of an audit: which suit the data, each within its budget, and their results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, get_args

import numpy as np

from unveil.attacks import METHODS
from unveil.attacks.base import Attack, AuditedFiles
from unveil.measures import shared_hits
from unveil.measures.identity.subgroup_risks import rare_records
from unveil.measures.identity.subgroups import Subgrouping
from unveil.support.arrays import Floats, Ints
from unveil.support.options import Progress
from unveil.support.work import CELL_SECONDS
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Direction, Intruder
from unveil.values.links import Links
from unveil.values.results.evidence import Finding, LeftOut
from unveil.workflows.auditing.attack_names import attack_name, plain_spec
from unveil.workflows.auditing.attack_summary import describe_attack
from unveil.workflows.inputs.scenario import Scenario

PILOT = 2000  # records on which the work of an attack is counted first
TOP_K = 10  # largest k of the top-k curve


@dataclass(frozen=True)
class AttackRun:
    """An attack in one direction, by an intruder who knows some attributes."""

    spec: Attack
    intruder: Intruder
    number: int = 1  # among the attacks of this name
    sweeping: bool = False  # whether it ignores attributes that it could compare
    by_file: bool = False  # whether it uses the intruder's own file

    @property
    def name(self) -> str:
        """The attack's name with its variant: rank-max.

        The second of two that differ in numbers only is rank-max-2; with fewer attributes,
        rank-max-knowing-3; with the intruder's own file, rank-max-intruder-file.
        """
        name = attack_name(self.spec)
        name = name if self.number == 1 else f"{name}-{self.number}"
        name = f"{name}-intruder-file" if self.by_file else name
        return f"{name}-knowing-{len(self.intruder.knows or ())}" if self.sweeping else name

    @property
    def label(self) -> str:
        """The name with the direction."""
        return f"{self.name} {self.intruder.direction}"

    @property
    def step(self) -> str:
        """The name of its step in the audit."""
        return f"attack {self.label}"

    @property
    def blind(self) -> bool:
        """Whether the intruder does not know how the release was masked."""
        return self.spec.knows is None

    @property
    def compares(self) -> bool:
        """Whether it compares attributes of the originals, record by record."""
        return self.spec.row_by_row and self.of_persons

    @property
    def of_persons(self) -> bool:
        """Whether it compares attributes of the originals, record by record or all together."""
        spec = self.spec
        return not self.by_file and spec.compares_attributes and not spec.links_households


def default_attacks(audited: AuditedFiles) -> list[Attack]:
    """The attacks that suit the data.

    Blind attacks come first, then those that know the masking; row order is last.
    """
    suitable = [spec for method in METHODS for spec in method.in_default_audit(audited)]
    suitable.sort(key=lambda one: (not one.compares_attributes, bool(one.knows), one.matching))
    return suitable


def generalised(pair: FilePair, known: Sequence[str]) -> tuple[str, ...]:
    """The known attributes that are generalised in the release."""
    return tuple(name for name in known if pair.release.schema[name].generalised)


def truthful_attributes(pair: FilePair, known: Sequence[str]) -> tuple[str, ...]:
    """The known attributes in which no released cell is false: they decide which rows fit."""
    return tuple(name for name in known if pair.is_truthful(name))


def attack_runs(
    specs: Sequence[Attack], pair: FilePair, known: Sequence[str], channel: Any
) -> list[AttackRun]:
    """Each attack in both directions, on the attributes that it can compare."""
    runs, names = [], list[str]()
    for spec in specs:
        names.append(attack_name(spec))
        number = names.count(names[-1])
        if not spec.compares_attributes:
            runs.append(AttackRun(spec, Intruder(), number))
            continue
        for direction in get_args(Direction):
            intruder = Intruder(
                knows=spec.comparable(pair, known) or tuple(known),
                direction=direction,
                channel=channel if spec.knows is not None else False,
            )
            runs.append(AttackRun(spec, intruder, number))
    return runs


class WorkBudget(NamedTuple):
    """The work of an attack, in estimated seconds; or the size of its sample."""

    seconds: float | None  # None: no limit
    size: int | None = None


def sample_to_budget(links: Links, budget: WorkBudget) -> Links:
    """All records if the attack fits the budget, otherwise a seeded sample that does.

    The work of a pilot is counted and scaled up to all records. A matching links all records
    together, so a sample would cost as much as the whole file.
    """
    if budget.size is not None:
        return links.sample(budget.size)
    if budget.seconds is None or not links.attack.row_by_row or len(links) <= PILOT:
        return links
    pilot = links.sample(PILOT)
    cells = max(pilot.rank_of_truth.work, 1)
    affordable = int(PILOT * (budget.seconds / CELL_SECONDS / cells - 1))
    return links.sample(affordable) if affordable > PILOT else pilot


def make_attack(
    run: AttackRun,
    scenario: Scenario,
    budget: WorkBudget,
    progress: Progress,
    *,
    groupings: Sequence[Subgrouping] = (),
    people: Ints | None = None,
) -> tuple[Finding, Floats]:
    """The result of an attack, and the risk of each original: NaN where it was not attacked.

    Where a sample is attacked, rare subgroups are attacked in full, and the last row of the risks
    has their people, too; all other results are of the sample. `people` is the original's row of
    each record of the intruder's own file, if there is one.
    """
    every = replace(scenario.links(run.spec, run.intruder), progress=progress)
    links = sample_to_budget(every, budget)
    summary = describe_attack(links, top=TOP_K)
    risks, rare = risk_per_record(links, len(scenario.original), people), every.records[:0]
    if len(links) < len(every):
        originals = _originals(every, people)
        sampled = np.flatnonzero(~np.isnan(risks))
        wanted = rare_records(groupings, sampled, originals[originals >= 0])
        rare = every.records[np.isin(originals, wanted)]
        further = risk_per_record(replace(every, records=rare), len(risks), people)
        risks = np.stack([risks, np.where(np.isnan(further), risks, further)])
    measured = (
        "risk",
        "top",
        "at_risk",
        "precision",
        "forecast",
        "details",
        "row_order",
        "reliability",
    )
    return Finding(
        name=run.name,
        spec=plain_spec(run.spec),
        **{name: getattr(summary, name) for name in measured},
        households=summary.households,
        pair_classes=None if run.sweeping else summary.pair_classes,
        sweeping=run.sweeping,
        by_file=run.by_file,
        engine=links.finder.engine,
        rare=len(rare),
    ), risks


def risk_per_record(links: Links, originals: int, people: Ints | None = None) -> Floats:
    """The risk of each original, which equal rows share; NaN where it was not attacked."""
    rows, risks = _originals(links, people), np.full(originals, np.nan)
    risks[rows[rows >= 0]] = shared_hits(links)[rows >= 0]
    return risks


def _originals(links: Links, people: Ints | None) -> Ints:
    """The original of each record; -1 where it has no true row."""
    rows = links.true_rows if links.intruder.reverse else links.records
    rows = rows if people is None else people[rows]
    return np.where(links.true_rows >= 0, rows, -1)


class AttackResult(NamedTuple):
    """One attack of an audit, what it found, and the risk of each original."""

    run: AttackRun
    finding: Finding
    per_record: Floats
    with_rare: Floats  # the same, and of a sampled attack rare subgroups in full


@dataclass(frozen=True, repr=False, eq=False)
class AttackResults:
    """The results of all attacks of an audit."""

    results: list[AttackResult]
    left_out: tuple[LeftOut, ...]
    in_file: Ints | None = None  # originals in the intruder's own file and in the release

    @property
    def _ranked(self) -> list[AttackResult]:
        return sorted(self.results, key=lambda one: (-one.finding.risk.share, one.run.step))

    @property
    def worst_result(self) -> AttackResult:
        """The result of the attack that links the largest share."""
        return self._ranked[0]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, the highest risk first."""
        return tuple(one.finding for one in self._ranked)

    @property
    def specs(self) -> dict[str, Attack]:
        """The attacks that were made, by name, but for those that ignore attributes."""
        return {one.run.name: one.run.spec for one in self.results if not one.run.sweeping}

    def worst(self, fits: Callable[[AttackRun], bool] = lambda _: True) -> AttackRun | None:
        """The worst fitting attack that compares attributes record by record."""
        runs = (one.run for one in self._ranked)
        return next((run for run in runs if run.compares and fits(run)), None)

    @property
    def worst_matchings(self) -> tuple[AttackRun, ...]:
        """The worst attack on all records together, and the worst by what is similar, blindly."""
        runs = [one.run for one in self._ranked if one.run.of_persons and not one.run.compares]
        alike = [run for run in runs if run.blind and not run.spec.undoes_masking]
        return *runs[:1], *alike[:1]

    def compared(self, run: AttackRun) -> tuple[str, ...]:
        """All attributes that an attack can compare, though a sweep may ignore some of them."""
        wanted = (run.spec, run.intruder.direction, run.number, False)
        for one in (result.run for result in self.results):
            if (one.spec, one.intruder.direction, one.number, one.sweeping) == wanted:
                return one.intruder.knows or ()
        return run.intruder.knows or ()

    @property
    def on_all_records(self) -> list[AttackResult]:
        """The attacks that compared attributes of all originals."""
        return [
            one
            for one in self.results
            if one.run.intruder.knows and not one.run.by_file and one.finding.risk.interval is None
        ]

    def share_of(self, name: str) -> float | None:
        """The highest share that the attacks of this name link; None if there is none."""
        shares = [one.finding.risk.share for one in self.results if one.run.name == name]
        return max(shares, default=None)

    def columns(self) -> dict[str, Floats]:
        """The risk of each original, by attack and direction."""
        return {one.run.label: one.per_record for one in self.results}
