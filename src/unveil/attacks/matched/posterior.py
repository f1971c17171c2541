"""Posterior linkage: each record is linked to its most probable partner.

All one-to-one matchings are weighted by their likelihood. The probability
of a link over all of them tells the intruder how far to trust the link.
"""

import logging
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from unveil.attacks.matched.comparer import ClassPairs, pair_keys, rounded_costs
from unveil.attacks.matched.matches import DenseProbabilities, Matches, MatchProbabilities
from unveil.matching.posterior import FRACTION, DenseGraph, Marginals, MatchGraph, marginals
from unveil.support.arrays import Floats, Ints

MOST_PAIRS = 400_000_000  # up to which all pairs are kept
EXACT_PAIRS = 16_000_000  # up to which these are kept in 64 bits, then in 32
KEPT_CANDIDATES, KEPT_RECORDS = 32, 16  # of each record, of each candidate, where there are more
LOG_SUM_ERROR = 1e-2  # relative, of the sum over all candidates of a record
RATE_FITS, RATE_TOLERANCE, RATE_ROUNDS = 10, 0.01, 20  # fits, relative change, rounds of each
LEAST_COST = 1e-4  # of matched pairs, relative to the mean of all
NOTABLE_ERROR = 0.1  # of a sum of probabilities, from which on a warning is logged
MOST_PRICE = 1e20  # stands for an infinite price


def posterior(
    pairs: ClassPairs, *, fraction: float = FRACTION, alone: Floats | None = None
) -> Matches:
    """The probability of each pair in a random one-to-one matching.

    Costs that are no log-likelihoods are multiplied by a rate, fitted without the truth so that
    matched pairs cost their degrees of freedom on average. `alone`, for log-likelihoods only, is
    the log-likelihood that a record of each class has no partner.

    Of very large files only the nearest pairs are kept. Every probability then counts all
    candidates of its record: those left out have the rest.
    """
    rows, columns = pairs.shape
    graph = _dense_graph(pairs) if rows * columns <= MOST_PAIRS else _nearest_graph(pairs)
    rate = 1.0 if alone is not None else _fit_rate(graph, pairs.comparer.degrees)
    left_out = None
    if isinstance(graph, DenseGraph):
        graph = replace(graph, used_up=True)
    else:
        left_out = partial(_left_out, pairs, graph, rate, alone)
    result = marginals(graph, rate=rate, fraction=fraction, alone=alone, left_out=left_out)
    if result.error > NOTABLE_ERROR:
        logging.getLogger("unveil").warning(
            "the posterior over matchings did not converge in %d rounds: the expected number of "
            "partners of a row is up to %.2g from 1; its probabilities are approximate",
            result.rounds,
            result.error,
        )
    details = _details(result, rate, pairs.supply)
    if isinstance(graph, DenseGraph):
        return DenseProbabilities(result.probability, details)
    possible = result.probability > 0
    listed = graph.rows[possible], graph.columns[possible], result.probability[possible]
    return MatchProbabilities(*listed, details)


def _details(result: Marginals, rate: float, supply: Ints) -> dict[str, Any]:
    return {
        "matching": "posterior",
        "rounds": result.rounds,
        "error": result.error,
        "rate": rate,
        "fraction": result.fraction,
        "pairs": int(result.probability.size),
        "cut_off": float(np.average(result.left_out, weights=supply)),
        "most_cut_off": float(result.left_out.max(initial=0.0)),
    }


def _dense_graph(pairs: ClassPairs) -> DenseGraph:
    rows, columns = pairs.shape
    bits = np.float64 if rows * columns <= EXACT_PAIRS else np.float32
    return DenseGraph(*pairs.above_least(bits), pairs.supply, pairs.capacity)


def _nearest_graph(pairs: ClassPairs) -> MatchGraph:
    """The nearest candidates of each record, and the nearest records of each candidate."""
    rows, columns = pairs.shape
    near, _ = pairs.cheapest(np.zeros(columns), KEPT_CANDIDATES)
    back, _ = pairs.cheapest_rows(np.zeros(rows), KEPT_RECORDS)
    of_rows, of_columns = near >= 0, back >= 0
    keys = np.union1d(
        pair_keys(np.repeat(np.arange(rows), of_rows.sum(1)), near[of_rows], columns),
        pair_keys(back[of_columns], np.repeat(np.arange(columns), of_columns.sum(1)), columns),
    )
    left, right = keys // columns, keys % columns
    cost = rounded_costs(pairs.comparer, left, right)
    starts = np.searchsorted(left, np.arange(rows + 1))
    return MatchGraph(starts, right, cost, pairs.supply, pairs.capacity)


def _fit_rate(graph: MatchGraph | DenseGraph, degrees: float | None) -> float:
    """The rate of costs; 1 for log-likelihoods."""
    if degrees is None:
        return 1.0
    least = np.where(np.isfinite(graph.least), graph.least, 0.0)
    mean = float((graph.supply * least).sum()) / float(graph.supply.sum())
    floor = graph.mean_cost * LEAST_COST + 1e-300
    rate = degrees / max(mean, floor)
    for _ in range(RATE_FITS):
        cost = graph.expected_cost(marginals(graph, rate=rate, rounds=RATE_ROUNDS).probability)
        before, rate = rate, degrees / max(cost, floor)
        if abs(rate - before) <= RATE_TOLERANCE * before:
            break
    return rate


def _left_out(
    pairs: ClassPairs, graph: MatchGraph, rate: float, alone: Floats | None, scaling: Floats
) -> Floats:
    """The weight of the candidates left out, relative to those kept, at the columns' scaling."""
    rows = np.arange(len(graph.supply))
    with np.errstate(divide="ignore"):
        prices = np.minimum(-np.log(scaling * graph.capacity), MOST_PRICE)
    total = pairs.comparer.scale_costs(rate).with_prices(prices).log_sums(rows, LOG_SUM_ERROR)
    kept = _log_sums(graph, rate, prices)
    if alone is not None:
        total, kept = (np.logaddexp(sums, alone) for sums in (total, kept))
    with np.errstate(invalid="ignore", over="ignore"):
        more: Floats = np.expm1(np.maximum(total - kept, 0.0))
    return np.nan_to_num(more, nan=0.0, posinf=MOST_PRICE)


def _log_sums(graph: MatchGraph, rate: float, prices: Floats) -> Floats:
    rows, logs = graph.rows, -rate * graph.costs - prices[graph.columns]
    most = np.full(len(graph.supply), -np.inf)
    np.maximum.at(most, rows, logs)
    total = np.zeros(len(most))
    np.add.at(total, rows, np.exp(logs - most[rows]))
    with np.errstate(divide="ignore"):
        sums: Floats = most + np.log(total)
    return sums
