"""Microaggregation by V-MDAV: groups are extended by records near them and far from others.

Rows, the tree of unassigned rows and its search are those of `mdav`.
"""

from typing import NamedTuple

import numpy as np

from unveil.engines.local.kernels.filters import Frame, to_axes
from unveil.grouping.kernels import mdav
from unveil.grouping.kernels.centre import Middle, count, find_centre
from unveil.grouping.kernels.remaining import Near
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import kernel, part, step


class Group(NamedTuple):
    """The current group, and the unassigned record nearest to each member."""

    rows: Ints  # of the members
    nearest: Ints  # a record; -1 where it has to be sought
    places: Ints  # its row
    squares: Floats  # its squared distance


@kernel()
def place_records(rows: mdav.UnassignedRows, places: Ints) -> None:
    """Set places[i] to the row of record i, for unassigned records."""
    for row in range(len(rows.cursor)):
        for at in range(rows.cursor[row], rows.ends[row]):
            places[rows.records[at]] = row


@part()
def stand_at(frame: Frame, rows: mdav.UnassignedRows, row: int, scratch: mdav.MdavScratch) -> None:
    """Set the row from which the next search starts."""
    for j in range(len(scratch.query)):
        scratch.query[j] = rows.values[row, j]
    to_axes(frame, scratch.query, scratch.point, scratch.axes)


@step()
def look_round(
    frame: Frame, rows: mdav.UnassignedRows, near: Near, row: int, two: mdav.MdavScratch
) -> None:
    """The two unassigned records nearest to a row, in `members`: -1, infinitely far, if none."""
    for i in range(len(two.members)):
        two.members[i], two.squares[i] = -1, np.inf
    stand_at(frame, rows, row, two)
    mdav.find_nearest(frame, rows, near, row, two)


@part()
def remember(group: Group, member: int, two: mdav.MdavScratch, which: int) -> None:
    """Store the record nearest to a member."""
    group.nearest[member] = two.members[which]
    group.places[member] = int(two.places[which])
    group.squares[member] = two.squares[which]


@step()
def extend(
    frame: Frame,
    rows: mdav.UnassignedRows,
    near: Near,
    groups: Ints,
    ratio: float,
    two: mdav.MdavScratch,
    group: Group,
    k: int,
) -> None:
    """Extend the group by records near a member and far from other unassigned records."""
    size = k
    for m in range(size):
        group.nearest[m] = -1
    while size < len(group.rows) and two.state[mdav.UNASSIGNED] > 0:
        best = 0
        for m in range(size):
            if group.nearest[m] < 0:
                look_round(frame, rows, near, group.rows[m], two)
                remember(group, m, two, 0)
            if group.squares[m] < group.squares[best] or (
                group.squares[m] == group.squares[best] and group.nearest[m] < group.nearest[best]
            ):
                best = m
        guest, row, inward = group.nearest[best], group.places[best], group.squares[best]
        look_round(frame, rows, near, row, two)  # one of the two is the guest, or as near as it
        if not inward < ratio * two.squares[1]:
            return
        mdav.take(rows, near, row, groups, two)
        group.rows[size] = row
        remember(group, size, two, 1 if two.members[0] == guest else 0)
        for m in range(size):
            if group.nearest[m] == guest:
                group.nearest[m] = -1
        size += 1


@kernel()
def make_variable_groups(
    frame: Frame,
    rows: mdav.UnassignedRows,
    near: Near,
    order: Ints,
    places: Ints,
    groups: Ints,
    ratio: float,
    limits: tuple[int, int],
    scratch: mdav.MdavScratch,
    two: mdav.MdavScratch,
    group: Group,
) -> None:
    """Make groups while at least k records are unassigned.

    Each group begins with the first unassigned record of `order`, which runs from the outside in.
    Stops early, but after at least one group, when there are fewer rows than the first limit, or
    more tiles were examined than the second. `two` is the same scratch with
    room for two neighbours.
    """
    state, k = scratch.state, len(scratch.members) + 1
    fewest, most = limits
    state[mdav.ALL_TILES] = 0
    while state[mdav.UNASSIGNED] >= k:
        while groups[order[state[mdav.PASSED]]] >= 0:
            state[mdav.PASSED] += 1
        first = places[order[state[mdav.PASSED]]]
        stand_at(frame, rows, first, scratch)
        mdav.take(rows, near, first, groups, scratch)
        mdav.find_nearest(frame, rows, near, first, scratch)
        group.rows[0] = first
        for each in range(1, k):
            group.rows[each] = int(scratch.places[each - 1])
            mdav.take(rows, near, group.rows[each], groups, scratch)
        if ratio > 0.0:
            extend(frame, rows, near, groups, ratio, two, group, k)
        state[mdav.GROUPS] += 1
        if state[mdav.ROWS] < fewest or state[mdav.ALL_TILES] > most:
            return


@kernel()
def nearest_centres(
    middle: Middle,
    records: Ints,
    starts: Ints,
    rest: Ints,
    joined: Ints,
    squares: Floats,
    place: Floats,
) -> None:
    """Set joined[r] to the group whose centre is nearest to the record rest[r].

    Group g is records[starts[g]:starts[g + 1]]; ties go to the first group. The middle is
    empty before and after; `squares` is infinite before.
    """
    for g in range(len(starts) - 1):
        for i in range(starts[g], starts[g + 1]):
            count(middle, records[i], 1)
        find_centre(middle, starts[g + 1] - starts[g], place)
        for r in range(len(rest)):
            square = mdav.squared(middle.values[rest[r]], place)
            if square < squares[r]:
                joined[r], squares[r] = g, square
        for i in range(starts[g], starts[g + 1]):
            count(middle, records[i], -1)
        for j in range(len(place)):
            middle.sums[j] = 0.0  # to the last bit
