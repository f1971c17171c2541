"""The measures of an audit beside its attacks: disclosure, uniqueness, subgroups, loss."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, get_type_hints

import numpy as np

from unveil import measures
from unveil.attacks import Compatible
from unveil.errors import UnveilError
from unveil.measures.identity.subgroup_risks import AttackedRecords, subgroup_risks
from unveil.table.households import households_of
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Intruder
from unveil.values.results.disclosure import CompatibleRows, HouseholdHits
from unveil.values.results.evidence import Evidence
from unveil.values.results.knowledge import Halves
from unveil.values.results.policy import Policy
from unveil.values.results.subgroups import RecordRisks, Subgroups
from unveil.workflows.auditing.attack_runs import AttackResults, generalised, truthful_attributes
from unveil.workflows.auditing.checkpoints import Checkpoints
from unveil.workflows.auditing.half_linkage import link_halves
from unveil.workflows.auditing.inputs import AuditInputs
from unveil.workflows.auditing.population import AuditedKeys, population_measures
from unveil.workflows.auditing.resources import WorkPlan
from unveil.workflows.auditing.settings import AuditSettings


def measure(
    inputs: AuditInputs,
    attacked: AttackResults,
    steps: Checkpoints,
    settings: AuditSettings,
    plan: WorkPlan,
    policy: Policy | None,
    population: AuditedKeys,
) -> dict[str, Any]:
    """Every measure that does not belong to one attack, by its name in the evidence."""
    pair, seed, notes = inputs.pair, inputs.scenario.seed, [*inputs.notes, *plan.notes]
    keys = pair.with_role("quasi") or inputs.known  # whatever the intruder may know
    kinds = get_type_hints(Evidence)
    work: dict[str, tuple[str, Callable[[], Any]]] = {
        "intervals": ("interval disclosure", lambda: measures.interval_disclosure(pair, seed=seed)),
        "uniqueness": ("uniqueness", lambda: measures.release_uniqueness(pair, keys)),
        "diversity": ("diversity", lambda: measures.diversity(pair.release, keys)),
        "compatible": ("compatible rows", lambda: _compatible(inputs)),
        "unchanged": ("unchanged columns", lambda: measures.unchanged(pair)),
        "changes": ("changed cells", lambda: measures.changed_cells(pair)),
        "loss": (
            "loss",
            lambda: measures.loss(
                pair,
                groupings=inputs.groupings,
                uses=None if policy is None else policy.use or None,
                seed=seed,
                further=settings.measures,
            ),
        ),
        "shapes": ("shapes", lambda: measures.shapes(pair, show_values=settings.show_values)),
        "record_risks": ("risks of records", lambda: _record_risks(attacked)),
    }
    measured: dict[str, Any] = {
        name: steps.run(step, kinds[name], lambda _, result=result: result())  # type: ignore[misc]
        for name, (step, result) in work.items()
    }
    measured |= {
        "sampling_fraction": None,
        "halves": None,
        "subgroups": _group_risks(inputs, attacked),
        "households": _households(pair, attacked),
    }
    measured["score"] = _score(attacked, measured)
    estimated, problem = population_measures(population, steps, plan), population.problem
    measured["in_population"] = measured["population"] = None
    if estimated is not None:
        measured["in_population"], measured["population"] = estimated
        problem = estimated.result.missing if population.has_model else ""
    if problem:
        notes.append(f"the risk in the population is not measured: {problem}")
    with suppress(UnveilError):  # the risk in the population says what is wrong with the weights
        measured["sampling_fraction"] = measures.sampling_fraction(pair.original)
    if (
        pair.original.schema.with_role("household")
        and attacked.results
        and not attacked.on_all_records
    ):
        why = "no household: every attack used a sample (--exact attacks all records)"
        notes.append(f"the risk is told {why}")
    if settings.halves:
        limit, engine = settings.bytes, inputs.scenario.engine
        halves = steps.run(
            "halves",
            Halves | str,
            lambda progress: link_halves(pair, seed, progress, limit=limit, engine=engine),
        )
        if isinstance(halves, str):
            notes.append(f"linkage between two halves of the attributes was not tested: {halves}")
        else:
            measured["halves"] = halves
    return measured | {"notes": tuple(notes)}


def _compatible(inputs: AuditInputs) -> CompatibleRows | None:
    """How many released rows fit each person, where a known attribute is generalised."""
    pair, known = inputs.pair, inputs.known
    columns = truthful_attributes(pair, known) if generalised(pair, known) else ()
    if not columns:
        return None
    return measures.compatible_rows(inputs.scenario.links(Compatible(), Intruder(knows=columns)))


def _record_risks(attacked: AttackResults) -> RecordRisks | None:
    """The distribution of the risk over the records, by the worst attack and over all attacks."""
    if not attacked.results:
        return None
    worst = attacked.findings[0]
    return measures.record_risks(
        attacked.columns(), attack=worst.name, direction=worst.risk.direction
    )


def _group_risks(inputs: AuditInputs, attacked: AttackResults) -> Subgroups | None:
    """The risk of each subgroup, by the attack that is worst for it."""
    if not attacked.results:
        return None
    in_file = np.zeros(0, np.int64) if attacked.in_file is None else attacked.in_file
    attacks = [
        AttackedRecords(
            one.run.label,
            one.per_record,
            one.with_rare,
            in_file if one.run.by_file else inputs.pair.originals,
        )
        for one in attacked.results
    ]
    return subgroup_risks(inputs.groupings, attacks)


def _households(pair: FilePair, attacked: AttackResults) -> HouseholdHits | None:
    """In how many households the worst attack on all records finds somebody."""
    people = pair.original
    homes = households_of(people)
    if homes is None or not attacked.on_all_records:
        return None
    worst = max(attacked.on_all_records, key=lambda one: one.finding.risk.share)
    released = ~np.isnan(worst.per_record)
    linked = worst.finding.households
    together = linked is not None and linked.together
    hits = worst.per_record[released]
    return measures.household_hits(hits, homes.of_record[released], together=together)


def _score(attacked: AttackResults, measured: dict[str, Any]) -> float | None:
    """The classical score of distance-based and probabilistic linkage, where both were made."""
    distance, probabilistic = attacked.share_of("distance"), attacked.share_of("probabilistic")
    intervals, lost = measured["intervals"], measured["loss"]["PIL"].value
    if distance is None or probabilistic is None or intervals is None or lost is None:
        return None
    return measures.classical_score(
        100 * lost,
        interval_disclosure=100 * intervals.average.by_rank[0].share,
        distance=100 * distance,
        probabilistic=100 * probabilistic,
    )
