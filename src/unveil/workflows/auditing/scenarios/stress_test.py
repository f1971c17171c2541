"""The stress test: what the attacks of the audit itself achieve, as one of its scenarios."""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from unveil.measures.identity.risk import expected_of_classes
from unveil.models.row_counts import classes_of
from unveil.support.options import Progress
from unveil.values.disclosure_scenario import STRESS_TEST
from unveil.values.file_pair import FilePair
from unveil.values.links import TrueLinks
from unveil.values.results.disclosure import Inference
from unveil.values.results.evidence import Finding
from unveil.values.results.scenarios import ScenarioAttack, ScenarioResult, SharedCount
from unveil.workflows.auditing.attack_runs import AttackResults, AttackRun
from unveil.workflows.auditing.inputs import AuditInputs
from unveil.workflows.auditing.resources import WorkPlan
from unveil.workflows.auditing.scenarios.results import (
    most_claimed,
    not_counted,
    pooled,
    read_off_links,
    shared,
    unknown_columns,
    why_not_learned,
)


def strongest_forward(attacked: AttackResults, plan: WorkPlan, pair: FilePair) -> AttackRun | None:
    """The attack from people to rows that links most, of those that can be made once more."""
    forward = [
        one
        for one in attacked.results
        if not one.run.intruder.reverse
        and not one.run.by_file
        and one.run.spec.compares_attributes
        and (one.run.blind or plan.makes_again(one.run, pair))
    ]
    best = max(forward, key=lambda one: (one.finding.risk.share, one.run.step), default=None)
    return None if best is None else best.run


def read_by_links(
    run: AttackRun | None, inputs: AuditInputs, progress: Progress
) -> tuple[Inference, ...]:
    """What the links of an attack tell of the columns that the intruder does not know."""
    progress(0, 1)
    if run is None or not unknown_columns(inputs, inputs.known):
        return ()
    links = inputs.scenario.links(run.spec, run.intruder)
    return read_off_links(links, run, inputs, inputs.known, model=True)


def stress_test(
    inputs: AuditInputs, attacked: AttackResults, learned: tuple[Inference, ...]
) -> ScenarioResult:
    """The attacks of the audit as a row of its scenarios."""
    findings, members = attacked.findings, len(inputs.pair.originals)
    worst, claiming = findings[0], most_claimed(findings)
    claims = None if claiming is None else claiming.claims
    linked = _linked(worst)
    found = pooled([learned], drawn=linked.interval is not None)
    return ScenarioResult(
        name=STRESS_TEST,
        knows=inputs.known,
        records=None,
        people=members,
        released=members,
        membership=1.0,
        error=0.0,
        coarse=False,
        member=True,
        plan=inputs.channel is not False,
        together=True,
        knows_households=True,
        draws=1,
        attack=worst.name,
        direction=worst.risk.direction,
        linked=linked,
        guess=worst.risk.baseline,
        ceiling=_ceiling(inputs, attacked),
        claimed_by=None if claiming is None else claiming.name,
        confirmed=None if claims is None else shared(claims.right, claims.n, members),
        wrongly_confirmed=None
        if claims is None
        else shared(claims.claimed - claims.right, claims.n, members),
        learned=found,
        not_learned="" if found else why_not_learned(inputs, inputs.known),
        not_counted=not_counted(found, inputs, inputs.known),
        attacks=tuple(
            ScenarioAttack(name=one.name, direction=one.risk.direction, linked=_linked(one))
            for one in findings
        ),
    )


def with_weaker_intruders(own: ScenarioResult, others: Sequence[ScenarioResult]) -> ScenarioResult:
    """The stress test, with each figure that an intruder who knows no more has higher.

    An attack on fewer attributes, or on coarser values, can achieve more than the attacks of the
    audit on all. Whoever knows everything can make it, too: without it, the stress test would be
    no upper reference. A part of the people says nothing of all: such an intruder is left out.
    """
    weaker = [
        one for one in others if one.released == own.released and {*one.knows} <= {*own.knows}
    ]
    members = [one for one in weaker if one.member]  # whose claims are of the same people
    best = {
        "linked": max((own, *weaker), key=lambda one: _share(one.linked)),
        "confirmed": max((own, *members), key=lambda one: _share(one.confirmed)),
        "learned": max((own, *weaker), key=lambda one: _most_learned(one, own)),
    }
    taken_in = tuple(dict.fromkeys(one.name for one in best.values() if one is not own))
    if not taken_in:
        return own
    claims = ("claimed_by", "confirmed", "wrongly_confirmed")
    return msgspec.structs.replace(
        own,
        **_links_of(best["linked"], own),
        **{name: getattr(best["confirmed"], name) for name in claims},
        **_learned_of(best["learned"], own),
        taken_in=taken_in,
    )


def _share(counted: SharedCount | None) -> float:
    return -1.0 if counted is None else counted.share


def _most_learned(one: ScenarioResult, own: ScenarioResult) -> float:
    """The most that is learned of a column that the stress test does not know either.

    Estimates are compared: by the upper ends of intervals, few people would learn more than all.
    """
    learned = (column.learned for column in one.learned if column.column not in own.knows)
    return max(learned, default=-1.0)


def _links_of(one: ScenarioResult, own: ScenarioResult) -> dict[str, Any]:
    """The links of an intruder; the ceiling of the stress test, if they are of as many people."""
    if one is own or one.linked is None or own.linked is None:
        return {}
    found = ScenarioAttack(name=one.attack or "", direction=one.direction, linked=one.linked)
    return {
        **{name: getattr(one, name) for name in ("attack", "direction", "linked", "guess")},
        "ceiling": own.ceiling if one.linked.of == own.linked.of else None,
        "attacks": (found, *own.attacks),
    }


def _learned_of(one: ScenarioResult, own: ScenarioResult) -> dict[str, Any]:
    if one is own:
        return {}
    return {
        "learned": tuple(column for column in one.learned if column.column not in own.knows),
        "not_counted": tuple(name for name in one.not_counted if name not in own.knows),
        "not_learned": "",
    }


def _ceiling(inputs: AuditInputs, attacked: AttackResults) -> float | None:
    """The most that any attack on all known attributes can link, of whom the worst one attacks.

    None where the release shows who lives together and no attack uses all of it.
    """
    pair, worst = inputs.scenario.pair, attacked.worst_result
    risk = worst.finding.risk
    found = [one.finding.risk for one in attacked.results if one.run.spec.links_households]
    by_attacks = [one.ceiling for one in (*found, risk) if one.n == risk.n]
    claimed = [one for one in by_attacks if one is not None]
    if pair.truth is None or (pair.shows_households and not claimed):
        return None
    columns = [name for name in pair.release.columns if name in (*inputs.known, *risk.attributes)]
    classes = classes_of(pair.release, columns)
    of_rows = classes.scatter(np.arange(len(classes.sizes)))
    people = np.flatnonzero(~np.isnan(worst.per_record))
    of, to = people, pair.truth.row_of_record[people]
    if worst.run.intruder.reverse:
        of = np.flatnonzero(np.isin(pair.truth.record_of_row, people))
        to = pair.truth.record_of_row[of]
    true = TrueLinks(of, to, np.ones(len(of)))
    most = expected_of_classes(of_rows, true, reverse=worst.run.intruder.reverse)
    return max([*claimed, most])


def _linked(finding: Finding) -> SharedCount:
    risk = finding.risk
    return SharedCount(count=risk.expected, of=risk.n, share=risk.share, interval=risk.interval)
