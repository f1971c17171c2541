"""Mondrian: groups of records are cut in two at the median of the attribute with the widest spread.

Records are rows of codes, in the order of each attribute. Some attributes may be cut at certain
codes only: `level` gives for each code the coarseness of the boundary before it, and only the
coarsest boundary within a group is allowed. So the groups of a hierarchy stay together, and missing
cells, the last code, are separated from known cells first.
"""

from typing import NamedTuple

from unveil.grouping.kernels.diversity import ClassRules, ClassScratch, keeps
from unveil.support.arrays import Bools, Floats, Ints, Ints32
from unveil.support.compile import kernel, part


class Axes(NamedTuple):
    """The attributes: the positions of their codes, and the allowed cuts."""

    offset: Ints  # where an attribute begins in the next two
    place: Floats  # of each code along its attribute, from 0 to 1
    level: Ints  # of the boundary before each code
    free: Bools  # of each attribute: whether only missing cells have a boundary of their own


class CutScratch(NamedTuple):
    """Scratch memory."""

    low: Ints  # of each attribute in the group: its lowest code
    high: Ints
    width: Floats
    codes: Ints32  # of one attribute in the group
    stack: Ints  # where groups begin and end that are still to be cut
    spare: Ints  # records, while a group is cut


@part()
def select(codes: Ints32, many: int, place: int) -> int:
    """The code at a place of the sorted order; reorders the codes."""
    low, high = 0, many - 1
    while low < high:
        middle = codes[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while codes[i] < middle:
                i += 1
            while codes[j] > middle:
                j -= 1
            if i <= j:
                codes[i], codes[j] = codes[j], codes[i]
                i += 1
                j -= 1
        if place <= j:
            high = j
        elif place >= i:
            low = i
        else:
            break
    return codes[place]


@part()
def spans(
    codes: Ints32, members: Ints, start: int, stop: int, axes: Axes, room: CutScratch
) -> None:
    """The lowest and the highest code of each attribute, and their distance."""
    attributes = codes.shape[1]
    for j in range(attributes):
        room.low[j] = room.high[j] = codes[members[start], j]
    for place in range(start + 1, stop):
        row = members[place]
        for j in range(attributes):
            code = codes[row, j]
            if code < room.low[j]:
                room.low[j] = code
            elif code > room.high[j]:
                room.high[j] = code
    for j in range(attributes):
        offset = axes.offset[j]
        room.width[j] = axes.place[offset + room.high[j]] - axes.place[offset + room.low[j]]


@part()
def widest(room: CutScratch, attributes: int) -> int:
    """The untried attribute with the greatest width; -1 if there is none."""
    best = -1
    for j in range(attributes):
        if room.width[j] > 0 and (best < 0 or room.width[j] > room.width[best]):
            best = j
    return best


@part()
def boundary(codes: Ints32, members: Ints, start: int, stop: int, j: int, axes: Axes,
             room: CutScratch) -> int:  # fmt: skip
    """The first code of a group's upper part: the allowed code nearest to the median."""
    low, high, offset = room.low[j], room.high[j], axes.offset[j]
    coarsest = axes.level[offset + high]
    if axes.free[j]:
        if coarsest > 0:  # missing cells part from the others
            return high
    else:
        for code in range(low + 1, high):
            coarsest = max(coarsest, axes.level[offset + code])
    for place in range(start, stop):
        room.codes[place - start] = codes[members[place], j]
    many = stop - start
    median = select(room.codes, many, many // 2)
    before, behind = median, median + 1  # the boundaries next to the median that are coarse enough
    while before > low and axes.level[offset + before] < coarsest:
        before -= 1
    while behind <= high and axes.level[offset + behind] < coarsest:
        behind += 1
    below_first = below_second = 0
    for place in range(many):
        below_first += room.codes[place] < before
        below_second += room.codes[place] < behind
    if before <= low:
        return behind
    if behind > high or min(below_first, many - below_first) >= min(
        below_second, many - below_second
    ):
        return before
    return behind


@part()
def part_at(codes: Ints32, members: Ints, start: int, stop: int, j: int, cut: int,
            room: CutScratch, relaxed: bool) -> int:  # fmt: skip
    """Move records below a code to the front; if relaxed, also records with the code, until even.

    The order within each side is kept. Returns the start of the upper part.
    """
    allowed = 0
    if relaxed:
        below = equal = 0
        for place in range(start, stop):
            code = codes[members[place], j]
            below += code < cut
            equal += code == cut
        allowed = min(equal, max((stop - start) // 2 - below, 0))
    middle, upper = start, 0
    for place in range(start, stop):
        row = members[place]
        code = codes[row, j]
        if code < cut or (code == cut and allowed > 0):
            allowed -= code == cut
            members[middle] = row
            middle += 1
        else:
            room.spare[upper] = row
            upper += 1
    for place in range(upper):
        members[middle + place] = room.spare[place]
    return middle


@part()
def cut(codes: Ints32, members: Ints, start: int, stop: int, axes: Axes, rules: ClassRules,
        scratch: ClassScratch, room: CutScratch, even: bool) -> int:  # fmt: skip
    """Cut a group by the widest attribute that allows it; returns the upper part's start, or -1.

    Even: records with the median's code are divided between both sides; only for attributes that
    may be cut anywhere.
    """
    spans(codes, members, start, stop, axes, room)
    while True:
        j = widest(room, codes.shape[1])
        if j < 0:
            return -1
        room.width[j] = 0.0
        at = boundary(codes, members, start, stop, j, axes, room)
        if even:
            if not axes.free[j] or axes.level[axes.offset[j] + at] > 0:
                continue
            at = select(room.codes, stop - start, (stop - start) // 2)
        middle = part_at(codes, members, start, stop, j, at, room, even)
        if keeps(rules, members, start, middle, scratch) and keeps(
            rules, members, middle, stop, scratch
        ):
            return middle


@kernel()
def partition(codes: Ints32, members: Ints, axes: Axes, rules: ClassRules, scratch: ClassScratch,
              room: CutScratch, relaxed: bool, starts: Ints) -> int:  # fmt: skip
    """Cut the records into groups; `starts` has the start of each. Returns the number of groups."""
    room.stack[0], room.stack[1] = 0, len(members)
    waiting, made = 1, 0
    while waiting > 0:
        waiting -= 1
        start, stop = room.stack[2 * waiting], room.stack[2 * waiting + 1]
        middle = cut(codes, members, start, stop, axes, rules, scratch, room, False)
        if middle < 0 and relaxed:
            middle = cut(codes, members, start, stop, axes, rules, scratch, room, True)
        if middle < 0:
            starts[made] = start
            made += 1
            continue
        room.stack[2 * waiting], room.stack[2 * waiting + 1] = middle, stop
        room.stack[2 * waiting + 2], room.stack[2 * waiting + 3] = start, middle
        waiting += 2
    return made
