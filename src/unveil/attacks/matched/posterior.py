"""Posterior linkage: each record is linked to its most probable partner.

All one-to-one matchings are weighted by their likelihood. The probability
of a link over all of them tells the intruder how far to trust the link.
"""

import logging

import numpy as np

from unveil.attacks.matched.comparer import ClassPairs, MatchProbabilities, pair_keys, rounded_costs
from unveil.matching.posterior import MAX_ROUNDS, Marginals, MatchGraph, marginals
from unveil.support.arrays import Floats, Ints

MOST_PAIRS = 16_000_000  # up to which all pairs are kept
KEPT_CANDIDATES, KEPT_RECORDS = 32, 16  # of each record, of each candidate, where there are more
SPARSE_ROUNDS = 50  # of scaling then: more change no link
CHECKED_RECORDS = 1000  # by which the probability of the pairs left out is estimated
RATE_FITS, RATE_TOLERANCE, RATE_ROUNDS = 10, 0.01, 20  # fits, relative change, rounds of each
LEAST_COST = 1e-4  # of matched pairs, relative to the mean of all
NOTABLE_ERROR = 0.1  # of a sum of probabilities, from which on a warning is logged
MOST_PRICE = 1e20  # stands for an infinite price


def posterior(pairs: ClassPairs, alone: Floats | None = None) -> MatchProbabilities:
    """The probability of each pair in a random one-to-one matching.

    Costs that are no log-likelihoods are multiplied by a rate, fitted without the truth so that
    matched pairs cost their degrees of freedom on average. `alone`, for log-likelihoods only, is
    the log-likelihood that a record of each class has no partner.
    """
    graph, complete = _match_graph(pairs)
    rounds = MAX_ROUNDS if complete else SPARSE_ROUNDS
    if alone is None:
        rate, result = _fit_rate(graph, pairs.comparer.degrees, rounds)
    else:
        rate, result = 1.0, marginals(graph, rounds=rounds, alone=alone)
    if result.error > NOTABLE_ERROR:
        logging.getLogger("unveil").warning(
            "the posterior over matchings did not converge in %d rounds: the expected number of "
            "partners of a row is up to %.2g from 1; its links are good, its probabilities less so",
            result.rounds,
            result.error,
        )
    possible = result.probability > 0
    chance = result.probability / graph.capacity[graph.columns]
    details = {
        "matching": "posterior",
        "rounds": result.rounds,
        "error": result.error,
        "rate": rate,
        "pairs": len(graph.columns),
        "cut_off": 0.0 if complete else _cut_off(pairs, graph, result, rate, alone),
    }
    rows, columns = graph.rows[possible], graph.columns[possible]
    return MatchProbabilities(rows, columns, chance[possible], details)


def _match_graph(pairs: ClassPairs) -> tuple[MatchGraph, bool]:
    """All pairs if they are few, else the nearest of each record and of each candidate."""
    rows, columns = pairs.shape
    complete = rows * columns <= MOST_PAIRS
    if complete:
        costs = pairs.dense().ravel()
        keys = np.flatnonzero(np.isfinite(costs))
    else:
        near, _ = pairs.cheapest(np.zeros(columns), KEPT_CANDIDATES)
        back, _ = pairs.cheapest_rows(np.zeros(rows), KEPT_RECORDS)
        of_rows, of_columns = near >= 0, back >= 0
        keys = np.union1d(
            pair_keys(np.repeat(np.arange(rows), of_rows.sum(1)), near[of_rows], columns),
            pair_keys(back[of_columns], np.repeat(np.arange(columns), of_columns.sum(1)), columns),
        )
    left, right = keys // columns, keys % columns
    cost = costs[keys] if complete else rounded_costs(pairs.comparer, left, right)
    starts = np.searchsorted(left, np.arange(rows + 1))
    return MatchGraph(starts, right, cost, pairs.supply, pairs.capacity), complete


def _fit_rate(graph: MatchGraph, degrees: float | None, rounds: int) -> tuple[float, Marginals]:
    """The rate of costs and the posterior; a rate of 1 for log-likelihoods."""
    if degrees is None:
        return 1.0, marginals(graph, rounds=rounds)
    rows, records = graph.rows, float(graph.supply.sum())
    least = np.full(len(graph.supply), np.inf)
    np.minimum.at(least, rows, graph.costs)
    mean = float((graph.supply * np.where(np.isfinite(least), least, 0.0)).sum()) / records
    floor = float(graph.costs.mean()) * LEAST_COST + 1e-300 if len(graph.costs) else 1.0
    rate = degrees / max(mean, floor)
    for _ in range(RATE_FITS):
        result = marginals(graph, rate=rate, rounds=RATE_ROUNDS)
        matched = graph.supply[rows] * result.probability
        cost = float((matched * graph.costs).sum()) / max(float(matched.sum()), 1e-9)
        before, rate = rate, degrees / max(cost, floor)
        if abs(rate - before) <= RATE_TOLERANCE * before:
            break
    return rate, marginals(graph, rate=rate, rounds=rounds)


def _cut_off(
    pairs: ClassPairs, graph: MatchGraph, result: Marginals, rate: float, alone: Floats | None
) -> float:
    """The mean share of a record's probability that the pairs left out would have.

    Computed for some records at the scaling of the result, with all their candidates.
    """
    rows = len(graph.supply)
    checked = np.unique(np.linspace(0, rows - 1, min(CHECKED_RECORDS, rows)).astype(np.int64))
    with np.errstate(divide="ignore"):
        prices = np.minimum(-np.log(result.scaling * graph.capacity), MOST_PRICE)
    total = pairs.comparer.scale_costs(rate).with_prices(prices).log_sums(checked, 1e-3)
    within = np.concatenate([np.arange(graph.starts[i], graph.starts[i + 1]) for i in checked])
    kept = _log_sums(graph, within, rate, prices)[checked]
    if alone is not None:
        total, kept = (np.logaddexp(sums, alone[checked]) for sums in (total, kept))
    with np.errstate(invalid="ignore"):
        lost = np.nan_to_num(-np.expm1(np.minimum(kept - total, 0.0)))
    return float(lost.mean())


def _log_sums(graph: MatchGraph, entries: Ints, rate: float, prices: Floats) -> Floats:
    rows, logs = graph.rows[entries], -rate * graph.costs[entries] - prices[graph.columns[entries]]
    most = np.full(len(graph.supply), -np.inf)
    np.maximum.at(most, rows, logs)
    total = np.zeros(len(most))
    np.add.at(total, rows, np.exp(logs - most[rows]))
    with np.errstate(divide="ignore"):
        sums: Floats = most + np.log(total)
    return sums
