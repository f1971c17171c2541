"""Poisson log-linear models of a table of keys, fitted by iterative proportional fitting.

The sample's count of a cell has a Poisson law with mean mu = pi lambda, the log of which is a sum
of terms: one for each value of a column, of a pair of columns, of three. Elamir and Skinner,
Record level measures of disclosure risk for survey microdata (2006).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unveil.measures.population.grid import Block, Term
from unveil.measures.population.key_table import KeyTable
from unveil.support.arrays import Floats, Ints

MOST_SWEEPS = 40
BLOCK_SWEEPS = 10  # over the terms of a block, for each sweep over the blocks
EXACT = 0.02  # records by which no margin is missed: nothing more to do
CONVERGED = 0.01  # of the records, by which a margin is missed at most
RAKING_SWEEPS = 100
PROJECTION_SWEEPS, PROJECTED = 20, 0.01  # until the variance changes by less than this share


@dataclass(frozen=True)
class Target:
    """A margin that a model reproduces: as observed, or shrunk towards a simpler model."""

    counts: Floats
    strength: float | None = None  # of the shrinkage, in records for each place; None: none


@dataclass(frozen=True)
class LogLinear:
    """A fitted model: its terms with their margins, and the expected count of each cell."""

    targets: Mapping[Term, Target]
    fitted: Floats
    converged: bool

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms that no other term implies."""
        return tuple(self.targets)

    def with_term(self, table: KeyTable, term: Term, target: Target) -> LogLinear:
        """The model with one more term, fitted from where this one is."""
        kept = {one: goal for one, goal in self.targets.items() if not set(one) <= set(term)}
        return fit(table, {**kept, term: target}, self.fitted)


def independence(table: KeyTable) -> LogLinear:
    """The model of independent columns."""
    even = np.full(table.grid.size, table.n / table.grid.size)
    terms = [(axis,) for axis in range(len(table.grid.shape))]
    return fit(table, {term: Target(table.observed(term)) for term in terms}, even)


def fit(table: KeyTable, targets: Mapping[Term, Target], start: Floats) -> LogLinear:
    """Fit each margin in turn until all are met.

    Terms of few columns are fitted together, on the margin that holds them.
    """
    fitted, blocks = start.copy(), table.grid.blocks(targets)
    worst = np.inf
    for _ in range(MOST_SWEEPS):
        largest = worst = 0.0
        for block in blocks:
            margin = table.grid.margin(fitted, block.axes)
            goal = margin.copy()
            missed = _fit_block(block, targets, goal)
            largest = max(largest, float(max(one.max() for one in missed)))
            worst = max(worst, float(max(one.sum() for one in missed)))
            factor = np.divide(goal, margin, out=np.zeros_like(goal), where=margin > 0)
            table.grid.multiply(fitted, block.axes, factor)
        if largest <= EXACT:
            break
    return LogLinear(targets, fitted, converged=worst <= CONVERGED * table.n)


def _fit_block(block: Block, targets: Mapping[Term, Target], values: Floats) -> list[Floats]:
    """Fit the terms of a block; by how much each was missed before."""
    first: list[Floats] = []
    for sweep in range(BLOCK_SWEEPS):
        largest = 0.0
        for term, place in block.terms.items():
            wanted = targets[term].counts
            margin = block.grid.margin(values, place)
            missed = np.abs(margin - wanted)
            largest = max(largest, float(missed.max()))
            if not sweep:
                first.append(missed)
            factor = np.divide(wanted, margin, out=np.zeros_like(margin), where=margin > 0)
            block.grid.multiply(values, place, factor)
        if largest <= EXACT / 2 or len(block.terms) == 1:
            break
    return first


def shrunk_target(table: KeyTable, term: Term, expected: Floats) -> Target | None:
    """The margin of a term between what a model without it expects and what is observed.

    The ratio of the two has a gamma law with mean 1, whose variance is estimated from the surplus
    of (observed - expected)^2 over the Poisson variance: a combination that the sample does not
    have is then rare, not impossible. None if there is no surplus.
    """
    observed, possible = table.observed(term), expected > 0
    noise = table.effect * expected
    surplus = float(((observed - expected) ** 2 - noise)[possible].sum())
    variance = surplus / float((expected[possible] ** 2).sum())
    if variance <= 0:
        return None
    strength = table.effect / variance
    mixed = np.divide(
        expected * (strength + observed), strength + expected, out=np.zeros_like(expected)
    )
    shape = tuple(table.grid.shape[axis] for axis in term)
    return Target(_raked(mixed, observed, shape).ravel(), strength)


def _raked(mixed: Floats, observed: Floats, shape: tuple[int, ...]) -> Floats:
    """A margin scaled until the count of each single value is as observed."""
    result, goal = mixed.reshape(shape), observed.reshape(shape)
    for _ in range(RAKING_SWEEPS):
        missed = 0.0
        for axis in range(len(shape)):
            others = tuple(other for other in range(len(shape)) if other != axis)
            wanted, now = (one.sum(axis=others, keepdims=True) for one in (goal, result))
            missed = max(missed, float(np.abs(wanted - now).max()))
            result = result * np.divide(wanted, now, out=np.zeros_like(now), where=now > 0)
        if missed <= EXACT / 2:
            break
    return result


def term_deviance(table: KeyTable, term: Term, expected: Floats) -> float:
    """How badly a model misses a margin, in standard deviations of what chance alone does.

    It is the likelihood ratio statistic less its degrees of freedom. Sparse margins are missed by
    less than these, so that they come last.
    """
    observed = table.observed(term)
    seen = (observed > 0) & (expected > 0)
    ratio = float((observed[seen] * np.log(observed[seen] / expected[seen])).sum())
    freedom = float(np.prod([table.grid.shape[axis] - 1 for axis in term]))
    if freedom == 0:
        return -np.inf
    return float((2 * ratio / table.effect - freedom) / np.sqrt(2 * freedom))


def variance_of(table: KeyTable, model: LogLinear, cells: Ints, gradient: Floats) -> float:
    """The variance of a sum over some cells by the errors of the model's parameters.

    `gradient`: the derivative of the sum by the log of each cell's mean, in records. It
    is projected on the terms, each cell weighted with its mean, as in the last step of Newton's
    method; a shrunk term by as much less as it was shrunk.
    """
    grid, found = table.grid, 0.0
    projection = np.zeros(grid.size)
    goals = {term: grid.total(cells, gradient, term) for term in model.targets}
    coefficients = {term: np.zeros(len(goal)) for term, goal in goals.items()}
    blocks = grid.blocks(model.targets)
    weights = [grid.margin(model.fitted, block.axes) for block in blocks]
    for _ in range(PROJECTION_SWEEPS):
        for block, weight in zip(blocks, weights, strict=True):
            product = grid.margin(model.fitted, block.axes, projection)
            change = np.zeros(block.grid.size)
            for _ in range(BLOCK_SWEEPS if len(block.terms) > 1 else 1):
                for term, place in block.terms.items():
                    strength = model.targets[term].strength or 0.0
                    now = block.grid.margin(product, place)
                    now += block.grid.margin(weight, place, change)
                    missing = goals[term] - now - strength * coefficients[term]
                    divisor = block.grid.margin(weight, place) + strength
                    step = np.divide(missing, divisor, out=np.zeros_like(now), where=divisor > 0)
                    coefficients[term] += step
                    block.grid.add(change, place, step)
            grid.add(projection, block.axes, change)
        before, found = found, float((gradient * projection[cells]).sum())
        if abs(found - before) <= PROJECTED * abs(found):
            break
    return max(found, 0.0) * table.effect
