"""The posterior over matchings: everybody has one row, so what is another's is not mine.

All ways to give everybody a row of their own are weighed by how likely they are, and each record
is linked with the row that it has most often. How often that is tells the intruder how far to
trust the link.
"""

import logging

import numpy as np

from unveil.attacks.matched.comparer import ClassPairs, MatchProbabilities, pair_keys, settled_costs
from unveil.matching.posterior import MAX_ROUNDS, Marginals, MatchGraph, marginals
from unveil.support.arrays import Floats, Ints

COMPLETE = 16_000_000  # pairs that are all kept
NEAREST, NEAREST_BACK = 32, 16  # of more, for each record and for each candidate
FEWER = 50  # rounds of scaling then: more of them change no link
CHECKED = 1000  # records for which it is computed what was cut off
FITTED, SETTLED, ROUGHLY = 10, 0.01, 20  # rounds in which a rate is fitted, until it settles
SMALL = 1e-4  # matched pairs cost at least this share of what others do
LARGE = 0.1  # how far from 1 a sum may be without a word
DEAREST = 1e20  # a price that nobody pays


def posterior(pairing: ClassPairs, alone: Floats | None = None) -> MatchProbabilities:
    """How likely each pair is in a random matching of the likelihoods of all pairs.

    Costs that are no log-likelihoods are taken for multiples of them: the rate is fitted,
    without the truth, so that pairs cost on average what so many directions cost. Of those that
    are, it can be said how likely a record of each class is `alone`.
    """
    graph, complete = graph_of(pairing)
    rounds = MAX_ROUNDS if complete else FEWER
    if alone is None:
        rate, found = _fitted(graph, pairing.between.degrees, rounds)
    else:
        rate, found = 1.0, marginals(graph, rounds=rounds, alone=alone)
    if found.error > LARGE:
        logging.getLogger("unveil").warning(
            "the posterior over matchings has not settled in %d rounds: how often a row is had "
            "is still %.2g from once; its links are good, its probabilities less so",
            found.rounds,
            found.error,
        )
    rows = graph.rows
    possible = found.probability > 0
    chance = found.probability / graph.capacity[graph.columns]
    details = {
        "matching": "posterior",
        "rounds": found.rounds,
        "error": found.error,
        "rate": rate,
        "pairs": len(graph.columns),
        "cut_off": 0.0 if complete else _cut_off(pairing, graph, found, rate, alone),
    }
    return MatchProbabilities(rows[possible], graph.columns[possible], chance[possible], details)


def graph_of(pairing: ClassPairs) -> tuple[MatchGraph, bool]:
    """All pairs, if they are few, else the nearest of each record and of each candidate."""
    rows, columns = pairing.shape
    complete = rows * columns <= COMPLETE
    if complete:
        costs = pairing.dense().ravel()
        keys = np.flatnonzero(np.isfinite(costs))
    else:
        near, _ = pairing.cheapest(np.zeros(columns), NEAREST)
        back, _ = pairing.cheapest_rows(np.zeros(rows), NEAREST_BACK)
        there, known = near >= 0, back >= 0
        asked = pair_keys(np.repeat(np.arange(rows), there.sum(1)), near[there], columns)
        asking = pair_keys(back[known], np.repeat(np.arange(columns), known.sum(1)), columns)
        keys = np.union1d(asked, asking)
    left, right = keys // columns, keys % columns
    cost = costs[keys] if complete else settled_costs(pairing.between, left, right)
    starts = np.searchsorted(left, np.arange(rows + 1))
    return MatchGraph(starts, right, cost, pairing.supply, pairing.capacity), complete


def _fitted(graph: MatchGraph, degrees: float | None, rounds: int) -> tuple[float, Marginals]:
    """The rate of costs and the posterior; a rate of 1 for log-likelihoods."""
    if degrees is None:
        return 1.0, marginals(graph, rounds=rounds)
    rows, records = graph.rows, float(graph.supply.sum())
    least = np.full(len(graph.supply), np.inf)
    np.minimum.at(least, rows, graph.costs)
    mean = float((graph.supply * np.where(np.isfinite(least), least, 0.0)).sum()) / records
    floor = float(graph.costs.mean()) * SMALL + 1e-300 if len(graph.costs) else 1.0
    rate = degrees / max(mean, floor)
    for _ in range(FITTED):
        found = marginals(graph, rate=rate, rounds=ROUGHLY)
        matched = graph.supply[rows] * found.probability
        cost = float((matched * graph.costs).sum()) / max(float(matched.sum()), 1e-9)
        before, rate = rate, degrees / max(cost, floor)
        if abs(rate - before) <= SETTLED * before:
            break
    return rate, marginals(graph, rate=rate, rounds=rounds)


def _cut_off(
    pairing: ClassPairs, graph: MatchGraph, found: Marginals, rate: float, alone: Floats | None
) -> float:
    """The share of the records' probability that pairs not kept would have, on average.

    Of some records, at the scalings that were found; all candidates count, and that some may be
    alone.
    """
    rows = len(graph.supply)
    checked = np.unique(np.linspace(0, rows - 1, min(CHECKED, rows)).astype(np.int64))
    sizes = found.scaling * graph.capacity
    with np.errstate(divide="ignore"):
        prices = np.minimum(-np.log(sizes), DEAREST)
    everybody = pairing.between.scale_costs(rate).with_prices(prices).log_sums(checked, 1e-3)
    within = np.concatenate([np.arange(graph.starts[i], graph.starts[i + 1]) for i in checked])
    kept = _log_sums(graph, within, rate, prices)[checked]
    if alone is not None:
        everybody, kept = (np.logaddexp(each, alone[checked]) for each in (everybody, kept))
    with np.errstate(invalid="ignore"):
        lost = np.nan_to_num(-np.expm1(np.minimum(kept - everybody, 0.0)))
    return float(lost.mean())


def _log_sums(graph: MatchGraph, entries: Ints, rate: float, prices: Floats) -> Floats:
    """The log of the sum of exp(-cost) over the pairs of each row."""
    rows, each = graph.rows[entries], -rate * graph.costs[entries] - prices[graph.columns[entries]]
    most = np.full(len(graph.supply), -np.inf)
    np.maximum.at(most, rows, each)
    total = np.zeros(len(most))
    np.add.at(total, rows, np.exp(each - most[rows]))
    with np.errstate(divide="ignore"):
        found: Floats = most + np.log(total)
    return found
