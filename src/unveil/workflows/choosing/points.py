"""Points of a space: the declared grid of each combination, and the pool that a model ranks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import product, zip_longest

import msgspec
import numpy as np
from scipy.stats.qmc import Halton

from unveil.support.seeds import stream
from unveil.values.search_space import OFF, Candidate, Combination, ParameterRange, SearchSpace

GRID = (1 / 2, 5 / 6, 1 / 6)  # places: the middle of each third of a range
MOST_PLANS = 512  # of a combination, up to which the pool has them all
BEYOND = 0.1  # of a range that points are spread beyond its ends, and moved back to them
STEPS = tuple(sign * step for step in (0.25, 0.1, 0.04, 0.015) for sign in (1, -1))

Point = tuple[float, ...]


def grid(space: SearchSpace) -> list[Candidate]:
    """The plans that every search begins with, in order: each combination early, coarse to fine.

    Each combination is tried with all its parameters in the middle of their ranges, then near the
    upper and near the lower ends. No plan is there twice.

    >>> swap = {"method": "rank-swapping", "p": {"from": 1, "to": 41}, "columns": ["age"]}
    >>> space = SearchSpace(combination=[{"name": "swapped", "mask": [swap]}])
    >>> [space.tables(candidate)[0]["p"] for candidate in grid(space)]
    [21, 34, 8]
    """
    candidates = interleaved(
        [Candidate(one.name, (place,) * len(one.dimensions)) for place in GRID]
        for one in space.combination
    )
    plans: dict[bytes, Candidate] = {}
    for candidate in candidates:
        plans.setdefault(plan_key(space, candidate), candidate)
    return list(plans.values())


def plan_key(space: SearchSpace, candidate: Candidate) -> bytes:
    """A key that is the same for candidates with the same plan."""
    return msgspec.json.encode(space.tables(candidate), order="sorted")


def pool(
    space: SearchSpace, best: Sequence[Candidate], at_least: int, *, seed: int
) -> list[Candidate]:
    """The points to choose from: of each combination all its plans, if they are few.

    Otherwise at least so many points that cover it evenly, and those around its best so far.
    """
    return interleaved(
        [Candidate(one.name, point) for point in _points_of(one, best, at_least, seed)]
        for one in space.combination
    )


def _points_of(
    combination: Combination, best: Sequence[Candidate], at_least: int, seed: int
) -> Iterable[Point]:
    ranges = [dimension.range for dimension in combination.dimensions]
    if math.prod(one.levels or math.inf for one in ranges) <= MOST_PLANS:
        return product(*map(_places, ranges))
    shift = stream(seed, "search", combination.name).random(len(ranges))
    even = (Halton(len(ranges), scramble=False).random(max(MOST_PLANS, at_least)) + shift) % 1
    # Often it is best to leave a parameter at the end of its range: many points lie on the faces.
    even = np.clip(even * (1 + 2 * BEYOND) - BEYOND, 0, 1)
    own = [one.point for one in best if one.combination == combination.name]
    return [*map(tuple, even.tolist()), *(point for one in own for point in _around(one))]


def _around(point: Point) -> Iterator[Point]:
    """One parameter moved at a time, either way."""
    for axis, step in product(range(len(point)), STEPS):
        moved = min(max(point[axis] + step, 0.0), 1.0)
        yield (*point[:axis], moved, *point[axis + 1 :])


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


def ends(values: ParameterRange) -> list[float]:
    """The places of the least and the greatest value of a range, or of each of a list."""
    if values.any is not None:
        return _places(values)
    return [OFF if values.or_none else 0.0, 1.0]


def interleaved(columns: Iterable[Sequence[Candidate]]) -> list[Candidate]:
    """The first of each, then the second of each, and so on."""
    rows = zip_longest(*columns)
    return [candidate for row in rows for candidate in row if candidate is not None]
