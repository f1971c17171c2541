"""Fellegi and Sunter's model with dependence: classes of pairs, in each a forest of attributes.

The first class is the matches. In a class the level of an attribute depends on that of at most one
other, its parent: log-linear models with two-way interactions that form no cycle. Their maximum
is in closed form, and a missing attribute is summed out exactly. Several classes of other pairs
without interactions are a latent class model. EM fits both in the same way.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.probabilistic.fellegi_sunter import (
    EstimationRules,
    FellegiSunterModel,
    decreasing_ratios,
)
from unveil.attacks.probabilistic.kernels import forests as kernel
from unveil.attacks.probabilistic.level_patterns import LevelPatterns
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import prepare
from unveil.support.threads import block_bounds, cores, run_blocks

Slots = NDArray[np.uint16]  # patterns x attributes: 0 where missing, else one more than the level
Edges = tuple[tuple[int, int], ...]  # interacting attributes

LEAST = 1e-12  # a probability; an estimate of 0 excludes nobody
PATTERNS_AT_ONCE = 1 << 16  # summed together, whatever the threads, so that sums are the same


@dataclass(frozen=True, repr=False, eq=False)
class SlotPatterns:
    """Pairs by their comparison levels, attribute by attribute."""

    slots: Slots
    counts: Floats
    levels: Ints  # of each attribute

    @classmethod
    def decode(cls, patterns: LevelPatterns) -> "SlotPatterns":
        """Patterns of parts as slots."""
        parts = zip(patterns.codes, patterns.shapes, strict=True)
        columns = [column for codes, shape in parts for column in np.unravel_index(codes, shape)]
        levels = [slots - 1 for shape in patterns.shapes for slots in shape]
        slots = np.column_stack(columns).astype(np.uint16)
        return cls(slots, patterns.counts, np.array(levels, np.int64))

    def pair_table(self, j: int, k: int, weights: Floats) -> Floats:
        """The weight of all patterns with each level of two attributes."""
        width = int(self.levels[k]) + 1
        both = self.slots[:, j].astype(np.int64) * width + self.slots[:, k]
        sums = np.bincount(both, weights, (int(self.levels[j]) + 1) * width)
        return np.asarray(sums, np.float64).reshape(-1, width)[1:, 1:]


def forest(levels: Ints, edges: Edges, margins: Sequence[Floats]) -> kernel.ForestTables:
    """A forest with these edges, where no attribute depends on its parent yet."""
    parent, order = np.full(len(levels), -1), []
    for root in range(len(levels)):
        waiting = [] if root in order else [root]
        while waiting:
            one = waiting.pop(0)
            order.append(one)
            near = [b if a == one else a for a, b in edges if one in (a, b)]
            children = [other for other in near if other not in order]
            parent[children] = one
            waiting += children
    rows = [int(levels[p]) if p >= 0 else 1 for p in parent.tolist()]
    first = np.cumsum([0, *np.array(rows) * levels])[:-1]
    tables = np.concatenate([np.tile(own, many) for own, many in zip(margins, rows, strict=True)])
    # A level that no pair has, as of similar texts, has no probability yet.
    return kernel.ForestTables(np.array(order), parent, levels, first, np.maximum(tables, LEAST))


def tables_of(tables: kernel.ForestTables, values: Floats | None = None) -> list[Floats]:
    """The conditional distributions, or other values in their places: parent's x own levels."""
    values = tables.probability if values is None else values
    ends = np.append(tables.first, len(values))
    return [
        values[ends[j] : ends[j + 1]].reshape(-1, int(width))
        for j, width in enumerate(tables.levels)
    ]


def margins(tables: kernel.ForestTables) -> list[Floats]:
    """The distribution of each attribute."""
    own, found = tables_of(tables), [np.ones(1)] * len(tables.levels)
    for j in tables.order.tolist():
        p = int(tables.parent[j])
        share = (found[p] if p >= 0 else np.ones(1)) @ own[j]
        found[j] = share / share.sum()
    return found


@dataclass(frozen=True, repr=False, eq=False)
class DependentClasses:
    """Classes of pairs, matches first; and the course of EM."""

    classes: tuple[kernel.ForestTables, ...]
    shares: Floats  # of all pairs
    path: list[float] = field(default_factory=list)  # log-likelihoods, smoothing included
    converged: bool = False

    @property
    def prior(self) -> float:
        """The share of matches."""
        return float(self.shares[0])

    @property
    def logit(self) -> float:
        """The logarithm of the prior odds."""
        return float(np.log(self.prior) - np.log1p(-self.prior))

    def logs(self, slots: Slots) -> Floats:
        """The log-likelihood of each pattern in each class, with the share of the class."""
        prepare("the dependence of attributes", _rehearse)
        logs = np.empty((len(self.classes), len(slots)))

        def work(start: int, stop: int) -> None:
            for one, own in zip(self.classes, logs, strict=True):
                kernel.forest_logs(slots[start:stop], one, _room(one), own[start:stop])

        run_blocks(work, block_bounds(len(slots), PATTERNS_AT_ONCE), threads=cores(None))
        result: Floats = logs.T + np.log(np.maximum(self.shares, LEAST))
        return result

    def weigh(self, slots: Slots) -> Floats:
        """The match weight of each pattern: log P(pattern | match) / P(pattern | other pair)."""
        logs = self.logs(slots)
        weights: Floats = logs[:, 0] - _log_sum(logs[:, 1:]) - self.logit
        return weights

    def by_attribute(self, first: Ints) -> "DependentModel":
        """The m and u of each attribute by itself, which weigh patterns by these classes."""
        m, *others = (np.concatenate(margins(one)) for one in self.classes)
        u = np.average(others, axis=0, weights=np.maximum(self.shares[1:], LEAST))
        return DependentModel(m, u, first, self.prior, self.path, self.converged, classes=self)

    def edges(self) -> list[Edges]:
        """The interactions in each class."""
        return [
            tuple(
                sorted((min(j, p), max(j, p)) for j, p in enumerate(one.parent.tolist()) if p >= 0)
            )
            for one in self.classes
        ]

    def with_edges(self, edges: Sequence[Edges]) -> "DependentClasses":
        """The same classes with interactions that have no effect yet."""
        classes = tuple(
            forest(one.levels, own, margins(one))
            for one, own in zip(self.classes, edges, strict=True)
        )
        return DependentClasses(classes, self.shares)

    def n_parameters(self, occurring: Ints) -> int:
        """The free parameters but the prior, given the levels that occur of each attribute."""
        free = occurring - 1
        inside = sum(
            int(free.sum()) + sum(int(free[j] * free[k]) for j, k in own) for own in self.edges()
        )
        return inside + len(self.classes) - 2


@dataclass(frozen=True, repr=False, eq=False)
class DependentModel(FellegiSunterModel):
    """A model in which the weight of a pattern is no sum over its attributes."""

    classes: DependentClasses = field(kw_only=True)

    def weigh(self, patterns: LevelPatterns) -> Floats:
        return self.classes.weigh(SlotPatterns.decode(patterns).slots)


def posterior(logs: Floats) -> tuple[Floats, Floats]:
    """The probability of each class for each pattern, and the log-likelihoods of all together."""
    total = _log_sum(logs)
    return np.exp(logs - total[:, None]), total


def fit(
    patterns: SlotPatterns,
    model: DependentClasses,
    spread: Sequence[Floats],
    rules: EstimationRules,
) -> DependentClasses:
    """EM from a model, until no pattern's match probability changes.

    `spread`: the shares of all pairs by level, to which smoothing is added.
    """
    smoothing = [rules.smoothing * _independent(one, spread) for one in model.classes]
    path, before = list[float](), np.full(len(patterns.counts), np.inf)
    while True:
        chance, total = posterior(model.logs(patterns.slots))
        inside = sum(
            float(added @ np.log(one.probability))
            for added, one in zip(smoothing, model.classes, strict=True)
        )
        path.append(float(patterns.counts @ total) + inside)
        converged = bool((np.abs(chance[:, 0] - before) <= rules.tolerance).all())
        if converged or len(path) > rules.iterations:
            return replace(model, path=path, converged=converged)
        weights = chance * patterns.counts[:, None]
        after = [
            _maximise(patterns, one, own, added)
            for one, own, added in zip(model.classes, weights.T, smoothing, strict=True)
        ]
        if rules.constrained:
            after[0] = _ordered(after[0], spread)
        amounts = weights.sum(axis=0)
        shares = amounts / max(amounts.sum(), 1e-300)
        if not rules.estimate_prior:  # the other classes divide the rest
            rest = max(float(shares[1:].sum()), 1e-300)
            shares = np.append(model.prior, shares[1:] * (1 - model.prior) / rest)
        model, before = DependentClasses(tuple(after), shares), chance[:, 0]


def _maximise(
    patterns: SlotPatterns, one: kernel.ForestTables, weights: Floats, smoothing: Floats
) -> kernel.ForestTables:
    """The M-step of a class: its expected pairs by level and parent's level, as shares."""
    bounds = block_bounds(len(weights), PATTERNS_AT_ONCE)
    sums = np.zeros((len(bounds) - 1, len(one.probability)))

    def work(start: int, stop: int) -> None:
        room, own = (_room(one), _room(one)), np.ascontiguousarray(weights[start:stop])
        at = start // PATTERNS_AT_ONCE
        kernel.add_expected(patterns.slots[start:stop], own, one, room, sums[at])

    run_blocks(work, bounds, threads=cores(None))
    found = tables_of(one, sums.sum(axis=0) + smoothing)
    shares = [
        np.where(rows.sum(axis=1, keepdims=True) > 0,
                 rows / np.maximum(rows.sum(axis=1, keepdims=True), 1e-300), before)
        for rows, before in zip(found, tables_of(one), strict=True)
    ]  # fmt: skip
    return one._replace(probability=np.maximum(np.concatenate([s.ravel() for s in shares]), LEAST))


def _ordered(matches: kernel.ForestTables, spread: Sequence[Floats]) -> kernel.ForestTables:
    """The likeliest shares whose ratio to those of all pairs does not rise with disagreement."""
    rows = [
        decreasing_ratios(row, own) * own
        for table, own in zip(tables_of(matches), spread, strict=True)
        for row in table
    ]
    probability = np.concatenate([row / max(row.sum(), 1e-300) for row in rows])
    return matches._replace(probability=np.maximum(probability, LEAST))


def _independent(one: kernel.ForestTables, spread: Sequence[Floats]) -> Floats:
    """The shares of all pairs in the places of the tables, as if nothing interacted."""
    parts = [
        np.outer(spread[p] if p >= 0 else np.ones(1), own).ravel()
        for p, own in zip(one.parent.tolist(), spread, strict=True)
    ]
    return np.concatenate(parts)


def _log_sum(logs: Floats) -> Floats:
    largest = logs.max(axis=1, keepdims=True)
    total: Floats = largest[:, 0] + np.log(np.exp(logs - largest).sum(axis=1))
    return total


def _room(one: kernel.ForestTables) -> Floats:
    return np.empty((len(one.levels), int(one.levels.max())))


def _rehearse() -> None:
    one = forest(np.array([2, 2]), ((0, 1),), [np.full(2, 0.5)] * 2)
    slots, sums = np.ones((1, 2), np.uint16), np.zeros(len(one.probability))
    kernel.forest_logs(slots, one, _room(one), np.empty(1))
    kernel.add_expected(slots, np.ones(1), one, (_room(one), _room(one)), sums)
    rows, first = np.zeros(1, np.int64), np.array([0, 1, 2])
    kernel.fill_slots(np.ones((1, 2)), np.ones((1, 2)), (rows, rows), (np.zeros(2), first), slots)
