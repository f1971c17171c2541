"""Passes over all possible cells of a table of keys.

A cell is a leading and a trailing part of the key: cell = leading * len(low) + trailing. Its place
in a margin is high[leading] + low[trailing].
"""

from math import exp

from unveil.support.arrays import Floats, Ints
from unveil.support.compile import kernel, part

SMALL = 0.01  # below it, differences of exponentials lose digits: series are used


@kernel()
def add_margin(fitted: Floats, high: Ints, low: Ints, out: Floats) -> None:
    """Add the cells of the table to a margin."""
    size = len(low)
    for leading in range(len(high)):
        base, cell = high[leading], leading * size
        for trailing in range(size):
            out[base + low[trailing]] += fitted[cell + trailing]


@kernel()
def multiply(fitted: Floats, high: Ints, low: Ints, factor: Floats) -> None:
    """Multiply each cell by the factor of its place in a margin."""
    size = len(low)
    for leading in range(len(high)):
        base, cell = high[leading], leading * size
        for trailing in range(size):
            fitted[cell + trailing] *= factor[base + low[trailing]]


@kernel()
def add_product(fitted: Floats, other: Floats, high: Ints, low: Ints, out: Floats) -> None:
    """Add the products of two tables to a margin."""
    size = len(low)
    for leading in range(len(high)):
        base, cell = high[leading], leading * size
        for trailing in range(size):
            out[base + low[trailing]] += fitted[cell + trailing] * other[cell + trailing]


@kernel()
def add_to_cells(table: Floats, high: Ints, low: Ints, change: Floats) -> None:
    """Add to each cell the change of its place in a margin."""
    size = len(low)
    for leading in range(len(high)):
        base, cell = high[leading], leading * size
        for trailing in range(size):
            table[cell + trailing] += change[base + low[trailing]]


@part()
def slopes(a: float) -> tuple[float, float, float, float]:
    """The first and second derivatives of exp(-a) and of (1 - exp(-a)) / a."""
    gone = exp(-a)
    if a < SMALL:
        return -gone, gone, -0.5 + a / 3 - a * a / 8, 1 / 3 - a / 4 + a * a / 10
    square = a * a
    first = (gone * (1 + a) - 1) / square
    return -gone, gone, first, (2 - gone * (square + 2 * a + 2)) / (square * a)


@kernel()
def add_errors(expected: Floats, counts: Floats, share: Floats, out: Floats) -> None:
    """Add the terms of the minimum-error criterion: bias and variance, for tau1 and for tau2.

    `expected` are the sample's counts by the model; `counts` and `share` (the share of the cell's
    people in the sample) have one entry for each cell, or one for all.
    """
    every, each = len(counts) > 1, len(share) > 1
    for cell in range(len(expected)):
        mean = expected[cell]
        if mean <= 0:
            continue
        f = counts[cell] if every else counts[0]
        pi = share[cell] if each else share[0]
        people, rest = mean / pi, 1 - pi
        likely = people * exp(-mean)
        residual = f - mean
        spread = residual * residual - f
        unique, steeper, inverse, bend = slopes(people * rest)
        for which in range(2):
            first, second = (unique, steeper) if which == 0 else (inverse, bend)
            a = -likely * first * rest
            b = likely * second * rest * rest / (2 * pi)
            out[which, 0] += a * residual + b * spread
            out[which, 1] += a * a * mean + 2 * b * b * mean * mean
