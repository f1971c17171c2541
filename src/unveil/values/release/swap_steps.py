"""The steps of swapped values: how probably each value was replaced by each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unveil.support.arrays import Floats, Ints
from unveil.table.encoding.to_arrays import TiedBlocks

if TYPE_CHECKING:
    from unveil.values.release.swap import Swap

BOUND_DRAWS = 200  # quantiles of a random window


def moved_values(channel: Swap, blocks: TiedBlocks, places: Ints, size: int) -> Floats:
    """The probability that each value (row) was replaced by each other (column).

    Equal values are blocks of positions in ascending order; a step leads from a position to
    another. `places`: the row of each record.
    """
    present, matrix = blocks.last >= 0, np.eye(size)
    reach = min(channel.window, int(present.sum()) - 1)
    if reach < 1:
        return matrix
    reached = np.append(0.0, np.cumsum(step_law(channel, reach)))
    which, first = np.unique(places[present], return_index=True)
    start, stop = blocks.first[present][first], blocks.last[present][first] + 1
    for place, low, high in zip(which, start, stop, strict=True):
        position = np.arange(low, high)[:, None]
        inside = _below(stop - 1 - position, reached) - _below(start - 1 - position, reached)
        chances = inside.sum(0)
        matrix[place] = 0.0
        matrix[place, which] = chances / max(float(chances.sum()), 1e-300)
    return matrix


def step_law(channel: Swap, reach: int) -> Floats:
    """The probability of each distance from 1 to `reach`.

    In ascending order each record not yet swapped draws partners until one is not yet swapped. The
    farther ahead, the more of them are not: of a distance that is drawn with distribution function
    G, a share in proportion to 2^G is. This follows from the balance of records that are passed,
    half of them not yet swapped, and records that are reached.
    """
    steps = np.arange(1, reach + 1)
    if channel.mean is not None and not channel.bound:
        distance = (steps - channel.mean) / max(channel.deviation or 0.0, 1e-9)
        return _not_yet_swapped(np.exp(-(distance**2) / 2))
    if channel.mean is not None:
        law = np.zeros(reach)
        for window in _random_windows(channel, reach):
            law[:window] += _not_yet_swapped(np.ones(window)) / BOUND_DRAWS
        return law
    return _not_yet_swapped(np.ones(reach)) if channel.paired else np.full(reach, 1 / reach)


def _not_yet_swapped(drawn: Floats) -> Floats:
    drawn = drawn / drawn.sum()
    law = drawn * 2.0 ** (np.cumsum(drawn) - drawn / 2)
    shares: Floats = law / law.sum()
    return shares


def _random_windows(channel: Swap, reach: int) -> list[int]:
    """Quantiles of the absolute value of the normal draw that is the window."""
    from scipy.special import ndtri

    middle = (np.arange(BOUND_DRAWS) + 0.5) / BOUND_DRAWS
    draws = np.abs(np.rint((channel.mean or 0.0) + (channel.deviation or 0.0) * ndtri(middle)))
    return [int(window) for window in np.clip(draws, 1, reach)]


def _below(steps: Ints, reached: Floats) -> Floats:
    """The probability of a step up or down to be at most so long; below 0: down."""
    last = len(reached) - 1
    up = 0.5 + 0.5 * reached[np.clip(steps, 0, last)]
    down = 0.5 - 0.5 * reached[np.clip(-steps - 1, 0, last)]
    return np.where(steps >= 0, up, down)
