"""Likelihoods of comparison patterns under a forest of attributes, and expected counts for EM.

The level of an attribute depends on that of its parent. A slot is 0 where the attribute is
missing, else one more than its level. A missing attribute is summed out exactly: what is below
an attribute speaks for each of its levels (`below`), from the leaves to the root, and then the
root's levels are shared out to the leaves.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.support.arrays import Floats, Ints
from unveil.support.compile import kernel, part

Slots = NDArray[np.uint16]
SMALL = 1e-100  # products are put on a new scale below it
LEAST = 1e-300


class ForestTables(NamedTuple):
    """The conditional distributions of all attributes."""

    order: Ints  # parents before children
    parent: Ints  # of each attribute, -1 for none
    levels: Ints  # of each attribute
    first: Ints  # where its table begins: parent's levels (one, if there is none) x own levels
    probability: Floats


@part()
def _range(slot: int, levels: int) -> tuple[int, int]:
    """The levels that a slot allows."""
    if slot == 0:
        return 0, levels
    return slot - 1, slot


@part()
def _upward(slots: Slots, forest: ForestTables, below: Floats) -> float:
    """The log of a pattern's likelihood; fills how likely what is below each level is."""
    order, parent, levels, first, probability = forest
    total, product = 0.0, 1.0
    below[:] = 1.0
    for place in range(len(order) - 1, -1, -1):
        j = order[place]
        p, width, start = parent[j], levels[j], first[j]
        low, high = _range(slots[j], width)
        above_low, above_high = 0, 1
        if p >= 0:
            above_low, above_high = _range(slots[p], levels[p])
        largest = 0.0
        for a in range(above_low, above_high):
            message = 0.0
            for b in range(low, high):
                message += probability[start + a * width + b] * below[j, b]
            if p < 0:
                product *= message
                continue
            below[p, a] *= message
            largest = max(largest, below[p, a])
        if p >= 0 and largest < SMALL:
            scale = max(largest, LEAST)
            for a in range(above_low, above_high):
                below[p, a] /= scale
            total += np.log(scale)
        if product < SMALL:
            total += np.log(max(product, LEAST))
            product = 1.0
    return total + float(np.log(product))


@kernel()
def forest_logs(slots: Slots, forest: ForestTables, below: Floats, logs: Floats) -> None:
    """The log-likelihood of each pattern. `below` is room: attributes x levels."""
    for i in range(len(slots)):
        logs[i] = _upward(slots[i], forest, below)


@kernel()
def add_expected(
    slots: Slots, weights: Floats, forest: ForestTables, room: tuple[Floats, Floats], sums: Floats
) -> None:
    """Add the weight of each pattern to its places in the tables, shared out where missing."""
    below, chance = room
    order, parent, levels, first, probability = forest
    for i in range(len(slots)):
        if weights[i] <= 0:
            continue
        _upward(slots[i], forest, below)
        for j in order:
            p, width = parent[j], levels[j]
            low, high = _range(slots[i, j], width)
            above_low, above_high = 0, 1
            if p >= 0:
                above_low, above_high = _range(slots[i, p], levels[p])
            chance[j] = 0.0
            for a in range(above_low, above_high):
                at = first[j] + a * width
                message = 0.0
                for b in range(low, high):
                    message += probability[at + b] * below[j, b]
                own = chance[p, a] if p >= 0 else 1.0
                for b in range(low, high):
                    share = own * probability[at + b] * below[j, b] / max(message, LEAST)
                    chance[j, b] += share
                    sums[at + b] += weights[i] * share


@kernel()
def fill_slots(
    a: Floats, b: Floats, rows: tuple[Ints, Ints], tolerances: tuple[Floats, Ints], slots: Slots
) -> None:
    """The slots of listed pairs: a row of the first file and one of the second each."""
    ends, first = tolerances
    for i in range(len(slots)):
        for j in range(a.shape[1]):
            gap = abs(a[rows[0][i], j] - b[rows[1][i], j])
            slot = 0
            if not np.isnan(gap):
                slot = 1
                for k in range(first[j], first[j + 1]):
                    slot += gap > ends[k]
            slots[i, j] = slot
