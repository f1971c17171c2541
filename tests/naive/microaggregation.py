"""A slow twin of microaggregation."""

from __future__ import annotations

import numpy as np


def mdav(points, k, categories=()):
    """The group of each record, by the textbook: all distances, in every step."""
    groups, made = np.full(len(points), -1), 0
    sums = np.zeros(points.shape[1])
    for row in points:
        sums += row

    def take(first):
        nonlocal sums, made
        free = np.flatnonzero(groups < 0)
        nearest = free[np.lexsort([free, free != first, _squares(points[free], points[first])])]
        members = [first, *[row for row in nearest if row != first][: k - 1]]
        for row in members:
            sums -= points[row]
        groups[members] = made
        made += 1

    def farthest(place):
        free = np.flatnonzero(groups < 0)
        return free[np.argmax(_squares(points[free], place))]

    while (groups < 0).sum() >= 3 * k:
        first = farthest(_centre(sums, groups < 0, categories))
        take(first)
        take(farthest(points[first]))
    if (groups < 0).sum() >= 2 * k:
        take(farthest(_centre(sums, groups < 0, categories)))
    groups[groups < 0] = made
    return groups


def _squares(points, place):
    total = np.zeros(len(points))
    for j in range(points.shape[1]):
        total += (points[:, j] - place[j]) ** 2
    return total


def _centre(sums, free, categories):
    centre = sums / free.sum()
    for each in categories:
        codes = each.codes[free & (each.codes >= 0)]
        if len(codes):
            found = np.sort(codes)[(len(codes) - 1) // 2]
            if not each.ordered:
                found = np.bincount(codes).argmax()
            centre[each.column : each.column + each.places.shape[1]] = each.places[found]
    return centre
