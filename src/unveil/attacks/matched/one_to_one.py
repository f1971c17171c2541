"""One to one at the least total cost: nobody is taken for two, and no row for two people.

All records are linked at once, so that they are as near to their rows as they can be together. A
row that several are near to goes to one of them, and the others look further: that settles cases
that each record by itself could not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unveil.attacks.matched.comparer import ClassPairs, MatchProbabilities, pair_keys
from unveil.matching.alternatives import alternatives
from unveil.matching.one_to_one import Matching, one_to_one
from unveil.matching.pair_costs import CostProvider
from unveil.support.arrays import Floats, Ints
from unveil.support.seeds import stream

SHUFFLES = 5  # where several matchings are the cheapest


def cheapest_matching(pairing: ClassPairs, seed: int) -> MatchProbabilities:
    """How likely each pair is in a cheapest matching of all.

    Where there are several, which one is found depends on the order of the rows. Both files
    are shuffled, each by random numbers of its own, and the mean of five such matchings is
    taken: whatever the order was, it says nothing. Records that are the same share.
    """
    found = [_shuffled_matching(pairing, seed, 0)]
    market, first = found[0]
    differ = int((alternatives(market, first) * market.supply).sum())
    if differ:
        found += [_shuffled_matching(pairing, seed, run) for run in range(1, SHUFFLES)]
    columns = pairing.shape[1]
    keys = [
        pair_keys(one.rows[made.rows], one.columns[made.columns], columns) for one, made in found
    ]
    every, place = np.unique(np.concatenate(keys), return_inverse=True)
    amount = np.concatenate([made.amount for _, made in found])
    rows, partners = every // columns, every % columns
    shares = np.bincount(place, amount, len(every)) / len(found)
    chance = shares / (pairing.supply[rows] * pairing.capacity[partners])
    details = {
        "matching": "one-to-one",
        "cost": first.cost,
        "gap": max(made.gap for _, made in found),
        "proven": all(made.proven for _, made in found),
        "matched": int(first.amount.sum()),
        "rounds": first.rounds,
        "shuffles": len(found),
        "undecided": differ,
    }
    return MatchProbabilities(rows, partners, chance, details)


def _shuffled_matching(pairing: ClassPairs, seed: int, run: int) -> tuple[ShuffledCosts, Matching]:
    rows, columns = (
        stream(seed, "attack", "matching", side, str(run)).permutation(many)
        for side, many in zip(("records", "candidates"), pairing.shape, strict=True)
    )
    market = ShuffledCosts(pairing, rows, columns)
    return market, one_to_one(market)


@dataclass(frozen=True, repr=False, eq=False)
class ShuffledCosts:
    """A market with its rows and columns in another order."""

    market: CostProvider
    rows: Ints  # the row of the market at each place
    columns: Ints

    @property
    def supply(self) -> Ints:
        """How many identical records each row stands for."""
        return self.market.supply[self.rows]

    @property
    def capacity(self) -> Ints:
        """How many identical candidates each column stands for."""
        return self.market.capacity[self.columns]

    def dense(self) -> Floats:
        """All costs."""
        return self.market.dense()[self.rows][:, self.columns]

    def cheapest(self, prices: Floats, k: int) -> tuple[Ints, Floats]:
        """For each row the k cheapest columns."""
        back = np.argsort(self.columns)
        found, costs = self.market.cheapest(prices[back], k)
        return np.where(found < 0, -1, back[found])[self.rows], costs[self.rows]

    def cheapest_rows(self, prices: Floats, k: int) -> tuple[Ints, Floats]:
        """For each column the k cheapest rows."""
        back = np.argsort(self.rows)
        found, costs = self.market.cheapest_rows(prices[back], k)
        return np.where(found < 0, -1, back[found])[self.columns], costs[self.columns]
