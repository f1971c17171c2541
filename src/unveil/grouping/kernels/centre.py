"""The centre of a set of records from which records are removed."""

from typing import NamedTuple

from unveil.engines.local.kernels.filters import Frame, to_axes
from unveil.support.arrays import Bools, Floats, Floats32, Ints
from unveil.support.compile import kernel, part


class Middle(NamedTuple):
    """The sums of the remaining records, for their centre."""

    values: Floats  # of all records, in their own order
    sums: Floats  # by attribute
    codes: Ints  # categorical attributes x records; -1: missing
    counts: Ints  # by category, one attribute after the other
    first: Ints  # where the categories of each attribute begin, and the end
    places: Floats  # where each category lies, as wide as the widest
    columns: Ints  # the first of each attribute, and the one after its last
    ordered: Bools


@kernel()
def add_up(values: Floats, sums: Floats) -> None:
    """Add all records to the sums, in their order."""
    for i in range(len(values)):
        for j in range(len(sums)):
            sums[j] += values[i, j]


@part()
def count(middle: Middle, record: int, sign: int) -> None:
    """Add a record (sign 1) or remove it (sign -1)."""
    for j in range(len(middle.sums)):
        middle.sums[j] += sign * middle.values[record, j]
    for a in range(len(middle.ordered)):
        if middle.codes[a, record] >= 0:
            middle.counts[middle.first[a] + middle.codes[a, record]] += sign


@part()
def find_centre(middle: Middle, left: int, place: Floats) -> None:
    """The means; for categories the place of the median or the most frequent category."""
    for j in range(len(place)):
        place[j] = middle.sums[j] / left
    for a in range(len(middle.ordered)):
        first, last = middle.first[a], middle.first[a + 1]
        counted = 0
        for each in range(first, last):
            counted += middle.counts[each]
        if counted == 0:
            continue
        found = first
        if middle.ordered[a]:
            below = middle.counts[first]
            while below < (counted + 1) // 2:
                found += 1
                below += middle.counts[found]
        else:
            for each in range(first, last):
                if middle.counts[each] > middle.counts[found]:
                    found = each
        for j in range(middle.columns[a, 0], middle.columns[a, 1]):
            place[j] = middle.places[found, j - middle.columns[a, 0]]


@kernel()
def centre_on_axes(
    frame: Frame, middle: Middle, left: int, point: Floats32, scratch: Floats
) -> None:
    """Put the centre on the axes; `scratch` is two rows as long as a record."""
    find_centre(middle, left, scratch[0])
    to_axes(frame, scratch[0], point, scratch[1])
