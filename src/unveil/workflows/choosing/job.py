"""The job of a study: the inputs and the work of each process."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import msgspec
import polars as pl

from unveil import __version__
from unveil.files.studies import StudyStore, open_study
from unveil.support.work import Effort
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.values.results.choice import Confirmation
from unveil.values.results.policy import Policy
from unveil.values.results.study import TriedPlan
from unveil.values.search_space import Candidate, SearchSpace
from unveil.workflows.choosing.confirmation import (
    MOST_CONFIRMED,
    MOST_REPETITIONS,
    REPETITIONS,
    confirmation,
    expected_risk,
)
from unveil.workflows.choosing.decision import next_to_confirm
from unveil.workflows.choosing.evaluation import Evaluator, Incumbent
from unveil.workflows.choosing.limit_shares import loss_share
from unveil.workflows.choosing.rounds import Evaluated as Finished
from unveil.workflows.choosing.rounds import StudyProgress, run_rounds
from unveil.workflows.choosing.search import propose
from unveil.workflows.choosing.surrogate import Evaluated

ROUND = 6  # plans that are proposed together
CONFIRMING = "confirming"  # the phase after the search


class StudyTaskWork(msgspec.Struct, frozen=True):
    """One thing to do: evaluate a candidate on the seeds of one repetition."""

    number: int  # of the plan
    candidate: Candidate
    repetition: int = 0  # 0: the seeds of the search


class StudyJob(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The inputs of every process of a study."""

    table: bytes  # the original
    schema: dict[str, Any]
    policy: dict[str, Any]
    space: dict[str, Any]
    seed: int
    effort: Effort
    engine: str
    trials: int
    place: str  # of the study

    @property
    def original_digest(self) -> str:
        """The digest of the original."""
        return hashlib.sha256(self.table).hexdigest()

    @property
    def inputs(self) -> dict[str, str]:
        """Digests of all that the results depend on."""
        inputs: dict[str, Any] = {
            "original": self.original_digest, "schema": self.schema,
            "policy": self.policy, "space": self.space, "seed": self.seed,
            "effort": self.effort, "round size": ROUND, "version of unveil": __version__,
        }  # fmt: skip
        return {
            name: hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()
            for name, value in inputs.items()
        }

    @cached_property
    def original(self) -> Microdata:
        """The original."""
        cells, codes = msgspec.msgpack.decode(self.table, type=tuple[bytes, bytes])
        frame, of_missing = pl.read_ipc(io.BytesIO(cells)), pl.read_ipc(io.BytesIO(codes))
        schema = Schema.from_dict(self.schema)
        return Microdata.from_columns(frame, schema, {one.name: one for one in of_missing})

    @cached_property
    def evaluator(self) -> Evaluator:
        """The evaluator of plans."""
        return Evaluator(
            self.original,
            Policy(**self.policy),
            SearchSpace(**self.space),
            self.seed,
            self.effort,
            self.engine,
        )

    def open(self, *, confirming: bool = False) -> StudyStore:
        """The study, or its later phase."""
        store = open_study(self.place, phase=f"{CONFIRMING} {self.trials}" if confirming else "")
        store.begin(self.inputs)
        return store

    def search(
        self, store: StudyStore, progress: Callable[[StudyProgress], object] | None = None
    ) -> list[TriedPlan]:
        """Try plans, until there are as many as were asked for or no other is left."""
        finished = run_rounds(
            store,
            trials=self.trials,
            round_size=ROUND,
            propose=self._propose,
            evaluate=self._evaluate,
            progress=progress,
        )
        return tried_plans(finished)

    def finished(self, store: StudyStore) -> list[TriedPlan]:
        """The plans that were tried so far."""
        tasks = store.tasks()
        return tried_plans([(one.work, one.result) for one in tasks if one.result is not None])

    def confirmed(self, store: StudyStore, tried: Sequence[TriedPlan]) -> list[Confirmation]:
        """What complete rounds of repetitions said so far."""
        return confirmations(tried, self.finished(store))

    def _propose(self, finished: list[Finished], n: int) -> list[bytes]:
        tried = [
            Evaluated(
                one.candidate, expected_risk(one), one.loss, one.complete, loss_share(one.limits)
            )
            for one in tried_plans(finished)
        ]
        candidates = propose(self.evaluator.space, tried, n, seed=self.seed)
        return [
            msgspec.json.encode(StudyTaskWork(number, candidate))
            for number, candidate in enumerate(candidates, len(finished) + 1)
        ]

    def _evaluate(self, work: bytes, earlier: list[Finished]) -> bytes:
        task = msgspec.json.decode(work, type=StudyTaskWork)
        incumbents = [] if task.repetition else _incumbents(tried_plans(earlier))
        return msgspec.msgpack.encode(
            self.evaluator.evaluate(
                task.number, task.candidate, incumbents, repetition=task.repetition
            )
        )

    def confirm(
        self,
        store: StudyStore,
        tried: Sequence[TriedPlan],
        progress: Callable[[StudyProgress], object] | None = None,
    ) -> list[Confirmation]:
        """Repeat the plans that may be chosen on fresh seeds, until one is."""

        def propose_repetitions(finished: list[Finished], n: int) -> list[bytes]:
            made = confirmations(tried, tried_plans(finished))
            plan = next_to_confirm(tried, made)
            if plan is None:
                return []
            done = next((one.repetitions for one in reversed(made) if one.number == plan.number), 0)
            return [
                msgspec.json.encode(StudyTaskWork(plan.number, plan.candidate, done + place))
                for place in range(1, n + 1)
            ]

        finished = run_rounds(
            store,
            trials=MOST_CONFIRMED * MOST_REPETITIONS,
            round_size=REPETITIONS,
            propose=propose_repetitions,
            evaluate=self._evaluate,
            progress=progress,
        )
        return confirmations(tried, tried_plans(finished))


def table_bytes(data: Microdata) -> bytes:
    """A table as the processes of a study hand it on: its cells, and the codes of missing ones."""
    coded = [data.missing_code(name) for name in data.columns if data.has_missing_codes(name)]
    cells, codes = io.BytesIO(), io.BytesIO()
    data.to_frame("polars").write_ipc(cells, compression="zstd")
    pl.DataFrame(coded).write_ipc(codes, compression="zstd")
    return msgspec.msgpack.encode((cells.getvalue(), codes.getvalue()))


def tried_plans(finished: Sequence[Finished]) -> list[TriedPlan]:
    """The plans in the results of tasks."""
    return [msgspec.msgpack.decode(result, type=TriedPlan) for _, result in finished]


def confirmations(tried: Sequence[TriedPlan], repeated: Sequence[TriedPlan]) -> list[Confirmation]:
    """The confirmations, after each round of repetitions."""
    by_number, made = {one.number: one for one in tried}, list[Confirmation]()
    for end in range(REPETITIONS, len(repeated) + 1, REPETITIONS):
        number = repeated[end - 1].number
        of_plan = [one for one in repeated[:end] if one.number == number]
        made.append(confirmation(by_number[number], of_plan))
    return made


def work_on(message: bytes) -> None:
    """Work on a study beside other processes, until its choice is made."""
    job = msgspec.msgpack.decode(message, type=StudyJob)
    with job.open() as store:
        tried = job.search(store)
    with job.open(confirming=True) as store:
        job.confirm(store, tried)


def _incumbents(tried: Sequence[TriedPlan]) -> list[Incumbent]:
    return [
        Incumbent(one.risk, one.loss)
        for one in tried
        if one.complete and one.risk is not None and one.loss is not None
    ]
