"""Two files full of ties, and a metric: for an engine, and as the matrix of the slow twin."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from naive import search as naive
from unveil.aggregation.measure import FuzzyMeasure
from unveil.engines import metric as metrics
from unveil.engines.code_pairs import CodePairs
from unveil.engines.records import Records

SIDES = ("both", "both", "above", "below")
KNOTS = (0.0, 0.5, 1.0, 2.0, 3.0, 5.0)  # dyadic, so that gaps and knots meet exactly
LEVELS = (0.0, 1.0, 1.5, 2.0, 4.0, 7.0)
CODES = 7


@dataclass
class Case:
    """Two files and a metric, for the engine and for the twin."""

    queries: Records
    base: Records
    metric: metrics.Metric
    truth: Any
    distances: Any  # by the twin
    sums: Any  # the same before the root


def some(rng, options, size):
    return sorted(rng.choice(options, size=size, replace=False).tolist())


def a_cost(rng, *, coded):
    """The same cost twice: the engine's and the twin's; some say what a missing cell costs."""
    ours, twin = a_plain_cost(rng, coded=coded)
    if rng.integers(3) == 0:
        twin.missing = float(rng.choice([0, 0.5, 9]))
        ours = replace(ours, missing=twin.missing)
    return ours, twin


def a_plain_cost(rng, *, coded):
    kind = rng.integers(7 if coded else 5)
    side, weight = str(rng.choice(SIDES)), float(rng.choice([0.5, 1, 3]))
    if kind == 0:
        return metrics.squared(weight, side=side), naive.squared(weight, side)
    if kind == 1:
        return metrics.absolute(weight, side=side), naive.absolute(weight, side)
    knots = some(rng, KNOTS, rng.integers(1, 4))
    costs = some(rng, LEVELS, len(knots) + 1)
    if kind == 2:
        equal = costs[0] if rng.integers(2) else None
        ours = metrics.prorated(knots, costs[1:], equal=equal, side=side)
        return ours, naive.prorated(knots, costs[1:], side, equal)
    if kind >= 5:
        cells = rng.choice([0, 1, 2.5, np.inf], size=(CODES, CODES), p=[0.3, 0.3, 0.3, 0.1])
        other = float(rng.choice([0, 1, 2.5]))
        pairs = CodePairs.of(*np.nonzero(cells != other), cells[cells != other], CODES)
        ours = metrics.table(cells) if kind == 5 else metrics.listed(pairs, other)
        return ours, naive.table(cells.tolist())
    if kind == 4:
        costs[-1] = math.inf
    return metrics.levels(knots, costs, side=side), naive.levels(knots, costs, side)


def a_measure(rng, width):
    values = np.zeros(1 << width)
    for s in range(1, 1 << width):
        inside = max(values[s & ~(1 << j)] for j in range(width) if s >> j & 1)
        values[s] = inside + rng.random() * rng.integers(0, 2)
    values[-1] = max(values[-1], 0.1)
    return FuzzyMeasure(values / values[-1])


def a_metric(rng, kind, width, *, coded):
    """The engine's metric, and the twin's costs, combination and root."""
    weights = rng.choice([0, 0.5, 1, 2], size=width)
    weights[rng.integers(width)] = 1
    given_weights = weights if rng.integers(2) else None
    used = weights if given_weights is not None else np.ones(width)
    if kind == "euclid":
        return metrics.euclid(given_weights), [naive.squared(w) for w in used], naive.total, True
    if kind in ("manhattan", "chebyshev"):
        made = getattr(metrics, kind)(given_weights)
        combine = naive.total if kind == "manhattan" else max
        return made, [naive.absolute(w) for w in used], combine, False
    ours, twins = zip(*(a_cost(rng, coded=coded) for _ in range(width)), strict=True)
    if kind == "sum":
        return metrics.Metric(ours), twins, naive.total, False
    if kind == "largest":
        return metrics.Metric(ours, combine="largest"), twins, max, False
    measure = a_measure(rng, width)
    return metrics.choquet(measure, ours), twins, naive.choquet(measure.values), False


@st.composite
def cases(draw, kinds=("euclid", "manhattan", "chebyshev", "sum", "largest", "choquet")):
    """Small files full of ties, duplicates and constants; hypothesis chooses, numpy fills."""
    kind = draw(st.sampled_from(kinds))
    width, n_queries = draw(st.integers(1, 5)), draw(st.integers(1, 8))
    n_base = draw(st.sampled_from([1, 2, 3, 8, 40]))
    filled = draw(st.sampled_from(["codes", "whole", "halves", "any", "constant"]))
    missing = draw(st.sampled_from([0.0, 0.0, 0.4]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))

    def a_file(n):
        values = rng.integers(0, CODES, size=(n, width)).astype(float)
        if filled == "halves":
            values -= rng.integers(0, 2, size=values.shape) * 0.5
        if filled == "any" and kind in ("euclid", "manhattan", "chebyshev"):
            values += rng.standard_normal(values.shape)
        return np.full_like(values, 3) if filled == "constant" else values

    files = a_file(n_queries), a_file(n_base)
    present = [rng.random(values.shape) >= missing for values in files]
    metric, costs, combine, root = a_metric(rng, kind, width, coded=filled in ("codes", "whole"))
    step = draw(st.sampled_from([0, 0.1, 0.5]))
    offset = rng.integers(-40, 41, n_base) * step if step else None
    lists = [
        [[v if p else None for v, p in zip(*row, strict=True)] for row in zip(*file, strict=True)]
        for file in zip([f.tolist() for f in files], [p.tolist() for p in present], strict=True)
    ]
    scores = naive.scores(*lists, costs, combine, offset)
    kept = [int if filled == "whole" else float] * 2
    queries, base = (
        Records(values.astype(kind), seen if missing else None)
        for values, seen, kind in zip(files, present, kept, strict=True)
    )
    return Case(
        queries,
        Records(base.values, base.present, offset),
        metric,
        rng.integers(-1, n_base, n_queries),
        np.sqrt(scores) if root and offset is None else scores,
        scores,
    )
