"""A wide tree over the candidates, made for bounds on many children at a time.

Records are split at the median of the widest axis until a leaf holds a few dozen; four
splits make one node with 16 children. A leaf is a tile, one row per axis, and so are the
boxes of a node's children: distances to a tile's records, and to 16 boxes, are computed
side by side. Nodes are numbered like a heap: the children of g are 16 g + 1 and the next.
"""

from typing import NamedTuple

import numpy as np

from unveil.support.arrays import Bools, Floats, Floats32, Ints
from unveil.support.compile import kernel, part

FAN = 16  # children of a node
SAMPLED = 64  # records that choose the axis of a split
FAR = np.float32(3e38)  # fills what is left of a tile: farther than anything


class Tree(NamedTuple):
    """The candidates, distinct rows, in tree order.

    The axes are 32-bit and serve to leave out what is certainly too far: for metrics
    that have a filter they are turned and scaled; otherwise they are the attributes.
    """

    tiles: Floats32  # leaves x axes x lanes
    low: Floats32  # nodes x axes x FAN
    high: Floats32
    floor: Floats32  # nodes x FAN: the least offset below
    ceiling: Floats32  # the greatest
    has_missing: Bools  # nodes x axes x FAN: a cell below is missing
    starts: Ints  # where each leaf begins in tree order; the last is the end
    before: Ints  # how many records come before each position
    root_width: int  # children of the root
    first_leaf: int  # nodes from this number on are leaves


class TreeShape(NamedTuple):
    """The measures of a tree for a number of records."""

    leaves: int
    lanes: int  # of a tile
    root_width: int
    first_leaf: int


def shape(n: int, most: int) -> TreeShape:
    """A tree with at most `most` records in a leaf.

    The leaves are a power of two, so that every node but the root has 16 children.
    """
    splits = 0
    while n > most << splits:
        splits += 1
    leaves = 1 << splits
    largest = (n + leaves - 1) // leaves
    lanes = (largest + 7) // 8 * 8  # whole vectors
    depth = (splits + 3) // 4
    root_width = 1 << (splits - 4 * (depth - 1)) if depth else 1
    return TreeShape(leaves, lanes, root_width, (FAN**depth - 1) // (FAN - 1))


@part()
def widest_axis(axes: Floats32, stretch: Floats, order: Ints, start: int, stop: int) -> int:
    """The axis along which a sample of the records varies most, each axis stretched."""
    step = max(1, (stop - start) // SAMPLED)
    widest, best = -1.0, 0
    for j in range(axes.shape[1]):
        total, squares, n = 0.0, 0.0, 0
        pivot = axes[order[start], j]
        for i in range(start, stop, step):
            value = np.float64(axes[order[i], j] - pivot)
            if not np.isnan(value):
                total += value
                squares += value * value
                n += 1
        variance = (squares - total * total / n) * stretch[j] ** 2 if n else 0.0
        if variance > widest:
            widest, best = variance, j
    return best


@part()
def select(keys: Floats32, order: Ints, start: int, stop: int, middle: int) -> None:
    """Partition both arrays so that keys before `middle` are no larger than those after."""
    left, right = start, stop - 1
    while right > left:
        pivot = keys[(left + right) // 2]
        first, second = keys[left], keys[right]
        if (first < pivot) != (first < second):
            pivot = first
        elif (second < pivot) != (second < first):
            pivot = second
        i, j = left, right
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while pivot < keys[j]:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            right = j
        elif middle >= i:
            left = i
        else:
            return


@kernel()
def split(
    axes: Floats32,
    stretch: Floats,
    order: Ints,
    keys: Floats32,
    starts: Ints,
    stack: Ints,
    first: int,
    last: int,
    levels: int,
) -> None:
    """Order the records of leaves first..last-1 by median splits, `levels` deep.

    `keys` is scratch as long as `order`, `stack` is scratch too. Missing cells go last.
    """
    stack[0, 0], stack[0, 1], stack[0, 2] = first, last, levels
    top = 1
    while top:
        top -= 1
        a, b, left = stack[top, 0], stack[top, 1], stack[top, 2]
        if b - a < 2 or left == 0:
            continue
        middle = (a + b) // 2
        start, stop = starts[a], starts[b]
        axis = widest_axis(axes, stretch, order, start, stop)
        for i in range(start, stop):
            key = axes[order[i], axis]
            keys[i] = np.float32(np.inf) if np.isnan(key) else key
        select(keys, order, start, stop, starts[middle])
        stack[top, 0], stack[top, 1], stack[top, 2] = a, middle, left - 1
        stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = middle, b, left - 1
        top += 2


@kernel()
def fill_tiles(
    axes: Floats32, order: Ints, starts: Ints, tiles: Floats32, first: int, last: int
) -> None:
    """Copy the records of leaves first..last-1 into their tiles."""
    for leaf in range(first, last):
        tiles[leaf] = FAR
        for i in range(starts[leaf], starts[leaf + 1]):
            for j in range(axes.shape[1]):
                tiles[leaf, j, i - starts[leaf]] = axes[order[i], j]


@part()
def leaf_at(starts: Ints, position: int) -> int:
    """The leaf that holds a position."""
    leaves = len(starts) - 1
    leaf = position * leaves // starts[leaves]
    while starts[leaf + 1] <= position:
        leaf += 1
    return leaf


@part()
def push(
    node: int,
    children: int,
    limit: float,
    bounds: Floats | Floats32,
    nodes: Ints,
    least: Floats,
    top: int,
) -> int:
    """Put the children bounded by at most `limit` on the stack, the nearest last."""
    bottom = top
    for c in range(children):
        bound = np.float64(bounds[c])
        if bound <= limit:
            at = top
            while at > bottom and least[at - 1] < bound:
                nodes[at], least[at] = nodes[at - 1], least[at - 1]
                at -= 1
            nodes[at], least[at] = FAN * node + 1 + c, bound
            top += 1
    return top


@part()
def widen(
    tree: Tree, node: int, c: int, j: int, low: np.float32, high: np.float32, has_missing: bool
) -> None:
    """Let the box of a node's child take in an interval; one upside down is empty."""
    tree.low[node, j, c] = min(tree.low[node, j, c], low)
    tree.high[node, j, c] = max(tree.high[node, j, c], high)
    tree.has_missing[node, j, c] |= has_missing


@kernel()
def fill_boxes(tree: Tree, offsets: Floats) -> None:
    """The boxes of all nodes, empty before, from the leaves up; `offsets` by position."""
    none = np.float32(np.inf)
    for node in range(tree.first_leaf - 1, -1, -1):
        for c in range(FAN if node else tree.root_width):
            child = FAN * node + 1 + c
            leaf = child - tree.first_leaf
            if leaf >= len(tree.tiles):  # a number that a narrow root leaves unused
                break
            size = FAN if leaf < 0 else tree.starts[leaf + 1] - tree.starts[leaf]
            for j in range(tree.low.shape[1]):
                for i in range(size):
                    if leaf < 0:
                        low, high = tree.low[child, j, i], tree.high[child, j, i]
                        widen(tree, node, c, j, low, high, tree.has_missing[child, j, i])
                    else:
                        value = tree.tiles[leaf, j, i]
                        if np.isnan(value):
                            widen(tree, node, c, j, none, -none, True)
                        else:
                            widen(tree, node, c, j, value, value, False)
            for i in range(size if len(offsets) else 0):
                if leaf < 0:
                    low, high = tree.floor[child, i], tree.ceiling[child, i]
                else:
                    low = high = np.float32(offsets[tree.starts[leaf] + i])
                tree.floor[node, c] = min(tree.floor[node, c], low)
                tree.ceiling[node, c] = max(tree.ceiling[node, c], high)
