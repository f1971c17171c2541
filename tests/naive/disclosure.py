"""Disclosure as it is defined, one record at a time."""

import numpy as np


def interval_by_rank(released, value, width):
    """From the lowest to the highest value that some order of the ties puts near enough."""
    ascending = sorted(v for v in released if v is not None)
    reach = int(len(ascending) * width // 100)
    at = [i for i, v in enumerate(ascending) if v == value]
    near = [v for i, v in enumerate(ascending) if any(abs(i - j) <= reach for j in at)]
    return min(near), max(near)


def interval_by_deviation(original, value, width):
    """So much of the standard deviation to either side."""
    there = [v for v in original if v is not None]
    reach = np.std(there, ddof=1) * width / 100 if len(set(there)) > 1 else 0.0
    return value - reach - 1e-9, value + reach + 1e-9


def inside(intervals, originals):
    """Whether an original record is inside in everything that is there; None: nothing is."""
    there = [(i, x) for i, x in zip(intervals, originals, strict=True) if x is not None]
    if not there:
        return None
    return all(i is not None and i[0] <= x <= i[1] for i, x in there)


def shares_inside(intervals, originals):
    """The share inside, and the same over all pairings; a row of each for each record."""
    own = [inside(i, x) for i, x in zip(intervals, originals, strict=True)]
    own = [one for one in own if one is not None]
    pairs = [inside(i, x) for i in intervals for x in originals]
    pairs = [one for one in pairs if one is not None]
    return np.mean(own), np.mean(pairs)


def mean_of_inverse(f, p):
    """The mean of 1 / F over the negative binomial law of F, summed up."""
    chance, total, h = p**f, 0.0, f
    while h < 40 * f / p + 1000:
        total += chance / h
        chance *= (1 - p) * h / (h - f + 1)
        h += 1
    return total


def at_least_one(hits, households):
    """For each household, 1 less the product of its members' chances not to be found."""
    found = {}
    for place, (hit, home) in enumerate(zip(hits, households, strict=True)):
        key = ("alone", place) if home < 0 else home
        found[key] = found.get(key, 1.0) * (1 - hit)
    return [1 - missed for missed in found.values()]


def nearest_rows(record, released, out=None):
    """The released rows at the least distance on whole numbers; one of them taken out."""
    far = {row: abs(record - x) for row, x in enumerate(released) if row != out}
    return [row for row, gap in far.items() if gap == min(far.values())]


def read(rows, cells, truth, tolerance):
    """How often a row taken at random has the right cell, and whether all have one cell."""
    if not rows:
        return 0.0, False
    right = [cells[r] is not None and abs(cells[r] - truth) <= tolerance for r in rows]
    one = None not in [cells[r] for r in rows] and (
        max(cells[r] for r in rows) - min(cells[r] for r in rows) <= tolerance
    )
    return float(np.mean(right)), one and all(right)
