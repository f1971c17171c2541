"""Strict Mondrian on whole numbers: cut at the boundary next to the median that is more even."""

from __future__ import annotations


def mondrian(rows, k, ranges=None):
    """Groups of row numbers, each of at least k; the widest attribute first, then by place."""
    ranges = ranges or [max(column) - min(column) or 1 for column in zip(*rows, strict=True)]
    return sorted(sorted(group) for group in _cut(rows, list(range(len(rows))), k, ranges))


def _cut(rows, group, k, ranges):
    widths = []
    for j, whole in enumerate(ranges):
        values = [rows[i][j] for i in group]
        widths.append(((max(values) - min(values)) / whole, j))
    for width, j in sorted(widths, key=lambda one: (-one[0], one[1])):
        if width == 0:
            break
        cut = _boundary([rows[i][j] for i in group])
        low = [i for i in group if rows[i][j] < cut]
        high = [i for i in group if rows[i][j] >= cut]
        if min(len(low), len(high)) >= k:
            return [*_cut(rows, low, k, ranges), *_cut(rows, high, k, ranges)]
    return [group]


def _boundary(values):
    """The value at which the upper part begins."""
    median = sorted(values)[len(values) // 2]
    above = [v for v in values if v > median]
    before = min(sum(v < median for v in values), sum(v >= median for v in values))
    behind = min(len(values) - len(above), len(above))
    return median if before and (before >= behind or not above) else min(above)
