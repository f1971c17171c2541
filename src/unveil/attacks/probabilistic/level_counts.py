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
from unveil.engines.code_pairs import CodePairs
from unveil.support.arrays import Floats, Ints
from unveil.support.compile import prepare
from unveil.support.threads import cores, run_blocks
from unveil.values.links import ComparisonBlock

PAIRS_AT_ONCE = 1 << 22  # whose keys are held by one thread
_REHEARSAL = np.zeros((1, 1))


Gaps = Sequence[CodePairs | None]  # of each attribute; None: the difference of numbers


def count_levels(
    a: Floats,
    b: Floats,
    tolerances: Tolerances,
    blocks: Sequence[ComparisonBlock],
    gaps: Gaps | None = None,
) -> LevelPatterns:
    """Count the pairs of two files by their comparison levels; every pair is compared.

    The files are numbers, records x attributes; a NaN is missing. Tolerances ascend. Pairs are
    compared a few million at a time and counted by pattern, so memory grows with the number of
    patterns and not of pairs, unless the attributes are so many that a pattern takes more than 62
    bits.
    """
    prepare("the comparison of pairs", _rehearse)
    tally = PatternTally(tolerances)
    batches = pair_batches(blocks)
    listed = [_listed(gaps, word.attributes) for word in tally.words]

    def work(start: int, stop: int) -> None:
        for batch in batches[start:stop]:
            keys = np.empty((len(tally.words), sum(len(r) * len(c) for r, c in batch)), np.int64)
            at = 0
            for rows, candidates in batch:
                others = np.ascontiguousarray(b[candidates].T)
                for row in rows.tolist():
                    own = keys[:, at : at + len(candidates)]
                    for word, pairs, found in zip(tally.words, listed, own, strict=True):
                        mine, theirs = a[row, word.attributes], others[word.attributes]
                        kernel.fill_keys(mine, theirs, word.tolerances, pairs, found)
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


def _listed(gaps: Gaps | None, attributes: slice) -> kernel.ListedGaps:
    """The listed gaps of some attributes, one after another."""
    chosen = [] if gaps is None else gaps[attributes]
    starts, codes, values = [np.zeros(1, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    first, n_rows, n_pairs = np.full(attributes.stop - attributes.start, -1), 0, 0
    for j, pairs in enumerate(chosen):
        if pairs is not None:
            first[j], n_rows = n_rows, n_rows + pairs.n_codes
            starts.append(pairs.starts[1:] + n_pairs)
            n_pairs += len(pairs.codes)
            codes.append(pairs.codes)
            values.append(pairs.values)
    return kernel.ListedGaps(
        first, np.concatenate(starts), np.concatenate(codes), np.concatenate(values)
    )


def count_pairs(
    a: Floats,
    b: Floats,
    tolerances: Tolerances,
    rows: Ints,
    times: Floats,
    gaps: Gaps | None = None,
) -> LevelPatterns:
    """Count listed pairs (a row of each file), each with its multiplicity."""
    tally = PatternTally(tolerances)
    return tally.weighted(_keys_of_pairs(tally, (a, b), rows, gaps), times)


def _keys_of_pairs(
    tally: PatternTally, files: tuple[Floats, Floats], rows: Ints, gaps: Gaps | None
) -> Ints:
    prepare("the comparison of pairs", _rehearse)
    keys = np.empty((len(tally.words), len(rows)), np.int64)
    for word, found in zip(tally.words, keys, strict=True):
        own, other = (np.ascontiguousarray(file[:, word.attributes]) for file in files)
        listed = _listed(gaps, word.attributes)
        kernel.fill_pair_keys(own, other, rows, word.tolerances, listed, found)
    return keys


def pair_patterns(
    a: Floats, b: Floats, tolerances: Tolerances, rows: Ints, gaps: Gaps | None = None
) -> tuple[LevelPatterns, Ints]:
    """The patterns of listed pairs (a row of each file), and the place of each pair's pattern."""
    tally = PatternTally(tolerances)
    keys = _keys_of_pairs(tally, (a, b), rows, gaps)
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
    """Count all pairs of the same block by the set of equal attributes.

    Pairs are counted in groups without comparing them. None if there are more than 20 attributes;
    an attribute with a missing cell counts twice.
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
    """Numbers as codes: equal numbers have equal codes, -1 is missing."""
    codes, known = np.full(len(values), -1), ~np.isnan(values)
    codes[known] = np.unique(values[known], return_inverse=True)[1]
    return codes


def level_totals(
    a: Floats,
    b: Floats,
    tolerances: Tolerances,
    blocks: Sequence[ComparisonBlock],
    gaps: Gaps | None = None,
) -> Floats:
    """The pairs of each level, attribute by attribute, from the sorted values of both files."""
    prepare("the comparison of pairs", _rehearse)
    totals = []
    pairs = [None] * len(tolerances) if gaps is None else gaps
    for left, right, ends, listed in zip(a.T, b.T, tolerances, pairs, strict=True):
        if listed is not None:
            totals.append(_listed_totals(left, right, listed, len(ends), blocks))
            continue
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


def _listed_totals(
    a: Floats, b: Floats, gaps: CodePairs, n_levels: int, blocks: Sequence[ComparisonBlock]
) -> Floats:
    """The pairs of each level of one attribute of text."""
    totals, many = np.zeros(n_levels + 1), np.zeros(gaps.n_codes, np.int64)
    for block in blocks:
        own, theirs = (
            values[~np.isnan(values)].astype(np.int64)
            for values in (a[block.records], b[block.candidates])
        )
        codes, counts = np.unique(theirs, return_counts=True)
        many[codes] = counts
        before = totals[:-1].sum()
        kernel.add_listed(gaps.starts, gaps.codes, gaps.values, own, many, totals)
        many[codes] = 0
        totals[-1] += len(own) * len(theirs) - (totals[:-1].sum() - before)
    return totals


def _rehearse() -> None:
    tally = PatternTally([[0.0]])
    one, keys, tolerances = _REHEARSAL, np.zeros((1, 1), np.int64), tally.words[0].tolerances
    none = _listed(None, slice(0, 1))
    kernel.fill_keys(one[0, :], one, tolerances, none, keys[0])
    kernel.fill_pair_keys(one, one, np.zeros((1, 2), np.int64), tolerances, none, keys[0])
    merge_runs((keys[0], keys[0]), (keys[0], keys[0]))
    kernel.pairs_within(one[0], one[0], 0.0)
    kernel.add_listed(none.starts, none.codes, none.gaps, keys[0, :0], keys[0], one[0].copy())
    tally.add(keys)
    tally.patterns().expect(np.zeros(2), 0.0, threads=1)
