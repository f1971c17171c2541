"""The law of a masked number given the original one, learnt from pairs of both.

Pairs are pooled in three ways: those of a mask that adds have the same difference everywhere, those
of one that multiplies the same relative difference, and those of one that moves values among people
the same values in the neighbourhood. Each way, from all pairs or from near ones, gives a histogram
for each original value. Their mixture is the law; the shares are the likeliest of further pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

from unveil.attacks.tailored.masked_view import MaskedView
from unveil.attacks.tailored.pair_likelihood import PairLikelihood
from unveil.engines.metric import levels, table
from unveil.support.arrays import Floats, Ints

Pooling = Literal["difference", "ratio", "value"]

MOST_BINS = 256  # of a column, original or masked
CELLS = 256  # of a histogram
KNOTS = 1024  # of the scale of a histogram
# How pairs are pooled, the share of them that is near, and the bandwidth in cells.
POOLS: tuple[tuple[Pooling, float, float], ...] = (
    ("difference", 1.0, 1.5),
    ("difference", 1 / 16, 4.0),
    ("ratio", 1.0, 1.5),
    ("ratio", 1 / 16, 4.0),
    ("value", 1 / 16, 2.5),
    ("value", 1 / 64, 4.0),
)
SMALLEST = 1e-3  # in deviations: a ratio is to no smaller value
SHARE_ROUNDS = 40  # of expectation maximisation
LEAST_SHARE = 1e-3  # of the law of all masked values: nothing is impossible
UNCHANGED = 0.01  # the share of unchanged cells from which on these are evidence of their own


@dataclass(frozen=True, repr=False, eq=False)
class ConditionalLaw:
    """The probability of each bin of the masked column, given the bin of the original."""

    column: str
    original_edges: Floats
    masked_edges: Floats
    probability: Floats  # original bins x masked bins
    unchanged: bool  # whether cells often stay as they are, which bins do not show

    def likelihood(self, view: MaskedView) -> PairLikelihood:
        """The likelihood of pairs by their bins; missing cells as they are always counted."""
        files = view.files
        whole = view.with_records(files.release if files.few_records else files.reference)
        part = self._of(view)
        return part.with_missing(part if whole is view else self._of(whole), files.engine)

    def _of(self, view: MaskedView) -> PairLikelihood:
        intruder, _, released = view.files.numbers(self.column)
        before = bins_of(intruder, self.original_edges)[:, None]
        after = bins_of(released, self.masked_edges)[:, None]
        costs = np.zeros((max(self.probability.shape),) * 2)
        costs[: self.probability.shape[0], : self.probability.shape[1]] = -np.log(self.probability)
        return PairLikelihood(before, after, (table(costs),), np.zeros(len(before)))


def unchanged_likelihood(column: str, view: MaskedView) -> PairLikelihood:
    """Whether the cells of a pair are equal to the last digit; a missing one says nothing."""
    intruder, _, released = view.files.numbers(column)
    cost = levels([0], [0, 1], missing=0.0)
    sides = intruder[:, None], released[:, None]
    return PairLikelihood(*sides, (cost,), np.zeros(len(intruder)))


def learn_law(
    column: str, pairs: tuple[Floats, Floats], further: tuple[Floats, Floats]
) -> ConditionalLaw | None:
    """The law of a column, of pairs of original and masked numbers; None if there is nothing.

    `further` pairs, of other simulations, decide how the histograms are mixed.
    """
    x, y = _known(*pairs)
    edges = bin_edges(x), bin_edges(y)
    if not (len(edges[0]) and len(edges[1])):  # a column of one value
        return None
    laws = pooled_laws(x, y, *edges)
    more = _known(*further)
    places = tuple(bins_of(one, of).astype(np.int64) for one, of in zip(more, edges, strict=True))
    share = mixture_shares(np.stack([law[places] for law in laws]))
    probability = np.tensordot(share, laws, axes=1)
    fine = len(np.unique(x)) > MOST_BINS
    return ConditionalLaw(column, *edges, probability, fine and bool((x == y).mean() >= UNCHANGED))


def pooled_laws(x: Floats, y: Floats, x_edges: Floats, y_edges: Floats) -> Floats:
    """The law by each pooling: laws x original bins x masked bins; the last ignores x."""
    unit = max(float(np.abs(x).max()), float(np.abs(y).max()))  # no difference overflows
    x, y, ends = x / unit, y / unit, y_edges / unit
    order = np.lexsort((y, x))
    x, y = x[order], y[order]
    bins = bins_of(x, x_edges / unit).astype(np.int64)
    count = np.bincount(bins, minlength=len(x_edges) + 1)
    middle = np.bincount(bins, x, len(count)) / np.maximum(count, 1)
    # A bin that rounding left empty is that of the next lower value.
    middle = np.where(count > 0, middle, np.append(x[0], x_edges / unit))
    size, sizes = (np.maximum(np.abs(one), SMALLEST * x.std()) for one in (x, middle))
    pooled = {
        "difference": (y - x, ends - middle[:, None]),
        "ratio": ((y - x) / size, (ends - middle[:, None]) / sizes[:, None]),
        "value": (y, np.broadcast_to(ends, (len(middle), len(ends)))),
    }
    warped = {name: _warp(*one) for name, one in pooled.items()}
    around = (np.searchsorted(x, middle, "left") + np.searchsorted(x, middle, "right")) // 2
    laws = [_near_law(*warped[name], around, near, width) for name, near, width in POOLS]
    every = np.bincount(bins_of(y, ends).astype(np.int64), minlength=len(ends) + 1) + 0.5
    return np.stack([*laws, np.broadcast_to(every / every.sum(), laws[0].shape)])


def _warp(values: Floats, ends: Floats) -> tuple[Ints, Floats]:
    """The cell of each value, and the places of ends among the cells.

    Cells are narrow where values are dense: a place is half by rank, half by value.
    """
    distinct, count = np.unique(values, return_counts=True)
    reach = max(float(distinct[-1] - distinct[0]), np.finfo(float).tiny)
    rank = (np.cumsum(count) - count / 2) / len(values)
    place = (rank + (distinct - distinct[0]) / reach) / 2
    kept = np.unique(np.linspace(0, len(distinct) - 1, KNOTS).astype(np.int64))
    knots, places = distinct[kept], place[kept] * CELLS
    cells = np.interp(values, knots, places).astype(np.int64)
    return np.minimum(cells, CELLS - 1), np.interp(ends, knots, places)


def _near_law(cells: Ints, ends: Floats, around: Ints, near: float, width: float) -> Floats:
    """The law of each original bin by the pairs that are near it, smoothed over some cells."""
    n = len(cells)
    wanted = max(int(np.ceil(near * n)), 1)
    if wanted == n:
        counts = np.bincount(cells, minlength=CELLS)[None]
    else:
        first = np.clip(around - wanted // 2, 0, n - wanted)
        counts = np.stack(
            [np.bincount(cells[start : start + wanted], minlength=CELLS) for start in first]
        )
    density = counts / wanted @ _kernel(width)
    upto = np.pad(np.cumsum(density, axis=1), ((0, 0), (1, 0)))
    cell = np.clip(ends.astype(np.int64), 0, CELLS - 1)
    row = np.arange(len(upto))[:, None]  # one for all, or one each
    within = ends - cell
    below = upto[row, cell] * (1 - within) + upto[row, cell + 1] * within
    steps = np.diff(np.pad(below, ((0, 0), (1, 1)), constant_values=((0, 0), (0, 1))), axis=1)
    law: Floats = np.maximum(steps, 0.0)
    return law


@cache
def _kernel(width: float) -> Floats:
    """Where smoothing takes what is in each cell: cells x cells."""
    gaps = np.arange(CELLS)[:, None] - np.arange(CELLS)
    kernel = np.exp(-0.5 * (gaps / width) ** 2)
    spread: Floats = kernel / kernel.sum(1, keepdims=True)
    return spread


def mixture_shares(likelihood: Floats) -> Floats:
    """The likeliest shares of laws, given the likelihood of each pair by each: laws x pairs."""
    share = np.full(len(likelihood), 1 / len(likelihood))
    if likelihood.shape[1]:
        for _ in range(SHARE_ROUNDS):
            weight = share[:, None] * likelihood
            share = (weight / weight.sum(0)).mean(1)
    share[-1] = max(share[-1], LEAST_SHARE)
    found: Floats = share / share.sum()
    return found


def bin_edges(values: Floats) -> Floats:
    """Edges of bins: between distinct values or, of many, half by rank and half by value."""
    distinct, count = np.unique(values, return_counts=True)
    if len(distinct) <= MOST_BINS:
        return distinct[:-1] / 2 + distinct[1:] / 2
    unit = np.abs(distinct).max()
    reach = distinct[-1] / unit - distinct[0] / unit
    place = np.cumsum(count) / len(values) + (distinct / unit - distinct[0] / unit) / reach
    return np.unique(np.interp(2 * np.arange(1, MOST_BINS) / MOST_BINS, place, distinct))


def bins_of(values: Floats, edges: Floats) -> Floats:
    """The bin of each value; NaN is missing."""
    found = np.searchsorted(edges, values, "right").astype(np.float64)
    return np.where(np.isnan(values), np.nan, found)


def _known(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    there = ~(np.isnan(x) | np.isnan(y))
    return x[there], y[there]
