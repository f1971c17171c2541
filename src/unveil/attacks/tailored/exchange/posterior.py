"""The posterior over matchings with the evidence of exchanges.

candidates ──▶ plausible pairs ──▶ evidence of each column ──▶ posterior ──▶ evidence ... ──▶ test
                                   members among the records ──▶
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from unveil.attacks.matched.comparer import ClassPairs, pair_keys, rounded_costs
from unveil.attacks.matched.matches import Matches, MatchProbabilities
from unveil.attacks.matched.posterior import posterior
from unveil.attacks.tailored.exchange.implied_pairs import ImpliedPairs
from unveil.attacks.tailored.exchange.membership import Membership
from unveil.attacks.tailored.exchange.propagation import propagate
from unveil.attacks.tailored.exchange.value_blocks import ValueBlocks
from unveil.matching.posterior import FRACTION, Marginals, MatchGraph, marginals
from unveil.support.arrays import Floats, Ints

LEAST_PLAUSIBLE = 1e-9  # the probability below which a pair is not listed
LEAST_BESIDE_SEEDS = 1e-3  # the same of two that have partners by propagation
MOST_LISTED = 4_000_000  # pairs, the most probable ones
SEED_PROBABILITY = 0.99  # of a propagated pair, at first
TEST_ROUNDS, MOST_ROUNDS, UNDAMPED = 3, 20, 6  # the first ones take all new evidence at once
CHANGE = 1e-3  # of a probability, below which the rounds end
SCALINGS = 60  # of each round
CONTROLS = (0, 1)  # exchanges with the neighbours of the true partners, two and two
LEAST_CONSISTENCY = 0.5  # of a mechanism that is believed
LEAST_GAIN = 0.5  # of its consistency above that of its controls
LEAST_HOPE = 0.1  # the gain after the first rounds, below which the search ends


class Mechanism(NamedTuple):
    """Whether the files look as if values were exchanged in pairs."""

    consistency: float  # the share of implied pairs that are matched
    controls: tuple[float, ...]  # the same, if each partner is replaced by its neighbour
    propagated: int  # pairs that follow from accepted guesses

    @property
    def gain(self) -> float:
        """The consistency above its controls, as a share of the largest possible difference."""
        control = max(self.controls)
        return (self.consistency - control) / max(1 - control, 1e-9)

    @property
    def passed(self) -> bool:
        """Whether exchanges explain the files and wrong exchanges do not.

        Without a clear pass no evidence is used: a wrong mechanism confirms itself in part.
        """
        return self.consistency >= LEAST_CONSISTENCY and self.gain >= LEAST_GAIN


@dataclass(frozen=True, repr=False, eq=False)
class ExchangePosterior:
    """The posterior over matchings of an attack that follows exchanges (a `PosteriorModel`)."""

    columns: tuple[ValueBlocks, ...]

    def posterior(self, pairs: ClassPairs) -> Matches:
        """The probability of each pair of classes; without exchanges where the test fails."""
        base = posterior(pairs, fraction=0.0)
        first = pairs.records.first, pairs.candidates.first
        blocks = [one.take(*first, pairs.supply, pairs.capacity) for one in self.columns]
        seeds = propagate(blocks)
        graph, prior = _plausible_pairs(pairs, base, seeds)
        members = Membership.of(blocks, pairs.supply)
        alone = None if members is None else members.log_unmatched(graph)
        search, *controls = (
            _Rounds(graph, [ImpliedPairs.of(graph, one, control) for one in blocks], prior, alone)
            for control in (None, *CONTROLS)
        )
        for rounds in (TEST_ROUNDS, MOST_ROUNDS):
            search.run(rounds)
            for one in controls:  # as many rounds: each makes a mechanism more consistent
                one.run(search.done)
            mechanism = Mechanism(
                search.consistency, tuple(one.consistency for one in controls), len(seeds[0])
            )
            if mechanism.gain < LEAST_HOPE:
                break
        tested: dict[str, Any] = {"exchange": mechanism._asdict() | {"passed": mechanism.passed}}
        tested["exchange"]["members"] = 1.0 if members is None else members.share
        if not mechanism.passed:
            plain = posterior(pairs)
            plain.details.update(tested)
            return plain
        found = search.marginals(FRACTION)
        chance, details = found.probability, base.details | {"fraction": found.fraction} | tested
        kept = chance > 0
        return MatchProbabilities(graph.rows[kept], graph.columns[kept], chance[kept], details)


def _plausible_pairs(
    pairs: ClassPairs, base: Matches, seeds: tuple[Ints, Ints]
) -> tuple[MatchGraph, Floats]:
    """The plausible pairs, and their probabilities before any evidence of exchanges."""
    width = pairs.shape[1]
    first, second, chance = _most_probable(base, seeds)
    listed = pair_keys(first, second, width)
    seeded = pair_keys(*seeds, width)
    keys = np.union1d(listed, seeded)
    rows, columns = keys // width, keys % width
    prior = np.zeros(len(keys))
    prior[np.searchsorted(keys, listed)] = chance * pairs.capacity[second]
    has_seed = np.isin(rows, seeds[0]) | np.isin(columns, seeds[1])
    prior[has_seed] *= 1 - SEED_PROBABILITY
    prior[np.searchsorted(keys, seeded)] = SEED_PROBABILITY
    costs = base.details["rate"] * rounded_costs(pairs.comparer, rows, columns)
    starts = np.searchsorted(rows, np.arange(pairs.shape[0] + 1))
    return MatchGraph(starts, columns, costs, pairs.supply, pairs.capacity), prior


def _most_probable(base: Matches, seeds: tuple[Ints, Ints]) -> tuple[Ints, Ints, Floats]:
    """The most probable pairs; if propagation has linked both records, only likely pairs.

    A matrix is read in parts: most pairs of a large file are too many to list.
    """
    found = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    for first, second, chance in base.listed_pairs(LEAST_PLAUSIBLE):
        kept = (chance > LEAST_BESIDE_SEEDS) | ~(
            np.isin(first, seeds[0]) & np.isin(second, seeds[1])
        )
        found = (
            np.concatenate([found[0], first[kept]]),
            np.concatenate([found[1], second[kept]]),
            np.concatenate([found[2], chance[kept]]),
        )
        if len(found[2]) > MOST_LISTED:
            likely = found[2] >= np.partition(found[2], -MOST_LISTED)[-MOST_LISTED]
            found = found[0][likely], found[1][likely], found[2][likely]
    return found


@dataclass(repr=False, eq=False)
class _Rounds:
    """Alternating rounds of evidence and posterior."""

    graph: MatchGraph
    joined: Sequence[ImpliedPairs]
    probability: Floats
    alone: Floats | None  # the log-likelihood that a record has no partner; None: all have one
    evidence: Floats | float = 0.0  # log of what the columns multiply the odds with
    done: int = 0

    def run(self, rounds: int) -> None:
        """Continue to this number of rounds in all, or until no probability changes."""
        change = np.inf
        while self.done < rounds and change > CHANGE:
            product = np.ones(len(self.probability))
            for pairs in self.joined:
                pairs.update(self.probability, product, damped=self.done >= UNDAMPED)
            self.evidence = np.log(product)
            likely: Floats = self.marginals(0.0).probability
            found = likely * self.graph.capacity[self.graph.columns]
            change = float(np.abs(found - self.probability).max(initial=0.0))
            self.probability, self.done = found, self.done + 1

    def marginals(self, fraction: float) -> Marginals:
        """The posterior over matchings, given the evidence of all columns."""
        graph = replace(self.graph, costs=self.graph.costs - self.evidence)
        return marginals(graph, fraction=fraction, rounds=SCALINGS, alone=self.alone)

    @property
    def consistency(self) -> float:
        """The share of implied pairs that are also matched, over all columns."""
        weight = hits = 0.0
        for pairs in self.joined:
            used = pairs.checkable
            implied = np.minimum(pairs.matched(self.probability), 1.0)
            hits += float((self.probability * implied)[used].sum())
            weight += float(self.probability[used].sum())
        return hits / weight if weight else 0.0
