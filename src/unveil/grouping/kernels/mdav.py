"""Microaggregation by MDAV: groups made one after the other, from the outside in.

Identical records are one row. Ties go to the lowest record, so the records of a row are assigned in
their order, and a cursor marks the unassigned ones. Rows have the order of the tree of `remaining`.
"""

from typing import NamedTuple

import numpy as np

from unveil.engines.local.kernels import filters
from unveil.engines.local.kernels.neighbours import enter
from unveil.engines.local.kernels.tree import FAN, leaf_at, push
from unveil.grouping.kernels.centre import Middle, count, find_centre
from unveil.grouping.kernels.remaining import Far, Near, drop, filter_far, leave
from unveil.support.arrays import Floats, Floats32, Ints
from unveil.support.compile import kernel, part, step

# How things stand: records that are unassigned, groups made, rows with unassigned records,
# tiles of far rows looked at since they were put in order, and all tiles since the call; how
# many of the records in a fixed order are behind.
UNASSIGNED, GROUPS, ROWS, TILES, ALL_TILES, PASSED, STATES = range(7)


class UnassignedRows(NamedTuple):
    """The distinct rows and their unassigned records."""

    values: Floats  # as they were given: these decide
    records: Ints  # those of a row together, ascending
    cursor: Ints  # where the unassigned records of each row begin
    ends: Ints


class MdavScratch(NamedTuple):
    """Scratch memory, allocated once."""

    state: Ints
    query: Floats  # the place that the next group is sought from
    point: Floats32  # a place on the axes
    gone: Floats32
    axes: Floats
    near: Floats32  # distances to a leaf's rows
    far: Floats32  # to a tile's
    boxes: Floats32
    nodes: Ints  # the stack
    least: Floats
    members: Ints  # the records of a group but the first
    squares: Floats
    places: Floats  # the rows that they are


@part()
def squared(a: Floats, b: Floats) -> float:
    """The squared distance of two places, summed in the order of the attributes."""
    total = 0.0
    for j in range(len(a)):
        gap = a[j] - b[j]
        total += gap * gap
    return total


@part()
def farther(frame: filters.Frame, square: float, length: float, axes: int) -> float:
    """The distance on the axes above which a row is certainly farther than `square`."""
    bound = np.sqrt(square) * frame.scale + filters.UNIT * (length + frame.reach)
    return min(bound * bound * (1.0 + (axes + 8) * filters.UNIT) + filters.TINY, filters.HUGE)


@part()
def nearer(frame: filters.Frame, square: float, length: float, axes: int) -> float:
    """The distance on the axes below which a row is certainly nearer than `square`."""
    bound = max(np.sqrt(square) * frame.scale - filters.UNIT * (length + frame.reach), 0.0)
    return bound * bound * (1.0 - (axes + 8) * filters.UNIT) - filters.TINY


@step()
def find_farthest(
    frame: filters.Frame, rows: UnassignedRows, far: Far, scratch: MdavScratch
) -> int:
    """The row with unassigned records farthest from the query; ties: the lowest record."""
    point, axes = scratch.point, len(scratch.point)
    length, gap = filters.length_of(filters.SQUARES, point), 0.0
    for k in range(axes):
        gap += (np.float64(point[k]) - far.reference[k]) ** 2
    gap = np.sqrt(gap)
    best, best_square, limit = -1, -1.0, -np.inf
    t = far.head[0]
    while t < len(far.tiles):
        reach = far.radius[t] + gap
        if reach * reach * (1.0 + 1e-9) < limit:
            break
        scratch.state[TILES] += 1
        scratch.state[ALL_TILES] += 1
        if filter_far(point, far.tiles, t, scratch.far) >= limit:
            start = t * far.tiles.shape[2]
            for at in range(start, min(start + far.tiles.shape[2], len(far.rows))):
                row = far.rows[at]
                if scratch.far[at - start] < limit or rows.cursor[row] == rows.ends[row]:
                    continue
                square = squared(rows.values[row], scratch.query)
                if square > best_square:
                    limit = nearer(frame, square, length, axes)
                elif not (
                    square == best_square
                    and rows.records[rows.cursor[row]] < rows.records[rows.cursor[best]]
                ):
                    continue
                best, best_square = row, square
        t += 1
    return best


@part()
def enter_leaf(
    frame: filters.Frame,
    rows: UnassignedRows,
    near: Near,
    leaf: int,
    limit: float,
    filled: int,
    scratch: MdavScratch,
) -> tuple[int, float]:
    """Enter the records of a leaf that are near enough; returns how many there are, and the limit.

    The limit is on the axes.
    """
    wanted, start = len(scratch.members), near.starts[leaf]
    scratch.state[ALL_TILES] += 1
    if not filters.filter_tile(
        filters.SQUARES, scratch.point, near.tiles, leaf, limit, scratch.near
    ):
        return filled, limit
    for row in range(start, near.starts[leaf + 1]):
        if scratch.near[row - start] > limit:
            continue
        square, cursor = squared(rows.values[row], scratch.query), rows.cursor[row]
        for at in range(cursor, min(rows.ends[row], cursor + wanted)):
            filled = enter(
                scratch.members,
                scratch.squares,
                scratch.places,
                filled,
                rows.records[at],
                square,
                row,
            )
        if filled == wanted:
            length = filters.length_of(filters.SQUARES, scratch.point)
            limit = farther(frame, scratch.squares[wanted - 1], length, len(scratch.point))
    return filled, limit


@step()
def find_nearest(
    frame: filters.Frame, rows: UnassignedRows, near: Near, first: int, scratch: MdavScratch
) -> None:
    """The unassigned records nearest the query, whose row is `first`, in `members`.

    If there are fewer than there is room for, the rest of it stays as it is. The query's own
    leaf says at once how near they are.
    """
    home = leaf_at(near.starts, first)
    filled, limit = enter_leaf(frame, rows, near, home, filters.HUGE, 0, scratch)
    scratch.nodes[0], scratch.least[0] = 0, -np.inf
    top = 1 if near.first_leaf else 0
    while top:
        top -= 1
        node = scratch.nodes[top]
        if scratch.least[top] > limit:
            continue
        filters.filter_boxes(
            filters.SQUARES, scratch.point, near.low, near.high, node, scratch.boxes
        )
        leaf = FAN * node + 1 - near.first_leaf
        if leaf < 0:
            top = push(node, FAN, limit, scratch.boxes, scratch.nodes, scratch.least, top)
            continue
        for c in range(FAN):  # the limit is nearly final: the order of memory is best
            if scratch.boxes[c] <= limit and leaf + c != home:
                filled, limit = enter_leaf(frame, rows, near, leaf + c, limit, filled, scratch)


@part()
def take(rows: UnassignedRows, near: Near, row: int, groups: Ints, scratch: MdavScratch) -> int:
    """Assign the first unassigned record of a row to the current group; returns the record."""
    record, state = rows.records[rows.cursor[row]], scratch.state
    groups[record] = state[GROUPS]
    rows.cursor[row] += 1
    state[UNASSIGNED] -= 1
    if rows.cursor[row] == rows.ends[row]:
        state[ROWS] -= 1
        drop(near, row, scratch.gone)
    return record


@part()
def assign(
    rows: UnassignedRows,
    near: Near,
    far: Far,
    middle: Middle,
    row: int,
    groups: Ints,
    scratch: MdavScratch,
) -> None:
    """The same where the centre of those left and the far ones among them are wanted."""
    count(middle, take(rows, near, row, groups, scratch), -1)
    if rows.cursor[row] == rows.ends[row]:
        leave(far, row)


@kernel()
def make_groups(
    frame: filters.Frame,
    rows: UnassignedRows,
    near: Near,
    far: Far,
    middle: Middle,
    groups: Ints,
    limits: tuple[int, int, int],
    scratch: MdavScratch,
) -> None:
    """Make groups while the records suffice for two.

    Stops early, but after at least one group, when there are fewer rows than the first limit, more
    tiles of far rows than the second, or more tiles in all than the third. Groups begin alternately
    with the record farthest from the centre and with the record farthest from that one, which stays
    in `query` between calls.
    """
    state, k = scratch.state, len(scratch.members) + 1
    fewest, tired, most = limits
    state[ALL_TILES] = 0
    while state[UNASSIGNED] >= 2 * k:
        if state[GROUPS] % 2 == 0:
            find_centre(middle, state[UNASSIGNED], scratch.query)
        filters.to_axes(frame, scratch.query, scratch.point, scratch.axes)
        first = find_farthest(frame, rows, far, scratch)
        for j in range(len(scratch.query)):
            scratch.query[j] = rows.values[first, j]
        filters.to_axes(frame, scratch.query, scratch.point, scratch.axes)
        assign(rows, near, far, middle, first, groups, scratch)
        find_nearest(frame, rows, near, first, scratch)
        for each in range(k - 1):
            assign(rows, near, far, middle, int(scratch.places[each]), groups, scratch)
        state[GROUPS] += 1
        if state[ROWS] < fewest or state[TILES] > tired or state[ALL_TILES] > most:
            return
