"""Audit a release: attack it, measure it, hold it against a policy, and leave evidence."""

import hashlib
import os
import platform
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any, cast

import msgspec

from unveil import __version__
from unveil.attacks import Attack
from unveil.errors import DataError, FileError, UnveilError, UsageError
from unveil.files.checkpoints import CheckpointFolder
from unveil.files.documents.evidence import ROW, write_evidence, write_records
from unveil.files.documents.toml import as_policy
from unveil.files.locations import as_path, check_outputs, locate
from unveil.support.arrays import Floats
from unveil.table.schema import Schema
from unveil.values.release.plan import check_seed
from unveil.values.results.evidence import FORMAT, Audit, Evidence, Finding, LeftOut
from unveil.values.results.knowledge import AttributeRisks, Knowledge, NoisyKnowledge
from unveil.values.results.policy import Policy
from unveil.values.results.remedies import Remasking, Remedies
from unveil.workflows.auditing.attack_names import attack_from, plain_spec
from unveil.workflows.auditing.attack_runs import (
    AttackResults,
    AttackRun,
    WorkBudget,
    default_attacks,
    finding,
    tasks_of,
    too_large,
)
from unveil.workflows.auditing.attribute_ablation import attribute_risks
from unveil.workflows.auditing.checkpoints import Checkpoints, said_once
from unveil.workflows.auditing.inputs import AuditInputs, case_of
from unveil.workflows.auditing.intruder_file import file_tasks
from unveil.workflows.auditing.knowledge_sweep import knowledge, noisy_knowledge, winner
from unveil.workflows.auditing.measured_results import ASSESSED, assess
from unveil.workflows.auditing.memory_limit import fitting
from unveil.workflows.auditing.policy_check import judge
from unveil.workflows.auditing.remasking import remasked
from unveil.workflows.auditing.remedies import remedies
from unveil.workflows.auditing.settings import AuditSettings
from unveil.workflows.auditing.worst_case import LEARNT, worst_cases

SOFTWARE = ("numpy", "polars", "numba", "scipy", "scikit-learn", "msgspec")


def audit(
    original: Any,
    release: Any,
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    attacks: Iterable[Attack | str] | None = None,
    truth: Any = None,
    policy: Policy | str | os.PathLike[str] | None = None,
    seed: int = 0,
    **settings: Any,
) -> Audit:
    """Attack a release as an intruder would, and say what that gained and what masking cost.

    Parameters
    ----------
    original, release
        Paths, frames or Microdata; the release may be a :class:`~unveil.Release`.
    schema
        What the columns are, for paths and frames; at least one is a quasi-identifier.
    attacks
        Specs of :mod:`unveil.attacks` or their names ("rank-max"); if not given, those that
        fit the data. Each is made in both directions.
    truth
        Which released row is whose, as for :func:`unveil.attack`; "none" where every row is
        made up. A Release knows it already.
    policy
        Limits that the release must keep, or their TOML file.
    seed
        Of what is drawn.
    **settings
        Fields of :class:`~unveil.workflows.auditing.settings.Settings`: `knows`, `plan`, `rename`,
        `intruder_file`, `worst_case`, `halves`, `evidence`, `seconds`, `exact`, `memory` and so on.

    Examples
    --------
    >>> import unveil
    >>> sample = unveil.households(100, seed=7)
    >>> release = unveil.mask(sample, [unveil.masks.RankSwapping(p=5)], seed=7)
    >>> limits = unveil.Policy(max_risk=0.05)
    >>> quick = {"remedies": False, "worst_case": False}
    >>> found = unveil.audit(sample, release, policy=limits, attacks=["rank-max"], **quick)
    >>> found.verdict.passed
    False
    >>> found.worst.risk.n
    100
    """
    asked, limits = AuditSettings(**settings).resolved(), as_policy(policy)
    seed = check_seed(seed)
    specs = None if attacks is None else [attack_from(one) for one in _listed(attacks)]
    if asked.evidence is not None:
        as_path(asked.evidence)  # which refuses what is no path
    given = (original, release, schema, truth, policy)
    others = (settings.get(name) for name in ("plan", "release_schema", "intruder_file"))
    inputs, tables = (*given, *others), [asked.per_record]
    check_outputs([asked.evidence], inputs, force=asked.force, tables=tables)
    if asked.per_record is not None:  # whose columns are called so
        try:
            locate(asked.per_record).check_columns([ROW, "distance original-to-release"])
        except DataError as error:
            error.or_else("or write the risk of each record as CSV or Parquet")
            raise
    case = case_of(original, release, schema, truth, asked, seed)
    return AuditRun(case, asked, limits, specs).run()


@dataclass(frozen=True, repr=False, eq=False)
class AuditRun:
    """One audit: its steps in order."""

    case: AuditInputs
    settings: AuditSettings
    policy: Policy | None
    specs: list[Attack] | None
    sizes: dict[str, int] | None = None  # of the samples, where these are given

    def run(self) -> Audit:
        """Do all steps, and make evidence of what they found."""
        specs, left_out = self._attacks()
        tasks = tasks_of(specs, self.case.both, self.case.known, self.case.channel)
        limit, asked = self.settings.bytes, self.specs is not None
        tasks, more = fitting(tasks, self.case.both, limit, asked=asked)
        if self.case.file is not None:
            own, too_many = fitting(
                file_tasks(self.case.file, self.specs), self.case.file.both, limit, asked=asked
            )
            tasks, more = tasks + own, more + too_many
        steps = Checkpoints(
            len(tasks) + self._more_steps() + ASSESSED,
            progress=self.settings.progress,
            unfinished=self._unfinished(),
        )
        try:
            with said_once():
                found = self._found(self._attack(tasks, left_out + more, steps), steps)
            self._write(found)
        except FileError:
            raise
        except UnveilError:  # it would come again: there is nothing to go on with
            steps.finish()
            raise
        steps.finish()
        return found

    def _found(self, attacked: AttackResults, steps: Checkpoints) -> Audit:
        """Everything else, and the evidence."""
        swept, attacked = self._sweep(attacked, steps)
        worst = attacked.worst()
        blind = attacked.worst(lambda task: task.blind)
        again, again_each = self._remask(worst, steps)
        noisy = self._err(blind, steps)
        by_attribute = self._leave_out(blind, attacked, swept, steps)
        case, settings = self.case, self.settings
        learnt, not_learnt = worst_cases(case, steps) if settings.worst_case else ((), ())
        evidence = Evidence(
            format=FORMAT,
            version=__version__,
            software=_software(),
            inputs=case.inputs,
            truth=case.truth,
            schema=case.both.original.schema.to_dict(),
            plan=None if case.plan is None else case.plan.to_dict(),
            seed=case.scene.seed,
            settings=settings.to_dict(),
            asked=None if self.specs is None else [plain_spec(spec) for spec in self.specs],
            policy=None if self.policy is None else self.policy.to_dict(),
            records=len(case.both.original),
            released=len(case.both.release),
            pairs=None if case.both.rows is None else len(case.both.released),
            known=case.known,
            identifiers=case.identifiers,
            verdict=None,
            attacks=attacked.findings,
            left_out=(*attacked.left_out, *not_learnt),
            knowledge=swept,
            noisy_knowledge=noisy,
            remasking=again,
            attribute_risks=by_attribute,
            remedies=self._remedy(blind, attacked, by_attribute, steps),
            worst_cases=learnt,
            **assess(case, attacked, steps, settings),
        )
        if self.policy is not None:
            verdict = judge(self.policy, evidence)
            evidence = msgspec.structs.replace(evidence, verdict=verdict)
        return Audit(evidence, {**attacked.columns(), **again_each})

    def _attacks(self) -> tuple[list[Attack], list[LeftOut]]:
        """Those that were asked for; else those that fit, and those that would take too long."""
        case = self.case
        if case.both.rows is None:  # nobody's row is there to be found
            if self.specs is not None:
                raise UsageError("attacks: the rows of this release are nobody's: leave them out")
            return [], []
        if self.specs is not None:
            return self.specs, []
        told = case.channel is not False
        specs = default_attacks(case.both, case.known, told=told)
        return specs, too_large(case.both, case.known, specs, told=told)

    def _attack(
        self, tasks: list[AttackRun], left_out: list[LeftOut], steps: Checkpoints
    ) -> AttackResults:
        """Make every attack; of the default ones those that can be made."""
        found, refused = [], dict[bool, UnveilError]()
        for task in tasks:
            work = partial(
                finding,
                task,
                self.case.scene_of(task),
                self._budget(task.step),
                people=self.case.file.people if task.by_file and self.case.file else None,
            )
            try:
                made, each = steps.do_each(task.step, Finding, work)
                found.append((task, made, cast("Floats", each)))
            except UnveilError as error:
                if self.specs is not None:
                    raise
                why = str(error)
                left_out.append(
                    LeftOut(name=task.name, direction=task.intruder.direction, reason=why)
                )
                refused.setdefault(task.by_file, error)
        used = {task.by_file for task, _, _ in found if task.intruder.knows}
        for by_file, why_not in refused.items():
            if by_file not in used:
                raise why_not  # what is known could not be used by anybody
        there = None if self.case.file is None else self.case.file.there
        return AttackResults(found, tuple(left_out), there)

    def _sweep(
        self, attacked: AttackResults, steps: Checkpoints
    ) -> tuple[Knowledge | None, AttackResults]:
        """The risk against what is known; the worst that can be is one attack more."""
        task, scene = attacked.worst(self.case.is_quick), self.case.scene
        if task is None or not self.settings.sweep:
            return None, attacked
        every = set(task.intruder.knows or ())
        chooser = attacked.worst(lambda one: one.blind and set(one.intruder.knows or ()) == every)
        found = steps.do(
            "knowledge", Knowledge, lambda told: knowledge(task, chooser or task, scene, told)
        )
        for worst in (winner(task, found), winner(chooser or task, found)):
            with suppress(UnveilError):  # one that knows the mask needs attributes that were masked
                if worst not in (task, chooser):
                    work = partial(finding, worst, scene, self._budget(worst.step))
                    made, each = steps.do_each(worst.step, Finding, work)
                    attacked = attacked.also(worst, made, cast("Floats", each))
                return msgspec.structs.replace(found, worst=attacked.risk_of(worst)), attacked
        return found, attacked

    def _err(self, task: AttackRun | None, steps: Checkpoints) -> NoisyKnowledge | None:
        if task is None or not self.settings.errors:
            return None
        return steps.do(
            "noisy knowledge",
            NoisyKnowledge,
            lambda told: noisy_knowledge(task, self.case.scene, self.settings.errors, told),
        )

    def _remask(
        self, task: AttackRun | None, steps: Checkpoints
    ) -> tuple[Remasking | None, dict[str, Floats]]:
        plan, runs = self.case.plan, (self.sizes or {}).get("seeds", self.settings.remask)
        if task is None or plan is None or not runs:
            return None, {}
        found, each = steps.do_each(
            "masking again",
            Remasking | None,
            lambda told: remasked(
                task, self.case.scene, plan, runs, told, budget=self._budget("masking again")
            ),
        )
        return found, {} if each is None else {"masked again": each}

    def _leave_out(
        self,
        task: AttackRun | None,
        attacked: AttackResults,
        swept: Knowledge | None,
        steps: Checkpoints,
    ) -> AttributeRisks | None:
        """Which attributes carry the risk from an attack that knows no mask."""
        if task is None or not self.settings.sweep:
            return None
        work = partial(
            attribute_risks,
            task,
            self.case.scene,
            every=attacked.compared(task),
            worst=() if swept is None else swept.steps[-1].attributes,
        )
        return steps.do("attributes", AttributeRisks | None, work)

    def _remedy(
        self,
        task: AttackRun | None,
        attacked: AttackResults,
        by: AttributeRisks | None,
        steps: Checkpoints,
    ) -> Remedies | None:
        """What would help against the same attack."""
        if task is None or not self.settings.remedies:
            return None
        work = partial(
            remedies,
            task,
            self.case.scene,
            every=attacked.compared(task),
            known=self.case.known,
            tells=None if by is None else by.without[0].attribute,
        )
        return steps.do("remedies", Remedies | None, work)

    def _more_steps(self) -> int:
        """The most steps beside the attacks and the measures that are always made."""
        settings = self.settings
        again = self.case.plan is not None and settings.remask > 0
        tried = settings.remedies + settings.halves + settings.worst_case * LEARNT
        return 3 * settings.sweep + bool(settings.errors) + again + tried

    def _budget(self, step: str) -> WorkBudget:
        """How much work a step may take, or how large its sample is."""
        seconds = None if self.settings.exact else self.settings.seconds
        return WorkBudget(seconds, None if self.sizes is None else self.sizes.get(step))

    def _write(self, found: Audit) -> None:
        settings = self.settings
        if settings.evidence is not None:
            write_evidence(found.evidence, settings.evidence, force=settings.force)
        if settings.per_record is not None:
            write_records(found, settings.per_record, force=settings.force)

    def _unfinished(self) -> CheckpointFolder | None:
        """Where finished steps are kept, if anywhere, under the name of this very audit."""
        if self.settings.evidence is None:
            return None
        rows = self.case.both.rows
        job = {
            "version": __version__,
            "inputs": self.case.inputs,
            "truth": self.case.truth,
            "rows": None if rows is None else hashlib.sha256(rows.tobytes()).hexdigest(),
            "software": _software(),
            "schemas": [
                data.schema.to_dict() for data in (self.case.both.original, self.case.both.release)
            ],
            "plan": None if self.case.plan is None else self.case.plan.to_dict(),
            "settings": self.settings.to_dict(),
            "asked": None if self.specs is None else [plain_spec(spec) for spec in self.specs],
            "seed": self.case.scene.seed,
        }
        key = hashlib.sha256(msgspec.json.encode(job, order="deterministic")).hexdigest()
        folder = f"{os.fspath(self.settings.evidence)}.unfinished"
        return CheckpointFolder(folder, key, resume=self.settings.resume)


def _software() -> dict[str, str]:
    """The versions of what numbers may depend on."""
    return {"python": platform.python_version(), **{name: version(name) for name in SOFTWARE}}


def _listed(attacks: Any) -> list[Any]:
    if isinstance(attacks, str | Attack) or not isinstance(attacks, Iterable):
        raise UsageError("attacks: a list of attacks, or of their names")
    listed = list(attacks)
    if not listed:
        raise UsageError("attacks: name at least one, or leave it out for those that fit the data")
    return listed
