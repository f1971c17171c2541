"""Remedies: masks tried on top of a release, each as strong as needed, attacked and measured."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from typing import NamedTuple, TypeAlias, get_args

import msgspec
import numpy as np
import polars as pl

from unveil.attacks import Simulated, Tailored
from unveil.attacks.base import AuditedFiles
from unveil.errors import UnveilError
from unveil.masks import Mask
from unveil.measures import UseReference, overall
from unveil.support.arrays import Ints
from unveil.support.options import Progress
from unveil.support.seeds import stream
from unveil.table.microdata import Microdata
from unveil.values.disclosure_scenario import STRESS_TEST
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Direction, Intruder
from unveil.values.release.channels import Channel
from unveil.values.release.composition import compose
from unveil.values.release.plan import Plan
from unveil.values.release.release import Release
from unveil.values.results.policy import Policy
from unveil.values.results.remedies import Remedies, Remedy
from unveil.values.use import Use
from unveil.workflows.auditing.attack_runs import AttackRun
from unveil.workflows.auditing.attribute_ablation import Sets, known_sets, leaving_out
from unveil.workflows.auditing.checkpoints import quietly
from unveil.workflows.auditing.remedies.proposals import Strength, proposed_remedies
from unveil.workflows.auditing.sampled_attack import (
    SampledAttack,
    SampledShare,
    highest,
    split_people,
    with_fewer_candidates,
)
from unveil.workflows.inputs.known_masking import groups_are_repeatable, settle, simulations
from unveil.workflows.inputs.scenario import Scenario, prepare
from unveil.workflows.mask import masks_of

Attacking: TypeAlias = tuple[AttackRun, Sets]  # with the sets of attributes it compares
OTHER_RISKS = (  # limits on the whole file that a remedy need not keep
    "max_subgroup_risk",
    "max_household_risk",
    "max_confirmed",
    "max_wrong_certainty",
    "max_interval_disclosure",
    "max_population_risk",
    "max_expected_matches",
)
STRONGER = 2  # strengths beyond the least that are tried if the strongest attacks link too many


class RemedyAttackers(NamedTuple):
    """The attackers of remedies, beside the blind attack on single records."""

    aware: Intruder  # who knows the plan and the remedy
    matchings: tuple[AttackRun, ...] = ()  # the worst attacks on all records together
    affordable: Callable[[AttackRun], bool] = lambda _: True  # an attack on all records together


def remedies(
    run: AttackRun,
    scenario: Scenario,
    progress: Progress,
    *,
    compared: Sequence[str],
    attackers: RemedyAttackers,
    riskiest: str | None,
    policy: Policy | None,
) -> Remedies | None:
    """Mask a release once more, in several ways, and attack each on the same people.

    Each mask gets the least strength at which no attack links more than the policy's tightest limit
    on the stress test; where that is not exceeded, more than half of what is linked now. Limits of
    other intruders are not searched. The loss is measured of the remedies that reach the target,
    else of the best. The attacks are the blind one and, where the plan of the release is
    known, method-aware ones that are told of the remedy, too. What reaches the target is also
    attacked by those that match all records or learn from simulation, and made stronger if need be.
    One remedy leaves out the riskiest attribute. In large files a sample of the people is masked,
    attacked and measured. Rows are masked in the order of their content, so that the order of the
    file means nothing. Impossible remedies are left out; None if there is no other.
    """
    _, people = split_people(scenario)
    if not len(people):
        return None
    trial = RemedyTrial.of(run, scenario, people, known_sets(run, compared), attackers)
    known = attackers.aware.knows or ()
    proposals = proposed_remedies(trial.release, known, compared=compared, riskiest=riskiest)
    with quietly():  # nobody released what is tried here
        before = trial.attempt(Strength("", ()), strongest=1.0)
        if before is None:
            return None
        limit, others = (None, ()) if policy is None else _limits_of(policy)
        exceeded = limit is not None and before.linked.upper > limit
        target = limit if limit is not None and exceeded else before.linked.share / 2
        found = list[tuple[Remedy, Microdata]]()
        for done, proposal in enumerate(proposals, start=1):
            progress(done, len(proposals) + 1)
            if (outcome := trial.outcome(proposal, target)) is not None:
                found.append(outcome)
        if not found:
            return None
        lost = trial.losses(None if policy is None else policy.use or None)
        least = min(remedy.share for remedy, _ in found)
        holds = any(remedy.holds for remedy, _ in found)
        tried = [
            msgspec.structs.replace(remedy, loss=lost(release))
            if (remedy.holds if holds else remedy.share == least)
            else remedy
            for remedy, release in found
        ]
        return Remedies(
            attack=before.run.name,
            direction=before.run.intruder.direction,
            n=len(people),
            among=trial.attack.candidates,
            share=before.linked.share,
            interval=before.linked.interval,
            loss=lost(trial.release),
            tried=tuple(sorted(tried, key=partial(_rank, before.linked.share))),
            target=target,
            limit=exceeded,
            too_dear=tuple(sorted(trial.too_dear)),
            not_searched=others,
        )


def _limits_of(policy: Policy) -> tuple[float | None, tuple[str, ...]]:
    """The tightest limit on what the stress test links; and the limits that are not searched."""
    linked = [policy.max_risk]
    others = [name for name in OTHER_RISKS if getattr(policy, name) is not None]
    for one in policy.intruder:
        for name, allowed in one.limits.items():
            if (one.name, name) == (STRESS_TEST, "max_linked"):
                linked.append(allowed)
            else:
                others.append(f"{one.name}: {name}")
    return min((one for one in linked if one is not None), default=None), tuple(others)


def _rank(now: float, remedy: Remedy) -> tuple[bool, bool, float]:
    """The order of remedies: the cheapest that reach the target, the others, those of no effect."""
    cost = 1.0 if remedy.loss is None else remedy.loss
    return remedy.share >= now, not remedy.holds, cost if remedy.holds else remedy.share


def least_strength(n: int, holds: Callable[[int], bool]) -> int:
    """The least of n strengths that holds, by bisection; the last, which was tried, if none does.

    It was tried, too: whether a strength holds need not depend on it monotonously.
    """
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return min(low, n - 1)


class Attempt(NamedTuple):
    """A remedy in one strength, and the attack that links most then."""

    strength: Strength
    release: Microdata
    run: AttackRun
    linked: SampledShare
    aware: bool  # whether an attack was made that knows of it


@dataclass(frozen=True, repr=False, eq=False)
class RemedyTrial:
    """The files on which every remedy is tried, the released rows in the order of their content."""

    attack: SampledAttack  # the blind one
    sets: Sets  # of attributes that it compares
    attackers: RemedyAttackers
    known: Release | None  # the plan and the channels of the release; None: not known
    release: Microdata
    row_map: Ints  # the person of each released row, -1 for none
    too_dear: set[str] = field(default_factory=set)  # attacks on all records together

    @classmethod
    def of(
        cls, run: AttackRun, scenario: Scenario, people: Ints, sets: Sets, others: RemedyAttackers
    ) -> "RemedyTrial":
        """The trial on all rows, or on some of many; then no channel describes them."""
        attack = with_fewer_candidates(run, scenario, people)
        pair, known, aware = attack.scenario.pair, None, others.aware
        if attack.scenario is scenario and aware.channel is not False:
            with suppress(UnveilError):
                known, *_ = scenario.release.known_by(aware, scenario.original, scenario.seed)
        order = np.argsort(pair.release_order)
        row_map = np.full(len(order), -1) if pair.truth is None else pair.truth.record_of_row
        return cls(attack, sets, others, known, pair.release.take(order), row_map[order])

    @property
    def people(self) -> Microdata:
        """The people whose rows these are."""
        return self.attack.scenario.pair.original

    def outcome(
        self, strengths: Sequence[Strength], target: float
    ) -> tuple[Remedy, Microdata] | None:
        """A remedy in the least strength that reaches the target; None if it is impossible."""
        attempts = dict[int, Attempt]()

        def holds(place: int) -> bool:
            with suppress(UnveilError):
                if place not in attempts and (made := self.attempt(strengths[place])) is not None:
                    attempts[place] = made
            # So strong that nothing is left to compare: a weaker one is sought.
            return place not in attempts or attempts[place].linked.upper <= target

        least = least_strength(len(strengths), holds)
        if not attempts:
            return None
        first = least if least in attempts else max(attempts)
        for place in range(first, min(first + 1 + STRONGER, len(strengths))):
            if not holds(place):
                chosen = attempts[place]
            elif place in attempts:
                chosen = self.attempt(strengths[place], strongest=target) or attempts[place]
                if chosen.linked.upper <= target:
                    break
        strength, linked = chosen.strength, chosen.linked
        return Remedy(
            does=strength.description,
            plan=tuple(Plan(strength.masks).to_dict()["mask"]),
            columns=strength.columns,
            share=linked.share,
            interval=linked.interval,
            loss=None,
            holds=linked.upper <= target,
            attack=chosen.run.name,
            knows_remedy=chosen.aware or not strength.masks,  # what is not there, everyone sees
            tried=len(attempts),
        ), chosen.release

    def attempt(self, strength: Strength, *, strongest: float | None = None) -> Attempt | None:
        """The attack that links most after these masks; None if all are impossible then.

        With `strongest` the strongest take part, until one links more than this.
        """
        table, channels = self._masked(self.release, strength.masks)
        known = self._known(table, strength.masks, channels)
        left_out = () if strength.masks else strength.columns
        scenario = prepare(
            self.people,
            table if known is None else known,
            intruder=Intruder(),
            truth=self.row_map,
            seed=self.attack.scenario.seed,
            engine=self.attack.scenario.engine,
        )
        attempts = list[tuple[AttackRun, SampledShare]]()
        runs = [(self.attack.run, self.sets), *self._aware_runs(known, single=True)]
        if strongest is not None:
            runs += self._strongest_runs(known, strength.columns)
        for run, sets in runs:
            attack = replace(self.attack, run=run, scenario=scenario)
            linked = highest(map(attack.share, leaving_out(sets, *left_out)))
            attempts += [] if linked is None else [(run, linked)]
            if linked is not None and strongest is not None and linked.upper > strongest:
                break
        if not attempts:
            return None
        emptied = table.replace([_emptied(table.column(name)) for name in left_out])
        aware = any(not run.blind for run, _ in attempts)
        return Attempt(strength, emptied, *max(attempts, key=lambda one: one[1].share), aware)

    def _masked(
        self, table: Microdata, masks: Sequence[Mask], *run: str
    ) -> tuple[Microdata, tuple[Channel, ...]]:
        """A table after some masks, with their channels."""
        channels, seed = list[Channel](), self.attack.scenario.seed
        for mask in masks:
            mask.check(table)
            masked = mask.apply(table, partial(stream, seed, "audit", "remedies", mask.step, *run))
            table = masked.data
            channels.extend(masked.channels)
        return table, tuple(channels)

    def _known(
        self, table: Microdata, masks: Sequence[Mask], channels: Sequence[Channel]
    ) -> Release | None:
        """The new release with all that its intruder knows of it; None if the plan is not known."""
        if self.known is None:
            return None
        named = (msgspec.structs.replace(mask, name=f"remedy {mask.step}") for mask in masks)
        plan = replace(self.known.plan, masks=(*self.known.plan.masks, *named))
        masking = compose((*self.known.channels, *channels), self.attackers.aware.knows or ())
        with suppress(UnveilError):
            if masking.unsettled:
                again = [
                    replace(run, data=self._masked(run.data, masks, str(number))[0])
                    for number, run in enumerate(self._simulations)
                ]
                masking = settle(masking, self.people, again)
            functions = (one for of_column in masking.exact.values() for one in of_column)
            return Release(table, plan, (*functions, *masking.channels), self.row_map)
        return None

    @cached_property
    def _simulations(self) -> list[Release]:
        """The plan of the release with other random numbers, before any remedy."""
        plan = Plan(()) if self.known is None else self.known.plan
        return simulations(plan, self.people, self.attack.scenario.seed)

    def _strongest_runs(self, known: Release | None, masked: Sequence[str]) -> list[Attacking]:
        """The attacks on all records together, both ways unless that takes long; cheap ones first.

        One that follows swaps has nothing to follow where a remedy masks all that is known.
        """
        own = [one for one in self.attackers.matchings if one.blind or known is not None]
        runs = [
            *((one, (one.intruder.knows or (),)) for one in own),
            *self._aware_runs(known, single=False),
        ]
        self.too_dear.update(run.name for run, _ in runs if not self.attackers.affordable(run))
        made = dict[str, Attacking]()
        for (run, sets), way in product(runs, get_args(Direction)):
            follows, turned = run.spec.undoes_masking, way != run.intruder.direction
            useless = follows and set(run.intruder.knows or ()) <= set(masked)
            dear = run.name in self.too_dear or (turned and (follows or run.spec.costly_to_repeat))
            if not (useless or dear):
                told = msgspec.structs.replace(run.intruder, direction=way, channel=not run.blind)
                made[f"{run.name} {way}"] = replace(run, intruder=told), sets
        return sorted(made.values(), key=lambda one: one[0].spec.costly_to_repeat)

    def _aware_runs(self, known: Release | None, *, single: bool) -> list[Attacking]:
        """The method-aware attacks, on single records or all, that an audit would make."""
        if known is None:
            return []
        aware, pair = self.attackers.aware, self.attack.scenario.pair
        knows = aware.knows or ()
        again = groups_are_repeatable(known.plan, self.people, knows)
        # Of centres, which depend on all columns, laws of single columns tell less than a distance.
        centres = any(mask.makes_centres for mask in masks_of(known.plan, self.people)[-1:])
        fitted = not centres and any(one.is_fitted for one in known.channels)
        files = AuditedFiles(pair, knows, True, again, fitted)
        intruder = msgspec.structs.replace(aware, channel=True)
        specs = (*Tailored.in_default_audit(files), *Simulated.in_default_audit(files))
        runs = (AttackRun(spec, intruder) for spec in specs if spec.row_by_row == single)
        return [(run, (knows,)) for run in runs]

    def losses(self, uses: Sequence[Use] | None) -> Callable[[Microdata], float | None]:
        """The overall loss if these rows are released so, in one way or another."""
        pair = FilePair.of(self.people, self.release, self.row_map)
        levels = {name: pair.level(name) for name in pair.columns}
        reference = UseReference(self.people, uses, seed=self.attack.scenario.seed, levels=levels)

        def overall_loss(release: Microdata) -> float | None:
            with suppress(UnveilError):
                pair = FilePair.of(self.people, release, self.row_map)
                return overall(reference.losses(pair)).value
            return None

        return overall_loss


def _emptied(column: pl.Series) -> pl.Series:
    """A column of missing cells: the loss of a column that is left out."""
    return pl.Series(column.name, [None], dtype=column.dtype).extend_constant(None, len(column) - 1)
