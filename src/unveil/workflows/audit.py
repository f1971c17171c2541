"""Audit a release: attack it, measure it, check it against a policy, and record the evidence."""

import os
from collections.abc import Container, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, cast

import msgspec
import numpy as np

from unveil.attacks import Attack
from unveil.errors import DataError, FileError, UnveilError, UsageError
from unveil.files.documents.evidence import write_evidence, write_records
from unveil.files.documents.toml import as_policy
from unveil.files.locations import as_path, check_outputs, locate
from unveil.measures import UseReference
from unveil.support.arrays import Floats
from unveil.support.options import TaskProgress
from unveil.table.schema import Schema
from unveil.values.intruder import Intruder
from unveil.values.release.plan import check_seed
from unveil.values.results.audit_frames import ROW
from unveil.values.results.disclosure import Inference
from unveil.values.results.evidence import (
    Audit,
    Evidence,
    Finding,
    LeftOut,
    UsedPlugin,
    statement_digest,
)
from unveil.values.results.knowledge import AttributeRisks, Knowledge
from unveil.values.results.policy import Policy
from unveil.values.results.remedies import Remasking, Remedies
from unveil.workflows.auditing.attack_names import attacks_from
from unveil.workflows.auditing.attack_runs import (
    AttackResult,
    AttackResults,
    AttackRun,
    WorkBudget,
    attack_runs,
    default_attacks,
    make_attack,
)
from unveil.workflows.auditing.attribute_ablation import attribute_risks
from unveil.workflows.auditing.checkpoints import (
    Checkpoints,
    checkpoint_folder,
    each_warning_once,
    finished_audit,
)
from unveil.workflows.auditing.inputs import AuditInputs, read_inputs
from unveil.workflows.auditing.intruder_file import intruder_file_runs
from unveil.workflows.auditing.knowledge_sweep import knowledge_sweep, worst_knowledge
from unveil.workflows.auditing.measured_results import measure
from unveil.workflows.auditing.policy.check import check_policy
from unveil.workflows.auditing.policy.classes import count_classes, refuse_meaningless
from unveil.workflows.auditing.population import AuditedKeys, audited_keys, plan_population
from unveil.workflows.auditing.remasking import remask
from unveil.workflows.auditing.remedies.search import RemedyAttackers, remedies
from unveil.workflows.auditing.resources import (
    AWARE_REMEDIES,
    WorkPlan,
    memory_of,
    plan_what_ifs,
    runs_in_memory,
)
from unveil.workflows.auditing.scenarios.attacks import ScenarioPlan
from unveil.workflows.auditing.scenarios.definitions import scenarios_of
from unveil.workflows.auditing.scenarios.rows import plan_scenarios, scenario_rows
from unveil.workflows.auditing.scenarios.stress_test import read_by_links, strongest_forward
from unveil.workflows.auditing.settings import AuditSettings
from unveil.workflows.auditing.statement import audit_statement, file_counts, used_plugins
from unveil.workflows.auditing.supervised_bound import supervised_bounds, supervised_runs

DEFAULTS = AuditSettings()


def audit(  # noqa: PLR0913 - the inputs of a verb, by name
    original: Any,
    release: Any,
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    attacks: Iterable[Attack | str] | None = None,
    truth: Any = None,
    policy: Policy | str | os.PathLike[str] | None = None,
    seed: int = 0,
    settings: AuditSettings = DEFAULTS,
    engine: str | None = None,
    progress: TaskProgress | None = None,
) -> Audit:
    """Attack a release as an intruder would; measure the risk, and the loss by masking.

    Parameters
    ----------
    original, release
        Paths, frames or Microdata; the release may be a :class:`~unveil.Release`.
    schema
        The roles and levels of the columns of paths and frames; at least one quasi-identifier.
    attacks
        Specs of :mod:`unveil.attacks` or their names ("rank-max"), each made in both directions.
        Default: the attacks that suit the data.
    truth
        Which released row belongs to which person, as for :func:`unveil.attack`; "none" where
        every row is synthetic. A Release knows it already.
    policy
        Limits that the release must keep, or their TOML file.
    seed
        Random seed.
    settings
        What an intruder knows, the plan, the files to write, and how much to do.
    engine
        The engine that compares the files, as for :func:`unveil.attack`; default: the settings'.
    progress
        Called with the step, how much is done, and the total.

    Examples
    --------
    >>> import unveil
    >>> sample = unveil.households(100, seed=7)
    >>> release = unveil.mask(sample, [unveil.masks.RankSwapping(p=5)], seed=7)
    >>> limits = unveil.Policy(max_risk=0.05)
    >>> quick = unveil.AuditSettings(remedies=False, worst_case=False)
    >>> result = unveil.audit(sample, release, policy=limits, attacks=["rank-max"], settings=quick)
    >>> result.verdict.passed
    False
    >>> result.worst.risk.n
    100
    """
    if not isinstance(settings, AuditSettings):
        raise UsageError(f"settings are AuditSettings, not {type(settings).__name__}")
    if engine is not None:
        settings = msgspec.structs.replace(settings, engine=engine)
    chosen, limits = settings.resolved(), as_policy(policy)
    seed = check_seed(seed)
    specs = None if attacks is None else attacks_from(attacks)
    if chosen.evidence is not None:
        as_path(chosen.evidence)  # refuses a URI
    files = (settings.plan, settings.release_schema, settings.intruder_file)
    sources = (original, release, schema, truth, policy, *files)
    check_outputs([chosen.evidence], sources, force=chosen.overwrites, tables=[chosen.per_record])
    if chosen.per_record is not None:  # the names of its columns must suit the format
        try:
            locate(chosen.per_record).check_columns([ROW, "distance original-to-release"])
        except DataError as error:
            error.or_else("or write the risk of each record as CSV or Parquet")
            raise
    inputs = read_inputs(original, release, schema, truth, chosen, seed)
    refuse_meaningless(limits, inputs)
    scenarios_of(inputs, limits)  # refuses an intruder that these files cannot have
    if limits is not None:
        UseReference(inputs.pair.original, limits.use)  # refuses a use without its columns
    return AuditRun(inputs, chosen, limits, specs, progress=progress).run()


@dataclass(frozen=True, repr=False, eq=False)
class AuditRun:
    """One audit: its steps in order."""

    inputs: AuditInputs
    settings: AuditSettings
    policy: Policy | None
    specs: list[Attack] | None
    sizes: dict[str, int] | None = None  # sample sizes of a replay, by step
    progress: TaskProgress | None = None
    made: Container[str] | None = None  # the attacks of evidence that says nothing of its effort
    rows: Container[str] | None = None  # the scenarios beside the stress test; None: all

    @cached_property
    def work(self) -> WorkPlan:
        """The steps that fit the work of the audit."""
        return WorkPlan(self.settings.work)

    def run(self) -> Audit:
        """Run all steps, and write the evidence."""
        settings = self.settings
        if settings.resume and (finished := finished_audit(settings, self._statement)):
            return replace(finished, frame_kind=self.inputs.pair.original.frame_kind)
        runs, left_out = self._attack_runs()
        for plan in self._scenarios:
            self.work.expected[plan.step] = plan.seconds
        plan_population(self.work, self._keys, self.policy)
        plan_what_ifs(self.work, runs, self.inputs, settings, supervised_runs(self.inputs)[0])
        plugins = used_plugins(
            [run.spec for run in runs],
            () if self.inputs.plan is None else self.inputs.plan.masks,
            settings.measures,
            self.inputs.scenario.engine.engine,
        )
        folder = None
        if settings.evidence is not None:
            job = self._statement | {"plugins": plugins}
            folder = checkpoint_folder(settings, self.inputs.pair, job)
        steps = Checkpoints(self.work.expected, progress=self.progress, folder=folder)
        try:
            with each_warning_once():
                result = self._steps(runs, left_out, steps, plugins)
            if settings.evidence is not None:
                write_evidence(result.evidence, settings.evidence, force=settings.overwrites)
            if settings.per_record is not None:
                write_records(result, settings.per_record, force=settings.overwrites)
        except FileError:
            raise
        except UnveilError:  # it would happen again: there is nothing to resume
            steps.finish()
            raise
        steps.finish()
        return result

    def _steps(
        self,
        runs: list[AttackRun],
        left_out: list[LeftOut],
        steps: Checkpoints,
        plugins: tuple[UsedPlugin, ...],
    ) -> Audit:
        inputs, settings = self.inputs, self.settings
        attacked = self._make_attacks(runs, left_out, steps)
        knowledge, attacked = self._sweep_knowledge(attacked, steps)
        remasking, mean_risks = self._remask(attacked.worst(), steps)
        by_attribute, remedied = self._what_ifs(attacked, knowledge, steps)
        learn = settings.worst_case is not False
        bounds, not_bounded = supervised_bounds(inputs, self.work, steps) if learn else ((), ())
        strongest = strongest_forward(attacked, self.work, inputs.pair)
        work = partial(read_by_links, strongest, inputs)
        learned = steps.run("inference", tuple[Inference, ...], work)
        confidential = inputs.pair.with_role("confidential")
        statement = self._statement
        evidence = Evidence(
            **statement,
            **file_counts(inputs),
            digest=statement_digest(statement),
            verdict=None,
            attacks=attacked.findings,
            left_out=(*attacked.left_out, *self.work.left_out, *not_bounded),
            knowledge=knowledge,
            remasking=remasking,
            attribute_risks=by_attribute,
            remedies=remedied,
            worst_cases=bounds,
            plugins=plugins,
            policy_classes=count_classes(self.policy, inputs),
            inference=tuple(one for one in learned if one.column in confidential),
            scenarios=scenario_rows(self._scenarios, inputs, settings, attacked, learned, steps),
            mask_knowledge=inputs.mask_knowledge(attacked.specs),
            **measure(inputs, attacked, steps, settings, self.work, self.policy, self._keys),
        )
        if self.policy is not None:
            verdict = check_policy(self.policy, evidence)
            evidence = msgspec.structs.replace(evidence, verdict=verdict)
        kind = inputs.pair.original.frame_kind
        return Audit(evidence, {**attacked.columns(), **mean_risks}, frame_kind=kind)

    def _what_ifs(
        self, attacked: AttackResults, knowledge: Knowledge | None, steps: Checkpoints
    ) -> tuple[AttributeRisks | None, Remedies | None]:
        """Which attributes carry the risk of the worst blind attack, and what would help."""
        risks = helps = None
        if (blind := attacked.worst(lambda run: run.blind)) is None:
            return None, None
        scenario, compared = self.inputs.scenario, attacked.compared(blind)
        if self.work.makes("attributes"):
            order = () if knowledge is None else knowledge.steps[-1].attributes
            work: Any = partial(attribute_risks, blind, scenario, compared=compared, worst=order)
            risks = steps.run("attributes", AttributeRisks | None, work)
        if self.work.makes("remedies"):  # told of the plan if there is work left for it
            pair, memory = self.inputs.pair, self.settings.bytes or np.inf
            told = self.inputs.channel if self.work.makes(AWARE_REMEDIES) else False
            direction = (attacked.worst(lambda run: not run.blind) or blind).intruder.direction
            work = partial(
                remedies,
                blind,
                scenario,
                compared=compared,
                attackers=RemedyAttackers(
                    Intruder(knows=self.inputs.known, direction=direction, channel=told),
                    attacked.worst_matchings,
                    lambda run: self.work.makes_again(run, pair) and memory_of(run, pair) <= memory,
                ),
                riskiest=None if risks is None else risks.without[0].attribute,
                policy=self.policy,
            )
            helps = steps.run("remedies", Remedies | None, work)
        return risks, helps

    def _attack_runs(self) -> tuple[list[AttackRun], list[LeftOut]]:
        """The requested attacks, else those that suit the data; and those too large for memory."""
        inputs, limit, requested = self.inputs, self.settings.bytes, self.specs is not None
        specs, left_out = self.specs or [], list[LeftOut]()
        if inputs.pair.truth is None:  # no released row belongs to anybody
            if requested:
                raise UsageError(
                    "attacks: the release is synthetic, so no attack can be made; leave them out"
                )
        elif not requested:
            specs = default_attacks(inputs.audited_files)
        specs = [one for spec in specs for one in spec.scalings(inputs.pair)]
        runs = list[AttackRun]()
        wanted = [(attack_runs(specs, inputs.pair, inputs.known, inputs.channel), inputs.pair)]
        if inputs.file is not None:
            wanted.append((intruder_file_runs(inputs.file, self.specs), inputs.file.pair))
        for of_pair, pair in wanted:
            fitting, too_large = runs_in_memory(of_pair, pair, limit, requested=requested)
            runs += self.work.attacks(fitting, pair, requested=requested, made=self.made)
            left_out += too_large
        return runs, left_out

    def _make_attacks(
        self, runs: list[AttackRun], left_out: list[LeftOut], steps: Checkpoints
    ) -> AttackResults:
        """Make every attack; a default attack that is impossible is left out."""
        results, errors, file = list[AttackResult](), dict[bool, UnveilError](), self.inputs.file
        for run in runs:
            try:
                results.append(self._make_attack(run, steps))
            except UnveilError as error:
                if self.specs is not None:
                    raise
                direction = run.intruder.direction
                left_out.append(LeftOut(name=run.name, direction=direction, reason=str(error)))
                errors.setdefault(run.by_file, error)
        compared = {one.run.by_file for one in results if one.run.intruder.knows}
        for by_file, reason in errors.items():
            if by_file not in compared:
                raise reason  # no attack could use what is known
        return AttackResults(results, tuple(left_out), None if file is None else file.in_release)

    def _make_attack(self, run: AttackRun, steps: Checkpoints) -> AttackResult:
        file = self.inputs.file if run.by_file else None
        work = partial(
            make_attack,
            run,
            self.inputs.scenario if file is None else file.scenario,
            self._budget(run.step),
            groupings=self.inputs.groupings,
            people=None if file is None else file.people,
        )
        finding, per_record = steps.run_per_record(run.step, Finding, work)
        risks = np.atleast_2d(cast("Floats", per_record))
        return AttackResult(run, finding, risks[0], risks[-1])

    def _sweep_knowledge(
        self, attacked: AttackResults, steps: Checkpoints
    ) -> tuple[Knowledge | None, AttackResults]:
        """The risk against what is known; the attack with the worst attributes is one more."""
        run = attacked.worst(partial(self.work.repeats, self.inputs.pair))
        if run is None or not self.work.makes("knowledge"):
            return None, attacked
        known = set(run.intruder.knows or ())
        chooser = attacked.worst(lambda one: one.blind and set(one.intruder.knows or ()) == known)
        chooser = chooser or run
        work = partial(
            knowledge_sweep,
            run,
            chooser,
            self.inputs.scenario,
            errors=self.settings.error_rates if "errors" in self.work.parts else (0.0,),
            held=self.work.parts,
            sweep=self.settings.sweep is not False,
        )
        knowledge = steps.run("knowledge", Knowledge, work)
        for worst in (worst_knowledge(run, knowledge), worst_knowledge(chooser, knowledge)):
            with suppress(UnveilError):  # a method-aware attack needs attributes that were masked
                if worst not in (run, chooser):
                    results = [*attacked.results, self._make_attack(worst, steps)]
                    attacked = replace(attacked, results=results)
                risk = next(one.finding.risk for one in attacked.results if one.run == worst)
                return msgspec.structs.replace(knowledge, worst=risk), attacked
        return knowledge, attacked

    @cached_property
    def _keys(self) -> AuditedKeys:  # a search measures only what its policy limits
        return audited_keys(self.inputs, self.policy, always=self.rows is None)

    @cached_property
    def _scenarios(self) -> list[ScenarioPlan]:
        parts = (self.inputs, self.policy, self.settings, self.specs, self.sizes)
        return plan_scenarios(*parts, self.rows)

    def _remask(
        self, run: AttackRun | None, steps: Checkpoints
    ) -> tuple[Remasking | None, dict[str, Floats]]:
        step, plan = "masking again", self.inputs.plan
        repeats = (self.sizes or {}).get("seeds", self.settings.seeds)
        if run is None or plan is None or not self.work.makes(step):
            return None, {}
        work = partial(remask, run, self.inputs.scenario, plan, repeats, budget=self._budget(step))
        result, per_record = steps.run_per_record(step, Remasking | None, work)
        return result, {} if per_record is None else {"masked again": per_record}

    def _budget(self, step: str) -> WorkBudget:
        seconds = None if self.settings.exact else self.work.limit_of_attack(step)
        return WorkBudget(seconds, None if self.sizes is None else self.sizes.get(step))

    @cached_property
    def _statement(self) -> dict[str, Any]:
        """How the audit is made, for the evidence and its digest."""
        return audit_statement(self.inputs, self.settings, self.policy, self.specs)
