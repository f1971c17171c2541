"""Minimal sample uniques: sets of attributes in which a record is alone, but in no part of them.

A set of attributes is a number whose bits are its attributes. The sets are visited in ascending
order, so that every part comes before the whole, and the sets that add lower attributes to one
follow it directly: they split its groups. A record that is alone in a set leaves its groups, and
all sets that follow directly are marked for it in one stroke.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.support.arrays import Floats, Ints, Ints32
from unveil.support.compile import kernel, part

Table32 = NDArray[np.int32]  # two-dimensional
Marks = NDArray[np.uint64]


class Keys(NamedTuple):
    """The distinct rows of a file."""

    codes: Table32  # of each attribute: those of the rows
    unique: Ints32  # the place of each row among those of one record; -1: of several records
    ranks: Ints32  # of each set: the searched sets before it; one more at the end
    score: Floats  # of a minimal set, by its size


class Partitions(NamedTuple):
    """Rows that are alike in the sets on the path to the current one, by size of the set."""

    rows: Table32
    starts: Table32  # of the groups, and the end of the last
    groups: Ints32


class Splitting(NamedTuple):
    """Scratch memory by code."""

    sizes: Ints32
    holds: Ints32  # whether a row of one record is among them
    places: Ints32
    listed: Ints32  # the codes of the group


class MinimalSets(NamedTuple):
    """What is found, of each row of one record, and of each set."""

    marks: Marks  # a bit for each searched set in which the row is alone
    sizes: Table32  # minimal sets of each size
    contributions: NDArray[np.float64]  # score of the minimal sets that hold each attribute
    of_set: Ints  # rows for which a set is minimal


@part()
def bits_of(number: int) -> int:
    """The number of attributes in a set."""
    found = 0
    while number:
        number &= number - 1
        found += 1
    return found


@part()
def mark(marks: Marks, row: int, start: int, stop: int) -> None:
    """Set the bits from start to before stop."""
    while start < stop:
        word, low = start >> 6, start & 63
        high = min(stop - (word << 6), 64)
        bits = ~np.uint64(0) << np.uint64(low)
        if high < 64:
            bits &= (np.uint64(1) << np.uint64(high)) - np.uint64(1)
        marks[row, word] |= bits
        start = (word + 1) << 6


@part()
def alone(keys: Keys, found: MinimalSets, row: int, chosen: int, size: int) -> None:
    """Count a set if it is minimal for a row that is alone in it, and mark what follows from it."""
    place, rest = keys.unique[row], chosen
    if place < 0:
        return
    minimal = True
    while size > 1 and rest and minimal:
        rank = keys.ranks[chosen ^ (rest & -rest)]
        minimal = (found.marks[place, rank >> 6] >> np.uint64(rank & 63)) & np.uint64(1) == 0
        rest &= rest - 1
    mark(found.marks, place, keys.ranks[chosen], keys.ranks[chosen + (chosen & -chosen)])
    if not minimal:
        return
    found.sizes[place, size] += 1
    found.of_set[chosen] += 1
    for attribute in range(keys.codes.shape[0]):
        if chosen >> attribute & 1:
            found.contributions[place, attribute] += keys.score[size]


@kernel()
def search(
    keys: Keys,
    partitions: Partitions,
    scratch: Splitting,
    found: MinimalSets,
    most: int,
    start: int,
    stop: int,
) -> None:
    """Visit the sets from start to before stop of at most so many attributes."""
    rows, starts, groups = partitions
    sizes, holds, places, listed = scratch
    for chosen in range(start, stop):
        size = bits_of(chosen)
        if size > most:
            continue
        attribute = 0
        while not chosen >> attribute & 1:
            attribute += 1
        above, end, n_groups = size - 1, 0, 0
        for group in range(groups[above]):
            first, last, many = starts[above, group], starts[above, group + 1], 0
            for i in range(first, last):
                row = rows[above, i]
                code = keys.codes[attribute, row]
                if sizes[code] == 0:
                    listed[many] = code
                    many += 1
                    holds[code] = 0
                sizes[code] += 1
                holds[code] |= keys.unique[row] >= 0
            for j in range(many):  # the groups that are to be split further
                code = listed[j]
                places[code] = -1
                if sizes[code] > 1 and holds[code]:
                    starts[size, n_groups] = places[code] = end
                    end += sizes[code]
                    n_groups += 1
            for i in range(first, last):
                row = rows[above, i]
                code = keys.codes[attribute, row]
                if places[code] >= 0:
                    rows[size, places[code]] = row
                    places[code] += 1
                elif sizes[code] == 1:
                    alone(keys, found, row, chosen, size)
            for j in range(many):
                sizes[listed[j]] = 0
        starts[size, n_groups] = end
        groups[size] = n_groups
