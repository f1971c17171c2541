"""What an audit says beside its attacks: disclosure, uniqueness, subgroups, loss."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from unveil.attacks import Compatible
from unveil.errors import UnveilError
from unveil.measures import (
    by_subgroup,
    classical_score,
    compatible_rows,
    diversity,
    every_subgroup,
    household_hits,
    interval_disclosure,
    linked_disclosure,
    loss,
    population_risk,
    record_risks,
    release_uniqueness,
    sampling_fraction,
    shapes,
    unchanged,
    wilson,
)
from unveil.measures.identity.subgroups import SMALLEST_GROUP, Subgrouping
from unveil.support.arrays import Ints
from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.microdata import Microdata
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Intruder
from unveil.values.results.disclosure import (
    CompatibleRows,
    Diversity,
    GroupMean,
    HouseholdHits,
    Inference,
    IntervalDisclosure,
    PopulationRisk,
    ReleaseUniqueness,
    Unchanged,
)
from unveil.values.results.knowledge import Halves
from unveil.values.results.loss import Loss, Shape
from unveil.values.results.risk import Interval
from unveil.values.results.subgroups import GroupRisk, RecordRisks, Subgroups
from unveil.workflows.auditing.attack_runs import AttackResults, AttackRun, coarser, fitted_by
from unveil.workflows.auditing.checkpoints import Checkpoints
from unveil.workflows.auditing.half_linkage import linked_halves
from unveil.workflows.auditing.inputs import AuditInputs
from unveil.workflows.auditing.settings import AuditSettings

ASSESSED = 10  # steps, and the halves where they are asked for


def assess(
    case: AuditInputs, attacked: AttackResults, steps: Checkpoints, settings: AuditSettings
) -> dict[str, Any]:
    """Every measure that is not one attack's, by its name in the evidence."""
    both, seed = case.both, case.scene.seed
    people = both.original
    groupings = every_subgroup(people)
    keys = both.with_role("quasi") or case.known  # whatever the intruder is said to know
    found: dict[str, Any] = {
        "intervals": steps.do(
            "interval disclosure",
            IntervalDisclosure | None,
            lambda _: interval_disclosure(both, seed=seed),
        ),
        "uniqueness": steps.do(
            "uniqueness", ReleaseUniqueness | None, lambda _: release_uniqueness(both, keys)
        ),
        "diversity": steps.do(
            "diversity", tuple[Diversity, ...], lambda _: diversity(both.release, keys)
        ),
        "compatible": steps.do(
            "compatible rows", CompatibleRows | None, lambda _: _compatible(case)
        ),
        "unchanged": steps.do("unchanged columns", Unchanged, lambda _: unchanged(both)),
        "inference": steps.do(
            "inference", tuple[Inference, ...], lambda _: _inference(case, attacked)
        ),
        "loss": steps.do("loss", Loss, lambda _: loss(both, groupings=groupings, seed=seed)),
        "shapes": steps.do("shapes", tuple[Shape, ...], lambda _: shapes(both)),
        "record_risks": steps.do(
            "risks of records", RecordRisks | None, lambda _: _record_risks(attacked)
        ),
    }
    told = steps.do(
        "population", PopulationRisk | str | None, lambda _: _population(case, found["uniqueness"])
    )
    found["population"] = None if isinstance(told, str) else told
    found["sampling_fraction"] = _sampling(people)
    found["notes"] = (*case.notes, told) if isinstance(told, str) else case.notes
    if both.original.schema.with_role("household") and attacked.found and not attacked.in_full:
        why = "of no household: every attack was made on a sample (--exact makes them on all)"
        found["notes"] += (f"the risk is told {why}",)
    found["halves"], why_not = _halves(both, settings, steps, seed)
    found["notes"] += why_not
    found["subgroups"] = _group_risks(both, attacked, groupings)
    found["households"] = _households(case, attacked)
    found["score"] = _score(attacked, found)
    return found


def _halves(
    both: FilePair, settings: AuditSettings, steps: Checkpoints, seed: int
) -> tuple[Halves | None, tuple[str, ...]]:
    """Whether two halves of the attributes can be linked, where that is asked; or why not."""
    if not settings.halves:
        return None, ()
    found = steps.do(
        "halves", Halves | str, lambda told: linked_halves(both, seed, told, limit=settings.bytes)
    )
    if isinstance(found, str):
        return None, (f"one half of the attributes was not set against the other: {found}",)
    return found, ()


def _compatible(case: AuditInputs) -> CompatibleRows | None:
    """How many released rows fit each person, where some of what is known is generalised."""
    columns = fitted_by(case.both, case.known) if coarser(case.both, case.known) else ()
    if not columns:
        return None
    return compatible_rows(case.scene.links(Compatible(), Intruder(knows=columns)))


def _inference(case: AuditInputs, attacked: AttackResults) -> tuple[Inference, ...]:
    """What the worst attack's links disclose, when originals look for their rows."""
    task = attacked.worst(lambda one: case.is_quick(one) and not one.intruder.reverse)
    if task is None:
        return ()
    links = case.scene.links(task.spec, task.intruder)
    return linked_disclosure(links, case.both, seed=case.scene.seed)


def _record_risks(attacked: AttackResults) -> RecordRisks | None:
    """How the risk is spread over the records, by the worst attack and over all of them."""
    if not attacked.found:
        return None
    worst = attacked.findings[0]
    return record_risks(attacked.columns(), attack=worst.name, direction=worst.risk.direction)


def _population(case: AuditInputs, unique: ReleaseUniqueness | None) -> PopulationRisk | str | None:
    """What the weights say of the attributes in which the release is not perturbed; or why not."""
    if unique is None:
        return None
    columns = [name for name in unique.release.columns if name not in unique.perturbed]
    try:
        return population_risk(case.both.release, columns) if columns else None
    except UnveilError as error:
        return f"the risk in the population is not measured: {error}"


def _sampling(people: Microdata) -> float | None:
    try:
        return sampling_fraction(people)
    except UnveilError:  # of the weights, of which the risk in the population says it
        return None


def _group_risks(
    both: FilePair, attacked: AttackResults, groupings: Sequence[Subgrouping]
) -> Subgroups | None:
    """The risk of each subgroup, by the attack that is worst for it."""
    if not attacked.found:
        return None
    orders, own = [np.argsort(each) for _, _, each in attacked.found], attacked.in_file
    found = []
    for grouping in groupings:
        there, in_file = (
            np.bincount(grouping.codes[rows], minlength=len(grouping.names))
            for rows in (both.originals, both.originals[:0] if own is None else own)
        )
        made = [
            _of_groups(
                task,
                by_subgroup(each, grouping, order=order),
                grouping.column,
                in_file if task.by_file else there,
            )
            for (task, _, each), order in zip(attacked.found, orders, strict=True)
        ]
        # Of a few people who are in the intruder's file nothing is held against a limit.
        worst = [
            max(some, key=lambda one: (not one.small, one.highest))
            for some in zip(*made, strict=True)
        ]
        found += [one for one, many in zip(worst, there.tolist(), strict=True) if many]
    ranked = sorted(found, key=lambda one: (one.small, -one.highest))
    return Subgroups(
        groups=tuple(ranked), highest=next((one for one in ranked if not one.small), None)
    )


def _of_groups(
    task: AttackRun, means: Sequence[GroupMean], column: str, there: Ints
) -> list[GroupRisk]:
    """The risk of each group by one attack; of those not attacked anything may be true."""
    return [
        GroupRisk(
            column=column,
            group=one.name,
            attack=f"{task.name} {task.intruder.direction}",
            n=one.n,
            share=one.mean or 0.0,
            interval=wilson(min((one.mean or 0.0) * one.n, one.n), one.n, many)
            if one.n
            else Interval(0.0, 1.0, 0.95),
            small=many < SMALLEST_GROUP,
        )
        for one, many in zip(means, there.tolist(), strict=True)
    ]


def _households(case: AuditInputs, attacked: AttackResults) -> HouseholdHits | None:
    """How many households the worst attack finds somebody of, if it was made on everybody."""
    people = case.both.original
    homes = [name for name in people.schema.with_role("household") if name in people.columns]
    if len(homes) != 1 or not attacked.in_full:
        return None
    each = max(attacked.in_full, key=lambda one: one[1].risk.share)[2]
    released = ~np.isnan(each)
    return household_hits(each[released], common_cells(people, column=homes[0])[0][released])


def _score(attacked: AttackResults, found: dict[str, Any]) -> float | None:
    """The classical score, of distance-based and probabilistic linkage, where both were made."""
    linked = [_linked(attacked, name) for name in ("distance", "probabilistic")]
    intervals, lost = found["intervals"], found["loss"]["PIL"].value
    if linked[0] is None or linked[1] is None or intervals is None or lost is None:
        return None
    return classical_score(
        100 * lost,
        interval_disclosure=100 * intervals.average.by_rank[0].share,
        distance=100 * linked[0],
        probabilistic=100 * linked[1],
    )


def _linked(attacked: AttackResults, name: str) -> float | None:
    shares = [found.risk.share for task, found, _ in attacked.found if task.name == name]
    return max(shares, default=None)
