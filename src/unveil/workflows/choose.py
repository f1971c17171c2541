"""Choose how to mask: search plans for the least loss that keeps a policy."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from hashlib import sha256
from math import ceil
from pathlib import Path
from typing import Any

import msgspec

from unveil import __version__
from unveil.engines.select import AUTO
from unveil.errors import SchemaError, UsageError
from unveil.files.documents.toml import as_policy, as_space
from unveil.files.formats.base import Format
from unveil.support.options import TaskProgress, whole_number
from unveil.support.signals import interrupt_awaited
from unveil.support.work import Effort, duration, trial_seconds
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.values.release.plan import SEED_BITS, Plan, check_seed
from unveil.values.results.choice import Choice, Confirmation, FigureOverSeeds, StudyResult
from unveil.values.results.evidence import Audit
from unveil.values.results.policy import Policy
from unveil.values.results.study import TriedPlan
from unveil.values.search_space import SearchSpace
from unveil.wording import count, listing
from unveil.workflows.audit import audit
from unveil.workflows.auditing.settings import AuditSettings
from unveil.workflows.choosing.confirmation import REPETITIONS
from unveil.workflows.choosing.decision import (
    chosen_plan,
    frontier,
    limit_costs,
    missed_limits,
    nearest_plan,
    reach,
)
from unveil.workflows.choosing.default_space import filled_space
from unveil.workflows.choosing.job import StudyJob, table_bytes, tried_plans, work_on
from unveil.workflows.choosing.limit_shares import limit_key, told_of_plans
from unveil.workflows.choosing.points import grid
from unveil.workflows.choosing.rounds import StudyProgress
from unveil.workflows.choosing.workers import further_workers
from unveil.workflows.inputs.sources import as_microdata
from unveil.workflows.mask import mask

TRIALS: dict[Effort, int] = {"quick": 24, "normal": 60, "thorough": 120}
REPEATING = "confirming on fresh seeds"
MOST, MOST_WORKERS = 100_000, 256  # trials, and processes


def choose(  # noqa: PLR0913 - the inputs of a verb, by name
    original: Any,
    *,
    policy: Policy | str | os.PathLike[str],
    schema: Schema | str | os.PathLike[str] | None = None,
    space: SearchSpace | str | os.PathLike[str] | None = None,
    effort: Effort = "normal",
    trials: int | None = None,
    seed: int = 0,
    workers: int = 1,
    study: str | os.PathLike[str] | None = None,
    engine: str = AUTO,
    format: Format | None = None,  # noqa: A002 - the word users know
    progress: TaskProgress | None = None,
) -> Choice:
    """Search plans for the least loss that keeps every limit of a policy.

    Each plan is carried out, measured and attacked by intruders who know it. The best of them are
    carried out again on fresh seeds; one that keeps its limits on nearly every seed is chosen,
    carried out once with a seed of its own, and audited.

    Parameters
    ----------
    original
        A path, a frame or Microdata.
    policy
        The limits to keep, at least one of them on risk, or their TOML file.
    schema
        The roles and levels of the columns of a path or a frame.
    space
        The masks to search, or their TOML file; default: those that suit the columns.
    effort
        quick tries 24 plans, normal 60, thorough 120; and how thorough the last audit is.
    trials
        The number of plans to try instead.
    seed
        Random seed of the search. The seed of the chosen release is drawn from the system, once
        for each study.
    workers
        Processes that work on the study at a time.
    study
        Where the study is kept: a file, or ``postgresql://HOST/DATABASE?study=NAME``. The same
        call goes on with it, and other processes may join in. It is as private as the original.
        It fixes the seed of the release: without it, or in another place, each call draws another
        one. Keep one study, and publish one release of it.
    engine
        The engine that compares files, as for :func:`unveil.attack`.
    format
        The format of the original's file, if its options matter.
    progress
        Called with the task, how much is done, and the total.

    Examples
    --------
    >>> import unveil
    >>> people = unveil.households(100, seed=7)
    >>> limits = unveil.Policy(intruder=[{"name": "acquaintance", "max_linked": 0.5}])
    >>> swap = {"method": "rank-permutation", "p": {"from": 5, "to": 50}}
    >>> space = unveil.SearchSpace(combination=[{"name": "swapping", "mask": [swap]}])
    >>> choice = unveil.choose(people, policy=limits, space=space, trials=3)
    >>> len(choice.study.tried)
    3
    """
    data, limits = as_microdata(original, schema, format=format), told_of_plans(as_policy(policy))
    undecided = [name for name in data.columns if not data.schema[name].role]
    if undecided:
        raise SchemaError(
            f"{listing(undecided)}: released columns without a role break every policy; give "
            "each a role in the schema, or remove it from the file"
        )
    whole_number(workers, "workers", 1, MOST_WORKERS)
    choosing = Choosing(
        original=data,
        policy=limits,
        space=filled_space(data, as_space(space)),
        trials=TRIALS[effort] if trials is None else trials,
        seed=check_seed(seed),
        settings=AuditSettings(effort=effort, engine=engine),
        progress=progress,
    )
    choosing.check_trials()
    if study is not None:
        return choosing.run(study, workers)
    with tempfile.TemporaryDirectory() as folder:
        return choosing.run(Path(folder) / "study.sqlite", workers)


def random_seed() -> int:
    """A random seed of a release, which cannot be repeated."""
    return secrets.randbits(SEED_BITS)


class Choosing(msgspec.Struct, frozen=True, kw_only=True):
    """One choice: the search, the confirmation, the release and its audit."""

    original: Microdata
    policy: Policy
    space: SearchSpace
    trials: int
    seed: int
    settings: AuditSettings  # of the last audit
    progress: TaskProgress | None = None
    draw_seed: Callable[[], int] = random_seed

    def check_trials(self) -> None:
        """Refuse too few, and say what one trial is."""
        if self.trials not in range(-MOST, 1):
            whole_number(self.trials, "trials", 1, MOST)
            return
        records = len(self.original)
        raise UsageError(
            f"trials: {self.trials} is too few; give 1 or more (quick tries 24, normal 60). A "
            "trial masks the file by one plan, measures its loss and attacks it: "
            f"{duration(trial_seconds(records))} of processor time for {count(records, 'record')}, "
            f"estimated; a plan that keeps the policy takes at least {REPETITIONS} more on fresh "
            "seeds"
        )

    def run(self, study: str | os.PathLike[str], workers: int = 1) -> Choice:
        """Search, confirm, carry out once, audit."""
        job = StudyJob(
            table=table_bytes(self.original),
            schema=self.original.schema.to_dict(),
            policy=self.policy.to_dict(),
            space=self.space.to_dict(),
            seed=self.seed,
            effort="quick",
            engine=self.settings.engine,
            trials=self.trials,
            place=os.fspath(study),
        )
        job.evaluator.check()
        with ExitStack() as stack:
            store = stack.enter_context(job.open())
            message = msgspec.msgpack.encode(job)
            stack.enter_context(further_workers(workers - 1, work_on, message))
            try:
                with interrupt_awaited():
                    tried = job.search(store, self._shown("trying plans"))
                    phase = stack.enter_context(job.open(confirming=True))
                    confirmed = job.confirm(phase, tried, self._shown(REPEATING, searching=False))
            except KeyboardInterrupt:  # the best so far
                tried = job.finished(store)
                with job.open(confirming=True) as phase:
                    confirmed = job.confirmed(phase, tried)
                return Choice(self._result(tried, confirmed, stopped=True), None, None)
            result = self._result(tried, confirmed)
            if (chosen := result.chosen) is None:
                return Choice(result, None, None)
            drawn = str(self.draw_seed()).encode()
            kept = store.keep_once("seed of the release", drawn)
        seed, original = sha256(kept).hexdigest()[:16], job.original_digest
        result = msgspec.structs.replace(result, study=seed, original=original)
        plan = Plan(job.evaluator.plan(result[chosen].candidate).masks, int(kept))
        try:
            with interrupt_awaited():
                return self._carry_out(plan, result)
        except KeyboardInterrupt:
            return Choice(msgspec.structs.replace(result, stopped=True), None, None)

    def _carry_out(self, plan: Plan, result: StudyResult) -> Choice:
        """Mask by the chosen plan, once, and audit the release."""
        release = mask(self.original, plan)
        audited = audit(
            self.original,
            release.shuffled(),
            policy=self.policy,
            seed=self.seed,
            settings=self.settings,
            progress=self.progress,
        )
        return Choice(_with_audit(result, audited), release, audited)

    def _shown(
        self, task: str, *, searching: bool = True
    ) -> Callable[[StudyProgress], None] | None:
        if self.progress is None:
            return None
        show = self.progress

        def tell(state: StudyProgress) -> None:
            step = f"{task}: {state.done} done, {state.under_way} under way"
            if searching:
                best = len(frontier(tried_plans(state.finished)))
                show(f"{step}, {best} on the frontier", state.done, state.total)
            else:  # most choices are made long before the last round, so time left is of this one
                rounds = max(1, ceil((state.done + state.under_way) / REPETITIONS))
                step += f", {rounds * REPETITIONS} in rounds so far, at most {state.total}"
                show(step, state.done, rounds * REPETITIONS)

        return tell

    def _result(
        self, tried: list[TriedPlan], confirmed: list[Confirmation], *, stopped: bool = False
    ) -> StudyResult:
        first, chosen = {one.candidate for one in tried}, chosen_plan(confirmed)
        nearest = nearest_plan(tried, confirmed, stopped=stopped) if chosen is None else None
        return StudyResult(
            version=__version__,
            records=len(self.original),
            trials=self.trials,
            seed=self.seed,
            policy=self.policy.to_dict(),
            space=self.space.to_dict(),
            grid=sum(one in first for one in grid(self.space)),
            tried=tuple(tried),
            frontier=tuple(one.number for one in frontier(tried)),
            chosen=chosen,
            nearest=nearest,
            missed=missed_limits(tried, confirmed, nearest),
            confirmations=tuple(confirmed),
            costs=limit_costs(tried, confirmed, chosen),
            reach=reach(tried, self.space),
            uses=tuple(next((one.uses for one in tried if one.uses), {})),
            stopped=stopped,
        )


def _with_audit(result: StudyResult, audited: Audit) -> StudyResult:
    """The figures of the chosen plan, beside those of its audit."""
    verdict = audited.verdict
    found = {} if verdict is None else {limit_key(one): one for one in verdict.limits}

    def beside(figure: FigureOverSeeds) -> FigureOverSeeds:
        limit = found.get(limit_key(figure))
        value = None if limit is None else limit.found
        number = None if isinstance(value, bool | tuple | None) else float(value)
        return msgspec.structs.replace(figure, audited=number)

    confirmed = tuple(
        msgspec.structs.replace(one, figures=tuple(map(beside, one.figures)))
        if one.number == result.chosen and one.accepted
        else one
        for one in result.confirmations
    )
    return msgspec.structs.replace(result, confirmations=confirmed)
