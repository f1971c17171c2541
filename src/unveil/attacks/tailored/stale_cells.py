"""Cells that are out of date: the likelihood of pairs whose known cell may be wrong.

If a share e of the cells is out of date, the likelihood of a released cell is a mixture: 1 - e of
the channel's, and e of the share that the cell has in the release. Categories have a table of it,
which is exact. An engine compares numbers by a cost of their gap, but the share depends on the
released number. So the cost of a gap is that of the mixture with the typical share, and a table of
bins adds how far the share in a bin changes it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from unveil.attacks.tailored.pair_likelihood import PairLikelihood
from unveil.engines.base import Engine
from unveil.engines.metric import Cost, prorated, table
from unveil.support.arrays import Floats, Ints

MOST_BINS = 128  # of one attribute
KNOTS = np.linspace(0.0, 1.0, 17)  # of a smooth cost
FAR = 8.0  # log 3,000: a likelihood so far below that of a stale cell adds nothing


def with_stale_cells(
    part: PairLikelihood, population: PairLikelihood, error: float, engine: Engine
) -> PairLikelihood:
    """The likelihood where a share of the cells is out of date; `population` is that of everybody.

    Each number with noise is mixed separately. A Cholesky root of correlated noise counts as out of
    date if any of its cells is, independently of other roots: the exact mixture would have a term
    for every set of cells.
    """
    noise, every = all(cost.is_squared for cost in part.costs), np.arange(len(part.costs))
    for numbers in every[:, None] if noise else every[None]:
        whole = numbers if noise else np.arange(len(population.costs))
        n_cells = part.n_cells[numbers[0]] if part.n_cells else 1
        surprise = population.surprise(whole, engine)
        part = _mix(part, numbers, surprise, 1 - (1 - error) ** n_cells)
    return part


def _mix(part: PairLikelihood, numbers: Ints, surprise: Floats, error: float) -> PairLikelihood:
    """The mixture in the numbers of one attribute, given the surprise of each released cell."""
    known, there = (~np.isnan(side[:, numbers[0]]) for side in (part.intruder, part.released))
    # The cost of a pair leaves out the record's spread, and so must that of a stale cell.
    spread = _mean(part.spread[known])
    mixture = _Mixture(error, _mean(surprise[there]) - spread)
    costs = [part.costs[number] for number in numbers]
    if len(costs) > 1 or costs[0].kind != "table":
        part = replace(part, constant=part.constant + mixture.least)
        mixed = _with_costs(part, numbers, [mixture.gap_cost(cost) for cost in costs])
        by_members = any(cost.kind == "table" for cost in costs)
        return mixed if by_members else _add_bins(mixed, part, numbers, surprise, mixture)
    of_code = np.full(costs[0].categories or 0, surprise.max(initial=0.0))
    of_code[part.released[there, numbers[0]].astype(np.int64)] = surprise[there]
    cells = mixture.cost(costs[0].value.reshape(len(of_code), -1), of_code - spread)
    part = replace(part, constant=part.constant + float(cells.min()))
    return _with_costs(part, numbers, [table(cells - cells.min())])


class _Mixture(NamedTuple):
    """A channel's likelihood and the share of a released cell, as negative logs."""

    error: float
    surprise: float  # of a typical cell

    @property
    def least(self) -> float:
        """The cost of no gap, with the typical share."""
        return float(self.cost(np.zeros(1))[0])

    def cost(self, costs: Floats, surprise: Floats | None = None) -> Floats:
        """The negative log of the mixture, with the surprise of each cell or the typical one."""
        stale = self.surprise if surprise is None else surprise
        with np.errstate(divide="ignore"):
            mixed: Floats = -np.logaddexp(np.log1p(-self.error) - costs, np.log(self.error) - stale)
        return mixed

    def gap_cost(self, cost: Cost) -> Cost:
        """The cost of gaps in the mixture with the typical share, above that of no gap."""
        if cost.kind in ("table", "pieces"):
            value, slope = self._rise(cost.value), np.zeros(len(cost.slope))
            rising = cost.slope > 0
            width = np.diff(cost.end, prepend=0.0)[rising]
            last = self._rise(cost.value[rising] + cost.slope[rising] * width)
            slope[rising] = np.maximum(last - value[rising], 0.0) / width
            return replace(cost, value=value, slope=slope)
        with np.errstate(divide="ignore"):
            most = self.surprise + float(np.log1p(-self.error) - np.log(self.error))
        reach = (max(most, 0.0) + FAR) / cost.weight
        knots = KNOTS * (reach**0.5 if cost.is_squared else reach)
        rise = np.maximum.accumulate(self._rise(_cost_of(cost, knots)))
        return prorated(knots.tolist(), rise.tolist(), side=cost.side)

    def _rise(self, costs: Floats) -> Floats:
        rise: Floats = np.maximum(self.cost(costs) - self.least, 0.0)
        return rise


def _with_costs(part: PairLikelihood, numbers: Ints, costs: list[Cost]) -> PairLikelihood:
    new = dict(zip(numbers.tolist(), costs, strict=True))
    return replace(part, costs=tuple(new.get(j, cost) for j, cost in enumerate(part.costs)))


def _add_bins(
    mixed: PairLikelihood, part: PairLikelihood, numbers: Ints, surprise: Floats, mixture: _Mixture
) -> PairLikelihood:
    """Add the bin of the value as a number, with a table of the cost changes by the bins' shares.

    The shares matter if values are far apart, so the distance of two bins is that of their nearest
    values.
    """
    ours, theirs, n = _bins(part, numbers)
    rare = _mean_by(theirs, surprise, n) - _mean_by(ours, part.spread, n)[:, None]
    gaps = np.zeros((n, n))
    for number in numbers:
        low, high = _ends_by(ours, part.intruder[:, number], n)
        other_low, other_high = _ends_by(theirs, part.released[:, number], n)
        cost = part.costs[number]
        above = other_low - high[:, None] if cost.side != "below" else 0.0
        below = low[:, None] - other_high if cost.side != "above" else 0.0
        gaps += _cost_of(cost, np.maximum(np.maximum(above, below), 0.0))
    change = mixture.cost(gaps, rare) - mixture.cost(gaps)
    least = float(change.min())
    return replace(
        mixed,
        intruder=np.column_stack([mixed.intruder, np.where(ours < 0, np.nan, ours)]),
        released=np.column_stack([mixed.released, np.where(theirs < 0, np.nan, theirs)]),
        costs=(*mixed.costs, table(change - least)),
        constant=mixed.constant + least,
    )


def _bins(part: PairLikelihood, numbers: Ints) -> tuple[Ints, Ints, int]:
    """The bins of the intruder's and of the released values, -1 if missing; and how many there are.

    A bin has one value if there are few values. Intervals go by their centres.
    """
    centres = [side[:, numbers].mean(axis=1) for side in (part.intruder, part.released)]
    values = np.concatenate(centres)
    values = values[~np.isnan(values)]
    starts = np.unique(values)
    if len(starts) > MOST_BINS:
        starts = np.unique(np.quantile(values, np.arange(MOST_BINS) / MOST_BINS))
    ours, theirs = (
        np.where(np.isnan(one), -1, np.searchsorted(starts[1:], one, "right")) for one in centres
    )
    return ours, theirs, max(len(starts), 1)


def _ends_by(bins: Ints, values: Floats, n: int) -> tuple[Floats, Floats]:
    """The lowest and the highest value of each bin; an empty one is far from all others."""
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(low, bins[bins >= 0], values[bins >= 0])
    np.maximum.at(high, bins[bins >= 0], values[bins >= 0])
    return low, high


def _mean_by(bins: Ints, values: Floats, n: int) -> Floats:
    """The mean of each bin, in empty bins that of all; sums do not depend on the row order."""
    order = np.lexsort((values, bins))
    order = order[bins[order] >= 0]
    sums = np.bincount(bins[order], values[order], n)
    counts = np.bincount(bins[order], minlength=n)
    means: Floats = np.where(counts > 0, sums / np.maximum(counts, 1), _mean(values[order]))
    return means


def _mean(values: Floats) -> float:
    return float(np.sort(values).mean()) if len(values) else 0.0


def _cost_of(cost: Cost, gaps: Floats) -> Floats:
    """The cost of gaps, as engines define it."""
    if cost.kind != "pieces":
        smooth: Floats = cost.weight * gaps ** (2 if cost.is_squared else 1)
        return smooth
    piece = np.searchsorted(cost.end, gaps, "left")
    beyond = np.where(cost.slope[piece] > 0, gaps - np.append(0.0, cost.end[:-1])[piece], 0.0)
    found: Floats = cost.value[piece] + cost.slope[piece] * beyond
    return found
