"""Points of a space: the declared grid of each combination, and the pool that a model ranks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import product, zip_longest

import numpy as np
from scipy.stats.qmc import Halton

from unveil.support.seeds import stream
from unveil.values.search_space import OFF, Candidate, Combination, ParameterRange, SearchSpace

LOW, MIDDLE, HIGH = 1 / 6, 1 / 2, 5 / 6  # the middle of each third of a range
MOST_PLANS = 512  # of a combination, up to which the pool has them all


def grid(space: SearchSpace) -> list[Candidate]:
    """The plans that every search begins with, in order: each combination early, coarse to fine.

    A combination is tried at the middle of its ranges, then near their upper and their lower ends;
    one with several parameters, then with each of them high while the others are low.

    >>> swap = {"method": "rank-swapping", "p": {"from": 1, "to": 41}, "columns": ["age"]}
    >>> space = SearchSpace(combination=[{"name": "swapped", "mask": [swap]}])
    >>> [space.tables(candidate)[0]["p"] for candidate in grid(space)]
    [21, 34, 8]
    """
    return interleaved(
        [Candidate(one.name, point) for point in _grid_points(len(one.dimensions))]
        for one in space.combination
    )


def _grid_points(n_dimensions: int) -> list[tuple[float, ...]]:
    if n_dimensions == 0:
        return [()]
    even = [(place,) * n_dimensions for place in (MIDDLE, HIGH, LOW)]
    if n_dimensions == 1:
        return even
    axes = range(n_dimensions)
    return even + [tuple(HIGH if axis == high else LOW for axis in axes) for high in axes]


def pool(space: SearchSpace, at_least: int, *, seed: int) -> list[Candidate]:
    """Points that cover each combination evenly: all its plans, if they are few.

    Otherwise at least so many points of a low-discrepancy sequence, shifted at random.
    """
    return interleaved(
        [Candidate(one.name, point) for point in _even_points(one, at_least, seed)]
        for one in space.combination
    )


def _even_points(combination: Combination, at_least: int, seed: int) -> Iterable[tuple[float, ...]]:
    ranges = [dimension.range for dimension in combination.dimensions]
    if math.prod(one.levels or math.inf for one in ranges) <= MOST_PLANS:
        return product(*map(_places, ranges))
    n = max(MOST_PLANS, at_least)
    shift = stream(seed, "search", combination.name).random(len(ranges))
    points = (Halton(len(ranges), scramble=False).random(n) + shift) % 1
    return [tuple(point) for point in points.tolist()]


def _places(values: ParameterRange) -> list[float]:
    """A place of each value of a range with few."""
    if values.any is not None:
        places = (np.arange(len(values.any)) + 0.5) / len(values.any)
    else:
        low, high = float(values.start or 0), float(values.to or 0)
        whole = np.arange(low, high + 1)
        if values.log:
            low, high, whole = math.log(low), math.log(high), np.log(whole)
        places = (whole - low) / (high - low)
    if values.or_none:
        places = np.append(0.0, OFF + (1 - OFF) * places)
    return [float(place) for place in places]


def interleaved(columns: Iterable[Sequence[Candidate]]) -> list[Candidate]:
    """The first of each, then the second of each, and so on."""
    rows = zip_longest(*columns)
    return [candidate for row in rows for candidate in row if candidate is not None]
