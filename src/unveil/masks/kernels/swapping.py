"""Rank swapping: the partner of each rank, in ascending order."""

import numpy as np

from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.compile import kernel, part


@part()
def remove(counts: Ints, position: int) -> None:
    """Remove a position from a Fenwick tree of partial sums."""
    i = position + 1
    while i < len(counts):
        counts[i] -= 1
        i += i & -i


@part()
def count_up_to(counts: Ints, position: int) -> int:
    """The number of positions left, up to and including this one."""
    total, i = 0, position + 1
    while i > 0:
        total += counts[i]
        i -= i & -i
    return total


@part()
def nth_left(counts: Ints, nth: int) -> int:
    """The nth position left, counted from 0."""
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
    """Visit positions in ascending order, and swap each one left with a later one.

    The partner is drawn from the positions left within the window; without one the value stays.
    `partner`, initially the identity, is the output; `counts` is scratch of n + 1 zeros.
    """
    n = len(windows)
    for i in range(1, n + 1):
        counts[i] = i & -i
    for i in range(n):
        if partner[i] != i:
            continue
        remove(counts, i)  # all positions left are ahead of i
        ahead = count_up_to(counts, min(i + windows[i], n - 1))
        if ahead > 0:
            j = nth_left(counts, int(uniforms[i] * ahead))
            remove(counts, j)
            partner[i], partner[j] = j, i


@kernel()
def swap_by_steps(steps: Floats, state: Ints, tries: int, partner: Ints, settled: Bools) -> bool:
    """Visit positions in ascending order, and swap each one left over a drawn step.

    A step below 1, past the end or to a settled position is drawn again; after `tries` draws the
    value stays. Returns whether all positions are settled; if not, the steps are used up: call
    again with more. `state` is the current position and its number of draws.
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


@kernel()
def permute_within(window: int, uniforms: Floats, source: Ints) -> None:
    """Exchange the values of each position and a random one, if neither gets too far.

    `source` is the position from which each position's value comes, and changes in place. Both
    directions of an exchange are equally likely, so that all permutations within the window are.
    """
    n = len(source)
    for a in range(n):
        b = a - window + int(uniforms[a] * (2 * window + 1))
        if 0 <= b < n and abs(source[a] - b) <= window and abs(source[b] - a) <= window:
            source[a], source[b] = source[b], source[a]
