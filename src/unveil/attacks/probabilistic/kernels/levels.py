"""Comparison levels of pairs, and the expected matches among pairs of the same levels.

A comparison of two records has a level for each attribute: 0 for a gap up to the first tolerance,
1 up to the second, and so on. Gaps of text are listed by codes; a pair that is not has an infinite
one. An attribute that is missing on either side has no level. A slot is 0 for none, and else one
more than the level; a key is the slots of all attributes in one number.
"""

from typing import NamedTuple

import numpy as np

from unveil.support.arrays import Floats, Ints, Ints32
from unveil.support.compile import kernel, part


class Tolerances(NamedTuple):
    """Of all attributes, one after the other."""

    ends: Floats
    first: Ints  # by attribute: where its tolerances begin, and the end of all
    stride: Ints  # what a slot of the attribute counts in a key


class ListedGaps(NamedTuple):
    """The gaps of the codes of text, of all attributes one after another.

    A row is a code of the first file; its pairs are in ascending order of the second file's code.
    """

    first: Ints  # by attribute: the row of code 0; -1: gaps are differences
    starts: Ints  # by row: where its pairs begin; one more for the end
    codes: Ints
    gaps: Floats


@part()
def listed_gap(listed: ListedGaps, row: int, code: float) -> float:
    """The gap of a row's code and another code."""
    start, stop = listed.starts[row], listed.starts[row + 1]
    at = start + np.searchsorted(listed.codes[start:stop], np.int64(code))
    return listed.gaps[at] if at < stop and listed.codes[at] == code else np.inf


@kernel()
def fill_keys(
    record: Floats, others: Floats, tolerances: Tolerances, listed: ListedGaps, keys: Ints
) -> None:
    """The keys of one record with others, which are given attribute by attribute."""
    ends, first, stride = tolerances
    keys[:] = 0
    for j in range(len(record)):
        value, step, column = record[j], stride[j], others[j]
        if np.isnan(value):
            continue
        if listed.first[j] >= 0:
            row = listed.first[j] + np.int64(value)
            for i in range(len(keys)):
                if column[i] == column[i]:
                    gap = listed_gap(listed, row, column[i])
                    slot = 1
                    for k in range(first[j], first[j + 1]):
                        slot += gap > ends[k]
                    keys[i] += step * slot
            continue
        for i in range(len(keys)):  # what is missing has no level, and no slot beyond 0
            keys[i] += step * (column[i] == column[i])
        for k in range(first[j], first[j + 1]):
            end = ends[k]
            for i in range(len(keys)):
                keys[i] += step * (abs(value - column[i]) > end)


@kernel()
def fill_pair_keys(
    a: Floats, b: Floats, rows: Ints, tolerances: Tolerances, listed: ListedGaps, keys: Ints
) -> None:
    """The keys of pairs that are listed: a row of the first file and one of the second each."""
    ends, first, stride = tolerances
    for i in range(len(keys)):
        key = 0
        for j in range(a.shape[1]):
            gap = abs(a[rows[i, 0], j] - b[rows[i, 1], j])
            if listed.first[j] >= 0 and not np.isnan(gap):
                row = listed.first[j] + np.int64(a[rows[i, 0], j])
                gap = listed_gap(listed, row, b[rows[i, 1], j])
            if not np.isnan(gap):
                slot = 1
                for k in range(first[j], first[j + 1]):
                    slot += gap > ends[k]
                key += slot * stride[j]
        keys[i] = key


@kernel()
def merge_runs(
    keys: Ints, counts: Ints, others: Ints, other_counts: Ints, merged: Ints, sums: Ints
) -> int:
    """Merge two ascending runs of keys into one, and add up the counts of equal keys."""
    i, j, n = 0, 0, 0
    while i < len(keys) or j < len(others):
        here = j == len(others) or (i < len(keys) and keys[i] <= others[j])
        there = i == len(keys) or (j < len(others) and others[j] <= keys[i])
        merged[n], sums[n] = keys[i] if here else others[j], 0
        if here:
            sums[n] += counts[i]
            i += 1
        if there:
            sums[n] += other_counts[j]
            j += 1
        n += 1
    return n


@kernel()
def pairs_within(a: Floats, b: Floats, end: float) -> int:
    """How many pairs, one of each, have a gap up to `end`; both files ascend."""
    pairs, low, high = 0, 0, 0
    for i in range(len(a)):
        while low < len(b) and a[i] - b[low] > end:
            low += 1
        high = max(high, low)
        while high < len(b) and b[high] - a[i] <= end:
            high += 1
        pairs += high - low
    return pairs


@kernel()
def add_listed(starts: Ints, codes: Ints, gaps: Floats, a: Ints, many: Ints, sums: Floats) -> None:
    """Add the listed pairs of codes `a`, one for each record, to the sums of their gaps.

    `many` says how often each code occurs in the other file.
    """
    for code in a:
        for at in range(starts[code], starts[code + 1]):
            sums[np.int64(gaps[at])] += many[codes[at]]


@kernel()
def expect_matches(
    codes: Ints32,
    counts: Floats,
    weights: Floats,
    first: Ints,
    logit: float,
    patterns: tuple[int, int],
    sums: Floats,
) -> tuple[float, float]:
    """Add the expected matches of each pattern of a range to the sums of its codes.

    Each pattern has a code in every part, and each code a weight, from `first` of its part on.
    With d the sum of weights and the prior's logit, a pair of this pattern is a match with
    probability 1 / (1 + exp(-d)). Returned: all matches that are expected, and the sum of
    log(1 + exp(d)) over all pairs.
    """
    matches, logs = 0.0, 0.0
    for i in range(patterns[0], patterns[1]):
        d = logit
        for p in range(codes.shape[0]):
            d += weights[first[p] + codes[p, i]]
        small = np.exp(-abs(d))  # never overflows
        expected = counts[i] * (1.0 if d > 0 else small) / (1.0 + small)
        logs += counts[i] * (max(d, 0.0) + np.log1p(small))
        matches += expected
        for p in range(codes.shape[0]):
            sums[first[p] + codes[p, i]] += expected
    return matches, logs
