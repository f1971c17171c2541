"""Centres of groups, one group at a time."""

import statistics
from collections import Counter


def members(groups):
    return {group: [i for i, g in enumerate(groups) if g == group] for group in set(groups)}


def centre(values, groups, middle):
    """Each known value replaced by the middle of its group's known values."""
    out = list(values)
    for rows in members(groups).values():
        known = [values[i] for i in rows if values[i] is not None]
        for i in rows:
            if values[i] is not None:
                out[i] = middle(known)
    return out


mean = statistics.fmean
median = statistics.median_low


def mode(known):
    counted = Counter(known)
    return min(counted, key=lambda value: (-counted[value], value))
