"""Pairs that agree on each set of attributes, counted by dividing blocks of records.

A block is the records of both files that agree on a set of attributes. It is divided by one
attribute more at a time, depth first, and what is in one file only is dropped at once, as in
Beyer and Ramakrishnan, "Bottom-up computation of sparse and Iceberg CUBEs" (SIGMOD 1999).
Two shortcuts keep blocks from being divided to dust: where few pairs are left they are
compared one by one, and where many records are left for few combinations of codes, equal
ones are merged.
"""

from typing import NamedTuple

import numpy as np

from unveil.support.arrays import Bools, Ints, Ints32
from unveil.support.compile import kernel, part

Block = tuple[int, int, int, int]

PAIRS_PER_ROW = 12  # up to which comparing them is quicker than dividing
ROWS_PER_CELL = 4  # per combination of codes, from which merging them pays


class DistinctRows(NamedTuple):
    """The distinct rows of both files, those of the first file first."""

    codes: Ints32  # dense from 0; missing is -1 in the first file, -2 in the second
    weights: Ints32  # how many records have the row
    n_a: int  # rows of the first file
    slots: Ints  # by attribute: its codes, and one more if a cell is missing
    cells: Ints  # combinations of slots from each attribute on, up to one more than rows


class PatternScratch(NamedTuple):
    """The scratch memory of one thread."""

    entries: Ints32  # row and weight; blocks are stretches of entries
    moved: Ints32  # entries on their way to other places
    present: Ints32  # the codes of a block
    tally: Ints  # by code: entries in the first file, in the second; next place in each
    place: Ints  # by combination of codes: where it is merged
    stop: Bools  # turns true when the answer is no longer wanted
    blocks: Ints  # those that wait: a Block, next attribute, attributes chosen, end of entries


def scratch_for(rows: DistinctRows, stop: Bools) -> PatternScratch:
    """Room for `count_agreeing`, some 30 bytes for each row and for each code."""
    n, d = rows.codes.shape
    most = int(rows.slots.max())
    # A merged block, put behind all others, has at most half the entries of its source.
    # Blocks that wait have more than 2 PAIRS_PER_ROW entries and do not overlap, but for one at
    # each depth that waits for its next attribute.
    return PatternScratch(
        entries=np.empty((2 * n, 2), np.int32),
        moved=np.empty((n, 2), np.int32),
        present=np.empty(most, np.int32),
        tally=np.zeros((most, 4), np.int64),
        place=np.empty(n // ROWS_PER_CELL + 1, np.int64),
        stop=stop,
        blocks=np.empty((n // PAIRS_PER_ROW + d + 2, 7), np.int64),
    )


@kernel()
def count_agreeing(
    rows: DistinctRows, selection: tuple[int, int], scratch: PatternScratch, table: Ints
) -> None:
    """Count the pairs that agree on the chosen attributes, and on any set of the free ones.

    `selection` is a bit mask and the first free attribute, which is beyond the mask. The table, at
    first zeros, has a column for each set of free attributes, and a row for each of them and
    one more. The last row has the pairs that agree on at least the set. Elsewhere, in row r,
    is a pair that was compared: once, in the largest set on which it agrees among those that
    have the same of the first r free attributes. It is still to be added to the others.
    """
    (mask, free), codes, blocks = selection, rows.codes, scratch.blocks
    (n, d), entries, at_least = codes.shape, scratch.entries, table[len(table) - 1]
    for i in range(n):
        entries[i, 0], entries[i, 1] = i, rows.weights[i]
    block, k, chosen, top, waiting = (0, rows.n_a, rows.n_a, n), 0, 0, n, 0
    if mask == 0:
        at_least[chosen] = pairs_of(entries, block)
    waiting = put(blocks, waiting, block, k, chosen, top)
    while waiting > 0 and not scratch.stop[0]:
        # The newest block first: what it was cut from stays whole until its turn.
        waiting -= 1
        b = blocks[waiting]
        block, k, chosen, top = (b[0], b[1], b[2], b[3]), b[4], b[5], b[6]
        k = next_attribute(selection, k)
        if rows.cells[k] * ROWS_PER_CELL <= size_of(block):
            middle = merge(rows, scratch, (block[0], block[1]), k, top)
            end = merge(rows, scratch, (block[2], block[3]), k, middle)
            block, top = (top, middle, middle, end), end
            if is_small(block):
                if mask >> k == 0:  # counted when it was cut
                    at_least[chosen] -= pairs_of(entries, block)
                compare(codes, entries, block, k, selection, chosen, table)
                continue
        if k == d - 1:
            at_least[chosen | 1 << (k - free)] += agreeing_on_last(codes, scratch, block)
            continue
        n_codes = divide(codes, scratch, block, k)
        if k >= free:
            waiting = put(blocks, waiting, block, k + 1, chosen, top)
            chosen |= 1 << (k - free)
        k += 1
        for i in range(n_codes):
            block = cut(scratch, i)
            if is_small(block):
                compare(codes, entries, block, k, selection, chosen, table)
            else:
                waiting = put(blocks, waiting, block, k, chosen, top)
                if mask >> k == 0:
                    at_least[chosen] += pairs_of(entries, block)


@part()
def next_attribute(selection: tuple[int, int], k: int) -> int:
    """The first attribute from k on that is chosen or free."""
    mask, free = selection
    while k < free and not (mask >> k) & 1:
        k += 1
    return k


@part()
def put(blocks: Ints, at: int, block: Block, k: int, chosen: int, top: int) -> int:
    """Let a block wait; return how many do."""
    for i in range(4):
        blocks[at, i] = block[i]
    blocks[at, 4], blocks[at, 5], blocks[at, 6] = k, chosen, top
    return at + 1


@part()
def size_of(block: Block) -> int:
    """The entries of a block."""
    return block[1] - block[0] + block[3] - block[2]


@part()
def is_small(block: Block) -> bool:
    """Whether it is quicker to compare the pairs than to divide them."""
    return (block[1] - block[0]) * (block[3] - block[2]) <= PAIRS_PER_ROW * size_of(block)


@kernel()
def pairs_of(entries: Ints32, block: Block) -> int:
    """The pairs of records in a block."""
    a, a_end, b, b_end = block
    n_a, n_b = 0, 0
    for i in range(a, a_end):
        n_a += entries[i, 1]
    for i in range(b, b_end):
        n_b += entries[i, 1]
    return n_a * n_b


@kernel()
def compare(
    codes: Ints32,
    entries: Ints32,
    block: Block,
    k: int,
    selection: tuple[int, int],
    chosen: int,
    table: Ints,
) -> None:
    """Count each pair of a block under all that it agrees on from attribute k on."""
    a, a_end, b, b_end = block
    mask, free = selection
    due, row = (mask >> k) << k, max(k, free) - free
    for i in range(a, a_end):
        left = entries[i, 0]
        for j in range(b, b_end):
            right, agree = entries[j, 0], 0
            for attribute in range(k, codes.shape[1]):
                # Not a branch, which would be foretold wrongly half of the time.
                agree |= (codes[left, attribute] == codes[right, attribute]) << attribute
            if agree & due == due:
                table[row, chosen | agree >> free] += entries[i, 1] * entries[j, 1]


@kernel()
def agreeing_on_last(codes: Ints32, scratch: PatternScratch, block: Block) -> int:
    """The pairs of a block that agree on the last attribute."""
    a, a_end, b, b_end = block
    entries, tally = scratch.entries, scratch.tally
    last, pairs = codes.shape[1] - 1, 0
    for i in range(a, a_end):
        code = codes[entries[i, 0], last]
        if code >= 0:
            tally[code, 0] += entries[i, 1]
    for i in range(b, b_end):
        code = codes[entries[i, 0], last]
        if code >= 0:
            pairs += tally[code, 0] * entries[i, 1]
    for i in range(a, a_end):
        code = codes[entries[i, 0], last]
        if code >= 0:
            tally[code, 0] = 0
    return pairs


@kernel()
def merge(
    rows: DistinctRows, scratch: PatternScratch, stretch: tuple[int, int], k: int, top: int
) -> int:
    """Write entries again from `top` on, those alike from attribute k on as one."""
    codes, slots, entries, place = rows.codes, rows.slots, scratch.entries, scratch.place
    for cell in range(rows.cells[k]):
        place[cell] = -1
    for i in range(stretch[0], stretch[1]):
        cell = 0
        for j in range(k, codes.shape[1]):
            code = codes[entries[i, 0], j]
            cell = cell * slots[j] + (code if code >= 0 else slots[j] - 1)
        if place[cell] < 0:
            place[cell] = top
            entries[top, 0], entries[top, 1] = entries[i, 0], 0
            top += 1
        entries[place[cell], 1] += entries[i, 1]
    return top


@kernel()
def divide(codes: Ints32, scratch: PatternScratch, block: Block, k: int) -> int:
    """Order a block by attribute k and tally its codes; return how many both files have."""
    a, a_end, b, b_end = block
    entries, tally, present = scratch.entries, scratch.tally, scratch.present
    n_found, n_common = 0, 0
    for i in range(a, a_end):
        code = codes[entries[i, 0], k]
        if code >= 0:
            if tally[code, 0] == 0:
                present[n_found] = code
                n_found += 1
            tally[code, 0] += 1
    for i in range(b, b_end):
        code = codes[entries[i, 0], k]
        if code >= 0 and tally[code, 0] > 0:
            tally[code, 1] += 1
    for i in range(n_found):
        code = present[i]
        if tally[code, 1] > 0:
            tally[code, 2], tally[code, 3] = a, b
            a += tally[code, 0]
            b += tally[code, 1]
            present[n_common] = code
            n_common += 1
        else:
            tally[code, 0] = 0
    for side in range(2):
        stretch, rest = ((block[0], a_end), a) if side == 0 else ((block[2], b_end), b)
        arrange(codes, scratch, stretch, k, side, rest)
    return n_common


@kernel()
def arrange(
    codes: Ints32, scratch: PatternScratch, stretch: tuple[int, int], k: int, side: int, rest: int
) -> None:
    """Move entries to the places that the tally has for their codes, or else to the rest."""
    entries, moved, tally = scratch.entries, scratch.moved, scratch.tally
    start, end = stretch
    for i in range(start, end):
        code = codes[entries[i, 0], k]
        if code >= 0 and tally[code, 0] > 0:
            to = tally[code, 2 + side] - start
            tally[code, 2 + side] += 1
        else:
            to = rest - start
            rest += 1
        moved[to, 0], moved[to, 1] = entries[i, 0], entries[i, 1]
    for i in range(start, end):
        entries[i, 0], entries[i, 1] = moved[i - start, 0], moved[i - start, 1]


@part()
def cut(scratch: PatternScratch, at: int) -> Block:
    """A block of the entries that have one code, after `divide`; the code's tally is cleared."""
    code, tally = scratch.present[at], scratch.tally
    a_end, b_end = tally[code, 2], tally[code, 3]
    block = (a_end - tally[code, 0], a_end, b_end - tally[code, 1], b_end)
    tally[code, 0], tally[code, 1] = 0, 0
    return block
