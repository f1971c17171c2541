"""Masks as good plain programs do them.

MDAV: all distances to all unassigned records, every step. Unassigned records lie without
gaps, one row per attribute, so that distances are computed side by side; the distances from
the first record of a pair of groups serve for its nearest and for its farthest. The groups
are those of `unveil.grouping.mdav.mdav`.

Rank swapping: each record looks through its whole window for partners.
"""

from __future__ import annotations

import numpy as np
from numba import njit

BLOCK = 512  # records whose distances stay in the nearest cache


@njit(nogil=True, cache=True)
def squares(columns, n, place, out):
    """The squared distance of each of the first n records from a place."""
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        part = out[start:stop]
        part[:] = 0.0
        for j in range(len(place)):
            here, column = place[j], columns[j, start:stop]
            for i in range(len(part)):
                gap = column[i] - here
                part[i] += gap * gap


@njit(nogil=True, cache=True)
def farthest(distance, record, n):
    """Where the greatest distance is; ties go to the lowest record."""
    best, most = 0, distance[0]
    for i in range(1, n):
        if distance[i] >= most and (distance[i] > most or record[i] < record[best]):
            best, most = i, distance[i]
    return best


@njit(nogil=True, cache=True)
def nearest(distance, record, n, first, members):
    """Put the places of `first` and of the records nearest to it into `members`."""
    members[0], filled = first, 1
    worst = np.inf
    for i in range(n):
        if distance[i] > worst or i == first:
            continue
        at = min(filled, len(members) - 1)
        if filled == len(members) and not (distance[i] < worst or record[i] < record[members[at]]):
            continue
        while at > 1:
            other = members[at - 1]
            if distance[other] < distance[i] or (
                distance[other] == distance[i] and record[other] < record[i]
            ):
                break
            members[at] = other
            at -= 1
        members[at] = i
        filled = min(filled + 1, len(members))
        if filled == len(members):
            worst = distance[members[filled - 1]]


@njit(nogil=True, cache=True)
def remove(columns, record, distance, n, members, sums):
    """Take the members out and fill their places with the last; returns how many are left."""
    for at in members:
        for j in range(len(sums)):
            sums[j] -= columns[j, at]
    for at in np.sort(members)[::-1]:
        n -= 1
        record[at], distance[at] = record[n], distance[n]
        for j in range(len(sums)):
            columns[j, at] = columns[j, n]
    return n


@njit(nogil=True, cache=True)
def mdav(points, k):
    """The group of each record."""
    n, width = points.shape
    columns, record = points.T.copy(), np.arange(n)
    groups, distance, members = np.empty(n, np.int64), np.empty(n), np.empty(k, np.int64)
    sums, place, group = np.zeros(width), np.empty(width), 0
    for i in range(n):
        for j in range(width):
            sums[j] += points[i, j]
    while n >= 2 * k:
        squares(columns, n, sums / n, distance)
        for _ in range(1 + (n >= 3 * k)):
            first = farthest(distance, record, n)
            for j in range(width):
                place[j] = columns[j, first]
            squares(columns, n, place, distance)
            nearest(distance, record, n, first, members)
            for at in members:
                groups[record[at]] = group
            n = remove(columns, record, distance, n, members, sums)
            group += 1
    for i in range(n):
        groups[record[i]] = group
    return groups


@njit(nogil=True, cache=True)
def partners(n, window, uniforms, partner):
    """Each position not yet swapped takes a partner in its window, found by looking."""
    swapped = np.zeros(n, np.bool_)
    for i in range(n):
        if swapped[i]:
            continue
        swapped[i] = True
        last, free = min(n - 1, i + window), 0
        for j in range(i + 1, last + 1):
            free += not swapped[j]
        if free == 0:
            continue
        wanted, j = int(uniforms[i] * free), i
        while wanted >= 0:
            j += 1
            wanted -= not swapped[j]
        swapped[j] = True
        partner[i], partner[j] = j, i


def swap_ranks(points, percent, seed=1):
    """Every attribute with its values swapped within a window of ranks."""
    random, out = np.random.default_rng(seed), np.empty_like(points)
    n = len(points)
    for j, column in enumerate(points.T):
        order, partner = np.argsort(column, kind="stable"), np.arange(n)
        partners(n, int(n * percent / 100), random.random(n), partner)
        out[order, j] = column[order[partner]]
    return out
