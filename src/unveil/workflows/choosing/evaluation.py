"""One evaluation: carry out a plan, measure its loss, and attack it as far as it takes.

Risk is a maximum over attacks, so an attack can only add to it. Cheap attacks come first; a plan
that these already link more than a fully attacked one that loses no more is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from unveil.engines.select import AUTO
from unveil.errors import UnveilError, errors_at
from unveil.files.documents.toml import mask_from
from unveil.measures.information_loss.uses.reference import UseReference
from unveil.support.seeds import stream
from unveil.support.work import Effort
from unveil.table.microdata import Microdata
from unveil.values.disclosure_scenario import STRESS_TEST
from unveil.values.file_pair import FilePair
from unveil.values.release.plan import SEED_BITS, Plan
from unveil.values.release.release import Release
from unveil.values.results.policy import Limit, Policy
from unveil.values.results.study import Stage, TriedPlan
from unveil.values.search_space import Candidate, SearchSpace
from unveil.workflows.audit import AuditRun
from unveil.workflows.auditing.attack_runs import AttackRun
from unveil.workflows.auditing.inputs import AuditInputs, read_inputs
from unveil.workflows.auditing.policy.check import check_policy
from unveil.workflows.auditing.scenarios.attacks import ScenarioPlan
from unveil.workflows.auditing.scenarios.definitions import scenarios_of
from unveil.workflows.auditing.scenarios.limits import scenario_limits, use_limits
from unveil.workflows.auditing.scenarios.results import scenario_result
from unveil.workflows.auditing.scenarios.rows import plan_scenarios
from unveil.workflows.auditing.settings import AuditSettings
from unveil.workflows.choosing.limit_shares import file_limits, largest_share, measured, worst_of
from unveil.workflows.inputs.released_columns import released_columns
from unveil.workflows.inputs.truth import ROW_ORDER
from unveil.workflows.mask import mask_again

NO_WHAT_IFS: dict[str, Any] = {"sweep": False, "remedies": False, "worst_case": False, "remask": 0}
STAGES = 3  # of attacks
LOSES_TOO_MUCH = "its loss exceeds the policy"
DOMINATED = "another plan with no more loss has less risk"
NO_ATTACK = "not measured: no attack on such a release was possible"


class Incumbent(NamedTuple):
    """The risk and the loss of a plan that met every attack."""

    risk: float
    loss: float


@dataclass(frozen=True, repr=False, eq=False)
class Evaluator:
    """Evaluates plans of one original by one policy; the work on the original is done once."""

    original: Microdata
    policy: Policy
    space: SearchSpace
    seed: int
    effort: Effort = "quick"
    engine: str = AUTO

    def plan(self, candidate: Candidate, repetition: int = 0) -> Plan:
        """The plan of a candidate, with the seed of one repetition: the same for all candidates."""
        masks = tuple(mask_from(table) for table in self.space.tables(candidate))
        return Plan(masks, seed=self._seed("masking", repetition))

    def _seed(self, purpose: str, repetition: int) -> int:
        rng = stream(self.seed, "choose", purpose, str(repetition))
        return int(rng.integers(0, 2**SEED_BITS - 1))

    def check(self) -> None:
        """Refuse a policy that does not fit the original: no plan could be judged by it."""
        with errors_at("policy"):
            self._uses  # noqa: B018 - which are checked when they are made
        released = released_columns(self.original, Plan((), seed=0))
        settings = AuditSettings(effort=self.effort, engine=self.engine, **NO_WHAT_IFS)
        inputs = read_inputs(self.original, released, None, ROW_ORDER, settings, self.seed)
        scenarios_of(inputs, self.policy)

    def evaluate(
        self,
        number: int,
        candidate: Candidate,
        incumbents: Sequence[Incumbent] = (),
        *,
        repetition: int = 0,
    ) -> TriedPlan:
        """The risk and the loss of a candidate; attacks stop where an incumbent dominates it."""
        tried = TriedPlan(
            number=number, candidate=candidate, masks=self.space.tables(candidate), stage="refused"
        )
        try:
            plan = self.plan(candidate, repetition)
            release = mask_again(self.original, plan)
            if len(release.data) == 0:
                return msgspec.structs.replace(tried, note="no record is left")
            return self._measure(tried, release, incumbents, repetition)
        except UnveilError as error:
            return msgspec.structs.replace(tried, note=str(error))

    def _measure(
        self, tried: TriedPlan, release: Release, incumbents: Sequence[Incumbent], repetition: int
    ) -> TriedPlan:
        loss, uses, limits = self._loss(release)
        tried = msgspec.structs.replace(tried, stage="dropped", loss=loss, uses=uses, limits=limits)
        if repetition == 0 and not all(one.kept for one in limits):
            return msgspec.structs.replace(tried, note=not_measured(limits) or LOSES_TOO_MUCH)
        stage: Stage = "attacked"
        note, rivals = "", [one.risk for one in incumbents if one.loss <= loss]
        limits = worst_of(limits, self._not_measured)
        for part in self._attacks(release, repetition):
            limits = worst_of(limits, part)
            if rivals and min(rivals) < largest_share(measured(limits)):
                stage, note = "dropped", DOMINATED
                break
        else:
            if note := not_measured(limits):
                stage = "dropped"
        risk = largest_share(measured(limits) if note == DOMINATED else limits)
        return msgspec.structs.replace(tried, stage=stage, note=note, risk=risk, limits=limits)

    @cached_property
    def _not_measured(self) -> tuple[Limit, ...]:
        """The limits of every intruder, as long as no attack was made."""
        return tuple(
            msgspec.structs.replace(one, reason=NO_ATTACK)
            for one in scenario_limits(self.policy, ())
        )

    def _loss(self, release: Release) -> tuple[float, dict[str, float], tuple[Limit, ...]]:
        """The overall loss, that of each use, and the limits on them."""
        losses = self._uses.losses(FilePair.of(self.original, release.data, release.row_map))
        uses = {one.name: 1.0 if one.value is None else one.value for one in losses}
        overall, allowed = max(uses.values(), default=0.0), self.policy.max_loss
        limits = tuple(use_limits(self.policy, losses))
        if allowed is not None:
            kept, reason = overall <= allowed, "the largest loss of a use"
            limits += (
                Limit(limit="max_loss", allowed=allowed, found=overall, kept=kept, reason=reason),
            )
        return overall, uses, limits

    @cached_property
    def _uses(self) -> UseReference:
        """The uses of the original, computed once for all plans."""
        return UseReference(self.original, self.policy.use or None, seed=self.seed)

    def _attacks(self, release: Release, repetition: int) -> Iterator[tuple[Limit, ...]]:
        """The limits as each group of attacks leaves them, the cheapest first."""
        settings = AuditSettings(effort=self.effort, engine=self.engine, **NO_WHAT_IFS)
        inputs = read_inputs(
            self.original, release.shuffled(), None, None, settings, self._seed("audit", repetition)
        )
        rows = self._limited_rows(inputs, settings)
        for stage in range(STAGES):
            for row in rows:
                runs = tuple(run for run in row.runs if _stage(run, row.runs) == stage)
                if runs or not (row.runs or stage):  # without any, why there is none
                    result = scenario_result(replace(row, runs=runs), inputs, settings, _silent)
                    yield tuple(scenario_limits(self._only(row.scenario.name), (result,)))
        if self._of_the_file is not None:
            run = AuditRun(inputs, settings, self._of_the_file, None, rows=())
            yield check_policy(self._of_the_file, run.run().evidence).limits

    def _limited_rows(self, inputs: AuditInputs, settings: AuditSettings) -> list[ScenarioPlan]:
        limits = {one.name: one.limits for one in self.policy.intruder if one.limits}
        plans = plan_scenarios(inputs, self.policy, settings, None, None, limits)
        return [replace(one, limits=limits[one.scenario.name]) for one in plans]

    @cached_property
    def _of_the_file(self) -> Policy | None:
        """The limits that no intruder has but the stress test; None if there are none."""
        limits = {name: getattr(self.policy, name) for name in file_limits(self.policy)}
        stress = tuple(one for one in self.policy.intruder if one.name == STRESS_TEST)
        return Policy(**limits, intruder=stress) if limits or stress else None

    def _only(self, name: str) -> Policy:
        """The policy of one intruder alone."""
        return Policy(intruder=tuple(one for one in self.policy.intruder if one.name == name))


def not_measured(limits: Sequence[Limit]) -> str:
    """The first limit without a figure and the reason; empty if every limit has one."""
    found = (one for one in limits if one.found is None)
    return next(
        (f"{one.scenario or one.use} {one.limit}: {one.reason}".strip() for one in found), ""
    )


def _stage(run: AttackRun, runs: Sequence[AttackRun]) -> int:
    """When an attack is made: the first blind one, then those that know the mask, then the rest."""
    if not run.blind:
        return 1
    first = next(one for one in runs if one.blind)
    return 0 if run is first else 2


def _silent(done: int, total: int) -> None:
    """Progress without output."""
