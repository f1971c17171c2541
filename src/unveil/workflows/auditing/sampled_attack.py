"""One attack on a sample of people, made many times over: what the what-ifs of an audit share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

import msgspec
import numpy as np

from unveil.errors import UnveilError
from unveil.measures import hits, wilson
from unveil.support.arrays import Ints
from unveil.support.seeds import stream
from unveil.table.row_identity import sample_rows
from unveil.values.intruder import Intruder
from unveil.values.links import Links
from unveil.values.results.risk import Interval
from unveil.workflows.auditing.attack_runs import PILOT, AttackRun
from unveil.workflows.inputs.scenario import Scenario, prepare

CANDIDATES = 20_000  # candidates of a repeated attack; estimates of the risk use all of them
COSTLY_CANDIDATES = 5_000  # of an attack that estimates parameters each time
CHOICE_SAMPLE = 1000  # records on which attributes are chosen


class SampledShare(NamedTuple):
    """The share of correct links, with its confidence interval."""

    share: float
    interval: Interval | None

    @property
    def upper(self) -> float:
        """The share that a limit is compared with: of a sample, the upper end of its interval."""
        return self.share if self.interval is None else self.interval.high


@dataclass(frozen=True, repr=False, eq=False)
class SampledAttack:
    """An attack on a sample of the people of a scenario."""

    run: AttackRun
    scenario: Scenario
    people: Ints  # rows of the original

    @property
    def candidates(self) -> int:
        """The number of candidates of each record."""
        pair = self.scenario.pair
        return len(pair.original if self.run.intruder.reverse else pair.release)

    def links(self, known: Sequence[str]) -> Links:
        """The links of an intruder who knows these attributes."""
        intruder = msgspec.structs.replace(self.run.intruder, knows=tuple(known))
        links = self.scenario.links(self.run.spec, intruder)
        rows = released_rows(self.scenario)[self.people] if intruder.reverse else self.people
        return replace(links, records=links.records[rows])

    def linked(self, known: Sequence[str]) -> float:
        """The expected number of correct links; 0 if the attack cannot use these attributes."""
        try:
            return float(np.sort(hits(self.links(known))).sum())
        except UnveilError:
            return 0.0

    def share(self, known: Sequence[str]) -> SampledShare | None:
        """The share of correct links; None if the attack cannot use these attributes."""
        with suppress(UnveilError):
            return share_of(self.links(known)) if known else None
        return None


def share_of(links: Links) -> SampledShare:
    """The share of correct links, with its interval."""
    linked, n = float(np.sort(hits(links)).sum()), len(links)
    return SampledShare(linked / max(n, 1), wilson(linked, n, links.population) if n else None)


def highest(shares: Iterable[SampledShare | None]) -> SampledShare | None:
    """The largest share; None if there is none."""
    present = (share for share in shares if share is not None)
    return max(present, key=lambda share: share.share, default=None)


def released_rows(scenario: Scenario) -> Ints:
    """The released row of each person, -1 for none."""
    pair = scenario.pair
    return np.full(len(pair.original), -1) if pair.truth is None else pair.truth.row_of_record


def split_people(scenario: Scenario) -> tuple[Ints, Ints]:
    """Two disjoint samples of the people in the release: one to choose on, one to estimate on."""
    people, order = np.flatnonzero(released_rows(scenario) >= 0), scenario.pair.original_order
    rng = stream(scenario.seed, "audit", "halves")
    sample = people[sample_rows(order[people], min(2 * PILOT, len(people)), rng)]
    half = sample_rows(order[sample], (len(sample) + 1) // 2, rng)
    first, second = sample[half], np.delete(sample, half)
    chosen = sample_rows(order[first], min(CHOICE_SAMPLE, len(first)), rng)
    return first[chosen], second if len(second) else first


def with_fewer_candidates(
    run: AttackRun, scenario: Scenario, people: Ints, candidates: int | None = None
) -> SampledAttack:
    """The attack on these people among a sample of the candidates; among all of a small file."""
    if candidates is None:
        candidates = COSTLY_CANDIDATES if run.spec.costly_to_repeat else CANDIDATES
    rows, pair = released_rows(scenario), scenario.pair
    records = max(len(pair.original), len(pair.release))
    if records <= candidates or not run.blind:  # channels describe the rows of the whole file
        return SampledAttack(run, scenario, people)
    others = np.setdiff1d(np.flatnonzero(rows >= 0), people)
    rng = stream(scenario.seed, "audit", "among")
    size = min(max(candidates - len(people), 0), len(others))
    more = others[sample_rows(pair.original_order[others], size, rng)]
    kept = np.sort(np.concatenate([people, more]))
    reduced = prepare(
        pair.original.take(kept),
        pair.release.take(rows[kept]),
        intruder=Intruder(),
        truth=np.arange(len(kept)),
        seed=scenario.seed,
        engine=scenario.engine,
    )
    return SampledAttack(run, reduced, np.searchsorted(kept, people))
