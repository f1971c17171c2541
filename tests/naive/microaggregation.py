"""Slow twins of microaggregation."""

from __future__ import annotations

import numpy as np


def mdav(points, k, categories=()):
    """The group of each record, by the textbook: all distances, in every step."""
    groups, made = np.full(len(points), -1), 0
    sums = _summed(points)

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


def v_mdav(points, k, gamma, categories=()):
    """The same with groups that are extended, as published."""
    groups, made, everybody = np.full(len(points), -1), 0, np.full(len(points), True)
    outward = _squares(points, _centre(_summed(points), everybody, categories))
    while (groups < 0).sum() >= k:
        free = np.flatnonzero(groups < 0)
        first = free[np.argmax(outward[free])]
        others = free[free != first]
        near = others[np.lexsort([others, _squares(points[others], points[first])])]
        members = [first, *near[: k - 1]]
        while gamma > 0 and len(members) < min(2 * k - 1, len(free)):
            others = np.setdiff1d(free, members)
            inward = np.min([_squares(points[others], points[m]) for m in members], axis=0)
            guest = others[np.argmin(inward)]
            rivals = others[others != guest]
            out = _squares(points[rivals], points[guest]).min(initial=np.inf)
            if not inward.min() < gamma**2 * out:
                break
            members.append(guest)
        groups[members] = made
        made += 1
    joined = groups.copy()
    for row in np.flatnonzero(groups < 0):
        centres = [
            _centre(_summed(points[groups == group]), groups == group, categories)
            for group in range(made)
        ]
        joined[row] = np.argmin([_squares(points[[row]], centre)[0] for centre in centres])
    return joined


def best_partition(values, k):
    """The least sum of squares of all partitions of ascending values into runs of k or more."""
    if len(values) < 2 * k:
        return ((values - values.mean()) ** 2).sum()
    return min(
        ((run - run.mean()) ** 2).sum() + (best_partition(rest, k) if len(rest) else 0.0)
        for run, rest in ((values[:i], values[i:]) for i in range(k, len(values) + 1))
        if len(rest) >= k or not len(rest)
    )


def _summed(points):
    sums = np.zeros(points.shape[1])
    for row in points:
        sums += row
    return sums


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
