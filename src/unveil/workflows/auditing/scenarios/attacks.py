"""The attacks that suit a scenario, and how much work they may take."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from unveil.attacks.base import Attack
from unveil.table.microdata import Microdata
from unveil.values.disclosure_scenario import DisclosureScenario
from unveil.workflows.auditing.attack_runs import (
    AttackRun,
    WorkBudget,
    attack_runs,
    default_attacks,
)
from unveil.workflows.auditing.inputs import AuditInputs
from unveil.workflows.auditing.resources import WorkPlan, runs_in_memory
from unveil.workflows.auditing.scenarios.intruder_files import (
    HeldFile,
    coarse_column,
    held_file,
    most_draws,
)
from unveil.workflows.auditing.settings import AuditSettings

ROW_SHARE = 0.12  # of the work: the most that one scenario may take
MOST_DRAWS = 3  # of people or of cells that are out of date


@dataclass(frozen=True, repr=False, eq=False)
class ScenarioPlan:
    """A scenario with the attacks that are made, and what each may take."""

    scenario: DisclosureScenario
    first: HeldFile  # of the first draw
    runs: tuple[AttackRun, ...]
    work: WorkPlan
    left_out: tuple[str, ...]
    draws: int
    sizes: Mapping[str, int] | None = None  # sample sizes of a replay, by step
    given: tuple[str, ...] = ()  # what the policy sets of the intruder's knowledge
    limits: Container[str] | None = None  # what is measured: what these need; None: everything

    def measures(self, *limits: str) -> bool:
        """Whether one of these limits is to be measured, or everything is."""
        return self.limits is None or any(one in self.limits for one in limits)

    @property
    def step(self) -> str:
        """The name of its step in the audit."""
        return f"scenario {self.scenario.name}"

    @property
    def seconds(self) -> float:
        """The work that it is expected to take."""
        return sum(self.work.expected.values())

    def budget(self, run: AttackRun, *, exact: bool) -> WorkBudget:
        """The work of one attack, or the size of its sample."""
        size = None if self.sizes is None else self.sizes.get(f"{self.step} {run.step}")
        return WorkBudget(None if exact else self.work.limit_of_attack(run.step), size)


def plan_scenario(
    scenario: DisclosureScenario,
    inputs: AuditInputs,
    settings: AuditSettings,
    requested: Sequence[Attack] | None,
) -> ScenarioPlan:
    """Choose the attacks of a scenario: those requested that suit it, else those of the data."""
    held = held_file(inputs, scenario, 0)
    specs = [spec for spec in requested or () if _suits(spec, scenario)]
    named = bool(specs)
    if not named:
        known = scenario.knows or ()
        audited = inputs.audited_files._replace(
            pair=held.scenario.pair,
            known=known,
            knows_masking=bool(scenario.plan) and inputs.channel is not False,
            repeats_groups=False,
        )
        specs = [spec for spec in default_attacks(audited) if _suits(spec, scenario)]
    pair, left_out = held.scenario.pair, list[str]()
    runs = [
        held_by(run, held, scenario.error or 0.0)
        for run in attack_runs(specs, pair, scenario.knows or (), inputs.channel)
        if not run.intruder.reverse
    ]
    if scenario.coarse:
        runs, left_out = _exactly_known(runs, inputs.pair.original)
    fitting, too_large = runs_in_memory(runs, pair, settings.bytes, requested=False)
    work = WorkPlan(ROW_SHARE * settings.work)
    made = work.attacks(fitting, pair, requested=named)
    left_out += [f"{one.name}: {one.reason}" for one in (*too_large, *work.left_out)]
    draws = min(MOST_DRAWS, most_draws(inputs, scenario))
    return ScenarioPlan(scenario, held, tuple(made), work, tuple(left_out), draws)


def _exactly_known(
    runs: Sequence[AttackRun], people: Microdata
) -> tuple[list[AttackRun], list[str]]:
    """Attacks that know the mask compare exact values only: it was not applied to coarse ones."""
    kept, left_out = list[AttackRun](), list[str]()
    for run in runs:
        known = run.intruder.knows or ()
        exact = tuple(name for name in known if coarse_column(people, name) is None)
        if run.blind or len(exact) == len(known):
            kept.append(run)
        elif exact:
            kept.append(replace(run, intruder=msgspec.structs.replace(run.intruder, knows=exact)))
        else:
            left_out.append(f"{run.name}: no attribute is known exactly")
    return kept, left_out


def held_by(run: AttackRun, held: HeldFile, error: float) -> AttackRun:
    """The attack by an intruder who holds these records, and knows how many cells are wrong."""
    intruder = msgspec.structs.replace(
        run.intruder, records=held.intruder.records, error=0.0 if run.blind else error
    )
    return replace(run, intruder=intruder)


def _suits(spec: Attack, scenario: DisclosureScenario) -> bool:
    """Whether the intruder of a scenario can make an attack."""
    if not (spec.compares_attributes and spec.needs_common_attributes):
        return False
    if spec.knows is not None and (not scenario.plan or spec.knows == "original"):
        return False
    # A matching presumes that both files have the same people, and so do whole households.
    matched = spec.links_households or not spec.row_by_row
    if matched and not (scenario.together and scenario.member):
        return False
    if spec.links_households and not scenario.knows_households:
        return False
    return bool(scenario.together) or not spec.costly_to_repeat  # which needs many records
