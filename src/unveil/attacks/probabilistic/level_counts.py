"""Two files compared pair by pair, and the pairs counted by their comparison levels."""

from collections.abc import Sequence
from math import prod

import numpy as np

from unveil.attacks.probabilistic.kernels import levels as kernel
from unveil.attacks.probabilistic.level_patterns import (
    DENSE_PATTERNS,
    LevelPatterns,
    PatternTally,
    Tolerances,
    merge_runs,
)
from unveil.engines.base import MOST_ATTRIBUTES, Engine
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import prepare
from unveil.support.threads import cores, run_blocks
from unveil.values.links import ComparisonBlock

PAIRS_AT_ONCE = 1 << 22  # whose keys are held by one thread
_REHEARSAL = np.zeros((1, 1))


def count_levels(
    a: Floats, b: Floats, tolerances: Tolerances, blocks: Sequence[ComparisonBlock]
) -> LevelPatterns:
    """Count the pairs of two files by their comparison levels; every pair is compared.

    The files are numbers, records x attributes; a NaN is missing. Tolerances ascend. Pairs are
    compared a few million at a time and counted by pattern, so that memory grows with the number
    of different patterns and not with that of the pairs; except for attributes so many that a
    pattern takes more than 62 bits.
    """
    prepare("the comparison of pairs", _rehearse)
    tally = PatternTally(tolerances)
    batches = pair_batches(blocks)

    def work(start: int, stop: int) -> None:
        for batch in batches[start:stop]:
            keys = np.empty((len(tally.words), sum(len(r) * len(c) for r, c in batch)), np.int64)
            at = 0
            for rows, candidates in batch:
                others = np.ascontiguousarray(b[candidates].T)
                for row in rows.tolist():
                    own = keys[:, at : at + len(candidates)]
                    for word, found in zip(tally.words, own, strict=True):
                        kernel.fill_keys(
                            a[row, word.attributes], others[word.attributes], word.tolerances, found
                        )
                    at += len(candidates)
            tally.add(keys)

    run_blocks(work, range(len(batches) + 1), threads=cores(None))
    return tally.patterns()


def pair_batches(blocks: Sequence[ComparisonBlock]) -> list[list[tuple[Ints, Ints]]]:
    """Records and their candidates, a few million pairs at once, however small the blocks."""
    batches: list[list[tuple[Ints, Ints]]] = []
    room = 0
    for block in blocks:
        records, many = block.records, max(len(block.candidates), 1)
        while len(records):
            if room < many:
                batches.append([])
                room = max(PAIRS_AT_ONCE, many)
            n = room // many
            batches[-1].append((records[:n], block.candidates))
            room -= many * len(records[:n])
            records = records[n:]
    return batches


def count_pairs(
    a: Floats, b: Floats, tolerances: Tolerances, rows: Ints, times: Floats
) -> LevelPatterns:
    """Count listed pairs, a row of each file, every one so many times."""
    tally = PatternTally(tolerances)
    return tally.weighted(_keys_of_pairs(tally, a, b, rows), times)


def _keys_of_pairs(tally: PatternTally, a: Floats, b: Floats, rows: Ints) -> Ints:
    prepare("the comparison of pairs", _rehearse)
    keys = np.empty((len(tally.words), len(rows)), np.int64)
    for word, found in zip(tally.words, keys, strict=True):
        own, other = (np.ascontiguousarray(file[:, word.attributes]) for file in (a, b))
        kernel.fill_pair_keys(own, other, rows, word.tolerances, found)
    return keys


def pair_patterns(
    a: Floats, b: Floats, tolerances: Tolerances, rows: Ints
) -> tuple[LevelPatterns, Ints]:
    """The patterns of listed pairs, a row of each file, and the place of each pair's pattern."""
    tally = PatternTally(tolerances)
    keys = _keys_of_pairs(tally, a, b, rows)
    possible = prod(slots for word in tally.words for slots in word.slots)
    if possible <= DENSE_PATTERNS:  # counted, which is faster than sorted
        counts = np.bincount(keys[0], minlength=possible)
        distinct, places = np.flatnonzero(counts)[None], (np.cumsum(counts > 0) - 1)[keys[0]]
        return tally.weighted(distinct, counts[distinct[0]].astype(np.float64)), places
    axis = 1 if len(keys) > 1 else None  # of one word, numbers are sorted faster than columns
    distinct, places, counts = np.unique(keys, axis=axis, return_inverse=True, return_counts=True)
    return tally.weighted(
        distinct.reshape(len(keys), -1), counts.astype(np.float64)
    ), places.ravel()


def count_equal(
    a: Floats, b: Floats, blocks: tuple[Ints, Ints], engine: Engine
) -> LevelPatterns | None:
    """Count all pairs of the same block by which attributes are equal.

    Pairs are counted in groups and not compared, however many there are. None, if there are
    too many attributes for that: at most 20, one that is missing somewhere counts twice.
    """
    rows = np.vstack([a, b])
    gappy = np.atleast_1d(np.isnan(rows).any(axis=0))
    present = np.where(np.isnan(rows[:, gappy]), -1, 0)  # equal where both are
    columns = [*map(_codes, rows.T), *present.T, np.concatenate(blocks)]
    if len(columns) > MOST_ATTRIBUTES:
        return None
    codes = np.column_stack(columns)
    counts = engine.pattern_counts(codes[: len(a)], codes[len(a) :])
    found = np.flatnonzero(counts)
    found = found[found >> (len(columns) - 1) == 1]  # those of one block
    keys, width = np.zeros(len(found), np.int64), a.shape[1]
    seen = width + np.cumsum(gappy) - 1
    for j in range(width):
        known = found >> seen[j] & 1 if gappy[j] else 1
        keys = 3 * keys + known * (2 - (found >> j & 1))
    return PatternTally([(0.0,)] * width).weighted(keys[None], counts[found].astype(np.float64))


def _codes(values: Floats) -> Ints:
    """Equal numbers as equal codes; -1 is missing."""
    codes, known = np.full(len(values), -1), ~np.isnan(values)
    codes[known] = np.unique(values[known], return_inverse=True)[1]
    return codes


def level_totals(
    a: Floats, b: Floats, tolerances: Tolerances, blocks: Sequence[ComparisonBlock]
) -> Floats:
    """The pairs of each level, attribute by attribute, from the sorted values of both files."""
    prepare("the comparison of pairs", _rehearse)
    totals = []
    for left, right, ends in zip(a.T, b.T, tolerances, strict=True):
        within = np.zeros(len(ends) + 1)
        for block in blocks:
            x, y = (
                np.sort(values[~np.isnan(values)])
                for values in (left[block.records], right[block.candidates])
            )
            counts = [kernel.pairs_within(x, y, float(end)) for end in ends]
            within += [*counts, len(x) * len(y)]
        totals.append(np.diff(within, prepend=0.0))
    return np.concatenate(totals)


def _rehearse() -> None:
    tally = PatternTally([[0.0]])
    one, keys, tolerances = _REHEARSAL, np.zeros((1, 1), np.int64), tally.words[0].tolerances
    kernel.fill_keys(one[0, :], one, tolerances, keys[0])
    kernel.fill_pair_keys(one, one, np.zeros((1, 2), np.int64), tolerances, keys[0])
    merge_runs((keys[0], keys[0]), (keys[0], keys[0]))
    kernel.pairs_within(one[0], one[0], 0.0)
    tally.add(keys)
    tally.patterns().expect(np.zeros(2), 0.0, threads=1)
