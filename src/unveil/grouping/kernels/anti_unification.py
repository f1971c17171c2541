"""Anti-unification: sets of records are split until each set agrees in enough attributes.

A set is identified by the attributes fixed so far and one of its records. The order of the splits
does not matter, so each set is examined once. A pattern is identified in the same way, by its
attributes without a star. Both are stored in tables, as a record and a mask of attributes.
"""

from typing import NamedTuple

import numpy as np

from unveil.support.arrays import Bools, Ints, Ints32
from unveil.support.compile import kernel, part

UNKNOWN = -1  # a code that equals none
MIX = np.int64(0x9E3779B97F4A7C15 - 2**64)


class CodedRecords(NamedTuple):
    """Distinct pairs of a record and a mask."""

    slots: Ints  # where a hash leads: the place of an entry, -1 for none
    rows: Ints
    masks: Ints
    size: Ints  # one number: how many entries there are


class Frames(NamedTuple):
    """For each depth, the set being split: its start, its end and the progress."""

    start: Ints
    stop: Ints
    fixed: Ints  # the attributes in which all are known to agree, as bits
    tied: Ints  # those that it is still to be split by
    attribute: Ints  # the one that it is split by
    at: Ints  # where its next part begins
    end: Ints


class Count(NamedTuple):
    """The counts of values, and the work done."""

    work: Ints  # one number: cells that were looked at

    seen: Ints  # by code: when it was met last
    clock: Ints
    places: Ints  # by code: how many, and then where the next goes
    listed: Ints  # the codes that were met


@part()
def add(table: CodedRecords, codes: Ints32, row: int, mask: int) -> int:
    """Enter a record's cells in some attributes: 1 if new, 0 if present, -1 if there is no room."""
    key = mask * MIX
    for j in range(codes.shape[1]):
        if mask >> j & 1:
            key = (key ^ codes[row, j]) * MIX
            key ^= key >> 29
    room = len(table.slots)
    slot = key & (room - 1)
    while table.slots[slot] >= 0:
        entry = table.slots[slot]
        same = table.masks[entry] == mask
        for j in range(codes.shape[1]):
            if mask >> j & 1:
                same = same and codes[table.rows[entry], j] == codes[row, j]
        if same:
            return 0
        slot = (slot + 1) & (room - 1)
    if 2 * table.size[0] >= room:
        return -1
    table.slots[slot] = table.size[0]
    table.rows[table.size[0]] = row
    table.masks[table.size[0]] = mask
    table.size[0] += 1
    return 1


@part()
def values(
    codes: Ints32, members: Ints, start: int, stop: int, j: int, count: Count
) -> tuple[int, bool]:
    """The number of distinct known values of some records, and whether some are missing."""
    count.clock[0] += 1
    now, known, unknown = count.clock[0], 0, False
    for place in range(start, stop):
        code = codes[members[place], j]
        if code == UNKNOWN:
            unknown = True
        elif count.seen[code] != now:
            count.seen[code] = now
            known += 1
    return known, unknown


@part()
def split(codes: Ints32, members: Ints, parts: Ints, start: int, stop: int, j: int,
          count: Count) -> int:  # fmt: skip
    """Group records with equal values; returns the end of the records with a known value."""
    count.clock[0] += 1
    now, met = count.clock[0], 0
    for place in range(start, stop):
        code = codes[members[place], j]
        if code == UNKNOWN:
            continue
        if count.seen[code] != now:
            count.seen[code] = now
            count.places[code] = 0
            count.listed[met] = code
            met += 1
        count.places[code] += 1
    end = start
    for number in range(met):
        code = count.listed[number]
        many = count.places[code]
        count.places[code] = end
        end += many
    for place in range(start, stop):
        code = codes[members[place], j]
        if code != UNKNOWN:
            parts[count.places[code]] = members[place]
            count.places[code] += 1
    return end


@part()
def choose(codes: Ints32, members: Ints, start: int, stop: int, fixed: int, most: bool,
           count: Count) -> tuple[int, int]:  # fmt: skip
    """The attributes in which all records agree, and those with the most parts or the fewest."""
    constant, tied, best = fixed, 0, -1
    for j in range(codes.shape[1]):
        if fixed >> j & 1:
            continue
        known, unknown = values(codes, members, start, stop, j, count)
        if known == 1 and not unknown:
            constant |= 1 << j
        elif known + unknown > 1:
            if best < 0 or (known > best if most else known < best):
                best, tied = known, 0
            if known == best:
                tied |= 1 << j
    return constant, tied


@part()
def bits(mask: int) -> int:
    """The number of attributes of a mask."""
    found = 0
    while mask:
        mask &= mask - 1
        found += 1
    return found


DONE, FULL, PAUSED = range(3)


@kernel()
def analyse(codes: Ints32, members: Ints, k: int, length: int, most: bool, frames: Frames,
            count: Count, visited: CodedRecords, patterns: CodedRecords, identified: Bools,
            state: Ints,
            budget: int) -> int:  # fmt: skip
    """Split the records until sets agree in `length` attributes.

    The first row of `members` has the records, as many as the first frame states; there is one more
    row for each attribute. The function pauses after `budget` cells and resumes from the state: the
    depth, and whether the set there is new.
    """
    depth, entering = state[0], state[1] > 0
    until = count.work[0] + budget
    while depth >= 0:
        if count.work[0] >= until:
            state[0], state[1] = depth, int(entering)
            return PAUSED
        here = members[depth]
        start, stop, fixed = frames.start[depth], frames.stop[depth], frames.fixed[depth]
        if entering:
            entering = False
            frames.tied[depth] = frames.at[depth] = frames.end[depth] = 0
            new = add(visited, codes, here[start], fixed)
            if new < 0:
                return FULL
            if new:
                count.work[0] += (stop - start) * codes.shape[1]
                constant, tied = choose(codes, here, start, stop, fixed, most, count)
                if bits(constant) < length:
                    frames.tied[depth] = tied
                else:
                    if add(patterns, codes, here[start], constant) < 0:
                        return FULL
                    for place in range(start, stop):
                        identified[here[place]] = True
        elif frames.at[depth] < frames.end[depth]:
            begins, parts = frames.at[depth], members[depth + 1]
            j = frames.attribute[depth]
            ends = begins + 1
            while ends < frames.end[depth] and codes[parts[ends], j] == codes[parts[begins], j]:
                ends += 1
            frames.at[depth] = ends
            if ends - begins >= k:
                depth, entering = depth + 1, True
                frames.start[depth], frames.stop[depth] = begins, ends
                frames.fixed[depth] = fixed | 1 << j
        elif frames.tied[depth]:
            j = bits((frames.tied[depth] & -frames.tied[depth]) - 1)
            frames.tied[depth] &= frames.tied[depth] - 1
            frames.attribute[depth], frames.at[depth] = j, start
            frames.end[depth] = split(codes, here, members[depth + 1], start, stop, j, count)
        else:
            depth -= 1
    return DONE


@kernel()
def copy_into(larger: CodedRecords, table: CodedRecords, codes: Ints32) -> None:
    """Copy all entries of one table into another."""
    for entry in range(table.size[0]):
        add(larger, codes, table.rows[entry], table.masks[entry])
