"""What the intruder of each scenario achieves: linked, confirmed, wrongly confirmed, learned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np

from unveil import measures
from unveil.errors import UnveilError
from unveil.measures.identity.chance import baseline
from unveil.measures.identity.claims import claims, control
from unveil.measures.identity.hits import SAMPLE_SIZE
from unveil.measures.identity.risk import ceiling, hides_grouping
from unveil.measures.identity.subgroup_risks import AttackedRecords, subgroup_risks
from unveil.support.arrays import Floats
from unveil.support.options import Progress
from unveil.table.households import households_of
from unveil.values.disclosure_scenario import DisclosureScenario
from unveil.values.links import Links
from unveil.values.results.disclosure import HouseholdHits, Inference
from unveil.values.results.evidence import Finding
from unveil.values.results.risk import Claims, Interval
from unveil.values.results.scenarios import KNOWS_ALL, ScenarioAttack, ScenarioResult, SharedCount
from unveil.workflows.auditing.attack_runs import AttackRun, risk_per_record, sample_to_budget
from unveil.workflows.auditing.inputs import AuditInputs
from unveil.workflows.auditing.scenarios.attacks import ScenarioPlan, held_by
from unveil.workflows.auditing.scenarios.definitions import note_on
from unveil.workflows.auditing.scenarios.intruder_files import HeldFile, held_file
from unveil.workflows.auditing.scenarios.limits import ANY_NUMBER, most_of
from unveil.workflows.auditing.settings import AuditSettings

NOT_FOLLOWED = "no attack names rows whose other cells could be read"
GENERALISED = "every unknown column is generalised"


@dataclass
class AttackTally:
    """What one attack achieves, over the draws of the intruder's file."""

    run: AttackRun
    per_record: Floats  # the risk of each original; NaN where it was not attacked
    attacked: int = 0  # records of the first draw
    hits: float = 0.0
    n: int = 0
    guess: float = 0.0
    ceiling: float | None = 0.0
    claims: Claims | None = None
    strangers: Claims | None = None  # claims about people who are not in the release
    learned: list[tuple[Inference, ...]] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share of the people who are linked correctly."""
        return self.hits / max(self.n, 1)

    def add(self, links: Links, held: HeldFile, plan: ScenarioPlan) -> None:
        """Count the links of one more draw."""
        self.attacked = self.attacked or len(links)
        members = replace(links, records=links.records[links.true_rows >= 0])
        per_link = measures.hits(members)
        self.hits += float(np.sort(per_link).sum())
        self.n += len(members)
        self.guess += baseline(members)
        known = plan.scenario.knows or ()
        most = None if hides_grouping(members) or not len(members) else ceiling(members, known)
        self.ceiling = None if most is None or self.ceiling is None else self.ceiling + most
        risks = risk_per_record(members, len(self.per_record), held.people)
        self.per_record = np.where(np.isnan(risks), self.per_record, risks)
        if plan.measures("max_confirmed", "max_wrongly_confirmed"):
            self._add_claims(members, links, plan.scenario)

    def _add_claims(self, members: Links, every: Links, scenario: DisclosureScenario) -> None:
        sample, made = members.sample(SAMPLE_SIZE), []
        if not len(sample):
            return
        if sample.finder.margins:
            made.append(claims(sample))
        forecast = measures.forecast(sample) if scenario.member else None
        if forecast is not None and forecast.right is not None:
            made.append(Claims(forecast.n, forecast.claimed, forecast.right))
        if not made:
            return
        best = max(made, key=lambda one: (one.right, one.claimed))
        self.claims = best if self.claims is None else _added(self.claims, best)
        if scenario.member:
            return
        absent = replace(every, records=every.records[every.true_rows < 0])
        outside = control(sample)
        if len(absent):
            outside = _added(outside, claims(absent.sample(SAMPLE_SIZE)))
        self.strangers = outside if self.strangers is None else _added(self.strangers, outside)


T = TypeVar("T", AttackTally, Finding)


class Tallies(NamedTuple):
    """All attacks of a scenario; and those that the first draw shows to be the strongest."""

    every: list[AttackTally]
    best: AttackTally | None
    claiming: AttackTally | None  # with the most correct claims

    @property
    def ceiling(self) -> float | None:
        """The most that any attack can link of the people whom the best one attacks."""
        best = self.best
        same = [one.ceiling for one in self.every if best is not None and one.n == best.n]
        return max((one for one in same if one is not None), default=None)


def _added(first: Claims, second: Claims) -> Claims:
    return Claims(first.n + second.n, first.claimed + second.claimed, first.right + second.right)


def scenario_result(
    plan: ScenarioPlan, inputs: AuditInputs, settings: AuditSettings, progress: Progress
) -> ScenarioResult:
    """Make every attack of a scenario, then the strongest ones again on further draws."""
    scenario, tallies, left_out = plan.scenario, list[AttackTally](), list(plan.left_out)
    best: tuple[AttackTally, Links] | None = None
    for done, run in enumerate(plan.runs):
        progress(done, len(plan.runs) + plan.draws)
        tally = AttackTally(run, np.full(len(inputs.pair.original), np.nan))
        try:
            links = _links(plan, run, plan.first, settings)
            tally.add(links, plan.first, plan)
        except UnveilError as error:
            left_out.append(f"{run.name}: {error}")
            continue
        tallies.append(tally)
        if best is None or tally.share > best[0].share:
            best = tally, links
    if best is None:
        return _result(plan, inputs, Tallies([], None, None), left_out)
    learns = plan.measures("max_learned")
    if learns:
        best[0].learned.append(read_off_links(best[1], best[0].run, inputs, scenario.knows or ()))
    claiming = most_claimed(tallies)
    for draw in range(1, plan.draws):
        progress(len(plan.runs) + draw, len(plan.runs) + plan.draws)
        held = held_file(inputs, scenario, draw)
        for tally in {id(one): one for one in (best[0], claiming) if one is not None}.values():
            run = held_by(tally.run, held, scenario.error or 0.0)
            with suppress(UnveilError):  # what it needs may not vary among these people
                links = _links(plan, run, held, settings)
                tally.add(links, held, plan)
                if tally is best[0] and learns:
                    known = scenario.knows or ()
                    tally.learned.append(read_off_links(links, tally.run, inputs, known))
    return _result(plan, inputs, Tallies(tallies, best[0], claiming), left_out)


def _links(plan: ScenarioPlan, run: AttackRun, held: HeldFile, settings: AuditSettings) -> Links:
    every = held.scenario.links(run.spec, run.intruder)
    return sample_to_budget(every, plan.budget(run, exact=settings.exact))


def most_claimed(attacks: Iterable[T]) -> T | None:
    """The attack with the most correct claims; of several, with the most wrong ones."""
    made = [(one.claims, one) for one in attacks if one.claims is not None]
    ranked = [(found.right / max(found.n, 1), found.claimed / max(found.n, 1)) for found, _ in made]
    return made[ranked.index(max(ranked))][1] if made else None


def unknown_columns(inputs: AuditInputs, known: Sequence[str]) -> tuple[str, ...]:
    """The released columns of people that an intruder does not know, whatever their role."""
    return tuple(name for name in inputs.pair.attributes if name not in known)


def not_counted(
    learned: Sequence[Inference], inputs: AuditInputs, known: Sequence[str]
) -> tuple[str, ...]:
    """The unknown columns that no figure covers: generalised ones, and those without a value."""
    counted = {one.column for one in learned}
    return tuple(n for n in unknown_columns(inputs, known) if learned and n not in counted)


def read_off_links(
    links: Links, run: AttackRun, inputs: AuditInputs, known: Sequence[str], *, model: bool = False
) -> tuple[Inference, ...]:
    """What the links of an attack tell of the columns that the intruder does not know."""
    columns, seed = unknown_columns(inputs, known), inputs.scenario.seed
    found = measures.linked_disclosure(links, inputs.pair, seed=seed, columns=columns, model=model)
    return tuple(msgspec.structs.replace(one, attack=run.name) for one in found)


def pooled(draws: Sequence[tuple[Inference, ...]], *, drawn: bool) -> tuple[Inference, ...]:
    """What is learned over all draws, the column first that a limit judges."""
    by_column: dict[str, list[Inference]] = {}
    for one in (inference for draw in draws for inference in draw):
        by_column.setdefault(one.column, []).append(one)
    found = [_pooled(parts) for parts in by_column.values()]
    return tuple(sorted(found, key=lambda one: (-most_of(one, drawn=drawn), one.column)))


def _pooled(parts: Sequence[Inference]) -> Inference:
    n = sum(one.n for one in parts)
    means: dict[str, Any] = {
        name: sum(one.n * getattr(one, name) for one in parts) / max(n, 1)
        for name in ("linked", "control", "guess", "homogeneous")
    }
    gains = [(one.n / max(n, 1), one.gain) for one in parts if one.gain is not None]
    interval = None
    if len(gains) == len(parts) and len(parts) > 1:  # disjoint people: variances add up
        half = sum((w * (gain.high - gain.low) / 2) ** 2 for w, gain in gains) ** 0.5
        centre = means["linked"] - means["control"]
        interval = Interval(centre - half, centre + half, gains[0][1].confidence)
    elif len(parts) == 1 and gains:
        interval = gains[0][1]
    means["learned"] = max(means["linked"] - means["control"], 0.0)
    return msgspec.structs.replace(
        parts[0], n=n, left_out=sum(one.left_out for one in parts), gain=interval, **means
    )


def _result(
    plan: ScenarioPlan, inputs: AuditInputs, tallies: Tallies, left_out: Sequence[str]
) -> ScenarioResult:
    scenario, members = plan.scenario, len(inputs.pair.originals)
    best, claiming = tallies.best, tallies.claiming
    ranked = sorted(tallies.every, key=lambda one: (one is not best, -one.share, one.run.step))
    population = ANY_NUMBER if scenario.error else members
    linked = None if best is None else shared(best.hits, best.n, population)
    drawn = linked is not None and linked.interval is not None
    learned = () if best is None else pooled(best.learned, drawn=drawn)
    people = _people(scenario, plan.first)
    confirmed, wrong = _confirmed(claiming, scenario, population, members)
    return ScenarioResult(
        name=scenario.name,
        knows=scenario.knows or (),
        records=scenario.records,
        people=people,
        released=members if not scenario.member else len(plan.first.people),
        membership=members / max(people, 1) if not scenario.member else 1.0,
        error=scenario.error or 0.0,
        coarse=bool(scenario.coarse),
        member=bool(scenario.member),
        plan=bool(scenario.plan) and inputs.channel is not False,
        together=bool(scenario.together),
        knows_households=bool(scenario.knows_households),
        draws=plan.draws,
        attack=None if best is None else best.run.name,
        direction="original-to-release",
        linked=linked,
        guess=None if best is None else best.guess,
        ceiling=tallies.ceiling,
        claimed_by=None if claiming is None else claiming.run.name,
        confirmed=confirmed,
        wrongly_confirmed=wrong,
        learned=learned,
        not_learned="" if learned else why_not_learned(inputs, scenario.knows or ()),
        not_counted=not_counted(learned, inputs, scenario.knows or ()),
        attacks=tuple(
            ScenarioAttack(
                name=one.run.name,
                direction=one.run.intruder.direction,
                linked=shared(one.hits, one.n, population),
                attacked=one.attacked,
            )
            for one in ranked
        ),
        left_out=tuple(left_out),
        note=note_on(scenario, plan.given, inputs),
        given=plan.given,
        **({} if best is None or plan.limits is not None else _spread(best, inputs)),
    )


def _people(scenario: DisclosureScenario, held: HeldFile) -> int:
    """The people whom the intruder holds, those of the release among them."""
    others = not scenario.member and isinstance(scenario.records, int)
    return int(scenario.records or 0) if others else len(held.people)


def shared(hits: float, n: int, population: int) -> SharedCount:
    """A number of people with its share, and the interval where these are a sample."""
    interval = measures.wilson(min(hits, n), n, max(population, n)) if n else None
    return SharedCount(count=hits, of=n, share=hits / max(n, 1), interval=interval)


def _confirmed(
    tally: AttackTally | None, scenario: DisclosureScenario, population: int, members: int
) -> tuple[SharedCount | None, SharedCount | None]:
    """The claims that are right, of the people in the release; and wrong, of all who are held."""
    if tally is None or tally.claims is None:
        return None, None
    made = tally.claims
    right = shared(made.right, made.n, population)
    wrong = shared(made.claimed - made.right, made.n, population)
    if tally.strangers is None or not isinstance(scenario.records, int):
        return right, wrong
    outside = shared(tally.strangers.claimed, tally.strangers.n, ANY_NUMBER)
    people = scenario.records
    weights = members / people, 1 - members / people

    def weighted(inside: float, others: float) -> float:
        return weights[0] * inside + weights[1] * others

    share = weighted(wrong.share, outside.share)
    interval = None
    if outside.interval is not None:
        within = wrong.interval or Interval(wrong.share, wrong.share, outside.interval.confidence)
        interval = Interval(
            weighted(within.low, outside.interval.low),
            weighted(within.high, outside.interval.high),
            outside.interval.confidence,
        )
    return right, SharedCount(count=share * people, of=people, share=share, interval=interval)


def why_not_learned(inputs: AuditInputs, known: Sequence[str]) -> str:
    """Why nothing is learned from a link."""
    columns = unknown_columns(inputs, known)
    if not columns:
        return KNOWS_ALL
    return GENERALISED if all(map(inputs.pair.generalised, columns)) else NOT_FOLLOWED


def _spread(best: AttackTally, inputs: AuditInputs) -> dict[str, Any]:
    """Whom the risk falls on: subgroups, single records, households."""
    run, risks = best.run, best.per_record
    attacked = AttackedRecords(run.label, risks, risks, inputs.pair.originals)
    return {
        "subgroups": subgroup_risks(inputs.groupings, [attacked]),
        "record_risks": measures.record_risks(
            {run.label: risks}, attack=run.name, direction=run.intruder.direction
        ),
        "households": _household_hits(risks, inputs),
    }


def _household_hits(risks: Floats, inputs: AuditInputs) -> HouseholdHits | None:
    """In how many households somebody is linked; None where not everybody was attacked."""
    homes, members = households_of(inputs.pair.original), inputs.pair.originals
    if homes is None or np.isnan(risks[members]).any():
        return None
    return measures.household_hits(risks[members], homes.of_record[members], together=False)
