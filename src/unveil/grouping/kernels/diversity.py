"""Diversity of a confidential attribute in a class: one number for each privacy model.

A class is a contiguous part of an array of records. The codes of each confidential attribute are
sorted, so equal codes form runs, and every model is a sum over runs. No table of all values is
needed, whatever their number.
"""

from math import exp, inf, log
from typing import NamedTuple

from unveil.support.arrays import Bools, Floats, Ints, Ints32
from unveil.support.compile import kernel, part

# What a rule asks of a class: at least so much of the first three, at most of the others.
SIZE, DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED, SHARE = range(7)
SLACK = 1e-9  # relative: how much of a bound rounding may take


class ClassRules(NamedTuple):
    """The requirements of every class, and their confidential attributes."""

    kind: Ints
    column: Ints  # of the codes; sorted once for rules that stand together
    bound: Floats
    least: Ints  # recursive diversity: l
    codes: Ints32  # attributes x records, -1 missing
    offset: Ints  # where an attribute begins in the next two
    share: Floats  # of each code among all records, missing first
    upto: Floats  # ordered: the sum over lower codes of the share of codes up to each


class ClassScratch(NamedTuple):
    """Scratch memory."""

    codes: Ints32  # of one class
    largest: Ints  # the largest runs


@part()
def sift(codes: Ints32, root: int, end: int) -> None:
    """Move a code down to its place in a heap."""
    value = codes[root]
    while True:
        child = 2 * root + 1
        if child >= end:
            break
        if child + 1 < end and codes[child + 1] > codes[child]:
            child += 1
        if codes[child] <= value:
            break
        codes[root] = codes[child]
        root = child
    codes[root] = value


@part()
def sort_codes(codes: Ints32, many: int) -> None:
    """Sort the first codes in place."""
    for root in range(many // 2 - 1, -1, -1):
        sift(codes, root, many)
    for end in range(many - 1, 0, -1):
        codes[0], codes[end] = codes[end], codes[0]
        sift(codes, 0, end)


@part()
def after(codes: Ints32, many: int, start: int) -> int:
    """The end of the run that begins here."""
    stop = start + 1
    while stop < many and codes[stop] == codes[start]:
        stop += 1
    return stop


@part()
def distinct(codes: Ints32, many: int) -> float:
    """The number of distinct values."""
    found, at = 0, 0
    while at < many:
        at = after(codes, many, at)
        found += 1
    return float(found)


@part()
def effective(codes: Ints32, many: int) -> float:
    """The number of equally frequent values with the same entropy."""
    entropy, at = 0.0, 0
    while at < many:
        stop = after(codes, many, at)
        p = (stop - at) / many
        entropy -= p * log(p)
        at = stop
    return exp(entropy)


@part()
def recursive(codes: Ints32, many: int, least: int, largest: Ints) -> float:
    """The most frequent value's count over that of all but the least - 1 most frequent values.

    It is infinite if there are no other values.
    """
    for place in range(least):
        largest[place] = 0
    at = 0
    while at < many:
        stop = after(codes, many, at)
        run = stop - at
        for place in range(least):
            if run > largest[place]:
                run, largest[place] = largest[place], run
        at = stop
    rest = many
    for place in range(least - 1):
        rest -= largest[place]
    return largest[0] / rest if rest > 0 else inf


@part()
def commonest(codes: Ints32, many: int) -> float:
    """The share of the most frequent value."""
    most, at = 0, 0
    while at < many:
        stop = after(codes, many, at)
        most = max(most, stop - at)
        at = stop
    return most / many


@part()
def equal_distance(codes: Ints32, many: int, share: Floats, offset: int) -> float:
    """The share of the class that must change its value to have the distribution of the file."""
    moved, at = 0.0, 0
    while at < many:
        stop = after(codes, many, at)
        moved += max((stop - at) / many - share[offset + codes[at] + 1], 0.0)
        at = stop
    return moved


@part()
def between(level: float, start: int, stop: int, upto: Floats, offset: int) -> float:
    """The sum over some codes of the distance of the file's cumulative share from a level."""
    low, high = start, stop
    while low < high:
        middle = (low + high) // 2
        if upto[offset + middle + 1] - upto[offset + middle] < level:
            low = middle + 1
        else:
            high = middle
    below = level * (low - start) - (upto[offset + low] - upto[offset + start])
    above = upto[offset + stop] - upto[offset + low] - level * (stop - low)
    return below + above


@part()
def ordered_distance(codes: Ints32, many: int, upto: Floats, offset: int, categories: int) -> float:
    """The ordered distance of the class's distribution from the file's, relative to the largest."""
    first = 0
    while first < many and codes[first] < 0:  # missing values have no place
        first += 1
    if first == many or categories < 2:
        return 0.0
    moved, begun, at = 0.0, 0, first
    while at < many:
        moved += between((at - first) / (many - first), begun, codes[at], upto, offset)
        begun = codes[at]
        at = after(codes, many, at)
    moved += between(1.0, begun, categories - 1, upto, offset)
    return max(moved, 0.0) / (categories - 1)


@part()
def gather(
    rules: ClassRules, column: int, members: Ints, start: int, stop: int, out: Ints32
) -> None:
    """The sorted codes of some records."""
    for place in range(start, stop):
        out[place - start] = rules.codes[column, members[place]]
    sort_codes(out, stop - start)


@part()
def value_of(rules: ClassRules, rule: int, many: int, scratch: ClassScratch) -> float:
    """The value of a rule for a class with sorted codes."""
    kind, column, codes = rules.kind[rule], rules.column[rule], scratch.codes
    offset = rules.offset[column] if kind != SIZE else 0
    value = float(many)
    if kind == DISTINCT:
        value = distinct(codes, many)
    elif kind == ENTROPY:
        value = effective(codes, many)
    elif kind == RECURSIVE:
        value = recursive(codes, many, rules.least[rule], scratch.largest)
    elif kind == EQUAL:
        value = equal_distance(codes, many, rules.share, offset)
    elif kind == ORDERED:
        categories = rules.offset[column + 1] - offset - 1
        value = ordered_distance(codes, many, rules.upto, offset, categories)
    elif kind == SHARE:
        value = commonest(codes, many)
    return value


@part()
def within(kind: int, value: float, bound: float) -> bool:
    """Whether a value keeps its bound, up to rounding; recursive diversity must be below it."""
    if kind <= ENTROPY:
        return value >= bound * (1 - SLACK)
    if kind == RECURSIVE:
        return value < bound * (1 - SLACK)
    return value <= bound + SLACK


@kernel()
def keeps(rules: ClassRules, members: Ints, start: int, stop: int, scratch: ClassScratch) -> bool:
    """Whether a class keeps every rule; an empty class keeps none."""
    sorted_column = -1
    for rule in range(len(rules.kind)):
        if rules.kind[rule] != SIZE and rules.column[rule] != sorted_column:
            sorted_column = rules.column[rule]
            gather(rules, sorted_column, members, start, stop, scratch.codes)
        value = value_of(rules, rule, stop - start, scratch)
        if not within(rules.kind[rule], value, rules.bound[rule]):
            return False
    return stop > start


@kernel()
def class_values(
    rules: ClassRules, members: Ints, starts: Ints, scratch: ClassScratch, out: Floats
) -> None:
    """The value of each rule for each class; classes are contiguous parts of the members."""
    for one in range(len(starts) - 1):
        sorted_column, many = -1, starts[one + 1] - starts[one]
        for rule in range(len(rules.kind)):
            if rules.kind[rule] != SIZE and rules.column[rule] != sorted_column:
                sorted_column = rules.column[rule]
                gather(rules, sorted_column, members, starts[one], starts[one + 1], scratch.codes)
            out[one, rule] = value_of(rules, rule, many, scratch)


@kernel()
def classes_keep(
    rules: ClassRules, members: Ints, starts: Ints, scratch: ClassScratch, out: Bools
) -> None:
    """Whether each class keeps every rule."""
    for one in range(len(starts) - 1):
        out[one] = keeps(rules, members, starts[one], starts[one + 1], scratch)
