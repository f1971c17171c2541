"""The remaining rows of a set while rows are removed: the near ones and the far ones.

Near rows are found in a wide tree, as in `tree`, whose boxes draw in when a row on their
face is taken out. Far rows are found in tiles ordered by the distance from a reference:
boxes bound the farthest badly, but a row's own distance and the query's from the reference
bound the one between them.
"""

from typing import NamedTuple

import numpy as np

from unveil.engines.local.kernels.filters import LOOSE, SQUARES, begin
from unveil.engines.local.kernels.tree import FAN, FAR, leaf_at
from unveil.support.arrays import Floats, Floats32, Ints
from unveil.support.compile import kernel, part


class Near(NamedTuple):
    """A tree over the rows that are left; boxes without rows are infinitely far."""

    tiles: Floats32  # leaves x axes x lanes
    low: Floats32  # nodes x axes x FAN
    high: Floats32
    starts: Ints  # where each leaf begins; the last is the end
    first_leaf: int  # nodes from this number on are leaves


class Far(NamedTuple):
    """The same rows by their distance from a reference, the farthest first."""

    tiles: Floats32  # tiles x axes x lanes
    rows: Ints  # in that order
    slots: Ints  # where each row is in it
    radius: Floats  # the greatest distance in each tile
    reference: Floats32
    left: Ints  # rows in each tile
    head: Ints  # the first tile that has any


@part()
def bound_child(near: Near, node: int, j: int) -> None:
    """Draw the box of a node, kept with its parent, around what is below, on axis j."""
    low, high = np.float32(np.inf), np.float32(-np.inf)
    leaf = node - near.first_leaf
    if leaf < 0:
        for i in range(FAN):
            low, high = min(low, near.low[node, j, i]), max(high, near.high[node, j, i])
    else:
        for i in range(near.tiles.shape[2]):
            value = near.tiles[leaf, j, i]
            if value < FAR:
                low, high = min(low, value), max(high, value)
    parent, c = (node - 1) // FAN, (node - 1) % FAN
    near.low[parent, j, c], near.high[parent, j, c] = low, high


@kernel()
def bound_all(near: Near) -> None:
    """The boxes of all nodes, empty before, from the leaves up."""
    for node in range(near.first_leaf + len(near.tiles) - 1, 0, -1):
        for j in range(near.tiles.shape[1]):
            bound_child(near, node, j)


@part()
def drop(near: Near, row: int, gone: Floats32) -> None:
    """Take a row out of the tree; `gone` is scratch, one for each axis."""
    leaf = leaf_at(near.starts, row)
    lane, node = row - near.starts[leaf], near.first_leaf + leaf
    for j in range(len(gone)):
        gone[j] = near.tiles[leaf, j, lane]
        near.tiles[leaf, j, lane] = FAR
    on_face = True
    while node and on_face:
        parent, c = (node - 1) // FAN, (node - 1) % FAN
        on_face = False
        for j in range(len(gone)):
            if gone[j] == near.low[parent, j, c] or gone[j] == near.high[parent, j, c]:
                bound_child(near, node, j)
                on_face = True
        node = parent


@part()
def leave(far: Far, row: int) -> None:
    """Take a row out of its tile: from now on it lies at the reference, far from nothing."""
    t, lane = far.slots[row] // far.tiles.shape[2], far.slots[row] % far.tiles.shape[2]
    for j in range(far.tiles.shape[1]):
        far.tiles[t, j, lane] = far.reference[j]
    far.left[t] -= 1
    while far.head[0] < len(far.left) and far.left[far.head[0]] == 0:
        far.head[0] += 1


@kernel()
def radii(axes: Floats32, rows: Ints, reference: Floats32, out: Floats) -> None:
    """The distance of each row from the reference, to order them by."""
    for i in range(len(rows)):
        total = 0.0
        for j in range(len(reference)):
            total += (np.float64(axes[rows[i], j]) - reference[j]) ** 2
        out[i] = np.sqrt(total)


@part(fastmath=LOOSE)
def filter_far(point: Floats32, tiles: Floats32, t: int, out: Floats32) -> float:
    """Squared distances to the rows of a tile; returns the greatest."""
    lanes = tiles.shape[2]
    begin(SQUARES, point, tiles, t, out)
    for k in range(1, len(point)):
        here = point[k]
        for i in range(lanes):
            gap = here - tiles[t, k, i]
            out[i] += gap * gap
    most = out[0]
    for i in range(1, lanes):
        most = max(most, out[i])
    return most
