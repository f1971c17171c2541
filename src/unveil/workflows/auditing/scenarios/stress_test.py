"""The stress test: what the attacks of the audit itself achieve, as one of its scenarios."""

from collections.abc import Sequence

from unveil import measures
from unveil.support.options import Progress
from unveil.values.disclosure_scenario import STRESS_TEST
from unveil.values.file_pair import FilePair
from unveil.values.results.disclosure import Inference
from unveil.values.results.evidence import Finding
from unveil.values.results.scenarios import ScenarioAttack, ScenarioResult, SharedCount
from unveil.workflows.auditing.attack_runs import AttackResults, AttackRun
from unveil.workflows.auditing.inputs import AuditInputs
from unveil.workflows.auditing.resources import WorkPlan
from unveil.workflows.auditing.scenarios.results import (
    most_claimed,
    pooled,
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
    columns = unknown_columns(inputs, inputs.known)
    if run is None or not columns:
        return ()
    links = inputs.scenario.links(run.spec, run.intruder)
    return measures.linked_disclosure(
        links, inputs.pair, seed=inputs.scenario.seed, columns=columns
    )


def stress_test(
    inputs: AuditInputs, findings: Sequence[Finding], learned: tuple[Inference, ...]
) -> ScenarioResult:
    """The attacks of the audit as a row of its scenarios."""
    worst, members = findings[0], len(inputs.pair.originals)
    claiming = most_claimed(findings)
    claims = None if claiming is None else claiming.claims
    found = pooled([learned])
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
        draws=1,
        attack=worst.name,
        direction=worst.risk.direction,
        linked=_linked(worst),
        guess=worst.risk.baseline,
        ceiling=worst.risk.ceiling,
        claimed_by=None if claiming is None else claiming.name,
        confirmed=None if claims is None else shared(claims.right, claims.n, members),
        wrongly_confirmed=None
        if claims is None
        else shared(claims.claimed - claims.right, claims.n, members),
        learned=found,
        not_learned="" if found else why_not_learned(inputs, inputs.known),
        attacks=tuple(
            ScenarioAttack(name=one.name, direction=one.risk.direction, linked=_linked(one))
            for one in findings
        ),
    )


def _linked(finding: Finding) -> SharedCount:
    risk = finding.risk
    return SharedCount(count=risk.expected, of=risk.n, share=risk.share, interval=risk.interval)
