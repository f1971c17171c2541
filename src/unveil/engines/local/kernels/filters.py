"""Distances in 32 bits, many at a time, and how far they can be trusted.

Euclid, Manhattan and Chebyshev on complete records are first computed on the tree's axes,
32 bits wide and, for Euclid, turned to the principal axes, where the first few tell most of
the distance. Rounding is bounded, so the filter takes or leaves a candidate only where
that is certain.
"""

from typing import NamedTuple

import numpy as np

from unveil.engines.base import ABSOLUTE, RELATIVE
from unveil.engines.local.kernels.costs import Terms
from unveil.support.arrays import Floats, Floats32, Ints
from unveil.support.compile import kernel, part

NONE, SQUARES, ABSOLUTES, LARGEST_ABSOLUTE = range(4)
UNIT = 2.0**-23  # twice the rounding of a 32-bit number
TINY = 1e-36  # what squares too small for 32 bits can add up to
HUGE = 1e37  # distances this large may have become infinite

# Rounding may differ by these freedoms; UNIT is generous enough for all of them.
LOOSE = {"contract", "nsz", "nnan", "reassoc"}


class Frame(NamedTuple):
    """How a record's attributes become axes: less the centre, times the turn."""

    filter: int
    centre: Floats
    turn: Floats  # attributes x axes; scale and weights are in it
    diagonal: bool  # the turn only scales
    scale: float  # a distance on the axes over the distance it stands for
    reach: float  # no candidate is longer than this on the axes
    shift: float  # the least offset


@part()
def length_of(kind: int, values: Floats32) -> float:
    """The length of a vector in the filter's distance."""
    length = 0.0
    for value in values:
        if kind == SQUARES:
            length += np.float64(value) * value
        elif kind == ABSOLUTES:
            length += abs(value)
        else:
            length = max(length, abs(value))
    return np.sqrt(length) if kind == SQUARES else length


@part()
def to_axes(frame: Frame, row: Floats, point: Floats32, sums: Floats) -> None:
    """Put a record on the axes; an axis after those of the turn is the offset's, and 0.

    `sums` is scratch, one for each axis.
    """
    if frame.filter == NONE:
        return
    for k in range(len(point)):
        sums[k] = 0.0
    for j in range(len(row)):
        value = row[j] - frame.centre[j]
        if frame.diagonal:
            sums[j] = value * frame.turn[j, j]
        else:
            for k in range(frame.turn.shape[1]):
                sums[k] += value * frame.turn[j, k]
    for k in range(len(point)):
        point[k] = sums[k]


@kernel()
def all_to_axes(
    frame: Frame,
    rows: Floats,
    at: Ints,
    offset: Floats,
    axes: Floats32,
    sums: Floats,
    start: int,
    stop: int,
) -> float:
    """Put the candidates rows[at[i]] on the axes, i from start to stop; returns the longest.

    Where there are offsets, the last axis is made of them. `sums` is scratch.
    """
    longest = 0.0
    for i in range(start, stop):
        to_axes(frame, rows[at[i]], axes[i], sums)
        if len(offset):
            own = offset[at[i]] - frame.shift
            axes[i, axes.shape[1] - 1] = (
                np.sqrt(own) if frame.filter == SQUARES else own
            ) * frame.scale
        longest = max(longest, length_of(frame.filter, axes[i]))
    return longest


@part()
def fringe(terms: Terms, score: float) -> tuple[float, float]:
    """The scores beyond which nothing ties with `score`, with room for rounding."""
    if terms.exact or np.isinf(score):
        return score, score
    if terms.root:
        distance = np.sqrt(score)
        margin = 2.0 * (RELATIVE * distance + ABSOLUTE)
        return max(distance - margin, 0.0) ** 2, (distance + margin) ** 2
    margin = 2.0 * (RELATIVE * abs(score) + ABSOLUTE)
    return score - margin, score + margin


@part()
def thresholds(frame: Frame, terms: Terms, score: float, point: Floats32) -> tuple[float, float]:
    """Filtered distances below the first are nearer than `score`; above the second, farther."""
    low, high = fringe(terms, score)
    if frame.filter == NONE:
        return low, high
    slack = UNIT * (length_of(frame.filter, point) + frame.reach)
    low, high = max(low - frame.shift, 0.0), max(high - frame.shift, 0.0)
    if frame.filter == SQUARES:
        low, high = np.sqrt(low), np.sqrt(high)
    low, high = max(low * frame.scale - slack, 0.0), high * frame.scale + slack
    if frame.filter == SQUARES:
        low, high = low * low, high * high
    rounding = (len(point) + 8) * UNIT
    low, high = low * (1.0 - rounding) - TINY, high * (1.0 + rounding) + TINY
    return low, high if high < HUGE else np.inf  # where distances overflow, none is too far


@part(fastmath=LOOSE)
def begin(kind: int, point: Floats32, tiles: Floats32, leaf: int, out: Floats32) -> None:
    """The distances from a point to the records of a leaf on the first axis."""
    here, lanes = point[0], tiles.shape[2]
    if kind == SQUARES:
        for i in range(lanes):
            gap = here - tiles[leaf, 0, i]
            out[i] = gap * gap
    else:
        for i in range(lanes):
            out[i] = abs(here - tiles[leaf, 0, i])


@part(fastmath=LOOSE)
def add_axes(
    kind: int, point: Floats32, tiles: Floats32, leaf: int, out: Floats32, start: int, stop: int
) -> float:
    """Add the axes start..stop-1 to the distances from a point; returns the least."""
    lanes = tiles.shape[2]
    for k in range(start, stop):
        here = point[k]
        if kind == SQUARES:
            for i in range(lanes):
                gap = here - tiles[leaf, k, i]
                out[i] += gap * gap
        elif kind == ABSOLUTES:
            for i in range(lanes):
                out[i] += abs(here - tiles[leaf, k, i])
        else:
            for i in range(lanes):
                out[i] = max(out[i], abs(here - tiles[leaf, k, i]))
    least = out[0]
    for i in range(1, lanes):
        least = min(least, out[i])
    return least


@part()
def filter_tile(
    kind: int, point: Floats32, tiles: Floats32, leaf: int, limit: float, out: Floats32
) -> bool:
    """Distances (for Euclid squared) from a point to the records of a leaf.

    Returns false when all exceed the limit: then `out` may hold less than the distances.
    """
    begin(kind, point, tiles, leaf, out)
    half = (len(point) + 1) // 2  # the axes are in order: these tell most of the distance
    if add_axes(kind, point, tiles, leaf, out, 1, half) > limit:
        return False
    return add_axes(kind, point, tiles, leaf, out, half, len(point)) <= limit


@part(fastmath=LOOSE)
def filter_boxes(
    kind: int, point: Floats32, low: Floats32, high: Floats32, node: int, out: Floats32
) -> None:
    """The same to the nearest point of each box of a node."""
    lanes = low.shape[2]  # not the constant: loops of a known small length are not vectorised
    zero, here = np.float32(0.0), point[0]
    if kind == SQUARES:
        for i in range(lanes):
            gap = max(max(low[node, 0, i] - here, here - high[node, 0, i]), zero)
            out[i] = gap * gap
    else:
        for i in range(lanes):
            out[i] = max(max(low[node, 0, i] - here, here - high[node, 0, i]), zero)
    for k in range(1, len(point)):
        here = point[k]
        if kind == SQUARES:
            for i in range(lanes):
                gap = max(max(low[node, k, i] - here, here - high[node, k, i]), zero)
                out[i] += gap * gap
        elif kind == ABSOLUTES:
            for i in range(lanes):
                out[i] += max(max(low[node, k, i] - here, here - high[node, k, i]), zero)
        else:
            for i in range(lanes):
                gap = max(max(low[node, k, i] - here, here - high[node, k, i]), zero)
                out[i] = max(out[i], gap)


@part(fastmath=LOOSE)
def filter_corners(
    kind: int, point: Floats32, low: Floats32, high: Floats32, node: int, out: Floats32
) -> None:
    """The same to the farthest corner of each box of a node."""
    lanes = low.shape[2]
    for i in range(lanes):
        out[i] = 0.0
    for k in range(len(point)):
        here = point[k]
        for i in range(lanes):
            gap = max(abs(here - low[node, k, i]), abs(here - high[node, k, i]))
            if kind == SQUARES:
                out[i] += gap * gap
            elif kind == ABSOLUTES:
                out[i] += gap
            else:
                out[i] = max(out[i], gap)
