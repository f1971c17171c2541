"""Rank swapping: who exchanges values with whom, by position in ascending order."""

import numpy as np

from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.compile import kernel, part


@part()
def take_away(counts: Ints, position: int) -> None:
    """One fewer at a position; `counts` is a tree of partial sums (Fenwick)."""
    i = position + 1
    while i < len(counts):
        counts[i] -= 1
        i += i & -i


@part()
def so_far(counts: Ints, position: int) -> int:
    """How many are left up to a position, itself included."""
    total, i = 0, position + 1
    while i > 0:
        total += counts[i]
        i -= i & -i
    return total


@part()
def find(counts: Ints, nth: int) -> int:
    """The position of the nth that is left, from 0."""
    step = 1
    while 2 * step < len(counts):
        step *= 2
    i = 0
    while step:
        if i + step < len(counts) and counts[i + step] <= nth:
            i += step
            nth -= counts[i]
        step //= 2
    return i


@kernel()
def swap_within(windows: Ints, uniforms: Floats, partner: Ints, counts: Ints) -> None:
    """Visit positions in ascending order; each not yet swapped exchanges with a later one.

    The partner is drawn among those not yet swapped within the position's window; where
    there is none, the value stays. `partner`, filled here, is each position's own at first;
    `counts` is scratch, one longer.
    """
    n = len(windows)
    for i in range(1, n + 1):
        counts[i] = i & -i
    for i in range(n):
        if partner[i] != i:
            continue
        take_away(counts, i)  # from here on, all that are left lie ahead
        ahead = so_far(counts, min(i + windows[i], n - 1))
        if ahead > 0:
            j = find(counts, int(uniforms[i] * ahead))
            take_away(counts, j)
            partner[i], partner[j] = j, i


@kernel()
def swap_by(steps: Floats, state: Ints, tries: int, partner: Ints, settled: Bools) -> bool:
    """The same with a step drawn for each position, drawn again while it leads nowhere.

    A step leads nowhere before the next position, past the last or to one that is swapped
    already; after so many `tries` the value stays. Returns whether all positions are done;
    if not, the steps are used up: call again with more. `state` is where it stands.
    """
    n, i, tried = len(partner), state[0], state[1]
    for step in steps:
        while i < n and settled[i]:
            i += 1
        if i == n:
            break
        tried += 1
        if step >= 1 and step <= n - 1 - i and not settled[i + np.int64(step)]:
            j = i + np.int64(step)
            partner[i], partner[j] = j, i
            settled[i] = settled[j] = True
            tried = 0
        elif tried == tries:
            settled[i] = True
            tried = 0
    while i < n and settled[i]:
        i += 1
    state[0], state[1] = i, tried
    return i == n
