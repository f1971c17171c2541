"""Common parts of every walk through the tree: bounds on children, scores in leaves."""

from typing import NamedTuple

import numpy as np

from unveil.engines.local.kernels.costs import Terms, combined, greatest_cost, least_cost, score_of
from unveil.engines.local.kernels.filters import (
    NONE,
    Frame,
    filter_boxes,
    filter_corners,
    filter_tile,
    to_axes,
)
from unveil.engines.local.kernels.tree import FAN, Tree, push
from unveil.support.arrays import Bools, Floats, Floats32, Ints
from unveil.support.compile import kernel, part

STACK = 256  # room for 16 children on each level of any tree that fits a machine


class BaseRows(NamedTuple):
    """The distinct rows of the base as they were given, which decide in 64 bits."""

    rows: Floats
    at: Ints  # the row at each position of the tree
    offset: Floats  # by position, or empty
    first: Ints  # the first of the records that are this row, by position
    records: Ints  # all of them, position after position


class Queries(NamedTuple):
    """The intruder's records, and what a missing cell costs each of them."""

    rows: Floats
    missing: Floats  # a row for each query, or one for all


class SearchArrays(NamedTuple):
    """All that a walk reads."""

    frame: Frame
    terms: Terms
    tree: Tree
    candidates: BaseRows
    queries: Queries


class WalkScratch(NamedTuple):
    """All that a walk writes on, made once for many queries."""

    point: Floats32  # the query on the axes
    sums: Floats
    tile: Floats32  # the filter's distances to a leaf's records
    boxes: Floats32  # and to the boxes of a node's children
    bounds: Floats  # of a node's children
    corners: Floats
    costs: Floats
    order: Ints
    nodes: Ints  # the stack
    least: Floats  # the bounds of the nodes on the stack
    stop: Bools  # turns true when the answers are no longer wanted
    work: Ints  # one number: boxes bounded and records compared


def scratch_for(search: SearchArrays, stop: Bools) -> WalkScratch:
    """Arrays for walks of one thread."""
    axes, lanes = search.tree.tiles.shape[1:]
    width = search.queries.rows.shape[1]
    return WalkScratch(
        point=np.zeros(axes, np.float32),
        sums=np.zeros(axes),
        tile=np.zeros(lanes, np.float32),
        boxes=np.zeros(FAN, np.float32),
        bounds=np.zeros(FAN),
        corners=np.zeros(FAN),
        costs=np.zeros(width),
        order=np.zeros(width, np.int64),
        nodes=np.zeros(STACK, np.int64),
        least=np.zeros(STACK),
        stop=stop,
        work=np.zeros(1, np.int64),
    )


@part()
def children(tree: Tree, node: int) -> int:
    """How many children a node has."""
    return FAN if node else tree.root_width


@part()
def missing_row(queries: Queries, i: int) -> int:
    """Where it stands what a missing cell costs query i."""
    return i if len(queries.missing) > 1 else 0


@part()
def score_at(search: SearchArrays, i: int, position: int, scratch: WalkScratch) -> float:
    """The score of query i and the candidate at a position of the tree, in 64 bits."""
    candidates = search.candidates
    offset = candidates.offset[position] if len(candidates.offset) else 0.0
    return score_of(
        search.terms,
        search.queries.rows[i],
        search.queries.missing[missing_row(search.queries, i)],
        candidates.rows[candidates.at[position]],
        offset,
        scratch.costs,
        scratch.order,
    )


@part()
def bound_children(
    search: SearchArrays, i: int, node: int, far: bool, scratch: WalkScratch
) -> None:
    """Lower bounds for a node's children, in `bounds`, or if `far` upper ones, in `corners`.

    They are in the filter's distance if there is a filter, else in scores.
    """
    frame, tree, query = search.frame, search.tree, search.queries.rows[i]
    out = scratch.corners if far else scratch.bounds
    scratch.work[0] += FAN
    if frame.filter != NONE:
        if far:
            filter_corners(frame.filter, scratch.point, tree.low, tree.high, node, scratch.boxes)
        else:
            filter_boxes(frame.filter, scratch.point, tree.low, tree.high, node, scratch.boxes)
        for c in range(FAN):
            out[c] = scratch.boxes[c]
        return
    missing = search.queries.missing[missing_row(search.queries, i)]
    for c in range(children(tree, node)):
        for j in range(len(query)):
            if np.isnan(query[j]) or tree.low[node, j, c] > tree.high[node, j, c]:
                scratch.costs[j] = missing[j]
                continue
            low = edge(frame.centre[j], tree.low[node, j, c], -1.0)
            high = edge(frame.centre[j], tree.high[node, j, c], 1.0)
            if far:
                cost = greatest_cost(search.terms, j, query[j], low, high)
                scratch.costs[j] = max(cost, missing[j]) if tree.has_missing[node, j, c] else cost
            else:
                cost = least_cost(search.terms, j, query[j], low, high)
                scratch.costs[j] = min(cost, missing[j]) if tree.has_missing[node, j, c] else cost
        offset = np.float64(tree.ceiling[node, c] if far else tree.floor[node, c])
        out[c] = combined(search.terms, scratch.costs, offset, scratch.order)


@part()
def edge(centre: float, value: np.float32, outward: float) -> float:
    """The edge of a box in the attribute's own numbers, moved outward where that rounds."""
    if centre == 0.0:
        return float(value)
    return centre + float(value) + outward * (abs(centre) + abs(float(value))) * 2.0**-50


@part()
def filter_leaf(search: SearchArrays, leaf: int, limit: float, scratch: WalkScratch) -> bool:
    """Put the filter on a leaf; false when all of its records are beyond the limit."""
    kind = search.frame.filter
    scratch.work[0] += search.tree.starts[leaf + 1] - search.tree.starts[leaf]
    return kind == NONE or filter_tile(
        kind, scratch.point, search.tree.tiles, leaf, limit, scratch.tile
    )


@part()
def beyond(search: SearchArrays, lane: int, limit: float, scratch: WalkScratch) -> bool:
    """Whether the filter says that a record of the leaf is beyond the limit."""
    return search.frame.filter != NONE and scratch.tile[lane] > limit


@part()
def push_children(tree: Tree, node: int, limit: float, scratch: WalkScratch, top: int) -> int:
    """Put the children bounded by at most `limit` on the stack, the nearest last."""
    bounds, nodes, least = scratch.bounds, scratch.nodes, scratch.least
    return push(node, children(tree, node), limit, bounds, nodes, least, top)


@part()
def records_below(tree: Tree, first: int, last: int) -> int:
    """How many records are in the leaves first..last-1."""
    return tree.before[tree.starts[last]] - tree.before[tree.starts[first]]


@part()
def leaves_below(tree: Tree, node: int) -> tuple[int, int]:
    """The first leaf below a node and the one after the last."""
    first, last = node, node
    while first < tree.first_leaf:
        first, last = FAN * first + 1, FAN * last + children(tree, last)
    return first - tree.first_leaf, last - tree.first_leaf + 1


@part()
def copies_at(tree: Tree, position: int) -> int:
    """How many records are the row at a position."""
    return tree.before[position + 1] - tree.before[position]


@kernel()
def leaf_of(search: SearchArrays, rows: Ints, leaf: Ints, scratch: WalkScratch) -> None:
    """leaf[i] becomes the leaf that a walk from query rows[i] enters first."""
    tree = search.tree
    for i in range(len(rows)):
        to_axes(search.frame, search.queries.rows[rows[i]], scratch.point, scratch.sums)
        node = 0
        while node < tree.first_leaf:
            bound_children(search, rows[i], node, False, scratch)
            nearest = 0
            for c in range(1, children(tree, node)):
                if scratch.bounds[c] < scratch.bounds[nearest]:
                    nearest = c
            node = FAN * node + 1 + nearest
        leaf[i] = node - tree.first_leaf
