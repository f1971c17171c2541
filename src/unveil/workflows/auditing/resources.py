"""The memory and the work of an audit: what fits is decided before any attack is made."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import isinf

import msgspec

from unveil.attacks.memory import matching_seconds
from unveil.errors import UsageError
from unveil.support.memory import in_units, require_memory
from unveil.support.work import (
    MASK_SECONDS,
    MEASURE_SECONDS,
    PREDICT_SECONDS,
    REMASK_SECONDS,
    REPEAT_SECONDS,
    START_SECONDS,
    duration,
    search_seconds,
)
from unveil.values.file_pair import FilePair
from unveil.values.results.evidence import LeftOut
from unveil.workflows.auditing.attack_runs import PILOT, AttackRun
from unveil.workflows.auditing.inputs import AuditInputs
from unveil.workflows.auditing.knowledge_sweep import TENTHS, greedy_tries, surface_places
from unveil.workflows.auditing.sampled_attack import CANDIDATES, CHOICE_SAMPLE
from unveil.workflows.auditing.settings import AuditSettings
from unveil.workflows.inputs.known_masking import SIMULATIONS
from unveil.workflows.mask import masks_of

ATTACKS_SHARE = 0.6  # of the work: the most that all attacks may take
ATTACK_SHARE = 0.2  # of the work: the most that one attack may take, but for the strongest
WORTH = ("posterior", "one-to-one", "nearest")  # how records are linked, the strongest first
REPEATED_SHARE = 0.05  # of the work: the most of an attack that is made many times over
SAMPLED_SHARE = 0.01  # of the work: the least that an attack on a sample may take
MOST_MATCHING = 600.0  # laptop seconds of a part of the knowledge surface
LEAST_LEARNT = 0.1  # of the work of learning: with less, a family is left out
REMEDY_STRENGTHS = 3  # of each remedy, that a bisection tries
REMEDY_LOSSES = 3  # that are measured: of the release, and mostly of two that help enough
AWARE_REMEDIES = "method-aware remedies"  # the attacks on them that know of them
HALVES_SECONDS = 60.0  # expected of two halves of the attributes
PROGRAM = 350 * 2**20  # bytes: libraries and compiled kernels
COPIES = 4  # of both tables: as read, as numbers, with errors, in parts
LESS_MEMORY = "leave such attacks out (--memory 4G), or name fewer attributes (--knows)"


def runs_in_memory(
    runs: Sequence[AttackRun], pair: FilePair, limit: int | None, *, requested: bool
) -> tuple[list[AttackRun], list[LeftOut]]:
    """The attacks that fit into the limit, and those that do not.

    One-to-one replaces a posterior that does not fit. An attack that the user requested is
    refused rather than left out, and so is an audit in which no attack on attributes fits. The
    estimate depends on the files and the attacks only, not on what else the machine does.
    """
    if limit is None:
        for run in runs:
            require_memory(memory_of(run, pair), run.name, LESS_MEMORY)
        return list(runs), []
    remedy = (
        f"more than the limit of {in_units(limit)}; raise it (--memory), name fewer attributes "
        "(--knows), or audit a sample of the release"
    )
    kept, left_out = [], []
    for run in runs:
        need = memory_of(run, pair)
        if need > limit and requested:
            raise UsageError(f"memory: {run.name} needs about {in_units(need)}, {remedy}")
        if need <= limit:
            kept.append(run)
            continue
        cheaper = run
        if run.spec.matching == "posterior":
            cheaper = replace(run, spec=msgspec.structs.replace(run.spec, matching="one-to-one"))
        replaced = memory_of(cheaper, pair) <= limit and cheaper not in runs
        kept += [cheaper] if replaced else []
        left_out.append(
            LeftOut(
                name=run.name,
                direction=run.intruder.direction,
                reason=f"it needs about {in_units(need)} of memory, more than {in_units(limit)}"
                + (f"; {cheaper.name} is made instead" if replaced else ""),
            )
        )
    compared = [run for run in runs if run.intruder.knows]
    if compared and not any(run.intruder.knows for run in kept):
        least = min(memory_of(run, pair) for run in compared)
        raise UsageError(f"memory: this audit needs about {in_units(least)}, {remedy}")
    return kept, left_out


@dataclass
class WorkPlan:
    """The steps of an audit that fit its work, the first ones first; in laptop seconds."""

    work: float  # infinite: no limit
    expected: dict[str, float] = field(default_factory=dict)  # of the steps that are made
    limits: dict[str, float] = field(default_factory=dict)  # of those that are cut short
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    parts: set[str] = field(default_factory=set)  # of the knowledge surface

    @property
    def left(self) -> float:
        """The work that no step has taken."""
        return max(self.work - sum(self.expected.values()), 0.0)

    def makes(self, step: str) -> bool:
        """Whether a step is made."""
        return step in self.expected

    def repeats(self, pair: FilePair, run: AttackRun) -> bool:
        """Whether an attack can be made many times over."""
        return run.blind or work_of(run, pair) <= REPEATED_SHARE * self.work

    def makes_again(self, run: AttackRun, pair: FilePair) -> bool:
        """Whether an attack can be made once more."""
        return work_of(run, pair) <= ATTACK_SHARE * self.work

    def limit_of_attack(self, step: str) -> float | None:
        """The most work of an attack, or of one that a sweep adds; None: no limit."""
        most = self.limits.get(step, ATTACK_SHARE * self.work)
        return None if isinf(most) else most

    def attacks(
        self,
        runs: Sequence[AttackRun],
        pair: FilePair,
        *,
        requested: bool,
        made: Container[str] | None = None,
    ) -> list[AttackRun]:
        """Plan attacks, the strongest first, and return them in the given order.

        Those that know the masking come first, among them those that undo it, then matchings of
        all records. The strongest may take as much as the whole audit: a large file must not look
        safer because it was left out.
        `made` are the steps of evidence without an effort: these are made again, and no others.
        """
        if made is not None:
            runs, requested = [run for run in runs if run.step in made], True
        kept = list[AttackRun]()
        for run in sorted(runs, key=_rank):
            strongest = not kept or run.name == kept[0].name
            if self._attack(run, pair, requested=requested, strongest=strongest):
                kept.append(run)
        return [run for run in runs if run in kept]

    def _attack(self, run: AttackRun, pair: FilePair, *, requested: bool, strongest: bool) -> bool:
        """Plan an attack: on all records, on a sample, or, if that is no cheaper, not at all."""
        left = ATTACKS_SHARE * self.work - sum(self.expected.values())
        most = min(ATTACK_SHARE * self.work, max(left, SAMPLED_SHARE * self.work))
        most = self.work if strongest else most
        seconds, least = work_of(run, pair), work_of(run, pair, records=0) - START_SECONDS
        sampled = run.spec.row_by_row and least <= most
        if not (requested or sampled or seconds <= most):
            remedy = f"--effort thorough or --attack {run.name} includes it"
            self._leave_out(run, f"it takes {duration(seconds)}; {remedy}")
            return False
        self.expected[run.step] = min(seconds, most) if sampled else seconds
        self.limits[run.step] = most
        return True

    def _leave_out(self, run: AttackRun, reason: str) -> None:
        direction = run.intruder.direction
        self.left_out.append(LeftOut(name=run.name, direction=direction, reason=reason))

    def what_if(self, step: str, seconds: float, *, requested: bool | None, does: str) -> None:
        """Plan a what-if that is made whole or, unless it is requested, not at all."""
        if requested is False:
            return
        if requested or seconds <= self.left:
            self.expected[step] = seconds
        else:
            self.notes.append(
                f"left out: {does} ({duration(seconds)}); --effort thorough includes it"
            )

    def add_part(self, part: str, seconds: float, *, requested: bool, does: str) -> None:
        """Plan a part of the knowledge surface, if there is one; the dearest matching is not."""
        too_dear = seconds > MOST_MATCHING and part != "errors"
        if not self.makes("knowledge") or not seconds:
            return
        if (requested or seconds <= self.left) and not too_dear:
            self.expected["knowledge"] += seconds
            self.parts.add(part)
        else:
            remedy = "" if too_dear else "; --effort thorough includes it"
            self.notes.append(f"left out: {does} ({duration(seconds)}){remedy}")

    def learn(self, runs: Mapping[str, AttackRun], pair: FilePair, *, requested: bool) -> None:
        """Plan the families of distances, the cheapest first; one may be learnt in part.

        What is left is shared between both directions of a family.
        """
        for name in dict.fromkeys(run.name for run in runs.values()):
            family = {step: work_of(run, pair) for step, run in runs.items() if run.name == name}
            part = min(self.left / sum(family.values()), 1.0)
            for step, seconds in family.items():
                if requested or part == 1.0:
                    self.expected[step] = seconds
                elif part >= LEAST_LEARNT:
                    self.expected[step] = self.limits[step] = part * seconds
                else:
                    reason = f"it takes {duration(seconds)}; --effort thorough includes it"
                    self._leave_out(runs[step], reason)


def _rank(run: AttackRun) -> tuple[bool, bool, int]:
    return run.blind, not run.spec.undoes_masking, WORTH.index(run.spec.matching)


def plan_what_ifs(
    plan: WorkPlan,
    runs: Sequence[AttackRun],
    inputs: AuditInputs,
    settings: AuditSettings,
    learnt: Mapping[str, AttackRun],
) -> None:
    """Plan what follows the attacks: what-ifs by a blind attack, then learning."""
    pair, n = inputs.pair, len(inputs.pair.original)
    cells = MEASURE_SECONDS * n * len(pair.original.columns)
    plan.expected["loss"] = PREDICT_SECONDS + cells
    comparing = [run for run in runs if run.compares]
    if comparing:
        blind = [run for run in comparing if run.blind] or comparing
        blind = [run for run in blind if not run.spec.costly_to_repeat] or blind
        run = max(blind, key=lambda one: work_of(one, pair))
        width, people = len(run.intruder.knows or ()), min(PILOT, n // 2 + 1)
        once = work_of(run, pair, records=people) - START_SECONDS + REPEAT_SECONDS
        part = min(CANDIDATES / max(n, 1), 1.0)
        attempts = _remedy_attempts(inputs)
        remedies = REMEDY_LOSSES * (PREDICT_SECONDS + cells * part)
        remedies += attempts * (once + n * part * REMASK_SECONDS)
        plan.what_if(
            "attributes", width * once, requested=settings.sweep, does="the risk by attribute"
        )
        _plan_knowledge(plan, run, pair, settings, once)
        plan.what_if(
            "remedies", remedies, requested=settings.remedies, does="the trial of remedies"
        )
        if inputs.channel is not False and part == 1.0 and plan.makes("remedies"):
            plan.what_if(
                AWARE_REMEDIES,
                attempts * _aware_seconds(n, people, len(inputs.known)),
                requested=settings.remedies,
                does="attacks that know the remedy",
            )
        if inputs.plan is not None:
            masking = sum(mask.seconds_per_record for mask in masks_of(inputs.plan, pair.original))
            cheap = [one for one in comparing if not one.spec.costly_to_repeat] or comparing
            again = max(work_of(one, pair) for one in cheap) + n * (REMASK_SECONDS + masking)
            plan.what_if(
                "masking again",
                min(settings.seeds * again, max(again, ATTACK_SHARE * plan.work)),
                requested=None if settings.remask is None else settings.remask > 0,
                does="masking with other seeds",
            )
        _plan_surface(plan, comparing, pair, settings)
    if settings.worst_case is not False:
        plan.learn(learnt, pair, requested=settings.worst_case is True)
    if settings.halves:
        plan.expected["halves"] = HALVES_SECONDS


def _remedy_attempts(inputs: AuditInputs) -> int:
    """How often remedies are attacked: as it is, without an attribute, and masks by strength."""
    levels = {inputs.pair.original.level(name) for name in inputs.known}
    ranked, named = levels & {"numeric", "ordinal"}, levels & {"nominal", "ordinal"}
    masks = ("numeric" in levels, ranked, named, ranked and "nominal" in levels)
    return 2 + REMEDY_STRENGTHS * sum(map(bool, masks))


def _aware_seconds(n: int, people: int, width: int) -> float:
    """About how long it takes to simulate a plan, and to link by the likelihood among all rows."""
    simulated = SIMULATIONS * n * (REMASK_SECONDS + MASK_SECONDS)
    return simulated + search_seconds(people + n, n, width, numeric=False, exact=True)


def _plan_knowledge(
    plan: WorkPlan, blind: AttackRun, pair: FilePair, settings: AuditSettings, once: float
) -> None:
    """Plan the knowledge of one person at a time, all of it exact."""
    n, width = len(pair.original), len(blind.intruder.knows or ())
    some, sweep = min(CHOICE_SAMPLE, n // 2 + 1), settings.sweep is not False
    tried = work_of(blind, pair, records=some, candidates=CANDIDATES) - START_SECONDS
    search = greedy_tries(width) * (REPEAT_SECONDS + tried)
    plan.what_if(
        "knowledge",
        search + 2 * width * once if sweep else 2 * once,
        requested=bool(settings.sweep or settings.errors) or (None if sweep else False),
        does="the knowledge sweep",
    )


def _plan_surface(
    plan: WorkPlan, runs: Sequence[AttackRun], pair: FilePair, settings: AuditSettings
) -> None:
    """Plan the rest of the knowledge surface: values out of date, a tenth of the people, all."""
    n, people = len(pair.original), min(PILOT, len(pair.original) // 2 + 1)
    repeated = [one for one in runs if plan.repeats(pair, one)] or runs
    cheap = [one for one in repeated if not one.spec.costly_to_repeat] or repeated
    run = max(cheap, key=lambda one: work_of(one, pair))
    places = partial(
        surface_places, len(run.intruder.knows or ()), sweep=settings.sweep is not False
    )
    requested = bool(settings.sweep or settings.errors)
    wrong = sum(place.error > 0 for place in places(settings.error_rates, ()))
    seconds = 2 * wrong * (work_of(run, pair, records=people) - START_SECONDS + REPEAT_SECONDS)
    plan.add_part("errors", seconds, requested=requested, does="the risk by error rate")
    errors = settings.error_rates if "errors" in plan.parts else (0.0,)
    for held, times, records, does in (
        ("tenth", TENTHS, n // 10, "the risk for an intruder with a tenth of the people"),
        ("all", 1, n, "the risk for an intruder with all people"),
    ):
        matched = work_of(run, pair, records=records) - START_SECONDS + REPEAT_SECONDS
        matched += matching_seconds(records, len(pair.release), matching="one-to-one")
        made = times * sum(place.people == held for place in places(errors, (held,)))
        plan.add_part(held, made * matched, requested=requested, does=does)


def work_of(
    run: AttackRun, pair: FilePair, *, records: int | None = None, candidates: int | None = None
) -> float:
    """About how many seconds an attack takes; on fewer records, or among fewer candidates."""
    every, others, width = _sizes(run, pair)
    records = every if records is None else min(records, every)
    candidates = others if candidates is None else min(candidates, others)
    numeric = {*(run.intruder.knows or ())} <= {*pair.plain("numeric")}
    return START_SECONDS + run.spec.work(records, candidates, width, numeric=numeric)


def memory_of(run: AttackRun, pair: FilePair) -> int:
    """About how many bytes an audit needs while it makes this attack."""
    tables = sum(len(data) * len(data.columns) * 8 for data in (pair.original, pair.release))
    return PROGRAM + COPIES * tables + run.spec.memory(*_sizes(run, pair))


def _sizes(run: AttackRun, pair: FilePair) -> tuple[int, int, int]:
    """The records, the candidates, and the compared numbers of each."""
    sizes = len(pair.original), len(pair.release)
    records, candidates = reversed(sizes) if run.intruder.reverse else sizes
    width = sum(
        1 + (name in pair.columns and pair.generalised(name)) for name in run.intruder.knows or ()
    )
    return records, candidates, width
