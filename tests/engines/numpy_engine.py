"""A second engine, plain numpy: every pair in one matrix, as the definitions say.

It is for tests of a few records, and for whoever writes another engine: what it answers is what
every engine answers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unveil.engines.base import MOST_NEIGHBOURS, ties
from unveil.engines.problem import apply_map, check, check_sizes, check_truth, compares_integers
from unveil.support.equal_rows import EqualRows
from unveil.support.options import whole_number
from unveil.values.search_results import Densities, Neighbours, RankOfTruth


@dataclass(frozen=True)
class NumpyEngine:
    """Compares all pairs; has no index, no threads and no filter."""

    name = "numpy"

    def prepare(self, queries, base, metric, *, blocks=None):
        return NumpySearch(*check(queries, base, metric), metric, blocks)

    def pattern_counts(self, a, b):
        agree = (a[:, None, :] == b[None, :, :]) & (a[:, None, :] >= 0)
        patterns = agree @ (1 << np.arange(a.shape[1]))
        return np.bincount(patterns.ravel(), minlength=1 << a.shape[1])

    def distinct_rows(self, values):
        missing = np.isnan(values)
        cells = np.hstack([np.where(missing, 0.0, values), missing])
        _, group = np.unique(cells, axis=0, return_inverse=True)
        order = np.argsort(group.ravel(), kind="stable")
        return EqualRows(order, np.append(0, np.cumsum(np.bincount(group.ravel()))))

    def supports(self, metric):
        return True


@dataclass(frozen=True, eq=False)
class NumpySearch:
    """The matrix of all scores, and answers read from it."""

    queries: object
    base: object
    metric: object
    blocks: object
    engine = NumpyEngine.name

    def rank_of_truth(self, rows, truth, *, stop_at=None, progress=None):
        scores = self._scores(rows)
        truth = check_truth(truth, len(scores), len(self.base))
        own = np.where(truth >= 0, scores[np.arange(len(truth)), truth], np.inf)
        tied = self._ties(scores, own[:, None])
        n_closer = ((scores < own[:, None]) & ~tied).sum(axis=1)
        n_tied = tied.sum(axis=1) - 1
        if stop_at is not None:
            stopped = n_closer >= whole_number(stop_at, "stop_at", 1, 2**53)
            n_closer, n_tied = np.where(stopped, stop_at, n_closer), np.where(stopped, -1, n_tied)
        there = np.isfinite(own)
        work = scores.size * self.queries.width
        return RankOfTruth(np.where(there, n_closer, -1), np.where(there, n_tied, -1), work=work)

    def nearest(self, rows, *, k=1, progress=None):
        k, scores = whole_number(k, "k", 1, MOST_NEIGHBOURS), self._scores(rows)
        result = Neighbours.none_yet(len(scores), k)
        for i, own in enumerate(scores):
            possible = np.flatnonzero(np.isfinite(own))
            if not len(possible):
                continue
            best = self._ties(own[possible], own[possible].min())
            order = possible[np.lexsort((possible, np.where(best, -np.inf, own[possible])))][:k]
            result.rows[i, : len(order)], result.n_best[i] = order, best.sum()
            result.scores[i, : len(order)] = own[order]
        if self._integers and self.metric.root:  # these are squares
            np.sqrt(result.scores, out=result.scores)
        return result._replace(work=scores.size * self.queries.width)

    def density(self, rows, *, error=1e-6, progress=None):
        scores = self._scores(rows)
        if self._integers and self.metric.root:
            scores = np.sqrt(scores)
        log_sum = np.logaddexp.reduce(-scores, axis=1)
        return Densities(log_sum, np.zeros(len(log_sum)))

    def costs(self, rows, candidates):
        return self._sums[rows, candidates]

    def with_offset(self, offset):
        return replace(self, base=replace(self.base, offset=offset))

    @cached_property
    def _integers(self):
        return compares_integers(self.queries, self.base, self.metric)

    def _ties(self, scores, other):
        return scores == other if self._integers else ties(scores, other)

    def _scores(self, rows):
        """Sums, or their roots; the sums of whole numbers stay whole."""
        sums = self._sums if rows is None else self._sums[rows]
        rooted = self.metric.root and self.base.offset is None and not self._integers
        return np.sqrt(sums) if rooted else sums

    @cached_property
    def _sums(self):
        a, b, metric = self.queries.cells(), self.base.cells(), self.metric
        if metric.matrix is not None:
            a, b, metric = apply_map(a, b, metric, metric.matrix)
        costs = metric.costs_for(a.shape[1])
        check_sizes(a, b, costs, exact=self._integers)
        by_attribute = [all_costs(cost, a[:, j], b[:, j]) for j, cost in enumerate(costs)]
        sums = combined(metric, by_attribute)
        if self.base.offset is not None:
            sums = sums + self.base.offset
        if self.blocks is not None:
            left, right = np.indices(sums.shape).reshape(2, -1)
            sums = np.where(self.blocks.compares(left, right).reshape(sums.shape), sums, np.inf)
        return sums


def combined(metric, by_attribute):
    """The costs of all attributes as one sum, in the order of the attributes."""
    if metric.combine == "largest":
        return np.max(by_attribute, axis=0)
    if metric.combine == "sum":
        total = np.zeros(by_attribute[0].shape)
        for costs in by_attribute:
            total = total + costs
        return total
    costs, total = np.array(by_attribute), np.zeros(by_attribute[0].shape)
    levels = np.sort(costs, axis=0)
    for place, level in enumerate(levels):  # Choquet: what each step adds to all at least so high
        below = levels[place - 1] if place else np.zeros_like(level)
        at_least = ((costs >= level) * (1 << np.arange(len(costs)))[:, None, None]).sum(axis=0)
        weight = metric.measure.values[at_least]
        step = np.subtract(level, below, out=np.zeros_like(level), where=level > below)
        total = total + np.multiply(weight, step, out=np.zeros_like(step), where=weight > 0)
    return total


def all_costs(cost, queries, base):
    """The costs of all pairs in one attribute; a missing cell costs its expectation."""
    known, value = ~np.isnan(queries), ~np.isnan(base)
    costs = pair_costs(cost, np.where(known, queries, 0.0), np.where(value, base, 0.0))
    if known.all() and value.all():
        return costs
    missing = np.zeros(len(queries))
    if cost.missing is not None:
        missing[:] = cost.missing
    elif value.any():
        among = pair_costs(cost, base[value], base[value])
        for i in range(len(queries)):
            missing[i] = expectation(cost, costs[i, value] if known[i] else among)
    return np.where(known[:, None] & value, costs, missing[:, None])


def expectation(cost, costs):
    """The mean of the possible costs; the greatest cost short of impossible where none is."""
    possible = costs[np.isfinite(costs)]
    if len(possible):
        return possible.mean()
    return cost.value[np.isfinite(cost.value)].max(initial=0.0)


def pair_costs(cost, queries, base):
    """The costs of all pairs in one attribute, no cell missing."""
    if cost.kind == "listed":
        cells = np.full((cost.categories, cost.categories), cost.value[0])
        cells[cost.pairs.rows, cost.pairs.codes] = cost.pairs.values
        return cells[np.ix_(queries.astype(int), base.astype(int))]
    if cost.kind == "table":
        cells = cost.value.reshape(cost.categories, -1)
        return cells[np.ix_(queries.astype(int), base.astype(int))]
    gap = base - queries[:, None]
    gap = {"both": np.abs(gap), "above": np.maximum(gap, 0), "below": np.maximum(-gap, 0)}[
        cost.side
    ]
    if cost.kind == "square":
        return cost.weight * (gap * gap)
    if cost.kind == "linear":
        return cost.weight * gap
    piece = np.searchsorted(cost.end, gap)  # the first whose end is not below the gap
    start = np.append(0.0, cost.end)[piece]
    rise = np.multiply(cost.slope[piece], gap - start)
    return cost.value[piece] + rise
