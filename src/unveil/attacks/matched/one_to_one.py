"""One-to-one linkage at the least total cost: no row is linked to two records.

All records are linked at once. A row that is nearest to several goes to one of them, and the
others take their next best: that decides cases that each record alone could not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unveil.attacks.matched.comparer import ClassPairs, pair_keys
from unveil.attacks.matched.matches import MatchProbabilities
from unveil.matching.alternatives import alternatives
from unveil.matching.one_to_one import DENSE_BYTES, Matching, one_to_one
from unveil.matching.pair_costs import CostProvider, CostTable
from unveil.support.arrays import Floats, Ints
from unveil.support.seeds import stream

SHUFFLES = 5  # matchings that are averaged where several cost the least


def cheapest_matching(pairs: ClassPairs, seed: int, *, roots: bool = False) -> MatchProbabilities:
    """The probability of each pair in a cheapest matching; with `roots` of the roots of all costs.

    Where several matchings cost the least, the order of the rows decides which one is found. Both
    files are therefore shuffled, each by its own stream, and five matchings are averaged. Equal
    records share their partners.
    """
    provider: CostProvider = pairs
    small = 8 * pairs.supply.size * pairs.capacity.size <= DENSE_BYTES
    if roots or small:  # prices are added to sums and not to their roots: all pairs are listed
        costs = pairs.dense()
        costs = np.sqrt(costs, out=costs) if roots else costs
        provider = CostTable(costs, pairs.supply, pairs.capacity)
    runs = [_shuffled_matching(provider, seed, 0)]
    shuffled, first = runs[0]
    undecided = int((alternatives(shuffled, first) * shuffled.supply).sum())
    if undecided:
        runs += [_shuffled_matching(provider, seed, run) for run in range(1, SHUFFLES)]
    n_columns = pairs.shape[1]
    keys = [
        pair_keys(costs_of.rows[match.rows], costs_of.columns[match.columns], n_columns)
        for costs_of, match in runs
    ]
    matched, place = np.unique(np.concatenate(keys), return_inverse=True)
    amount = np.concatenate([match.amount for _, match in runs])
    rows, columns = matched // n_columns, matched % n_columns
    shares = np.bincount(place, amount, len(matched)) / len(runs)
    chance = shares / (pairs.supply[rows] * pairs.capacity[columns])
    details = {
        "matching": "one-to-one",
        "cost": first.cost,
        "gap": max(match.gap for _, match in runs),
        "proven": all(match.proven for _, match in runs),
        "matched": int(first.amount.sum()),
        "rounds": first.rounds,
        "shuffles": len(runs),
        "undecided": undecided,
    }
    return MatchProbabilities(rows, columns, chance, details)


def _shuffled_matching(
    provider: CostProvider, seed: int, run: int
) -> tuple[ShuffledCosts, Matching]:
    sizes = len(provider.supply), len(provider.capacity)
    rows, columns = (
        stream(seed, "attack", "matching", side, str(run)).permutation(size)
        for side, size in zip(("records", "candidates"), sizes, strict=True)
    )
    costs = ShuffledCosts(provider, rows, columns)
    return costs, one_to_one(costs)


@dataclass(frozen=True, repr=False, eq=False)
class ShuffledCosts:
    """A cost provider with its rows and columns in another order."""

    original: CostProvider
    rows: Ints  # the original row at each place
    columns: Ints

    @property
    def supply(self) -> Ints:
        return self.original.supply[self.rows]

    @property
    def capacity(self) -> Ints:
        return self.original.capacity[self.columns]

    def dense(self) -> Floats:
        return self.original.dense()[self.rows][:, self.columns]

    def cheapest(self, prices: Floats, k: int) -> tuple[Ints, Floats]:
        place = np.argsort(self.columns)
        best, costs = self.original.cheapest(prices[place], k)
        return np.where(best < 0, -1, place[best])[self.rows], costs[self.rows]

    def cheapest_rows(self, prices: Floats, k: int) -> tuple[Ints, Floats]:
        place = np.argsort(self.rows)
        best, costs = self.original.cheapest_rows(prices[place], k)
        return np.where(best < 0, -1, place[best])[self.columns], costs[self.columns]
